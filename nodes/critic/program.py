"""Program synthesis: execute a program, critique it, correct it (CRITIC section 4.2)."""

import ast
from typing import Any

from ...models import Task, task
from ...models.tasks.critic import (
    PROGRAM_CORRECTION,
    PROGRAM_CRITIQUE,
    UNTESTED_CORRECTION,
    UNTESTED_CRITIQUE,
    ProgramInput,
    UntestedInput,
)
from ...models.tasks.drafting import PROGRAM, Program
from ...state import Context, Evidence
from ...state.errors import RunError
from ...state.methods.critic import ProgramState
from ...state.text.answers import same_number
from ...state.text.values import same_answer
from ..runs import answers, executed
from ..step import emit, failed
from .judge import judged
from .replace import decided, recorded, replaced

TEMPERATURE = 0.5
"""At which CRITIC samples several programs (section 4.2)."""


async def execute(state: ProgramState, context: Context) -> dict[str, Any]:
    """Run the candidate. If it produces an answer, it becomes the best so far and is critiqued next.

    A candidate that fails after an earlier program has produced an answer is dropped: the earlier program stays the
    base of the next round, whose correction is shown what failed. A candidate that differs from its base only in
    comments and blank lines is not run again.
    """
    update = await _executed(state, context)
    if not state["rounds"]:
        return update
    # No earlier round was accepted, or this one would not have begun.
    earlier = [state["first_answer"] if prefers_draft(state, context) else answer for answer in state["answers"]]
    return {**update, "answers": [*earlier, update.get("answer", state["answer"])]}


async def _executed(state: ProgramState, context: Context) -> dict[str, Any]:
    candidate, base = state["candidate"], _base(state)
    if base is not None and _same_program(candidate, base):
        emit("execute", observation="The program is the same as before.")
        return {"candidate": base, "unchanged": state["unchanged"] + 1}
    try:
        execution, result = await executed(candidate, context)
    except RunError as error:
        return failed("execute", error)
    observation = result["text"]
    emit("execute", observation=observation)
    update: dict[str, Any] = {"evidence": _evidence_with(result, state)}
    if state["answer"] and not answers(execution):
        update["failed_correction"] = f"{candidate}\n\n{observation}"
        return {**update, "candidate": state["text"], "unchanged": state["unchanged"] + 1}
    same = observation == state["observation"] or (state["answer"] and same_answer(execution["value"], state["answer"]))
    update |= {"observation": observation, "failed_correction": ""}
    update["unchanged"] = state["unchanged"] + 1 if same else 0
    if answers(execution):
        update |= {"answer": execution["value"], **replaced(state, candidate, result["id"])}
        if candidate == state["original"]:
            update["first_answer"] = execution["value"]
    return update


async def confirm(state: ProgramState, context: Context) -> dict[str, Any]:
    """Solve the problem once more, from the question alone, and run that.

    If an earlier such program came to the same result, it takes the place of a correction that came to another one.
    """
    try:
        (reply,) = await task(context, PROGRAM).several(context, {"question": state["question"]}, 1, TEMPERATURE)
        if isinstance(reply, RunError):
            raise reply
        execution, result = await executed(reply.code, context)
    except RunError as error:
        return failed("confirm", error)
    emit("confirm", observation=result["text"])
    value = execution["value"] if answers(execution) else ""
    update: dict[str, Any] = {"others": [*state["others"], value], "evidence": _evidence_with(result, state)}
    known = any(same_answer(value, each) for each in (state["first_answer"], state["answer"]))
    if known or not value or not any(same_answer(value, other) for other in state["others"] if other):
        return update
    update |= {"answer": value, "candidate": reply.code, "observation": result["text"]}
    return {**update, "answers": [*state["answers"][:-1], value], **replaced(state, reply.code, result["id"])}


