"""The state of RefChecker: the claims of a response, the passages they are checked against, and their labels."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from ..records import Label, Result, Verdict
from .correction import Found
from .labels import Distribution, Outcome
from .running import RunState, append


class Statement(TypedDict):
    """An extracted claim."""

    id: str
    """`c1`, `c2` and so on, in the order of the response."""
    content: str
    """The claim as one sentence; for a triplet, its three parts."""
    subject: str
    predicate: str
    object: str
    """The parts of a triplet; empty for a subsentence."""
    sentences: list[int]
    """The numbers, from 1, of the response's sentences that it comes from."""


class Claim(Statement):
    """A claim with its place in the response, and what the references say about it."""

    start: int
    end: int
    """The character offsets in the response of the words that state the claim."""
    label: Label
    reason: str
    """The reasoning behind the label; for `error`, what failed."""
    evidence: str
    """The id of the passage that decided; empty if none did."""
    quote: str
    """The sentence of that passage that best matches the claim's words."""
    backend: str
    """The backend that judged."""


class Reference(TypedDict):
    """A text to check against."""

    text: str
    title: NotRequired[str]
    source: NotRequired[str]
    """Address or path."""


class Job(TypedDict):
    """Claims to check against one passage in one call."""

    evidence: str
    """The id of the passage."""
    claims: list[str]
    """The ids of the claims."""


class Checked(TypedDict):
    """The verdict of one passage on one claim."""

    claim: str
    verdict: Verdict


class RefCheckInput(TypedDict, total=False):
    """What to check, and against what.

    On a thread that was used before, omitted fields keep their last value: pass an empty text to have a draft
    written, and an empty list to have references searched for.
    """

    text: str
    """The response to check. Without it, an answer to `question` is drafted."""
    question: str
    """The question that the response answers, if there is one."""
    references: list[str | Reference]
    """Texts to check against. Without any, they are searched for (RefChecker's zero-context setting)."""
    own_claims: list[str | list[str]]
    """Claims to check instead of those that the response makes: sentences, or triplets of subject, predicate and
    object. They need no response.
    """


class Judged(TypedDict):
    """The summary of the claims' labels."""

    claims: list[Claim]
    distribution: Distribution | None
    """The share of each label among the claims that have one; None if nothing could be checked."""
    strict: Outcome
    """The worst label; the response is factual if it is `entailment`."""
    major: Outcome
    """The most common label."""
    tied: bool
    """Whether `major` is the worse one of equally common labels."""
    errors: int
    """The number of claims that could not be checked."""


class RefCheckState(RunState, Judged):
    """The data that flows between the steps."""

    references: list[str | Reference]
    own_claims: list[str | list[str]]
    sentences: list[list[int]]
    """The character offsets of the response's sentences; the first is sentence 1."""
    statements: list[Statement]
    found: Annotated[list[Found], append]
    """References found by search, in the order in which they arrived."""
    jobs: list[Job]
    checked: Annotated[list[Checked], append]
    """The verdicts of single passages, in the order in which they arrived."""
    verdict_of: dict[str, Verdict]
    """The merged verdict of each claim, by its id."""


class RefCheckResult(Result, Judged):
    """A result, claim by claim. The text is checked and not changed."""
