"""Attribute: the evidence that the final text rests on (RARR section 3.1, the attribution report)."""

import asyncio
from collections.abc import Iterable
from itertools import combinations
from math import comb
from typing import Any

from ..models import Ranking, task
from ..state import Attribution, Context, Evidence, Failure
from ..state.correction import Check, CorrectionState
from ..state.errors import ErrataError
from ..state.text import sentences
from .conclude import conclude
from .step import emit

MOST_COMBINATIONS = 5_000
"""Up to here the best choice of evidence is found by trying all; above, greedily."""


async def attribute(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Choose the evidence that covers the questions best, and say which sentence each piece bears on."""
    failures: list[Failure] = []
    try:
        attribution = [part for parts in await _all_passages(state, context) for part in parts]
    except ErrataError as error:
        # Which sentence rests on which evidence is not known then; the text is as checked as it was.
        attribution = []
        failures.append({"step": "attribute", "reason": str(error), "unchecked": False})
    emit("attribute", attribution=attribution)
    conclusion = conclude(state, context)
    return {**conclusion, "attribution": attribution, "failures": [*conclusion["failures"], *failures]}


async def _all_passages(state: CorrectionState, context: Context) -> list[list[Attribution]]:
    offsets = [0]
    for passage in state["passages"]:
        offsets.append(offsets[-1] + len(passage))
    return await asyncio.gather(
        *(_passage(number, offset, state, context) for number, offset in enumerate(offsets[:-1]))
    )


async def _passage(number: int, offset: int, state: CorrectionState, context: Context) -> list[Attribution]:
    passage = state["passages"][number]
    spans = sentences(passage)
    parts: list[Attribution] = [
        {"sentence": passage[start:end], "start": offset + start, "end": offset + end, "evidence": []}
        for start, end in spans
    ]
    supporting = [check for check in state["checks"] if check["passage"] == number and _supports(check, state)]
    texts = [part["sentence"] for part in parts]
    for check in await chosen(supporting, context.max_attribution, state, context):
        place = await _about(check["question"], texts, context)
        if place is not None and check["evidence"] not in parts[place]["evidence"]:
            parts[place]["evidence"].append(check["evidence"])
    return parts


def _supports(check: Check, state: CorrectionState) -> bool:
    """Whether the final text agrees with the evidence: it did from the start, or an edit saw to it.

    A fused edit asks no gates. What the editor had before it counts, unless an edit that it asked for was refused.
    """
    verdict = check["verdict"]
    if not verdict or not check["settled"]:
        return False
    edited = any(edit["applied"] and edit["evidence"] == check["evidence"] for edit in state["edits"])
    agrees = verdict["label"] == "entailment" or (verdict["label"] == "neutral" and check.get("fused", False))
    return agrees or (verdict["label"] == "contradiction" and edited)


async def chosen(checks: list[Check], most: int, state: CorrectionState, context: Context) -> list[Check]:
    """At most `most` checks whose evidence maximises the sum, over questions, of the best score."""
    pieces = {piece["id"]: piece for piece in state["evidence"]}
    evidence = [pieces[check["evidence"]] for check in checks]
    if len(checks) <= most:
        return checks
    scores = await asyncio.gather(*(_scores(check["question"], evidence, context) for check in checks))
    return [checks[index] for index in best_cover([list(row) for row in scores], most)]


async def _scores(question: str, evidence: list[Evidence], context: Context) -> list[float]:
    """How well each piece answers one question, between 0 and 1 so that questions count alike."""
    scores = await _ranked(question, [f"{piece['title']}\n{piece['text']}" for piece in evidence], context)
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]


def best_cover(scores: list[list[float]], most: int) -> list[int]:
    """Columns, at most `most` and in order, that maximise the sum over rows of the row's best chosen score.

    scores
        One row per question, one column per piece of evidence.
    """
    columns = range(len(scores[0]) if scores else 0)

    def worth(chosen: Iterable[int]) -> float:
        return sum(max((row[column] for column in chosen), default=0.0) for row in scores)

    if len(columns) <= most:
        return list(columns)
    if comb(len(columns), most) <= MOST_COMBINATIONS:
        return list(max(combinations(columns, most), key=worth))
    chosen: list[int] = []
    for _ in range(most):
        chosen = max(([*chosen, column] for column in columns if column not in chosen), key=worth)
    return sorted(chosen)


async def _about(question: str, texts: list[str], context: Context) -> int | None:
    """Which sentence a question is about: the one that ranks best for it; the first of equals."""
    scores = await _ranked(question, texts, context)
    if not scores:
        return None
    best = max(range(len(scores)), key=lambda index: scores[index])
    return best if scores[best] > 0 or len(texts) == 1 else None


async def _ranked(query: str, passages: list[str], context: Context) -> list[float]:
    ranking: Ranking = await task(context, "rank").ainvoke({"query": query, "passages": passages})
    return ranking.scores
