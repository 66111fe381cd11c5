"""The prompts of a method as fields of a form, which Studio shows at the nodes that use them."""

from collections.abc import Mapping
from typing import Any

from ..models import TASKS
from ..prompts import load_prompt, prompted, source
from ..state.runs.given import PROMPT


def prompts(tasks_of: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """The prompts that nodes use, each with its nodes.

    Args:
        tasks_of: The tasks of each node.
    """
    nodes_of: dict[str, list[str]] = {}
    for node, tasks in tasks_of.items():
        for prompt in dict.fromkeys(TASKS[task].prompt or task for task in tasks):
            if prompt in prompted():
                nodes_of.setdefault(prompt, []).append(node)
    return nodes_of


def prompt_fields(tasks_of: Mapping[str, tuple[str, ...]]) -> dict[str, dict[str, Any]]:
    """The instructions of prompts as fields of a form. Studio shows each at the nodes that use it.

    Args:
        tasks_of: The tasks of each node.
    """
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
        for prompt, nodes in prompts(tasks_of).items()
    }
