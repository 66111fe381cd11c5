"""Right and subtly wrong sentences about the shipped articles, through questions, ranking, agreement and edit."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from errata.models.rules import agreement, edit, queries, rank
from errata.models.tasks.correction import EditInput
from errata.state.text.segments import sentences

CORPUS = Path(__file__).parents[3] / "tools" / "corpus"
WINDOW = 4

PAIRS: dict[str, list[Any]] = yaml.safe_load((Path(__file__).parent / "pairs.yaml").read_text(encoding="utf-8"))
ROWS = [row for rows in PAIRS.values() for row in rows]

ENOUGH_ENTAILED = 0.76
ENOUGH_MENDED = 0.92

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the articles are not in this checkout")


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
                text = edit(task_input).text
                assert agreement(task_input | {"text": text}).label != "contradiction"
    return text


def best(query: str, windows: tuple[str, ...]) -> list[str]:
    scores = rank({"query": query, "passages": list(windows)}).scores
    return [windows[max(range(len(windows)), key=lambda index: scores[index])]]


def _input(text: str, query: str, window: str, title: str) -> EditInput:
    return {"text": text, "question": "", "query": query, "evidence": window, "title": title}


def test_right_sentences_are_never_contradicted_and_mostly_entailed() -> None:
    found = {right: labels(right, name) for name, right, _, _ in ROWS}
    assert [right for right, given in found.items() if "contradiction" in given] == []
    assert sum("entailment" in given for given in found.values()) >= ENOUGH_ENTAILED * len(found)


def test_wrong_sentences_are_mostly_mended_and_never_badly() -> None:
    wanted = [(name, wrong, words) for name, _, wrong, words in ROWS if words]
    outcomes = {wrong: (mended(wrong, name), words) for name, wrong, words in wanted}
    badly = [wrong for wrong, (text, words) in outcomes.items() if text != wrong and words not in text]
    assert badly == []
    assert sum(words in text for text, words in outcomes.values()) >= ENOUGH_MENDED * len(wanted)


@pytest.mark.parametrize("name", ["albert-einstein", "blue-whale", "earth", "eiffel-tower", "isaac-newton", "sun"])
def test_an_article_does_not_contradict_itself(name: str) -> None:
    body = (CORPUS / f"{name}.md").read_text(encoding="utf-8").split("---\n", 2)[2]
    said = [body[start:end] for start, end in sentences(body)]
    assert [text for text in said if "contradiction" in labels(text, name, every_window=True)] == []


def test_the_window_is_four_sentences() -> None:
    _, windows = article("eiffel-tower")
    assert all(len(sentences(window)) == 4 for window in windows)
