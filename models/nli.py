"""The nli backend of `check`: a small network that reads passage and claim together (an extra: `nli`).

Any sequence-classification model that names its labels will do, AlignScore's kind included.
"""

import asyncio
import threading
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Any

from ..state import Label
from ..state.errors import ConfigurationError
from ..state.labels import merge
from ..state.text import passages
from .tasks.claims import CheckInput, Judgement, Judgements

BATCH = 32
"""Pairs of passage and claim that go through the network together."""
UNBOUNDED = 100_000
"""What a tokenizer gives as its longest input if it knows of no bound."""
USUAL = 512
"""Tokens that a model reads where its tokenizer does not say."""
MEANINGS: tuple[tuple[str, Label], ...] = (
    ("not_entail", "neutral"),
    ("non_entail", "neutral"),
    ("entail", "entailment"),
    ("contradict", "contradiction"),
    ("neutral", "neutral"),
    ("align", "entailment"),
    ("support", "entailment"),
    ("refute", "contradiction"),
)
"""What the name of a class begins with, and what it means."""


@dataclass
class Classifier:
    """A model with its tokenizer, and what its classes mean."""

    model: Any
    tokenizer: Any
    labels: list[Label]
    in_use: threading.Lock = field(default_factory=threading.Lock)
    """The network keeps all cores busy by itself: two at once are slower than one after the other."""

    @property
    def longest(self) -> int:
        """Tokens of passage and claim together."""
        known = int(self.tokenizer.model_max_length)
        return known if known < UNBOUNDED else USUAL

    def fits(self, passage: str, claim: str) -> bool:
        return len(self.tokenizer(passage, claim)["input_ids"]) <= self.longest

    def probabilities(self, pairs: list[tuple[str, str]]) -> list[list[float]]:
        """For each pair of passage and claim, how likely each class is."""
        import torch

        found: list[list[float]] = []
        for first in range(0, len(pairs), BATCH):
            read, claimed = zip(*pairs[first : first + BATCH], strict=True)
            with self.in_use, torch.inference_mode():
                encoded = self.tokenizer(
                    list(read),
                    list(claimed),
                    padding=True,
                    truncation="only_first",
                    max_length=self.longest,
                    return_tensors="pt",
                )
                found += self.model(**encoded).logits.softmax(-1).tolist()
        return found


async def check(name: str, task_input: CheckInput) -> Judgements:
    """Judge every claim with a network.

    Raises:
        ConfigurationError: If it cannot be loaded or does not name its classes.
    """
    classifier = await asyncio.to_thread(_load, name)
    return await asyncio.to_thread(_judge, classifier, task_input)


def _judge(classifier: Classifier, task_input: CheckInput) -> Judgements:
    claims: list[str] = task_input["claims"]
    passage = "\n".join(filter(None, (task_input.get("title", ""), task_input["evidence"])))
    pieces = _pieces(classifier, passage, max(claims, key=len))
    pairs = list(product(pieces, claims))
    found: list[list[tuple[Label, float]]] = [[] for _ in claims]
    for number, row in enumerate(classifier.probabilities(pairs)):
        best = max(range(len(row)), key=row.__getitem__)
        found[number % len(claims)].append((classifier.labels[best], row[best]))
    return Judgements(judgements=[_judgement(number, labels) for number, labels in enumerate(found, start=1)])


def _judgement(number: int, labels: list[tuple[Label, float]]) -> Judgement:
    label = merge(label for label, _ in labels)
    sure = max(probability for each, probability in labels if each == label)
    return Judgement.model_validate({"claim": number, "reason": f"{label} with {sure:.2f}", "label": label})


def _pieces(classifier: Classifier, passage: str, claim: str) -> list[str]:
    """The passage, cut into as many pieces as it takes for the network to read all of it."""
    if len(passage) < 2 or classifier.fits(passage, claim):
        return [passage]
    halves = passages(passage, len(passage) // 2 + 1)
    return [piece for half in halves for piece in _pieces(classifier, half, claim)]


@lru_cache(maxsize=2)
def _load(name: str) -> Classifier:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(name)
        model = AutoModelForSequenceClassification.from_pretrained(name).eval()
    except Exception as error:
        raise ConfigurationError(f"no classifier at {name}: {' '.join(str(error).split())[:200]}") from error
    return Classifier(model, tokenizer, _labels(name, model.config.id2label))


def _labels(name: str, names: dict[int, str]) -> list[Label]:
    """What the classes mean, in their order."""
    found: list[Label] = []
    for number in sorted(names):
        plain = names[number].lower().replace("-", "_").replace(" ", "_")
        meaning = next((label for beginning, label in MEANINGS if plain.startswith(beginning)), None)
        if meaning is None:
            known = ", ".join(names[number] for number in sorted(names))
            raise ConfigurationError(f"the classes of {name} are {known}: an nli model names entailment among them")
        found.append(meaning)
    if "entailment" not in found:
        raise ConfigurationError(f"{name} has no class for entailment")
    return found
