"""What README and documentation show, done as it stands there: each block has to give a result worth showing."""

import importlib.util
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import click
import pytest

from benchmarks.stub import Ask, Stub
from errata.apps.cli import main as cli
from errata.state import Evidence
from errata.tools import evidence
from errata.tools.searches.tavily import TavilySearch

from ..pages import ROOT, Block, blocks
from ..serving import serving
from ..zoo.kinds import GPT_5
from ..zoo.knower import knower
from ..zoo.server import zoo

TOWER = "The Eiffel Tower was completed in 1889."
TALL = "The Eiffel Tower is 330 metres tall."
UTZON = "The Sydney Opera House was designed by Jørn Utzon."
MODEL = "openai:gpt-5-mini"
"""Commands with it are tried with a server that behaves as this model does."""
SERVER = "with the server"
OWN = re.compile(r"http://localhost:\d+/v1")
"""Where the pages have a model server of one's own."""
NEAR = "http://127.0.0.1:8000"
INSTRUCTIONS = "instructions="
"""The server of these tests tells tasks by their instructions, so it answers none with others."""
OPEN = ("errata serve", "errata mcp", "langgraph dev")
"""Commands that run until they are stopped: tests of their own start them."""
LONG = {
    f"docs/{page}.md" for page in ("benchmarks", "evaluation", "judges", "local-models", "purr", "results", "scale")
}
"""Pages whose commands take hours, or models or data that are not part of this repository: options are checked."""

SHOWS = {
    'correct "The Eiffel Tower was completed in 1899 and stands in Lyon."': r"-1899-.*1889.*-Lyon-.*Paris",
    'ask "How high is Mount Everest?"': r"8,848\.86 metres(?s:.*)entailment",
    "correct --file draft.txt": r"-1899-.*1889",
    "correct --file draft.txt --quiet": r"(?m)^The Eiffel Tower was completed in 1889\.$",
    "correct --file draft.txt --diff": r"-The .*1899\.\n(?s:.*)\+The .*1889",
    "correct --file page.html": r"-1899-.*1889",
    "correct --file draft.txt --sources ./documents": r"-1899-.*1889(?s:.*)tower\.txt",
    "correct - --search tavily": r"-1899-.*1889(?s:.*)https://a\.example",
    "correct --review": r"is waiting for review(?s:.*)errata resume",
    "resume": r"is waiting for review",
    'ask "Who was the first person on the Moon?"': r"Neil Armstrong",
    'solve "How many slices are left?"': r"-4 is negative",
    "detoxify": r"You are late again, you \[-idiot-\]",
    'correct "You fools, the Eiffel Tower was completed in 1899." --method critic': r"-1899-.*1889",
    "check --file answer.txt": r"✓ 330(?s:.*)100 %|✓ (?s:.*)1889",
    "check": r"✗ 1899(?s:.*)✓ Paris|✗ 1899.*✓ Paris",
    'correct "First, the Eiffel Tower stands in Lyon.': r"Paris",
    "batch rarr": r"completed in 1889",
    "eval rarr corrupted": r"rarr:efec(?s:.*)wrong to right",
    "graph": r"graph TD",
    "settings": r"max_calls",
    "prompts agreement": r"\{evidence\}",
    "prompts --copy": r"my_prompts/agreement\.yaml",
}
"""What the output of a command holds, by how the command begins; the longest beginning counts."""
KNOWN = r"Utzon|Elbe|31|8,849|Nobody knows"
"""What the output of a command holds that asks the model."""
EXITS = {"solve": 1, 'check "The Eiffel Tower was completed in 1899': 3}
"""Exit codes other than 0, by how a command begins: a program is found wrong, a response is contradicted."""

BLOCKS = blocks()
SHELL = [block for block in BLOCKS if block.language == "sh"]
PYTHON = [block for block in BLOCKS if block.language == "python" and not block.mark.startswith(("file: ", "as: "))]


