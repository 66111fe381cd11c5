"""Data sets of problems whose answer is computed."""

from collections.abc import Iterator
from typing import Any

from .item import Item, listed


def gsm8k(rows: list[dict[str, Any]]) -> Iterator[Item]:
    """GSM8K: the answer comes after `####`."""
    for number, row in enumerate(listed(rows)):
        _, mark, answer = row["answer"].rpartition("####")
        if not mark:
            raise ValueError(f"row {number + 1}: its answer has no ####")
        yield Item(id=number, question=row["question"], answers=[answer.strip().replace(",", "")])


def svamp(rows: list[dict[str, Any]]) -> Iterator[Item]:
    """SVAMP: `Body`, `Question`, a numeric `Answer`."""
    for row in rows:
        body = row["Body"].strip()
        question = f"{body}{'' if body.endswith(('.', '?', '!', ',')) else '.'} {row['Question'].strip()}"
        yield Item(id=row["ID"], question=question, answers=[f"{float(row['Answer']):g}"], kind=row.get("Type", ""))


def tabmwp(problems: dict[str, dict[str, Any]]) -> Iterator[Item]:
    """TabMWP: a table, a question about it, and, for some, choices."""
    for problem_id, row in problems.items():
        title = f' about "{row["table_title"]}"' if row.get("table_title") else ""
        parts = [f"Read this table{title}:", row["table"], row["question"]]
        if row.get("unit"):
            parts.append(f"(Unit: {row['unit']})")
        if row.get("choices"):
            parts.append(f"Choose from: {', '.join(row['choices'])}.")
        answer = str(row["answer"]).replace(",", "") if row.get("ans_type", "").endswith("number") else row["answer"]
        yield Item(id=problem_id, question="\n".join(parts), answers=[str(answer)], kind=row.get("ques_type", ""))
