"""Conclude: what became of each sentence of a chain of thought, and why the run stopped."""

from typing import Any

from ...models import backend
from ...models.tasks.verification import VERIFYING_ANSWER
from ...state import Attribution, Context, SentenceStatus, Stopped, Unresolved, Verdict, cites
from ...state.methods.verification import Sentence, VerifyState, is_sure, threshold
from ...state.outcomes import OF_LABEL, as_a_whole, status_of, tally
from ..budget import why_spent
from ..conclude import sums, why_unchecked
from ..quorum import judged
from .rationale import shift


async def conclude(state: VerifyState, context: Context) -> dict[str, Any]:
    """Say what became of the sentences, and why."""
    stopped, reason = _stop_reason(state, context)
    verdicts = [_verdict(sentence, context) for sentence in state["sentences"] if sentence["label"]]
    attribution = _attribution(state)
    unresolved = _unresolved(state, attribution)
    return {
        "verdicts": verdicts,
        **judged("sentences", verdicts, len(state["sentences"])),
        "attribution": attribution,
        "unresolved": unresolved,
        "status": status_of(state["original"], state["text"], attribution, unresolved),
        "stopped": stopped,
        "reason": reason,
        "usage": sums(state, context),
    }


def _verdict(sentence: Sentence, context: Context) -> Verdict:
    return {
        "question": sentence["question"] or sentence["before"],
        "label": sentence["label"] or "error",
        "reason": sentence["reason"],
        **cites(sentence["evidence"]),
        "backend": backend(context, VERIFYING_ANSWER).name if sentence["evidence"] else "",
    }


def _attribution(state: VerifyState) -> list[Attribution]:
    """Each sentence as it is now, with the evidence that it rests on; none is checked where the samples agreed."""
    sentences = state["sentences"]
    if not sentences:
        return as_a_whole(state["text"], state["text"], "not checked")
    parts: list[Attribution] = []
    for place, sentence in enumerate(sentences):
        start = sentence["start"] + shift(sentences[:place])
        rests = sentence["label"] == "entailment" or (sentence["verified"] and sentence["after"] != sentence["before"])
        parts.append(
            {
                "sentence": sentence["after"],
                "start": start,
                "end": start + len(sentence["after"]),
                "evidence": sentence["evidence"] if rests else [],
                "status": _status(sentence),
            }
        )
    return parts


def _status(sentence: Sentence) -> SentenceStatus:
    if sentence["after"] != sentence["before"]:
        return "corrected"
    if sentence["label"] == "contradiction":
        return "unresolved"
    return OF_LABEL.get(sentence["label"] or "", "not checked")


def _unresolved(state: VerifyState, parts: list[Attribution]) -> list[Unresolved]:
    """The sentences that evidence contradicts and that a person wants to stay."""
    return [
        {
            "sentence": part["sentence"],
            "start": part["start"],
            "end": part["end"],
            "question": sentence["question"],
            "evidence": sentence["evidence"][0] if sentence["evidence"] else "",
            "reason": sentence["reason"],
            "left": "a person rejected the correction",
        }
        for sentence, part in zip(state["sentences"], parts, strict=False)
        if part["status"] == "unresolved"
    ]


def _stop_reason(state: VerifyState, context: Context) -> tuple[Stopped, str]:
    stopped, outcome = _outcome(state, context)
    parts = [
        outcome,
        _gated(state, context),
        tally(map(_status, state["sentences"]), "sentence") if state["sentences"] else "",
    ]
    if context.consistency == "probability" != state["mode"]:
        parts.append("the model reports no probabilities, so samples were counted")
    return stopped, "; ".join(filter(None, parts))


def _outcome(state: VerifyState, context: Context) -> tuple[Stopped, str]:
    """Why the run stopped, and what there is to say of that in particular."""
    if why := why_unchecked(state["text"], state["failures"]):
        return "error", why
    labels = [sentence["label"] for sentence in state["sentences"]]
    if state["spent"] or None in labels:
        return why_spent(state, context)
    if labels:
        return "finished", ""
    return ("accepted", "") if is_sure(state, context) else ("finished", "it states no fact to verify")


def _gated(state: VerifyState, context: Context) -> str:
    """What the gate went by, in words."""
    score = state["consistency"]
    if score is None:
        return ""
    least, arrived, asked = threshold(state["asked"], context), len(state["paths"]), state["asked"]
    below = "below" if score < least else "not below"
    looked = ", so nothing was looked up" if is_sure(state, context) else ""
    samples = f"{arrived} of {asked} samples arrived and" if arrived < asked else f"{arrived} samples"
    return f"{samples} have a consistency of {score:.3g}, {below} {least:g}{looked}"
