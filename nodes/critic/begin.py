"""The start of a critique loop."""

from typing import Any

from langgraph.types import Overwrite

from ...state import Context
from ...state.methods.critic import AnswerState, ProgramState, ToxicityState
from ...state.text.answers import short_answer
from ..begin import begun, right_answers
from ..step import StepFunction

NOTHING_YET: dict[str, Any] = {"answer": "", "critique": "", "accepted": False, "rounds": 0, "unchanged": 0,
                               "answers": []}  # fmt: skip


async def begin_answer(state: AnswerState, context: Context) -> dict[str, Any]:
    """Start correcting an answer. Raises ConfigurationError as `begun` and `right_answers` do."""
    new = begun(state, context)
    answer = short_answer(new["text"]) if new["question"] else ""
    turns = {"messages": Overwrite([]), "earlier": 0, "correction": "none", "proposed": "", "refused": ""}
    return {**new, **NOTHING_YET, "answer": answer, "gold": right_answers(state), **turns}


async def begin_program(state: ProgramState, context: Context) -> dict[str, Any]:
    """Start correcting a program. Raises ConfigurationError as `begun` and `right_answers` do."""
    new = begun(state, context)
    unknown = {**NOTHING_YET, "observation": "", "first_answer": "", "failed_correction": "", "others": []}
    return {**new, **unknown, "gold": right_answers(state), "candidate": new["text"]}


async def begin_toxicity(state: ToxicityState, context: Context) -> dict[str, Any]:
    """Start detoxifying a text. Raises ConfigurationError as `begun` does."""
    new = begun(state, context)
    return {**new, **NOTHING_YET, "candidate": new["text"], "candidate_score": 1.0, "score": 1.0, "exhausted": False,
            "already_tried": []}  # fmt: skip


def to_verify(draft: StepFunction) -> StepFunction:
    """Make a step that drafts a candidate, to be verified before it counts as the best so far."""

    async def drafted(state: Any, context: Context) -> dict[str, Any]:
        update = await draft(state, context)
        return {**update, "candidate": update.get("text", "")}

    return drafted
