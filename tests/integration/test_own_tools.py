"""A critic with a tool of the caller's own, with every kind of model server."""

import json

import pytest

from benchmarks.stub import Ask, Reply
from errata.graphs import critic
from errata.state import Context

from ..zoo.kinds import KINDS, Kind
from ..zoo.server import zoo

pytestmark = pytest.mark.filterwarnings("ignore:unclosed transport:ResourceWarning")

TEXT = "The Model 7 costs 40 euros."
RIGHT = "The Model 7 costs 42 euros."


def brain(ask: Ask) -> Reply:
    """Looks the price up, and then puts it right."""
    if "42 euros, says the shop" not in json.dumps(ask.body["messages"]):
        return Reply(tool_calls=(("price_of", {"product": "Model 7"}),))
    return Reply(tool_calls=(("conclude", {"correctness": "It costs 42.", "text": RIGHT, "answer": ""}),))


def price_of(product: str) -> str:
    """Look up what a product costs."""
    return f"{product}: 42 euros, says the shop"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
async def test_every_kind_can_use_it(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    graph = critic.build(tools=[price_of]).compile()
    with zoo(kind, brain) as (stub, _):
        context = Context(model=f"openai:{kind.called}", base_url=f"{stub.origin}/v1", cache=False, retries=0, rounds=1)
        result = await graph.ainvoke({"text": TEXT}, context=context)
    assert result["text"] == RIGHT
    assert [piece["source"] for piece in result["evidence"]] == ["tool:price_of"]
    assert not result["failures"]
