"""Stand-ins for a chat model, a search, a scorer and the tasks, whose answers a test writes."""

import asyncio
import json
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableLambda
from pydantic import Field

from errata.nodes import step
from errata.nodes.step import Step, StepFunction
from errata.state import Context, Evidence
from errata.tools import SearchTool, evidence
from errata.tools.toxicity import ToxicityTool

Reply = str | AIMessage | Exception


class FakeChatModel(BaseChatModel):
    """Gives its replies in turn, and the last of them for ever; an exception among them is raised."""

    replies: list[Any]
    structured: bool = False
    """Whether it takes a response schema."""
    latency: float = 0.0
    asked: list[list[BaseMessage]] = Field(default_factory=list)
    schemas: list[Any] = Field(default_factory=list)
    under_way: int = 0
    peak: int = 0

    @property
    def _llm_type(self) -> str:
        return "fake"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self.asked.append(messages)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        message = AIMessage(reply) if isinstance(reply, str) else reply
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self.under_way += 1
        self.peak = max(self.peak, self.under_way)
        try:
            await asyncio.sleep(self.latency)
            return self._generate(messages)
        finally:
            self.under_way -= 1

    def with_structured_output(self, schema: Any, *, include_raw: bool = False, **_: Any) -> Runnable[Any, Any]:
        if not self.structured:
            raise NotImplementedError
        self.schemas.append(schema)

        async def ask(messages: Any) -> dict[str, Any]:
            return {"raw": await self.ainvoke(messages), "parsed": None, "parsing_error": None}

        return RunnableLambda(ask)


class FakeToolCaller(FakeChatModel):
    """Also calls tools: its replies are messages with calls."""

    offered: list[list[str]] = Field(default_factory=list)
    """Names of the tools that it might call, request by request."""

    def bind_tools(self, tools: Any, *, tool_choice: Any = None, **_: Any) -> Runnable[Any, Any]:
        self.offered.append([tool["function"]["name"] for tool in tools])
        return self


def calls(*named: tuple[str, dict[str, Any]], thought: str = "") -> AIMessage:
    """A reply that calls tools: name and arguments of each."""
    return AIMessage(
        thought, tool_calls=[{"name": name, "args": args, "id": f"call-{n}"} for n, (name, args) in enumerate(named)]
    )


def searches(query: str, thought: str = "") -> AIMessage:
    """A reply that looks something up."""
    return calls(("search", {"query": query}), thought=thought)


def concludes(**conclusion: Any) -> AIMessage:
    """A reply that concludes."""
    return calls(("conclude", conclusion))


class FakeSearch(SearchTool):
    """Finds what it is told to: texts for a query, or titles and texts; an exception is raised."""

    name: str = "fake"
    description: str = "Finds what it is told to."
    find: Callable[[str], Any] = lambda query: [f"A page about {query}"]
    searched: list[str] = Field(default_factory=list)

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        self.searched.append(query)
        texts = self.find(query)
        titled = [each if isinstance(each, tuple) else (f"Page {n}", each) for n, each in enumerate(texts)]
        return [
            evidence(query=query, text=text, title=title, source=f"fake:{number}")
            for number, (title, text) in enumerate(titled)
        ]


class FakeScorer(ToxicityTool):
    """Scores as it is told to: a number for a text, or an exception that is raised."""

    name: str = "fake"
    description: str = "Scores as it is told to."
    measures: ClassVar[str] = "What it is told to."
    judge: Callable[[str], Any]
    scored: list[str] = Field(default_factory=list)

    async def _measure(self, texts: list[str]) -> list[dict[str, float]]:
        self.scored += texts
        return [{"toxicity": self.judge(text), "insult": self.judge(text) / 2} for text in texts]


class Scripted:
    """A task model that gives its outputs in turn, and the last of them for ever; an exception among them is raised."""

    def __init__(self, *outputs: Any) -> None:
        self.outputs = list(outputs)
        self.asked: list[dict[str, Any]] = []

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        self.asked.append(input)
        output = self.outputs[min(len(self.asked), len(self.outputs)) - 1]
        if isinstance(output, BaseException):
            raise output
        return output


def chance(*of: Any) -> random.Random:
    """Random numbers that follow from what they are asked of, whenever that is."""
    return random.Random(json.dumps(of))


def always(output: Any) -> Runnable[Any, Any]:
    """A task model that gives the same output, or raises the same exception, whatever it is asked."""

    async def answer(_: Any) -> Any:
        if isinstance(output, BaseException):
            raise output
        return output

    return RunnableLambda(answer)


class Rewriting:
    """An edit model that puts right words in the place of wrong ones, so many times from the start of the text."""

    def __init__(self, wrong: str, right: str, count: int = 1) -> None:
        self.change = wrong, right, count
        self.asked: list[dict[str, Any]] = []

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        self.asked.append(input)
        return {"text": input["text"].replace(*self.change)}


AGREES = {"text_says": "yes", "evidence_says": "yes", "label": "entailment"}
DISAGREES = {"text_says": "the one", "evidence_says": "the other", "label": "contradiction"}


async def equal_rank(task_input: dict[str, Any]) -> dict[str, Any]:
    return {"scores": [1.0] * len(task_input["passages"])}


def context(**settings: Any) -> Context:
    """Settings of a run in which nothing but fakes is asked. Tasks are named like `agreement=Runnable`."""
    tasks = ("draft", "queries", "rank", "agreement", "agreements", "edit", "edit_all", "revise", "ground")
    backends = {
        "draft": always({"text": "The drafted text."}),
        "queries": always({"queries": ["What is one?", "What is two?"]}),
        "rank": RunnableLambda(equal_rank),
        "agreement": always(AGREES),
        "edit": always(RuntimeError("no edit was expected")),
        "edit_all": always(RuntimeError("no fused edit was expected")),
        **{name: settings.pop(name) for name in tasks if name in settings},
    }
    return Context(**{"search": FakeSearch(), "backends": backends, "cache": False, **settings})


def fields_returned(graph_file: ModuleType, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """What the steps of a method return from now on: LangGraph drops what is no field of the state without a word."""
    returned: set[str] = set()

    def spied(function: StepFunction, **kind: Any) -> Step:
        async def spy(state: Any, settings: Context) -> dict[str, Any]:
            update = await function(state, settings)
            returned.update(update)
            return update

        spy.__name__ = function.__name__
        return step(spy, **kind)

    monkeypatch.setattr(graph_file, "step", spied)
    return returned
