"""Program synthesis: draft a program, execute it, critique it, correct it (CRITIC section 4.2)."""

import ast
import asyncio
from typing import Any

from ..models import task
from ..state import Context, Evidence
from ..state.critic import CriticState
from ..state.errors import ConfigurationError, ErrataError
from ..tools import evidence, interpreter
from ..tools.python.execution import Execution, readable
from .budget import calls_left
from .critic import begin, failed, judged, replaced
from .step import emit


async def draft_program(state: CriticState, context: Context) -> dict[str, Any]:
    """Take the caller's program, or write one (program of thought)."""
    return await begin(state, context, "program", "code")


async def execute(state: CriticState, context: Context) -> dict[str, Any]:
    """Run the candidate. It becomes the best so far if it comes to an answer.

    A candidate that is the program run last, but for comments and blank lines, is not run again.
    """
    candidate = state["candidate"]
    if state["rounds"] and _same_program(candidate, state["evidence"][-1]["query"]):
        emit("execute", observation="The program is the same as before.")
        return {"unchanged": state["unchanged"] + 1}
    try:
        tool = await asyncio.to_thread(interpreter, context)
        execution = await tool.execute(candidate)
    except ConfigurationError:
        raise
    except ErrataError as error:
        return failed("execute", error)
    observation = readable(execution)
    emit("execute", observation=observation)
    found: Evidence = evidence(
        query=candidate, text=observation, title="Execution", source=f"python:{execution['backend']}"
    )
    update: dict[str, Any] = {
        "observation": observation,
        "evidence": [*state["evidence"], found],
        "unchanged": state["unchanged"] + 1 if observation == state["observation"] else 0,
    }
    if _answers(execution) or not state["rounds"]:
        update |= replaced(state, candidate, found["id"])
        update["answer"] = execution["value"] if _answers(execution) else ""
    return update


async def critique_program(state: CriticState, context: Context) -> dict[str, Any]:
    """Is the answer plausible, and is the program right, going by what its execution says?"""
    shown = state["observation"] if context.use_tools else ""
    given = {"question": state["question"], "program": state["candidate"], "observation": shown}
    right = (_equal(state["answer"], state["gold"])) if state["gold"] else None
    return await judged(state, context, "program_critique", given, "Is the program right?", right)


async def correct_program(state: CriticState, context: Context) -> dict[str, Any]:
    """Write a better program."""
    if not calls_left(state, context, "program_correction"):
        return {"stopped": "budget"}
    given = {
        "question": state["question"],
        "program": state["candidate"],
        "observation": state["observation"] if context.use_tools else "",
        "critique": state["critique"],
    }
    try:
        program = await task(context, "program_correction").ainvoke(given)
    except ConfigurationError:
        raise
    except ErrataError as error:
        return failed("correct", error)
    emit("correct", text=program.code)
    return {"candidate": program.code, "rounds": state["rounds"] + 1}


def _answers(execution: Execution) -> bool:
    return execution["error"] is None and execution["type"] not in ("", "NoneType")


def _same_program(one: str, other: str) -> bool:
    """Equal but for comments, blank lines and layout. Parsing runs nothing."""
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return one.strip() == other.strip()


def _equal(answer: str, gold: str) -> bool:
    """Numbers after rounding both to the fewer decimals, True and False as yes and no, everything else as text."""
    try:
        decimals = min(len(number.partition(".")[2]) for number in (answer.strip(), gold.strip()))
        return round(float(answer), decimals) == round(float(gold), decimals)
    except ValueError:
        return _plain(answer) == _plain(gold)


def _plain(answer: str) -> str:
    word = answer.strip().lower()
    return {"true": "yes", "false": "no"}.get(word, word)