def reached_twice(state: ProgramState) -> str:
    """The result that two of the draft, the correction and the programs for the question alone have; empty if none."""
    others = [other for other in state["others"] if other]
    for number, other in enumerate(others):
        if any(same_answer(other, each) for each in (state["first_answer"], state["answer"], *others[:number])):
            return other
    return ""


async def critique_program(state: ProgramState, context: Context) -> dict[str, Any]:
    """Judge whether the answer is plausible and the program right: by its run or, without tools, by reading it."""
    program, question = state["candidate"], "Is the program right?"
    right = any(same_number(state["answer"], gold) for gold in state["gold"]) if state["gold"] else None
    if not context.use_tools:
        untested: UntestedInput = {"question": state["question"], "program": program}
        return await judged(state, context, UNTESTED_CRITIQUE, untested, question, right=right)
    run = _run_of(program, state)
    fault = "" if state["answer"] else "It produced no answer when it was run."
    tested: ProgramInput = {"question": state["question"], "program": program, "observation": state["observation"]}
    return await judged(state, context, PROGRAM_CRITIQUE, tested, question, evidence_id=run, fault=fault, right=right)


async def correct_program(state: ProgramState, context: Context) -> dict[str, Any]:
    """Write a better program."""
    task_input = {"question": state["question"], "program": state["candidate"], "critique": state["critique"]}
    if context.use_tools:
        task_input |= {"observation": state["observation"], "failed_correction": state["failed_correction"]}
    try:
        program = await task(context, correction_task(context)).ainvoke(task_input)
    except RunError as error:
        return failed("correct", error)
    emit("correct", text=program.code)
    return {"candidate": program.code, "rounds": state["rounds"] + 1}


def correction_task(context: Context) -> Task[Any, Program]:
    """The task that corrects a program. Without tools it knows of no run."""
    return PROGRAM_CORRECTION if context.use_tools else UNTESTED_CORRECTION


async def review_program(state: ProgramState, context: Context) -> dict[str, Any]:
    """Let a person decide on a new program before it runs. If they reject it, the previous one stays the base."""
    edit = decided(state, state["candidate"], context)
    if edit["applied"]:
        return {"candidate": edit["after"], "critique": edit["reason"]}
    return {"candidate": _base(state) or state["text"], **recorded(state, edit)}


def prefers_draft(state: ProgramState, context: Context) -> bool:
    """Whether a draft that ran stays unless a correction is accepted; not if right answers or a person decide."""
    return context.caution == "evidence" and bool(state["first_answer"]) and not (state["gold"] or context.review)


async def withdraw(state: ProgramState, context: Context) -> dict[str, Any]:
    """Restore the draft if the critic did not accept the corrections either."""
    draft = state["original"]
    back = state.copy()
    unconfirmed, unaccepted = "No other program comes to the correction's result", "The critic accepted no correction"
    back["critique"] = f"{unconfirmed if state['others'] else unaccepted}, so the draft stays."
    answer = state["first_answer"]
    answers = [answer] * len(state["answers"])
    return {"answer": answer, "answers": answers, **replaced(back, draft, _run_of(draft, state))}


def _evidence_with(result: Evidence, state: ProgramState) -> list[Evidence]:
    """The evidence with the result of a run as the last. A program that runs again has the same id."""
    return [*(piece for piece in state["evidence"] if piece["id"] != result["id"]), result]


def _run_of(program: str, state: ProgramState) -> str:
    """The id of the evidence from running a program."""
    return next((piece["id"] for piece in reversed(state["evidence"]) if piece["query"] == program), "")


def _base(state: ProgramState) -> str | None:
    """The program that a round starts from: the best so far, or the last one run if none has produced an answer."""
    return state["text"] if state["answer"] else state["evidence"][-1]["query"] if state["evidence"] else None


def _same_program(program: str, other: str) -> bool:
    """Whether programs are equal except for comments, blank lines and layout. Parsing runs nothing."""
    try:
        return ast.dump(ast.parse(program)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return program.strip() == other.strip()
