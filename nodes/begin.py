"""The start of a run: reset what a checkpointer's thread still holds from the last run, and check the input."""

from collections.abc import Mapping
from typing import Any

from langchain_core.documents import Document
from langgraph.types import Overwrite

from ..models import check_names
from ..state import Context
from ..state.errors import ConfigurationError
from ..state.methods.refcheck import Reference
from ..state.text.segments import checked

INPUTS = ("text", "question", "history", "knowledge", "references", "own_claims", "paragraphs", "samples", "gold")
"""The input fields of the methods."""


def begun(state: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """The fields that all methods share at the start of a run.

    Raises:
        ConfigurationError: If text and question are both missing, if either is not a string, or for an unknown task.
    """
    check_names(context)
    check_limits(context)
    check_length(state, context)
    text, question = given(state, "text"), given(state, "question").strip()
    text = text if text.strip() else ""
    if not text and not question:
        raise ConfigurationError("there is nothing to check: give a text, or a question to draft an answer to")
    return {
        "text": text,
        "question": question,
        "original": text,
        "edits": [],
        "verdicts": [],
        "evidence": [],
        "attribution": [],
        "failures": Overwrite([]),
        "quorum": Overwrite({}),
        "unresolved": [],
        "status": "not checked",
        "spent": False,
        "stopped": None,
        "reason": "",
    }


def check_limits(context: Context) -> None:
    """Raise ConfigurationError for a limit that cannot be enforced."""
    if context.max_cost is not None and (context.input_price is None or context.output_price is None):
        raise ConfigurationError("max_cost needs token prices: set input_price and output_price")


def check_length(inputs: Mapping[str, Any], context: Context) -> None:
    """Raise ConfigurationError if the input has more characters than `max_chars`."""
    length = sum(_length(inputs.get(name)) for name in INPUTS)
    if context.max_chars is not None and length > context.max_chars:
        raise ConfigurationError(
            f"the input has {length:,} characters, and max_chars allows {context.max_chars:,}: send less text at once"
        )


def _length(value: Any) -> int:
    """The number of characters in all strings of a value."""
    if isinstance(value, Mapping):
        return sum(map(_length, value.values()))
    return len(value) if isinstance(value, str) else sum(map(_length, value)) if isinstance(value, list) else 0


def given(state: Mapping[str, Any], name: str) -> str:
    """The caller's `text` or `question`; None counts as empty.

    Raises:
        ConfigurationError: If it is not a string.
    """
    value = state.get(name)
    return checked("" if value is None else value, name)


def right_answers(state: Mapping[str, Any]) -> list[str]:
    """The caller's right answers, given as `gold`.

    Raises:
        ConfigurationError: If they are not a list of strings.
    """
    gold = state.get("gold") or []
    if not isinstance(gold, list):
        raise ConfigurationError(f"gold must be a list of right answers, not {type(gold).__name__}")
    return [checked(answer, "a right answer") for answer in gold]


def references_of(state: Mapping[str, Any]) -> list[str | Reference]:
    """The caller's `references`, with LangChain documents as plain records.

    Raises:
        ConfigurationError: If they are not texts, or all are empty.
    """
    references = state.get("references") or []
    if not isinstance(references, list | tuple):
        raise ConfigurationError(f"references must be a list of texts, not {type(references).__name__}")
    records = [_reference(each) for each in references]
    usable = [each for each in records if (each if isinstance(each, str) else each["text"]).strip()]
    if references and not usable:
        raise ConfigurationError("the references are empty: give texts to check against, or none to search for them")
    return usable


def _reference(value: Any) -> str | Reference:
    if isinstance(value, str):
        return checked(value, "a reference")
    if isinstance(value, Document):
        value = {**value.metadata, "text": value.page_content}
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        raise ConfigurationError(
            f"a reference is a text, an object with a `text`, or a LangChain document, not {value!r:.80}"
        )
    reference: Reference = {"text": checked(value["text"], "a reference")}
    if value.get("title"):
        reference["title"] = str(value["title"])
    if value.get("source"):
        reference["source"] = str(value["source"])
    return reference
