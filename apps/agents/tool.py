"""A method as a tool for an agent."""

from typing import Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, Field

from ...graphs import METHODS, check_method, load
from ...state import Context, Result
from ...state.errors import ConfigurationError, ErrataError
from ...state.methods.refcheck import Claim
from ...state.records import Status
from ...state.runs.hosts import trusted

SAID: dict[Status, str] = {
    "corrected": "Corrected",
    "checked": "Checked: nothing is wrong",
    "unchanged": "Nothing wrong was found, but not all of this text could be compared with evidence",
    "unresolved": "WRONG: evidence contradicts this text, and it was not put right",
    "not checked": "NOT CHECKED: nothing in this text could be compared with evidence",
}
"""What an agent is told about a text, by status."""
TEXTS = ("corrects", "checks")
"""The kinds of methods that take a text."""


class ToCorrect(BaseModel):
    """The input of the tool."""

    text: str = Field(description="The text to check and correct.")
    question: str = Field(default="", description="The question that the text answers, if it answers one.")


def tool_name(method: str) -> str:
    """The name of a method's tool, such as `correct_with_rarr`."""
    return f"{'check' if method in METHODS and METHODS[method].kind == 'checks' else 'correct'}_with_{method}"


def as_tool(
    method: str = "rarr", context: Context | None = None, *, name: str | None = None, description: str | None = None
) -> BaseTool:
    """Make a LangChain tool that checks a text. Its content is the outcome, its artifact the Result.

    The content is the text, corrected where possible, and below it what was done: corrected, checked, not checked, or
    still wrong. Errors in a call are reported to the agent, too.

    Args:
        method: A method that takes a text: `rarr`, `refchecker`, ...
        context: The settings of its runs; an agent can't change them.
        name: The name of the tool; `correct_with_rarr` and so on if None, so that an agent can have several.
        description: The description for the agent; a line about the method if None.

    Returns:
        The tool.

    Raises:
        ConfigurationError: If there is no such method, if it checks no texts, or if the settings ask for review.
    """
    check_method(method)
    record = METHODS[method]
    if record.kind not in TEXTS:
        fit = ", ".join(name for name, each in METHODS.items() if each.kind in TEXTS)
        raise ConfigurationError(f"`{method}` checks no text that it is given: as a tool, use {fit}")
    settings = trusted(context or Context())
    if settings.review:
        raise ConfigurationError(
            "a tool cannot wait for a person: leave `review` out, or use the middleware CorrectFinalAnswer, which can"
        )
    graph = load(method)

    def correct(text: str, question: str = "") -> tuple[str, Result]:
        try:
            return readable(graph.invoke(_input(text, question), context=settings))
        except ErrataError as error:
            raise _untouched(error) from error

    async def correct_async(text: str, question: str = "") -> tuple[str, Result]:
        try:
            return readable(await graph.ainvoke(_input(text, question), context=settings))
        except ErrataError as error:
            raise _untouched(error) from error

    verb = "say whether each of its claims is supported" if record.kind == "checks" else "correct what it contradicts"
    return StructuredTool.from_function(
        correct,
        correct_async,
        name=name or tool_name(method),
        description=description or f"Check a text against evidence and {verb}. {record.title}",
        args_schema=ToCorrect,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


def _input(text: str, question: str) -> dict[str, Any]:
    if not text.strip():
        raise ToolException("there is nothing to check: the text is empty")
    return {"text": text, "question": question}


def _untouched(error: ErrataError) -> ToolException:
    return ToolException(f"NOT CHECKED: {error}")


def readable(result: Result) -> tuple[str, Result]:
    """The text for an agent, with the outcome; for RefChecker the claims instead of the text."""
    fields: dict[str, Any] = {**result}
    claims: list[Claim] = fields.get("claims") or []
    content = "\n".join(f"- {claim['label']}: {claim['content']}" for claim in claims) or result["text"]
    outcome = (
        f"NOT CHECKED in full: {result['reason']}" if result["stopped"] == "error" else _outcome(result, bool(claims))
    )
    remaining = [f"Still wrong: {wrong['sentence']} ({wrong['reason']})" for wrong in result["unresolved"]]
    return "\n".join([content, "", f"({outcome})", *remaining]), result


def _outcome(result: Result, by_claim: bool) -> str:
    return result["reason"] if by_claim else f"{SAID[result['status']]}; {result['reason']}"
