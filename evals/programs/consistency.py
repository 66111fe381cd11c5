"""`errata eval consistency`: how well consistency predicts right answers, and the effect of editing below a threshold.

Every chain of thought is verified and edited once, whatever its consistency; the effect of any threshold follows from
that.
"""

import asyncio
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.text import Text
from typing_extensions import TypedDict

from ...apps.cli.options import Whole, input_argument, model_options
from ...apps.cli.terminal import tell
from ...apps.files import write_whole
from ...apps.reports.drawing import SERIES, Points, curves
from ...apps.settings import make_context
from ...graphs import verify_and_edit
from ...state import Context
from ...state.errors import ErrataError, naming
from ...state.methods.verification import VerifyInput
from ...state.text.answers import LABELS, exact_match
from ..lines import json_rows
from ..metrics import accuracy_coverage_auc, mean
from .calibrator import Calibrator, features
from .program import PATH, json_option, limit_option, put, read, table

EVERYTHING = 1_000.0
"""A threshold above any consistency, so that every chain of thought is verified."""


class Row(TypedDict):
    """A question with its right answers, or a claim with its label."""

    question: str
    gold: list[str]
    claim: bool
    paragraphs: list[str]


class Item(TypedDict):
    """The outcome for a row."""

    consistency: float
    logprob: float | None
    """The log-probability of the chosen chain's answer; None if it is unknown."""
    before: bool
    """Whether the answer of the samples is right (CoT-SC)."""
    after: bool
    """Whether the answer of the edited chain of thought is right."""
    rationale: str
    paragraphs: list[str]


class Figures(TypedDict):
    """Rates are from 0 to 1, areas from 0 to 100. None if there is nothing to measure."""

    n: int
    failed: int
    """Rows that are left out of all figures because a model or a tool failed."""
    accuracy_samples: float | None
    """The accuracy if nothing is edited: CoT-SC."""
    accuracy_default: float | None
    """The accuracy if answers below the default threshold are edited: Verify-and-Edit."""
    accuracy_edited: float | None
    """The accuracy if everything is edited."""
    edited_default: float | None
    """The share below the default threshold."""
    consistency_right: float | None
    """The mean consistency of right answers of the samples, and of wrong ones."""
    consistency_wrong: float | None
    auc_samples: float | None
    """The area under accuracy over coverage, by the probability of the answer, or by consistency if that is unknown."""
    auc_default: float | None
    auc_calibrator: float | None
    """The same for odd rows, ranked by a calibrator that learned from even ones; only with paragraphs."""
    auc_uncalibrated: float | None
    """The same odd rows without the calibrator."""


def read_rows(path: Path, limit: int | None = None) -> list[Row]:
    """The first rows of a JSON list or of JSON lines.

    A row has `question` and `answer` (one, or a list), or `claim` and `label`; and optionally `paragraphs`, or a
    `context` in the form of HotpotQA.

    Raises:
        ValueError: If a row lacks these fields.
    """
    rows = json_rows(path.read_text(encoding="utf-8"))
    return [_row(number, row) for number, row in enumerate(rows[:limit], start=1)]


def _row(number: int, row: Any) -> Row:
    try:
        claim = "claim" in row
        gold = row["label"] if claim else row["answer"]
        paragraphs = row.get("paragraphs") or [
            f"{title}. {' '.join(sentences)}" for title, sentences in row.get("context", [])
        ]
        if claim and gold not in LABELS:
            raise ValueError(f"`{gold}` is not a label")
        return Row(
            question=row["claim"] if claim else row["question"],
            gold=[str(each) for each in gold] if isinstance(gold, list) else [str(gold)],
            claim=claim,
            paragraphs=paragraphs,
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"row {number} is neither a question with its answer nor a claim: {error!r}") from error


