"""A method as a tool that an agent calls."""

from typing import Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, Field

from ..graphs import METHODS, load
from ..state import Context, Result
from ..state.errors import ErrataError
from ..state.hosts import trusted
from ..state.refcheck import Claim


class ToCorrect(BaseModel):
    """Input of the tool."""

    text: str = Field(description="The text to check and correct.")
    question: str = Field(default="", description="The question that the text answers, if it answers one.")


def as_tool(method: str = "rarr", context: Context | None = None) -> BaseTool:
    """A LangChain tool, `correct_text`: the corrected text is its content, the Result its artifact.

    context
        Settings of its runs; an agent can't change them.

    Raises ConfigurationError for an unknown method. What goes wrong in a call is told to the agent.
    """
    graph = load(method)
    settings = trusted(context or Context())

    def correct(text: str, question: str = "") -> tuple[str, Result]:
        try:
            return _readable(graph.invoke(_input(text, question), context=settings))
        except ErrataError as error:
            raise ToolException(str(error)) from error

    async def correct_async(text: str, question: str = "") -> tuple[str, Result]:
        try:
            return _readable(await graph.ainvoke(_input(text, question), context=settings))
        except ErrataError as error:
            raise ToolException(str(error)) from error

    return StructuredTool.from_function(
        correct,
        correct_async,
        name="correct_text",
        description=f"Check a text against evidence and correct what the evidence contradicts. {METHODS[method]}",
        args_schema=ToCorrect,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


def _input(text: str, question: str) -> dict[str, Any]:
    if not text.strip():
        raise ToolException("there is nothing to check: the text is empty")
    return {"text": text, "question": question}


def _readable(result: Result) -> tuple[str, Result]:
    """The text for the agent, who is told what is said of its claims, and if it was not checked through."""
    claims: list[Claim] = result.get("claims") or []  # type: ignore[assignment]  # of RefChecker only
    if claims:
        labels = "\n".join(f"- {claim['label']}: {claim['content']}" for claim in claims)
        return f"{labels}\n\n({result['reason']})", result
    unchecked = f"\n\n(Not checked through: {result['reason']})" if result["stopped"] == "error" else ""
    return result["text"] + unchecked, result
