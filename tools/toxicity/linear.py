"""The linear model of alt-profanity-check 1.9.1, as plain arrays: no pickle is loaded, and no scikit-learn is needed.

The model is (c) 2018 Victor Zhou, 2021 Menelaos Kotoglou and Dimitrios Mistriotis, under the MIT license, which stands
in `LICENSE.alt-profanity-check`. It was trained on tweets (Davidson et al. 2017, MIT) and on comments of Wikipedia
(Jigsaw's Toxic Comment Classification Challenge, CC0; the comments themselves CC BY-SA 3.0). The arrays were made by
`benchmarks/convert_profanity.py`.
"""

from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from typing import Self

import numpy as np
from numpy.typing import NDArray

ARRAYS = "profanity.npz"


class LinearModel:
    """Support vector machines on bags of words, each with a sigmoid; the result is their mean.

    Attributes:
        words: The place of each word. Words that were left out on purpose are known too, with no weight.
    """

    def __init__(
        self,
        words: Sequence[str],
        rarity: NDArray[np.float64],
        weights: NDArray[np.float64],
        sigmoids: NDArray[np.float64],
    ) -> None:
        self.words = {word: place for place, word in enumerate(words)}
        self._rarity = rarity
        self._weights = weights.T * rarity[:, None]
        self._intercepts, self._slopes, self._shifts = sigmoids.T

    @classmethod
    def read(cls) -> Self:
        """Read the bundled arrays."""
        with (files(__package__) / ARRAYS).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            words = arrays["words"].tobytes().decode().split("\n")
            return cls(words, arrays["rarity"].astype(float), arrays["weights"].astype(float), arrays["sigmoids"])

    def probabilities(self, bags: Sequence[Sequence[str]]) -> list[float]:
        """The probability that each bag of words is offensive, from 0 to 1."""
        margins = np.array([self._margins(bag) for bag in bags]).reshape(len(bags), len(self._slopes))
        chances = 1 / (1 + np.exp(self._slopes * (margins + self._intercepts) + self._shifts))
        return [float(chance) for chance in chances.mean(axis=1)]

    def _margins(self, bag: Sequence[str]) -> NDArray[np.float64]:
        """The output of each machine for a bag whose counts, weighted by rarity, have length 1."""
        counted = Counter(self.words[word] for word in bag if word in self.words)
        places, counts = list(counted), np.array(list(counted.values()), dtype=float)
        length = float(np.linalg.norm(counts * self._rarity[places])) if places else 0.0
        return counts @ self._weights[places] / length if length else np.zeros(len(self._slopes))
