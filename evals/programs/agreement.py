"""`errata eval agreement`: whoever judges claims (rules, a judge, a chat model) on FoolMeTwice, the evidence given."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import click
from rich.table import Table
from typing_extensions import TypedDict

from ...apps.cli.options import input_argument, model_options
from ...apps.settings import make_context
from ...models import task
from ...models.judges import Judge, load_judge
from ...models.judges.judge import Decided, decided, meaning_of
from ...models.judges.network import MEANINGS
from ...models.tasks.claims import CHECK, CheckInput
from ...models.tasks.correction import AGREEMENT, Agreement, AgreementInput
from ...state import Context, Label
from ...state.errors import ConfigurationError, RunError
from ..lines import json_lines
from .program import figure, json_option, limit_option, put, read, table

Split = Literal["even", "odd", "all"]

DECIDED: tuple[Decided, ...] = ("entailment", "contradiction")
LABELS: tuple[Label, ...] = ("entailment", "contradiction", "neutral", "error")
AT_ONCE = 16
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99)
"""How probable a label must be, step by step, in the table from which a person reads a judge's threshold."""


class AgreementFigures(TypedDict):
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


class LabelledClaim(TypedDict):
    """A claim, the evidence and its title, and the gold label."""

    claim: str
    evidence: str
    title: str
    gold: Label


def read_rows(path: Path, split: Split = "all", limit: int | None = None) -> list[LabelledClaim]:
    """The rows of a file; optionally only the first (even) or second (odd) of every two lines.

    A row has `claim`, `evidence` and `label`, and may have `title`. Published rows of FoolMeTwice are read as they are.
    Raises ValueError on a bad line.
    """
    rows: list[LabelledClaim] = []
    for number, row in json_lines(path.read_text(encoding="utf-8")):
        if split != "all" and number % 2 == (split == "odd"):
            continue
        if limit is not None and len(rows) >= limit:
            break
        rows.append(_row(number, row))
    if not rows:
        raise ValueError("it holds no rows to measure")
    return rows


def _row(number: int, row: Any) -> LabelledClaim:
    try:
        claim = row.get("claim") or row["text"]
        shown = row.get("evidence") or " ".join(sentence["text"].strip() for sentence in row["gold_evidence"])
        label, title = meaning_of(row["label"]), row.get("title") or row.get("wikipedia_page") or ""
        if not (label and claim.strip() and shown.strip()):
            raise KeyError("label")
    except (AttributeError, KeyError, TypeError) as error:
        needed = "`claim`, `evidence` and a `label` (entailment, neutral or contradiction), or is a row of FoolMeTwice"
        raise ValueError(f"line {number} cannot be measured: a row has {needed}") from error
    return LabelledClaim(claim=claim, evidence=shown, title=str(title), gold=label)


async def measure(rows: Iterable[LabelledClaim], context: Context, task_name: str = AGREEMENT.name) -> AgreementFigures:
    """Judge every row.

    Args:
        rows: The claims, each with its evidence.
        context: Says who judges.
        task_name: `agreement`, with the claim as its own query, or `check`.
    """
    turn, begun = asyncio.Semaphore(AT_ONCE), time.perf_counter()

    async def judged(row: LabelledClaim) -> tuple[Label, Label]:
        async with turn:
            try:
                return row["gold"], await (
                    _checked(row, context) if task_name == CHECK.name else _compared(row, context)
                )
            except RunError:
                return row["gold"], "error"

    confusion = Counter(await asyncio.gather(*map(judged, rows)))
    return figures(confusion, time.perf_counter() - begun)


async def _compared(row: LabelledClaim, context: Context) -> Label:
    claim = row["claim"]
    task_input = AgreementInput(text=claim, query=claim, evidence=row["evidence"], title=row["title"])
    said: Agreement = await task(context, AGREEMENT).ainvoke(task_input)
    return said.label


async def _checked(row: LabelledClaim, context: Context) -> Label:
    task_input = CheckInput(claims=[row["claim"]], evidence=row["evidence"], title=row["title"])
    return (await task(context, CHECK).ainvoke(task_input)).of(1)[0].label


