"""The Calibrator: how likely an answer is right, by its probability and by how much of its reasons the sources have.

Ye and Durrett 2022 (arXiv 2205.03401), as a baseline of Verify-and-Edit. It changes no answer, it only ranks them anew.
"""

from collections.abc import Sequence
from math import exp
from typing import Any, Self

from ...state.errors import ConfigurationError
from ...state.text.rationale import cut
from ...state.text.segments import tokens

STRENGTH = 10.0
"""C, the inverse of how strongly the regression is held back (Verify-and-Edit's setting)."""

Features = tuple[float, float]
"""Probability of the answer, and factuality of its chain of thought; both from 0 to 1."""


def features(rationale: str, logprob: float, paragraphs: Sequence[str]) -> Features:
    """What an answer is judged by. The right answer is not among it.

    Args:
        logprob: Mean log-probability of the tokens of the chain of thought.
    """
    return exp(min(logprob, 0.0)), factuality(rationale, paragraphs)


def factuality(rationale: str, paragraphs: Sequence[str]) -> float:
    """The least supported claim's best overlap with a paragraph, cubed: the share of its words that are there.

    A chain of thought that claims nothing has nothing unsupported: 1.
    """
    known = [set(tokens(paragraph)) for paragraph in paragraphs]
    claims = [set(tokens(rationale[start:end])) for start, end in cut(rationale).facts]
    shares = [max((len(claim & words) / len(claim) for words in known), default=0.0) for claim in claims if claim]
    return float(min(shares, default=1.0) ** 3)


class Calibrator:
    """Logistic regression from features to whether an answer is right.

    Raises:
        ConfigurationError: If scikit-learn is not installed.
    """

    def __init__(self) -> None:
        try:
            from sklearn.linear_model import LogisticRegression
        except ImportError:
            raise ConfigurationError("the Calibrator needs scikit-learn: run `pip install 'errata[evals]'`") from None

        self._model: Any = LogisticRegression(C=STRENGTH)

    def fit(self, given: Sequence[Features], right: Sequence[bool]) -> Self:
        """Learn from answers that are known to be right or wrong.

        Raises:
            ValueError: If there are not some of each.
        """
        if len(set(right)) < 2:
            raise ValueError("a calibrator learns from right answers and wrong ones, and here are not both")
        self._model.fit(list(given), list(right))
        return self

    def confidences(self, given: Sequence[Features]) -> list[float]:
        """How likely each answer is right, from 0 to 1."""
        return [float(row[1]) for row in self._model.predict_proba(list(given))] if given else []
