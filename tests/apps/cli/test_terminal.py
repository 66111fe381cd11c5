"""What is printed, wherever that goes: terminals, pipes, files, full disks, and places that are closed."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from errata.apps.cli.terminal import colourless, console, exact, put, visible
from errata.apps.progress import Progress
from errata.state import Segment
from errata.state.text.diff import by_words

EIFFEL = "The Eiffel Tower was completed in 1899 and stands in Lyon."
COMMAND = "from errata.apps.cli.start import main; main()"
UNSEEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]")


def shell(line: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a line of a shell in which `$E` is the command and `$TEXT` the example."""
    known = {**os.environ, "E": f"{sys.executable} -c '{COMMAND}'", "TEXT": EIFFEL, **environment}
    line = line.replace("errata", 'eval "$E"')
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, env=known, timeout=120
    )


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-"])
def test_closed_streams_are_no_crash(closed: str) -> None:
    left = shell(f"errata correct '\"$TEXT\"' {closed}")
    assert left.returncode == 0, left.stderr
    assert "{+1889+}" in left.stdout
    assert "Traceback" not in left.stderr


def test_closed_output_and_input() -> None:
    left = shell("errata methods >&-")
    assert (left.returncode, left.stderr) == (0, "")
    left = shell("errata correct - <&-")
    assert (left.returncode, left.stdout) == (2, "")
    assert left.stderr == "errata: standard input is empty: there is nothing to check\n"


@pytest.mark.parametrize("arguments", ["settings", "methods --json", "--help", "correct '\"$TEXT\"' --json"])
def test_a_full_disk_is_one_line_and_exit_code_1(arguments: str) -> None:
    left = shell(f"errata {arguments} >/dev/full")
    assert left.returncode == 1
    assert left.stderr.splitlines()[-1] == "errata: standard output cannot be written: No space left on device"
    assert "Traceback" not in left.stderr
    assert "Exception ignored" not in left.stderr


def test_where_messages_cannot_be_written_the_result_still_comes() -> None:
    left = shell("errata correct '\"$TEXT\"' 2>/dev/full")
    assert left.returncode == 0
    assert "{+Paris+}" in left.stdout


