"""A result as shown on the page of the server: the text with its changes, and what each sentence rests on."""

import re
from collections.abc import Container, Mapping, Sequence
from typing import Any, NamedTuple

from ...models import model_name
from ...models.providers.embedded import is_able
from ...state import Attribution, Context, Edit, Evidence, Result, cited, embedded_name
from ...state.methods.refcheck import Claim
from ...state.text.spans import find
from ..reports.display import missing, sentence_counts, unreported
from ..reports.report import numbered, templates, usage_rows
from .decide import Piece, changes

AROUND = 320
"""How many characters of the source are shown on each side of a quote."""
_SIDE_BY_SIDE = re.compile(r"^Text: (?P<text>.+)\nEvidence: (?P<evidence>.+)$", re.MULTILINE)
WHOLE = 900
"""How many characters are shown of a source without a quote."""
RULES = (
    "No language model was asked: rules compared numbers, dates, names, places and negations. They settle few claims."
)


Compared = dict[str, list[tuple[str, str]]]


class Quoted(NamedTuple):
    """A quote in the context of its source."""

    number: int
    """The number of the evidence."""
    piece: Evidence
    before: str
    quote: str
    after: str


class Sentence(NamedTuple):
    """A sentence of the text, with everything known about it."""

    number: int
    """From 1; 0 for what is between sentences."""
    status: str
    pieces: list[Piece]
    quotes: list[Quoted]
    claims: list[Claim]
    changes: list[int]
    left: list[str]
    """What is wrong in it, and why that was not corrected."""


class Change(NamedTuple):
    """What a person decides on as one."""

    number: int
    before: str
    after: str
    edits: list[Edit]


def fragment(result: Result, method: str) -> str:
    """The outcome as a piece of HTML. Everything in it that is not ours is escaped."""
    cut, made_of = changes(result)
    numbers = numbered(result)
    fields: dict[str, Any] = {**result}
    return (
        templates()
        .get_template("outcome.html.j2")
        .render(
            result={**fields, "failures": unreported(result)},
            method=method,
            numbers=numbers,
            missing=missing(result),
            sentence_counts=sentence_counts(result),
            sentences=_sentences(result, cut, numbers),
            placed=bool(cut) or not result["text"],
            changes=[_change(number, cut, edits) for number, edits in enumerate(made_of, start=1)],
            refused=[edit for edit in result["edits"] if not edit["applied"]],
            rules="" if result["usage"]["llm_calls"] or result["usage"].get("cached") else RULES,
            usage=usage_rows(result["usage"]),
        )
    )


def who_checks(context: Context) -> str:
    """A line on what a run with these settings asks."""
    name = embedded_name(context.model)
    if name is not None and not is_able(name):
        return "No model is set: rules compare numbers, dates, names and places, and leave the rest undecided."
    return f"Model: {model_name(context)}"


def _change(number: int, cut: Sequence[Piece], edits: list[Edit]) -> Change:
    """A change from its first piece to its last one, with what is between them."""
    mine = [place for place, piece in enumerate(cut) if piece["change"] == number]
    span = cut[mine[0] : mine[-1] + 1]
    return Change(number, "".join(piece["before"] for piece in span), "".join(piece["after"] for piece in span), edits)


def _sentences(result: Result, cut: Sequence[Piece], numbers: Mapping[str, int]) -> list[Sentence]:
    """The text, sentence by sentence, and what is between them."""
    whole_text: list[Piece] = [{"before": result["text"], "after": result["text"], "change": 0}]
    parts = sorted(result["attribution"], key=lambda part: part["start"])
    edges = [edge for part in parts for edge in (part["start"], part["end"])]
    number_at = {part["start"]: number for number, part in enumerate(parts, start=1)}
    stretches = _cut_at(cut or whole_text, edges, number_at)
    compared = _set_side_by_side(result)
    return [
        _sentence(number_at[start], parts[number_at[start] - 1], stretch, result, numbers, compared)
        if start in number_at
        else _between(stretch)
        for start, stretch in stretches
        if stretch
    ]


