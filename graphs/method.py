"""What the rest of the house knows of a method: one record beside each graph."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..state import Context, parts
from ..state.given import schema

Tool = Literal["search", "python", "toxicity"]
Kind = Literal["corrects", "checks", "responds", "drafts"]

DRAFTING = (parts.DraftSettings, parts.SampleSettings, parts.TurnSettings)
"""Parts of the settings of a method that begins with a draft of the caller's choice."""
TOOLS: dict[Tool, tuple[type[parts.Settings], ...]] = {
    "search": (parts.SearchSettings, parts.CacheSettings),
    "python": (parts.PythonSettings,),
    "toxicity": (parts.ToxicitySettings, parts.CacheSettings),
}
"""Parts of the settings that a tool reads."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method, for those who list, run, serve, measure or document it."""

    name: str
    about: str
    """A line on what it does."""
    paper: str = ""
    """Its arXiv number, as in 2210.08726."""
    kind: Kind
    """What it does with what it is given: corrects or checks a text, responds to a message, drafts an answer."""
    tasks: tuple[str, ...]
    """The tasks that it always asks for, though not in every run: those of a draft are the draft's own."""
    chosen: Callable[[Context], tuple[str, ...]] = lambda context: ()
    """The tasks that it asks for with these settings."""
    tools: tuple[Tool, ...] = ()
    draft: str = ""
    """The method whose draft it begins with where it is given no text."""
    drafting: Callable[[Context], tuple[str, ...]] = lambda context: ()
    """The tasks of a draft of its own, with these settings."""
    settings: tuple[type[parts.Settings], ...] = ()
    """The parts of the settings that it reads, beside those of models and of its tools."""
    programs: bool = False
    """Whether its text is a program."""
    gold: Literal["", "optional", "needed"] = ""
    """Whether right answers, where they are given, decide when to correct or what to choose."""

    @cached_property
    def reads(self) -> frozenset[str]:
        """The settings that it reads."""
        of_tools = (part for tool in self.tools for part in TOOLS[tool])
        read: tuple[type[parts.Settings], ...] = (parts.ModelSettings, *of_tools, *self.settings, parts.LimitSettings)
        return frozenset(name for part in read for name in part.model_fields)

    @cached_property
    def schema(self) -> type[Context]:
        """What its graph declares as its `context_schema`: the settings that it reads."""
        return schema(self.name, self.reads)

    def compile(self, graph: StateGraph[Any, Any, Any, Any]) -> CompiledStateGraph[Any, Any, Any, Any]:
        """Its graph, without checkpointer or store. In a pipe it streams its state on, not one node's update."""
        compiled = graph.compile(name=self.name)
        compiled.stream_mode = "values"
        return compiled

    @property
    def title(self) -> str:
        """What it does, and where it was published."""
        return f"{self.about} (arXiv {self.paper})." if self.paper else f"{self.about}."
