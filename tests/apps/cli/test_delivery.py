"""Just the text: printed, as a diff, in a file or in the file that it came from; and what a script may fail on."""

import codecs
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from errata.apps.cli import delivery
from errata.state.text.diff import unified

from ...conftest import Errata

WRONG = "The Eiffel Tower was completed in 1899 and stands in Lyon."
RIGHT = "The Eiffel Tower was completed in 1889 and stands in Paris."
LEFT = "Galileo invented the telescope."
"""What the corpus that ships contradicts, and no rule can put right."""


@pytest.fixture
def draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = Path("draft.txt")
    file.write_bytes(f"{WRONG}\r\n".encode())
    return file


def test_quiet_is_the_text_and_nothing_else(errata: Errata, draft: Path) -> None:
    assert errata("correct", WRONG, "--quiet") == (0, f"{RIGHT}\n", "")
    assert errata("correct", "--file", draft, "-q") == (0, f"{RIGHT}\r\n", ""), "its own line end, and no other"
    assert errata("correct", WRONG, "-o", "-", "-q")[1] == f"{RIGHT}\n"


def test_quiet_says_why_it_fails(errata: Errata, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = errata("correct", LEFT, "--quiet")
    assert (code, out) == (3, f"{LEFT}\n")
    assert err == "errata: the text still contradicts evidence: 1 check: 1 unresolved\n"
    monkeypatch.setenv("ERRATA_SEARXNG_URL", "http://127.0.0.1:9")  # sockets are blocked: it cannot be reached
    code, out, err = errata("correct", WRONG, "-q", "--search", "searxng", "--set", "retries=0")
    assert (code, out, err.count("\n")) == (1, f"{WRONG}\n", 1)
    assert err.startswith("errata: not everything was checked: ")


def test_the_text_in_a_file(errata: Errata, draft: Path) -> None:
    taken = Path("taken.txt")
    taken.write_text("an older text, and a longer one than that which takes its place, by far")
    code, out, err = errata("correct", "--file", draft, "-o", taken)
    assert (code, taken.read_bytes()) == (0, f"{RIGHT}\r\n".encode())
    assert "Status   corrected" in out
    assert "taken.txt has the text\n" in err
    assert draft.read_bytes() == f"{WRONG}\r\n".encode()
    assert errata("correct", WRONG, "-q", "-o", taken) == (0, "", "")
    assert taken.read_text() == RIGHT


def test_a_text_that_was_paid_for_is_printed_if_its_file_cannot_be_written(errata: Errata) -> None:
    code, out, err = errata("correct", WRONG, "-q", "-o", "/dev/full")
    assert (code, out) == (1, f"{RIGHT}\n")
    assert err == "errata: -o /dev/full: No space left on device\n"


def test_in_place(errata: Errata, draft: Path) -> None:
    draft.write_bytes(codecs.BOM_UTF8 + draft.read_bytes())
    draft.chmod(0o640)
    code, _, err = errata("correct", "--file", draft, "--in-place")
    assert (code, draft.read_bytes()) == (0, codecs.BOM_UTF8 + f"{RIGHT}\r\n".encode())
    assert draft.stat().st_mode & 0o777 == 0o640
    assert "draft.txt is corrected\n" in err
    before = draft.stat().st_mtime_ns
    assert "draft.txt stays as it is" in errata("correct", "--file", draft, "--in-place")[2]
    assert draft.stat().st_mtime_ns == before
    assert list(Path().iterdir()) == [draft]


def test_in_place_does_not_write_over_what_somebody_wrote_meanwhile(
    errata: Errata, draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = delivery.show_result

    def somebody_writes(*given: Any) -> None:
        draft.write_text("My new text.")
        shown(*given)

    monkeypatch.setattr(delivery, "show_result", somebody_writes)
    code, out, err = errata("correct", "--file", draft, "--in-place")
    assert (code, draft.read_text()) == (1, "My new text.")
    assert "was changed during the check" in err
    assert "{+1889+}" in out


def test_a_diff_that_patch_reads(errata: Errata, draft: Path) -> None:
    draft.write_text(f"A first line.\u2028And more of it.\n{WRONG}")
    code, out, _ = errata("correct", "--file", draft, "--diff")
    assert code == 0
    assert f"-{WRONG}\n\\ No newline at end of file\n+{RIGHT}\n" in out
    assert "\x1b" not in out
    subprocess.run(["patch", "--quiet", "draft.txt"], input=out.encode(), check=True)
    assert draft.read_text() == f"A first line.\u2028And more of it.\n{RIGHT}"


def test_texts_that_are_equal_have_no_diff(errata: Errata) -> None:
    assert errata("correct", RIGHT, "--diff")[:2] == (0, "")
    assert unified("a\n", "a\n") == ""


def test_any_command_that_makes_a_text(errata: Errata, tmp_path: Path) -> None:
    rude = tmp_path / "rude.txt"
    rude.write_text("You are late again, you idiot.")
    assert errata("detoxify", "--file", rude, "-q")[1] == "You are late again, you ….\n"
    assert errata("detoxify", "--file", rude, "--in-place", "-q") == (0, "", "")
    assert rude.read_text() == "You are late again, you …."
    program, fixed = tmp_path / "program.py", tmp_path / "fixed.py"
    program.write_text("answer = 6 * 7\n")
    assert errata("solve", "--program", program, "-o", fixed)[0] == 0
    assert fixed.read_text() == "answer = 6 * 7\n"


def test_a_resumed_run_delivers_its_text(errata: Errata, tmp_path: Path) -> None:
    checkpoint = tmp_path / "run.sqlite"
    errata("correct", WRONG, "--checkpoint", checkpoint)
    assert errata("resume", "--checkpoint", checkpoint, "-q") == (0, f"{RIGHT}\n", "")


def test_reads_documents(errata: Errata, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<html><head><title>Towers</title></head><body><p>{WRONG}</p></body></html>")
    assert errata("correct", "--file", page, "-q")[1] == f"{RIGHT}\n"
    assert "1 contradicted" not in errata("check", "--file", page, "--fail-on", "never")[1]
    wide = tmp_path / "wide.txt"
    wide.write_bytes(WRONG.encode("utf-16"))
    assert errata("correct", "--file", wide, "-q")[1] == f"{RIGHT}\n"


def test_a_document_that_is_too_large_is_refused(
    errata: Errata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errata.apps.settings.LARGEST_FILE", 1_000_000)
    for name in ("large.html", "large.txt"):
        (tmp_path / name).write_bytes(b"a" * 1_000_001)
        code, out, err = errata("correct", "--file", tmp_path / name)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "is larger than 1 MB" in err


@pytest.mark.parametrize(
    ("text", "fail_on", "code"),
    [
        (WRONG, "unresolved", 0),
        (WRONG, "contradiction", 3),
        (WRONG, "unsupported", 0),
        (LEFT, "unresolved", 3),
        (LEFT, "contradiction", 3),
        (LEFT, "unsupported", 3),
        (LEFT, "never", 0),
        ("Bolivia has nine departments.", "contradiction", 0),
        ("Bolivia has nine departments.", "unsupported", 3),
    ],
)
def test_what_a_script_fails_on(errata: Errata, text: str, fail_on: str, code: int) -> None:
    assert errata("correct", text, "--fail-on", fail_on)[0] == code


def test_a_check_fails_on_a_contradiction(errata: Errata) -> None:
    assert errata("check", WRONG)[0] == 3
    assert errata("check", WRONG, "--fail-on", "never")[0] == 0
    assert errata("check", RIGHT)[0] == 0
    assert errata("check", RIGHT, "--fail-on", "unsupported")[0] == 0
    assert errata("check", "Bolivia has nine departments.")[0] == 0
    assert errata("check", "Bolivia has nine departments.", "--fail-on", "unsupported")[0] == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["draft.txt"], "draft.txt is a file: to read it, give --file draft.txt"),
        ([WRONG, "-q", "--json"], "give one of --quiet and --json"),
        ([WRONG, "--diff", "--json"], "give one of --diff and --json"),
        ([WRONG, "--diff", "-o", "-"], "give one of -o - and --diff"),
        ([WRONG, "--in-place"], "--in-place goes with --file FILE"),
        (["--file", "draft.txt", "--in-place", "-o", "x"], "give one of them"),
        (["--file", "draft.txt", "-o", "draft.txt"], "-o draft.txt is the input file"),
        (["--file", "page.html", "--in-place"], "page.html can't be written back"),
        (["--file", "wide.txt", "--in-place"], "wide.txt is not UTF-8"),
        ([WRONG, "-o", "no-such-folder/x"], "-o no-such-folder/x: name a file in a folder that exists"),
        ([WRONG, "-o", "."], "File '.' is a directory"),
        ([WRONG, "-o", ""], "it is empty: name a file"),
        ([WRONG, "--fail-on", "anything"], "'anything' is not one of 'unresolved', 'contradiction'"),
        (["--file", "broken.pdf"], "broken.pdf cannot be read (broken PDF"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_code_2(
    errata: Errata, draft: Path, arguments: list[str], said: str
) -> None:
    Path("page.html").write_text(f"<p>{WRONG}</p>")
    Path("wide.txt").write_bytes(WRONG.encode("utf-16"))
    Path("broken.pdf").write_bytes(b"not a pdf")
    code, out, err = errata("correct", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert draft.read_bytes() == f"{WRONG}\r\n".encode()


def test_a_file_that_may_not_be_written_is_refused_before_the_work(
    errata: Errata, draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)
    assert errata("correct", WRONG, "-o", "new.txt") == (2, "", "errata: -o new.txt: permission denied\n")
    code, _, err = errata("correct", "--file", draft, "--in-place")
    assert (code, err) == (2, "errata: --in-place draft.txt: permission denied\n")


def test_standard_input_in_text_out(errata: Errata, monkeypatch: pytest.MonkeyPatch) -> None:
    given = io.BytesIO(f"{WRONG}\n".encode())
    monkeypatch.setattr(sys, "stdin", type("Input", (), {"buffer": given, "isatty": staticmethod(lambda: False)}))
    assert errata("correct", "-", "-q")[:2] == (0, f"{RIGHT}\n")
