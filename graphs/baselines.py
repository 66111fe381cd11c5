"""The baselines that the papers compare with: one draft, which is not checked.

direct                        answer directly
few_shot                      answer in a few words, after worked examples (CRITIC, section 4.1)
cot                           answer with a chain of thought (Wei et al. 2022, arXiv 2201.11903)
self_consistency              several chains of thought in one request; the first with the majority's answer
                              (Wang et al. 2023, arXiv 2203.11171)
react                         think and search in turns, at most `critique_calls`, by default 7; then answer
                              (Yao et al. 2023, arXiv 2210.03629)
program_of_thought            write a program whose result is the answer, and run it in a sandbox
                              (Chen et al. 2023, arXiv 2211.12588)
continuation                  continue a text from where it ends (RealToxicityPrompts, arXiv 2009.11462)
rejection_sampling            the best of several chains of thought, given the right answer
rejection_sampling_program    the one of several programs whose result is right, all run at once (CRITIC, section 4.2)

Each name above is a compiled graph of this module. Rejection sampling is for evaluation only.
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from ..models.tasks.critic import REACT
from ..nodes import drafts, of_run, settings, step
from ..nodes.budget import affords
from ..nodes.step import StepFunction
from ..nodes.tooling import tools
from ..nodes.turns import asks_for_tool
from ..state import Context, parts
from ..state.methods.critic import CriticInput, CriticResult
from ..state.methods.drafts import DraftState
from .method import DRAFT_TASKS, Method

Baseline = StateGraph[DraftState, Context, CriticInput, CriticResult]


def next_turn(state: DraftState) -> Literal["tools", "conclude"]:
    """ReAct: search as long as the model asks for it; stop if it failed."""
    return "tools" if not state["failures"] and asks_for_tool(state["messages"][-1]) else "conclude"


def go_on(state: DraftState) -> Literal["react", "conclude"]:
    """ReAct: end the draft if the search is down or the budget of model calls is spent."""
    return "react" if not state["failures"] and affords(state, settings(state), REACT) else "conclude"


def has_program(state: DraftState) -> Literal["execute", "conclude"]:
    """Program of thought: run the program, if there is one."""
    return "execute" if state["text"] else "conclude"


def each_program(state: DraftState) -> list[Send] | Literal["conclude"]:
    """Rejection sampling: run all programs at once. If there is none there is nothing to choose from."""
    sent = [{"number": number, "program": program} for number, program in enumerate(state["programs"])]
    return [Send("execute", {**program, **of_run(state)}) for program in sent] or "conclude"


def build(name: str) -> Baseline:
    """The uncompiled graph of a baseline. Compile it with the checkpointer, store or cache of your choice.

    Args:
        name: The baseline's name.

    Returns:
        The `StateGraph`.
    """
    match name:
        case "react":
            graph = _begun(name, drafts.react, "react")
            graph.add_node("tools", step(tools("search")))
            graph.add_conditional_edges("react", next_turn)
            graph.add_conditional_edges("tools", go_on)
        case "program_of_thought":
            graph = _begun(name, drafts.write_program)
            graph.add_node("execute", step(drafts.run_program))
            graph.add_conditional_edges("draft", has_program)
            graph.add_edge("execute", "conclude")
        case "rejection_sampling_program":
            graph = _begun(name, drafts.sample_programs)
            graph.add_node("execute", step(drafts.run_sampled))
            graph.add_node("choose", step(drafts.choose_program))
            graph.add_conditional_edges("draft", each_program, ["execute", "conclude"])
            graph.add_edge("execute", "choose")
            graph.add_edge("choose", "conclude")
        case _:
            graph = _begun(name, ONE_STEP[name])
            graph.add_edge("draft", "conclude")
    return graph


def _begun(name: str, draft: StepFunction, node: str = "draft") -> Baseline:
    """What all baselines share: begin, draft, conclude. The edges from the draft are the caller's."""
    graph = StateGraph(
        DraftState, context_schema=METHODS[name].schema, input_schema=CriticInput, output_schema=CriticResult
    )
    graph.add_node("begin", step(drafts.begin, first=True))
    graph.add_node(node, step(draft))
    graph.add_node("conclude", step(drafts.conclude))

    graph.add_edge(START, "begin")
    graph.add_edge("begin", node)
    graph.add_edge("conclude", END)
    return graph


ONE_STEP: dict[str, StepFunction] = {
    "direct": drafts.direct,
    "few_shot": drafts.few_shot,
    "cot": drafts.cot,
    "self_consistency": drafts.vote,
    "continuation": drafts.continuation,
    "rejection_sampling": drafts.best_of,
}
"""The step of each baseline that has only one."""

METHODS = {
    method.name: method
    for method in (
        Method(name="direct", about="Baseline: answer directly", kind="drafts", tasks=DRAFT_TASKS["direct"]),
        Method(
            name="few_shot",
            about="Baseline: answer in a few words, after worked examples",
            kind="drafts",
            tasks={"draft": ("answer",)},
        ),
        Method(
            name="cot",
            about="Baseline: answer with a chain of thought",
            paper="2201.11903",
            kind="drafts",
            tasks=DRAFT_TASKS["cot"],
        ),
        Method(
            name="self_consistency",
            about="Baseline: sample chains of thought and take the majority's answer",
            paper="2203.11171",
            kind="drafts",
            tasks=DRAFT_TASKS["self_consistency"],
            settings=(parts.SampleSettings,),
        ),
        Method(
            name="react",
            about="Baseline: alternate between thinking and searching, then answer",
            paper="2210.03629",
            kind="drafts",
            tasks=DRAFT_TASKS["react"],
            tools=("search",),
            settings=(parts.TurnSettings,),
        ),
        Method(
            name="program_of_thought",
            about="Baseline: write a program and run it",
            paper="2211.12588",
            kind="drafts",
            tasks=DRAFT_TASKS["program_of_thought"],
            tools=("python",),
            programs=True,
        ),
        Method(
            name="continuation",
            about="Baseline: continue a text",
            kind="drafts",
            tasks=DRAFT_TASKS["continuation"],
        ),
        Method(
            name="rejection_sampling",
            about="Evaluation only: take the one of several answers that is closest to the right one",
            kind="drafts",
            tasks={"draft": ("samples",)},
            gold="needed",
            settings=(parts.SampleSettings,),
        ),
        Method(
            name="rejection_sampling_program",
            about="Evaluation only: take the one of several programs whose result is right",
            kind="drafts",
            tasks={"draft": ("program",)},
            tools=("python",),
            programs=True,
            gold="needed",
            settings=(parts.SampleSettings,),
        ),
    )
}

direct = METHODS["direct"].compile(build("direct"))
few_shot = METHODS["few_shot"].compile(build("few_shot"))
cot = METHODS["cot"].compile(build("cot"))
self_consistency = METHODS["self_consistency"].compile(build("self_consistency"))
react = METHODS["react"].compile(build("react"))
program_of_thought = METHODS["program_of_thought"].compile(build("program_of_thought"))
continuation = METHODS["continuation"].compile(build("continuation"))
rejection_sampling = METHODS["rejection_sampling"].compile(build("rejection_sampling"))
rejection_sampling_program = METHODS["rejection_sampling_program"].compile(build("rejection_sampling_program"))