def _cut_at(cut: Sequence[Piece], edges: Sequence[int], starts: Container[int]) -> list[tuple[int, list[Piece]]]:
    """The pieces between any two edges of the text, and where each stretch begins.

    If a change crosses an edge, the words before it are with the first stretch.
    """
    stretches: list[tuple[int, list[Piece]]] = [(0, [])]
    waiting = sorted({edge for edge in edges if edge > 0}, reverse=True)
    offset = 0
    for piece in cut:
        before, after = piece["before"], piece["after"]
        # words removed at the end of a sentence still belong to it
        while waiting and (waiting[-1] < offset + len(after) or (waiting[-1] == offset and offset in starts)):
            size = waiting[-1] - offset
            if size:
                head = before if piece["change"] else after[:size]
                stretches[-1][1].append({"before": head, "after": after[:size], "change": piece["change"]})
                before, after = ("", after[size:]) if piece["change"] else (after[size:], after[size:])
            offset += size
            stretches.append((waiting.pop(), []))
        if before or after:
            stretches[-1][1].append({"before": before, "after": after, "change": piece["change"]})
        offset += len(after)
    return stretches


def _between(stretch: list[Piece]) -> Sentence:
    return Sentence(0, "", stretch, [], [], [], [])


def _sentence(
    number: int, part: Attribution, stretch: list[Piece], result: Result, numbers: Mapping[str, int], compared: Compared
) -> Sentence:
    every: dict[str, Any] = {**result}
    claims: list[Claim] = [claim for claim in every.get("claims") or [] if _overlap(claim, part)]
    wrong = [one for one in result["unresolved"] if _overlap(one, part)]
    ids = dict.fromkeys([*part["evidence"], *(one["evidence"] for one in wrong), *(one["evidence"] for one in claims)])
    texts = ["".join(piece[side] for piece in stretch) for side in ("before", "after")]
    quotes = {
        one: quote for one in ids for words, quote in compared.get(one, []) if any(words in text for text in texts)
    }
    quotes |= {claim["evidence"]: claim["quote"] for claim in claims}
    if part["evidence"] and (quote := part.get("quote")):
        quotes[part["evidence"][0]] = quote
    quoted = [_quoted(numbers[one], result["evidence"], quotes.get(one, "")) for one in ids if one in numbers]
    return Sentence(
        number,
        part["status"],
        stretch,
        sorted(quoted, key=lambda each: not each.quote),
        claims,
        list(dict.fromkeys(piece["change"] for piece in stretch if piece["change"])),
        [f"{one['reason']}\nNot corrected: {one['left']}".strip() for one in wrong],
    )


def _overlap(record: Any, part: Attribution) -> bool:
    return bool(record["start"] < part["end"] and part["start"] < record["end"])


def _set_side_by_side(result: Result) -> Compared:
    """Words of the text and of the evidence that an edit or a verdict compared, by id of the evidence."""
    by_evidence: Compared = {}
    for record in (*result["edits"], *result["verdicts"]):
        if match := _SIDE_BY_SIDE.search(record["reason"]):
            for evidence_id in cited(record):
                by_evidence.setdefault(evidence_id, []).append((match["text"], match["evidence"]))
    return by_evidence


def _quoted(number: int, evidence: Sequence[Evidence], quote: str) -> Quoted:
    """A quote with its surroundings, or the beginning of the source if there is none."""
    piece = evidence[number - 1]
    text = piece["text"]
    start, end = next(iter(find(text, quote)), (0, 0))
    if not end:
        return Quoted(number, piece, text[:WHOLE] + (" …" if len(text) > WHOLE else ""), "", "")
    first, last = max(start - AROUND, 0), end + AROUND
    before = ("… " if first else "") + text[first:start]
    return Quoted(number, piece, before, text[start:end], text[end:last] + (" …" if last < len(text) else ""))
