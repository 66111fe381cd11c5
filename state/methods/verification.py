"""The state of Verify-and-Edit (arXiv 2305.03268): sampled paths, how far they agree, and the sentences of one."""

from math import ceil, exp
from typing import Annotated, Literal, NamedTuple, NotRequired

from typing_extensions import TypedDict

from ..context import Context
from ..records import Evidence, Failure, Label, Result, Usage
from ..runs.kept import Kept
from ..runs.meter import Interval, add_interval, add_usage
from ..text.answers import is_null
from ..text.values import agreeing
from .running import RunState, append

Mode = Literal["count", "probability"]
Weighing = Literal["auto", "count", "probability"]


class Path(TypedDict):
    """One chain of thought."""

    text: str
    answer: str
    """The short answer that it reaches; empty if it reaches none."""
    logprob: float | None
    """The mean log-probability of its tokens; None if the model does not report it."""
    answer_logprob: NotRequired[float | None]
    """The log-probability of the answer: the sum over its tokens. None if unknown, or if there is no answer."""


class Sentence(TypedDict):
    """A sentence of the chain of thought, and what happened to it."""

    number: int
    before: str
    """Its original text, without a word such as `First,` that only numbers it."""
    start: int
    end: int
    """The character offsets of `before` in the original."""
    question: str
    """The verifying question; empty if none was asked."""
    evidence: list[str]
    """The ids of the evidence that the question was answered from, best first."""
    after: str
    """Its current text."""
    verified: bool
    """Whether evidence decides it. Otherwise it stays as it was."""
    label: Label | None
    """entailment: the evidence agrees with it; contradiction: the evidence says something else; neutral: the evidence
    does not decide it; error: it could not be looked up. None while it has not been looked up.
    """
    reason: str


class VerifyInput(TypedDict, total=False):
    """A question, or a claim, to answer with a chain of thought that is checked if the model is unsure.

    On a thread that was used before, omitted fields keep their last value: pass an empty text and no samples to have
    chains of thought sampled.
    """

    question: str
    """The question; with the setting `claim`, a claim to verify."""
    text: str
    """The caller's own chain of thought. Its consistency is unknown, so every sentence is verified."""
    samples: list[str]
    """The caller's own samples of chains of thought: the gate uses them, and `text` is ignored."""
    paragraphs: list[str]
    """What the `dataset` search searches."""


class Sent(TypedDict):
    """The input of the verification of one sentence."""

    sentence: Sentence
    question: str
    rationale: str
    """The sentences before it, corrected; empty if all are verified at once."""
    paragraphs: list[str]
    settings: Kept


class Checking(Sent):
    """The data that flows between the steps of the verification of one sentence."""

    found: Annotated[list[Evidence], append]
    checked: Annotated[list[Sentence], append]
    failures: Annotated[list[Failure], append]
    usage: Annotated[Usage, add_usage]
    worked: Annotated[list[Interval], add_interval]


class Checked(TypedDict):
    """What the verification of one sentence returns to the method."""

    checked: list[Sentence]
    found: list[Evidence]
    failures: list[Failure]
    usage: Usage
    worked: list[Interval]


class VerifyState(RunState):
    """The data that flows between the steps."""

    samples: list[str]
    paragraphs: list[str]
    paths: list[Path]
    asked: int
    """How many chains of thought were requested, or given; `paths` are those received."""
    consistency: float | None
    """How far the paths agree, from 0 to their number; None if nothing was sampled."""
    mode: Mode
    """How `consistency` was measured."""
    answer: str
    original_answer: str
    sentences: list[Sentence]
    checked: Annotated[list[Sentence], append]
    """Sentences as verification returns them, in the order in which they arrive."""
    found: Annotated[list[Evidence], append]
    """The evidence found for them."""


class VerifyResult(Result):
    """A result. `original` and `text` are the chosen chain of thought before and after editing."""

    answer: str
    """The short answer in `text`; empty if there is none."""
    original_answer: str
    consistency: float | None
    mode: Mode
    paths: list[Path]
    """The samples."""
    sentences: list[Sentence]
    """The sentences of `original`, if they were verified; empty if the samples agreed."""


class Agreed(NamedTuple):
    """How far paths agree."""

    score: float
    place: int
    """The index of the path to keep."""
    mode: Mode
    """How it was measured."""
    lead: float
    """How far the answer of that path leads the next one."""


def consistency(paths: list[Path], mode: Weighing) -> tuple[float, int, Mode]:
    """How far paths agree, the index of the path to keep, and how that was measured.

    With `count`, the score is the number of paths with the majority answer. With `probability`, it is the largest sum
    of p = exp(mean token log-probability) over the paths with the same answer (Verify-and-Edit, section 3.1). If the
    model does not report it for every path with an answer, `count` is used, also where `probability` was asked for.

    A path without an answer agrees with none; if no path has one, the score is 0 and the first path is kept. Ties go to
    the earlier answer. Of the paths with that answer, the most probable or otherwise the first is kept.

    Args:
        paths: The chains of thought.
        mode: `count`, `probability` or `auto`, which is `probability` where the model reports it.

    Returns:
        The agreement.
    """
    return _agreed(paths, mode)[:3]


def _agreed(paths: list[Path], weighing: Weighing) -> Agreed:
    answered = [(place, path) for place, path in enumerate(paths) if not is_null(path["answer"])]
    known = all(path["logprob"] is not None for _, path in answered) and (answered or weighing == "probability")
    mode: Mode = "probability" if known and weighing != "count" else "count"
    weights = [exp(path["logprob"] or 0.0) if mode == "probability" else 1.0 for _, path in answered]
    if not answered:
        return Agreed(0.0, 0, mode, 0.0)
    alike = agreeing([path["answer"] for _, path in answered])
    scores = [sum(weights[each] for each in places) for places in alike]
    best = scores.index(max(scores))
    chosen = max(alike[best], key=lambda place: weights[place])
    other_scores = [score for place, score in enumerate(scores) if place not in alike[best]]
    return Agreed(scores[best], answered[chosen][0], mode, scores[best] - max(other_scores, default=0.0))


def threshold(asked: int, context: Context) -> float:
    """The consistency below which a chain of thought is verified; half the number of paths by default (section 5.4).

    Args:
        asked: How many paths were requested; missing ones agree with nothing.
        context: The settings of the run.
    """
    return ceil(asked / 2) if context.consistency_threshold is None else context.consistency_threshold


def is_sure(state: VerifyState, context: Context) -> bool:
    """Whether the paths agree as far as the threshold asks, whatever the missing ones would have said."""
    if not state["paths"]:
        return False
    agreed = _agreed(state["paths"], state["mode"])
    missing = state["asked"] - len(state["paths"])
    return agreed.score >= threshold(state["asked"], context) and (not missing or agreed.lead > missing)
