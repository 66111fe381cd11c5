"""The first step of a method: a draft, written in the way that the Context chooses.

It is a node and not a subgraph, so that stream mode `messages` shows the draft as it is written.
Only `react`, which takes turns with a tool, is a graph inside it.
"""

from collections.abc import Mapping
from typing import Any, Literal, cast

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..nodes import step
from ..nodes.drafts import begin, cot, direct, react, vote
from ..nodes.step import Step
from ..nodes.tooling import tools
from ..state import Context
from ..state.methods.drafts import Drafted, DraftState, ToDraft
from .baselines import go_on, next_turn

Way = Literal["direct", "cot", "self_consistency", "react"]
AT_ONCE = {"direct": direct, "cot": cot, "self_consistency": vote}


class Drafting(Step):
    """A node that drafts an answer.

    Args:
        default: The way to draft if the Context chooses none.
        optional_tools: Whether `use_tools=False` also rules out a draft that searches.
    """

    def __init__(self, default: Way, *, optional_tools: bool = False) -> None:
        super().__init__(self.draft, first=False)
        self.default = default
        self.optional_tools = optional_tools

    async def draft(self, state: Mapping[str, Any], context: Context) -> dict[str, Any]:
        """Draft in the way that the Context chooses."""
        looks_up = not self.optional_tools or context.use_tools
        method = context.draft_or(self.default, looks_up=looks_up)
        if method == "react":
            return await by_turns.ainvoke({"question": state["question"], "settings": state["settings"]})
        drafted = await AT_ONCE[method](cast(DraftState, state), context)
        return {name: value for name, value in drafted.items() if name in Drafted.__annotations__}


def build() -> StateGraph[DraftState, Context, ToDraft, Drafted]:
    """The uncompiled graph of a draft that alternates between thinking and searching."""
    graph = StateGraph(DraftState, context_schema=Context, input_schema=ToDraft, output_schema=Drafted)

    graph.add_node("begin", step(begin))
    graph.add_node("react", step(react))
    graph.add_node("tools", step(tools("search")))

    graph.add_edge(START, "begin")
    graph.add_edge("begin", "react")
    graph.add_conditional_edges("react", next_turn, {"tools": "tools", "conclude": END})
    graph.add_conditional_edges("tools", go_on, {"react": "react", "conclude": END})
    return graph


by_turns: CompiledStateGraph[DraftState, Context, ToDraft, Drafted] = build().compile(name="draft")
