"""Draft: a first answer, by each of the ways that the methods are compared with (CRITIC section 4.1)."""

from collections.abc import Mapping
from typing import Any

from ...models import Answered, Samples, task
from ...state import Context
from ...state.answers import exact_match, f1, majority, short_answer
from ...state.critic import CriticState
from ...state.errors import ConfigurationError, RunError
from ...state.outcomes import as_a_whole
from ...state.values import same_answer
from ..budget import calls_left
from ..conclude import sums
from ..critic.loop import failed
from ..step import emit


async def direct(state: CriticState, context: Context) -> dict[str, Any]:
    """Answer at once."""
    return await _answer(state, context, "draft")


async def cot(state: CriticState, context: Context) -> dict[str, Any]:
    """Answer with a chain of thought (Wei et al. 2022, arXiv 2201.11903)."""
    return await _answer(state, context, "cot")


async def vote(state: CriticState, context: Context) -> dict[str, Any]:
    """Sample chains of thought; take the first of those that most agree with (Wang et al. 2023, arXiv 2203.11171)."""
    samples = await sampled(state, context)
    if not isinstance(samples, Samples):
        return samples
    answers = [sample.answer for sample in samples.samples]
    chosen = samples.samples[majority(answers) or 0]
    votes = sum(same_answer(answer, chosen.answer) for answer in answers)
    return _drafted(chosen.text, chosen.answer, f"{votes} of {len(answers)} samples come to it")


async def best_of(state: CriticState, context: Context) -> dict[str, Any]:
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
    return _drafted(best.text, best.answer, f"{right} of {len(samples.samples)} samples are right")


async def continuation(state: CriticState, context: Context) -> dict[str, Any]:
    """Go on with a text from where it ends."""
    return {**await _answer(state, context, "continuation"), "answer": ""}


async def program(state: CriticState, context: Context) -> dict[str, Any]:
    """Write a program whose result is the answer (program of thought; Chen et al. 2023, arXiv 2211.12588)."""
    if not calls_left(state, context, "program"):
        return {"stopped": "budget"}
    try:
        code = (await task(context, "program").ainvoke({"question": state["question"]})).code
    except RunError as error:
        return failed("draft", error)
    emit("draft", text=code)
    return {"text": code, "original": code, "candidate": code}


async def conclude_draft(state: CriticState, context: Context) -> dict[str, Any]:
    """Say that a draft is a draft."""
    why = state["reason"] or "nothing of it was checked"
    if state["failures"]:
        why = state["failures"][0]["reason"]
    return {
        "attribution": as_a_whole(state["text"], state["text"], "not checked"),
        "stopped": state["stopped"] or "finished",
        "reason": f"a draft: {why}",
        "usage": sums(state, context),
    }


async def _answer(state: CriticState, context: Context, task_name: str) -> dict[str, Any]:
    if not calls_left(state, context, task_name):
        return {"stopped": "budget"}
    try:
        said = await task(context, task_name).ainvoke({"question": state["question"]})
    except RunError as error:
        return failed("draft", error)
    return _drafted(said.text, said.answer if isinstance(said, Answered) else short_answer(said.text))


async def sampled(state: Mapping[str, Any], context: Context, task_name: str = "samples") -> Samples | dict[str, Any]:
    """Several chains of thought; an update that ends the run, if there is none."""
    left = calls_left(state, context, task_name)
    if not left:
        return {"stopped": "budget"}
    try:
        given = {"question": state["question"], "n": min(context.samples, left)}
        samples: Samples = await task(context, task_name).ainvoke(given)
    except RunError as error:
        return failed("draft", error)
    return samples


def _drafted(text: str, answer: str, why: str = "") -> dict[str, Any]:
    emit("draft", text=text)
    return {"text": text, "original": text, "candidate": text, "answer": answer, "reason": why}
