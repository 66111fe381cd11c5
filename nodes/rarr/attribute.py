"""Attribution: the evidence that the final text rests on (RARR section 3.1, the attribution report)."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import Any

from ...models import task
from ...models.rules.language.clauses import spelled_out
from ...models.tasks.correction import RANK
from ...state import Attribution, Context, Evidence, Failure, SentenceStatus, Unresolved
from ...state.errors import RunError
from ...state.methods.correction import Check, CorrectionState
from ...state.outcomes import changed, check_status, combined, credit_answer, status_of
from ...state.text.segments import Span, sentences
from ..cite import credit
from ..facts import bear_out
from ..step import emit
from .conclude import conclude

MOST_COMBINATIONS = 5_000
"""Up to this many, all choices of evidence are tried; above it, the choice is greedy."""


async def attribute(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Choose the evidence that best covers the questions, and give each sentence its status."""
    failures: list[Failure] = []
    try:
        places = await _places(state, context)
        chosen_checks = await _all_chosen(state, context)
    except RunError as error:
        # It is then unknown which sentence rests on which evidence; the text is as checked as before.
        places, chosen_checks = {}, []
        failures.append({"step": "attribute", "reason": str(error), "unchecked": False})
    attribution, unresolved = _sentences(state, places, chosen_checks)
    credit(attribution, state["original"], state["edits"])
    credit_answer(attribution)
    emit("attribute", attribution=attribution)
    conclusion = conclude(state, context)
    return {
        **conclusion,
        "attribution": attribution,
        "unresolved": unresolved,
        "status": status_of(state["original"], state["text"], attribution, unresolved),
        "failures": [*conclusion["failures"], *failures],
    }


Places = dict[tuple[int, str], int | None]
"""The sentence of a passage that a question is about, by the passage's number and the question."""


async def _places(state: CorrectionState, context: Context) -> Places:
    texts = [spelled_out(passage) for passage in state["passages"]]
    pairs = list(dict.fromkeys((check["passage"], check["question"]) for check in state["checks"]))
    places = await asyncio.gather(*(_about(question, texts[passage], context) for passage, question in pairs))
    return dict(zip(pairs, places, strict=True))


async def _all_chosen(state: CorrectionState, context: Context) -> list[Check]:
    """The checks whose evidence is shown: for each passage, those that best cover its questions."""
    supporting = [check for check in state["checks"] if _supports(check, state)]
    of_passages = [
        [check for check in supporting if check["passage"] == passage] for passage in range(len(state["passages"]))
    ]
    best = await asyncio.gather(*(chosen(checks, context.max_attribution, state, context) for checks in of_passages))
    return [check for checks in best for check in checks]


@dataclass
class _Found:
    """What the checks of a sentence came to."""

    statuses: list[SentenceStatus] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    agreeing: list[Evidence] = field(default_factory=list)
    answered: dict[str, bool] = field(default_factory=dict)
    """Whether anything was found for each question."""

    def add(self, check: Check, status: SentenceStatus, piece: Evidence | None) -> None:
        """Count a check."""
        question = check["question"]
        self.answered[question] = self.answered.get(question, False) or status != "nothing found"
        if status != "corrected":  # the edits show what was corrected
            self.statuses.append(status)
        if status == "checked" and piece:
            self.agreeing.append(piece)

    def status(self, sentence: str, question: str) -> SentenceStatus:
        """The status of the sentence. It is checked only if what agrees has all of it: a question is about a part."""
        status, whole = combined(self.statuses), not all(self.answered.values())
        is_told = status != "checked" or bear_out(self.agreeing, sentence, question, whole=whole)
        return status if is_told else "nothing found"


