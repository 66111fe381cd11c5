"""Measure how well a toxicity scorer agrees with Perspective's scores in RealToxicityPrompts.

Run it as `python -m errata.evals.toxicity --data toxicity/val.jsonl`.
"""

import asyncio
import time
from itertools import islice
from pathlib import Path
from statistics import StatisticsError, correlation

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typing_extensions import TypedDict

from ..apps.program import carry_out
from ..apps.terminal import console, exact, say
from ..state.errors import ConfigurationError
from ..tools.toxicity import ToxicityTool, toxicity_tool
from .lines import json_lines

TOXIC = 0.5
"""From here on a score calls a text toxic."""


class Passage(TypedDict):
    """A text, and what Perspective said of it."""

    text: str
    gold: float


class Figures(TypedDict):
    """How well scores agree with Perspective's. A rate with nothing to count is None."""

    n: int
    toxic: int
    """Texts that Perspective calls toxic."""
    pearson: float | None
    auc: float | None
    """How likely a toxic text scores above one that is not."""
    accuracy: float | None
    precision: float | None
    recall: float | None
    """These three with a score of 0.5 or more taken for toxic."""


class Report(TypedDict):
    scorer: str
    measures: str
    parts: dict[str, Figures]
    texts_per_second: float


def read_passages(path: Path, limit: int | None = None) -> dict[str, list[Passage]]:
    """Prompts and continuations of the first rows that Perspective has scored. Raises ValueError on a bad line."""
    found: dict[str, list[Passage]] = {"prompt": [], "continuation": []}
    for number, row in islice(json_lines(path.read_text(encoding="utf-8")), limit):
        try:
            for part, passages in found.items():
                if row[part]["toxicity"] is not None:
                    passages.append(Passage(text=row[part]["text"], gold=float(row[part]["toxicity"])))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"line {number} is not a row of RealToxicityPrompts: {error!r}") from error
    return found


async def measure(parts: dict[str, list[Passage]], scorer: ToxicityTool) -> Report:
    """Score every passage and compare."""
    texts = [passage["text"] for passages in parts.values() for passage in passages]
    await scorer.score("Load the model before the clock runs.")
    begun = time.perf_counter()
    scores = [found["overall"] for found in await scorer.score_all(texts)]
    seconds = time.perf_counter() - begun
    gold = {part: [passage["gold"] for passage in passages] for part, passages in parts.items()}
    rest = iter(scores)
    given = {part: [next(rest) for _ in values] for part, values in gold.items()}
    every = [value for values in gold.values() for value in values]
    return Report(
        scorer=scorer.name,
        measures=scorer.measures,
        parts={"both": figures(every, scores), **{part: figures(gold[part], given[part]) for part in parts}},
        texts_per_second=len(texts) / seconds,
    )


def figures(gold: list[float], given: list[float]) -> Figures:
    """All figures from Perspective's scores and the given ones."""
    toxic = [value >= TOXIC for value in gold]
    called = [value >= TOXIC for value in given]
    right = sum(is_toxic and is_called for is_toxic, is_called in zip(toxic, called, strict=True))
    try:
        pearson = correlation(gold, given)
    except StatisticsError:  # too few, or all the same
        pearson = None
    return Figures(
        n=len(gold),
        toxic=sum(toxic),
        pearson=pearson,
        auc=auc(toxic, given),
        accuracy=_rate(sum(a == b for a, b in zip(toxic, called, strict=True)), len(gold)),
        precision=_rate(right, sum(called)),
        recall=_rate(right, sum(toxic)),
    )


def auc(toxic: list[bool], given: list[float]) -> float | None:
    """Area under the ROC curve: the share of pairs, one toxic and one not, that are in order; a tie is half a pair."""
    low = sorted(score for score, is_toxic in zip(given, toxic, strict=True) if not is_toxic)
    high = sorted(score for score, is_toxic in zip(given, toxic, strict=True) if is_toxic)
    below = ties_or_below = ordered = 0
    for score in high:
        while below < len(low) and low[below] < score:
            below += 1
        while ties_or_below < len(low) and low[ties_or_below] <= score:
            ties_or_below += 1
        ordered += below + ties_or_below
    return _rate(ordered, 2 * len(low) * len(high))


def _rate(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def show(report: Report, console: Console) -> None:
    """The figures, for people."""
    table = Table("", *report["parts"], title=f"{report['scorer']} against Perspective")
    for name in Figures.__annotations__:
        table.add_row(name, *(_readable(dict(found)[name]) for found in report["parts"].values()))
    console.print(table)
    console.print(Text(f"{report['texts_per_second']:,.0f} texts per second. {report['measures']}"))


def _readable(figure: object) -> str:
    if figure is None:
        return "-"
    return f"{figure:.3f}" if isinstance(figure, float) else str(figure)


@click.command()
@click.option("--data", type=click.Path(path_type=Path), required=True, help="A RealToxicityPrompts file, JSON lines.")
@click.option("--limit", type=click.IntRange(min=1), help="Take the first rows only.")
@click.option("--scorer", default="profanity", show_default=True, help="Name of the scorer.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
def main(data: Path, limit: int | None, scorer: str, as_json: bool) -> None:
    """Measure a toxicity scorer against Perspective."""
    try:
        report = asyncio.run(measure(read_passages(data, limit), toxicity_tool(scorer)))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"cannot read {data}: {error}") from None
    if as_json:
        say(exact(report))
    else:
        show(report, console())


if __name__ == "__main__":
    carry_out(main)
