"""The tasks, in a module for each family: a task's input, its output, and what typing cannot say about the two.

Outputs have their fields in the order in which a chat model writes them, so that the thinking stands before what it
comes to. The numbers of sentences and claims in an output are their places in the list, from 1.

A family's module is found by itself: what it takes to add a task is a `Task` in one, and a prompt.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from .task import Task

_FAMILIES = [import_module(f".{module.name}", __name__) for module in iter_modules(__path__)]

TASKS: dict[str, Task[Any, Any]] = {
    task.name: task for family in _FAMILIES for task in vars(family).values() if isinstance(task, Task)
}
"""All tasks, by name."""
