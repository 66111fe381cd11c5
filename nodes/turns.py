"""Turns: a critique, or a draft, in which a model and its tools take turns until it concludes (CRITIC section 4.1)."""

from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.types import Overwrite

from ..models import CONCLUDE, Backend, Conclusion, Turn, backend, task
from ..state import Context, Label, Verdict, cites
from ..state.answers import exact_match, is_null, short_answer
from ..state.critic import CriticState
from ..state.errors import ModelError, RunError
from ..state.text import tokens
from ..state.values import same_answer
from .budget import calls_left
from .cite import saying
from .critic.loop import decided, failed, taken
from .step import StepFunction, emit
from .tooling import ARGUMENT, Came, shown

NO_ANSWER = (
    "nothing that was found answers the question: ask it in other words, search elsewhere (`search`, `sources`), "
    "or name another `model`"
)


def critique(task_name: str, *tools: str) -> StepFunction:
    """A step that takes one turn of a critique of `text`."""

    async def critique(state: CriticState, context: Context) -> dict[str, Any]:
        if not state["answer"] and state["question"]:
            state = {**state, "answer": short_answer(state["text"])}
        known = {"answer": state["answer"]}
        if _is_right(state["answer"], state):
            return {**known, "stopped": "accepted", "critique": "It is the right answer."}
        turn = await _turn(state, context, task_name, tools if context.use_tools else ())
        if not isinstance(turn, AIMessage):
            return {**known, **turn}
        taken = {**known, "messages": [turn]}
        if asks_for_tool(turn):
            return taken
        return {**taken, **_judged(state, conclusion(turn), backend(context, task_name))}

    return critique


async def react(state: CriticState, context: Context) -> dict[str, Any]:
    """Take one turn towards an answer."""
    turn = await _turn(state, context, "react", ("search",))
    if not isinstance(turn, AIMessage):
        return turn
    if asks_for_tool(turn):
        return {"messages": [turn]}
    found = conclusion(turn)
    if not found.text.strip():
        return {"messages": [turn], **failed("react", ModelError(NO_ANSWER))}
    emit("draft", text=found.text)
    drafted = {"text": found.text, "original": found.text, "candidate": found.text, "answer": found.answer}
    return {"messages": [turn], **drafted}


async def correct(state: CriticState, context: Context) -> dict[str, Any]:
    """Put what the critique came to in the place of the answer, unless a person who is asked does not want that.

    One that says that there is no answer never takes its place.
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


def asks_for_tool(turn: AnyMessage) -> bool:
    """Whether a turn asks for a tool; otherwise it concludes."""
    return isinstance(turn, AIMessage) and turn.tool_calls[0]["name"] != CONCLUDE


def conclusion(turn: AnyMessage) -> Conclusion:
    """What a concluding turn says."""
    return Conclusion.model_validate(turn.tool_calls[0]["args"])  # type: ignore[union-attr]


async def _turn(
    state: CriticState, context: Context, task_name: str, tools: tuple[str, ...]
) -> AIMessage | dict[str, Any]:
    """The next turn as a message with one call of a tool; an update that ends the run, if there is none."""
    left = calls_left(state, context, task_name)
    if not left:
        return {"stopped": "budget"}
    taken = sum(isinstance(message, AIMessage) for message in state["messages"])
    last = taken + 1 >= context.critique_calls or left == 1 or not tools
    given = {
        "question": state["question"],
        "text": state["text"],
        "answer": state["answer"],
        "messages": state["messages"],
        "tools": list(tools),
        "last": last,
    }
    try:
        turn: Turn = await task(context, task_name).ainvoke(given)
    except RunError as error:
        return failed(task_name, error)
    if turn.tool != CONCLUDE and last:
        turn = Turn(tool=CONCLUDE, conclusion=Conclusion(correctness="It came to no conclusion."))
    return _message(turn)


def _message(turn: Turn) -> AIMessage:
    """A turn as the model gave it, or else as one that calls tools would have."""
    if turn.message:
        return turn.message
    arguments = turn.conclusion.model_dump() if turn.conclusion else {ARGUMENT[turn.tool]: turn.argument}
    call = {"name": turn.tool, "args": arguments, "id": uuid4().hex[:12]}
    return AIMessage(turn.thought, tool_calls=[call])


def _judged(state: CriticState, found: Conclusion, critic: Backend) -> dict[str, Any]:
    """The verdict of a critique, and whether the answer is accepted."""
    another = _is_another(found, state)
    accepted = found.accepted and not another and not state["gold"]  # where it is known, the right answer decides
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
    update: dict[str, Any] = {"critique": said, "verdicts": [*state["verdicts"], verdict]}
    return update | ({"stopped": "accepted"} if accepted else {})


def _bears_out(came: Came, text: str, critic: Backend) -> bool:
    """Whether an acceptance may rest on it. That a program ran does not tell rules whether it is right."""
    ran = came["evidence"] is not None and came["evidence"]["query"] == text
    return came["bears"] and (critic.bears_out or not ran)


def _rests_on(found: Conclusion, accepted: bool, another: bool, state: CriticState) -> list[Came]:
    """What the critic names of what it was shown. Where it names nothing: what has the words of its answer.

    An accepted program also rests on its own run, and another answer on the only thing that the critic was shown.
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


def _is_another(found: Conclusion, state: CriticState) -> bool:
    """Whether a critique came to another answer. That there is none, is none."""
    if not found.text.strip() or is_null(found.answer or found.text):
        return False
    if found.answer and state["answer"]:
        return not same_answer(found.answer, state["answer"])
    return found.text.strip() != state["text"].strip()


def _is_right(answer: str, state: CriticState) -> bool:
    """Whether the answer is known to be right (CRITIC*)."""
    return bool(state["gold"]) and exact_match(answer or state["text"], state["gold"])
