"""LLM-Augmenter: check your facts and try again (Peng et al. 2023, arXiv 2302.12813, section 2).

policy        no evidence, no small talk -> consolidate    no response, or feedback on it -> prompt    else -> send
consolidate   write queries, search, look up the entities found, chain the evidence     once (`consolidations`)
prompt        ask the model: dialogue, evidence, and feedback on its last response            at most twice (`rounds`)
utility       score the response: its words in the evidence (KF1), recall (0 if contradicted), or a model's opinion
criticise     below the threshold, if a round is left: say what to improve
send          the best response, and whether it passed
"""

from random import Random
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph

from ..models import Task
from ..models.tasks.dialogue import CHAIN, RESPOND, SEARCH_QUERIES
from ..nodes import settings, step
from ..nodes.llm_augmenter import begin, consolidate, criticise, policy, prompt, send, utility
from ..state import Context, parts
from ..state.methods.augmenter import Action, AugmenterInput, AugmenterResult, AugmenterState
from ..state.text.questions import is_small_talk
from .method import Method

ROUNDS = 1
"""Further responses after the first: the paper asks the model at most twice."""
NEEDS: dict[Action, tuple[Task[Any, Any], ...]] = {
    "consolidate": (SEARCH_QUERIES, CHAIN, RESPOND),
    "prompt": (RESPOND,),
}
"""The tasks that an action requires, including the response without which evidence is useless."""


def within_bounds(state: AugmenterState, context: Context) -> list[Action]:
    """The actions that are still allowed besides sending: look for evidence, and ask the model again.

    A model that decides whether it needs evidence (`self_ask`) is asked only before its first response.
    """
    if state["spent"]:
        return []
    within: list[Action] = []
    declined = context.policy == "self_ask" and bool(state["candidates"])
    consolidated = state["tried"].count("consolidate")
    if not state["knowledge"] and not declined and consolidated < context.consolidations:
        within.append("consolidate")
    if len(state["candidates"]) <= context.rounds_or(ROUNDS):
        within.append("prompt")
    return within


def act(state: AugmenterState) -> Literal["consolidate", "prompt", "send"]:
    """The policy: the model's choice, chance, or the rules, among the actions that bounds and budget leave open."""
    context = settings(state)
    if state["chosen"]:
        return state["chosen"]
    if context.policy == "random":
        return Random(f"{context.seed} {state['question']} {len(state['tried'])}").choice(state["open"])
    if "consolidate" in state["open"] and not state["evidence"] and not is_small_talk(state["question"]):
        return "consolidate"
    if "prompt" in state["open"] and (not state["candidates"] or state["critique"]):
        return "prompt"
    return "send"


def has_response(state: AugmenterState) -> Literal["utility", "send"]:
    """Score the response, if there is a new one."""
    return "utility" if len(state["candidates"]) > len(state["scores"]) else "send"


def passes(score: float, context: Context) -> bool:
    """Whether the score reaches the threshold. The paper gives none: by default 0.3 for words, and 0.5 for a model."""
    return score >= context.passing


def needs_feedback(state: AugmenterState) -> Literal["criticise", "policy", "send"]:
    """Ask for feedback if the response does not pass and a round is left to use it."""
    if any(failure["step"] == "utility" for failure in state["failures"]):
        return "send"
    context, score = settings(state), state["scores"][-1]["overall"]
    if score is None or passes(score, context) or context.feedback == "none":
        return "policy"
    return "criticise" if len(state["candidates"]) <= context.rounds_or(ROUNDS) else "policy"


def has_feedback(state: AugmenterState) -> Literal["policy", "send"]:
    """Ask again with the feedback; without any, send the best response."""
    return "policy" if state["critique"] else "send"


def build() -> StateGraph[AugmenterState, Context, AugmenterInput, AugmenterResult]:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = StateGraph(
        AugmenterState, context_schema=METHOD.schema, input_schema=AugmenterInput, output_schema=AugmenterResult
    )

    graph.add_node("begin", step(begin, first=True))
    graph.add_node("policy", step(policy(within_bounds, NEEDS)))
    graph.add_node("consolidate", step(consolidate))
    graph.add_node("prompt", step(prompt))
    graph.add_node("utility", step(utility))
    graph.add_node("criticise", step(criticise))
    graph.add_node("send", step(send(passes)))

    graph.add_edge(START, "begin")
    graph.add_edge("begin", "policy")
    graph.add_conditional_edges("policy", act)
    graph.add_edge("consolidate", "policy")
    graph.add_conditional_edges("prompt", has_response)
    graph.add_conditional_edges("utility", needs_feedback)
    graph.add_conditional_edges("criticise", has_feedback)
    graph.add_edge("send", END)
    return graph


def _unasked(context: Context) -> set[str]:
    """The tasks that these settings make unnecessary."""
    needed = {
        "feedback": context.feedback == "rules",
        "self_criticism": context.feedback == "self_criticism",
        "utility": context.utility == "model",
        "recall": context.utility == "recall",
        "policy": context.policy == "self_ask" or context.policy_file or "policy" in context.backends,
    }
    return {task for task, is_needed in needed.items() if not is_needed}


METHOD = Method(
    name="llm_augmenter",
    about="LLM-Augmenter: respond to a message from consolidated evidence, score it, try again",
    paper="2302.12813",
    kind="responds",
    tasks={
        "policy": ("policy",),
        "consolidate": ("search_queries", "entities", "rank", "chain"),
        "prompt": ("respond",),
        "utility": ("utility", "recall", "feedback"),
        "criticise": ("feedback", "self_criticism"),
    },
    unasked=_unasked,
    tools=("search",),
    settings=(parts.PageSettings, parts.WindowSettings, parts.RoundSettings, parts.AugmenterSettings),
)

graph = METHOD.compile(build())
