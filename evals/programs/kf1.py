"""`errata eval kf1`: KF1 of LLM-Augmenter's responses against the knowledge that they should use.

If the rows hold people's responses, BLEU is reported as well, as in the paper.
"""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NotRequired

import click
from pydantic import TypeAdapter, ValidationError
from rich.table import Table
from rich.text import Text
from typing_extensions import TypedDict

from ...apps.cli.options import model_options, optional_input_argument, sources_option
from ...apps.cli.terminal import tell
from ...apps.settings import make_context
from ...graphs import load
from ...state import Context
from ...state.methods.augmenter import Message
from ...state.text.answers import kf1
from ..datasets import Item, load_items
from ..datasets.dialogues import dstc11
from ..lines import json_lines
from ..metrics import bleu, mean
from .program import json_option, limit_option, put, read

AT_ONCE = 8


class Row(TypedDict):
    """One message of a dialogue."""

    history: list[Message]
    question: str
    knowledge: list[str]
    """The knowledge that a good response uses."""
    response: NotRequired[str]
    """A person's response, for BLEU."""


class Arm(TypedDict):
    """One way to respond."""

    settings: dict[str, Any]
    gold: bool
    """Whether the knowledge is given instead of searched for."""


ARMS: dict[str, Arm] = {
    "model alone": {"settings": {"consolidations": 0, "feedback": "none"}, "gold": False},
    "+ consolidator": {"settings": {"feedback": "none"}, "gold": False},
    "+ consolidator + feedback": {"settings": {}, "gold": False},
    "gold knowledge": {"settings": {"feedback": "none"}, "gold": True},
    "gold knowledge + feedback": {"settings": {}, "gold": True},
}
"""The ways, as in the paper's table of KF1."""


class Figures(TypedDict):
    """How well one way did. Rows without a response count as failed and nowhere else."""

    arm: str
    n: int
    kf1: float | None
    """The mean KF1 of the responses against the row's knowledge, times 100 as in the paper."""
    bleu: float | None
    """BLEU of the responses against those of people, from 0 to 100; None if there are none."""
    passed: int
    """How many responses scored at least the threshold against the evidence of their run."""
    failed: int
    llm_calls: float
    """Per row."""


_ROW = TypeAdapter(Row)


def read_rows(path: Path) -> list[Row]:
    """The rows of a file with one JSON object per line: history, question, knowledge, and optionally response.

    Raises ValueError on a bad line. A folder is read as that of DSTC11 track 5.
    """
    rows: list[Row] = []
    lines = enumerate(dstc11(path), 1) if path.is_dir() else json_lines(path.read_text(encoding="utf-8"))
    for number, row in lines:
        try:
            rows.append(_ROW.validate_python(row))
        except ValidationError as error:
            raise ValueError(f"line {number} is not a valid row: {' '.join(str(error).split())[:200]}") from None
    return rows


def corpus_rows() -> Iterator[Row]:
    """A question about each bundled article: when something happened, from its first sentence that says so."""
    first: dict[str, Item] = {}
    for item in load_items("documents"):
        if item["question"].startswith("When "):
            first.setdefault(item["kind"], item)
    for title, item in first.items():
        history: list[Message] = [
            {"role": "user", "content": f"Let us talk about this: {title}."},
            {"role": "assistant", "content": "With pleasure. What would you like to know?"},
        ]
        yield {"history": history, "question": item["question"], "knowledge": item["paragraphs"][:1]}


async def measure(rows: Sequence[Row], name: str, context: Context) -> Figures:
    """Respond to every row in one way."""
    arm, graph, turn = ARMS[name], load("llm_augmenter"), asyncio.Semaphore(AT_ONCE)
    settings = context.model_copy(update=arm["settings"])

    async def respond(row: Row) -> Any:
        graph_input = {"question": row["question"], "history": row["history"]}
        async with turn:
            knowledge = {"knowledge": row["knowledge"]} if arm["gold"] else {}
            return await graph.ainvoke({**graph_input, **knowledge}, context=settings)

    results = await asyncio.gather(*(respond(row) for row in rows))
    answered = [(row, result) for row, result in zip(rows, results, strict=True) if result["text"]]
    mark = mean(kf1(result["text"], " ".join(row["knowledge"])) for row, result in answered)
    people = [(result["text"], row["response"]) for row, result in answered if row.get("response")]
    return {
        "arm": name,
        "n": len(answered),
        "kf1": None if mark is None else round(100 * mark, 2),
        "bleu": round(bleu(*zip(*people, strict=True)), 2) if people else None,
        "passed": sum(result["stopped"] == "accepted" for result in results),
        "failed": sum(result["stopped"] == "error" for result in results),
        "llm_calls": sum(result["usage"]["llm_calls"] for result in results) / max(len(results), 1),
    }


async def _measure_all(rows: Sequence[Row], arms: Sequence[str], context: Context) -> list[Figures]:
    all_figures = []
    for name in arms:
        all_figures.append(await measure(rows, name, context))
        tell(Text(f"{name}: KF1 {all_figures[-1]['kf1']}, n {all_figures[-1]['n']}"))  # it may take long
    return all_figures


def _table(all_figures: list[Figures], rows: Sequence[Row]) -> Table:
    """The figures for people, and those of people's responses below."""
    table = Table("", "n", "KF1", "BLEU", "passed", "failed", "model calls", title="LLM-Augmenter")
    for figures in all_figures:
        means = ("-" if each is None else f"{each:.1f}" for each in (figures["kf1"], figures["bleu"]))
        counts = (str(figures[name]) for name in ("passed", "failed"))
        table.add_row(figures["arm"], str(figures["n"]), *means, *counts, f"{figures['llm_calls']:.1f}")
    people = [kf1(row["response"], " ".join(row["knowledge"])) for row in rows if row.get("response")]
    if people:
        table.add_row("people", str(len(people)), f"{100 * sum(people) / len(people):.1f}", "", "", "", "")
    return table


@click.command(short_help="Measure KF1 of LLM-Augmenter, step by step.")
@optional_input_argument
@limit_option
@click.option("--arm", "arms", type=click.Choice(list(ARMS)), multiple=True, help="One way only; may be repeated.")
@sources_option
@model_options
@json_option
def main(
    source: Path | None, limit: int | None, arms: tuple[str, ...], more: tuple[str, ...], as_json: bool, **options: Any
) -> None:
    """Measure KF1 of LLM-Augmenter with and without the consolidator, feedback, and gold knowledge.

    INPUT has dialogues, a JSON row per line, or is a folder of DSTC11 track 5 with logs.json and labels.json. Without
    it, they are made from the bundled corpus.
    """
    rows = (read(source, read_rows, source) if source else list(corpus_rows()))[:limit]
    context = make_context(options, (), more)
    if any(row.get("response") for row in rows):
        bleu(["a"], ["a"])  # fail now rather than after all responses, if its package is missing
    all_figures = asyncio.run(_measure_all(rows, arms or tuple(ARMS), context))
    put(all_figures, as_json, _table(all_figures, rows))
