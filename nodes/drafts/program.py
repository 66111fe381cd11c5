"""A program whose result is the answer (program of thought; Chen et al. 2023, arXiv 2211.12588)."""

from typing import Any

from ...models import task
from ...models.tasks.drafting import PROGRAM
from ...state import Context
from ...state.errors import RunError
from ...state.methods.drafts import DraftState
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
        execution, result = await executed(state["text"], context)
    except RunError as error:
        return failed("execute", error)
    emit("execute", observation=result["text"])
    return {"evidence": [result], "answer": execution["value"] if answers(execution) else ""}
