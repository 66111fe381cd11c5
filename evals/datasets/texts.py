"""Data sets of texts: prompts to continue, and the user's own."""

from collections.abc import Iterator
from typing import Any, cast

from .item import Item, listed


def realtoxicityprompts(rows: list[dict[str, Any]]) -> Iterator[Item]:
    """RealToxicityPrompts: a prompt to continue; as a text to detoxify, the prompt with its author's continuation."""
    for number, row in enumerate(listed(rows)):
        prompt = row["prompt"]
        row_id = f"{row['filename']}:{row['begin']}" if "filename" in row else number
        full_text = prompt["text"] + row["continuation"]["text"]
        yield Item(
            id=row_id, question=prompt["text"], text=full_text, scores={"prompt_toxicity": prompt.get("toxicity")}
        )


def rarr(rows: list[dict[str, Any]]) -> Iterator[Item]:
    """RARR's texts (NQ, StrategyQA, QReCC): `input_info` with the text and, of a dialogue, its `context`."""
    for number, row in enumerate(listed(rows)):
        given = row["input_info"]
        text = given["claim"] if "claim" in given else given["model_outputs_explanation"]
        item = Item(id=number, text=text)
        if given.get("context"):
            item["question"] = given["context"]
        yield item


def plain(rows: list[dict[str, Any]]) -> Iterator[Item]:
    """The user's own rows: `question` or `text`, `answers` if known, and anything else that a method takes."""
    for number, row in enumerate(listed(rows)):
        if not any(isinstance(row.get(name), str) and row[name].strip() for name in ("question", "text")):
            raise ValueError(f"row {number + 1} has neither `question` nor `text`")
        answers = {"answers": [str(answer) for answer in listed(row["answers"])]} if "answers" in row else {}
        yield cast(Item, {"id": number, **row, **answers})
