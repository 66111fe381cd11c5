"""The state of methods that correct a text with evidence: questions, checks, proposals."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from ..records import Evidence, Verdict
from .running import RunState, append


class Question(TypedDict):
    """A question put to the text."""

    number: int
    """Its position among all questions; edits follow this order."""
    text: str
    passage: int
    """The passage of the text that it is about."""


class Found(TypedDict):
    """The results of the research for one question."""

    question: Question
    evidence: list[Evidence]
    failed: str
    """Why the search failed; empty if it did not. Finding nothing is not a failure."""


class Check(TypedDict):
    """One pair of question and evidence on its way through the gate."""

    question: str
    passage: int
    evidence: str
    """The id of the evidence; empty if there is none."""
    verdict: Verdict | None
    """None until the gate was asked, and again after the passage has changed."""
    settled: bool
    """Whether nothing is left to do about it."""
    replacement: str | None
    """The edited passage, from an edit that was asked for alongside the gate."""
    alone: NotRequired[bool]
    """Whether it is asked about by itself, because asking about several at once failed."""
    ungated: NotRequired[bool]
    """Whether an editor without gates was shown it."""
    edits: NotRequired[int]
    """How many edits were asked for to settle it."""
    corrected: NotRequired[Verdict | None]
    """The contradiction that an edit of the text has answered."""
    left: NotRequired[str]
    """Why the text still contradicts the evidence; absent or empty if it does not."""


class Proposal(TypedDict):
    """An edit before it is accepted."""

    check: int
    """The check that it answers."""
    before: str
    after: str
    start: int
    """The character offset of `before` in the passage when the edits of this round were proposed."""
    evidence: NotRequired[str]
    """The id of the evidence for it, empty if unknown; by default the check's."""
    also: NotRequired[list[str]]
    """The ids of further evidence that it rests on."""
    reason: NotRequired[str]
    """The reason; by default that of the check's verdict."""
    refused: str
    """Why it must not be applied; empty if it may."""


class CorrectionInput(TypedDict, total=False):
    """What to correct: a text, or a question to which an answer is drafted first.

    On a thread that was used before, omitted fields keep their last value: pass an empty text to have
    a draft written.
    """

    text: str
    """The text to check. Without it, an answer to `question` is drafted."""
    question: str
    """The question that the text answers, if any; it explains what the text's words refer to."""


class CorrectionState(RunState):
    """The data that flows between the steps."""

    passages: list[str]
    """The pieces of `text` that are corrected in parallel; joined, they are the text."""
    questions: list[Question]
    lost: list[int]
    """The numbers of the passages for which a round of questions failed, so that questions are missing."""
    found: Annotated[list[Found], append]
    """The results of research, in the order in which they arrived."""
    checks: list[Check]
    """Pairs of question and evidence, in question order."""
    proposals: list[Proposal]
    """Edits proposed in this round, those of a passage from left to right: one for each place where words are wrong."""