def brain(ask: Ask) -> str:
    """A model that knows when the Eiffel Tower was completed."""
    system = str(ask.messages[0]["content"])
    if '"queries"' in system:
        return json.dumps({"queries": ["When was the Eiffel Tower completed?"]})
    if '"label"' in system:
        wrong = "1899" in str(ask.messages[-1]["content"])
        label = "contradiction" if wrong else "entailment"
        return json.dumps({"text_says": "1899" if wrong else "1889", "evidence_says": "1889", "label": label})
    text = re.search(r"<text>\n(.*?)\n</text>", str(ask.messages[-1]["content"]), re.DOTALL)
    return text[1].replace("1899", "1889") if text else ""


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the files that the pages speak of, and Tavily without the web."""
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "tower.txt").write_text(TOWER)
    (tmp_path / "documents" / "everest.txt").write_text("Mount Everest is 8,849 metres high.\n")
    (tmp_path / "draft.txt").write_text("The Eiffel Tower was completed in 1899.")
    (tmp_path / "page.html").write_text("<html><body><p>The Eiffel Tower was completed in 1899.</p></body></html>")
    (tmp_path / "leaflet.txt").write_text(f"{TOWER} The Eiffel Tower stands in Paris. {TALL}")
    (tmp_path / "answer.txt").write_text(TALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("ERRATA_MODEL", "ERRATA_SEARCH", "ERRATA_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)

    async def find(self: TavilySearch, query: str, limit: int) -> list[Evidence]:
        return [evidence(query=query, text=TOWER, source="https://a.example")]

    monkeypatch.setattr(TavilySearch, "_find", find)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`openai:` models, at an address of this machine."""
    with zoo(GPT_5, knower) as (server, _):
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-zoo")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        yield


Do = Callable[[str], tuple[int, str]]


@pytest.fixture
def do(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], model: None) -> Do:
    """Carry out one line of a shell; gives exit code and what it printed."""

    def carry_out(line: str) -> tuple[int, str]:
        variables, words = split(line)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        if words[0] != "errata":
            done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout
        given = b"How high is Mount Everest?\n"
        if "<" in words:
            given = Path(words[words.index("<") + 1]).read_bytes()
            words = words[: words.index("<")]
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as left:
            cli.main()
        return int(left.value.code or 0), "".join(capsys.readouterr())

    return carry_out


def split(line: str) -> tuple[dict[str, str], list[str]]:
    """The variables that a command is given, and the command as a shell splits it, without what only starts it."""
    words = shlex.split(line.removeprefix("pip install uv && "), comments=True)
    variables = {}
    while words and re.match(r"[A-Z_]+=", words[0]):
        name, _, variables[name] = words.pop(0).partition("=")
    return variables, words[2:] if words[:2] == ["uv", "run"] else words


def check_options(words: list[str]) -> None:
    """Let the command line read a command, without running it."""
    command: click.Command = cli.cli
    context = command.make_context("errata", words[1:])
    while isinstance(command, click.Group):
        name, found, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        assert found, words
        command, context = found, found.make_context(name, rest, parent=context)


def check_known(words: list[str]) -> None:
    """A command that tests cannot run: what it names is there."""
    match words:
        case ["pip", "install", *packages]:
            extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
            asked = {name for package in packages for name in re.findall(r"errata\[(.*)\]", package)}
            assert asked <= extras.keys()
        case ["make", target]:
            assert f"\n{target}:" in (ROOT / "Makefile").read_text("utf-8")
        case ["pytest", *rest]:
            assert all((ROOT / path).exists() for path in rest if path.startswith("tests/"))
        case ["langgraph", "dev"]:
            assert (ROOT / "langgraph.json").exists()
        case ["python", "-m", module, *_]:
            assert (ROOT / module.replace(".", "/")).is_dir() or importlib.util.find_spec(module)
        case ["python", name, *_]:
            assert any(block.mark in (f"file: {name}", f"as: {name}") for block in BLOCKS), words
        case [script, *_]:
            assert script in ("export", ".ci/run"), words


@pytest.mark.parametrize("block", SHELL, ids=str)
def test_commands_give_a_result_worth_showing(block: Block, do: Do) -> None:
    for line in block.commands:
        _, words = split(line)
        if not words or words[0] in ("pip", "make", "pytest", "langgraph", "python", "export", ".ci/run"):
            check_known(words)
        elif block.page in LONG or " ".join(words).startswith(OPEN) or INSTRUCTIONS in line:
            check_options(words)
        elif block.mark == SERVER:
            with serving(api_key="") as address:
                assert '"status":"corrected"' in do(line.replace(NEAR, address))[1]
        elif words[0] == "errata":
            check_result(line, " ".join(shlex.quote(word) if " " in word else word for word in words[1:]), do)
        else:
            assert do(line)[0] == 0, line


