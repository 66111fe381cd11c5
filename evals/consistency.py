"""How well consistency tells right answers from wrong ones, and what editing below a threshold does for accuracy.

Run it as `python -m errata.evals.consistency --data hotpot_dev_v1_simplified.json --limit 20`. Every chain of
thought is verified and edited once, whatever its consistency; what any threshold would have done follows from that.
"""

import asyncio
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typing_extensions import TypedDict

from ..apps.program import carry_out
from ..apps.settings import make_context
from ..apps.terminal import console, exact, say, tell
from ..graphs import verify_and_edit
from ..state import Context
from ..state.answers import LABELS, exact_match
from ..state.errors import ConfigurationError, ErrataError
from ..state.verification import VerifyInput
from .calibrator import Calibrator, features
from .lines import json_lines
from .pictures import accuracy_by_threshold, density

EVERYTHING = 1_000.0
"""A threshold above any consistency, so that every chain of thought is verified."""


class Row(TypedDict):
    """A question with its right answers, or a claim with its label."""

    question: str
    gold: list[str]
    claim: bool
    paragraphs: list[str]


class Item(TypedDict):
    """What became of a row."""

    consistency: float
    logprob: float | None
    """Mean log-probability of the chain of thought that was kept."""
    before: bool
    """Whether the answer of the samples is right (CoT-SC)."""
    after: bool
    """Whether the answer of the edited chain of thought is."""
    rationale: str
    paragraphs: list[str]


class Figures(TypedDict):
    """Rates are from 0 to 1, areas from 0 to 100. None where there is nothing to measure."""

    n: int
    failed: int
    """Rows that no figure counts, because a model or a tool failed."""
    accuracy_samples: float | None
    """Nothing is edited: CoT-SC."""
    accuracy_default: float | None
    """What is below the default threshold is edited: Verify-and-Edit."""
    accuracy_edited: float | None
    """All is edited."""
    edited_default: float | None
    """The share that is below the default threshold."""
    consistency_right: float | None
    """Mean consistency of right answers of the samples; and of wrong ones."""
    consistency_wrong: float | None
    auc_samples: float | None
    """Area under accuracy over coverage, by probability, or by consistency where that is not known."""
    auc_default: float | None
    auc_calibrator: float | None
    """The same for odd rows, ranked by a calibrator that learned from even ones; with paragraphs only."""
    auc_uncalibrated: float | None
    """For these odd rows, without it."""


def read_rows(path: Path, limit: int | None = None) -> list[Row]:
    """The first rows of a JSON list or of JSON lines.

    A row has `question` and `answer` (one, or a list), or `claim` and `label`; and maybe `paragraphs`, or a `context`
    as HotpotQA gives it.

    Raises:
        ValueError: If a row lacks them.
    """
    text = path.read_text(encoding="utf-8")
    rows = json.loads(text) if text.lstrip().startswith("[") else [row for _, row in json_lines(text)]
    return [_row(number, row) for number, row in enumerate(rows[:limit], start=1)]


def _row(number: int, row: Any) -> Row:
    try:
        claim = "claim" in row
        gold = row["label"] if claim else row["answer"]
        told = row.get("paragraphs") or [f"{title}. {' '.join(said)}" for title, said in row.get("context", [])]
        if claim and gold not in LABELS:
            raise ValueError(f"`{gold}` is no label")
        return Row(
            question=row["claim"] if claim else row["question"],
            gold=[str(each) for each in gold] if isinstance(gold, list) else [str(gold)],
            claim=claim,
            paragraphs=told,
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"row {number} is neither a question with its answer nor a claim: {error!r}") from error


async def measure(rows: Sequence[Row], settings: dict[str, Any], at_once: int = 4) -> tuple[list[Item], int]:
    """Run every row. Returns what became of them, and how many failed.

    Args:
        settings: Fields of the Context.
    """
    turns = asyncio.Semaphore(at_once)

    async def one(row: Row) -> Item | None:
        async with turns:
            return await _item(row, settings)

    items = await asyncio.gather(*(one(row) for row in rows))
    kept = [item for item in items if item]
    return kept, len(items) - len(kept)


async def _item(row: Row, settings: dict[str, Any]) -> Item | None:
    context = Context(**{**settings, "claim": row["claim"], "consistency_threshold": EVERYTHING})
    given: VerifyInput = {"question": row["question"], "paragraphs": row["paragraphs"]}
    result = await verify_and_edit.graph.ainvoke(given, context=context)
    if result["stopped"] == "error" or result["consistency"] is None:
        return None
    kept = next(path for path in result["paths"] if path["text"] == result["original"])
    return Item(
        consistency=result["consistency"],
        logprob=kept["logprob"],
        before=exact_match(result["original_answer"], row["gold"]),
        after=exact_match(result["answer"], row["gold"]),
        rationale=result["original"],
        paragraphs=row["paragraphs"],
    )