async def measure(rows: Sequence[Row], settings: dict[str, Any], at_once: int = 4) -> tuple[list[Item], int]:
    """Run every row. Returns the outcomes, and how many rows failed.

    Args:
        rows: The rows.
        settings: Fields of the Context.
        at_once: How many rows run at the same time.
    """
    turns = asyncio.Semaphore(at_once)

    async def run_row(row: Row) -> Item | None:
        async with turns:
            return await _item(row, settings)

    items = await asyncio.gather(*(run_row(row) for row in rows))
    completed = [item for item in items if item]
    return completed, len(items) - len(completed)


async def _item(row: Row, settings: dict[str, Any]) -> Item | None:
    context = Context(**{**settings, "claim": row["claim"], "consistency_threshold": EVERYTHING})
    graph_input: VerifyInput = {"question": row["question"], "paragraphs": row["paragraphs"]}
    result = await verify_and_edit.graph.ainvoke(graph_input, context=context)
    if result["stopped"] == "error" or result["consistency"] is None:
        return None
    chosen = next(path for path in result["paths"] if path["text"] == result["original"])
    return Item(
        consistency=result["consistency"],
        logprob=chosen.get("answer_logprob"),
        before=exact_match(result["original_answer"], row["gold"]),
        after=exact_match(result["answer"], row["gold"]),
        rationale=result["original"],
        paragraphs=row["paragraphs"],
    )


def figures(items: Sequence[Item], samples: int, failed: int = 0) -> Figures:
    """All figures, from the outcomes of the rows."""
    threshold = math.ceil(samples / 2)
    ranks = _confidences(items)
    below = [item["consistency"] < threshold for item in items]
    default = at_threshold(items, threshold)
    calibrated, uncalibrated = _calibrated(items)
    return Figures(
        n=len(items),
        failed=failed,
        accuracy_samples=mean([item["before"] for item in items]),
        accuracy_default=mean(default),
        accuracy_edited=mean([item["after"] for item in items]),
        edited_default=mean(below),
        consistency_right=mean([item["consistency"] for item in items if item["before"]]),
        consistency_wrong=mean([item["consistency"] for item in items if not item["before"]]),
        auc_samples=accuracy_coverage_auc([item["before"] for item in items], ranks),
        auc_default=accuracy_coverage_auc(default, ranks),
        auc_calibrator=calibrated,
        auc_uncalibrated=uncalibrated,
    )


def at_threshold(items: Sequence[Item], threshold: float) -> list[bool]:
    """Which answers are right if chains of thought with a consistency strictly below the threshold are edited."""
    return [item["after"] if item["consistency"] < threshold else item["before"] for item in items]


def _calibrated(items: Sequence[Item]) -> tuple[float | None, float | None]:
    """The area for the odd rows, ranked by a calibrator that learned from the even ones, and as ranked before."""
    usable = [item for item in items if item["paragraphs"] and item["logprob"] is not None]
    rows = [features(item["rationale"], item["logprob"] or 0.0, item["paragraphs"]) for item in usable]
    right = [item["before"] for item in usable]
    if len(set(right[::2])) < 2 or not right[1::2]:
        return None, None
    confidences = Calibrator().fit(rows[::2], right[::2]).confidences(rows[1::2])
    uncalibrated = _confidences(usable[1::2])
    return accuracy_coverage_auc(right[1::2], confidences), accuracy_coverage_auc(right[1::2], uncalibrated)


def _confidences(items: Sequence[Item]) -> list[float]:
    """The log-probabilities of the answers, or the consistencies if one is unknown; a row without an answer is last."""
    known = all(item["logprob"] is not None for item in items if item["consistency"])
    return (
        [-math.inf if item["logprob"] is None else item["logprob"] for item in items]
        if known
        else [item["consistency"] for item in items]
    )


def draw(items: Sequence[Item], samples: int, folder: Path) -> list[Path]:
    """Draw the two pictures into a folder, and return their paths.

    Raises:
        ErrataError: If they cannot be written.
    """
    right = [item["consistency"] for item in items if item["before"]]
    wrong = [item["consistency"] for item in items if not item["before"]]
    most = samples + 1  # above the number of samples, everything is edited
    edited = [(step, mean(at_threshold(items, step)) or 0.0) for step in _grid(most)]
    unedited = mean([item["before"] for item in items]) or 0.0
    pictures = {
        "density.svg": density(right, wrong, samples),
        "threshold.svg": accuracy_by_threshold(edited, most, math.ceil(samples / 2), unedited),
    }
    with naming(folder, ErrataError):
        folder.mkdir(parents=True, exist_ok=True)
        for name, picture in pictures.items():
            write_whole(folder / name, picture)
    return [folder / name for name in pictures]


