"""The state of LLM-Augmenter (arXiv 2302.12813): its working memory, and the policy's decisions."""

from typing import Literal

from typing_extensions import TypedDict

from ..records import Result
from .running import RunState

Action = Literal["consolidate", "prompt", "send"]
"""The policy's actions: get evidence, ask the model for a response, send the best response."""


class Message(TypedDict):
    """One turn of a dialogue."""

    role: Literal["user", "assistant"]
    content: str


class Score(TypedDict):
    """The utility of one candidate response. Each number is from 0 to 1, or None if unknown."""

    text: str
    """The candidate."""
    kf1: float | None
    """Knowledge F1: its word overlap with the evidence; None without evidence."""
    fluency: float | None
    informativeness: float | None
    factuality: float | None
    """The three aspects that the `model` utility scores; None otherwise None."""
    overall: float | None
    """The score that is compared with the threshold: the lowest of the three aspects, or KF1 or recall (0 if the
    evidence contradicts the candidate)."""


class Link(TypedDict):
    """An edge of the evidence graph: a piece of evidence names an entity that another piece describes."""

    name: str
    evidence: str
    """The id of the evidence that names it."""
    description: str
    """The id of the evidence that describes it."""


class Decision(TypedDict):
    """What the policy saw when it chose an action."""

    features: dict[str, float]
    open: list[Action]


class AugmenterInput(TypedDict, total=False):
    """What to respond to.

    On a thread that was used before, omitted fields keep their last value: pass an empty text and history to start
    over.
    """

    question: str
    """The user's message."""
    history: list[Message]
    """The dialogue before it, oldest first."""
    text: str
    """The caller's own first response. Without it, the model writes one."""
    knowledge: list[str]
    """Evidence that is known to be right. If given, nothing is searched for."""


class AugmenterState(RunState):
    """Working memory.

    In the paper's letters: q is `question`, h `history`, e `evidence`, o `candidates`, u `scores`, and f `feedback`.
    """

    history: list[Message]
    knowledge: list[str]
    links: list[Link]
    """What the entity linker added to the raw evidence."""
    chains: list[list[str]]
    """The chained evidence: paths of ids. `evidence` holds the same pieces in the same order."""
    candidates: list[str]
    scores: list[Score]
    """One for each candidate."""
    judgement: str
    """The comment of the model that scored the last candidate; empty if words were counted."""
    critique: str
    """Feedback on the last candidate that no response has used yet; only if it is below the threshold and a round is
    left.
    """
    feedback: list[str]
    """All feedback so far."""
    tried: list[Action]
    """The actions so far, in order."""
    open: list[Action]
    """The actions that the bounds leave open."""
    decisions: list[Decision]
    """What the policy saw each time it chose; only for a log."""
    chosen: Action | None
    """The action that a model chose, if a model is the policy."""


class AugmenterResult(Result):
    """A result, with the utility of every candidate and the feedback between them."""

    scores: list[Score]
    feedback: list[str]
