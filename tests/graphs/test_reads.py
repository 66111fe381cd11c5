"""What the record of a method declares is what it does: the settings that it reads, the tasks that its nodes ask for.

Every method is run in several ways, and each setting that is read and each task that is asked for is noted.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_config

from errata.graphs import METHODS, build, tasks
from errata.graphs.method import TOOLS
from errata.models import TaskModel
from errata.state import Context

from ..fakes import FakeChatModel, FakeScorer, FakeSearch, Scripted, always
from .test_refchecker import TRIPLETS, judged
from .test_resumed import WORLDS

TEXT = "The Eiffel Tower was completed in 1899 and stands in Lyon. It is 330 metres high."
CHAIN = "First, the Eiffel Tower was completed in 1899. Second, it stands in Lyon. So the answer is: Lyon."
QUESTION = "Where is the Eiffel Tower?"
ANSWER = "It stands in Paris. So the answer is: Paris."
PLUMBING = (
    "pydantic",
    "errata.state.runs.kept",
    "errata.state.runs.hosts",
    "errata.state.runs.given",
    "errata.nodes.llm_augmenter.begin",
    __name__,
)
"""Who looks at settings to keep them, to pass them on, or to refuse them."""
NETWORKS = {
    "cross_encoder": ("rank",),
    "nli": ("check", "agreement"),
    "nli_labels": ("check", "agreement"),
    "editor_model": ("edit_all",),
    "question_model": ("queries",),
    "policy_file": ("policy",),
}
"""Settings that name a small network, and the tasks that it carries out: whoever asks for one has a use for it."""

GIVEN: dict[str, list[dict[str, Any]]] = {
    "program": [{"question": "What is 6 times 7?"}, {"question": "What is 6 times 7?", "text": "answer = 6 * 8"}],
    "chain": [{"question": QUESTION}, {"question": QUESTION, "text": CHAIN}],
    "text": [{"question": QUESTION}, {"question": QUESTION, "text": TEXT}, {"text": TEXT}],
    "checked": [{"question": QUESTION}, {"text": TEXT}, *({"text": TEXT, "references": [TEXT * n]} for n in (1, 20))],
    "question": [{"question": QUESTION}],
    "gold": [{"question": QUESTION, "gold": ["Paris"]}],
}
DRAFTED = {
    "draft": always({"text": ANSWER}),
    "cot": always({"text": ANSWER}),
    "samples": always({"samples": [{"text": ANSWER, "answer": "Paris"}] * 2}),
}
CLAIMS = {"extract": always({"claims": TRIPLETS})}
UNSURE = judged(lambda claim: "neutral")
ASKS = {"queries": always({"queries": [QUESTION]})}
AT_FAULT = {"plausibility": "", "correctness": "Line 1 is wrong.", "accepted": False}
TURNS = [
    {"tool": "run_python", "argument": "answer = 2024 - 1889"},
    {"tool": "score_toxicity", "argument": TEXT},
    {"tool": "conclude", "conclusion": {"accepted": True}},
]
TWO_QUESTIONS = always({"queries": ["When was the Eiffel Tower completed?", "Where is the Eiffel Tower?"]})
JOINTLY: dict[str, Any] = {"gating": "joint", "backends": {"queries": TWO_QUESTIONS}}
WAYS: dict[str, list[dict[str, Any]]] = {
    "ground": [{"form": "structured"}, {"form": "structured", "backends": ASKS}],
    "rarr": [{"gating": "serial"}, {"editor": "fused"}, {"speculate_edits": True}, {"backends": ASKS}, JOINTLY],
    "purr": [{"backends": ASKS}],
    "critic_qa": [{"use_tools": False}, {"rounds": 1, "patience": 1}],
    "critic": [{"use_tools": False}, {"backends": {"critique": Scripted(*TURNS)}}],
    "critic_program": [
        {"use_tools": False},
        {
            "use_tools": False,
            "backends": {"untested_critique": always(AT_FAULT)},
        },
        {"rounds": 0},
    ],
    "critic_toxicity": [
        {"use_tools": False},
        {"toxicity": FakeScorer(judge=lambda text: 0.9), "backends": {"rewrite": always({"text": "Be well."})}},
    ],
    "refchecker": [
        {"claim_format": "subsentence"},
        {"backends": CLAIMS},
        *({"checking": way, "backends": {**CLAIMS, "check": UNSURE}} for way in ("joint", "single")),
        {"checking": "at_once"},
    ],
    "verify_and_edit": [{"consistency_threshold": 9}, {"consistency_threshold": 9, "chain": True, "claim": True}],
    "llm_augmenter": [
        {"utility": "model"},
        {"utility": "recall"},
        {"policy": "random"},
        {"policy": "self_ask"},
        {"utility_threshold": 1, "feedback": "self_criticism"},
    ],
}


def inputs(method: str) -> list[dict[str, Any]]:
    """What a method is run on."""
    record = METHODS[method]
    if record.gold == "needed":
        return GIVEN["gold"]
    if record.kind in ("drafts", "responds"):
        return GIVEN["program"][:1] if record.programs else GIVEN["question"]
    if record.kind == "checks":
        return GIVEN["checked"]
    return GIVEN["program" if record.programs else "chain" if method == "verify_and_edit" else "text"]


def ways(method: str) -> Iterator[dict[str, Any]]:
    """The settings that a method is run with: by rules, by a model, and what it has choices for."""
    search = FakeSearch(find=lambda query: ["The Eiffel Tower in Paris was completed in 1889. " * 60])
    reply = "```python\nanswer = 6 * 7\n```" if METHODS[method].programs else f"{ANSWER}\n> Accepted"
    asking = {"model": FakeChatModel(replies=[reply]), "search": search, "repairs": 0}
    drafts = "draft" in METHODS[method].reads
    by_rules = {"search": search, **({"backends": DRAFTED} if drafts else {})}
    yield {**by_rules, "max_calls": 40}
    yield asking
    yield from ({**asking, "draft": way} for way in ("react", "self_consistency") if drafts)
    for chosen in WAYS.get(method, []):
        yield {**by_rules, **chosen}
        yield {**asking, **chosen}


def runs(method: str) -> Iterator[tuple[dict[str, Any], Context]]:
    """What a method is run on, and how."""
    for settings in ways(method):
        for given in inputs(method):
            yield given, Context(**settings)
    yield from ((world.given, world.context) for make in WORLDS.values() if (world := make()).method == method)


@contextmanager
def noted(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[set[str], set[tuple[str, str]]]]:
    """The settings that are read, but for those that are only passed on, and the nodes that ask with their tasks."""
    read: set[str] = set()
    asked: set[tuple[str, str]] = set()
    found, made = Context.__getattribute__, TaskModel.__init__

    def note_setting(context: Context, name: str) -> Any:
        if name in Context.model_fields and not sys._getframe(1).f_globals["__name__"].startswith(PLUMBING):
            read.add(name)
        return found(context, name)

    def note_task(model: TaskModel[Any, Any], definition: Any, *rest: Any) -> None:
        # Of a node that is a graph, such as `verify`, the first name is its own.
        node = get_config()["metadata"]["langgraph_checkpoint_ns"].partition(":")[0]
        asked.add((node, definition.name))
        made(model, definition, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(Context, "__getattribute__", note_setting)
        patch.setattr(TaskModel, "__init__", note_task)
        yield read, asked


@pytest.mark.parametrize("method", METHODS)
async def test_a_method_does_what_its_record_says(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    record = METHODS[method]
    ever: set[tuple[str, str]] = set()
    declared: set[str] = set()
    own = {(node, task) for node, asked in record.tasks.items() for task in asked}
    with noted(monkeypatch) as (read, asked):
        for given, context in runs(method):
            asked.clear()
            config: Any = {"configurable": {"thread_id": "1"}}
            await build(method).compile(InMemorySaver()).ainvoke(given, config, context=context)
            known = set(tasks(method, context, drafting=not given.get("text")))
            assert sorted({task for _, task in asked} - known) == [], "it asks for tasks that its record does not name"
            of_a_draft = {pair for pair in asked if record.draft and pair[0] == "draft"}
            assert sorted(asked - of_a_draft - own) == [], "its record has them at other nodes"
            ever |= asked
            declared |= known
    assert sorted(declared - {task for _, task in ever}) == [], "it never asks for tasks that its record names"
    assert sorted(own - ever) == [], "a node never asks for a task that its record names"
    assert sorted(read - record.reads - NETWORKS.keys()) == [], "it reads settings that its record does not name"
    settings = frozenset[str]().union(*(part.model_fields for part in record.settings))
    assert sorted(settings - read - NETWORKS.keys()) == [], "it never reads settings that its record names"
    for tool in record.tools:
        assert any(read & part.model_fields.keys() for part in TOOLS[tool])
    for network, carried_out in NETWORKS.items():
        every = {*declared, *tasks(method, Context(editor="fused"), drafting=False)}
        assert (network in record.reads) == (not every.isdisjoint(carried_out)), network
