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
from ..cite import saying
from ..quorum import had
from ..step import StepFunction, emit
from ..tooling import Came, described, shown
from ..turns import asks_for_tool, conclusion, next_turn
from .replace import decided, taken


def is_right(state: AnswerState) -> bool:
    """Whether the answer is one of the caller's right answers."""
    return bool(state["gold"]) and exact_match(answer_of(state) or state["text"], state["gold"])


def answer_of(state: AnswerState) -> str:
    """The short answer that the text gives; empty for prose."""
    return state["answer"] or (short_answer(state["text"]) if state["question"] else "")


def critique(
    wanted: Task[TurnInput, Turn], *tools: str, own: Mapping[str, BaseTool] = MappingProxyType({})
) -> StepFunction:
    """A step that takes one turn of a critique of `text`, with our tools and the caller's."""
    told = described(own)

    async def critique(state: AnswerState, context: Context) -> dict[str, Any]:
        known = {"answer": answer_of(state)}
        state = {**state, "answer": known["answer"]}
        may_use = (tools, told) if context.use_tools else ((), {})
        turn = await next_turn(state, context, wanted, *may_use)
        if not isinstance(turn, AIMessage):
            return {**known, **turn, **had("critiques", 0)}
        if asks_for_tool(turn):
            return {**known, "messages": [turn]}
        judgement = _judged(state, conclusion(turn), backend(context, wanted))
        return {**known, "messages": [turn], **judgement, **had("critiques", 1)}

    return critique


async def correct(state: AnswerState, context: Context) -> dict[str, Any]:
    """Replace the answer with the critique's, unless a reviewer rejects that.

    A critique that says there is no answer never replaces it.
    """
    found = conclusion(state["messages"][-1])
    over = {"rounds": state["rounds"] + 1, "messages": Overwrite([])}
    if not _is_another(found, state):
        return {**over, "unchanged": state["unchanged"] + 1}
    edit = decided(state, found.text, context)
    if not edit["applied"]:
        return {**over, "unchanged": state["unchanged"] + 1, **taken(state, edit)}
    text = edit["after"]
    emit("correct", text=text)
    answer = found.answer if text == found.text else short_answer(text)
    return {**over, "unchanged": 0, "answer": answer if state["question"] else "", **taken(state, edit)}


def _judged(state: AnswerState, found: Conclusion, critic: Backend) -> dict[str, Any]:
    """The verdict of a critique, and whether the answer is accepted."""
    another = _is_another(found, state)
    accepted = found.accepted and not another and not state["gold"]  # if it is known, the right answer decides
    rests_on = _rests_on(found, accepted, another, state)
    borne_out = accepted and any(_bears_out(came, state["text"], critic) for came in rests_on)
    label: Label = "entailment" if borne_out else "contradiction" if another else "neutral"
    said = f"{found.plausibility} {found.correctness}".strip()
    verdict: Verdict = {
        "question": "Is the answer right?" if state["question"] else "Is the text right?",
        "label": label,
        "reason": said,
        **cites(came["evidence"]["id"] for came in rests_on if came["evidence"]),
        "backend": critic.name,
    }
    emit("critique", verdict=verdict)
    return {"critique": said, "verdicts": [*state["verdicts"], verdict], "accepted": accepted}


def _bears_out(came: Came, text: str, critic: Backend) -> bool:
    """Whether an acceptance may rest on the tool result. That a program ran does not tell rules whether it is right."""
    ran = came["evidence"] is not None and came["evidence"]["query"] == text
    return came["bears"] and (critic.bears_out or not ran)


def _rests_on(found: Conclusion, accepted: bool, another: bool, state: AnswerState) -> list[Came]:
    """The evidence that the critic cites or, without a citation, the evidence that contains the words of its answer.

    An accepted program also rests on its own run, and a new answer on the only evidence that the critic was shown.
    """
    seen = shown(state["messages"])
    if named := [seen[number - 1] for number in dict.fromkeys(found.evidence) if 0 < number <= len(seen)]:
        return named
    if not accepted and not another:
        return []
    words = set(tokens(found.answer if another else state["answer"] or found.answer))
    if not state["question"]:
        words = set(tokens(found.text)) - set(tokens(state["text"])) if another else set()
    pieces = [came["evidence"] for came in seen if came["evidence"]]
    ids = {piece["id"] for piece in saying(words, pieces)}
    ids = ids or {piece["id"] for piece in pieces if piece["query"] == state["text"] or (another and len(seen) == 1)}
    return [came for came in seen if came["evidence"] and came["evidence"]["id"] in ids]


def _is_another(found: Conclusion, state: AnswerState) -> bool:
    """Whether a critique reached another answer. "There is no answer" does not count as one."""
    if not found.text.strip() or is_null(found.answer or found.text):
        return False
    if found.answer and state["answer"]:
        return not same_answer(found.answer, state["answer"])
    return found.text.strip() != state["text"].strip()
