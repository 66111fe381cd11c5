"""Data sets of dialogues, as published: a folder of files that belong together."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROLES = {"U": "user", "S": "assistant"}


def dstc11(folder: Path) -> Iterator[dict[str, Any]]:
    """DSTC11 track 5, customer service: `logs.json`, `labels.json`, and `knowledge.json` beside or above them.

    Only the turns that ask for knowledge have a response. Knowledge is reviews, by the sentence, and questions with
    answers.

    Raises:
        OSError: If a file is missing.
        ValueError: If one of them has another structure.
    """
    place = folder if (folder / "knowledge.json").is_file() else folder.parent
    logs, labels, knowledge = (
        json.loads(path.read_text("utf-8"))
        for path in (folder / "logs.json", folder / "labels.json", place / "knowledge.json")
    )
    try:
        for turns, label in zip(logs, labels, strict=True):
            if label["target"]:
                *before, last = turns
                yield {
                    "history": [{"role": ROLES[turn["speaker"]], "content": turn["text"]} for turn in before],
                    "question": last["text"],
                    "knowledge": [_snippet(knowledge, each) for each in label["knowledge"]],
                    "response": label["response"],
                }
    except (KeyError, TypeError) as error:
        raise ValueError(f"it is not in the format of DSTC11 track 5: {error!r}") from None


def _snippet(knowledge: dict[str, Any], label: dict[str, Any]) -> str:
    """What a label refers to, with the name of what it is about."""
    about = knowledge[label["domain"]][str(label["entity_id"])]
    name = about.get("name") or label["domain"]
    if label["doc_type"] == "review":
        review = about["reviews"][str(label["doc_id"])]["sentences"]
        return f"{name}: {review[str(label['sent_id'])]}"
    faq = about["faqs"][str(label["doc_id"])]
    return f"{name}: {faq['question']} {faq['answer']}"
