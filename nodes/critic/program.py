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
from ...models.tasks.drafting import Program
from ...state import Context, Evidence
from ...state.errors import RunError
from ...state.methods.critic import ProgramState
from ...state.text.answers import same_number
from ...state.text.values import same_answer
from ..runs import answers, executed
from ..step import emit, failed
from .judge import judged
from .replace import decided, recorded, replaced


async def execute(state: ProgramState, context: Context) -> dict[str, Any]:
    """Run the candidate. If it produces an answer, it is critiqued next, and is the base of the next correction.

    A candidate that fails after an earlier program has produced an answer is dropped: the earlier program stays the
    base, and the next correction is shown what failed. A candidate that differs from its base only in comments and
    blank lines is not run again.
    """
    update = await _executed(state, context)
    if not state["rounds"]:
        return update
    # No earlier round was accepted, or this one would not have begun.
    return {**update, "answers": [*state["answers"], update.get("answer", state["answer"])]}


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
    if state["base"] and not answers(execution):
        update["failed_correction"] = f"{candidate}\n\n{observation}"
        return {**update, "candidate": state["base"], "unchanged": state["unchanged"] + 1}
    same = observation == state["observation"] or (state["result"] and same_answer(execution["value"], state["result"]))
    update |= {"observation": observation, "failed_correction": ""}
    update["unchanged"] = state["unchanged"] + 1 if same else 0
    if answers(execution):
        update |= {"base": candidate, "result": execution["value"]}
        if not keeps_draft(state) or context.review:  # a reviewer has approved it
            update |= {"answer": execution["value"], **replaced(state, candidate, result["id"])}
    return update


def keeps_draft(state: ProgramState) -> bool:
    """Whether the first program ran, and so stays until a correction is accepted. Ours, not the paper's.

    Without a correction that is accepted, the paper returns the last one.
    """
    return bool(state["answer"]) and state["text"] == state["original"]


async def critique_program(state: ProgramState, context: Context) -> dict[str, Any]:
    """Judge whether the answer is plausible and the program right: by its run or, without tools, by reading it.

    A correction that is accepted takes the place of the draft.
    """
    program, question = state["candidate"], "Is the program right?"
    right = any(same_number(state["result"], gold) for gold in state["gold"]) if state["gold"] else None
    run = _run_of(program, state)
    if context.use_tools:
        fault = "" if state["result"] else "It produced no answer when it was run."
        tested: ProgramInput = {"question": state["question"], "program": program, "observation": state["observation"]}
        update = await judged(
            state, context, PROGRAM_CRITIQUE, tested, question, evidence_id=run, fault=fault, right=right
        )
    else:
        untested: UntestedInput = {"question": state["question"], "program": program}
        update = await judged(state, context, UNTESTED_CRITIQUE, untested, question, right=right)
    if not update.get("accepted") or not state["result"] or program == state["text"]:
        return update
    taken = {"answer": state["result"], "answers": [*state["answers"][:-1], state["result"]]}
    return {**update, **taken, **replaced(state, program, run)}


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


def _evidence_with(result: Evidence, state: ProgramState) -> list[Evidence]:
    """The evidence with the result of a run as the last. A program that runs again has the same id."""
    return [*(piece for piece in state["evidence"] if piece["id"] != result["id"]), result]


def _run_of(program: str, state: ProgramState) -> str:
    """The id of the evidence from running a program."""
    return next((piece["id"] for piece in reversed(state["evidence"]) if piece["query"] == program), "")


def _base(state: ProgramState) -> str | None:
    """The program that a round starts from: the last with an answer, or the last one run if none has produced one."""
    return state["base"] or (state["evidence"][-1]["query"] if state["evidence"] else None)


def _same_program(program: str, other: str) -> bool:
    """Whether programs are equal except for comments, blank lines and layout. Parsing runs nothing."""
    try:
        return ast.dump(ast.parse(program)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return program.strip() == other.strip()
