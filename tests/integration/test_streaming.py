"""A draft can be watched as it is written, and nothing but what the user is to read is shown."""

from typing import Any

import pytest

from benchmarks.stub import Ask, Reply, Stub, refusing
from errata.graphs import critic_qa, rarr
from errata.graphs.baselines import direct
from errata.models.providers.compatible import _Thoughts

RULES = {"queries": "rules", "rank": "rules", "agreement": "rules", "edit": "rules"}
DRAFT = "The Eiffel Tower stands in Paris. So the answer is: Paris."


async def streamed(graph: Any, stub: Stub, **settings: Any) -> tuple[str, dict[str, Any]]:
    """The text that the graph streams in mode `messages`, and its result."""
    context = {"model": "openai:stub", "base_url": stub.base_url, "backends": RULES, **settings}
    text, values = "", {}
    async for mode, chunk in graph.astream(
        {"question": "Where does the Eiffel Tower stand?"}, context=context, stream_mode=["messages", "values"]
    ):
        if mode == "messages":
            text += chunk[0].text
        else:
            values = chunk
    return text, values


@pytest.mark.parametrize("graph", [direct, rarr.graph], ids=["direct", "rarr"])
async def test_a_draft_is_streamed_without_asking_for_subgraphs(graph: Any) -> None:
    with Stub(lambda ask: DRAFT) as stub:
        text, values = await streamed(graph, stub)
    assert text == values["original"] == DRAFT
    assert values["usage"]["output_tokens"] == len(DRAFT.split()), "usage is asked for in a stream, too"
    assert [ask.body["stream"] for ask in stub.asks] == [True]


async def test_thoughts_are_not_streamed() -> None:
    with Stub(lambda ask: f"<think>Is it Lyon? No.</think>\n{DRAFT}") as stub:
        text, values = await streamed(direct, stub)
    assert text == values["text"] == DRAFT


async def test_what_is_not_written_for_the_user_is_not_streamed() -> None:
    def answer(ask: Ask) -> str | Reply:
        if ask.body.get("tools"):
            return Reply(tool_calls=(("conclude", {"accepted": True}),))
        return DRAFT

    with Stub(answer) as stub:
        text, _ = await streamed(critic_qa.graph, stub)
        assert text == DRAFT
        assert [ask.body["stream"] for ask in stub.asks] == [True, False]


async def test_a_server_that_counts_no_tokens_in_streams_streams_all_the_same() -> None:
    with Stub(refusing("stream_options", then=lambda ask: DRAFT)) as stub:
        text, _ = await streamed(direct, stub)
        assert (text, len(stub.asks)) == (DRAFT, 2)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<think>Lyon?</think>Paris.", "Paris."),
        ("  <thinking>\nLyon?\n</thinking>\n\nParis.", "Paris."),
        ("[THINK]Lyon?[/THINK] Paris.", "Paris."),
        ("<b>Paris.</b>", "<b>Paris.</b>"),
        ("[1] Paris.", "[1] Paris."),
        ("Paris <think>", "Paris <think>"),
        ("<think>for ever", ""),
    ],
)
def test_a_thought_is_taken_off_in_pieces_of_any_size(text: str, shown: str) -> None:
    for size in range(1, len(text) + 1):
        thoughts = _Thoughts()
        pieces = [text[place : place + size] for place in range(0, len(text), size)]
        assert "".join(map(thoughts.taken_off, pieces)).strip() == shown, size
