"""Data sets of questions with short answers."""

from collections.abc import Iterator
from typing import Any

from .item import Item, listed

HOTPOTQA = ("bridge", "comparison")
TWO_WIKI = ("compositional", "comparison", "inference", "bridge_comparison")
"""The data sets' names for their types of questions."""


def hotpotqa(rows: list[dict[str, Any]]) -> Iterator[Item]:
    """HotpotQA: `question`, `answer`, `type`; `_id` and `context` if given."""
    yield from _of_many_hops(rows, HOTPOTQA)


def two_wiki(rows: list[dict[str, Any]]) -> Iterator[Item]:
    """2WikiMultihopQA: the fields of HotpotQA, and `evidences`."""
    for row in rows:
        row["evidences"]  # which distinguishes it from HotpotQA
    yield from _of_many_hops(rows, TWO_WIKI)


def _of_many_hops(rows: list[dict[str, Any]], types: tuple[str, ...]) -> Iterator[Item]:
    """Rows with their type, or otherwise with paragraphs: `context`, pairs of title and sentences."""
    for number, row in enumerate(rows):
        if row.get("type", "") not in types and ("type" in row or "context" not in row):
            fault = f"is of no type `{row['type']}`" if "type" in row else "has neither `type` nor `context`"
            raise ValueError(f"row {number + 1} {fault}")
        item = Item(
            id=row.get("_id", number),
            question=row["question"],
            answers=[row["answer"]],
            kind=row.get("type", ""),
        )
        if context := row.get("context"):
            pairs = zip(context["title"], context["sentences"], strict=True) if isinstance(context, dict) else context
            item["paragraphs"] = [f"{title}: {''.join(sentences)}" for title, sentences in pairs]
        yield item


def ambignq(rows: list[dict[str, Any]]) -> Iterator[Item]:
    """AmbigNQ: an answer is right if it is right for any reading of the question."""
    for row in rows:
        answers: dict[str, None] = {}
        for annotation in row["annotations"]:
            if annotation["type"] == "singleAnswer":
                answers |= dict.fromkeys(annotation["answer"])
            else:
                answers |= dict.fromkeys(answer for pair in annotation["qaPairs"] for answer in pair["answer"])
        yield Item(id=row["id"], question=row["question"], answers=list(answers))


def triviaqa(file: dict[str, Any]) -> Iterator[Item]:
    """TriviaQA: every alias of an answer is right."""
    for row in file["Data"]:
        answer = row["Answer"]
        aliases = [answer["Value"], *answer.get("Aliases", []), *answer.get("HumanAnswers", [])]
        yield Item(id=row["QuestionId"], question=row["Question"], answers=list(dict.fromkeys(aliases)))


def nq_open(rows: list[dict[str, Any]]) -> Iterator[Item]:
    """NQ-open: `question`, `answer`, a list."""
    for number, row in enumerate(listed(rows)):
        if not isinstance(row["answer"], list):
            raise ValueError(f"row {number + 1}: its `answer` is not a list")
        yield Item(id=number, question=row["question"], answers=row["answer"])


def ott_qa(rows: list[dict[str, Any]]) -> Iterator[Item]:
    """OTT-QA: `question_id`, `question`, `answer-text`. Its tables and texts are what the search has to find."""
    for row in rows:
        yield Item(id=row["question_id"], question=row["question"], answers=[row["answer-text"]])
