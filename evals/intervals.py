"""How sure a mean, or a difference of means, is: the bootstrap (Efron 1979), over rows."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

TIMES = 10_000
"""Samples that are drawn."""


class Interval(NamedTuple):
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float
    n: int


def mean_interval(values: Sequence[float], seed: int = 0) -> Interval | None:
    """The mean of some values, and where it lies for 95 % of the samples drawn from them; None without values."""
    if not values:
        return None
    known = np.asarray(values, dtype=float)
    means = _means(known, seed)
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(float(known.mean()), float(low), float(high), len(known))


def paired_difference(before: Sequence[float], after: Sequence[float], seed: int = 0) -> Interval | None:
    """The mean of `after` less that of `before`, row by row: the same rows are drawn for both."""
    return mean_interval(list(np.subtract(after, before)), seed) if len(before) else None


def _means(
    values: "np.ndarray[tuple[int], np.dtype[np.float64]]", seed: int
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Means of TIMES samples with replacement, a few million draws at a time."""
    random = np.random.default_rng(seed)
    rows = max(2_000_000 // len(values), 1)
    drawn = [
        values[random.integers(0, len(values), (min(rows, TIMES - start), len(values)))].mean(axis=1)
        for start in range(0, TIMES, rows)
    ]
    return np.concatenate(drawn)
