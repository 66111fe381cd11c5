"""What the README shows, done as it stands there: each command has to give a result worth showing."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from benchmarks.stub import Ask, Stub
from errata.apps import cli
from errata.state import Evidence
from errata.tools import evidence
from errata.tools.tavily import TavilySearch

from ..fakes import FakeChatModel

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
TOWER = "The Eiffel Tower was completed in 1889."
WITH_A_MODEL = "--model openai:gpt-5-mini"
"""Commands with it are tried elsewhere, with a server that behaves as this model does."""
THIS_RUN = "uv run pytest"

SHOWS = {
    'correct "The Eiffel Tower was completed in 1899 and stands in Lyon."': r"-1899-.*1889.*-Lyon-.*Paris",
    'ask "How high is Mount Everest?"': r"8,848\.86 metres(?s:.*)entailment",
    "correct --file draft.txt --model openai:my-model": r"-1899-.*1889",
    "correct --file draft.txt --sources ./documents": r"-1899-.*1889(?s:.*)tower\.txt",
    "correct - --search tavily": r"-1899-.*1889(?s:.*)https://a\.example",
    'ask "Who was the first person on the Moon?"': r"Neil Armstrong(?s:.*)entailment",
    'solve "How many slices are left?"': r"-4 is negative",
    "detoxify": r"You are late again, you \[-idiot-\]",
    'correct "You fools, the Eiffel Tower was completed in 1899." --method critic': r"-1899-.*1889",
    "check --file answer.txt": r"✓ 330(?s:.*)100 %",
    "check": r"✗ 1899(?s:.*)✓ Paris|✗ 1899.*✓ Paris",
    'correct "First, the Eiffel Tower stands in Lyon.': r"Paris",
    "batch rarr": r"completed in 1889",
}
"""What the output of a command holds, by how the command begins; the longest beginning counts."""


def blocks() -> Iterator[list[str]]:
    """The lines of each block of commands."""
    outside = re.sub(r"^```.*?^```", "", README, flags=re.MULTILINE | re.DOTALL)
    for block in re.findall(r"(?:^ {4}\S.*\n)+", outside, flags=re.MULTILINE):
        yield [line.strip() for line in block.splitlines()]


COMMANDS = [line for block in blocks() for line in block if WITH_A_MODEL not in line]
PYTHON = re.findall(r"^```python\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


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
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder with the files that the README speaks of, a model at its address, and Tavily without the web."""
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "tower.txt").write_text(TOWER)
    (tmp_path / "draft.txt").write_text("The Eiffel Tower was completed in 1899.")
    (tmp_path / "leaflet.txt").write_text(f"{TOWER} The Eiffel Tower stands in Paris.")
    (tmp_path / "answer.txt").write_text("The Eiffel Tower is 330 metres tall.")
    (tmp_path / "answers.jsonl").write_text(json.dumps({"text": "The Eiffel Tower was completed in 1899."}) + "\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("ERRATA_MODEL", "ERRATA_SEARCH", "ERRATA_BASE_URL"):
        monkeypatch.delenv(name, raising=False)

    async def find(self: TavilySearch, query: str, limit: int) -> list[Evidence]:
        return [evidence(query=query, text=TOWER, source="https://a.example")]

    monkeypatch.setattr(TavilySearch, "_find", find)
    with Stub(brain) as stub:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-stub")
        monkeypatch.setenv("OPENAI_BASE_URL", stub.base_url)
        yield


@pytest.fixture
def do(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[str], tuple[int, str]]:
    """Carry out one line of a shell; gives exit code and standard output."""

    def carry_out(line: str) -> tuple[int, str]:
        words = shlex.split(line)
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            monkeypatch.setenv(name, value)
        if words[0] == "export":
            return 0, ""
        if words[:2] == ["uv", "run"]:
            words = words[2:]
        if words[0] != "errata":
            done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout
        if "<" in words:
            given = Path(words[words.index("<") + 1]).read_bytes()
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
            words = words[: words.index("<")]
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as left:
            cli.main()
        return int(left.value.code or 0), capsys.readouterr().out

    return carry_out


def test_the_two_commands_that_matter_stand_first() -> None:
    first, second, *_ = COMMANDS
    assert first == (
        'pip install uv && uv run errata correct "The Eiffel Tower was completed in 1899 and stands in Lyon."'
    )
    assert second == f"pip install uv && {THIS_RUN}"


@pytest.mark.parametrize("block", list(blocks()), ids=lambda block: block[0][:60])
def test_commands_give_a_result_worth_showing(
    block: list[str], do: Callable[[str], tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for line in block:
        command = line.removeprefix("pip install uv && ")
        if WITH_A_MODEL in line or command == THIS_RUN:
            continue
        command = command.replace("http://localhost:8000/v1", os.environ["OPENAI_BASE_URL"])
        code, out = do(command)
        if "errata" not in command:
            assert code == 0
            continue
        said = command.partition("errata ")[2]
        expected = SHOWS[max((start for start in SHOWS if said.startswith(start)), key=len)]
        out += "".join(file.read_text("utf-8") for file in Path().glob("corrected.jsonl"))
        assert re.search(expected, out), (command, out)
        assert code == (1 if "negative" in expected else 0) or (code == 3 and "✗" in expected), out


class Retriever(BaseRetriever):
    """A user's own, which knows one thing."""

    def _get_relevant_documents(self, query: str, **_: Any) -> list[Document]:
        return [Document(TOWER)]


@pytest.mark.parametrize("number", range(len(PYTHON)))
def test_python_runs(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-none")
    known: dict[str, Any] = {
        "my_retriever": Retriever(),
        "my_nli_runnable": Retriever(),
        "model": FakeChatModel(replies=["Yes."]),
    }
    exec(PYTHON[number], known)  # noqa: S102  our own README
    if "result" in known:
        assert known["result"]["text"] == TOWER
        assert known["result"]["failures"] == []