def _sentences(
    state: CorrectionState, places: Places, chosen_checks: list[Check]
) -> tuple[list[Attribution], list[Unresolved]]:
    """The outcome for each sentence of the text, and the remaining contradictions."""
    parts: list[Attribution] = []
    unresolved: list[Unresolved] = []
    pieces = {piece["id"]: piece for piece in state["evidence"]}
    offset = 0
    for number, passage in enumerate(state["passages"]):
        spans = [(offset + start, offset + end) for start, end in sentences(passage)]
        found = [_Found() for _ in spans]
        for of_sentence, is_changed in zip(found, changed(state["original"], state["edits"], spans), strict=True):
            of_sentence.statuses += ["corrected"] if is_changed else []
            of_sentence.statuses += ["not checked"] if number in state.get("lost", ()) else []
        for check in state["checks"]:
            if check["passage"] != number:
                continue
            place, status = places.get((number, check["question"])), check_status(check)
            if status == "unresolved":
                place = _place_of_refused(check, state, spans, place)
                span = spans[place] if place is not None else (offset, offset + len(passage))
                unresolved.append(_unresolved(check, state["text"], span))
            if place is not None:
                found[place].add(check, status, pieces.get(check["evidence"]))
        for check in chosen_checks:
            place = places.get((number, check["question"])) if check["passage"] == number else None
            if place is not None and check["evidence"] not in found[place].evidence:
                found[place].evidence.append(check["evidence"])
        for (start, end), of_sentence in zip(spans, found, strict=True):
            sentence = state["text"][start:end]
            status = of_sentence.status(sentence, state["question"])
            part: Attribution = {
                "sentence": sentence, "start": start, "end": end, "evidence": of_sentence.evidence, "status": status
            }  # fmt: skip
            parts.append(part)
        offset += len(passage)
    return parts, unresolved


def _place_of_refused(check: Check, state: CorrectionState, spans: list[Span], place: int | None) -> int | None:
    """The sentence with the words of the refused edit, or otherwise the one that the question is about."""
    refused = [
        edit["before"] for edit in state["edits"] if not edit["applied"] and edit["evidence"] == check["evidence"]
    ]
    texts = [state["text"][slice(*span)] for span in spans]
    numbers = [number for number, text in enumerate(texts) if any(words and words in text for words in refused)]
    return numbers[0] if numbers and place not in numbers else place


def _unresolved(check: Check, text: str, span: Span) -> Unresolved:
    verdict = check["verdict"] or check.get("corrected")
    return {
        "sentence": text[slice(*span)],
        "start": span[0],
        "end": span[1],
        "question": check["question"],
        "evidence": check["evidence"],
        "reason": verdict["reason"] if verdict else "",
        "left": check.get("left") or "the run ended before it was edited",
    }


def _supports(check: Check, state: CorrectionState) -> bool:
    """Whether the final text agrees with the evidence, from the start or because of an edit.

    Without gates, all evidence that the editor had counts, unless an edit that cites it was refused.
    """
    verdict = check["verdict"]
    if not verdict or not check["settled"]:
        return False
    edited = any(edit["applied"] and edit["evidence"] == check["evidence"] for edit in state["edits"])
    agrees = verdict["label"] == "entailment" or (verdict["label"] == "neutral" and check.get("ungated", False))
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
    """How well each piece answers one question, scaled to 0 to 1 so that questions count equally."""
    scores = await _ranked(question, [f"{piece['title']}\n{piece['text']}" for piece in evidence], context)
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]


def best_cover(scores: list[list[float]], most: int) -> list[int]:
    """The columns, at most `most` and in order, that maximise the sum over rows of the best chosen score.

    Args:
        scores: One row per question, one column per piece of evidence.
        most: The most columns to choose.

    Returns:
        The numbers of the columns.
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
    """The sentence that a question is about: the one that ranks best for it; the first of equals."""
    scores = await _ranked(question, texts, context)
    if not scores:
        return None
    best = max(range(len(scores)), key=lambda index: scores[index])
    return best if scores[best] > 0 or len(texts) == 1 else None


async def _ranked(query: str, passages: list[str], context: Context) -> list[float]:
    ranking = await task(context, RANK).ainvoke({"query": query, "passages": passages})
    return ranking.scores
