"""The prompts of a method as fields of a form, which Studio shows at the nodes that ask with them."""

from typing import Any

import pytest

from errata.graphs import METHODS, load
from errata.prompts import prompted

from ..fakes import FakeChatModel


def prompts(method: str) -> dict[str, list[str]]:
    """The prompts of a method, each with the nodes that use it."""
    fields = METHODS[method].prompt_fields
    return {name.removesuffix("_prompt"): field["langgraph_nodes"] for name, field in fields.items()}


def form(method: str) -> dict[str, Any]:
    return dict(load(method).get_context_jsonschema()["properties"])


def test_each_prompt_stands_at_its_nodes() -> None:
    assert prompts("rarr") == {
        "queries": ["questions"],
        "agreement": ["gate"],
        "agreements": ["gate"],
        "edit": ["gate", "edit"],
        "edit_all": ["fuse"],
        "draft": ["draft"],
        "cot": ["draft"],
        "react": ["draft"],
    }
    assert prompts("verify_and_edit")["verifying_question"] == ["verify"], "a node that is a graph is one to Studio"
    assert prompts("critic_program")["program"] == ["confirm", "draft"]


def test_a_prompt_that_ships_is_shown_by_a_method_or_only_trains() -> None:
    shown = {prompt for method in METHODS for prompt in prompts(method)}
    assert prompted() - shown == {"corrupt", "summarise"}


@pytest.mark.parametrize("method", METHODS)
def test_a_form_shows_prompts_of_the_graph_as_text(method: str) -> None:
    nodes = load(method).get_graph().nodes.keys()
    fields = {name: field for name, field in form(method).items() if "langgraph_nodes" in field}
    assert fields
    for name, field in fields.items():
        assert name.endswith("_prompt")
        assert (field["type"], field["langgraph_type"]) == ("string", "prompt")
        assert set(field["langgraph_nodes"]) <= nodes
        assert field["default"]
        assert field["description"]


async def asked_with(context: dict[str, Any]) -> str:
    """What the model of a draft is told to do."""
    model = FakeChatModel(replies=["In 1889."])
    settings: Any = {"model": model, **context}
    await load("direct").ainvoke({"question": "When was it completed?"}, context=settings)
    return model.asked[0][0].text


async def test_the_text_of_a_form_is_what_a_node_asks_with() -> None:
    ships = await asked_with({})
    assert (await asked_with({"draft_prompt": "Answer in verse."})).startswith("Answer in verse.")
    assert await asked_with({"draft_prompt": form("direct")["draft_prompt"]["default"]}) == ships
    assert await asked_with({"draft_prompt": ""}) == ships
    both = {"draft_prompt": "Answer in verse.", "instructions": {"draft": "Answer.", "cot": "Think."}}
    assert (await asked_with(both)).startswith("Answer in verse.")


async def test_a_key_of_an_app_that_ends_alike_is_the_app_s() -> None:
    model = FakeChatModel(replies=["In 1889."])
    app = {"system_prompt": "You are a pirate.", "errata": {"model": model}}
    await load("direct").ainvoke({"question": "When was it completed?"}, context=app)
    assert "pirate" not in model.asked[0][0].text
