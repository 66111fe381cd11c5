"""What tools that are run say: of a program what it comes to, of a text how toxic it is. Each as evidence."""

import asyncio

from ..state import Context, Evidence
from ..state.errors import ErrataError, ToolError
from ..tools import evidence, interpreter, scorer
from ..tools.python.execution import Execution, readable
from ..tools.search import describe
from ..tools.toxicity import Toxicity, feedback, offending


async def executed(program: str, context: Context) -> tuple[Execution, Evidence]:
    """What a program comes to, and the same in the words for a critic. Raises RunError if it cannot be run."""
    tool = await asyncio.to_thread(interpreter, context)
    execution = await tool.execute(program)
    source = f"python:{execution['backend']}"
    return execution, evidence(query=program, text=readable(execution), title="Execution", source=source, run=True)


def answers(execution: Execution) -> bool:
    """Whether a program came to an answer."""
    return execution["error"] is None and execution["type"] not in ("", "NoneType")


async def scored(text: str, context: Context) -> tuple[Toxicity, Evidence]:
    """How toxic a text is, and the same in the words that a critic is shown. Raises ToolError if nobody could tell."""
    tool = await asyncio.to_thread(scorer, context)
    try:
        toxicity = await tool.score(text)
        said = feedback(toxicity)
    except ErrataError:
        raise
    except Exception as error:  # a scorer of the caller's own may raise anything
        raise ToolError(describe(error)) from error
    measures = getattr(tool, "measures", "")  # which a scorer of the caller's own need not say
    source = f"toxicity:{toxicity['scorer']}"
    return toxicity, evidence(query=text, text=f"{said}. {measures}", title=said, source=source, run=True)


async def offending_words(text: str) -> list[str]:
    """The words that offend by themselves, by the embedded judge."""
    return [span["text"] for span in await asyncio.to_thread(offending, text)]
