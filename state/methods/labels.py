"""Labels of claims: merging those of several passages, and summing them up for a whole response.

The rules are RefChecker's (Hu et al. 2024, arXiv 2405.14486).
"""

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from typing_extensions import TypedDict

from ..records import Label

Outcome = Literal["entailment", "neutral", "contradiction", "abstain", "error"]
"""The label of a response. `abstain`: it makes no claim. `error`: too much of it is unchecked to say."""

MERGED: tuple[Label, ...] = ("entailment", "error", "contradiction", "neutral")
"""Of several passages' labels for a claim, the first of these that occurs counts.

A passage that could not be read might have supported the claim, so only support outweighs an error.
"""
WORST: tuple[Label, ...] = ("contradiction", "error", "neutral", "entailment")
"""From the worst label of a claim to the best. A claim without a label might be the contradicted one."""


class Distribution(TypedDict):
    """The share of each label among the claims, from 0 to 1; they add up to 1."""

    entailment: float
    neutral: float
    contradiction: float
    abstain: float
    """1.0 for a response without claims, otherwise 0.0."""


def merge(labels: Iterable[Label]) -> Label:
    """The label of a claim over several passages; `neutral` without passages."""
    present = set(labels)
    return next((label for label in MERGED if label in present), "neutral")


def soft(labels: Iterable[Label]) -> Distribution | None:
    """The shares of the labels among the claims that have one; None if there are claims and none has."""
    counts = Counter(labels)
    total = counts.total() - counts["error"]
    if not total:
        return None if counts else {"entailment": 0.0, "neutral": 0.0, "contradiction": 0.0, "abstain": 1.0}
    return {
        "entailment": counts["entailment"] / total,
        "neutral": counts["neutral"] / total,
        "contradiction": counts["contradiction"] / total,
        "abstain": 0.0,
    }


def strict(labels: Iterable[Label]) -> Outcome:
    """The worst label."""
    present = set(labels)
    return next((label for label in WORST if label in present), "abstain")


def major(labels: Iterable[Label]) -> tuple[Outcome, bool]:
    """The most common label, the worse one of equals, and whether it was a tie.

    `error` if the claims without a label could make another one the most common.
    """
    counts = Counter(labels)
    unknown = counts.pop("error", 0)
    if not counts:
        return ("error" if unknown else "abstain"), False
    ordered = sorted(counts, key=lambda label: (-counts[label], WORST.index(label)))
    second = counts[ordered[1]] if len(ordered) > 1 else 0
    if unknown and second + unknown >= counts[ordered[0]]:
        return "error", False
    return ordered[0], second == counts[ordered[0]]


def percents(shares: Iterable[float]) -> list[int]:
    """Shares as whole per cents that add up as the shares do; the largest remainders are rounded up."""
    exact = [share * 100 for share in shares]
    whole = [int(value) for value in exact]
    missing = round(sum(exact)) - sum(whole)
    for place in sorted(range(len(exact)), key=lambda place: whole[place] - exact[place])[:missing]:
        whole[place] += 1
    return whole
