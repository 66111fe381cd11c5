"""What a person waits for before anything happens, and what LangGraph takes by itself."""

import asyncio
from typing import Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from .timing import process, seconds

NODES = 20
RUNS = 20
"""Of which the quickest counts."""
HELP = "import sys; sys.argv = ['errata', '--help']; from errata.apps.cli.start import main; main()"


class Start(TypedDict):
    """One figure."""

    what: str
    value: float
    unit: str


def start() -> list[Start]:
    """Seconds of whole Python processes, medians of some, and milliseconds of a node."""
    return [
        Start(what="python that does nothing", value=process("-c", ""), unit="s"),
        Start(what="import errata", value=process("-c", "import errata"), unit="s"),
        Start(what="errata --help", value=process("-c", HELP), unit="s"),
        Start(what="import errata.graphs.rarr", value=process("-c", "import errata.graphs.rarr"), unit="s"),
        Start(what="a node of LangGraph that does nothing", value=asyncio.run(_empty_node()), unit="ms"),
    ]


class _State(TypedDict):
    number: int


async def _nothing(state: _State) -> _State:
    return state


def empty_graph() -> Any:
    """A graph of NODES nodes in a row that do nothing."""
    graph = StateGraph(_State)
    names = [str(number) for number in range(NODES)]
    for name in names:
        graph.add_node(name, _nothing)
    for before, after in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(before, after)
    return graph.compile()


async def _empty_node() -> float:
    """Milliseconds that one of several nodes in a row takes which do nothing."""
    compiled = empty_graph()
    times = [await seconds(compiled.ainvoke({"number": 0})) for _ in range(RUNS)]
    return min(times) * 1_000 / NODES
