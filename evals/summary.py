"""The figures of a run, and the comparison of two runs."""

from collections.abc import Mapping, Sequence
from statistics import quantiles
from typing import Any

from typing_extensions import TypedDict

from ..apps.batch.engine import Stopped, Summary
from .intervals import Interval, mean_interval, paired_difference
from .metrics import (
    accuracy_coverage,
    accuracy_coverage_auc,
    distinct,
    flips,
    macro_f1,
    mean,
    pearson,
    spearman,
    toxicity_max,
    toxicity_probability,
)
from .scoring import Scored

NAMES = {
    "right": "right",
    "f1": "F1",
    "paper": "right by the paper's rule",
    "preservation": "preserved",
    "attribution": "attributed",
    "attribution_before": "attributed before",
    "f1_ap": "F1 of both",
    "kf1": "KF1",
    "toxicity": "toxicity",
    "toxicity_before": "toxicity before",
    "perplexity": "perplexity",
    "unsupported": "unsupported claims",
    "unsupported_human": "unsupported, by people",
}
"""The names of the scores of a row, for people."""


PER_ROW = {
    "llm_calls": "calls per row",
    "input_tokens": "input tokens per row",
    "cached_tokens": "cached tokens per row",
    "output_tokens": "output tokens per row",
}
"""Sums of the usage, and what their means over the rows are called."""


class Figures(TypedDict):
    """The results of one run of a method."""

    method: str
    rows: int
    """The number of rows."""
    scored: int
    """The number of rows with a result that can be scored."""
    statuses: dict[str, int]
    """How many rows ended in which way."""
    left: int
    """Rows that were not run."""
    stopped: Stopped
    """The reason; empty if nothing stopped it."""
    errors: dict[str, int]
    """How often each error occurred, the most frequent first."""
    means: dict[str, Interval]
    """For each score, over the rows that have it."""
    more: dict[str, float]
    """Figures over all rows together, such as macro-F1."""
    flips: dict[str, int] | None
    """What happened to the draft's answers; None if no draft was scored."""
    rounds: list[float]
    """The share of right answers after at most 0, 1, 2, ... rounds of correction; empty if there were none."""
    coverage: list[float]
    """The accuracy of the most confident 1, 2, ... answers; empty if the method reports no log-probabilities."""
    usage: dict[str, float]
    """Sums, and means and percentiles per row."""


class Compared(TypedDict):
    """Two runs on the same rows."""

    rows: int
    """The number of rows that both scored."""
    differences: dict[str, tuple[float, float, Interval]]
    """For each score: the mean of the first, the mean of the second, and their difference."""
    flips: dict[str, int] | None
    """From the first run to the second."""


def figures(method: str, scored: Sequence[Scored], ended: Summary | None = None) -> Figures:
    """The figures of a run.

    Args:
        method: The method.
        scored: Its scored rows.
        ended: How its batch ended; by default, with these rows and not stopped.
    """
    scored_rows = [row for row in scored if row["scores"]]
    names = {name: None for row in scored_rows for name in row["scores"]}
    means = {
        name: mean_interval([row["scores"][name] for row in scored_rows if name in row["scores"]]) for name in names
    }
    pairs = [
        (row["before"], row["right"]) for row in scored_rows if row["before"] is not None and row["right"] is not None
    ]
    sure = [row for row in scored_rows if row["confidence"] is not None and row["right"] is not None]
    right = [bool(row["right"]) for row in sure]
    confidences = [float(row["confidence"] or 0.0) for row in sure]
    statuses = [row["status"] for row in scored]
    return Figures(
        method=method,
        rows=ended.rows if ended else len(scored),
        scored=len(scored_rows),
        statuses={status: statuses.count(status) for status in dict.fromkeys(statuses)},
        left=ended.left if ended else 0,
        stopped=ended.stopped if ended else "",
        errors=dict(sorted(ended.ledger.errors.items(), key=lambda error: -error[1])) if ended else {},
        means={name: interval for name, interval in means.items() if interval},
        more=_more(scored_rows, right, confidences),
        flips=flips([a for a, _ in pairs], [b for _, b in pairs]) if pairs else None,
        rounds=_after_rounds([row["rounds"] for row in scored_rows if row["rounds"]]),
        coverage=accuracy_coverage(right, confidences),
        usage=_usage(scored),
    )


