"""The results of tools, as evidence: what a program returns, and how toxic a text is."""

import asyncio

from ..models.declined import declined
from ..state import Context, Evidence
from ..state.errors import ErrataError, ToolError
from ..tools import evidence, interpreter, scorer
from ..tools.python.execution import Execution, readable
from ..tools.search import describe
from ..tools.toxicity import Toxicity, feedback, offending


async def executed(program: str, context: Context) -> tuple[Execution, Evidence]:
    """The result of a program as evidence, and as text for a critic. Raises RunError if it cannot be run."""
    tool = await asyncio.to_thread(interpreter, context)
    execution = await tool.execute(program)
    source = f"python:{execution['backend']}"
    return execution, evidence(query=program, text=readable(execution), title="Execution", source=source, run=True)


def answers(execution: Execution) -> bool:
    """Whether a program produced an answer. None is none, nor is `nan`, nor an apology."""
    has_value = execution["error"] is None and execution["type"] not in ("", "NoneType")
    return has_value and execution["value"].casefold() != "nan" and not declined(execution["value"])


async def scored(text: str, context: Context) -> tuple[Toxicity, Evidence]:
    """The toxicity of a text as evidence, and as text for a critic. Raises ToolError if scoring failed."""
    tool = await asyncio.to_thread(scorer, context)
    try:
        toxicity = await tool.score(text)
        summary = feedback(toxicity)
    except ErrataError:
        raise
    except Exception as error:  # the caller's own scorer may raise anything
        raise ToolError(describe(error)) from error
    measures = getattr(tool, "measures", "")  # which the caller's own scorer need not provide
    source = f"toxicity:{toxicity['scorer']}"
    return toxicity, evidence(query=text, text=f"{summary}. {measures}", title=summary, source=source, run=True)


async def offending_words(text: str) -> list[str]:
    """The words that are offensive by themselves, according to the embedded scorer."""
    return [span["text"] for span in await asyncio.to_thread(offending, text)]
