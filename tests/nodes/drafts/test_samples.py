"""Several chains of thought: which is taken, and whether those that are missing could have changed it."""

from typing import Any

import pytest

from errata.nodes.drafts.samples import best_of, vote
from errata.state import Context
from errata.state.errors import ConfigurationError, ModelError

from ...fakes import FakeChatModel, Scripted
from ..states import loop, used


def said(*answers: str, missing: int = 0) -> Context:
    samples = [{"text": f"Because. So the answer is: {answer}.", "answer": answer} for answer in answers]
    asked = len(answers) + missing
    model = Scripted({"samples": samples, "missing": ["it is down"] * missing})
    return Context(backends={"samples": model}, samples=max(asked, 2))


async def test_the_first_of_those_that_most_agree_with_is_taken() -> None:
    update = await vote(loop(question="When?"), said("1899", "1889", "in 1889"))
    assert (update["answer"], update["reason"]) == ("1889", "2 of 3 samples agree on it")
    assert (update["failures"], update["quorum"]) == ([], {"samples": {"asked": 3, "had": 3}})


@pytest.mark.parametrize(
    ("answers", "missing", "unchecked"),
    [(("1889", "1889", "1889"), 2, False), (("1889", "1889", "1899"), 2, True), (("1889",), 1, True)],
)
async def test_samples_that_are_missing_count_if_they_could_have_decided(
    answers: tuple[str, ...], missing: int, unchecked: bool
) -> None:
    (lost,) = (await vote(loop(question="When?"), said(*answers, missing=missing)))["failures"]
    assert lost["unchecked"] is unchecked
    assert lost["reason"] == f"{missing} of {len(answers) + missing} samples are missing: it is down"


async def test_the_nearest_to_a_right_answer_is_taken() -> None:
    update = await best_of(loop(question="Who?", gold=["Gustave Eiffel"]), said("Koechlin", "Eiffel", "Gustave"))
    assert update["answer"] in ("Eiffel", "Gustave")
    assert update["reason"] == "0 of 3 samples are right"
    with pytest.raises(ConfigurationError, match="give them in `gold`"):
        await best_of(loop(question="Who?"), said("Eiffel"))


@pytest.mark.parametrize("step", [vote, best_of])
async def test_no_sample_at_all_is_a_failure(step: Any) -> None:
    down = Context(backends={"samples": Scripted(ModelError("it is down"))}, samples=4)
    update = await step(loop(question="When?", gold=["1889"]), down)
    assert update["failures"][0]["reason"] == "it is down"
    assert update["quorum"] == {"samples": {"asked": 4, "had": 0}}


async def test_no_more_are_asked_for_than_the_budget_has_calls() -> None:
    model = FakeChatModel(replies=["So the answer is: 1889."])
    update = await vote(
        loop(question="When?", usage=used(llm_calls=1)), Context(model=model, samples=5, max_calls=3, cache=False)
    )
    assert (len(model.asked), update["reason"]) == (2, "2 of 2 samples agree on it")
