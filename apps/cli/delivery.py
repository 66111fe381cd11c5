"""What happens to a result: what is printed, which files get its text, and whether a script should fail."""

import codecs
import os
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rich.text import Text

from ...state.errors import ConfigurationError, ErrataError, naming
from ...state.text.diff import unified
from ..files import save
from .terminal import console, exact, plain, say, tell

if TYPE_CHECKING:
    from ...state import Result
    from ...state.methods.refcheck import RefCheckResult
    from ..run import Run

STANDARD_OUTPUT = Path("-")
SUPPORTED = ("checked", "corrected")
"""The status of a sentence that evidence supports."""
FAILS_ON = {
    "unresolved": "the text still contradicts evidence",
    "contradiction": "the original text contradicts evidence",
    "unsupported": "not every sentence has evidence for it",
}
"""What a script may fail on, besides `never`."""
DIFF_STYLES = {"---": "bold", "+++": "bold", "@@": "cyan", "-": "red", "+": "green"}


@dataclass
class Delivery:
    """How a person wants a result delivered."""

    report: Path | None = None
    as_json: bool = False
    quiet: bool = False
    diff: bool = False
    output: Path | None = None
    """The file that gets the text; `-` is standard output, which then gets nothing else."""
    in_place: bool = False
    fail_on: str = "unresolved"
    file: Path | None = None
    """The file that the text was read from."""
    before: bytes = field(default=b"", init=False)
    """Its content, if it is to be written back."""

    def check(self) -> None:
        """Raise ConfigurationError now for anything that could not be done after the work."""
        alone = "--quiet" if self.quiet else "-o -"
        chosen = {alone: self.quiet or self._to_stdout, "--diff": self.diff, "--json": self.as_json}
        if len(chosen_names := [name for name, value in chosen.items() if value]) > 1:
            raise ConfigurationError(f"give one of {' and '.join(chosen_names)}: each decides what is printed")
        check_writable(self.report, "--report")
        if not self._to_stdout:
            check_writable(self.output, "-o")
        if self.in_place:
            self.before = self._writable_back()
        elif self.file and self.output and self.output.exists() and self.output.samefile(self.file):
            raise ConfigurationError(f"-o {self.output} is the input file: to overwrite it, give --in-place")

    def deliver(self, run: "Run", result: "Result") -> None:
        """Print the result and write the files. A failure of one does not stop the others."""
        with ExitStack() as afterwards:
            if self.report:
                afterwards.callback(self._write_report, self.report, run, result)
            if self.output or self.in_place:
                afterwards.callback(self._write_text, run, result)
            self._print(run, result)

    def excuse(self, code: int, result: "Result") -> str:
        """Why the exit code is not 0, if nothing that was printed says so; otherwise empty."""
        if not (self.quiet or self.diff or self._to_stdout):
            return ""
        if code == 1:
            return f"not everything was checked: {result['reason']}" if result["text"] else result["reason"]
        return f"{FAILS_ON[self.fail_on]}: {result['reason']}" if code else ""

    @property
    def _to_stdout(self) -> bool:
        return self.output == STANDARD_OUTPUT

    def _print(self, run: "Run", result: "Result") -> None:
        if self._to_stdout or (self.quiet and not (self.output or self.in_place)):
            say_text(result["text"])
        elif self.as_json:
            say(exact(result, indent=2))
        elif self.diff:
            say_diff(unified(result["original"], result["text"], str(self.file or "")))
        elif not self.quiet:
            show_result(run, result)

    def _write_text(self, run: "Run", result: "Result") -> None:
        """Write the text to its file; nothing if there is no text, and nothing after Ctrl-C."""
        target = self.file if self.in_place else self.output
        if self._to_stdout or not target:
            return
        text = result["text"]
        if run.interrupted or not text:
            outcome = "is not written: the run was interrupted" if text else "is not written: there is no text"
            if self.quiet and text:
                say_text(text)
        else:
            try:
                outcome = self._put(target, text, result["original"])
            except ErrataError:
                if self.quiet:  # it was paid for
                    say_text(text)
                raise
        if not self.quiet or run.interrupted or not text:
            tell(Text(f"{target} {outcome}"))

    def _put(self, target: Path, text: str, original: str) -> str:
        if not self.in_place:
            save(target, text, "-o")
            return "has the text"
        if text == original:
            return "stays as it is"
        if _bytes(target) != self.before:
            raise ErrataError(f"{target} was changed during the check, so it is left alone: give -o FILE instead")
        mark = "\ufeff" if self.before.startswith(codecs.BOM_UTF8) else ""
        save(target, mark + text, "--in-place")
        return "is corrected"

    def _writable_back(self) -> bytes:
        """The content of the file that the text was read from. Raises ConfigurationError if it can't be written."""
        from ..settings import is_document

        file = self.file
        if not file or self.output:
            wrong = "goes with --file FILE" if not file else "and -o name two places for the text: give one of them"
            raise ConfigurationError(f"--in-place {wrong}")
        if is_document(file):
            raise ConfigurationError(
                f"--in-place: {file} can't be written back, because only its text was read: give -o FILE.txt"
            )
        check_writable(file, "--in-place")
        content = _bytes(file)
        try:
            content.decode()
        except UnicodeDecodeError:
            raise ConfigurationError(
                f"--in-place: {file} is not UTF-8, and its encoding could not be kept: give -o FILE"
            ) from None
        return content

    def _write_report(self, report: Path, run: "Run", result: "Result") -> None:
        from ..reports.report import write

        write(result, report, method=run.method, question=run.question, settings=run.changed_settings())
        if not self.quiet:
            tell(Text(f"Report: {report}"))


