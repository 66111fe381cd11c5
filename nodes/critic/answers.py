"""Answers: critique one with tools, turn by turn, and correct it (CRITIC section 4.1)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool
from langgraph.types import Overwrite

from ...models import Backend, Task, backend
from ...models.tasks.critic import Conclusion, Turn, TurnInput
from ...state import Context, Label, Verdict, cites
from ...state.methods.critic import AnswerState
from ...state.text.answers import exact_match, is_null, short_answer
from ...state.text.segments import tokens
from ...state.text.values import same_answer
from ..cite import covering
from ..quorum import received
from ..step import StepFunction, emit
from ..tooling import ToolResult, described, shown
from ..turns import asks_for_tool, conclusion, next_turn
from .replace import decided, recorded


def is_right(state: AnswerState) -> bool:
    """Whether the answer is one of the caller's right answers."""
    return bool(state["gold"]) and exact_match(answer_of(state) or state["text"], state["gold"])


def answer_of(state: AnswerState) -> str:
    """The short answer that the text gives; empty for prose."""
    return state["answer"] or (short_answer(state["text"]) if state["question"] else "")


def critique(
    turn_task: Task[TurnInput, Turn], *tools: str, own: Mapping[str, BaseTool] = MappingProxyType({})
) -> StepFunction:
    """A step that takes one turn of a critique of `text`, with our tools and the caller's."""
    descriptions = described(own)

    async def critique(state: AnswerState, context: Context) -> dict[str, Any]:
        current = {"answer": answer_of(state)}
        state = {**state, "answer": current["answer"]}
        allowed = (tools, descriptions) if context.use_tools else ((), {})
        turn = await next_turn(state, context, turn_task, *allowed)
        if not isinstance(turn, AIMessage):
            return {**current, **turn, **received("critiques", 0)}
        if asks_for_tool(turn):
            return {**current, "messages": [turn]}
        judgement = _judged(state, conclusion(turn), backend(context, turn_task))
        return {**current, "messages": [turn], **judgement, **received("critiques", 1)}

    return critique


async def correct(state: AnswerState, context: Context) -> dict[str, Any]:
    """Replace the answer with the critique's, unless a reviewer rejects that.

    A critique that says there is no answer never replaces it.
    """
    outcome = conclusion(state["messages"][-1])
    next_round = {"rounds": state["rounds"] + 1, "messages": Overwrite([])}
    if not _is_another(outcome, state):
        return {**next_round, "unchanged": state["unchanged"] + 1}
    edit = decided(state, outcome.text, context)
    if not edit["applied"]:
        return {**next_round, "unchanged": state["unchanged"] + 1, **recorded(state, edit)}
    text = edit["after"]
    emit("correct", text=text)
    answer = outcome.answer if text == outcome.text else short_answer(text)
    return {**next_round, "unchanged": 0, "answer": answer if state["question"] else "", **recorded(state, edit)}


def _judged(state: AnswerState, outcome: Conclusion, critic: Backend) -> dict[str, Any]:
    """The verdict of a critique, and whether the answer is accepted."""
    another = _is_another(outcome, state)
    accepted = outcome.accepted and not another and not state["gold"]  # if it is known, the right answer decides
    rests_on = _rests_on(outcome, accepted, another, state)
    borne_out = accepted and any(_bears_out(result, state["text"], critic) for result in rests_on)
    label: Label = "entailment" if borne_out else "contradiction" if another else "neutral"
    reason = f"{outcome.plausibility} {outcome.correctness}".strip()
    verdict: Verdict = {
        "question": "Is the answer right?" if state["question"] else "Is the text right?",
        "label": label,
        "reason": reason,
        **cites(result["evidence"]["id"] for result in rests_on if result["evidence"]),
        "backend": critic.name,
    }
    emit("critique", verdict=verdict)
    return {"critique": reason, "verdicts": [*state["verdicts"], verdict], "accepted": accepted}


def _bears_out(result: ToolResult, text: str, critic: Backend) -> bool:
    """Whether an acceptance may rest on the tool result. That a program ran does not tell rules whether it is right."""
    is_own_run = result["evidence"] is not None and result["evidence"]["query"] == text
    return result["bears"] and (critic.bears_out or not is_own_run)


def _rests_on(outcome: Conclusion, accepted: bool, another: bool, state: AnswerState) -> list[ToolResult]:
    """The evidence that the critic cites or, without a citation, the evidence that contains the words of its answer.

    An accepted program also rests on its own run, and a new answer on the only evidence that the critic was shown.
    """
    results = shown(state["messages"])
    if cited := [results[number - 1] for number in dict.fromkeys(outcome.evidence) if 0 < number <= len(results)]:
        return cited
    if not accepted and not another:
        return []
    words = set(tokens(outcome.answer if another else state["answer"] or outcome.answer))
    if not state["question"]:
        words = set(tokens(outcome.text)) - set(tokens(state["text"])) if another else set()
    pieces = [result["evidence"] for result in results if result["evidence"]]
    ids = {piece["id"] for piece in covering(words, pieces)}
    ids = ids or {piece["id"] for piece in pieces if piece["query"] == state["text"] or (another and len(results) == 1)}
    return [result for result in results if result["evidence"] and result["evidence"]["id"] in ids]


def _is_another(outcome: Conclusion, state: AnswerState) -> bool:
    """Whether a critique reached another answer. "There is no answer" does not count as one."""
    if not outcome.text.strip() or is_null(outcome.answer or outcome.text):
        return False
    if outcome.answer and state["answer"]:
        return not same_answer(outcome.answer, state["answer"])
    return outcome.text.strip() != state["text"].strip()
