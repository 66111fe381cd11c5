"""Questions: everything that must be asked to verify each part of the text (RARR section 3.1)."""

import asyncio
from typing import Any

from ...models import task
from ...models.tasks.correction import QUERIES, Queries, QueriesInput
from ...state import Context, Failure
from ...state.methods.correction import CorrectionState, Question
from ...state.methods.grounding import GroundState
from ...state.text.questions import distinct
from ...state.text.segments import leading_to, passages, sentences_of
from ..budget import calls_left
from ..quorum import received
from ..step import emit


async def questions(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Ask several rounds of questions about every passage, all at once."""
    return await asked_of(state, context, context.question_rounds)


async def sentences(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Look each sentence up as it stands, instead of asking about it (the ablation in RARR section 6)."""
    parts = passages(state["text"], context.passage_chars)
    listed = [(number, text) for number, part in enumerate(parts) for text in distinct(sentences_of(part))]
    asked: list[Question] = [
        {"number": place, "text": text, "passage": passage} for place, (passage, text) in enumerate(listed)
    ]
    emit("sentences", questions=[question["text"] for question in asked])
    return {"passages": parts, "questions": asked}


async def asked_of(state: CorrectionState | GroundState, context: Context, wanted_rounds: int) -> dict[str, Any]:
    """Ask several rounds of questions about every passage at once; of equivalent questions, keep the first."""
    budget = calls_left(state, context, QUERIES)
    parts = passages(state["text"], context.passage_chars)
    numbers = [number for number, passage in enumerate(parts) if passage.strip()]
    due = numbers[:budget]
    rounds = max(1, min(wanted_rounds, budget // max(len(due), 1)))
    replies = await asyncio.gather(
        *(_ask(parts[n], leading_to("".join(parts[:n])), state["question"], rounds, context) for n in due)
    )
    listed: list[Question] = []
    failures: list[Failure] = []
    for number, (texts, failed) in zip(due, replies, strict=True):
        listed += [{"number": len(listed) + place, "text": text, "passage": number} for place, text in enumerate(texts)]
        # No other round may have asked what a lost round would have asked.
        failures += [{"step": "questions", "reason": reason, "unchecked": True} for reason in dict.fromkeys(failed)]
    emit("questions", questions=[question["text"] for question in listed])
    return {
        "passages": parts,
        "questions": listed,
        "failures": failures,
        "lost": [number for number, (_, failed) in zip(due, replies, strict=True) if failed],
        **received("rounds", rounds * len(due) - sum(len(failed) for _, failed in replies), rounds * len(due)),
        "spent": len(due) < len(numbers),
    }


async def _ask(passage: str, before: str, question: str, rounds: int, context: Context) -> tuple[list[str], list[str]]:
    """The questions of all rounds without repetition, and why rounds failed, if any did."""
    task_input: QueriesInput = {"text": passage, "question": question, "before": before}
    replies = await task(context, QUERIES).several(context, task_input, rounds)
    texts: list[str] = []
    failed: list[str] = []
    for reply in replies:
        if isinstance(reply, Queries):
            texts += [text for query in reply.queries if (text := query.strip())]
        else:
            failed.append(str(reply))
    return distinct(texts), failed * (rounds // len(replies))  # one reply may stand for all rounds
