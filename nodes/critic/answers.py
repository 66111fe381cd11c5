"""Answers: critique one with tools, turn by turn, and correct it (CRITIC section 4.1)."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool

from ...models import Backend, Task, backend
from ...models.tasks.critic import THINK, Conclusion, Turn, TurnInput
from ...state import Context, Evidence, Label, Verdict, cites
from ...state.methods.critic import AnswerState
from ...state.runs.apart import apart
from ...state.text.answers import exact_match, short_answer
from ...state.text.segments import sentences_of, tokens
from ..cite import covering
from ..facts import has_facts
from ..quorum import received
from ..step import StepFunction, emit
from ..tooling import ToolResult, as_shown, described, shown
from ..turns import asks_for_tool, conclusion, next_turn
from .replace import decided, recorded
from .supporting import is_about, needs_evidence, proposed


def is_right(state: AnswerState) -> bool:
    """Whether the answer is one of the caller's right answers."""
    return bool(state["gold"]) and exact_match(answer_of(state) or state["text"], state["gold"])


def answer_of(state: AnswerState) -> str:
    """The short answer that the text gives; empty for prose."""
    return state["answer"] or (short_answer(state["text"]) if state["question"] else "")


def critique(
    with_tools: Task[TurnInput, Turn],
    without: Task[TurnInput, Turn],
    *tools: str,
    own: Mapping[str, BaseTool] = MappingProxyType({}),
) -> StepFunction:
    """A step that takes one turn of a critique of `text`, with our tools and the caller's, or by reasoning alone."""
    descriptions = described(own)

    async def critique(state: AnswerState, context: Context) -> dict[str, Any]:
        current = {"answer": answer_of(state)}
        state = {**state, "answer": current["answer"]}
        turn_task = with_tools if context.use_tools else without
        allowed = (tools, descriptions) if context.use_tools else ((THINK,), {})
        turn = await next_turn(_this_round(state), context, turn_task, *allowed)
        if not isinstance(turn, AIMessage):
            return {**current, **turn, **received("critiques", 0)}
        if asks_for_tool(turn):
            return {**current, "messages": [turn]}
        judgement = await _judged(state, conclusion(turn), context, backend(context, turn_task))
        return {**current, "messages": [turn], **judgement, **received("critiques", 1)}

    return critique


async def correct(state: AnswerState, context: Context) -> dict[str, Any]:
    """Replace the answer with the critique's, unless a reviewer rejects that."""
    outcome = conclusion(state["messages"][-1])
    edit = decided(state, state["proposed"], context)
    if not edit["applied"]:
        return {**_next_round(state, state["answer"]), "unchanged": state["unchanged"] + 1, **recorded(state, edit)}
    text = edit["after"]
    emit("correct", text=text)
    answer = outcome.answer if text == outcome.text else short_answer(text)
    answer = answer if state["question"] else ""
    return {**_next_round(state, answer), "unchanged": 0, **recorded(state, edit)}


async def keep(state: AnswerState, context: Context) -> dict[str, Any]:
    """Keep the text. The next critique is told what was proposed in its place, if no evidence spoke for that.

    Of a text that is the answer in a sentence, the critique may have taken the short one.
    """
    outcome = conclusion(state["messages"][-1])
    refused = state["proposed"] if state["correction"] == "unsupported" else ""
    answer = outcome.answer if state["correction"] == "restated" else state["answer"]
    return {**_next_round(state, answer), "unchanged": state["unchanged"] + 1, "refused": refused}


def _next_round(state: AnswerState, answer: str) -> dict[str, Any]:
    counts = {"rounds": state["rounds"] + 1, "earlier": len(state["messages"])}
    return {**counts, "answer": answer, "answers": [*state["answers"], answer], "refused": ""}


def _this_round(state: AnswerState) -> dict[str, Any]:
    """The state as a critic sees it: only its own turns, and what was found before them as a list."""
    before, own = state["messages"][: state["earlier"]], state["messages"][state["earlier"] :]
    found = [as_shown(result["evidence"]) for result in shown(before) if result["evidence"]]
    return {**state, "messages": own, "found_before": found}


async def _judged(state: AnswerState, outcome: Conclusion, context: Context, critic: Backend) -> dict[str, Any]:
    """The verdict of a critique, whether the answer is accepted, and what speaks for another one."""
    proposal, text = await proposed(outcome, state, context)
    another = proposal != "none"
    accepted = outcome.accepted and not another and not state["gold"]  # if it is known, the right answer decides
    rests_on = _rests_on(outcome, accepted, another, state)
    found = [result["evidence"] for result in shown(state["messages"]) if result["bears"] and result["evidence"]]
    borne_out = accepted and await apart(lambda: _borne_out(rests_on, found, state, critic), state["text"], found)
    contradicts = proposal == "supported" or (another and not needs_evidence(state, context))
    label: Label = "entailment" if borne_out else "contradiction" if contradicts else "neutral"
    lacking = await apart(lambda: _undecided(found, state), state["text"], found) if accepted and not borne_out else ""
    reason = " ".join(filter(None, (outcome.plausibility, outcome.correctness, lacking))).strip()
    verdict: Verdict = {
        "question": "Is the answer right?" if state["question"] else "Is the text right?",
        "label": label,
        "reason": reason,
        **cites(result["evidence"]["id"] for result in rests_on if result["evidence"]),
        "backend": critic.name,
    }
    emit("critique", verdict=verdict)
    verdicts = [*state["verdicts"], verdict]
    judged = {"critique": reason, "verdicts": verdicts, "accepted": accepted}
    return {**judged, "correction": proposal, "proposed": text}


def _borne_out(results: Sequence[ToolResult], found: Sequence[Evidence], state: AnswerState, critic: Backend) -> bool:
    """Whether an acceptance may rest on one of the tool results, and all that was found has every fact of the text."""
    bearing = [result["evidence"] for result in results if _bears_out(result, state["text"], critic)]
    if any(piece and piece["query"] == state["text"] for piece in bearing):  # the text itself was run or scored
        return True
    return bool(bearing) and has_facts(state["text"], state["question"], found)


def _undecided(found: Sequence[Evidence], state: AnswerState) -> str:
    """Names the first sentence that keeps prose from being borne out; a program has no sentences."""
    if state["question"] or any(piece["source"].startswith("python:") for piece in found):
        return ""
    sentences = sentences_of(state["text"])
    sentence = next((each for each in sentences if not has_facts(each, "", found)), "")
    return f"Not decided, because nothing found has all of its names and numbers: “{sentence}”" if sentence else ""


def _bears_out(result: ToolResult, text: str, critic: Backend) -> bool:
    """Whether an acceptance may rest on the tool result.

    That a program ran does not tell rules whether it is right. A page that is about something else, or that rules see
    to contradict the text, bears nothing out, however a critic cites it.
    """
    piece = result["evidence"]
    if not piece or not result["bears"]:
        return False
    if piece["query"] == text:
        return critic.bears_out
    return piece["source"].startswith(("python:", "tool:")) or is_about(piece, text)


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
