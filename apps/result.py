"""The result of a run, for programs."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from langchain_core.messages.content import Citation, create_citation

from ..state import Attribution, Edit, Evidence, SentenceStatus, Status, Unresolved, Usage, Verdict
from ..state import Result as Fields
from ..state.methods.refcheck import Claim
from ..state.text.diff import unified
from .reports.report import link, render

BORNE_OUT: tuple[SentenceStatus, ...] = ("checked", "corrected")
"""The status of a sentence that its evidence supports."""


class Result(Mapping[str, Any]):
    """The result of a run: the fields that its graph returned, by name and as properties.

    `str(result)` is the text, and `result["..."]` gives any field that the method returns, such as `result["edits"]`.
    """

    def __init__(self, fields: Fields, *, method: str, question: str = "") -> None:
        self._fields = fields
        self.method = method
        """The method that was run."""
        self.question = question
        """The question that the text answers."""

    def __getitem__(self, name: str) -> Any:
        return cast("dict[str, Any]", self._fields)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Result({self.method}, {self.status!r}, {self.text!r})"

    @property
    def text(self) -> str:
        """The text as corrected, checked or written."""
        return self._fields["text"]

    @property
    def original(self) -> str:
        """The text as given or drafted."""
        return self._fields["original"]

    @property
    def status(self) -> Status:
        """The outcome: corrected, checked, unchanged, unresolved or not checked."""
        return self._fields["status"]

    @property
    def reason(self) -> str:
        """Why the run ended and how the checks went, in a sentence."""
        return self._fields["reason"]

    @property
    def changes(self) -> list[Edit]:
        """The edits that were made, in order. `result["edits"]` also has those that were refused."""
        return [edit for edit in self._fields["edits"] if edit["applied"]]

    @property
    def attributions(self) -> list[Attribution]:
        """Each sentence of the text with its status and its evidence."""
        return self._fields["attribution"]

    @property
    def citations(self) -> list[Citation]:
        """Where evidence supports the text, as LangChain's standard citations."""
        return citations(self._fields)

    @property
    def evidence(self) -> list[Evidence]:
        """The evidence that the text was compared with."""
        return self._fields["evidence"]

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdict of the evidence on each question that was asked about the text."""
        return self._fields["verdicts"]

    @property
    def claims(self) -> list[Claim]:
        """The claims of the text; only for `check`."""
        claims: list[Claim] = self.get("claims", [])
        return claims

    @property
    def unresolved(self) -> list[Unresolved]:
        """Known contradictions that remain in the text."""
        return self._fields["unresolved"]

    @property
    def usage(self) -> Usage:
        """What the run cost."""
        return self._fields["usage"]

    def diff(self) -> str:
        """The change from the original to the text, as `diff -u` shows it; empty if there is none."""
        return unified(self.original, self.text)

    def to_html(self) -> str:
        """A report to read, keep and send: one HTML document that loads nothing."""
        return render(self._fields, method=self.method, question=self.question)

    def to_dict(self) -> dict[str, Any]:
        """All fields, JSON-like."""
        return {**self._fields}


def citations(result: Fields) -> list[Citation]:
    """LangChain's standard citations of a text.

    Args:
        result: The result.

    Returns:
        One for each piece of evidence that supports a sentence. `start_index` and `end_index` are offsets in the text.
        A source that is not a web address is in `extras`, because programs turn `url` into links.
    """
    pieces = {piece["id"]: piece for piece in result["evidence"]}
    return [
        _citation(part, pieces[evidence_id], part.get("quote") if place == 0 else None)
        for part in result["attribution"]
        if part["status"] in BORNE_OUT
        for place, evidence_id in enumerate(part["evidence"])
        if evidence_id in pieces
    ]


def _citation(part: Attribution, piece: Evidence, quote: str | None) -> Citation:
    return create_citation(
        url=link(piece["source"]) or None,
        title=piece["title"] or None,
        start_index=part["start"],
        end_index=part["end"],
        cited_text=quote,
        id=f"{piece['id']}-{part['start']}",
        source=piece["source"],
        status=part["status"],
    )
