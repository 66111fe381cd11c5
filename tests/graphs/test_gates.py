"""Gates: a graph's edges decide by what its steps found, and each state has the fields of its own method only."""

from typing import Any

import pytest

from errata.graphs import METHODS, load


@pytest.mark.parametrize(
    ("method", "has", "lacks"),
    [
        ("critic_qa", {"messages", "gold"}, {"candidate", "candidate_score", "observation"}),
        ("critic", {"messages", "gold"}, {"candidate", "candidate_score", "observation"}),
        ("critic_program", {"candidate", "observation", "gold"}, {"messages", "score"}),
        ("critic_toxicity", {"candidate", "candidate_score", "score"}, {"messages", "observation", "gold"}),
        ("direct", {"answer"}, {"candidate", "critique", "rounds", "unchanged"}),
    ],
)
def test_a_state_has_what_its_method_uses(method: str, has: set[str], lacks: set[str]) -> None:
    fields = set(load(method).builder.state_schema.__annotations__)
    assert has <= fields
    assert not lacks & fields


@pytest.mark.parametrize("method", METHODS)
def test_every_node_can_be_reached_and_every_run_can_end(method: str) -> None:
    graph = load(method).get_graph()
    edges = {(edge.source, edge.target) for edge in graph.edges}
    assert graph.nodes.keys() == _from("__start__", edges)
    assert graph.nodes.keys() == _from("__end__", {(target, source) for source, target in edges})
    assert all(name in graph.draw_mermaid() for name in graph.nodes)


@pytest.mark.parametrize(
    ("method", "text"),
    [
        ("critic_toxicity", "You are an idiot."),
        ("critic_qa", "The Eiffel Tower was completed in 1899."),
        ("rarr", "The Eiffel Tower was completed in 1899."),
    ],
)
async def test_why_a_run_stops_is_said_when_it_ends(method: str, text: str) -> None:
    """A step in the middle that said it would hide a gate."""
    updates = [update async for update in load(method).astream({"text": text}, stream_mode="updates")]
    *before, last = [update for step in updates for update in step.values()]
    assert not any(update.get("stopped") for update in before)
    assert last["stopped"] in ("accepted", "finished", "stable", "rounds")


def _from(start: str, edges: set[tuple[Any, Any]]) -> set[str]:
    """The nodes that edges lead to from one of them."""
    found, due = {start}, [start]
    while due:
        here = due.pop()
        new = {target for source, target in edges if source == here} - found
        found |= new
        due += new
    return found
