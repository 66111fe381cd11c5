"""The record that describes a method, defined next to each graph."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..state import Context, parts
from ..state.runs.given import schema
from .forms import prompt_fields

Tool = Literal["search", "python", "toxicity"]
Kind = Literal["corrects", "checks", "responds", "drafts"]

DRAFTING = (parts.DraftSettings, parts.SampleSettings, parts.TurnSettings)
"""The settings of a method that starts from a draft of the caller's choice."""
TOOLS: dict[Tool, tuple[type[parts.Settings], ...]] = {
    "search": (parts.SearchSettings, parts.CacheSettings),
    "python": (parts.PythonSettings,),
    "toxicity": (parts.ToxicitySettings, parts.CacheSettings),
}
"""The settings that each tool reads."""
DRAFT_TASKS: dict[str, dict[str, tuple[str, ...]]] = {
    "direct": {"draft": ("draft",)},
    "cot": {"draft": ("cot",)},
    "self_consistency": {"draft": ("samples",)},
    "react": {"react": ("react",), "tools": ("rank",)},
    "program_of_thought": {"draft": ("program",)},
    "continuation": {"draft": ("continuation",)},
}
"""The baselines that write a draft for another method, each with the tasks of its nodes."""
WAYS = ("direct", "cot", "self_consistency", "react")
"""Those that the setting `draft` may choose."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method, described for everything that lists, runs, serves, measures or documents it."""

    name: str
    about: str
    """One line about what it does."""
    paper: str = ""
    """The arXiv number of its paper, such as 2210.08726."""
    kind: Kind
    """Whether it corrects or checks a text, responds to a message, or drafts an answer."""
    tasks: Mapping[str, tuple[str, ...]]
    """The tasks that each of its nodes may ask for, except those of a draft that is another method's."""
    unasked: Callable[[Context], Collection[str]] = lambda context: ()
    """The tasks among them that it does not need with the given settings."""
    tools: tuple[Tool, ...] = ()
    draft: str = ""
    """The method that drafts for it if it gets no text."""
    drafting: str = ""
    """The node that drafts if it gets no text, if it drafts by itself."""
    settings: tuple[type[parts.Settings], ...] = ()
    """The settings that it reads, besides those of models and of its tools."""
    programs: bool = False
    """Whether the text is a program."""
    gold: Literal["", "optional", "needed"] = ""
    """Whether right answers, if given, decide when to correct or what to choose."""

    @cached_property
    def reads(self) -> frozenset[str]:
        """The names of the settings that it reads."""
        of_tools = (part for tool in self.tools for part in TOOLS[tool])
        settings_parts: tuple[type[parts.Settings], ...] = (
            parts.ModelSettings,
            *of_tools,
            *self.settings,
            parts.LimitSettings,
        )
        return frozenset(name for part in settings_parts for name in part.model_fields)

    @cached_property
    def schema(self) -> type[Context]:
        """The `context_schema` of its graph: the settings that it reads."""
        return schema(self.name, self.reads, lambda: self.prompt_fields)

    @cached_property
    def prompt_fields(self) -> dict[str, dict[str, Any]]:
        """The instructions of its prompts as fields of a form, each at the nodes that use it."""
        return prompt_fields(self.tasks_of_nodes)

    @property
    def tasks_of_nodes(self) -> dict[str, tuple[str, ...]]:
        """The tasks that each of its nodes may ask for, those of a draft included."""
        if not self.draft:
            return dict(self.tasks)
        drafts = [DRAFT_TASKS[name] for name in (WAYS if "draft" in self.reads else (self.draft,))]
        return {**self.tasks, "draft": tuple(task for draft in drafts for tasks in draft.values() for task in tasks)}

    def compile(self, graph: StateGraph[Any, Any, Any, Any]) -> CompiledStateGraph[Any, Any, Any, Any]:
        """Compile its graph, without checkpointer or store. In a pipe it streams its state, not one node's update."""
        method = graph.compile(name=self.name)
        method.stream_mode = "values"
        return method

    @property
    def title(self) -> str:
        """A sentence on what it does, with its paper."""
        return f"{self.about} (arXiv {self.paper})." if self.paper else f"{self.about}."
