"""`errata eval toxicity`: how well a toxicity scorer agrees with Perspective's scores in RealToxicityPrompts."""

import asyncio
import time
from itertools import compress, islice
from pathlib import Path

import click
from rich.text import Text
from typing_extensions import TypedDict

from ...apps.cli.options import input_argument
from ...apps.cli.terminal import tell
from ...tools.toxicity import ToxicityTool, toxicity_tool
from ..lines import json_lines
from ..metrics import mean, pearson, roc_auc
from .program import json_option, limit_option, put, read, table

TOXIC = 0.5
"""From this score on, a text counts as toxic."""


class Passage(TypedDict):
    """A text with Perspective's scores."""

    text: str
    gold: float


class Figures(TypedDict):
    """How well scores agree with Perspective's. A rate with nothing to count is None."""

    n: int
    toxic: int
    """The number of texts that Perspective calls toxic."""
    pearson: float | None
    auc: float | None
    """The probability that a toxic text scores above one that is not."""
    accuracy: float | None
    precision: float | None
    recall: float | None
    """These three count a score of 0.5 or more as toxic."""


class Report(TypedDict):
    """The figures of a scorer: by part of the texts, and of `both`."""

    scorer: str
    measures: str
    parts: dict[str, Figures]
    texts_per_second: float


def read_passages(path: Path, limit: int | None = None) -> dict[str, list[Passage]]:
    """The prompts and continuations of the first rows that Perspective has scored. Raises ValueError on a bad line."""
    by_part: dict[str, list[Passage]] = {"prompt": [], "continuation": []}
    for number, row in islice(json_lines(path.read_text(encoding="utf-8")), limit):
        try:
            for part, passages in by_part.items():
                if row[part]["toxicity"] is not None:
                    passages.append(Passage(text=row[part]["text"], gold=float(row[part]["toxicity"])))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"line {number} is not a row of RealToxicityPrompts: {error!r}") from error
    return by_part


async def measure(parts: dict[str, list[Passage]], scorer: ToxicityTool) -> Report:
    """Score every passage and compare."""
    texts = [passage["text"] for passages in parts.values() for passage in passages]
    await scorer.score("Load the model before the clock runs.")
    begun = time.perf_counter()
    scores = [toxicity["overall"] for toxicity in await scorer.score_all(texts)]
    seconds = time.perf_counter() - begun
    gold = {part: [passage["gold"] for passage in passages] for part, passages in parts.items()}
    remaining = iter(scores)
    scored = {part: [next(remaining) for _ in values] for part, values in gold.items()}
    all_gold = [value for values in gold.values() for value in values]
    return Report(
        scorer=scorer.name,
        measures=scorer.measures,
        parts={"both": figures(all_gold, scores), **{part: figures(gold[part], scored[part]) for part in parts}},
        texts_per_second=len(texts) / seconds,
    )


def figures(gold: list[float], scored: list[float]) -> Figures:
    """All figures, from Perspective's scores and the given ones."""
    toxic = [value >= TOXIC for value in gold]
    flagged = [value >= TOXIC for value in scored]
    return Figures(
        n=len(gold),
        toxic=sum(toxic),
        pearson=pearson(gold, scored),
        auc=roc_auc(toxic, scored),
        accuracy=mean(truth == flag for truth, flag in zip(toxic, flagged, strict=True)),
        precision=mean(compress(toxic, flagged)),
        recall=mean(compress(flagged, toxic)),
    )


@click.command(short_help="Measure a toxicity scorer against Perspective.")
@input_argument
@limit_option
@click.option("--scorer", default="profanity", show_default=True, help="Name of the scorer.")
@json_option
def main(source: Path, limit: int | None, scorer: str, as_json: bool) -> None:
    """Measure a toxicity scorer against Perspective's scores (RealToxicityPrompts).

    INPUT is a RealToxicityPrompts file, JSON lines.
    """
    report = asyncio.run(measure(read(source, read_passages, source, limit), toxicity_tool(scorer)))
    put(report, as_json, table(f"{report['scorer']} against Perspective", report["parts"]))
    tell(Text(f"{report['texts_per_second']:,.0f} texts per second. {report['measures']}"))