def figures(confusion: Counter[tuple[Label, Label]], seconds: float) -> AgreementFigures:
    """All rates, from the counts of (gold, given)."""
    n = confusion.total()
    decided_rows = sum(count for (_, given), count in confusion.items() if given in DECIDED)
    right = {label: confusion[label, label] for label in DECIDED}
    golds = [label for label in MEANINGS if label in DECIDED or any(gold == label for gold, _ in confusion)]
    return AgreementFigures(
        n=n,
        decided=decided_rows,
        failed=sum(count for (_, given), count in confusion.items() if given == "error"),
        coverage=_rate(decided_rows, n),
        accuracy_decided=_rate(sum(right.values()), decided_rows),
        accuracy=_rate(sum(right.values()) + confusion["neutral", "neutral"], n),
        precision={label: _rate(right[label], sum(confusion[gold, label] for gold in golds)) for label in right},
        recall={label: _rate(right[label], sum(confusion[label, given] for given in LABELS)) for label in right},
        confusion={gold: {given: confusion[gold, given] for given in LABELS} for gold in golds},
        rows_per_second=n / seconds if seconds else 0.0,
    )


def thresholds(rows: Sequence[LabelledClaim], judge: Judge) -> list[dict[str, Any]]:
    """How many claims a judge gives a label, and how many of these deserve it, for each threshold.

    Args:
        rows: The claims, each with its evidence and the right label.
        judge: The judge.

    Returns:
        For each threshold and label, in rising order: `threshold`, `label`, `given` (a number of claims), `precision`
        and `recall` (None where nothing counts).
    """
    scored = [(row["gold"], judge.scores([row["claim"]], row["evidence"], row["title"])[0]) for row in rows]
    table_rows = []
    for least in THRESHOLDS:
        labels = [(gold, decided(windows, dict.fromkeys(DECIDED, least)).label) for gold, windows in scored]
        for label in DECIDED:
            given = [gold for gold, said in labels if said == label]
            table_rows.append(
                {
                    "threshold": least,
                    "label": label,
                    "given": len(given),
                    "precision": _rate(given.count(label), len(given)),
                    "recall": _rate(given.count(label), sum(gold == label for gold, _ in labels)),
                }
            )
    return table_rows


def _rate(part: int, total: int) -> float | None:
    return part / total if total else None


def _tables(outcome: AgreementFigures) -> list[Table]:
    rates = {name: value for name, value in outcome.items() if not isinstance(value, dict)}
    for label in DECIDED:
        rates |= {f"{label}: precision": outcome["precision"][label], f"{label}: recall": outcome["recall"][label]}
    confusion = {
        f"given {label}": {gold: given[label] for gold, given in outcome["confusion"].items()} for label in LABELS
    }
    return [table("Agreement with the gold labels", {"": rates}), table("Gold label and given label", confusion)]


def _threshold_table(rows: Sequence[dict[str, Any]]) -> Table:
    shown = Table("", *(f"{label}: {name}" for label in DECIDED for name in ("given", "precision", "recall")))
    shown.title, shown.title_justify = "A label counts from this probability on", "left"
    for least in THRESHOLDS:
        figures_of = [row for row in rows if row["threshold"] == least]
        shown.add_row(
            f"{least:g}", *(figure(row[name]) for row in figures_of for name in ("given", "precision", "recall"))
        )
    return shown


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
@click.option(
    "--thresholds",
    "as_thresholds",
    is_flag=True,
    help="Show what a judge (--set nli=DIR) comes to with each threshold, to choose one for its errata.json.",
)
@limit_option
@model_options
@json_option
def main(
    source: Path,
    limit: int | None,
    split: Split,
    asked: str,
    as_thresholds: bool,
    more: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Measure how well claims are judged by given evidence, against gold labels.

    INPUT has a JSON row per line with `claim`, `evidence` and `label`, or is a FoolMeTwice file. Without a model or a
    judge, rules judge.
    """
    rows, context = read(source, read_rows, source, split, limit), make_context(options, (), more)
    if as_thresholds:
        if not context.nli:
            raise ConfigurationError("--thresholds are a judge's: name it with --set nli=DIR")
        found = thresholds(rows, load_judge(context.nli, context.nli_labels))
        put(found, as_json, _threshold_table(found))
        return
    outcome = asyncio.run(measure(rows, context, asked))
    put(outcome, as_json, *_tables(outcome))
