"""A program whose result is the answer (program of thought; Chen et al. 2023, arXiv 2211.12588)."""

from typing import Any

from ...models import task
from ...models.tasks.drafting import PROGRAM
from ...state import Context, Evidence, Failure
from ...state.errors import ConfigurationError, RunError
from ...state.methods.drafts import DraftState, Sampled
from ...state.text.answers import same_number
from ..budget import calls_left
from ..quorum import received
from ..runs import answers, executed
from ..step import emit, failed


async def write_program(state: DraftState, context: Context) -> dict[str, Any]:
    """Write the program."""
    try:
        code = (await task(context, PROGRAM).ainvoke({"question": state["question"]})).code
    except RunError as error:
        return failed("draft", error)
    emit("draft", text=code)
    return {"text": code, "original": code}


async def run_program(state: DraftState, context: Context) -> dict[str, Any]:
    """Run the program."""
    try:
        answer, result = await _run(state["text"], context)
    except RunError as error:
        return failed("execute", error)
    emit("execute", observation=result["text"])
    return {"evidence": [result], "answer": answer}


async def sample_programs(state: DraftState, context: Context) -> dict[str, Any]:
    """Write several programs, and keep each once. For evaluation only.

    Raises ConfigurationError if no right answer is given.
    """
    if not state["gold"]:
        raise ConfigurationError("rejection sampling compares with right answers: give them in `gold`")
    n = min(context.samples, calls_left(state, context, PROGRAM))
    program = task(context, PROGRAM)
    replies = await program.several(context, {"question": state["question"]}, n, context.sample_temperature)
    missing = [str(reply) for reply in replies if isinstance(reply, RunError)]
    programs = [reply.code for reply in replies if not isinstance(reply, RunError)]
    reason = f"{len(missing)} of {n} programs are missing: {(*missing, '')[0]}"
    failures: list[Failure] = [{"step": "draft", "reason": reason, "unchecked": not programs}]
    return {
        "programs": list(dict.fromkeys(programs)),
        "failures": failures if missing else [],
        **received("samples", len(programs), max(n, len(replies))),
    }


async def run_sampled(sent: Sampled, context: Context) -> dict[str, Any]:
    """Run one of several programs."""
    try:
        answer, result = await _run(sent["program"], context)
    except RunError as error:
        return {"ran": [{"number": sent["number"], "answer": "", "evidence": [], "failed": str(error)}]}
    return {"ran": [{"number": sent["number"], "answer": answer, "evidence": [result], "failed": ""}]}


async def choose_program(state: DraftState, context: Context) -> dict[str, Any]:
    """Take the first program whose result is right; if there is none, the first that has a result."""
    ran = sorted(state["ran"], key=lambda each: each["number"])
    right = [each for each in ran if any(same_number(each["answer"], gold) for gold in state["gold"])]
    chosen = (right or [each for each in ran if each["answer"]] or ran)[0]
    text = state["programs"][chosen["number"]]
    failures: list[Failure] = [
        {"step": "execute", "reason": each["failed"], "unchecked": not right} for each in ran if each["failed"]
    ]
    samples = state["quorum"]["samples"]
    if not right and samples["had"] < samples["asked"]:
        failures += [{"step": "choose", "reason": "a missing program might have been right", "unchecked": True}]
    emit("draft", text=text)
    return {
        "text": text,
        "original": text,
        "answer": chosen["answer"],
        "evidence": chosen["evidence"],
        "failures": failures,
        "reason": f"{len(right)} of {len(ran)} different programs come to the right answer",
    }


async def _run(program: str, context: Context) -> tuple[str, Evidence]:
    """The result of a program, empty if it has none, and what was seen. Raises RunError if it cannot be run."""
    execution, result = await executed(program, context)
    return execution["value"] if answers(execution) else "", result
