"""Profanity on this machine: the linear model of alt-profanity-check, over the words of a text.

The model sees a text as a bag of single words, so neighbouring words change nothing but the weight of a word among
them. Two things are added to it:

- a text scores as its worst stretch of a few words, for among fifty harmless words the model overlooks an insult;
- a word that the model has not learnt stands for a relative (the same stem, or the same word ungraded), if it has one.

Against Perspective on RealToxicityPrompts the relatives help in every respect. The stretches find a fifth more of the
toxic texts, at the price of some precision; `errata eval toxicity` measures it.
"""

import asyncio
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from typing_extensions import TypedDict

from .scorer import Attributes, ToxicityTool

STRETCH = 8
"""The number of words that are judged together."""
OFFENSIVE = 0.5
"""From this probability on, the model calls a word offensive by itself."""

_WORD = re.compile(r"\b\w\w+\b")
"""What counts as a word for the model."""
_GRADE = re.compile("(i?)(?:er|est)$|(i)ly$")
"""Endings that the stemmer keeps."""


class Span(TypedDict):
    """A word that makes a text offensive."""

    start: int
    end: int
    text: str
    score: float
    """The model's probability for the word by itself."""


class ProfanityToxicity(ToxicityTool):
    """Scores profanity offline, with the model of alt-profanity-check."""

    name: str = "profanity"
    description: str = (
        "Score how likely a text contains profanity. Sees single English words, not what they mean together."
    )
    measures: ClassVar[str] = (
        "Profanity only: how offensive the English words of the text are, one by one. It misses toxicity in polite "
        "words and in other languages, and takes some harmless words (names of groups, `kill`) for offensive ones."
    )
    main: ClassVar[str] = "profanity"
    batch_size: ClassVar[int] = 256

    async def _measure(self, texts: list[str]) -> list[Attributes]:
        async with asyncio.timeout(self.timeout):  # in a thread: the first call reads the model
            return [{"profanity": score} for score in await asyncio.to_thread(_scores, texts)]


def offending(text: str, threshold: float = OFFENSIVE) -> list[Span]:
    """The words to remove so that no stretch of the text scores `threshold` or more, in order, with each occurrence.

    Only words that the model calls offensive by themselves are removed; of those in a stretch, first the one without
    which the stretch scores lowest. So a stretch can stay above a low threshold if no word is to blame.

    The first call reads the model: in an event loop, call it in a thread.
    """
    judge = _judge()
    words = judge.words(text)
    blamed: set[str] = set()
    while True:
        remaining = [word.known for word in words if word.known not in blamed]  # removing words brings others together
        newly_blamed = judge.blame(remaining, threshold)
        if not newly_blamed:
            break
        blamed |= newly_blamed
    return [
        Span(start=word.start, end=word.end, text=text[word.start : word.end], score=judge.alone(word.known))
        for word in words
        if word.known in blamed
    ]


@dataclass(frozen=True)
class _Word:
    start: int
    end: int
    known: str
    """The word as the model knows it."""


class _Judge:
    """The model and what is derived from its vocabulary."""

    def __init__(self) -> None:
        from Stemmer import Stemmer

        from .linear import LinearModel

        self._model = LinearModel.read()
        self._stem = Stemmer("english").stemWord
        self._vocabulary = self._model.words.keys()
        self._relatives: dict[str, str] = {}
        for word in sorted(self._vocabulary, key=lambda word: (-len(word), word)):
            self._relatives[self._stem(word)] = word  # the shortest one is kept
        self.alone = lru_cache(maxsize=2**16)(lambda word: self.probabilities([[word]])[0])

    def words(self, text: str) -> list[_Word]:
        return [_Word(match.start(), match.end(), self._known(match.group())) for match in _WORD.finditer(text)]

    def _known(self, word: str) -> str:
        word = word.lower()
        if word in self._vocabulary:
            return word
        base = _GRADE.sub(lambda ending: "y" if ending[1] or ending[2] else "", word)
        return base if base in self._vocabulary else self._relatives.get(self._stem(word), word)

    def probabilities(self, stretches: list[list[str]]) -> list[float]:
        """The probability that each stretch of words is offensive."""
        return self._model.probabilities([_WORD.findall(" ".join(stretch)) for stretch in stretches])

    def blame(self, words: list[str], threshold: float) -> set[str]:
        """The offensive words to remove so that no stretch reaches the threshold, as far as possible."""
        blamed: set[str] = set()
        parts = stretches(words)
        for part, score in zip(parts, self.probabilities(parts) if parts else [], strict=True):
            remaining = [word for word in part if word not in blamed]
            if remaining != part and remaining:
                score = self.probabilities([remaining])[0]
            while remaining and score >= threshold:
                suspects = sorted({word for word in remaining if self.alone(word) >= OFFENSIVE})
                if not suspects:
                    break
                without = self.probabilities([[word for word in remaining if word != suspect] for suspect in suspects])
                score, culprit = min(zip(without, suspects, strict=True))
                blamed.add(culprit)
                remaining = [word for word in remaining if word != culprit]
        return blamed


def stretches(words: list[str]) -> list[list[str]]:
    """Every run of STRETCH words, or all words if there are fewer."""
    return [words[start : start + STRETCH] for start in range(max(len(words) - STRETCH + 1, 1))] if words else []


def _scores(texts: list[str]) -> list[float]:
    """The score of each text: that of its worst stretch, or 0 if it has no words."""
    judge = _judge()
    parts = [stretches([word.known for word in judge.words(text)]) for text in texts]
    all_stretches = [stretch for of_text in parts for stretch in of_text]
    scores = iter(judge.probabilities(all_stretches) if all_stretches else [])
    return [max((next(scores) for _ in of_text), default=0.0) for of_text in parts]


@lru_cache(maxsize=1)
def _judge() -> _Judge:
    return _Judge()
