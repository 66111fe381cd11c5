"""How good an editor is on rows that it has not seen: attribution, preservation, restoration, latency.

The metrics are RARR's (section 4.1). Attr uses the task `agreement` for every sentence instead of an NLI model, and
sentences that are not entailed count 0, so it is a lower bound. Whether the intent is kept (Pres_intent) is not judged:
Pres is Pres_Lev.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from statistics import mean, median
from typing import Any

from rapidfuzz.distance import Levenshtein
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typing_extensions import TypedDict

from ...models import backend, task
from ...models.tasks.correction import AGREEMENT, EDIT, EDIT_ALL, AgreementInput, EditInput, Pair
from ...nodes.rarr.edit import guard
from ...state import Context
from ...state.errors import ErrataError
from ...state.text.segments import sentences_of
from ...state.text.spans import changes
from .bar import Advance
from .rows import Row, pairs

Editor = Callable[[str, list[Pair]], Awaitable[str]]


class Figures(TypedDict):
    """The figures of one editor. A share of nothing is None."""

    editor: str
    n: int
    corrupted: int
    failed: int
    """The rows on which it failed; their text counts as unchanged."""
    attribution: float
    """The mean share of sentences that a piece of evidence entails (Attr_auto with entailment as 1, all else as 0)."""
    preservation: float
    """The mean of max(1 - Levenshtein(x, y) / |x|, 0) (Pres_Lev)."""
    f1: float
    """The harmonic mean of the two (F1_AP)."""
    restored: float | None
    """The share of corrupted texts that were restored exactly."""
    untouched: float | None
    """The share of clean texts that were left alone."""
    seconds: float
    """The median per text."""


def editors(context: Context) -> dict[str, Editor]:
    """The editors that are compared, by name: the given one, RARR's serial edits, the rules."""
    rules = Context(backends={"edit_all": "rules"})
    rarr = f"rarr, serial ({backend(context, EDIT).name})"
    by_name: dict[str, Editor] = {rarr: lambda text, text_pairs: _serial(text, text_pairs, context)}
    by_name["edit_all (rules)"] = lambda text, text_pairs: _fused(text, text_pairs, rules)
    if context.editor_model:
        by_name["purr (seq2seq)"] = lambda text, text_pairs: _fused(text, text_pairs, context)
    return by_name


async def measure(
    rows: Sequence[Row], compared: dict[str, Editor], context: Context, advance: Advance
) -> list[Figures]:
    """Let every editor edit every row, one after another, and measure the results; and the corrupted texts, too."""
    total = len(rows) * len(compared)
    outcomes = {"as it was": [(row["text"], 0.0, False) for row in rows]}
    for name, editor in compared.items():
        await _timed(editor, rows[0])  # loading time is not counted
        outcomes[name] = []
        for row in rows:
            outcomes[name].append(await _timed(editor, row))
            advance(total=total, said=name)
    judge = context.model_copy(update={"backends": {**context.backends, "agreement": "rules"}})
    return [await _figures(name, rows, edits, judge) for name, edits in outcomes.items()]


async def _timed(editor: Editor, row: Row) -> tuple[str, float, bool]:
    """The edited text, the seconds it took, and whether the editor failed."""
    begun = time.perf_counter()
    try:
        text, failed = await editor(row["text"], pairs(row)), False
    except ErrataError:
        text, failed = row["text"], True
    return text, time.perf_counter() - begun, failed


async def _fused(text: str, text_pairs: list[Pair], context: Context) -> str:
    edited = (await task(context, EDIT_ALL).ainvoke({"text": text, "pairs": text_pairs})).text
    for change in reversed(changes(text, edited)):
        text = text[: change.start] + change.after + text[change.end :]
    return text


async def _serial(text: str, text_pairs: list[Pair], context: Context) -> str:
    """Gate and edit, pair after pair, as RARR publishes it."""
    for pair in text_pairs:
        task_input: EditInput = {
            "text": text,
            "query": pair["query"],
            "evidence": pair["evidence"],
            "title": pair["title"],
        }
        if (await task(context, AGREEMENT).ainvoke(task_input)).label != "contradiction":
            continue
        revised = (await task(context, EDIT).ainvoke(task_input)).text
        for change in reversed(changes(text, revised)):
            if not guard(text, text[change.start : change.end], change.after, context):
                text = text[: change.start] + change.after + text[change.end :]
    return text


async def _figures(name: str, rows: Sequence[Row], edits: list[tuple[str, float, bool]], judge: Context) -> Figures:
    texts = [text for text, *_ in edits]
    attribution = mean([await attributed(text, row, judge) for text, row in zip(texts, rows, strict=True)])
    preservation = mean(preserved(row["text"], text) for text, row in zip(texts, rows, strict=True))
    wrong = [(text, row) for text, row in zip(texts, rows, strict=True) if row["corruptions"]]
    right = [(text, row) for text, row in zip(texts, rows, strict=True) if not row["corruptions"]]
    total = attribution + preservation
    return {
        "editor": name,
        "n": len(rows),
        "corrupted": len(wrong),
        "failed": sum(failed for *_, failed in edits),
        "attribution": attribution,
        "preservation": preservation,
        "f1": 2 * attribution * preservation / total if total else 0.0,
        "restored": _share([text == row["clean"] for text, row in wrong]),
        "untouched": _share([text == row["text"] for text, row in right]),
        "seconds": median(seconds for _, seconds, _ in edits),
    }


async def attributed(text: str, row: Row, judge: Context) -> float:
    """The share of the sentences of a text that a piece of evidence entails."""
    entailed = [await _entailed(sentence, row, judge) for sentence in sentences_of(text)]
    return mean(entailed) if entailed else 0.0


async def _entailed(sentence: str, row: Row, judge: Context) -> bool:
    for pair in pairs(row):
        task_input: AgreementInput = {
            "text": sentence,
            "query": sentence,
            "evidence": pair["evidence"],
            "title": pair["title"],
        }
        if (await task(judge, AGREEMENT).ainvoke(task_input)).label == "entailment":
            return True
    return False


def preserved(before: str, after: str) -> float:
    """Pres_Lev, from 0 to 1."""
    return max(1 - Levenshtein.distance(before, after) / max(len(before), 1), 0.0)


def _share(values: Sequence[float]) -> float | None:
    return mean(values) if values else None


def show_figures(console: Console, figures: list[Figures]) -> None:
    """Show the figures to people."""
    first = figures[0]
    table = Table(title=f"{first['n']} texts, {first['corrupted']} of them corrupted")
    for column in ("editor", "Attr", "Pres", "F1_AP", "restored", "untouched", "failed", "ms/text"):
        table.add_column(column, justify="left" if column == "editor" else "right")
    for row in figures:
        shares = ("attribution", "preservation", "f1", "restored", "untouched")
        values = [_percent(dict(row)[name]) for name in shares]
        table.add_row(Text(row["editor"]), *values, str(row["failed"]), f"{row['seconds'] * 1000:.1f}")
    console.print(table)


def _percent(share: Any) -> str:
    return "-" if share is None else f"{share:.1%}"
