"""Several chains of thought, and the choice of one of them (CRITIC section 4.1, Verify-and-Edit section 3.1)."""

from collections.abc import Mapping
from typing import Any

from ...models import Task, task
from ...models.tasks.drafting import SAMPLES, Samples, Sampling
from ...state import Context
from ...state.answers import exact_match, f1, majority
from ...state.drafts import DraftState
from ...state.errors import ConfigurationError, RunError
from ...state.values import same_answer
from ..budget import calls_left
from ..step import failed
from .answers import drafted


async def vote(state: DraftState, context: Context) -> dict[str, Any]:
    """Sample chains of thought; take the first of those that most agree with (Wang et al. 2023, arXiv 2203.11171)."""
    samples = await sampled(state, context)
    if not isinstance(samples, Samples):
        return samples
    answers = [sample.answer for sample in samples.samples]
    chosen = samples.samples[majority(answers) or 0]
    votes = sum(same_answer(answer, chosen.answer) for answer in answers)
    return drafted(chosen.text, chosen.answer, f"{votes} of {len(answers)} samples come to it")


async def best_of(state: DraftState, context: Context) -> dict[str, Any]:
    """Sample chains of thought; take the one that is nearest to a right answer. For evaluation only.

    Raises ConfigurationError if no right answer is given.
    """
    if not state["gold"]:
        raise ConfigurationError("rejection sampling compares with right answers: give them in `gold`")
    samples = await sampled(state, context)
    if not isinstance(samples, Samples):
        return samples
    gold = state["gold"]
    best = max(samples.samples, key=lambda sample: (exact_match(sample.answer, gold), f1(sample.answer, gold)))
    right = sum(exact_match(sample.answer, gold) for sample in samples.samples)
    return drafted(best.text, best.answer, f"{right} of {len(samples.samples)} samples are right")


async def sampled(
    state: Mapping[str, Any], context: Context, wanted: Task[Sampling, Samples] = SAMPLES
) -> Samples | dict[str, Any]:
    """Several chains of thought; an update that says why there is none."""
    given: Sampling = {"question": state["question"], "n": min(context.samples, calls_left(state, context, wanted))}
    try:
        return await task(context, wanted).ainvoke(given)
    except RunError as error:
        return failed("draft", error)
