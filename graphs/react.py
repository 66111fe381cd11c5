"""ReAct: alternate between thinking and searching, then answer (Yao et al. 2023, arXiv 2210.03629).

react    think; name the next search, or the answer    at most `critique_calls` turns, by default 7
tools    run the search, then continue
"""

from typing import Literal

from ..models.tasks.critic import REACT
from ..nodes import settings, step
from ..nodes.budget import affords
from ..nodes.drafts import react
from ..nodes.tooling import tools
from ..nodes.turns import asks_for_tool
from ..state import parts
from ..state.methods.drafts import DraftState
from .baseline import Baseline, baseline
from .method import Method


def next_turn(state: DraftState) -> Literal["tools", "conclude"]:
    """Search as long as the model asks for it; stop if it failed."""
    return "tools" if not state["failures"] and asks_for_tool(state["messages"][-1]) else "conclude"


def go_on(state: DraftState) -> Literal["react", "conclude"]:
    """End the draft if the search is down or the budget of model calls is spent."""
    return "react" if not state["failures"] and affords(state, settings(state), REACT) else "conclude"


def build() -> Baseline:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = baseline(METHOD, react, "react", ends=False)
    graph.add_node("tools", step(tools("search")))

    graph.add_conditional_edges("react", next_turn)
    graph.add_conditional_edges("tools", go_on)
    return graph


METHOD = Method(
    name="react",
    about="Baseline: alternate between thinking and searching, then answer",
    paper="2210.03629",
    kind="drafts",
    tasks={"react": ("react",), "tools": ("rank",)},
    tools=("search",),
    settings=(parts.TurnSettings,),
)

graph = METHOD.compile(build())
