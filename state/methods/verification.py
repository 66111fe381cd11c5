"""The state of Verify-and-Edit (arXiv 2305.03268): sampled paths, how far they agree, and the sentences of one."""

from math import ceil, exp
from typing import Annotated, Literal, NamedTuple

from typing_extensions import TypedDict

from ..context import Context
from ..records import Evidence, Failure, Label, Result, Usage
from ..runs.kept import Kept
from ..runs.meter import Interval, add_interval, add_usage
from ..text.answers import is_null
from ..text.values import agreeing
from .running import RunState, append

Mode = Literal["count", "probability"]


class Path(TypedDict):
    """One chain of thought."""

    text: str
    answer: str
    """The short answer that it comes to; empty if it comes to none."""
    logprob: float | None
    """Mean log-probability of its tokens; None where the model does not tell."""


class Sentence(TypedDict):
    """A sentence of the chain of thought, and what became of it."""

    number: int
    before: str
    """As it was, without a word like `First,` that only numbers it."""
    start: int
    end: int
    """Character offsets of `before` in the original."""
    question: str
    """The verifying question; empty if none was asked."""
    evidence: list[str]
    """Ids of the evidence that the question was answered from, best first."""
    after: str
    """As it is now."""
    verified: bool
    """Whether evidence tells about it. Where none does, it stays as it was."""
    label: Label | None
    """entailment: the evidence agrees with it; contradiction: it says something else; neutral: it tells nothing; error:
    nobody could look. None while nobody has looked."""
    reason: str


class VerifyInput(TypedDict, total=False):
    """A question, or a claim, to answer with a chain of thought that is checked where the model is unsure.

    On a thread that was used before, what is left out keeps its last value: pass an empty text and no samples to have
    chains of thought sampled.
    """

    question: str
    """The question; with the setting `claim`, a claim to verify."""
    text: str
    """A chain of thought of the caller's own. Nobody knows how sure it is, so every sentence of it is verified."""
    samples: list[str]
    """Chains of thought of the caller's own, sampled elsewhere: the gate goes by them, and `text` is not looked at."""
    paragraphs: list[str]
    """What the `dataset` search searches."""


class Sent(TypedDict):
    """What is sent to the verification of one sentence."""

    sentence: Sentence
    question: str
    rationale: str
    """The sentences before it, corrected; empty where all are verified at once."""
    paragraphs: list[str]
    settings: Kept


class Checking(Sent):
    """What flows between the steps of the verification of one sentence."""

    found: Annotated[list[Evidence], append]
    checked: Annotated[list[Sentence], append]
    failures: Annotated[list[Failure], append]
    usage: Annotated[Usage, add_usage]
    worked: Annotated[list[Interval], add_interval]


class Checked(TypedDict):
    """What the verification of one sentence leaves to the method."""

    checked: list[Sentence]
    found: list[Evidence]
    failures: list[Failure]
    usage: Usage
    worked: list[Interval]


class VerifyState(RunState):
    """What flows between the steps."""

    samples: list[str]
    paragraphs: list[str]
    paths: list[Path]
    asked: int
    """Chains of thought that were asked for, or given: `paths` are those that came."""
    consistency: float | None
    """How far the paths agree, from 0 to their number; None where nothing was sampled."""
    mode: Mode
    """How `consistency` was measured."""
    answer: str
    original_answer: str
    sentences: list[Sentence]
    checked: Annotated[list[Sentence], append]
    """Sentences as they come out of verification, in the order in which they arrive."""
    found: Annotated[list[Evidence], append]
    """What research found for them."""


class VerifyResult(Result):
    """A result. `original` and `text` are the chain of thought as it was kept of the samples, and as edited."""

    answer: str
    """The short answer that `text` comes to; empty if it comes to none."""
    original_answer: str
    consistency: float | None
    mode: Mode
    paths: list[Path]
    """What was sampled."""
    sentences: list[Sentence]
    """The sentences of `original`, if they were verified; empty if the samples agreed."""


class Agreed(NamedTuple):
    """How far paths agree."""

    score: float
    place: int
    """Of the path to keep."""
    mode: Mode
    """How that was measured."""
    lead: float
    """By how much the answer of that path leads the next one."""


def consistency(paths: list[Path], mode: Mode) -> tuple[float, int, Mode]:
    """How far paths agree, the place of the one to keep, and how that was measured.

    count
        the number of paths that give the answer which most give, each in a form of its own
    probability
        p = exp(mean token log-probability) of a path; the largest sum of p over the paths with the same answer
        (Verify-and-Edit, section 3.1). By `count` where the model does not tell it of every path with an answer.

    A path without an answer agrees with none; where all are, the score is 0 and the first is kept. Ties go to the
    answer that came first. Of the paths with that answer the most probable is kept, or the first.
    """
    return _agreed(paths, mode)[:3]


def _agreed(paths: list[Path], mode: Mode) -> Agreed:
    known = [(place, path) for place, path in enumerate(paths) if not is_null(path["answer"])]
    if any(path["logprob"] is None for _, path in known):
        mode = "count"
    weights = [exp(path["logprob"] or 0.0) if mode == "probability" else 1.0 for _, path in known]
    if not known:
        return Agreed(0.0, 0, mode, 0.0)
    alike = agreeing([path["answer"] for _, path in known])
    scores = [sum(weights[each] for each in places) for places in alike]
    best = scores.index(max(scores))
    kept = max(alike[best], key=lambda place: weights[place])
    others = [score for place, score in enumerate(scores) if place not in alike[best]]
    return Agreed(scores[best], known[kept][0], mode, scores[best] - max(others, default=0.0))


def threshold(asked: int, context: Context) -> float:
    """The consistency below which a chain of thought is verified; half the number of paths by default (section 5.4).

    Args:
        asked: Paths that were asked for: those that did not come agree with nothing.
        context: The settings of the run.
    """
    return ceil(asked / 2) if context.consistency_threshold is None else context.consistency_threshold


def is_sure(state: VerifyState, context: Context) -> bool:
    """Whether the paths agree: as far as the threshold asks for, and whatever those had said that did not come."""
    if not state["paths"]:
        return False
    found = _agreed(state["paths"], state["mode"])
    missing = state["asked"] - len(state["paths"])
    return found.score >= threshold(state["asked"], context) and (not missing or found.lead > missing)
