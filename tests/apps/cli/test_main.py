"""The command line as a person meets it: what it prints, what it refuses, and the exit codes."""

import json
import re
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import click
import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from errata.apps.cli import main as cli
from errata.apps.cli import review
from errata.graphs import METHODS
from errata.state import Context, replay
from errata.state.parts import GROUPS

from ...conftest import Errata
from ...reviewing import APPROVE, REJECT, asked, edited

EIFFEL = "The Eiffel Tower was completed in 1899 and stands in Lyon."


def test_corrects_the_first_example(errata: Errata) -> None:
    code, out, err = errata("correct", EIFFEL)
    assert code == 0
    assert "completed in [-1899-]{+1889+} and stands in [-Lyon-]{+Paris+}" in out
    assert "Evidence: The Eiffel Tower was completed in 1889." in out
    assert "https://en.wikipedia.org/wiki/Eiffel_Tower" in out
    assert "contradiction" in out
    assert "Status   corrected\n" in out
    assert "Stopped  finished: 2 checks: 2 corrected" in out
    assert "2 searches" in out
    assert "questions 2 to ask" in err  # progress, apart from the result


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["correct", f"{EIFFEL} It was designed by a famous team."],
            "Rules decided 1 of 2 sentences. A judge decides more and needs no key (253 MB): errata models use deberta",
        ),
        (["check", "It is lovely here.", "--sources", "a.txt"], "Rules decided 0 of 1 sentence. A judge decides more"),
        (
            ["correct", "It is lovely here.", "--sources", "a.txt"],
            "Rules decided 0 of 1 sentence. A judge decides more",
        ),
    ],
)
def test_the_last_line_says_what_rules_decided_and_how_to_get_a_judge(
    errata: Errata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: Sequence[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("The museum opened in 1950.")
    assert errata(*arguments)[1].splitlines()[-1].startswith(said)


def test_a_search_of_what_ships_with_errata_says_so_if_it_decided_little(errata: Errata, tmp_path: Path) -> None:
    said = "Only the short articles that ship with errata were searched. To search your own, add --sources FOLDER"
    assert errata("correct", "The museum opened in 1951.")[1].splitlines()[-2] == said
    assert errata("check", "The museum opened in 1951.")[1].splitlines()[-2] == said
    (tmp_path / "museum.txt").write_text("The museum was built by Ann Low.")
    assert said not in errata("correct", "The museum opened in 1951.", "--sources", tmp_path)[1]


def test_where_all_is_decided_no_judge_is_offered(errata: Errata) -> None:
    assert "judge" not in errata("correct", EIFFEL)[1]


def test_json_is_one_object_with_the_whole_result(errata: Errata) -> None:
    code, out, _ = errata("correct", EIFFEL, "--json")
    result = json.loads(out)
    assert code == 0
    assert result["text"] == "The Eiffel Tower was completed in 1889 and stands in Paris."
    assert replay(result["original"], result["edits"]) == result["text"]
    assert {verdict["label"] for verdict in result["verdicts"]} == {"contradiction"}
    assert result["attribution"][0]["evidence"]
    assert result["usage"]["seconds"] > 0


def test_reads_a_file_and_standard_input(errata: Errata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "draft.txt"
    file.write_text(EIFFEL, encoding="utf-8")
    assert "{+1889+}" in errata("correct", "--file", str(file))[1]
    with file.open("rb") as opened:
        monkeypatch.setattr(sys, "stdin", type("Input", (), {"buffer": opened, "isatty": staticmethod(lambda: False)}))
        assert "{+1889+}" in errata("correct", "-")[1]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
def test_the_text_may_have_every_encoding_that_sources_may_have(
    errata: Errata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("draft.txt").write_bytes("The Café Möwe was opened in 1934.".encode(encoding))
    Path("source.txt").write_bytes("The Café Möwe was opened in 1931.".encode(encoding))
    code, out, _ = errata("correct", "--file", "draft.txt", "--sources", "source.txt", "-q")
    assert (code, out) == (0, "The Café Möwe was opened in 1931.\n")


def test_searches_a_folder_of_ones_own_and_names_what_it_cannot_read(errata: Errata, tmp_path: Path) -> None:
    (tmp_path / "bridge.md").write_text("The Blue Bridge was opened in 1931. The Blue Bridge is 420 metres long.")
    (tmp_path / "broken.pdf").write_bytes(b"not a pdf at all")
    code, out, err = errata("correct", "The Blue Bridge was opened in 1934.", "--sources", str(tmp_path))
    assert code == 0
    assert "[-1934-]{+1931+}" in out
    assert "bridge.md" in out
    assert "broken.pdf" in err


def test_writes_a_report(errata: Errata, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    code, _, err = errata("correct", EIFFEL, "--report", str(report))
    assert code == 0
    assert str(report) in err
    assert "<html" in report.read_text(encoding="utf-8")


def test_review_without_a_terminal_waits_in_the_checkpoint(errata: Errata, tmp_path: Path) -> None:
    checkpoint = tmp_path / "run.sqlite"
    code, out, err = errata("correct", EIFFEL, "--review", "--checkpoint", str(checkpoint))
    assert (code, out) == (0, "")
    assert "errata resume --checkpoint" in err
    code, _, err = errata("resume", "--checkpoint", str(checkpoint))
    assert "is waiting for review" in err


def test_review_asks_about_each_edit_and_resumes(
    errata: Errata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = tmp_path / "run.sqlite"
    errata("correct", EIFFEL, "--review", "--checkpoint", str(checkpoint))
    answers = iter([edited("March 1889"), REJECT])
    seen: list[Any] = []

    def decides(proposal: Any) -> Any:
        seen.append(proposal)
        return next(answers)

    monkeypatch.setattr(review, "reviewer", lambda: decides)
    code, out, _ = errata("resume", "--checkpoint", str(checkpoint), "--json")
    result = json.loads(out)
    assert code == 3, "the evidence contradicts what they kept"
    assert result["text"] == "The Eiffel Tower was completed in March 1889 and stands in Lyon."
    assert [edit["applied"] for edit in result["edits"]] == [True, False]
    assert "Eiffel Tower · https://en.wikipedia.org/wiki/Eiffel_Tower" in asked(seen[0]).description


def test_resuming_a_finished_run_shows_its_result_again(errata: Errata, tmp_path: Path) -> None:
    checkpoint = tmp_path / "run.sqlite"
    errata("correct", EIFFEL, "--checkpoint", str(checkpoint))
    code, out, _ = errata("resume", "--checkpoint", str(checkpoint))
    assert code == 0
    assert "{+Paris+}" in out


@pytest.mark.parametrize("group", [[], ["eval"], ["models"], ["purr"]])
def test_no_command_is_described_by_half_a_sentence(errata: Errata, group: list[str]) -> None:
    listed = errata(*group, "--help")[1].partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert listed
    assert all(line.endswith(".") and not line.endswith("...") for line in listed), listed


def test_lists_methods_graphs_and_settings(errata: Errata) -> None:
    assert all(name in errata("methods")[1] for name in METHODS)
    assert "gate -.-> edit" in errata("graph", "rarr")[1]
    assert "critique -.-> correct" in errata("graph", "critic_program")[1]
    assert "score -.-> rewrite" in errata("graph", "critic_toxicity")[1]
    listed = errata("settings")[1]
    assert all(name in listed for name in Context.model_fields)


def test_lists_what_a_method_reads_under_headings(errata: Errata) -> None:
    code, listed, _ = errata("settings", "critic_program")
    names = re.findall(r"^  (\w+) = ", listed, re.MULTILINE)
    assert (code, sorted(names)) == (0, sorted(METHODS["critic_program"].reads))
    headings = re.findall(r"^\w+$", listed, re.MULTILINE)
    assert headings == list(dict.fromkeys(GROUPS[name] for name in names))
    fields = json.loads(errata("settings", "critic_program", "--json")[1])["properties"]
    assert {name for name, field in fields.items() if field.get("langgraph_type") != "prompt"} == set(names)
    assert errata("settings", "guess")[0] == 2


def options(command: click.Command, above: click.Context | None = None) -> Iterator[tuple[str, click.Option]]:
    """Every option of a command, and of those below it."""
    here = click.Context(command, above)
    yield from ((command.name or "", option) for option in command.params if isinstance(option, click.Option))
    if isinstance(command, click.Group):
        for name in command.list_commands(here):
            yield from options(cast(click.Command, command.get_command(here, name)), here)


def test_an_option_sets_the_setting_of_its_name_wherever_it_is() -> None:
    others = {"use_tools": "--no-tools", "toxicity": "--scorer", "backends": "--backend"}
    seen = set()
    for command, option in options(cli.cli):
        name = option.opts[0].removeprefix("--").replace("-", "_")
        assert option.name == name or name not in Context.model_fields, f"{command} --{name} sets {option.name}"
        if option.name in Context.model_fields:
            seen.add(option.name)
            expected = others.get(option.name, f"--{option.name.replace('_', '-')}")
            assert option.opts[0] == expected, f"{command}: {option.opts[0]}"
    assert {"consistency_threshold", "rounds", "search", "model"} <= seen


def test_a_search_in_paragraphs_is_refused_where_no_input_has_any(errata: Errata) -> None:
    code, _, err = errata("correct", "The tower is tall.", "--search", "dataset")
    assert (code, "`rarr` takes no paragraphs" in err, len(err.splitlines())) == (2, True, 1)


def test_a_search_of_the_environment_is_no_mistake_where_nothing_is_searched(
    errata: Errata, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERRATA_SEARCH", "tavily")
    given = ("correct", "answer = 6 * 7", "--method", "critic_program", "--rounds", "0")
    assert errata(*given)[0] in (0, 1)
    code, _, err = errata(*given, "--search", "local")
    assert (code, "`critic_program` does not read --search" in err, len(err.splitlines())) == (2, True, 1)


def test_lists_the_methods_as_json(errata: Errata) -> None:
    assert json.loads(errata("methods", "--json")[1]) == {name: method.title for name, method in METHODS.items()}


@pytest.mark.parametrize("method", METHODS)
def test_draws_every_method_from_begin_to_end(errata: Errata, method: str) -> None:
    code, out, err = errata("graph", method)
    assert (code, err) == (0, "")
    assert "__start__ --> begin" in out
    nodes = set(re.findall(r"^\t(\w+)\(", out, re.MULTILINE))
    edges = re.findall(r"^\t(\w+) -[-.]+> (\w+);", out, re.MULTILINE)
    reached = {"__start__"}
    while more := {there for here, there in edges if here in reached} - reached:
        reached |= more
    assert "__end__" in nodes
    assert nodes <= reached, "every step can be come to"


def test_draws_the_loops_of_the_critics(errata: Errata) -> None:
    for method in ("critic_qa", "critic"):
        drawn = errata("graph", method)[1]
        for edge in ("critique -.-> tools", "tools -.-> critique", "critique -.-> correct", "correct -.-> critique"):
            assert edge in drawn


def test_a_set_field_reaches_the_run(errata: Errata) -> None:
    code, out, _ = errata("correct", EIFFEL, "--set", "max_edit_chars=1", "--json")
    result = json.loads(out)
    assert code == 3
    assert result["status"] == "unresolved"
    assert "Lyon" in result["text"], "an edit of five characters is refused, one of one character is not"


SLICES = "slices = 8\neaten = 12\nanswer = slices - eaten\n"


def test_runs_and_checks_a_program_and_leaves_it_as_it_is(errata: Errata, tmp_path: Path) -> None:
    program = tmp_path / "slices.py"
    program.write_text(SLICES, encoding="utf-8")
    code, out, err = errata("solve", "How many slices are left?", "--program", str(program))
    assert code == 1, "it was found wrong, which a script wants to know"
    assert "Still wrong\n  slices = 8\n  eaten = 12\n  answer = slices - eaten\n\nAnswer\n  -4\n" in out
    assert "Stopped  rounds: no correction was allowed; the program is still wrong: -4 is negative" in out
    assert "contradiction" in out
    assert "-4 is negative" in out
    assert "Stopped  rounds" in out
    assert "Draft" not in out
    assert "answer = -4" in err  # progress, apart from the result


def test_what_a_program_comes_to_is_in_the_json(errata: Errata, tmp_path: Path) -> None:
    program = tmp_path / "slices.py"
    program.write_text(SLICES.replace("8", "18"), encoding="utf-8")
    code, out, _ = errata("solve", "How many slices are left?", "--program", str(program), "--json")
    result = json.loads(out)
    assert code == 0
    assert (result["text"], result["answer"], result["stopped"]) == (program.read_text(), "6", "accepted")
    assert [verdict["label"] for verdict in result["verdicts"]] == ["neutral"]
    assert result["usage"]["llm_calls"] == 0


def test_a_program_that_fails_is_a_result_and_no_failure_of_ours(errata: Errata, tmp_path: Path) -> None:
    program = tmp_path / "broken.py"
    program.write_text("answer = 1 / 0", encoding="utf-8")
    code, out, err = errata("solve", "--program", str(program))
    assert code == 1
    assert "the program is still wrong: There is no answer. ZeroDivisionError" in out
    assert "Failures" not in out
    assert "Traceback" not in out + err


def test_a_program_cannot_reach_this_machine(errata: Errata, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret", encoding="utf-8")
    program = tmp_path / "nosy.py"
    program.write_text(f"answer = open({str(secret)!r}).read()", encoding="utf-8")
    code, out, err = errata("solve", "--program", str(program), "--json")
    assert (code, json.loads(out)["answer"]) == (1, "")
    assert "the secret" not in out + err


def test_cleans_a_text(errata: Errata) -> None:
    code, out, err = errata("detoxify", "This stupid film was made for you, idiot.")
    assert code == 0
    assert "This[- stupid-] film was made for you, [-idiot-]{+…+}." in out
    assert "\n       100% toxicity of profanity. Profanity only" in out, "its title is how it begins"
    assert "100% toxicity of profanity" in out
    assert "Stopped  accepted" in out
    assert "toxicity of profanity" in err


def test_a_text_that_rules_cannot_clean_is_exit_code_1(errata: Errata) -> None:
    code, out, _ = errata("detoxify", "Idiot!", "--json")
    result = json.loads(out)
    assert (code, result["text"], result["stopped"]) == (1, "Idiot!", "error")
    assert "use a chat model" in result["reason"]


def test_a_failed_search_is_exit_code_1_and_no_contradiction(errata: Errata, monkeypatch: pytest.MonkeyPatch) -> None:
    # Sockets are blocked in this test, so the search cannot be reached.
    monkeypatch.setenv("ERRATA_SEARXNG_URL", "http://127.0.0.1:9")
    code, out, _ = errata("correct", EIFFEL, "--search", "searxng", "--set", "retries=0", "--json")
    result = json.loads(out)
    assert code == 1
    assert result["stopped"] == "error"
    assert result["text"] == EIFFEL
    assert {verdict["label"] for verdict in result["verdicts"]} == {"error"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["correct", ""], "empty"),
        (["correct", "   \n"], "empty"),
        (["correct"], "--file FILE"),
        (["correct", "text", "--file", "x"], "not both"),
        (["correct", "caf\udce9 was built in 1899."], "the text is not valid UTF-8 at character 4"),
        (["correct", EIFFEL, "--question", "caf\udce9?"], "the question is not valid UTF-8"),
        (["check", "caf\udce9 was built in 1899."], "not valid UTF-8"),
        (["ask", "Where is the caf\udce9?"], "not valid UTF-8"),
        (["solve", "How many caf\udce9s?"], "not valid UTF-8"),
        (["detoxify", "You \udce9diot."], "not valid UTF-8"),
        (["correct", EIFFEL, "--sources", ""], "setting `sources` is empty"),
        (["correct", "--file", ""], "it is empty: name a file. Try 'errata correct --help'"),
        (["correct", EIFFEL, "--report", ""], "it is empty: name a file"),
        (["correct", EIFFEL, "--checkpoint", ""], "it is empty: name a file"),
        (["solve", "--program", ""], "it is empty: name a file"),
        (["check", EIFFEL, "--sources", ""], "`sources` is empty"),
        (["correct", EIFFEL, "--colour"], "No such option '--colour'. Try 'errata correct --help'"),
        (["corect", EIFFEL], "No such command 'corect'"),
        (["correct", EIFFEL, "more"], "Try 'errata correct --help'"),
        (["correct", EIFFEL, "--set", "timeout=nan"], "`timeout`: input should be a finite number"),
        (["correct", EIFFEL, "--method", "critic_program"], "and the text is not one"),
        (["serve", "--set", "review=true"], "`review` needs a server"),
        (["correct", "--file", "no-such-file"], "there is no file"),
        (["correct", EIFFEL, "--sources", "no-such-folder"], "there is no file or folder"),
        (
            ["correct", EIFFEL, "--search", "bing"],
            "local, drqa, dataset, tavily, google, brave, duckduckgo, wikipedia, searxng, arxiv, pubmed",
        ),
        (["correct", EIFFEL, "--search", "tavily"], "TAVILY_API_KEY"),
        (["correct", EIFFEL, "--search", "wikipedia"], "ERRATA_CONTACT"),
        (["correct", EIFFEL, "--model", "gpt"], "openai:gpt-5-mini"),
        (["correct", EIFFEL, "--model", "openai:gpt-5-mini"], "OPENAI_API_KEY"),
        (["correct", EIFFEL, "--model", "nobody:model"], "nobody:model"),
        (["correct", EIFFEL, "--base-url", "http://127.0.0.1:1"], "openai:"),
        (["correct", EIFFEL, "--model", "openai:x", "--base-url", "http://[::1"], "base_url is not a web address"),
        (["correct", EIFFEL, "--model", "openai:x", "--base-url", "not a url"], "base_url is not a web address"),
        (["correct", EIFFEL, "--model", "openai:x", "--base-url", "http://a:b"], "base_url is not a web address"),
        (["correct", EIFFEL, "--model", "openai:x", "--base-url", "ftp://host"], "base_url is not a web address"),
        (["correct", EIFFEL, "--method", "guess"], "errata methods"),
        (["correct", EIFFEL, "--gating", "never"], "speculative"),
        (["correct", EIFFEL, "--max-evidence", "0"], "max_evidence"),
        (["correct", EIFFEL, "--set", "pages"], "FIELD=VALUE"),
        (
            ["correct", EIFFEL, "--set", "page=3"],
            "no setting `page`: did you mean `pages`? `errata settings` lists them",
        ),
        (["correct", EIFFEL, "--set", "model={"], "--set model: the value cannot be read as YAML, got '{'"),
        (["correct", EIFFEL, "--backend", "agreement=magic"], "backends.agreement"),
        (
            ["correct", EIFFEL, "--backend", "agreemnt=chat"],
            "no task `agreemnt`: did you mean `agreement` or `agreements`? `errata prompts` lists",
        ),
        (["correct", EIFFEL, "--backend", "edit=cross_encoder"], "`edit` has no backend"),
        (["correct", EIFFEL, "--backend", "rank=cross_encoder"], "`cross_encoder`"),
        (["correct", EIFFEL, "--review"], "--checkpoint"),
        (
            ["correct", EIFFEL, "--no-tools"],
            "`rarr` does not read --no-tools: `errata settings rarr` lists those that it reads",
        ),
        (["correct", EIFFEL, "--set", "editor_model=here"], "goes with --method purr or --set editor=fused"),
        (
            ["correct", EIFFEL, "--method", "critic", "--set", "question_model=here"],
            "`critic` does not read the setting",
        ),
        (
            ["ask", "Why?", "--method", "verify_and_edit", "--draft", "cot"],
            "`verify_and_edit` does not read --draft: ",
        ),
        (["ask", "Why?", "--method", "react", "--draft", "cot"], "`react` does not read --draft: "),
        (["correct", EIFFEL, "--report", "no-such-folder/report.html"], "--report"),
        (["correct", EIFFEL, "--checkpoint", "no-such-folder/run.sqlite"], "--checkpoint"),
        (["ask", "  "], "empty"),
        (["solve"], "--program FILE"),
        (["correct", EIFFEL, "--sorces", "x"], "No such option '--sorces': did you mean '--sources'? Try"),
        (["correct", EIFFEL, "--nope"], "No such option '--nope'. Try"),
        (["crorect", EIFFEL], "No such command 'crorect': did you mean 'correct'? Try"),
        (["solve", "What is 12 times 17?"], "writing a program needs a model"),
        (["solve", "  "], "the problem is empty"),
        (["solve", "", "--program", "p.py"], "the problem is empty"),
        (["solve", "--program", "no-such-file"], "there is no file"),
        (["solve", "How many?", "--rounds", "-1"], "rounds"),
        (["solve", "How many?", "--set", "python=perl"], "python"),
        (["solve", "How many?", "--backend", "program=rules"], "`program` has no backend"),
        (["solve", "How many?", "--model", "openai:gpt-5-mini"], "OPENAI_API_KEY"),
        (["detoxify"], "--file FILE"),
        (["detoxify", " \n"], "empty"),
        (["detoxify", "text", "--scorer", "nose"], "profanity, moderation, detoxify, perspective"),
        (["detoxify", "text", "--scorer", "perspective"], "PERSPECTIVE_API_KEY"),
        (["detoxify", "text", "--scorer", "moderation"], "OPENAI_API_KEY"),
        (["graph", "guess"], "errata methods"),
        (["correct", "draft.txt"], "there is no file draft.txt: give a text to correct, or --file and the name"),
        (["check", "rows.jsonl"], "there is no file rows.jsonl: give a response to check"),
        (["correct", EIFFEL, "--sources", "a.txt", "--sources", "."], ". is a folder: give --sources one folder, or"),
        (["check", ".", "-o", "out.jsonl"], ". is a folder: name a file"),
        (["batch", "rarr", "-", "-o", "out.jsonl"], "save the rows in a file"),
        (["batch", "rarr", "x", "-o", "y", "--workers", "x"], "'x' is not a valid integer. Try"),
        (["correct", EIFFEL, "--set", "window=x"], "`window`: input should be a valid integer, got 'x'"),
        (["chat", "--log", "no-such-folder/log"], "--log no-such-folder/log: name a file in a folder that exists"),
        (["prompts", "--copy", "a.txt"], "Directory 'a.txt' is a file"),
        (["models", "use", "none", "--served", "x"], "--served goes with the URL of a server"),
        (["resume", "--checkpoint", "a.txt"], "file is not a database; name another file"),
        (
            ["resume", "--checkpoint", "no-such-file"],
            "there is no file no-such-file: `errata",
        ),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_code_2(
    errata: Errata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: Sequence[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("The Eiffel Tower was completed in 1889.")
    code, out, err = errata(*arguments)
    assert code == 2
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_a_binary_file_and_an_empty_folder_are_refused(errata: Errata, tmp_path: Path) -> None:
    binary = tmp_path / "picture.png"
    binary.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    for arguments in (["correct", "--file"], ["detoxify", "--file"], ["solve", "--program"]):
        code, out, err = errata(*arguments, str(binary))
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "cannot be read (binary content): errata reads plain text, and files ending in .txt" in err
    (tmp_path / "empty").mkdir()
    code, _, err = errata("correct", EIFFEL, "--sources", str(tmp_path / "empty"))
    assert code == 2
    assert ".pdf" in err


def test_a_file_that_is_no_checkpoint_is_refused(errata: Errata, tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    other.write_text("not a database, though it has the name of one")
    assert errata("resume", "--checkpoint", str(other))[0] == 2
    empty = tmp_path / "empty.sqlite"
    sqlite3.connect(empty).close()
    empty.touch()
    code, _, err = errata("resume", "--checkpoint", str(empty))
    assert code == 2
    assert "no run" in err


def test_a_program_is_checked_without_a_model(errata: Errata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_EMBEDDED_MODEL", str(tmp_path / "missing.gguf"))
    program = tmp_path / "program.py"
    program.write_text("answer = 24 - 28")
    code, out, _ = errata("solve", "How many slices are left?", "--program", str(program), "--json")
    result = json.loads(out)
    assert code == 1
    assert result["answer"] == "-4"
    assert "negative" in result["reason"]
    assert errata("solve", "How many slices are left?")[0] == 2


CHAIN = "First, the Eiffel Tower stands in Lyon. Second, the Eiffel Tower was completed in 1899. The answer is 1899."


def test_verifies_a_chain_of_thought(errata: Errata, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    asked = (
        "--question",
        "When was the Eiffel Tower completed?",
        "--method",
        "verify_and_edit",
        "--report",
        str(report),
    )
    code, out, err = errata("correct", CHAIN, *asked)
    assert code == 0
    assert "1889  (at first: 1899)" in out
    assert "? the Eiffel Tower was completed in 1899." in out
    assert "→ [Eiffel Tower] The Eiffel Tower was completed in 1889." in out
    assert "{+The answer is 1889.+}" in out
    assert "2 sentences: 2 corrected" in out
    assert "split 2 sentences to verify" in err
    assert "the Eiffel Tower stands in Lyon." in report.read_text(encoding="utf-8")


def test_a_chain_is_reviewed_sentence_by_sentence(
    errata: Errata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = tmp_path / "run.sqlite"
    errata("correct", CHAIN, "--method", "verify_and_edit", "--review", "--checkpoint", str(checkpoint))
    answers = iter([REJECT, edited("the Eiffel Tower was ready in 1889.")])
    monkeypatch.setattr(review, "reviewer", lambda: lambda proposal: next(answers))
    _, out, _ = errata("resume", "--checkpoint", str(checkpoint), "--json")
    result = json.loads(out)
    assert result["text"] == CHAIN.replace("was completed in 1899", "was ready in 1889")
    assert [edit["applied"] for edit in result["edits"]] == [False, True]


def test_a_rewrite_is_reviewed_before_it_takes_the_place_of_the_text(
    errata: Errata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint, rude = tmp_path / "run.sqlite", "You are late again, you idiot."
    code, out, err = errata("detoxify", rude, "--review", "--checkpoint", str(checkpoint))
    assert (code, out, "errata resume" in err) == (0, "", True)
    seen: list[Any] = []

    def rejects(proposal: Any) -> Any:
        seen.append(proposal)
        return REJECT

    monkeypatch.setattr(review, "reviewer", lambda: rejects)
    result = json.loads(errata("resume", "--checkpoint", str(checkpoint), "--json")[1])
    assert (result["text"], len(seen)) == (rude, 1)
    assert "idiot" not in asked(seen[0]).after


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--consistency", "vote"), "consistency"),
        (("--consistency-threshold", "-1"), "consistency_threshold"),
        (("--search", "dataset"), "paragraphs"),
        (("--search", "google"), "SERPER_API_KEY"),
        (("--sources", "/nowhere/there.txt"), "/nowhere/there.txt"),
    ],
)
def test_settings_of_verification_that_cannot_work(
    errata: Errata, monkeypatch: pytest.MonkeyPatch, arguments: Sequence[str], says: str
) -> None:
    monkeypatch.delenv("SERPER_API_KEY", raising=False)
    code, _, err = errata("ask", "Who?", "--method", "verify_and_edit", *arguments)
    assert (code, says in err) == (2, True)
    assert "Traceback" not in err


def test_a_program_with_an_error_is_still_a_program(errata: Errata) -> None:
    code, out, _ = errata(
        "correct", "total = 3 +\nanswer = total", "--method", "critic_program", "--rounds", "0", "--json"
    )
    assert code == 1
    assert json.loads(out)["verdicts"][0]["label"] == "contradiction"


def test_what_no_rule_can_write_is_an_edit_refused_and_no_failure(errata: Errata) -> None:
    text = "Galileo invented the telescope."
    code, out, err = errata("correct", text)
    assert code == 3, "the text contradicts evidence that was found, which a script wants to know"
    assert f"Still wrong\n  {text}" in out
    assert "✗ Refused: no rule can correct it; a chat model could" in out
    assert "Failures" not in out
    assert "Status   unresolved\n" in out
    assert "Stopped  finished: 1 check: 1 unresolved" in out
    assert "edit Refused: no rule can correct it" in err
    result = json.loads(errata("correct", text, "--json")[1])
    assert [failure["unchecked"] for failure in result["failures"]] == [False]
    assert [edit["applied"] for edit in result["edits"]] == [False]


def test_the_result_comes_before_the_report_that_fails(errata: Errata) -> None:
    code, out, err = errata("correct", EIFFEL, "--report", "/dev/full")
    assert code == 1
    assert "{+1889+}" in out
    assert err.endswith("errata: /dev/full: the report could not be written: No space left on device\n")


def test_a_checkpoint_on_a_full_disk_is_no_bad_usage(errata: Errata) -> None:
    code, out, err = errata("correct", EIFFEL, "--checkpoint", "/dev/full")
    assert (code, out) == (1, "")
    assert "make room" in err.splitlines()[-1]
    assert "name a new file" not in err


def test_a_checkpoint_that_fails_on_the_way_keeps_what_was_done(
    errata: Errata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = AsyncSqliteSaver.aput
    puts: list[Any] = []

    async def fills_up(self: AsyncSqliteSaver, *given: Any) -> Any:
        puts.append(given)
        if len(puts) > 6:
            raise sqlite3.OperationalError("database or disk is full")
        return await put(self, *given)

    monkeypatch.setattr(AsyncSqliteSaver, "aput", fills_up)
    code, out, _ = errata("correct", EIFFEL, "--checkpoint", str(tmp_path / "run.sqlite"), "--json")
    result = json.loads(out)
    assert code == 1
    assert "disk is full" in result["reason"]
    assert result["evidence"], "what was found before is not lost"


HOSTILE = "The \x1b]0;owned\x07Eiffel Tower was \x1b[8mcompleted\x1b[0m in 1899, \x9b31m\u202eso."


def test_nothing_that_a_terminal_obeys_is_printed(
    errata: Errata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tower.md").write_text("The Eiffel Tower was completed in 1889\x1b[2J.\n", encoding="utf-8")
    for arguments in (["--sources", str(tmp_path)], ["--sources", str(tmp_path), "--json"]):
        _, out, err = errata("correct", HOSTILE, "--question", "\x1b[2JWhen?", *arguments)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", out + err)
    assert json.loads(out)["original"] == HOSTILE
    assert "␛[8mcompleted␛[0m" in errata("correct", HOSTILE, "--sources", str(tmp_path))[1]
    assert "␛" in errata("correct", "--file", "no\x1b[2Jfile")[2]


def test_where_no_terminal_is_lines_are_neither_wrapped_nor_padded(
    errata: Errata, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = errata("correct", EIFFEL)
    assert "  Evidence: The Eiffel Tower stands in Paris on the Champ de Mars, on the left bank of the Seine.\n" in out
    assert not [line for line in out.splitlines() if line != line.rstrip()]
    assert "\n\n\n" not in out


def test_a_narrow_place_lists_the_verdicts(errata: Errata, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    _, out, _ = errata("correct", EIFFEL)
    listed = "  When was the Eiffel Tower completed?\n    contradiction\n    rules\n    Eiffel Tower\n"
    assert listed in out.partition("Verdicts")[2]


def test_without_a_width_there_is_a_result_all_the_same(errata: Errata, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "0")
    assert "{+1889+}" in errata("correct", EIFFEL)[1]


def test_breaking_off_shows_what_there_is_and_how_to_go_on(
    errata: Errata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = tmp_path / "run.sqlite"
    told: list[Any] = []

    def leaves(proposal: Any) -> Any:
        told.append(proposal)
        if len(told) == 2:
            raise KeyboardInterrupt
        return APPROVE

    monkeypatch.setattr(review, "reviewer", lambda: leaves)
    code, out, err = errata("correct", EIFFEL, "--review", "--checkpoint", str(checkpoint))
    assert code == 130
    assert "{+1889+}" in out
    assert "Lyon." in out
    assert f"Continue it with: errata resume --checkpoint {checkpoint} --thread" in err
    code, out, err = errata("resume", "--checkpoint", str(checkpoint))
    assert (code, len(told)) == (0, 3)
    assert "{+1889+} and stands in [-Lyon-]{+Paris+}" in out


def test_a_prompt_is_printed_copied_and_replaced(errata: Errata, tmp_path: Path) -> None:
    code, listed, _ = errata("prompts")
    assert code == 0
    assert "agreement  The agreement model (RARR section 3.2)" in listed
    assert "turns" not in [line.split()[0] for line in listed.splitlines()]
    _, printed, _ = errata("prompts", "samples")
    assert "{question}" in printed
    code, written, _ = errata("prompts", "--copy", str(tmp_path))
    assert code == 0
    assert (tmp_path / "cot.yaml").read_text() == printed
    assert len(written.splitlines()) == len(listed.splitlines()) == len(list(tmp_path.iterdir()))
    code, _, err = errata("prompts", "--copy", str(tmp_path))
    assert (code, "already exists" in err, len(err.splitlines())) == (2, True, 1)
    assert errata("correct", EIFFEL, "--set", f"prompts={tmp_path}")[0] == 0
    (tmp_path / "edit.yaml").write_text("template: '{text}'")
    code, _, err = errata("correct", EIFFEL, "--set", f"prompts={tmp_path}")
    assert code == 2
    assert "edit.yaml: `edit` needs {evidence}, {query} in its prompt" in err
    assert len(err.splitlines()) == 1


def test_a_prompt_that_there_is_not_is_refused(errata: Errata) -> None:
    code, _, err = errata("prompts", "agrement")
    assert code == 2
    assert (
        "there is no prompt `agrement`: did you mean `agreement` or `agreements`? `errata prompts` lists them\n" in err
    )


def test_a_text_is_corrected_from_a_file(errata: Errata, tmp_path: Path) -> None:
    leaflet = tmp_path / "leaflet.txt"
    leaflet.write_text("The Harbour Tower was completed in 1889. It stands in Linden.", "utf-8")
    code, out, _ = errata("correct", "The Harbour Tower was completed in 1899.", "--sources", str(leaflet), "--json")
    result = json.loads(out)
    assert (code, result["text"]) == (0, "The Harbour Tower was completed in 1889.")
    assert result["usage"]["searches"] == 0
    assert result["evidence"][0]["source"] == str(leaflet)


def test_a_method_that_searches_searches_a_file(errata: Errata, tmp_path: Path) -> None:
    leaflet = tmp_path / "leaflet.txt"
    leaflet.write_text("The Harbour Tower was completed in 1889.", "utf-8")
    (tmp_path / "other.txt").write_text("The Harbour Tower was completed in 1777.", "utf-8")
    given = ("correct", "The Harbour Tower was completed in 1899.", "--method", "rarr", "--sources", leaflet)
    code, out, _ = errata(*given, "--json")
    result = json.loads(out)
    assert (code, result["text"]) == (0, "The Harbour Tower was completed in 1889.")
    assert [piece["source"] for piece in result["evidence"]] == ["leaflet.txt"]
    code, _, err = errata(*given, "--sources", leaflet)
    assert (code, err) == (2, "errata: `rarr` searches one folder or one file: give --sources once\n")


WORDS = ("--reference", "--paragraphs", "--documents", "--data", "--input")
"""What sources, inputs and outputs are not called."""


def test_sources_inputs_and_outputs_have_the_same_names_everywhere() -> None:
    for command, option in options(cli.cli):
        assert not {*option.opts} & {*WORDS}, f"{command}: {option.opts}"
        if "--output" in option.opts or option.name == "output":
            assert "-o" in option.opts, f"{command}: {option.opts}"