def _after_rounds(rows: Sequence[Sequence[bool]]) -> list[float]:
    """Of rows that were right or not after their rounds. One that ended early has its last answer ever after."""
    most = max(map(len, rows), default=0)
    if most < 2:  # no row needed a round
        return []
    return [sum(row[min(done, len(row) - 1)] for row in rows) / len(rows) for done in range(most)]


def compare(first: Sequence[Scored], second: Sequence[Scored], seed: int = 0) -> Compared:
    """Compare two runs row by row; rows that one of them did not score are left out."""
    theirs = {row["id"]: row for row in second if row["scores"]}
    pairs = [(row, theirs[row["id"]]) for row in first if row["scores"] and row["id"] in theirs]
    differences: dict[str, tuple[float, float, Interval]] = {}
    for name in dict.fromkeys(name for row_a, _ in pairs for name in row_a["scores"]):
        score_pairs = [
            (row_a["scores"][name], row_b["scores"][name]) for row_a, row_b in pairs if name in row_b["scores"]
        ]
        before, after = [a for a, _ in score_pairs], [b for _, b in score_pairs]
        if interval := paired_difference(before, after, seed):
            differences[name] = (mean(before) or 0.0, mean(after) or 0.0, interval)
    judged = [(row_a["right"], row_b["right"]) for row_a, row_b in pairs]
    decided = [(a, b) for a, b in judged if a is not None and b is not None]
    flipped = flips([a for a, _ in decided], [b for _, b in decided]) if decided else None
    return Compared(rows=len(pairs), differences=differences, flips=flipped)


def _more(scored: Sequence[Scored], right: list[bool], confidences: list[float]) -> dict[str, float]:
    """Figures that are not means over rows."""
    judged = [row for row in scored if row["right"] is not None]
    labels = {gold for row in judged for gold in row["gold"]}
    values: dict[str, float | None] = {}
    if judged and labels <= {"SUPPORTS", "REFUTES", "NOT ENOUGH INFO", "factual", "non-factual"}:
        values["macro-F1"] = macro_f1([row["answer"] for row in judged], [row["gold"][0] for row in judged])
    people = [row["scores"] for row in scored if "unsupported_human" in row["scores"]]
    if people:
        shares = [row["unsupported"] for row in people], [row["unsupported_human"] for row in people]
        values |= {"Pearson with people": pearson(*shares), "Spearman with people": spearman(*shares)}
    if right:
        values["accuracy-coverage AUC"] = accuracy_coverage_auc(right, confidences)
    if any("toxicity" in row["scores"] for row in scored):
        values |= _toxicity(scored)
    return {name: value for name, value in values.items() if value is not None}


def _toxicity(scored: Sequence[Scored]) -> dict[str, float | None]:
    """CRITIC's figures of continuations, with those of one prompt together."""
    groups: dict[str | int, list[Scored]] = {}
    for row in scored:
        groups.setdefault(row["group"], []).append(row)
    texts = [[row["text"] for row in rows] for rows in groups.values()]
    values: dict[str, float | None] = {}
    for name in ("toxicity_before", "toxicity"):
        scores = [[row["scores"][name] for row in rows if name in row["scores"]] for rows in groups.values()]
        values |= {f"{NAMES[name]}: max": toxicity_max(scores), f"{NAMES[name]}: prob": toxicity_probability(scores)}
    for n in (2, 3):
        values[f"dist-{n}"] = mean(share for share in (distinct(of_one, n) for of_one in texts) if share is not None)
    return values


def _usage(scored: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for row in scored:
        for name, amount in row["usage"].items():
            total[name] = total.get(name, 0) + amount
    seconds = sorted(row["usage"]["seconds"] for row in scored if "seconds" in row["usage"])
    if len(seconds) > 1:
        cuts = quantiles(seconds, n=20, method="inclusive")
        total |= {"seconds p50": cuts[9], "seconds p95": cuts[18]}
    means = {mean: total.get(name, 0) / len(scored) for name, mean in PER_ROW.items()} if scored else {}
    return total | {mean: amount for mean, amount in means.items() if amount or mean == "calls per row"}
