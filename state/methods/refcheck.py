"""The state of RefChecker: the claims of a response, the passages they are checked against, and their labels."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from ..records import Label, Result, Verdict
from .correction import Found
from .labels import Distribution, Outcome
from .running import RunState, append


class Statement(TypedDict):
    """A claim as it was extracted."""

    id: str
    """`c1`, `c2` and so on, in the order of the response."""
    content: str
    """The claim as one sentence: of a triplet, its three parts."""
    subject: str
    predicate: str
    object: str
    """The parts of a triplet; empty for a subsentence."""
    sentences: list[int]
    """Numbers, from 1, of the response's sentences that it comes from."""


class Claim(Statement):
    """A claim with its place in the response, and what the references say of it."""

    start: int
    end: int
    """Character offsets in the response of the words that carry the claim."""
    label: Label
    reason: str
    """The thinking behind the label; for `error`, what failed."""
    evidence: str
    """Id of the passage that decided; empty if none did."""
    quote: str
    """The sentence of that passage that the claim's words fit best."""
    backend: str
    """The backend of the task model that judged."""


class Reference(TypedDict):
    """A text to check against."""

    text: str
    title: NotRequired[str]
    source: NotRequired[str]
    """Address or path."""


class Job(TypedDict):
    """Claims to check against one passage in one go."""

    evidence: str
    """Id of the passage."""
    claims: list[str]
    """Ids of the claims."""


class Checked(TypedDict):
    """What one passage says of one claim."""

    claim: str
    verdict: Verdict


class RefCheckInput(TypedDict, total=False):
    """What to check, and against what.

    On a thread that was used before, what is left out keeps its last value: pass an empty text to have a draft
    written, and an empty list to have references searched for.
    """

    text: str
    """The response to check. Without it, an answer to `question` is drafted."""
    question: str
    """The question that the response answers, if there is one."""
    references: list[str | Reference]
    """Texts to check against. Without any, they are searched for (RefChecker's zero-context setting)."""


class Judged(TypedDict):
    """What the labels of the claims come to."""

    claims: list[Claim]
    distribution: Distribution | None
    """Shares of the labels among the claims that have one; None if nothing could be checked."""
    strict: Outcome
    """The worst label; the response is factual if it is `entailment`."""
    major: Outcome
    """The most common label."""
    tied: bool
    """Whether `major` is the worse one of equally common labels."""
    errors: int
    """Claims that could not be checked."""


class RefCheckState(RunState, Judged):
    """What flows between the steps."""

    references: list[str | Reference]
    sentences: list[list[int]]
    """Character offsets of the response's sentences; the first is sentence 1."""
    statements: list[Statement]
    found: Annotated[list[Found], append]
    """What was found where references were searched for, in the order in which it arrived."""
    jobs: list[Job]
    checked: Annotated[list[Checked], append]
    """Verdicts of single passages, in the order in which they arrived."""
    verdict_of: dict[str, Verdict]
    """The merged verdict of each claim, by its id."""


class RefCheckResult(Result, Judged):
    """A result, claim by claim. The text is checked and not changed."""
