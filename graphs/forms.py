"""The prompts of a method as fields of a form, which Studio shows at the nodes that use them."""

from functools import cache
from typing import Any

from ..models import TASKS
from ..prompts import load_prompt, prompted, source
from ..state.runs.given import PROMPT
from . import METHODS
from .drafting import WAYS


@cache
def prompts(name: str) -> dict[str, list[str]]:
    """The prompts of a method, each with the nodes that use it."""
    method = METHODS[name]
    tasks_of = dict(method.tasks)
    if method.draft:
        drafting_methods = WAYS if "draft" in method.reads else (method.draft,)
        tasks_of["draft"] = tuple(
            task
            for drafting_method in drafting_methods
            for tasks in METHODS[drafting_method].tasks.values()
            for task in tasks
        )
    nodes_of: dict[str, list[str]] = {}
    for node, tasks in tasks_of.items():
        for prompt in dict.fromkeys(TASKS[task].prompt or task for task in tasks):
            if prompt in prompted():
                nodes_of.setdefault(prompt, []).append(node)
    return nodes_of


@cache
def prompt_fields(name: str) -> dict[str, dict[str, Any]]:
    """The instructions of a method's prompts as fields of a form. Studio shows each at the nodes that use it."""
    return {
        f"{prompt}{PROMPT}": {
            "title": f"Prompt {prompt}",
            "description": source(prompt).splitlines()[0].lstrip("# "),
            "type": "string",
            "default": load_prompt(TASKS[prompt]).words.system.strip(),
            "group": "Prompts",
            "langgraph_nodes": nodes,
            "langgraph_type": "prompt",
        }
        for prompt, nodes in prompts(name).items()
    }
