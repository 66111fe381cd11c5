"""Data sets of claims that are supported or not."""

from collections.abc import Iterator, Sequence
from typing import Any

from ...state.errors import ConfigurationError
from .item import Item, listed

SUPPORTS, REFUTES, NOT_ENOUGH = "SUPPORTS", "REFUTES", "NOT ENOUGH INFO"
CONTEXTS = ("zero", "noisy", "accurate")
"""What a response is checked against: what is found, its references among those of other rows, or only its own."""
DISTRACTORS = 4
"""How many references of other rows stand among a row's own in the noisy context."""
HUMAN = ("entailment", "neutral", "contradiction")


def ask(claim: str, labels: tuple[str, ...] = (SUPPORTS, REFUTES, NOT_ENOUGH)) -> str:
    """A claim as a question, for a method that answers."""
    return f"Is this claim true? Answer {', '.join(labels[:-1])} or {labels[-1]}.\nClaim: {claim}"


def fever(rows: list[dict[str, Any]]) -> Iterator[Item]:
    """FEVER: `claim`, `label`."""
    for row in listed(rows):
        if row["label"] not in (SUPPORTS, REFUTES, NOT_ENOUGH):
            raise ValueError(f"`{row['label']}` is not a label")
        yield Item(id=row["id"], question=ask(row["claim"]), text=row["claim"], label=row["label"])


def foolmetwice(rows: list[dict[str, Any]]) -> Iterator[Item]:
    """FoolMeTwice: `text`, `label`, evidence sentences."""
    for number, row in enumerate(listed(rows)):
        if row["label"] not in (SUPPORTS, REFUTES):
            raise ValueError(f"`{row['label']}` is not a label")
        evidence = " ".join(piece["text"].strip() for piece in row["gold_evidence"])
        yield Item(
            id=row.get("id", number),
            question=ask(row["text"], (SUPPORTS, REFUTES)),
            text=row["text"],
            label=row["label"],
            paragraphs=[evidence],
            references=[evidence],
        )


def refchecker(rows: list[dict[str, Any]]) -> Iterator[Item]:
    """RefChecker's annotations: `response`, and the human labels of each claim extracted from it."""
    for number, row in enumerate(listed(rows), start=1):
        claims = next((value for name, value in row.items() if name.endswith("_response_kg")), None)
        if claims is None:
            raise ValueError(f"row {number} has no `..._response_kg`")
        item = Item(
            id=row["id"],
            text=row["response"],
            human=[_human(claim["human_label"]) for claim in claims if claim.get("human_label")],
        )
        if row.get("question"):
            item["question"] = row["question"]
        if references := row.get("references") or row.get("context"):
            item["references"] = [each if isinstance(each, str) else each["text"] for each in listed(references)]
        yield item


def in_context(items: Sequence[Item], context: str) -> list[Item]:
    """The items with the references that one of RefChecker's contexts gives them.

    Args:
        items: Items with references.
        context: One of `CONTEXTS`.

    Raises:
        ConfigurationError: If an item needs references and has none.
    """
    if context == "zero":
        return [{**item, "references": []} for item in items]
    for item in items:
        if not item.get("references"):
            raise ConfigurationError(f"the {context} context needs references, and row {item['id']} has none")
    if context == "accurate":
        return list(items)
    noisy: list[Item] = []
    for place, item in enumerate(items):
        own = item["references"]
        others = [each for other in (*items[place + 1 :], *items[:place]) for each in other["references"]]
        noisy.append(
            {**item, "references": [*own, *(each for each in others if each not in own)][: len(own) + DISTRACTORS]}
        )
    return noisy


def _human(label: str) -> str:
    if label.lower() not in HUMAN:
        raise ValueError(f"`{label}` is not a label")
    return label.lower()
