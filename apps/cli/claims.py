"""Claims in the terminal: the response with the words that state them, their labels, and the shares as bars."""

from collections.abc import Iterator, Sequence
from typing import Literal

from rich.console import Console
from rich.text import Text

from ...state import marked
from ...state.methods.labels import WORST, Distribution, percents
from ...state.methods.refcheck import Claim, RefCheckResult
from ...state.text.segments import counted
from .show import COLOURS, closest, ending, fold, part, quote
from .terminal import colourless, table

BAR = 40
SIGNS = {"entailment": "✓", "neutral": "○", "contradiction": "✗", "error": "!"}
FILLS: dict[Literal["entailment", "neutral", "contradiction", "abstain"], str] = {
    "entailment": "█", "neutral": "░", "contradiction": "▓", "abstain": "·",
}  # fmt: skip
"""What bars are made of; the characters differ in case there is no colour."""


def show_claims(console: Console, result: RefCheckResult, *, drafted: bool = False, bundled: bool = False) -> None:
    """Print a result for people; the arguments are those of `show`."""
    plain = colourless(console)
    if not result["text"]:
        closest(console, result)
        ending(console, result, bundled=bundled)
        return
    part(console, "Draft" if drafted else "Response", coloured(result["text"], result["claims"], bracketed=plain))
    if result["claims"]:
        numbers = {id(claim): number for number, claim in enumerate(result["claims"], start=1)}
        listed, folded = fold(result["claims"], "claim")
        numbered = [(numbers[id(claim)], claim) for claim in listed]
        part(console, "Claims", table(console, ("", "claim", "label", "backend", "why"), _claims(numbered)), folded)
    part(console, "Shares", _shares(result))
    ending(console, result, bundled=bundled)


def coloured(text: str, claims: Sequence[Claim], *, bracketed: bool) -> Text:
    """The response, with the words of each claim in the colour of its label; for several claims, the worst label's.

    Args:
        text: The response.
        claims: Its claims.
        bracketed: Whether to mark claims with [1✓ brackets] too, for output without colours.
    """
    coloured_text = Text()
    for stretch, numbers in marked(text, [(claim["start"], claim["end"]) for claim in claims]):
        if not numbers:
            coloured_text.append(stretch)
            continue
        label = min((claims[number]["label"] for number in numbers), key=WORST.index)
        names = "·".join(str(number + 1) for number in numbers)
        coloured_text.append(f"[{names}{SIGNS[label]} {stretch}]" if bracketed else stretch, style=COLOURS[label])
    return coloured_text


def bar(distribution: Distribution, width: int = BAR) -> Text:
    """The shares in one line."""
    lengths = percents([distribution[label] * width / 100 for label in FILLS])
    return Text.assemble(
        *((FILLS[label] * length, COLOURS.get(label, "dim")) for label, length in zip(FILLS, lengths, strict=True))
    )


def _claims(claims: Sequence[tuple[int, Claim]]) -> Iterator[tuple[Text, ...]]:
    for number, claim in claims:
        label = Text(f"{SIGNS[claim['label']]} {claim['label']}", style=COLOURS[claim["label"]])
        reasons = dict.fromkeys(quote(text) for text in (claim["reason"], claim["quote"]) if text)  # rules quote twice
        why = Text("\n".join(reasons), style="dim")
        yield Text(str(number)), Text(claim["content"]), label, Text(claim["backend"]), why


def _shares(result: RefCheckResult) -> Text:
    distribution = result["distribution"]
    if distribution is None:
        return Text("nothing could be checked", style="yellow")
    if distribution["abstain"]:
        return Text("abstains: there is no claim to check", style="dim")
    shares = [distribution[label] for label in FILLS]
    lines = [
        Text.assemble(f"{label:<14}{percent:>3} %  ", (FILLS[label] * round(share * BAR), COLOURS[label]))
        for label, share, percent in zip(FILLS, shares, percents(shares), strict=True)
        if label != "abstain"
    ]
    tie = " (the worse of equally many)" if result["tied"] else ""
    lines.append(Text(f"worst label: {result['strict']}   most common label: {result['major']}{tie}"))
    if result["errors"]:
        lines.append(
            Text(f"without the {counted(result['errors'], 'claim')} that could not be checked", style="yellow")
        )
    return Text("\n").join(lines)
