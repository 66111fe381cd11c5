"""LLM-Augmenter: check your facts and try again (Peng et al. 2023, arXiv 2302.12813).

policy        no evidence yet -> consolidate     no response, or one with feedback on it -> prompt     else -> send
consolidate   write queries, search, add what the entities found are, chain the evidence      once, by default
prompt        ask the model: dialogue, evidence, and feedback on its last response            twice at most, by default
utility       score the response; below the threshold, say what to do better
send          the best response, and whether it passed
"""

from random import Random
from typing import Literal

from langgraph.graph import END, START, StateGraph

from ..nodes import settings, step
from ..nodes.begin import begin_augmenter
from ..nodes.llm_augmenter.consolidate import consolidate
from ..nodes.llm_augmenter.policy import policy
from ..nodes.llm_augmenter.respond import prompt, send, utility
from ..state import Context, parts
from ..state.augmenter import AugmenterInput, AugmenterResult, AugmenterState
from ..state.given import SCHEMA
from .method import Method


def act(state: AugmenterState) -> Literal["consolidate", "prompt", "send"]:
    """The policy: what the model chose, or chance, or else the rules. `open` is what the bounds leave."""
    context = settings(state)
    if state["chosen"]:
        return state["chosen"]
    if context.policy == "random":
        return Random(f"{context.seed} {state['question']} {len(state['tried'])}").choice(state["open"])
    if "consolidate" in state["open"] and not state["evidence"]:
        return "consolidate"
    if "prompt" in state["open"] and (not state["candidates"] or state["critique"]):
        return "prompt"
    return "send"


def build() -> StateGraph[AugmenterState, Context, AugmenterInput, AugmenterResult]:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = StateGraph(
        AugmenterState, context_schema=SCHEMA, input_schema=AugmenterInput, output_schema=AugmenterResult
    )

    graph.add_node("begin", step(begin_augmenter, first=True))
    graph.add_node("policy", step(policy))
    graph.add_node("consolidate", step(consolidate))
    graph.add_node("prompt", step(prompt))
    graph.add_node("utility", step(utility))
    graph.add_node("send", step(send))

    graph.add_edge(START, "begin")
    graph.add_edge("begin", "policy")
    graph.add_conditional_edges("policy", act)
    graph.add_edge("consolidate", "policy")
    graph.add_edge("prompt", "utility")
    graph.add_edge("utility", "policy")
    graph.add_edge("send", END)
    return graph


METHOD = Method(
    name="llm_augmenter",
    about="LLM-Augmenter: respond to a message from consolidated evidence, score it, try again",
    paper="2302.12813",
    kind="responds",
    tasks=("search_queries", "entities", "rank", "chain", "respond"),
    tools=("search",),
    settings=(parts.SearchSettings, parts.EvidenceSettings, parts.RoundSettings, parts.AugmenterSettings),
)

graph = build().compile(name="llm_augmenter")
graph.stream_mode = "values"  # in a pipe, what streams on is then the state, not one node's update
