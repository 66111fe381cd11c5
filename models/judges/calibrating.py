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
    meanings = judge.network.labels
    chosen = thresholds(judged, precision, meanings)
    by_label = figures(judged, chosen)
    for label, unseen in held_out(judged, precision, meanings).items():
        by_label[label] |= {"held_out_said": unseen["said"], "held_out_precision": unseen["precision"]}
    outcome: dict[str, Any] = {"rows": len(rows), "precision": precision, "labels": by_label}
    notes = {"thresholds": chosen, "calibration": {"source": source, **outcome}}
    write_notes(folder, judge.notes.model_copy(update=notes))
    return outcome


def thresholds(judged: Sequence[Judged], precision: float, meanings: Sequence[Meaning]) -> Thresholds:
    """The lowest thresholds at which the required share of the labels is right; None if there are none.

    Args:
        judged: Labelled claims.
        precision: The share that must be right, for each label.
        meanings: The labels that the judge's classes mean; others are left out.
    """
    chosen: Thresholds = {}
    for label in DECIDED:
        if label in meanings:
            # Support counts before contradiction, so the first threshold decides what is left to the second.
            remaining = [row for row in judged if label == "entailment" or not _entailed(row, chosen)]
            chosen[label] = _lowest([(_score(row.windows, label), row.label == label) for row in remaining], precision)
    return chosen


def figures(judged: Sequence[Judged], chosen: Mapping[Decided, float | None]) -> dict[str, dict[str, Any]]:
    """For each label with a threshold: how many claims get it, of these deserve it, and deserve it in all.

    Args:
        judged: Labelled claims, with the scores of their windows.
        chosen: The thresholds.
    """
    predicted = [decided(row.windows, chosen).label for row in judged]
    return {label: _figures(label, chosen[label], predicted, [row.label for row in judged]) for label in chosen}


def held_out(judged: Sequence[Judged], precision: float, meanings: Sequence[Meaning]) -> dict[str, dict[str, Any]]:
    """The figures of each half of the claims with the thresholds of the other: the expectation for new claims.

    Arguments as for `thresholds`.
    """
    halves = [judged[::2], judged[1::2]]
    predicted: list[Meaning] = []
    for tested, rest in (halves, halves[::-1]):
        chosen = thresholds(rest, precision, meanings)
        predicted += [decided(row.windows, chosen).label for row in tested]
    right = [row.label for half in halves for row in half]
    return {label: _figures(label, None, predicted, right) for label in DECIDED if label in meanings}


def _figures(
    label: Decided, threshold: float | None, predicted: Sequence[Meaning], labels: Sequence[Meaning]
) -> dict[str, Any]:
    labels_given = [right for right, prediction in zip(labels, predicted, strict=True) if prediction == label]
    hits, deserving = labels_given.count(label), list(labels).count(label)
    return {
        "threshold": threshold,
        "said": len(labels_given),
        "precision": hits / len(labels_given) if labels_given else None,
        "recall": hits / deserving if deserving else None,
    }


def _entailed(row: Judged, chosen: Thresholds) -> bool:
    return any(label_of(scores, {"contradiction": None, **chosen}) == "entailment" for _, scores in row.windows)


def _score(windows: Windows, label: Decided) -> float:
    """The probability of a label in the best window; 0 if all windows find its opposite likelier."""
    bar: Thresholds = {"entailment": 0.0, "contradiction": 0.0}
    return max((getattr(scores, label) for _, scores in windows if label_of(scores, bar) == label), default=0.0)


def _lowest(scored: Sequence[tuple[float, bool]], precision: float) -> float | None:
    lowest, counted, right = None, 0, 0
    ordered = sorted(scored, key=lambda pair: -pair[0])
    for place, (score, is_right) in enumerate(ordered):
        counted, right = counted + 1, right + is_right
        is_last_of_equals = place + 1 == len(ordered) or ordered[place + 1][0] < score  # equal scores pass together
        if score > 0 and is_last_of_equals and counted >= LEAST and right >= precision * counted:
            lowest = score
    return lowest
