"""The Calibrator: the probability that an answer is right, given its likelihood and the support of its reasons.

Ye and Durrett 2022 (arXiv 2205.03401), as a baseline of Verify-and-Edit. It changes no answer, but only reranks them.
"""

from collections.abc import Sequence
from math import exp
from typing import Any, Self

from ...state.errors import ConfigurationError
from ...state.text.rationale import cut
from ...state.text.segments import tokens

STRENGTH = 10.0
"""C, the inverse of the regularisation strength (Verify-and-Edit's setting)."""

Features = tuple[float, float]
"""The probability of the answer, and the factuality of its chain of thought; both from 0 to 1."""


def features(rationale: str, logprob: float, paragraphs: Sequence[str]) -> Features:
    """The features that an answer is judged by, without the right answer.

    Args:
        rationale: The chain of thought.
        logprob: The log-probability of its answer.
        paragraphs: The sources.
    """
    return exp(min(logprob, 0.0)), factuality(rationale, paragraphs)


def factuality(rationale: str, paragraphs: Sequence[str]) -> float:
    """The least supported claim's best overlap with a paragraph, cubed: the share of its words that are there.

    A chain of thought without claims has nothing unsupported: 1.
    """
    vocabularies = [set(tokens(paragraph)) for paragraph in paragraphs]
    claims = [set(tokens(rationale[start:end])) for start, end in cut(rationale).facts]
    shares = [
        max((len(claim & words) / len(claim) for words in vocabularies), default=0.0) for claim in claims if claim
    ]
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

    def fit(self, rows: Sequence[Features], right: Sequence[bool]) -> Self:
        """Learn from answers that are known to be right or wrong.

        Raises:
            ValueError: Unless there are some of each.
        """
        if len(set(right)) < 2:
            raise ValueError("a calibrator needs both right and wrong answers to learn from")
        self._model.fit(list(rows), list(right))
        return self

    def confidences(self, rows: Sequence[Features]) -> list[float]:
        """The probability that each answer is right, from 0 to 1."""
        return [float(row[1]) for row in self._model.predict_proba(list(rows))] if rows else []