def meets(result: "Result", condition: str) -> bool:
    """Whether a result meets a condition on which a script should fail.

    Args:
        result: The result of a run.
        condition: `unresolved`: the final text contradicts evidence; `contradiction`: the original text did, corrected
            or not; `unsupported`: a sentence of the final text has no evidence for it; `never`.
    """
    if condition == "unsupported":
        return any(part["status"] not in SUPPORTED for part in result["attribution"])
    if condition == "contradiction":
        contradicted = any(verdict["label"] == "contradiction" for verdict in result["verdicts"])
        return contradicted or bool(result["unresolved"]) or result["status"] == "corrected"
    return condition == "unresolved" and bool(result["unresolved"])


def check_writable(file: Path | None, option: str) -> None:
    """Raise ConfigurationError before the work if a file could not be written after it."""
    if not file:
        return
    if file.is_dir() or not file.parent.is_dir():
        raise ConfigurationError(f"{option} {file}: name a file in a folder that exists")
    new = not file.exists()
    if not os.access(file.parent if new else file, os.W_OK) or (file.is_file() and not os.access(file.parent, os.W_OK)):
        raise ConfigurationError(f"{option} {file}: permission denied")


def say_text(text: str) -> None:
    """Print only a text, ending with exactly one line end, its own or ours; nothing if there is no text."""
    sys.stdout.write(plain(text) + ("" if not text or text.endswith("\n") else "\n"))
    sys.stdout.flush()


def say_diff(diff: str) -> None:
    """Print a unified diff, in colour on a terminal."""
    out = console()
    if not out.is_terminal:
        sys.stdout.write(diff)
        sys.stdout.flush()
        return
    for line in diff.split("\n")[:-1]:
        style = next((style for start, style in DIFF_STYLES.items() if line.startswith(start)), "")
        out.print(Text(line, style=style), soft_wrap=True)


def show_result(run: "Run", result: "Result") -> None:
    """Print a result for people."""
    from ..reports.display import only_bundled

    bundled = only_bundled(run.context)
    if "claims" in result:
        from .claims import show_claims

        show_claims(console(), cast("RefCheckResult", result), drafted=run.drafted, bundled=bundled)
    else:
        from .show import show

        show(console(), result, drafted=run.drafted, bundled=bundled)


def _bytes(file: Path) -> bytes:
    with naming(file):
        return file.read_bytes()
