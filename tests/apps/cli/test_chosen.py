"""What was chosen for good is used where a command names nothing, and only there."""

import json
from pathlib import Path
from typing import Any

import pytest

from errata.apps.run import check_named
from errata.apps.settings import make_context
from errata.state import Context
from errata.state.errors import ConfigurationError
from errata.state.runs.chosen import JUDGE, WRITER, choose, chosen, chosen_file

from ...conftest import Errata
from ...ggufs import large

NONE = {"model": None, "base_url": None}
"""Options of a command that takes a model, none of them given."""
SERVER = {"model": "openai:qwen", "base_url": "http://127.0.0.1:9/v1", "send_key": False}


@pytest.fixture(autouse=True)
def _own_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ERRATA_CONFIG_DIR", str(tmp_path / "config"))


def test_nothing_is_chosen_until_somebody_chooses() -> None:
    assert chosen() == {}
    assert make_context(NONE, (), ()) == Context()


def test_a_command_that_names_no_model_takes_the_chosen_one() -> None:
    choose(WRITER, SERVER)
    context = make_context(NONE, (), ())
    assert {name: getattr(context, name) for name in SERVER} == SERVER


@pytest.mark.parametrize("given", [{"model": "openai:gpt-5-mini"}, {"base_url": "http://127.0.0.1:8/v1"}])
def test_what_a_command_names_is_not_mixed_with_what_was_chosen(given: dict[str, Any]) -> None:
    choose(WRITER, SERVER)
    assert make_context({**NONE, **given}, (), ()) == Context(**given)
    assert make_context(NONE, (), ["model=openai:other"]) == Context(model="openai:other")


def test_a_run_that_goes_on_keeps_its_own() -> None:
    choose(WRITER, SERVER)
    assert make_context({}, (), ()) == Context()


def test_a_judge_and_a_model_are_chosen_apart() -> None:
    choose(WRITER, SERVER)
    choose(JUDGE, {"nli": "/srv/judge"})
    assert chosen() == {**SERVER, "nli": "/srv/judge"}
    assert make_context({**NONE, "model": "embedded"}, (), ()) == Context(model="embedded", nli="/srv/judge")
    choose(WRITER, {})
    assert chosen() == {"nli": "/srv/judge"}


@pytest.mark.parametrize("content", ["", "[]", "{", '{"sources": "/etc"}', '{"model": 5}', '{"send_key": "often"}'])
def test_a_damaged_choice_is_named_and_not_guessed(errata: Errata, content: str) -> None:
    chosen_file().parent.mkdir()
    chosen_file().write_text(content)
    with pytest.raises(ConfigurationError, match=r"models\.json"):
        chosen()
    code, _, err = errata("correct", "It opened in 1885.")
    assert (code, err.count("\n")) == (2, 1)


def test_what_was_chosen_for_good_is_no_option_that_a_method_does_not_read(errata: Errata, tmp_path: Path) -> None:
    source = tmp_path / "tower.md"
    source.write_text("# Tower\n\nThe tower was completed in 1889.\n")
    choose(JUDGE, {"nli": "/srv/judge"})
    code, _, err = errata("ask", "When?", "--method", "direct", "--set", "nli=/srv/other")
    assert (code, "nli" in err) == (2, True)
    code, out, err = errata("solve", "--program", _program(tmp_path), "--json")
    assert "nli" not in err
    assert json.loads(out)["answer"] == "4"


def _program(tmp_path: Path) -> Path:
    file = tmp_path / "sum.py"
    file.write_text("answer = 2 + 2\n")
    return file


def test_a_large_model_of_this_process_corrects_by_ground(errata: Errata, tmp_path: Path) -> None:
    """Its file holds nothing but a head, so llama.cpp can't load it: what is seen is which method asks for it."""
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "tower.md").write_text("# Tower\n\nThe tower was completed in 1889.\n")
    command = ("correct", "The tower was completed in 1899.", "--sources", folder, "--json", "--model")
    code, _, err = errata(*command, f"embedded:{large(tmp_path / 'able.gguf', 1_500_000_000)}")
    assert (code, err.count("can't load")) == (2, 1)
    code, out, _ = errata(*command, f"embedded:{large(tmp_path / 'small.gguf', 900_000_000)}")
    assert (code, json.loads(out)["text"]) == (0, "The tower was completed in 1889.")


@pytest.mark.parametrize("method", ["rarr", "ground"])
def test_a_judge_that_is_named_goes_with_each_method_that_asks_for_one_of_its_tasks(method: str) -> None:
    check_named(method, Context(nli="/srv/judge"))
    with pytest.raises(ConfigurationError, match="goes with --method purr"):
        check_named(method, Context(editor_model="/srv/editor"))