def check_result(line: str, said: str, do: Do) -> None:
    """Run a command of ours, and look for what it ought to show."""
    files(said)
    before = rows()
    if OWN.search(line):
        with Stub(brain) as server:
            code, out = do(OWN.sub(server.base_url, line))
    else:
        code, out = do(line)
    out += "".join(text for name, text in rows().items() if before.get(name) != text)
    said = said.replace("'", '"')
    expected = KNOWN if MODEL in said else SHOWS[max((start for start in SHOWS if said.startswith(start)), key=len)]
    assert re.search(expected, out), (line, out)
    left = next((code for start, code in EXITS.items() if said.startswith(start)), 0)
    assert code == (left if MODEL not in said else 0), out


def files(said: str) -> None:
    """The rows that a command reads; what a batch writes is not there yet."""
    answer = {"response": UTZON} if said.startswith("check") else {"text": "The Eiffel Tower was completed in 1899."}
    Path("questions.jsonl").write_text(json.dumps({"question": "Who designed the Sydney Opera House?"}) + "\n")
    Path("answers.jsonl").write_text(json.dumps(answer) + "\n")
    if said.startswith("batch critic_qa"):
        Path("answers.jsonl").unlink()


def rows() -> dict[str, str]:
    """What the files hold that commands read and write."""
    return {path.name: path.read_text("utf-8") for path in Path().glob("*.jsonl")}


@pytest.mark.parametrize("block", PYTHON, ids=str)
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # examples of clients leave the closing to their user
def test_python_runs(block: Block, model: None) -> None:
    with serving(api_key="") if block.mark == SERVER else nullcontext(NEAR) as address:
        exec(compile(block.code.replace(NEAR, address), str(block), "exec"), {})  # noqa: S102  our own pages


def test_the_two_commands_that_matter_stand_first() -> None:
    first, second, *_ = [line for block in SHELL if block.page == "README.md" for line in block.commands]
    assert first == (
        'pip install uv && uv run errata correct "The Eiffel Tower was completed in 1899 and stands in Lyon."'
    )
    assert second == "pip install uv && uv run pytest"


def test_the_first_command_prints_what_the_readme_shows(do: Do) -> None:
    command, shown = [block for block in BLOCKS if block.page == "README.md"][:2]
    expected = timeless(shown.code)
    assert timeless(do(command.code)[1])[: len(expected)] == expected


def timeless(out: str) -> list[str]:
    """Lines, without how long it took."""
    return [re.sub(r"\d+\.\d+ s$", "", line.rstrip()) for line in out.strip().splitlines()]


def test_every_block_is_code_that_is_tried_or_output() -> None:
    assert {block.language for block in BLOCKS} <= {"sh", "python", "json", ""}
    assert all(json.loads(block.code) for block in BLOCKS if block.language == "json")


def test_the_front_door_is_short_and_leads_somewhere() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert len(readme.splitlines()) <= 150
    for page in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"):
        for link in re.findall(r"\]\(((?!https?:|#)[^)#]+)", (ROOT / page).read_text("utf-8")):
            assert (ROOT / link).exists(), (page, link)


def test_security_names_tests_that_there_are() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)`", (ROOT / "SECURITY.md").read_text("utf-8"))
    assert len(named) > 20
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_a_server_of_ones_own_is_asked_by_its_address_and_needs_no_key(do: Do, monkeypatch: pytest.MonkeyPatch) -> None:
    with zoo(GPT_5, knower) as (server, _):
        monkeypatch.delenv("OPENAI_API_KEY")
        monkeypatch.delenv("OPENAI_BASE_URL")
        code, out = do(
            f'errata ask "Who designed the Sydney Opera House?" --model {MODEL} --base-url {server.base_url}'
        )
        assert server.asks
    assert code == 0, out
    assert "Jørn Utzon" in out
    assert "OPENAI_API_KEY" not in os.environ
