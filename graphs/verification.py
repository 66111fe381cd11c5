"""The verification of one sentence, as a node of another graph (Verify-and-Edit, sections 3.2 and 3.3).

ask        which question does the sentence answer?
look up    the sentences most similar to that question       none -> the sentence stays, unverified
tell       answer the question from them
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..nodes import step
from ..nodes.verify_and_edit import ask, look_up, tell
from ..state import Context
from ..state.methods.verification import Checked, Checking, Sent


def has_question(state: Checking) -> Literal["look_up", "__end__"]:
    """Look the question up, if there is one."""
    return "__end__" if state["checked"] else "look_up"


def has_evidence(state: Checking) -> Literal["tell", "__end__"]:
    """Answer from the evidence, if there is any."""
    return "__end__" if state["checked"] else "tell"


def verification() -> CompiledStateGraph[Checking, Context, Sent, Checked]:
    """A graph that verifies one sentence."""
    graph = StateGraph(Checking, context_schema=Context, input_schema=Sent, output_schema=Checked)

    graph.add_node("ask", step(ask))
    graph.add_node("look_up", step(look_up))
    graph.add_node("tell", step(tell))

    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", has_question)
    graph.add_conditional_edges("look_up", has_evidence)
    graph.add_edge("tell", END)
    return graph.compile(name="verify")
