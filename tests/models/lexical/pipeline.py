"""The lexical tasks in a row, as a graph would run them, over the articles that ship with the project."""

from functools import lru_cache
from pathlib import Path

from errata.models.lexical import agreement, edit, queries, rank
from errata.state.text import sentences

CORPUS = Path(__file__).parents[3] / "tools" / "corpus"
WINDOW = 4


@lru_cache
def article(name: str) -> tuple[str, tuple[str, ...]]:
    """The title of an article and its windows of four sentences."""
    _, head, body = (CORPUS / f"{name}.md").read_text(encoding="utf-8").split("---\n", 2)
    title = next(line.removeprefix("title:").strip() for line in head.splitlines() if line.startswith("title:"))
    found = [body[start:end] for start, end in sentences(body)]
    return title, tuple(" ".join(found[i : i + WINDOW]) for i in range(max(1, len(found) - WINDOW + 1)))


def labels(text: str, name: str, every_window: bool = False) -> list[str]:
    """What the article says of the text: one label per question, of the best window or of all windows."""
    title, windows = article(name)
    found: list[str] = []
    for query in queries({"text": text, "question": ""}).queries:
        for window in windows if every_window else best(query, windows):
            found.append(agreement(_input(text, query, window, title)).label)
    return found


def mended(text: str, name: str) -> str:
    """The text after every edit that the article asks for."""
    title, windows = article(name)
    for query in queries({"text": text, "question": ""}).queries:
        for window in best(query, windows):
            task_input = _input(text, query, window, title)
            if agreement(task_input).label == "contradiction":
                revision = edit(task_input)
                assert text.count(revision.span) == 1
                text = text.replace(revision.span, revision.replacement)
                assert agreement({**task_input, "text": text}).label != "contradiction"
    return text


def best(query: str, windows: tuple[str, ...]) -> list[str]:
    scores = rank({"query": query, "passages": list(windows)}).scores
    return [windows[max(range(len(windows)), key=lambda index: scores[index])]]


def _input(text: str, query: str, window: str, title: str) -> dict[str, str]:
    return {"text": text, "question": "", "query": query, "evidence": window, "title": title}
