"""The state of methods that correct a text against evidence: questions, checks, proposals."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from ..records import Evidence, Verdict
from .running import RunState, append


class Question(TypedDict):
    """A question put to the text."""

    number: int
    """Its place among all questions; edits follow this order."""
    text: str
    passage: int
    """Which passage of the text it was asked of."""


class Found(TypedDict):
    """What research found for one question."""

    question: Question
    evidence: list[Evidence]
    failed: str
    """Why the search failed; empty if it did not. Finding nothing is no failure."""


class Check(TypedDict):
    """One pair of question and evidence on its way through the gate."""

    question: str
    passage: int
    evidence: str
    """Id of the evidence; empty if there is none."""
    verdict: Verdict | None
    """None until the gate was asked, and again when the passage has changed since."""
    settled: bool
    """Whether nothing is left to do about it."""
    replacement: str | None
    """The passage as an edit that was asked for alongside the gate would have it."""
    fused: NotRequired[bool]
    """Whether an editor that asks no gates had it before it."""
    edits: NotRequired[int]
    """How many edits were asked for to settle it."""
    corrected: NotRequired[Verdict | None]
    """The contradiction that an edit of the text has answered."""
    left: NotRequired[str]
    """Why the text still contradicts the evidence; absent or empty if it does not."""


class Proposal(TypedDict):
    """An edit before anybody agreed to it."""

    check: int
    """Which check it answers."""
    before: str
    after: str
    start: int
    """Character offset of `before` in the passage as it stood when the edits of this round were proposed."""
    evidence: NotRequired[str]
    """Id of the evidence that asked for it, empty if none can be told; by default the check's."""
    also: NotRequired[list[str]]
    """Ids of further evidence that it rests on."""
    reason: NotRequired[str]
    """Why; by default the reason of the check's verdict."""
    refused: str
    """Why it must not be applied; empty if it may."""


class CorrectionInput(TypedDict, total=False):
    """What to correct: a text, or a question to which an answer is drafted first.

    On a thread that was used before, what is left out keeps its last value: pass an empty text to have
    a draft written.
    """

    text: str
    """The text to check. Without it, an answer to `question` is drafted."""
    question: str
    """The question that the text answers, if there is one: it tells what the text's words refer to."""


class CorrectionState(RunState):
    """What flows between the steps."""

    passages: list[str]
    """The pieces of `text` that are corrected side by side; joined, they are the text."""
    questions: list[Question]
    lost: list[int]
    """Numbers of the passages of which a round of questions failed: what it would have asked nobody knows."""
    found: Annotated[list[Found], append]
    """What research found, in the order in which it arrived."""
    checks: list[Check]
    """Pairs of question and evidence, in question order."""
    proposals: list[Proposal]
    """Edits proposed in this round, those of a passage from left to right: one for each place where words are wrong."""
