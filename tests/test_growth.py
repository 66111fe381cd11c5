"""What reads foreign text takes time in proportion to it, whoever wrote it and to what end."""

import ast
import re
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeGuard

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from pydantic import BaseModel

from errata.models import reading, rules
from errata.models.tasks import TASKS
from errata.models.tasks.correction import Queries
from errata.prompts import load_prompt, prompted
from errata.state.errors import RunError, Undecided
from errata.state.text import answers, sections, spans, typography, values
from errata.state.text import segments as text
from errata.tools import search
from errata.tools.python import execution
from errata.tools.reading import chunks, documents

from .growth import KINDS, against, growth, repeated

ROOT = Path(__file__).parent.parent
ROOMS = ("state", "prompts", "models", "tools", "nodes", "graphs", "apps", "evals")
METHODS = frozenset({"match", "fullmatch", "search", "findall", "finditer", "split", "sub", "subn"})
FROM_THE_START = {"match", "fullmatch"}


class Found(typing.NamedTuple):
    where: str
    pattern: re.Pattern[Any]
    uses: frozenset[str]


def patterns() -> Iterator[Found]:
    """Every regular expression of ours: those that modules keep, and those that stand where they are used."""
    paths = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    nodes = {path: list(ast.walk(ast.parse(path.read_text("utf-8")))) for path in paths}
    used_in = {path: uses(each) for path, each in nodes.items()}
    everywhere: dict[str, set[str]] = {}
    for names in used_in.values():
        for name, methods in names.items():
            everywhere.setdefault(name, set()).update(methods)
    seen: set[re.Pattern[Any]] = set()
    for path in paths:
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        kept_as: dict[re.Pattern[Any], list[str]] = {}
        for name, value in vars(import_module(f"errata.{module}")).items():
            for pattern in set(compiled(value)) - seen:
                kept_as.setdefault(pattern, []).append(name)
        seen |= kept_as.keys()
        for pattern, kept in kept_as.items():
            # What is private is used where it stands.
            known = [(used_in[path] if name.startswith("_") else everywhere).get(name, set()) for name in kept]
            yield Found(f"{module}.{kept[0]}", pattern, frozenset().union(*known) or frozenset({"search"}))
        for node in nodes[path]:
            if isinstance(node, ast.Call) and _is_of(node.func, "re") and node.args:
                source, method = node.args[0], node.func.attr
                if method in METHODS and isinstance(source, ast.Constant) and isinstance(source.value, str):
                    yield Found(f"{module}:{node.lineno}", re.compile(source.value), frozenset({method}))


def _is_of(node: ast.AST, module: str) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == module


def uses(nodes: list[ast.AST]) -> dict[str, set[str]]:
    """Names and the methods that are called on them, or on what a loop over them takes out."""
    found: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in METHODS and (name := _name(node.value)):
            found.setdefault(name, set()).add(node.attr)
    for node in nodes:
        if isinstance(node, ast.For | ast.comprehension) and (name := _name(node.iter)):
            for each in ast.walk(node.target):
                found.setdefault(name, set()).update(found.get(_name(each), ()))
    return found


def _name(node: ast.AST) -> str:
    return getattr(node, "id", "") or getattr(node, "attr", "")


def compiled(value: Any) -> Iterator[re.Pattern[Any]]:
    match value:
        case re.Pattern():
            yield value
        case dict():
            yield from compiled(list(value.values()))
        case list() | tuple() | set() | frozenset():
            for each in value:
                yield from compiled(each)


def run(found: Found, text: str) -> None:
    given = text.encode("latin-1", "replace") if isinstance(found.pattern.pattern, bytes) else text
    for method in found.uses & FROM_THE_START:
        getattr(found.pattern, method)(given)
    if found.uses - FROM_THE_START:
        for _ in found.pattern.finditer(given):
            pass


def test_regular_expressions() -> None:
    found = list(patterns())
    assert len(found) > 150
    slow = {
        f"{each.where}: {each.pattern.pattern!r} on {head!r} and {loop!r} again and again: {wrong}"
        for each in found
        for head, loop in dict.fromkeys(against(each.pattern))
        if (wrong := growth(repeated(loop, head, "\x01"), partial(run, each), 2_000))
    }
    assert not slow, "\n".join(sorted(slow))


@pytest.mark.parametrize("bad", [r"\s+not", r"(a|aa)+$", r"x.*y.*z"])
def test_what_runs_wild_is_found(bad: str) -> None:
    pattern = re.compile(bad)
    found = Found("here", pattern, frozenset({"search"}))
    cases = against(pattern)
    assert any(growth(repeated(loop, head, "\x01"), partial(run, found), 2_000) for head, loop in cases)


def reply(given: str) -> AIMessage:
    return AIMessage(given)


def object_of(given: str) -> None:
    with suppress(ValueError):
        reading.read_object(reply(given), Queries)