def test_a_report_is_written_where_the_result_cannot_be_printed(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    left = shell(f"errata correct '\"$TEXT\"' --report {report} >/dev/full")
    assert left.returncode == 1
    assert "1889" in report.read_text(encoding="utf-8")


def test_a_reader_that_leaves_is_no_failure_of_ours() -> None:
    left = shell("errata settings | head -1")
    assert left.stdout == "Model\n"
    assert (left.returncode, left.stderr) == (141, "")


def test_an_encoding_without_our_marks() -> None:
    left = shell("errata correct '\"$TEXT\"'", PYTHONIOENCODING="ascii")
    assert left.returncode == 0, left.stderr
    assert "+ 1899 -> 1889" in left.stdout
    left = shell("errata correct '\"$TEXT à Lyon\"' --json", PYTHONIOENCODING="ascii")
    assert json.loads(left.stdout)["original"] == f"{EIFFEL} à Lyon", "JSON is exact in any encoding"


@pytest.mark.parametrize("after", [0.1, 0.3, 0.6])
def test_ctrl_c_while_it_starts_says_nothing(after: float) -> None:
    # Before our first line nobody can say anything about it: that is Python's own start.
    script = "from errata.apps.cli.start import main; print('started', flush=True); main()"
    with subprocess.Popen(
        [sys.executable, "-c", script, "correct", EIFFEL], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout
        running.stdout.readline()
        time.sleep(after)
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=60)
    assert b"Traceback" not in err
    assert running.returncode == 130


class Terminal:
    """A run on a terminal of its own."""

    def __init__(self, *arguments: str, environment: Mapping[str, str]) -> None:
        self.pid, self.end = pty.fork()
        if not self.pid:
            os.execvpe(sys.executable, [sys.executable, "-c", COMMAND, *arguments], {**os.environ, **environment})
        self._raw = ""

    def wait_for(self, words: str, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while words not in self.shown:
            assert time.monotonic() < end, f"never showed {words!r}: {self.shown}"
            assert self._read(), f"ended without {words!r}: {self.shown}"

    def type(self, keys: str) -> None:
        self._raw = ""
        os.write(self.end, keys.encode())

    def leaves(self) -> int:
        """Everything that is still shown, and the exit code."""
        while self._read():
            pass
        os.close(self.end)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _read(self) -> bool:
        try:
            ready = select.select([self.end], [], [], 60)[0]
            more = os.read(self.end, 65_536) if ready else b""
        except OSError:  # what Linux says where the other end is closed
            more = b""
        self._raw += more.decode(errors="replace").replace("\r\n", "\n")
        return bool(more)

    @property
    def shown(self) -> str:
        """What was shown, without styles and movements."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self._raw)


@pytest.fixture
def terminal() -> Callable[..., Terminal]:
    def start(*arguments: str, **environment: str) -> Terminal:
        return Terminal(*arguments, environment={"TERM": "xterm", "COLUMNS": "100", **environment})

    return start


QUESTION = "[Enter: approve]"


def test_a_person_reviews_with_single_letters(terminal: Callable[..., Terminal]) -> None:
    run = terminal("correct", EIFFEL, "--review", NO_COLOR="1")
    run.wait_for(QUESTION)
    assert "[-1899-]{+1889+}" in run.shown
    run.type("x\n")
    run.wait_for("Please answer a, r, e, d, all or q.")
    run.type("e\n")
    run.wait_for("Put instead")
    run.type("\n")
    run.wait_for("Nothing was typed")
    run.wait_for(QUESTION)
    run.type("e\n")
    run.wait_for("Put instead")
    run.type("March 1889\n")
    run.wait_for(QUESTION)
    run.type("\n")
    assert run.leaves() == 0
    assert "{+March 1889+} and stands in [-Lyon-]{+Paris+}" in run.shown


def test_words_can_be_deleted_and_edits_rejected(terminal: Callable[..., Terminal]) -> None:
    run = terminal("correct", EIFFEL, "--review", TERM="dumb")
    run.wait_for(QUESTION)
    run.type("r\n")
    run.wait_for(QUESTION)
    run.type("d\n")
    assert run.leaves() == 3, "the evidence still contradicts what they kept"
    assert "completed in 1899 and stands in [-Lyon-]." in run.shown


@pytest.mark.parametrize(
    ("keys", "came"), [("all", "[-1899-]{+1889+} and stands in [-Lyon-]{+Paris+}"), ("q", "1899 and stands in Lyon.")]
)
def test_one_answer_can_decide_on_all_that_are_left(terminal: Callable[..., Terminal], keys: str, came: str) -> None:
    run = terminal("correct", EIFFEL, "--review", NO_COLOR="1", COLUMNS="40")
    run.wait_for(QUESTION)
    assert "Change 1 of 2." in run.shown
    assert max(map(len, run.shown.splitlines())) <= 40
    run.type(f"{keys}\n")
    assert run.leaves() == (0 if keys == "all" else 3)
    assert QUESTION not in run.shown
    assert came in " ".join(run.shown.split())


def test_ctrl_c_at_the_question_ends_at_once(terminal: Callable[..., Terminal], tmp_path: Path) -> None:
    run = terminal("correct", EIFFEL, "--review", "--checkpoint", str(tmp_path / "run.sqlite"), COLUMNS="300")
    run.wait_for(QUESTION)
    time.sleep(0.5)  # what is typed while the question is still being set up may be lost, as with any readline
    run.type("\x03")
    assert run.leaves() == 130
    assert f"errata resume --checkpoint {tmp_path / 'run.sqlite'} --thread" in run.shown
    assert "Traceback" not in run.shown


def test_wrapped_lines_keep_their_indent_on_a_terminal(terminal: Callable[..., Terminal]) -> None:
    run = terminal("correct", EIFFEL, COLUMNS="64", NO_COLOR="1")
    assert run.leaves() == 0
    assert "      Evidence: The Eiffel Tower stands in Paris on the Champ de\n      Mars, on the left bank" in run.shown
    assert "completed in [-1899-]{+1889+}" in run.shown


@given(st.text())
def test_what_is_shown_is_as_long_and_obeyed_by_nobody(text: str) -> None:
    assert len(visible(text)) == len(text)
    assert not UNSEEN.search(visible(text))


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_is_exact_and_obeyed_by_nobody(value: Any) -> None:
    written = exact(value)
    assert json.loads(written) == value
    assert not UNSEEN.search(written)
    written.encode()


@pytest.mark.parametrize(("columns", "width"), [("0", 80), ("7", 80), ("20", 20), ("200", 200)])
def test_a_console_has_a_width(monkeypatch: pytest.MonkeyPatch, columns: str, width: int) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert console().width == width


def test_no_colour_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    assert colourless(Console(file=StringIO()))
    assert not colourless(Console(file=StringIO(), force_terminal=True, color_system="standard", no_color=False))
    assert colourless(Console(file=StringIO(), force_terminal=True, color_system="standard", no_color=True))


@given(st.text(st.sampled_from("ab \n"), max_size=60), st.integers(0, 6))
def test_a_pipe_gets_every_word_and_no_padding(text: str, indent: int) -> None:
    out = Console(file=StringIO(), width=20)
    put(out, Text(text), indent)
    lines = out.file.getvalue().split("\n")[:-1]  # type: ignore[attr-defined]
    assert [line.strip() for line in lines] == [line.strip() for line in text.split("\n")]
    assert all(line == line.rstrip() for line in lines)
    assert all(line.startswith(" " * indent) for line in lines if line)


def test_research_after_a_resume_does_not_know_of_how_many() -> None:
    out = Console(file=StringIO(), width=100)
    with Progress(out) as progress:
        progress.saw({"step": "research", "question": "When?", "evidence": [], "failed": ""})
    assert out.file.getvalue() == "research 1: When?\n"  # type: ignore[attr-defined]


def test_without_a_terminal_each_stage_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    out = Console(file=StringIO(), width=100)
    with Progress(out) as progress:
        progress.saw({"step": "questions", "questions": ["When?"] * 40})
        for number in range(40):
            progress.saw({"step": "research", "question": f"When {number}?", "evidence": [], "failed": ""})
        assert out.file.getvalue() == ""  # type: ignore[attr-defined]
        monkeypatch.setattr("errata.apps.progress.SAY_EVERY", 0)
        progress.saw({"step": "execute", "observation": "a run that takes long says so"})
        progress.saw({"step": "execute", "observation": "again"})
    assert out.file.getvalue().splitlines() == [  # type: ignore[attr-defined]
        "execute a run that takes long says so",
        "execute again",
        "questions 40 to ask",
        "research 40 of 40: When 39?",
    ]


def test_on_a_narrow_terminal_a_stage_is_one_line_too() -> None:
    out = Console(file=StringIO(), width=40, force_terminal=True)
    progress = Progress(out)
    with out.capture() as captured:
        progress.lines = {"research": "1 of 2: When was the Eiffel Tower completed, and by whom?"}
        assert progress.live
        progress.live.start()
        progress._redraw()
        progress.live.stop()
    drawn = [line for line in captured.get().splitlines() if "research" in line]
    assert drawn
    assert not any("by whom" in line for line in captured.get().splitlines())


def whole(before: str, after: str) -> list[Segment]:
    return [{"before": before, "after": after, "edits": [0]}]


def test_a_text_that_was_replaced_shows_the_words_that_differ() -> None:
    parts = by_words(whole("You are late again, you idiot.", "You are late again, you …."))
    assert [(part["before"], part["after"]) for part in parts if part["edits"]] == [("idiot", "…")]


def test_texts_with_little_in_common_are_shown_one_after_the_other() -> None:
    parts = whole("It was in Lyon.", "Nobody knows, said Brahms!")
    assert by_words(parts) == parts


@given(st.text(st.sampled_from("ab .\n")), st.text(st.sampled_from("ab .\n")))
def test_cutting_up_loses_nothing(before: str, after: str) -> None:
    parts = by_words(whole(before, after))
    assert "".join(part["before"] for part in parts) == before
    assert "".join(part["after"] for part in parts) == after
