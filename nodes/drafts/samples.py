"""Several chains of thought, and the choice of one of them (CRITIC section 4.1, Verify-and-Edit section 3.1)."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...models import Task, task
from ...models.tasks.drafting import SAMPLES, Sample, Samples, Sampling
from ...state import Context, Failure
from ...state.errors import ConfigurationError, RunError
from ...state.methods.drafts import DraftState
from ...state.text.answers import exact_match, f1, majority
from ...state.text.values import agreeing, same_answer
from ..budget import calls_left
from ..quorum import received
from ..step import failed
from .answers import drafted


async def vote(state: DraftState, context: Context) -> dict[str, Any]:
    """Sample chains of thought; take the first of those with the majority answer.

    This is self-consistency (Wang et al. 2023, arXiv 2203.11171).
    """
    sample_set = await sampled(state, context)
    if not isinstance(sample_set, Sampled):
        return sample_set
    answers = [sample.answer for sample in sample_set.samples]
    chosen = sample_set.samples[majority(answers) or 0]
    votes = sum(same_answer(answer, chosen.answer) for answer in answers)
    others = [answer for answer in answers if not same_answer(answer, chosen.answer)]
    runner_up = max(map(len, agreeing(others)), default=0)
    update = sample_set.update(decides=votes - runner_up > sample_set.asked - len(answers))
    return {**update, **drafted(chosen.text, chosen.answer, f"{votes} of {sample_set.asked} samples agree on it")}


async def best_of(state: DraftState, context: Context) -> dict[str, Any]:
    """Sample chains of thought; take the one closest to a right answer. For evaluation only.

    Raises ConfigurationError if no right answer is given.
    """
    if not state["gold"]:
        raise ConfigurationError("rejection sampling compares with right answers: give them in `gold`")
    sample_set = await sampled(state, context)
    if not isinstance(sample_set, Sampled):
        return sample_set
    gold = state["gold"]
    best = max(sample_set.samples, key=lambda sample: (exact_match(sample.answer, gold), f1(sample.answer, gold)))
    right = sum(exact_match(sample.answer, gold) for sample in sample_set.samples)
    update = sample_set.update(decides=bool(right))
    return {**update, **drafted(best.text, best.answer, f"{right} of {sample_set.asked} samples are right")}


class Sampled(NamedTuple):
    """The samples received, and how many were requested."""

    samples: list[Sample]
    asked: int
    missing: list[str]
    """Why the others are missing."""

    def update(self, *, decides: bool) -> dict[str, Any]:
        """What a step reports about the samples.

        Args:
            decides: Whether the missing samples could not have changed the outcome.
        """
        reason = f"{len(self.missing)} of {self.asked} samples are missing: {(*self.missing, '')[0]}"
        failures: list[Failure] = [{"step": "draft", "reason": reason, "unchecked": not decides}]
        return {"failures": failures if self.missing else [], **received("samples", len(self.samples), self.asked)}


async def sampled(
    state: Mapping[str, Any], context: Context, sampling: Task[Sampling, Samples] = SAMPLES
) -> Sampled | dict[str, Any]:
    """Several chains of thought, or an update that says why there are none."""
    n = min(context.samples, calls_left(state, context, sampling))
    try:
        reply = await task(context, sampling).ainvoke({"question": state["question"], "n": n})
    except RunError as error:
        return {**failed("draft", error), **received("samples", 0, n)}
    return Sampled(reply.samples, max(n, len(reply.samples)), reply.missing)
