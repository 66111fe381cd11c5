"""A judge's verdict: for each claim, the window of the evidence that decides it, and the label."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from ...state.methods.labels import merge
from ...state.text.segments import passages
from .loading import load
from .network import Network, Scores
from .notes import Decided, Meaning, Notes, meanings, read_notes
from .place import Place, find, listed_labels

TITLE_CHARS = 200
"""How many characters of a page's title each window begins with."""


class Found(NamedTuple):
    """What evidence says about a claim."""

    label: Meaning
    scores: Scores
    """The scores of the window that decided."""
    window: str
    entailment: float
    """The probability that any window entails the claim."""


class Judge(NamedTuple):
    """A network, and the notes stored with it."""

    network: Network
    notes: Notes

    def judge(self, claims: Sequence[str], evidence: str, title: str = "", question: str = "") -> list[Found]:
        """Judge each claim by the window of the evidence that says most about it.

        Raises:
            ModelError: If a claim is too long, or the network gives no result.
        """
        return [decided(windows, self.notes.thresholds) for windows in self.scores(claims, evidence, title, question)]

    def scores(
        self, claims: Sequence[str], evidence: str, title: str = "", question: str = ""
    ) -> list[list[tuple[str, Scores]]]:
        """For each claim, each window of the evidence with the network's scores. Raises as `judge` does."""
        for claim in claims:
            self.network.check(claim)
        before, _, after = self.notes.template.replace("{question}", question).partition("{evidence}")
        head = f"{title[:TITLE_CHARS]}\n" if title else ""
        longest = max(claims, key=len)

        def framed(window: str) -> str:
            return f"{before}{head}{window}{after}"

        def cut(text: str) -> list[str]:
            if len(text) < 2 or self.network.fits(framed(text), longest):
                return [text]
            return [window for half in passages(text, len(text) // 2 + 1) for window in cut(half)]

        windows = cut(evidence)
        all_scores = self.network.scores([(framed(window), claim) for claim, window in product(claims, windows)])
        rows = [all_scores[first : first + len(windows)] for first in range(0, len(all_scores), len(windows))]
        return [list(zip(windows, row, strict=True)) for row in rows]


def decided(windows: Sequence[tuple[str, Scores]], thresholds: Mapping[Decided, float | None]) -> Found:
    """What the windows of a piece of evidence together say about a claim.

    Args:
        windows: At least one, with the network's scores.
        thresholds: The thresholds in the notes.
    """
    labels = [label_of(scores, thresholds) for _, scores in windows]
    label: Meaning = next(each for each in labels if each == merge(labels))
    window, scores = max(
        (pair for pair, each in zip(windows, labels, strict=True) if each == label),
        key=lambda pair: getattr(pair[1], label if label != "neutral" else "entailment"),
    )
    return Found(label, scores, window, max(each.entailment for _, each in windows))


def label_of(scores: Scores, thresholds: Mapping[Decided, float | None]) -> Meaning:
    """The label of a window: the more probable of the two opposites, if it reaches its threshold."""
    likelier: Decided = "entailment" if scores.entailment >= scores.contradiction else "contradiction"
    probability = getattr(scores, likelier)
    if likelier not in thresholds:
        return likelier if probability > scores.neutral else "neutral"
    least = thresholds[likelier]
    return likelier if least is not None and probability >= least else "neutral"


def load_judge(name: str, labels: str | None) -> Judge:
    """The judge that the settings name; a network is loaded once.

    Args:
        name: Setting `nli`.
        labels: Setting `nli_labels`.

    Raises:
        ConfigurationError: If there is none, or the meaning of its classes is unknown.
    """
    place = find(name)
    notes = read_notes(place.folder)
    class_meanings = meanings(place.folder, notes, labels or listed_labels(name))
    return Judge(_network(place, tuple(class_meanings)), notes)


@lru_cache(maxsize=2)
def _network(place: Place, labels: tuple[Meaning, ...]) -> Network:
    return load(place, labels)
