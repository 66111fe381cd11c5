"""The house keeps its order: imports run upwards only, and heavy packages stay outside until they are needed."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("state", "prompts", "models", "tools", "nodes", "graphs", "apps", "evals")
LOWER = {room: ROOMS[: ROOMS.index(room) + 1] for room in ROOMS} | {
    "tools": ("state", "tools"),  # what touches the world does not think
}
HEAVY = (
    "torch",
    "transformers",
    "sklearn",
    "scipy",
    "joblib",
    "fastapi",
    "langserve",
    "trafilatura",
    "pypdf",
    "tantivy",
    "tavily",
    "pint",
    "openai",
)


def imported_rooms(path: Path, room: str) -> Iterator[str]:
    """The rooms that a file imports from, by its relative imports."""
    depth = len(path.relative_to(ROOT / room).parts)
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        if node.level <= depth:
            yield room
        elif node.module:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("room", ROOMS)
def test_imports_run_upwards_only(room: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {other}"
        for path in (ROOT / room).rglob("*.py")
        for other in imported_rooms(path, room)
        if other not in LOWER[room]
    ]
    assert wrong == []


def test_a_graph_is_imported_without_what_it_may_never_need() -> None:
    code = "import sys; from errata.graphs import METHODS, load; [load(name) for name in METHODS]; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert set(HEAVY) & set(loaded) == set()


def test_help_is_there_before_anything_that_takes_its_time() -> None:
    code = "import sys; sys.argv = ['errata', '--help']; from errata.apps.cli.main import main; main()"
    asked = f"import atexit, sys; atexit.register(lambda: print(*sys.modules)); {code}"
    shown = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout
    assert "Commands:" in shown
    assert {*HEAVY, "pydantic", "langchain_core", "langgraph"} & set(shown.split()) == set()


def test_what_reading_a_page_needs_is_asked_for_by_its_own_name() -> None:
    named = {re.split(r"[^\w.-]", requirement)[0] for requirement in requires("errata") or []}
    assert "lxml_html_clean" in {name.replace("-", "_") for name in named}


def test_each_module_of_nodes_has_its_tests_at_the_same_place() -> None:
    nodes, tests = ROOT / "nodes", ROOT / "tests" / "nodes"
    modules = {path.relative_to(nodes) for path in nodes.rglob("*.py") if path.name != "__init__.py"}
    tested = {path.relative_to(tests).with_name(path.name.removeprefix("test_")) for path in tests.rglob("test_*.py")}
    assert tested == modules
