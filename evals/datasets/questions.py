"""Data sets of questions with short answers."""

from collections.abc import Iterator
from typing import Any

from .item import Item, listed


def hotpotqa(rows: list[dict[str, Any]]) -> Iterator[Item]:
    """HotpotQA and 2WikiMultihopQA: `question`, `answer`, `type`; `_id` and `context` ([title, sentences]) if given."""
    for number, row in enumerate(rows):
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
    """AmbigNQ: an answer is right if it is one to any reading of the question."""
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
    """NQ-open: `question`, `answer`."""
    for number, row in enumerate(listed(rows)):
        yield Item(id=number, question=row["question"], answers=listed(row["answer"]))
