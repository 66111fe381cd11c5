"""Confidence intervals of means and differences of means: the bootstrap (Efron 1979), over rows."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

TIMES = 10_000
"""The number of bootstrap samples."""
AT_ONCE = 2_000_000
"""How many values are drawn together, so that a large run does not fill the memory."""


class Interval(NamedTuple):
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float
    n: int


def mean_interval(values: Sequence[float], seed: int = 0) -> Interval | None:
    """The mean of some values with the interval that holds 95 % of the bootstrap samples; None without values."""
    if not values:
        return None
    array, chance = np.asarray(values, dtype=float), np.random.default_rng(seed)
    batch = max(AT_ONCE // len(array), 1)
    sizes = [min(batch, TIMES - done) for done in range(0, TIMES, batch)]
    means = [array[chance.integers(len(array), size=(size, len(array)))].mean(axis=1) for size in sizes]
    low, high = np.percentile(np.concatenate(means), [2.5, 97.5])
    return Interval(float(array.mean()), float(low), float(high), len(array))


def paired_difference(before: Sequence[float], after: Sequence[float], seed: int = 0) -> Interval | None:
    """The mean of `after` minus that of `before`, row by row: the same rows are drawn for both."""
    return mean_interval(np.subtract(after, before).tolist(), seed)
