"""Compiling a graph whose gates are asked on the event loop.

LangGraph sends a function in a conditional edge to a thread, which takes longer than ours take to decide.
"""

from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import set_config_context
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..state.runs.traces import is_heard


def compiled(
    graph: StateGraph[Any, Any, Any, Any], name: str, checkpointer: BaseCheckpointSaver[Any] | None = None
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Compile a graph of ours, without a store.

    Args:
        graph: The graph.
        name: Its name in traces and streams.
        checkpointer: Where its state is kept, if anywhere.
    """
    for gates in graph.branches.values():
        for gate, branch in gates.items():
            if not isinstance(branch.path, _Gate):  # of a graph that is compiled twice
                gates[gate] = branch._replace(path=_Gate(branch.path))
    return graph.compile(checkpointer=checkpointer, name=name)


class _Gate(Runnable[Any, Any]):
    """The function of a conditional edge."""

    def __init__(self, path: Runnable[Any, Any]) -> None:
        self.path = path

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return self.path.invoke(input, config)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Decide at once. If somebody traces the run, they see the decision, as LangGraph shows it."""
        function = getattr(self.path, "func", None)
        takes_more = getattr(self.path, "func_accepts", True)  # a config or a runtime, which LangGraph passes
        if config is None or function is None or takes_more or is_heard(config):
            return await self.path.ainvoke(input, config)
        with set_config_context(config) as ours:
            return ours.run(function, input)
