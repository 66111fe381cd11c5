"""The house stays small: a budget of code for each room, few files, short files, one meaning for a class name.

Code is what is left of a file without blank lines, comments, docstrings and imports. CONTRIBUTING.md says how to
change a budget.
"""

import ast
import collections
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

BUDGETS = {
    "state": 3_046,
    "prompts": 232,
    "models": 7_760,
    "tools": 3_483,
    "nodes": 4_271,
    "graphs": 973,
    "training": 0,
    "apps": 6_720,
    "evals": 1_935,
    "src": 106,
}
MOST_FILES = 401
LONGEST_FILE = 330

# Longer than that still.
LONG_FILES = frozenset({"models/rules/agreeing.py", "models/rules/language/clauses.py"})

# Public names that several classes still bear. A name leaves this list when one meaning is left; none is added.
SHARED_NAMES = frozenset(
    """
    Account Answered Asked Batch Change Checked Example Figures Finding Found Given GroundInput Item Judged Kept
    Line Link Network Outcome Page Pair Part Piece Place Ran Reading Recipe Result Row Run Sampled Sent Sentence
    Source Statement Step Text ToCorrect Value
    """.split()
)


def _sources(room: str) -> list[Path]:
    return sorted(path for path in (ROOT / room).rglob("*.py") if "__pycache__" not in path.parts)


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def lines_of_code(source: str) -> int:
    """Count the lines that are neither blank, comment, docstring nor import."""
    others: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant(value=str())):
                others |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = enumerate(source.split("\n"), 1)
    return sum(
        bool(line.strip()) and not line.strip().startswith("#") and number not in others for number, line in lines
    )


def test_code_is_counted_without_comments_docstrings_and_imports() -> None:
    assert (
        lines_of_code('"""A module."""\n\nimport os\n\n# why\nx = 1\n\n\ndef f():\n    """Say."""\n    return os\n')
        == 3
    )


@pytest.mark.parametrize("room", BUDGETS)
def test_a_room_keeps_to_its_budget(room: str) -> None:
    counted = sum(lines_of_code(path.read_text(encoding="utf-8")) for path in _sources(room))
    assert counted <= BUDGETS[room], f"{room}/ has {counted} lines of code, {counted - BUDGETS[room]} above its budget"


def test_there_are_few_files() -> None:
    assert sum(len(_sources(room)) for room in BUDGETS) <= MOST_FILES


def test_a_file_is_short() -> None:
    long = {
        str(path.relative_to(ROOT)): counted
        for room in BUDGETS
        for path in _sources(room)
        if (counted := lines_of_code(path.read_text(encoding="utf-8"))) > LONGEST_FILE
    }
    assert long.keys() <= LONG_FILES, "files of more than one idea; split them, or take something out"


def test_a_public_class_name_has_one_meaning() -> None:
    places = collections.defaultdict(list)
    for room in BUDGETS:
        for path in _sources(room):
            for node in _parsed(path).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[node.name].append(str(path.relative_to(ROOT)))
    several = {name: found for name, found in places.items() if len(found) > 1}
    assert not {name: found for name, found in several.items() if name not in SHARED_NAMES}
