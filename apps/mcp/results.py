"""The results of the MCP tools: what a client is told of a run, in a few fields that a model can read."""

from typing import Any, TypeVar

from pydantic import BaseModel, Field

from ...state import Evidence
from ...state.records import Label, SentenceStatus, Status, Stopped, cited

LONGEST_QUOTE = 500
"""How many characters of a piece of evidence a client is shown."""
MOST_SOURCES = 3
"""How many pieces of evidence are shown for one sentence."""


class CitedSource(BaseModel):
    """A piece of evidence."""

    title: str
    source: str = Field(description="Address or path.")
    quote: str = Field(description="Words of it.")


class TextChange(BaseModel):
    """A change that was made."""

    before: str
    after: str
    reason: str
    sources: list[CitedSource]


class Citation(BaseModel):
    """A sentence of the final text, and its evidence."""

    sentence: str
    status: SentenceStatus
    sources: list[CitedSource]


class Contradiction(BaseModel):
    """A sentence that evidence contradicts and that was not corrected."""

    sentence: str
    reason: str = Field(description="What is wrong.")
    left: str = Field(description="Why it was not put right.")
    sources: list[CitedSource]


class RunSummary(BaseModel):
    """The result of every tool."""

    text: str = Field(description="The final text.")
    status: Status = Field(
        description="corrected; checked: nothing is wrong; unchanged: not all of it could be compared with evidence; "
        "unresolved: evidence contradicts it and it stands; not checked."
    )
    stopped: Stopped = Field(description="Why the run ended. After `error`, some or all of the text is unchecked.")
    reason: str = Field(description="The same in a sentence.")


class CorrectedText(RunSummary):
    """The result of `correct_text` and `ask`."""

    changes: list[TextChange]
    citations: list[Citation]
    unresolved: list[Contradiction]


class CheckedClaim(BaseModel):
    """One claim of the text."""

    claim: str
    label: Label = Field(description="What the evidence says of it. `neutral`: nothing; `error`: it was not checked.")
    reason: str
    sources: list[CitedSource]


class CheckedText(RunSummary):
    """The result of `check_text`."""

    claims: list[CheckedClaim]


Shape = TypeVar("Shape", CorrectedText, CheckedText)


def told(result: dict[str, Any], shape: type[Shape]) -> Shape:
    """A method's result, in the shape that a tool returns."""
    pieces: dict[str, Evidence] = {piece["id"]: piece for piece in result["evidence"]}

    def sourced(record: dict[str, Any], ids: list[str], **more: Any) -> dict[str, Any]:
        """A record with the sources that its ids name; its quote, if it has one, is from the first of them."""
        found = [pieces[each] for each in ids if each in pieces][:MOST_SOURCES]
        quotes = [record.get("quote", ""), *[""] * MOST_SOURCES]
        sources = [_source(piece, quote) for piece, quote in zip(found, quotes, strict=False)]
        return {**record, "sources": sources, **more}

    return shape.model_validate(
        {
            **result,
            "changes": [sourced(edit, cited(edit)) for edit in result["edits"] if edit["applied"]],
            "citations": [sourced(part, part["evidence"]) for part in result["attribution"]],
            "unresolved": [sourced(wrong, [wrong["evidence"]]) for wrong in result["unresolved"]],
            "claims": [
                sourced(claim, [claim["evidence"]], claim=claim["content"]) for claim in result.get("claims") or []
            ],
        }
    )


def _source(piece: Evidence, quote: str) -> CitedSource:
    words = quote or piece["text"]
    quoted = words if len(words) <= LONGEST_QUOTE else words[: LONGEST_QUOTE - 1] + "…"
    return CitedSource(title=piece["title"], source=piece["source"], quote=quoted)
