"""The pages that users read, and the blocks of code in them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]

FENCED = re.compile(r"^```(?P<language>\w*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?<=\n\n)(?P<code>(?: {4}.*\n|\n(?= {4}))+)")
COMMAND = re.compile(r"(\w+=\S+ )*(uv|pip|errata|export|printf|curl|make|git|\.ci/run)\b")
BEFORE = re.compile(r"<!-- (.*?) -->\n+\Z")


@dataclass(frozen=True)
class Block:
    """A block of code."""

    page: str
    """Path of the page in the repository."""
    line: int
    language: str
    """As its fence says; `sh` for an indented block of commands, else empty."""
    code: str
    mark: str
    """What a comment above it says of how it is tried."""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """The lines of a shell, with those joined that a backslash continues."""
        return self.code.replace("\\\n", " ").splitlines()


def blocks() -> list[Block]:
    """All of them, page by page."""
    return [block for page in PAGES for block in _blocks(page)]


def _blocks(page: Path) -> Iterator[Block]:
    text = page.read_text("utf-8")
    found = {match.start(): (match["language"], match["code"]) for match in FENCED.finditer(text)}
    outside = FENCED.sub(lambda match: re.sub(r"[^\n]", ".", match[0]), text)
    for match in INDENTED.finditer(outside):
        code = re.sub(r"^ {4}", "", match["code"], flags=re.MULTILINE).strip("\n")
        found[match.start()] = ("sh" if COMMAND.match(code) else "", code)
    for start, (language, code) in sorted(found.items()):
        mark = BEFORE.search(text[:start])
        line = text.count("\n", 0, start) + 1
        yield Block(str(page.relative_to(ROOT)), line, language, code, mark[1] if mark else "")