def figures(items: Sequence[Item], samples: int, failed: int = 0) -> Figures:
    """All figures from what became of the rows."""
    threshold = math.ceil(samples / 2)
    ranks = [_confidence(item) for item in items]
    below = [item["consistency"] < threshold for item in items]
    default = at_threshold(items, threshold)
    calibrated, uncalibrated = _calibrated(items)
    return Figures(
        n=len(items),
        failed=failed,
        accuracy_samples=_mean([item["before"] for item in items]),
        accuracy_default=_mean(default),
        accuracy_edited=_mean([item["after"] for item in items]),
        edited_default=_mean(below),
        consistency_right=_mean([item["consistency"] for item in items if item["before"]]),
        consistency_wrong=_mean([item["consistency"] for item in items if not item["before"]]),
        auc_samples=coverage_auc(ranks, [item["before"] for item in items]),
        auc_default=coverage_auc(ranks, default),
        auc_calibrator=calibrated,
        auc_uncalibrated=uncalibrated,
    )


def at_threshold(items: Sequence[Item], threshold: float) -> list[bool]:
    """Which answers are right if chains of thought with a consistency strictly below the threshold are edited."""
    return [item["after"] if item["consistency"] < threshold else item["before"] for item in items]


def coverage_auc(confidences: Sequence[float], right: Sequence[bool]) -> float | None:
    """The area under accuracy over coverage (the paper's AUC, which is none under a ROC curve), from 0 to 100.

    Sort by confidence, the surest first, and average the accuracy of every prefix. None for no answers.
    """
    order = sorted(range(len(right)), key=lambda place: -confidences[place])
    hits, accuracies = 0, []
    for count, place in enumerate(order, start=1):
        hits += right[place]
        accuracies.append(hits / count)
    return 100 * sum(accuracies) / len(accuracies) if accuracies else None


def _calibrated(items: Sequence[Item]) -> tuple[float | None, float | None]:
    """The area for the odd rows, ranked by a calibrator that learned from the even ones; and as they were ranked."""
    known = [item for item in items if item["paragraphs"] and item["logprob"] is not None]
    given = [features(item["rationale"], item["logprob"] or 0.0, item["paragraphs"]) for item in known]
    right = [item["before"] for item in known]
    if len(set(right[::2])) < 2 or not right[1::2]:
        return None, None
    confidences = Calibrator().fit(given[::2], right[::2]).confidences(given[1::2])
    plain = [_confidence(item) for item in known[1::2]]
    return coverage_auc(confidences, right[1::2]), coverage_auc(plain, right[1::2])


def _confidence(item: Item) -> float:
    return item["consistency"] if item["logprob"] is None else item["logprob"]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def draw(items: Sequence[Item], samples: int, folder: Path) -> list[Path]:
    """Write the two pictures into a folder, and return where they are.

    Raises:
        ErrataError: If it cannot be written.
    """
    right = [item["consistency"] for item in items if item["before"]]
    wrong = [item["consistency"] for item in items if not item["before"]]
    most = samples + 1  # above the number of samples all is edited
    steps = [most * step / 60 for step in range(61)]
    edited = [(step, _mean(at_threshold(items, step)) or 0.0) for step in steps]
    plain = _mean([item["before"] for item in items]) or 0.0
    pictures = {
        "density.svg": density(right, wrong, samples),
        "threshold.svg": accuracy_by_threshold(edited, most, math.ceil(samples / 2), plain),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, picture in pictures.items():
            (folder / name).write_text(picture, encoding="utf-8")
    except OSError as error:
        raise ErrataError(f"{folder}: {error.strerror or error}") from None
    return [folder / name for name in pictures]


def show(found: Figures, console: Console) -> None:
    """The figures, for people."""
    table = Table(title="Consistency", show_header=False)
    for name, value in found.items():
        shown = "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
        table.add_row(name, shown)
    console.print(table)


@click.command()
@click.option("--data", type=click.Path(path_type=Path), required=True, help="A JSON list, or JSON lines.")
@click.option("--limit", type=click.IntRange(min=1), help="Take the first rows only.")
@click.option("--model", default="embedded", show_default=True, help="The chat model.")
@click.option("--base-url", help="An OpenAI-compatible server.")
@click.option("--search", help="Where evidence comes from; `dataset` for rows with paragraphs, else local.")
@click.option("--samples", type=click.IntRange(1, 100), default=5, show_default=True)
@click.option("--consistency", type=click.Choice(["count", "probability"]), default="count", show_default=True)
@click.option("--at-once", type=click.IntRange(min=1), default=1, show_default=True, help="Rows at the same time.")
@click.option("--timeout", type=float, default=600.0, show_default=True, help="Seconds for a request to the model.")
@click.option("--pictures", type=click.Path(path_type=Path), help="Write density.svg and threshold.svg here.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
def main(
    data: Path, limit: int | None, pictures: Path | None, at_once: int, as_json: bool, search: str | None, **given: Any
) -> None:
    """Measure consistency, and editing below each threshold, on questions with known answers."""
    try:
        rows = read_rows(data, limit)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"cannot read {data}: {error}") from None
    given["search"] = search or ("dataset" if rows and all(row["paragraphs"] for row in rows) else "local")
    make_context(given, (), ())  # which says what is wrong with them before the first row
    items, failed = asyncio.run(measure(rows, given, at_once))
    found = figures(items, given["samples"], failed)
    written = draw(items, given["samples"], pictures) if pictures else []
    if as_json:
        say(exact(found))
    else:
        show(found, console())
    for path in written:
        tell(Text(f"Picture: {path}"))


if __name__ == "__main__":
    carry_out(main)
