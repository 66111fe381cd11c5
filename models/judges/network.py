"""A judge's network: evidence and claim go in together, and a number for each class comes out.

onnxruntime and torch run the same networks; the input and its batches are the same for both.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...state.errors import ConfigurationError, ModelError
from .notes import MEANINGS, Meaning

Numbers = NDArray[Any]
Forward = Callable[[dict[str, Numbers]], Numbers]
"""From token ids, mask and types, each (batch, tokens), to one number per class, of the pair or of each token."""

BATCH_TOKENS = 8_192
"""How many tokens go through the network together, including padding."""
AT_ONCE = 256
"""How many pairs are held as tokens at the same time."""


class Scores(NamedTuple):
    """The probabilities that the evidence entails a claim, says nothing about it, or contradicts it: as MEANINGS."""

    entailment: float
    neutral: float
    contradiction: float
    unsupported: str = ""
    """The words of the claim that the evidence does not support, from a network that judges each token."""


class Shape(NamedTuple):
    """How much a network reads, and how."""

    longest: int
    """The tokens of evidence and claim together."""
    padding: int
    """The id of the padding token."""
    alone: bool
    """Whether each pair goes through it separately. Quantized activations depend on everything in the batch, and a
    verdict must not depend on what else is asked.
    """


class Network:
    """A network with its tokenizer, and the meaning of its classes. Only one thread at a time may use it."""

    def __init__(self, tokenizer: Any, forward: Forward, shape: Shape, labels: Sequence[Meaning]) -> None:
        """Put the parts together.

        Args:
            tokenizer: A `tokenizers.Tokenizer`.
            forward: What runs the network.
            shape: How much it reads, and how.
            labels: What its classes mean.
        """
        tokenizer.no_padding()
        # Evidence is cut if not even one window of it fits; a claim never is.
        tokenizer.enable_truncation(shape.longest, strategy="only_first")
        tokenizer.encode_special_tokens = True  # a text in which one stands must not end what is read
        self._tokenizer, self._forward, self._shape, self.labels = tokenizer, forward, shape, labels

    def check(self, claim: str) -> None:
        """Check that a claim leaves room for evidence.

        Raises:
            ModelError: If it is too long.
        """
        encoding = self._tokenizer.encode(claim)
        if encoding.overflowing or len(encoding.ids) > self._shape.longest // 2:
            raise ModelError(f"a claim is too long for a judge that reads {self._shape.longest} tokens: {claim[:60]} …")

    def fits(self, evidence: str, claim: str) -> bool:
        """Whether it reads all of both."""
        return not self._tokenizer.encode(evidence, claim).overflowing

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[Scores]:
        """The network's scores for each pair of evidence and claim.

        Raises:
            ModelError: If it comes to no numbers.
            ConfigurationError: If it has another number of classes than was said.
        """
        return [each for first in range(0, len(pairs), AT_ONCE) for each in self._some(pairs[first : first + AT_ONCE])]

    def _some(self, pairs: Sequence[tuple[str, str]]) -> list[Scores]:
        encodings = self._tokenizer.encode_batch(list(pairs))
        scores: dict[int, Scores] = {}
        for batch in self._batches([len(encoding.ids) for encoding in encodings]):
            rows = self._probabilities([encodings[place] for place in batch])
            for place, row in zip(batch, rows, strict=True):
                scores[place] = self._scored(row, encodings[place], pairs[place][1])
        return [scores[place] for place in range(len(pairs))]

    def _batches(self, lengths: list[int]) -> Iterator[list[int]]:
        """The indices of pairs that go through the network together: those of similar length."""
        batch: list[int] = []
        for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
            most = 1 if self._shape.alone else max(BATCH_TOKENS // lengths[batch[0] if batch else place], 1)
            if len(batch) >= most:
                yield batch
                batch = []
            batch.append(place)
        if batch:
            yield batch

    def _probabilities(self, encodings: list[Any]) -> Numbers:
        """The probabilities of the classes: (batch, classes), or (batch, tokens, classes)."""
        width = max(len(encoding.ids) for encoding in encodings)
        ids, mask, types = (np.zeros((len(encodings), width), dtype=np.int64) for _ in range(3))
        ids[:] = self._shape.padding
        for row, encoding in enumerate(encodings):
            count = len(encoding.ids)
            ids[row, :count], mask[row, :count], types[row, :count] = encoding.ids, 1, encoding.type_ids
        numbers = self._forward({"input_ids": ids, "attention_mask": mask, "token_type_ids": types})
        if numbers.ndim not in (2, 3) or numbers.shape[-1] != len(self.labels):
            raise ConfigurationError(
                f"the judge's network gives {numbers.shape[-1]} numbers, and {len(self.labels)} "
                "are named: say what each means in `nli_labels`"
            )
        numbers = numbers.astype(np.float64)
        if not np.isfinite(numbers).all():
            raise ModelError("the judge's network gave something other than numbers")
        powers = np.exp(numbers - numbers.max(-1, keepdims=True))
        shares: Numbers = powers / powers.sum(-1, keepdims=True)
        return shares

    def _scored(self, row: Numbers, encoding: Any, claim: str) -> Scores:
        if row.ndim == 1:
            entailed, neutral, contradicted = (float(self._share(row, meaning)) for meaning in MEANINGS)
            return Scores(entailed, neutral, contradicted)
        places = [place for place, part in enumerate(encoding.sequence_ids) if part == 1]
        if not places:
            return Scores(0.0, 1.0, 0.0)
        words = [self._share(row[places], meaning) for meaning in MEANINGS]
        wrong = [encoding.offsets[place] for place, share in zip(places, words[0], strict=True) if share < 0.5]
        # A claim is as good as its worst word.
        return Scores(float(words[0].min()), float(words[1].max()), float(words[2].max()), _joined(claim, wrong))

    def _share(self, row: Numbers, meaning: Meaning) -> Any:
        """The sum over the classes with the same meaning."""
        mine = [place for place, label in enumerate(self.labels) if label == meaning]
        return row[..., mine].sum(-1)


def _joined(claim: str, spans: Sequence[tuple[int, int]]) -> str:
    """The words of a claim that tokens belong to; adjacent ones are joined."""
    parts: list[tuple[int, int]] = []
    for start, end in spans:
        if parts and not claim[parts[-1][1] : start].strip():
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((start, end))
    return ", ".join(claim[start:end].strip() for start, end in parts)
