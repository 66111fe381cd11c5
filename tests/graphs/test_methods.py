"""The register of methods: one record beside each graph, from which everything else takes what it needs to know."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from errata.graphs import METHODS, load
from errata.models.tasks import TASKS
from errata.state import Context

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", METHODS)
def test_a_record_is_of_its_graph(name: str) -> None:
    method = METHODS[name]
    assert method.name == load(name).name == name
    assert method.reads <= Context.model_fields.keys()
    assert method.tasks.keys() | {method.drafting} - {""} <= load(name).builder.nodes.keys()
    assert {*method.unasked(Context()), *(task for tasks in method.tasks.values() for task in tasks)} <= TASKS.keys()
    assert not method.draft or METHODS[method.draft].kind == "drafts"
    assert method.title.endswith(".")


def test_the_server_of_langgraph_is_told_of_the_same_methods() -> None:
    told = json.loads((ROOT / "langgraph.json").read_text("utf-8"))["graphs"]
    baselines = {name for name, method in METHODS.items() if method.kind == "drafts"}
    paths = {name: f"errata.graphs.{f'baselines:{name}' if name in baselines else f'{name}:graph'}" for name in METHODS}
    assert told == {name: {"path": path, "description": METHODS[name].title} for name, path in paths.items()}
    assert list(told) == list(METHODS)


def test_baselines_stand_behind_the_methods_and_say_what_they_are() -> None:
    are_drafts = [method.kind == "drafts" for method in METHODS.values()]
    assert are_drafts == sorted(are_drafts)
    said = [method.about.partition(":")[0] in ("Baseline", "Evaluation only") for method in METHODS.values()]
    assert said == are_drafts


def test_the_names_of_methods_are_known_without_loading_one() -> None:
    code = "import sys; from errata.graphs import METHODS; assert 'rarr' in METHODS; len(METHODS); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "langgraph" not in loaded
    assert "errata.graphs.rarr" not in loaded


def test_settings_all_belong_to_a_method_and_stand_under_a_heading() -> None:
    from errata.state.parts import GROUPS

    read = frozenset[str]().union(*(method.reads for method in METHODS.values()))
    assert read == Context.model_fields.keys() == GROUPS.keys()
