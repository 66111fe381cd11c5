"""Fusion-in-Decoder (Izacard and Grave 2021, arXiv 2007.01282): passages are encoded alone, and decoded together.

Works on any encoder-decoder of transformers as it is. The encoder sees B·N passages of L tokens, each by itself; its
hidden states are laid end to end, (B, N·L, d), and the decoder attends to all of them. Cost grows with N, not with N².
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from torch import Tensor

Ids = Sequence[int]


class Batch(NamedTuple):
    """The passages of several items. Shorter items are filled up with passages that are all padding."""

    ids: "Tensor"
    """(B, N, L), long."""
    mask: "Tensor"
    """(B, N, L), long: 1 for a token, 0 for padding."""


def pad(items: Sequence[Sequence[Ids]], padding: int, length: int | None = None) -> Batch:
    """Lay out token ids, [item][passage][token], as a batch.

    Args:
        items: The token ids.
        padding: The id of the padding token.
        length: L; by default the length of the longest passage.

    Returns:
        The batch.

    Raises:
        ValueError: If a passage is longer than `length`, or an item has none.
    """
    import torch

    if not all(items):
        raise ValueError("an item without a passage: there is nothing to encode")
    longest = max(len(passage) for item in items for passage in item)
    if length is not None and longest > length:
        raise ValueError(f"a passage of {longest} tokens is longer than {length}")
    shape = (len(items), max(map(len, items)), length or longest)
    ids, mask = torch.full(shape, padding), torch.zeros(shape, dtype=torch.long)
    for row, item in enumerate(items):
        for place, passage in enumerate(item):
            ids[row, place, : len(passage)] = torch.tensor(passage)
            mask[row, place, : len(passage)] = 1
    return Batch(ids, mask)


def encode(model: Any, batch: Batch) -> dict[str, Any]:
    """The arguments of the model's `forward` and `generate` that stand for the encoded passages.

    Args:
        model: The encoder-decoder.
        batch: The passages.

    Returns:
        `encoder_outputs`, the hidden states of all passages of an item, end to end, (B, N·L, d); and `attention_mask`,
            (B, N·L).
    """
    from transformers.modeling_outputs import BaseModelOutput

    real = batch.mask.any(-1)  # (B, N): a passage of nothing but padding is not worth encoding
    states = model.get_encoder()(input_ids=batch.ids[real], attention_mask=batch.mask[real]).last_hidden_state
    hidden = states.new_zeros(*batch.ids.shape, states.shape[-1])
    hidden[real] = states
    items, passages, length = batch.ids.shape
    return {
        "encoder_outputs": BaseModelOutput(last_hidden_state=hidden.reshape(items, passages * length, -1)),
        "attention_mask": batch.mask.reshape(items, passages * length),
    }


def forward(model: Any, batch: Batch, labels: "Tensor") -> Any:
    """The model's output with `loss` and `logits`, for labels (B, T) in which -100 is ignored."""
    return model(**encode(model, batch), labels=labels)


def generate(model: Any, batch: Batch, **settings: Any) -> "Tensor":
    """Token ids (B, T'), one sequence per item.

    `settings` are passed to `model.generate`: `num_beams`, `max_new_tokens`.
    """
    import torch

    with torch.no_grad():
        generated: Tensor = model.generate(**encode(model, batch), **settings)
    return generated
