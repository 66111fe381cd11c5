"""How sure a mean, or a difference of means, is: the bootstrap (Efron 1979), over rows."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

TIMES = 10_000
"""Samples that are drawn."""
AT_ONCE = 2_000_000
"""Values that are drawn together, so that a large run does not fill the memory."""


class Interval(NamedTuple):
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float
    n: int


def mean_interval(values: Sequence[float], seed: int = 0) -> Interval | None:
    """The mean of some values, and where it lies for 95 % of the samples drawn from them; None without values."""
    from scipy.stats import bootstrap

    if not values:
        return None
    mean = float(np.mean(values))
    if len(values) == 1:
        return Interval(mean, mean, mean, 1)
    batch = max(AT_ONCE // len(values), 1)
    found = bootstrap((values,), np.mean, n_resamples=TIMES, batch=batch, method="percentile", rng=seed)
    low, high = found.confidence_interval
    return Interval(mean, float(low), float(high), len(values))


def paired_difference(before: Sequence[float], after: Sequence[float], seed: int = 0) -> Interval | None:
    """The mean of `after` less that of `before`, row by row: the same rows are drawn for both."""
    return mean_interval(np.subtract(after, before).tolist(), seed)