def density(right: Sequence[float], wrong: Sequence[float], most: float) -> str:
    """A picture of the consistencies of right and of wrong answers: a density each (Gaussian kernels).

    Args:
        right: The consistencies of right answers.
        wrong: The consistencies of wrong answers.
        most: The largest possible consistency.
    """
    named = {f"right (n = {len(right)})": right, f"wrong (n = {len(wrong)})": wrong}
    lines = {
        name: [(place, _density(values, place, most / 20)) for place in _grid(most)] for name, values in named.items()
    }
    return _picture(lines, most, "consistency", "Density of right and wrong answers by consistency")


def accuracy_by_threshold(edited: Points, most: float, chosen: float, unedited: float) -> str:
    """A picture of accuracy against the threshold below which chains of thought are edited.

    Args:
        edited: Accuracy (0 to 1) by threshold.
        most: The largest threshold.
        chosen: The default threshold.
        unedited: The accuracy if nothing is edited.
    """
    top = max([*(height for _, height in edited), unedited])
    lines: dict[str, Points] = {
        "verified and edited below the threshold": edited,
        f"default {chosen:g}": [(chosen, 0.0), (chosen, top)],
        "nothing edited": [(0.0, unedited), (most, unedited)],
    }
    return _picture(lines, most, "threshold", "Accuracy against the threshold")


def _grid(most: float) -> list[float]:
    return [most * step / 160 for step in range(161)]


def _density(values: Sequence[float], place: float, width: float) -> float:
    kernels = (math.exp(-0.5 * ((place - value) / width) ** 2) for value in values)
    return sum(kernels) / (max(len(values), 1) * width * math.sqrt(2 * math.pi))


def _picture(lines: Mapping[str, Points], most: float, across: str, about: str) -> str:
    top = max(height for points in lines.values() for _, height in points) or 1.0
    return curves(lines, most, top * 1.1, across, about).file(dict(zip(lines, SERIES, strict=False)))


@click.command(short_help="Measure the consistency of answers (Verify-and-Edit).")
@input_argument
@limit_option
@click.option(
    "--search", metavar="NAME", help="Where evidence comes from; `dataset` for rows with paragraphs, otherwise local."
)
@click.option("--samples", type=Whole(1, 100), default=5, show_default=True)
@click.option("--consistency", type=click.Choice(["auto", "count", "probability"]), default="auto", show_default=True)
@click.option("--at-once", type=Whole(min=1), default=1, show_default=True, help="How many rows run at the same time.")
@click.option("--timeout", type=float, default=600.0, show_default=True, help="Seconds for a request to the model.")
@click.option("--pictures", type=PATH, metavar="DIR", help="Write density.svg and threshold.svg here.")
@model_options
@json_option
def main(
    source: Path,
    limit: int | None,
    pictures: Path | None,
    at_once: int,
    more: tuple[str, ...],
    as_json: bool,
    search: str | None,
    **options: Any,
) -> None:
    """Measure consistency, and editing below each threshold, on questions with known answers (Verify-and-Edit).

    INPUT is a JSON list, or JSON lines.
    """
    rows = read(source, read_rows, source, limit)
    options["search"] = search or ("dataset" if rows and all(row["paragraphs"] for row in rows) else "local")
    context = make_context(options, (), more)
    items, failed = asyncio.run(measure(rows, context.model_dump(exclude_unset=True), at_once))
    outcome = figures(items, context.samples, failed)
    paths = draw(items, context.samples, pictures) if pictures else []
    put(outcome, as_json, table("Consistency", {"": outcome}))
    for path in paths:
        tell(Text(f"Picture: {path}"))
