"""`errata eval agreement`: whoever judges claims (rules, a judge, a chat model) on FoolMeTwice, the evidence given."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, get_args

import click
from rich.table import Table
from typing_extensions import TypedDict

from ...apps.cli.options import input_argument, model_options
from ...apps.settings import make_context
from ...models import task
from ...models.tasks.claims import CHECK, CheckInput
from ...models.tasks.correction import AGREEMENT, AgreementInput
from ...nodes.rarr import earned
from ...state import Context, Label
from ...state.errors import RunError
from ...tools import evidence
from ..lines import json_lines
from .program import json_option, limit_option, put, read, table

Split = Literal["even", "odd", "all"]

GOLD: dict[str, Label] = {"SUPPORTS": "entailment", "REFUTES": "contradiction"}
LABELS: tuple[Label, ...] = ("entailment", "contradiction", "neutral", "error")
AT_ONCE = 16


class Figures(TypedDict):
    """How well the labels agree with the gold labels. A rate with nothing to count is None."""

    n: int
    decided: int
    failed: int
    coverage: float | None
    accuracy_decided: float | None
    accuracy: float | None
    """Neutral counts as wrong."""
    precision: dict[str, float | None]
    recall: dict[str, float | None]
    confusion: dict[str, dict[str, int]]
    """The gold label, then the given label."""
    rows_per_second: float


class Row(TypedDict):
    """A claim, the evidence and its title, and the gold label."""

    claim: str
    evidence: str
    title: str
    gold: Label


def read_rows(path: Path, split: Split = "all", limit: int | None = None) -> list[Row]:
    """The rows of a FoolMeTwice file; optionally only the first (even) or second (odd) of every two lines.

    Raises ValueError on a bad line.
    """
    rows: list[Row] = []
    for number, row in json_lines(path.read_text(encoding="utf-8")):
        if split != "all" and number % 2 == (split == "odd"):
            continue
        if limit is not None and len(rows) >= limit:
            break
        try:
            evidence = " ".join(sentence["text"].strip() for sentence in row["gold_evidence"])
            rows.append(
                Row(claim=row["text"], evidence=evidence, title=row.get("wikipedia_page", ""), gold=GOLD[row["label"]])
            )
        except (AttributeError, KeyError, TypeError) as error:
            needed = "`text`, `gold_evidence` and a `label` (" + " or ".join(GOLD) + ")"
            raise ValueError(f"line {number} is not a FoolMeTwice row, which has {needed}") from error
    if not rows:
        raise ValueError("it holds no rows to measure")
    return rows


async def measure(rows: Iterable[Row], context: Context, task_name: str = AGREEMENT.name) -> Figures:
    """Judge every row.

    Args:
        rows: The claims, each with its evidence.
        context: Says who judges.
        task_name: `agreement`, with the claim as its own query, or `check`.
    """
    turn, begun = asyncio.Semaphore(AT_ONCE), time.perf_counter()

    async def judged(row: Row) -> tuple[Label, Label]:
        async with turn:
            try:
                return row["gold"], await (
                    _checked(row, context) if task_name == CHECK.name else _compared(row, context)
                )
            except RunError:
                return row["gold"], "error"

    confusion = Counter(await asyncio.gather(*map(judged, rows)))
    return figures(confusion, time.perf_counter() - begun)


async def _compared(row: Row, context: Context) -> Label:
    claim = row["claim"]
    task_input = AgreementInput(text=claim, query=claim, evidence=row["evidence"], title=row["title"])
    said = await task(context, AGREEMENT).ainvoke(task_input)
    return earned(said, task_input, evidence(query=claim, text=row["evidence"], title=row["title"])).label


async def _checked(row: Row, context: Context) -> Label:
    task_input = CheckInput(claims=[row["claim"]], evidence=row["evidence"], title=row["title"])
    return (await task(context, CHECK).ainvoke(task_input)).of(1)[0].label


def figures(confusion: Counter[tuple[Label, Label]], seconds: float) -> Figures:
    """All rates, from the counts of (gold, given)."""
    n = confusion.total()
    decided = sum(count for (_, given), count in confusion.items() if given in GOLD.values())
    right = {label: confusion[label, label] for label in GOLD.values()}
    return Figures(
        n=n,
        decided=decided,
        failed=sum(count for (_, given), count in confusion.items() if given == "error"),
        coverage=_rate(decided, n),
        accuracy_decided=_rate(sum(right.values()), decided),
        accuracy=_rate(sum(right.values()), n),
        precision={label: _rate(right[label], sum(confusion[gold, label] for gold in right)) for label in right},
        recall={label: _rate(right[label], sum(confusion[label, given] for given in LABELS)) for label in right},
        confusion={gold: {given: confusion[gold, given] for given in LABELS} for gold in right},
        rows_per_second=n / seconds if seconds else 0.0,
    )


def _rate(part: int, total: int) -> float | None:
    return part / total if total else None


def _tables(outcome: Figures) -> list[Table]:
    rates = {name: value for name, value in outcome.items() if not isinstance(value, dict)}
    for label in GOLD.values():
        rates |= {f"{label}: precision": outcome["precision"][label], f"{label}: recall": outcome["recall"][label]}
    confusion = {
        f"given {label}": {gold: given[label] for gold, given in outcome["confusion"].items()} for label in LABELS
    }
    return [table("Agreement on FoolMeTwice", {"": rates}), table("Gold label and given label", confusion)]


@click.command(short_help="Measure how well claims are judged by given evidence.")
@input_argument
@click.option("--split", type=click.Choice(get_args(Split)), default="all", help="Every other row, or all.")
@click.option(
    "--task",
    "asked",
    type=click.Choice([AGREEMENT.name, CHECK.name]),
    default=AGREEMENT.name,
    help="RARR's gate, or RefChecker's checker.",
)
@limit_option
@model_options
@json_option
def main(
    source: Path,
    limit: int | None,
    split: Split,
    asked: str,
    more: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Measure how well claims are judged whose evidence is given, against gold labels (FoolMeTwice).

    INPUT is a FoolMeTwice file, one JSON row per line. Without a model or a judge, rules judge.
    """
    rows, context = read(source, read_rows, source, split, limit), make_context(options, (), more)
    outcome = asyncio.run(measure(rows, context, asked))
    put(outcome, as_json, *_tables(outcome))
