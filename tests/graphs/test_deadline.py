"""A run that is bounded in time, cost or length ends there with what it has, and says why."""

import time
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda

from errata.graphs import METHODS, inputs, load, rarr
from errata.state import Context
from errata.state.errors import ConfigurationError
from errata.state.runs import deadline, meter

from ..fakes import FakeChatModel, FakeSearch
from ..known import WRONG, edit, known

ASKED = {"text": WRONG, "question": "What of the tower?", "gold": ["1889"]}
DRAFTED = (
    "critic_program",
    "critic_toxicity",
    "direct",
    "few_shot",
    "cot",
    "self_consistency",
    "react",
    "program_of_thought",
    "continuation",
    "rejection_sampling",
    "rejection_sampling_program",
)


@pytest.mark.parametrize("name", METHODS)
async def test_every_method_ends_with_its_deadline(name: str) -> None:
    """The model never answers, and would be waited for for an hour."""
    model = FakeChatModel(replies=["too late"], latency=3600)
    context = Context(model=model, search=FakeSearch(), cache=False, timeout=3600, retries=0, deadline=0.5)
    given = {field: value for field, value in ASKED.items() if field in inputs(name)}
    if name in DRAFTED:
        given.pop("text", None)
    result = await load(name).ainvoke(given, context=context)
    assert (result["stopped"], result["text"]) == ("deadline", given.get("text", ""))
    assert "deadline of the run has passed" in result["reason"]
    assert not any(verdict["label"] in ("entailment", "contradiction") for verdict in result["verdicts"])


@pytest.mark.parametrize("gating", ["serial", "speculative"])
async def test_what_was_corrected_by_then_stays(gating: str, monkeypatch: pytest.MonkeyPatch) -> None:
    late = 0.0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + late, time=time.time)
    for module in (deadline, meter):
        monkeypatch.setattr(module, "time", clock)

    async def slow_edit(asked: dict[str, Any]) -> dict[str, Any]:
        nonlocal late
        edited = await edit(asked)
        late = 1e6 if "1889" in edited["text"] else 0.0
        return edited

    context = known(deadline=1000, gating=gating)
    context = context.model_copy(update={"backends": {**context.backends, "edit": RunnableLambda(slow_edit)}})
    result = await rarr.graph.ainvoke({"text": WRONG}, context=context)
    assert result["text"] == WRONG.replace("1899", "1889")
    assert (result["stopped"], result["status"]) == ("deadline", "corrected")


async def test_a_run_in_time_knows_nothing_of_its_deadline() -> None:
    result = await rarr.graph.ainvoke({"text": WRONG}, context=known(deadline=1000))
    assert (result["stopped"], result["status"]) == ("finished", "corrected")


async def test_no_call_is_made_when_the_dollars_are_spent() -> None:
    reply = AIMessage("1889", usage_metadata={"input_tokens": 1_000_000, "output_tokens": 0, "total_tokens": 1_000_000})
    prices: Any = {"input_price": 1.0, "output_price": 1.0}
    model = FakeChatModel(replies=[reply])
    context = Context(model=model, search=FakeSearch(), cache=False, repairs=0, max_cost=1.5, **prices)
    result = await load("critic_qa").ainvoke({"question": "When?", "text": "So the answer is 1899."}, context=context)
    assert len(model.asked) <= 2
    assert result["usage"]["cost"] <= 2.0
    with pytest.raises(ConfigurationError, match="max_cost needs token prices"):
        await rarr.graph.ainvoke({"text": WRONG}, context=known(max_cost=1))


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("rarr", {"text": "x" * 101}),
        ("rarr", {"text": "x" * 60, "question": "x" * 60}),
        ("refchecker", {"text": "x", "references": ["x" * 60, {"text": "x" * 60, "title": ""}]}),
        ("llm_augmenter", {"question": "x", "history": [{"role": "user", "content": "x" * 101}]}),
        ("verify_and_edit", {"question": "x", "paragraphs": ["x" * 60] * 2}),
    ],
)
async def test_an_input_that_is_too_long_is_refused(name: str, given: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=r"has 1\d\d characters, and max_chars allows 100"):
        await load(name).ainvoke(given, context=known(max_chars=100))
