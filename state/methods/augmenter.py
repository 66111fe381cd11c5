"""The state of LLM-Augmenter (arXiv 2302.12813): its working memory, and what the policy makes of it."""

from typing import Literal

from typing_extensions import TypedDict

from ..records import Result
from .running import RunState

Action = Literal["consolidate", "prompt", "send"]
"""What the policy chooses from: get evidence, ask the model for a response, send the best response."""


class Message(TypedDict):
    """One turn of a dialogue."""

    role: Literal["user", "assistant"]
    content: str


class Score(TypedDict):
    """The utility of one candidate response. Each number is from 0 to 1, or None where nobody could tell."""

    text: str
    """The candidate."""
    kf1: float | None
    """Knowledge F1: its overlap in words with the evidence; None without evidence."""
    fluency: float | None
    informativeness: float | None
    factuality: float | None
    """The three sides that the `model` utility looks at; None with the utility `kf1`."""
    overall: float | None
    """What is compared with the threshold: KF1, or the worst of the three sides."""


class Link(TypedDict):
    """An edge of the evidence graph: a piece of evidence names an entity that another piece describes."""

    name: str
    evidence: str
    """Id of the evidence that names it."""
    description: str
    """Id of the evidence that describes it."""


class AugmenterInput(TypedDict, total=False):
    """What to respond to.

    On a thread that was used before, what is left out keeps its last value: pass an empty text and history to begin
    anew.
    """

    question: str
    """The user's message."""
    history: list[Message]
    """The dialogue before it, oldest first."""
    text: str
    """A first response of the caller's own. Without it, the model writes one."""
    knowledge: list[str]
    """Evidence that is known to be right. Given, nothing is searched for."""


class AugmenterState(RunState):
    """Working memory. In the paper's letters: q is `question`, h `history`, e `evidence`, o `candidates`, u `scores`,
    and f `feedback`.
    """

    history: list[Message]
    knowledge: list[str]
    links: list[Link]
    """What the entity linker added to the raw evidence."""
    chains: list[list[str]]
    """The evidence as the chainer left it: paths of ids. `evidence` holds the same pieces in the same order."""
    candidates: list[str]
    scores: list[Score]
    """One for each candidate."""
    judgement: str
    """What the model that scored the last candidate says of it; empty where words were counted."""
    critique: str
    """Feedback on the last candidate that no response has heeded yet: there is some only if it is below the threshold
    and another round is left."""
    feedback: list[str]
    """All feedback that was given."""
    tried: list[Action]
    """What was done so far, in order."""
    open: list[Action]
    """What the bounds leave to choose from."""
    chosen: Action | None
    """What a model chose of it, where a model is the policy."""


class AugmenterResult(Result):
    """A result, with the utility of every candidate and the feedback between them."""

    scores: list[Score]
    feedback: list[str]