def program_of(given: str) -> None:
    with suppress(ValueError):
        reading.read_program(reply(given))


def document(given: str, ending: str) -> None:
    with suppress(documents.Unreadable):
        documents.read(given.encode(), ending)


TEXT_FUNCTIONS: list[Callable[[str], Any]] = [
    text.sentences,
    text.tokens,
    text.leading_to,
    lambda given: text.passages(given, 1_000),
    typography.reading,
    typography.plain,
    values.value,
    lambda given: values.same_answer(given, given[1:]),
    sections.sections,
    sections.prose,
    lambda given: spans.whole(given, "the ferry"),
    lambda given: spans.find(given, given[:2]),
    chunks.chunks,
    answers.read_answer,
    answers.through_answer,
    answers.says_answer,
    search.clean,
    object_of,
    program_of,
    lambda given: reading.text_of(reply(given)),
    lambda given: list(reading.json_objects(given)),
    lambda given: document(given, ".txt"),
    lambda given: document(given, ".md"),
    lambda given: document(f"---\n{given}\n---\nNoon.", ".md"),
]


@pytest.mark.parametrize("function", TEXT_FUNCTIONS)
def test_functions_on_text(function: Callable[[str], Any]) -> None:
    wrong = {kind: growth(repeated(kind), function, 3_000) for kind in KINDS}
    assert not {kind: said for kind, said in wrong.items() if said}


def test_comparing_two_texts() -> None:
    def compare(given: str) -> None:
        spans.changes(given, given[: len(given) // 2] + " and more " + given[len(given) // 2 :])

    for kind in ("a", "a ", "1 ", "Aa, ", "In 1905 "):
        assert not growth(repeated(kind), compare, 1_000), kind


def test_tables() -> None:
    def read(given: str) -> None:
        document(given, ".csv")

    assert not growth(lambda size: "a," * size + "\n" + "1\n" * size, read, 10_000)
    assert not growth(repeated("a,", '"'), read, 10_000)


@pytest.mark.parametrize(
    "function",
    [
        lambda given: search.one_line(given, 300),
        lambda given: execution.failed("ValueError", given),
    ],
)
def test_what_is_cut_is_cut_before_it_is_read(function: Callable[[str], Any]) -> None:
    assert not growth(lambda size: "a\r " * size if size > 500_000 else "", function, 500_000)


def prompts() -> list[str]:
    return sorted(name for name, task in TASKS.items() if (task.prompt or name) in prompted())


@pytest.mark.parametrize("name", prompts())
def test_prompts(name: str) -> None:
    task = TASKS[name]
    prompt = load_prompt(task)
    for kind in ("<", "< ", "</ ", " ", "\n", "<text", "[1] ", "{text}", "<text >"):
        wrong = growth(
            lambda size, kind=kind: given_to(task.input, repeated(kind, "<")(size)),  # type: ignore[misc]
            prompt.messages,
            5_000,
        )
        assert not wrong, kind


NOTICED = 0.25
"""Seconds. Rules compare each clause of one short text with each of another, which is at once done."""


@pytest.mark.parametrize("name", sorted(rules.__all__))
def test_rules(name: str) -> None:
    def carry_out(given: Mapping[str, Any]) -> None:
        with suppress(RunError, Undecided, ValueError):
            getattr(rules, name)(given)

    def made(kind: str, size: int) -> dict[str, Any]:
        return given_to(TASKS[name].input, repeated(kind)(size))

    for kind in RULE_KINDS:
        wrong = growth(partial(made, kind), carry_out, 250, NOTICED)
        assert not wrong, kind


RULE_KINDS = (
    *("a", " ", "A. ", "Aa ", "In 1905 ", "A and B, ", "(a) ", "5 km ", "the first ", "The ferry left Skorn in 1905. "),
    "the Ferry of Arn and the Bridge of Skorn, which opened in 1905, ",
)


def given_to(task_input: Any, words: str) -> dict[str, Any]:
    """An input of a task whose every text is these words."""
    return {name: _value(name, kind, words) for name, kind in typing.get_type_hints(task_input).items()}


def _value(name: str, kind: Any, words: str) -> Any:
    inner = typing.get_args(kind)
    if name == "links":
        return []
    if name == "tools":
        return ["search"]
    if name == "messages":
        call = {"name": "search", "args": {"query": words}, "id": "1"}
        return [AIMessage("", tool_calls=[call]), ToolMessage(words, name="search", tool_call_id="1")]
    if kind in (int, float, bool):
        return kind(1)
    if typing.get_origin(kind) is list:
        return [_value("", inner[0], words)]
    if typing.get_origin(kind) is typing.Literal:
        return inner[0]
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind.model_construct(**given_to(kind, words))
    return given_to(kind, words) if typing.is_typeddict(kind) or hasattr(kind, "__required_keys__") else words
