"""CRITIC with tools of its own choice: answers, programs and prose in one loop (after arXiv 2305.11738, section 3).

draft      take the text, or think an answer up (chain of thought; `draft` chooses another way)
critique   plausible? right? The critic looks something up, runs a program, scores a text, or concludes
tools      carry out what it asks for, then go on with the critique; `critique_calls` turns at most
correct    put the conclusion in the text's place     the answer stays the same `patience` times -> stop
           (a person sees it first, if the Context asks for review)
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from ..nodes import settings, step
from ..nodes.begin import begin_critic
from ..nodes.critic.loop import conclude_critic
from ..nodes.tooling import tools
from ..nodes.turns import asks_for_tool, correct, critique
from ..state import Context, parts
from ..state.critic import CriticInput, CriticResult, CriticState
from ..state.given import SCHEMA
from .drafting import Drafting
from .method import DRAFTING, Method

ROUNDS = 4


def needs_draft(state: CriticState) -> Literal["draft", "critique"]:
    """A text of the caller's own is critiqued as it is."""
    return "critique" if state["text"] else "draft"


def has_text(state: CriticState) -> Literal["critique", "conclude"]:
    """What could not be drafted cannot be critiqued; what a failed search left out cannot be concluded from."""
    return "critique" if state["text"] and not state["stopped"] else "conclude"


def decide(state: CriticState) -> Literal["tools", "correct", "conclude"]:
    """Use the tool that the critic asks for. When it has concluded, correct what it has not accepted."""
    if state["stopped"]:
        return "conclude"
    if asks_for_tool(state["messages"][-1]):
        return "tools"
    context = settings(state)
    return "correct" if state["rounds"] < context.rounds_or(ROUNDS) else "conclude"


def still_changing(state: CriticState) -> Literal["critique", "conclude"]:
    """Critique the corrected answer, unless `patience` critiques have left it as it was, or the rounds are over."""
    context = settings(state)
    over = state["rounds"] >= context.rounds_or(ROUNDS) or state["unchanged"] >= context.patience
    return "conclude" if over else "critique"


def build() -> StateGraph[CriticState, Context, CriticInput, CriticResult]:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = StateGraph(CriticState, context_schema=SCHEMA, input_schema=CriticInput, output_schema=CriticResult)

    graph.add_node("begin", step(begin_critic, first=True))
    graph.add_node("draft", Drafting("cot"))
    graph.add_node("critique", step(critique("critique", "search", "run_python", "score_toxicity")))
    graph.add_node("tools", step(tools("search", "run_python", "score_toxicity")))
    graph.add_node("correct", step(correct))
    graph.add_node("conclude", step(conclude_critic))

    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", needs_draft)
    graph.add_conditional_edges("draft", has_text)
    graph.add_conditional_edges("critique", decide)
    graph.add_conditional_edges("tools", has_text)
    graph.add_conditional_edges("correct", still_changing)
    graph.add_edge("conclude", END)
    return graph


METHOD = Method(
    name="critic",
    about="CRITIC with tools of its own choice: search, Python and a toxicity scorer in one loop",
    paper="2305.11738",
    kind="corrects",
    draft="cot",
    tasks=("critique", "rank"),
    tools=("search", "python", "toxicity"),
    gold="optional",
    settings=(
        parts.SearchSettings,
        *DRAFTING,
        parts.RoundSettings,
        parts.CriticSettings,
        parts.ReviewSettings,
        parts.PythonSettings,
        parts.ToxicitySettings,
    ),
)

graph = build().compile(name="critic")
graph.stream_mode = "values"  # in a pipe, what streams on is then the state, not one node's update
