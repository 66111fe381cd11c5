"""Thresholds for a required precision.

They say how probable a label must be so that enough of the claims that get it deserve it.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NotRequired

from typing_extensions import TypedDict

from .judge import Judge, decided, label_of
from .network import Scores
from .notes import Decided, Meaning, write_notes

LEAST = 10
"""The fewest claims that a threshold is based on: with fewer, it may be luck."""
DECIDED: tuple[Decided, ...] = ("entailment", "contradiction")

Thresholds = dict[Decided, float | None]
Windows = Sequence[tuple[str, Scores]]


class Labelled(TypedDict):
    """A claim with a label from people or a strong model."""

    claim: str
    evidence: str
    label: Meaning
    title: NotRequired[str]
    question: NotRequired[str]


class Judged(NamedTuple):
    """What a judge finds in each window of a claim's evidence, and the right label."""

    windows: Windows
    label: Meaning


def calibrate(
    judge: Judge,
    folder: Path,
    rows: Sequence[Labelled],
    precision: float,
    source: str,
    advance: Callable[[], object],
) -> dict[str, Any]:
    """Set a judge's thresholds by labelled claims, and keep them in its folder.

    Args:
        judge: The judge.
        folder: Its folder.
        rows: The claims.
        precision: Share of what gets a label that has to deserve it.
        source: Where the claims are from.
        advance: Called after each.

    Returns:
        What the thresholds come to, label by label; `held_out` is what to expect of other claims.
    """
    judged = []
    for row in rows:
        (windows,) = judge.scores([row["claim"]], row["evidence"], row.get("title", ""), row.get("question", ""))
        judged.append(Judged(windows, row["label"]))
        advance()
    known = judge.network.labels
    chosen = thresholds(judged, precision, known)
    told = figures(judged, chosen)
    for label, unseen in held_out(judged, precision, known).items():
        told[label] |= {"held_out_said": unseen["said"], "held_out_precision": unseen["precision"]}
    came: dict[str, Any] = {"rows": len(rows), "precision": precision, "labels": told}
    kept = {"thresholds": chosen, "calibration": {"source": source, **came}}
    write_notes(folder, judge.notes.model_copy(update=kept))
    return came


def thresholds(judged: Sequence[Judged], precision: float, known: Sequence[Meaning]) -> Thresholds:
    """The lowest thresholds at which the required share of the labels is right; None if there are none.

    Args:
        judged: Labelled claims.
        precision: The share that must be right, for each label.
        known: The labels that the judge's classes mean; others are left out.
    """
    found: Thresholds = {}
    for label in DECIDED:
        if label in known:
            # Support counts before contradiction, so the first threshold decides what is left to the second.
            left = [one for one in judged if label == "entailment" or not _entailed(one, found)]
            found[label] = _lowest([(_score(one.windows, label), one.label == label) for one in left], precision)
    return found


def figures(judged: Sequence[Judged], chosen: Mapping[Decided, float | None]) -> dict[str, dict[str, Any]]:
    """For each label with a threshold: how many claims get it, of these deserve it, and deserve it in all."""
    said = [decided(one.windows, chosen).label for one in judged]
    return {label: _figures(label, chosen[label], said, [one.label for one in judged]) for label in chosen}


def held_out(judged: Sequence[Judged], precision: float, known: Sequence[Meaning]) -> dict[str, dict[str, Any]]:
    """The figures of each half of the claims with the thresholds of the other: the expectation for new claims."""
    halves = [judged[::2], judged[1::2]]
    said: list[Meaning] = []
    for own, other in (halves, halves[::-1]):
        chosen = thresholds(other, precision, known)
        said += [decided(one.windows, chosen).label for one in own]
    right = [one.label for half in halves for one in half]
    return {label: _figures(label, None, said, right) for label in DECIDED if label in known}


def _figures(
    label: Decided, threshold: float | None, said: Sequence[Meaning], right: Sequence[Meaning]
) -> dict[str, Any]:
    given = [one for one, other in zip(right, said, strict=True) if other == label]
    hits, there = given.count(label), list(right).count(label)
    return {
        "threshold": threshold,
        "said": len(given),
        "precision": hits / len(given) if given else None,
        "recall": hits / there if there else None,
    }


def _entailed(one: Judged, chosen: Thresholds) -> bool:
    return any(label_of(scores, {"contradiction": None, **chosen}) == "entailment" for _, scores in one.windows)


def _score(windows: Windows, label: Decided) -> float:
    """The probability of a label in the best window; 0 if all windows find its opposite likelier."""
    bar: Thresholds = {"entailment": 0.0, "contradiction": 0.0}
    return max((getattr(scores, label) for _, scores in windows if label_of(scores, bar) == label), default=0.0)


def _lowest(scored: Sequence[tuple[float, bool]], precision: float) -> float | None:
    found, said, right = None, 0, 0
    ordered = sorted(scored, key=lambda pair: -pair[0])
    for place, (score, is_right) in enumerate(ordered):
        said, right = said + 1, right + is_right
        ends = place + 1 == len(ordered) or ordered[place + 1][0] < score  # equal scores pass together
        if score > 0 and ends and said >= LEAST and right >= precision * said:
            found = score
    return found
