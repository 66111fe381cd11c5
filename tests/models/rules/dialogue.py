"""A critique with its searches, and how well the rules answer: `uv run python -m tests.models.rules.dialogue`."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from errata.models.rules import qa_critique, rank, react
from errata.models.tasks.critic import Conclusion, Turn, TurnInput
from errata.state import Context
from errata.state.text.answers import normalise, read_answer
from errata.state.text.segments import sentences
from errata.tools import search_tool

WINDOW, SHOWN, MOST_TURNS, PAGES = 4, 400, 7, 5
QUESTIONS: dict[str, list[Any]] = yaml.safe_load((Path(__file__).parent / "questions.yaml").read_text(encoding="utf-8"))

Rules = Callable[[TurnInput], Turn]
Row = list[Any]
"""Question, right answers, a wrong one, and the sentence that a draft says it in."""


def asked(text: str, question: str = "", **other: Any) -> TurnInput:
    """The input of a turn."""
    nothing: Any = {"answer": "", "messages": [], "tools": ["search"], "last": False}
    given: TurnInput = {"question": question, "text": text} | nothing | other
    return given


def used(tool: str, argument: str, told: str, artifact: Any = None) -> list[AnyMessage]:
    """The messages of a turn that used a tool."""
    call = {"name": tool, "args": {"query": argument}, "id": argument[:9]}
    return [
        AIMessage("", tool_calls=[call]),
        ToolMessage(told, name=tool, tool_call_id=argument[:9], artifact=artifact),
    ]


@cache
def concluded(rules: Rules, question: str, text: str = "") -> Conclusion:
    """What the rules conclude of a draft, with the shipped corpus to search in."""
    messages: list[AnyMessage] = []
    times: Counter[str] = Counter()
    for number in range(MOST_TURNS):
        last = number == MOST_TURNS - 1
        answer = read_answer(text) if text else ""
        turn = rules(asked(text, question, answer=answer, messages=messages, last=last))
        if turn.conclusion:
            return turn.conclusion
        found = [*shown(turn.argument), "Nothing more was found."]
        messages += used(turn.tool, turn.argument, found[min(times[turn.argument], len(found) - 1)])
        times[turn.argument] += 1
    raise AssertionError("no conclusion on the last turn")


@cache
def shown(query: str) -> tuple[str, ...]:
    """The pages that a search finds, each as its best window."""
    pages = asyncio.run(search_tool(Context()).search(query, PAGES))
    return tuple(f"[{page['title']}] {best_window(query, page['title'], page['text'])}"[:SHOWN] for page in pages)


def best_window(query: str, title: str, text: str) -> str:
    said = [text[start:end] for start, end in sentences(text)]
    windows = [" ".join(said[first : first + WINDOW]) for first in range(max(1, len(said) - WINDOW + 1))]
    scores = rank({"query": query, "passages": [f"{title}\n{window}" for window in windows]}).scores
    return windows[scores.index(max(scores))]


def right_drafts(row: Row) -> Iterator[str]:
    _, gold, _, says = row
    yield f"{says.format(gold[0])} So the answer is: {gold[0]}."
    yield f"Let me think about it. So the answer is: {gold[-1]}."
    yield says.format(gold[0])


def wrong_drafts(row: Row) -> dict[str, str]:
    """Drafts of several kinds, each with a wrong answer."""
    question, _, wrong, says = row
    other = "Paris" if question.lower().startswith(("how", "when", "in what year", "in which year")) else "1742"
    return {
        "reasoned": f"{says.format(wrong)} So the answer is: {wrong}.",
        "a sentence": says.format(wrong),
        "the answer alone": f"So the answer is: {wrong}",
        "of another kind": f"I think that it is well known. So the answer is: {other}.",
        "none": "I am not sure. So the answer is: unknown.",
        "rambling": f"This is a question about history. Many people are interested in it. {says.format(wrong)} "
        "It is an important fact that is known all over the world. There are many books about it.",
    }


def holds(answer: str, gold: list[str]) -> bool:
    """Whether an answer has one of the right ones in it."""
    return any(f" {normalise(right)} " in f" {normalise(answer)} " for right in gold)


def outcome(before: str, after: str, gold: list[str]) -> str:
    """What became of an answer."""
    if holds(before, gold):
        return "kept" if holds(after, gold) else "broken"
    return "fixed" if holds(after, gold) else "left" if after == before else "still wrong"


def of_draft(question: str, text: str, gold: list[str]) -> str:
    return outcome(read_answer(text), concluded(qa_critique, question, text).answer, gold)


def yes_no_drafts(row: Row, answer: str) -> Iterator[str]:
    yield f"{row[2]} So the answer is: {answer}."
    yield f"{answer.capitalize()}."


def measured(group: str) -> dict[str, Counter[str]]:
    """Outcomes by kind of draft, for one group of questions."""
    table: dict[str, Counter[str]] = {}
    for row in QUESTIONS[group]:
        right = [("right", text) for text in right_drafts(row)]
        for kind, text in [*right, *wrong_drafts(row).items()]:
            table.setdefault(kind, Counter())[of_draft(row[0], text, row[1])] += 1
        answer = concluded(react, row[0]).answer
        table.setdefault("react", Counter())[outcome("", answer, row[1])] += 1
    return table


if __name__ == "__main__":
    tables = {"at_hand": measured("at_hand"), "held_out": measured("held_out")}
    for name, found in tables.items():
        for kind, counts in found.items():
            print(f"{name:10} {kind:17} n={counts.total():<4} {json.dumps(dict(sorted(counts.items())))}")
