"""Fusion-in-Decoder: what must hold of it whatever the weights are (arXiv 2007.01282, section 3)."""

import random
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="Fusion-in-Decoder needs torch: pip install 'errata[seq2seq]'")
pytest.importorskip("transformers", reason="Fusion-in-Decoder needs transformers: pip install 'errata[seq2seq]'")

from errata.models.networks import fid  # noqa: E402

PADDING, END, WORDS = 0, 1, 100
NEAR = 1e-5


@pytest.fixture(scope="module")
def model() -> Any:
    from transformers import T5Config, T5ForConditionalGeneration

    torch.manual_seed(0)
    config = T5Config(
        vocab_size=WORDS,
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        decoder_start_token_id=PADDING,
        pad_token_id=PADDING,
        eos_token_id=END,
    )
    return T5ForConditionalGeneration(config).eval()


def passage(length: int, seed: int) -> list[int]:
    draw = random.Random(seed)
    return [*(draw.randrange(2, WORDS) for _ in range(length)), END]


A, B, C = passage(7, 1), passage(4, 2), passage(11, 3)
LABELS = [[5, 6, 7, END]]


def logits(model: Any, items: list[list[list[int]]], length: int | None = None) -> Any:
    with torch.no_grad():
        return fid.forward(model, fid.pad(items, PADDING, length), torch.tensor(LABELS * len(items))).logits


def furthest(one: Any, other: Any) -> float:
    return float((one - other).abs().max())


def test_one_passage_is_the_plain_model_exactly(model: Any) -> None:
    with torch.no_grad():
        plain = model(input_ids=torch.tensor([A]), labels=torch.tensor(LABELS))
        fused = fid.forward(model, fid.pad([[A]], PADDING), torch.tensor(LABELS))
    assert torch.equal(fused.logits, plain.logits)
    assert torch.equal(fused.loss, plain.loss)
    generated = fid.generate(model, fid.pad([[A]], PADDING), max_new_tokens=8)
    assert torch.equal(generated, model.generate(torch.tensor([A]), max_new_tokens=8))


def test_the_order_of_passages_does_not_matter(model: Any) -> None:
    assert furthest(logits(model, [[A, B, C]]), logits(model, [[C, A, B]])) <= NEAR


def test_padding_does_not_matter(model: Any) -> None:
    assert furthest(logits(model, [[A, B, C]]), logits(model, [[A, B, C]], length=40)) <= NEAR


def test_items_of_a_batch_do_not_see_each_other(model: Any) -> None:
    together = logits(model, [[A, B, C], [A]])
    assert furthest(together[0], logits(model, [[A, B, C]])[0]) <= NEAR
    assert furthest(together[1], logits(model, [[A]])[0]) <= NEAR


def test_it_is_not_the_passages_in_a_row(model: Any) -> None:
    with torch.no_grad():
        in_a_row = model(input_ids=torch.tensor([A + B + C]), labels=torch.tensor(LABELS)).logits
    assert furthest(logits(model, [[A, B, C]]), in_a_row) > 0.01


def test_every_passage_is_read_and_gradients_reach_the_encoder(model: Any) -> None:
    assert furthest(logits(model, [[A, B, C]]), logits(model, [[A, B, passage(11, 4)]])) > 0.001
    model.zero_grad()
    fid.forward(model, fid.pad([[A, B, C], [B]], PADDING), torch.tensor(LABELS * 2)).loss.backward()
    gradients = [weights.grad for weights in model.encoder.block.parameters()]
    assert all(gradient is not None and gradient.abs().sum() > 0 for gradient in gradients)
    assert not any(gradient.isnan().any() for gradient in gradients)
    model.zero_grad()


def test_beams_are_searched(model: Any) -> None:
    batch = fid.pad([[A, B, C], [B]], PADDING)
    greedy = fid.generate(model, batch, max_new_tokens=8, do_sample=False)
    beams = fid.generate(model, batch, max_new_tokens=8, num_beams=4, num_return_sequences=2)
    assert (greedy.shape[0], beams.shape[0]) == (2, 4)
    swapped = fid.generate(model, fid.pad([[C, B, A], [B]], PADDING), max_new_tokens=8, do_sample=False)
    assert torch.equal(greedy, swapped)


def test_what_cannot_be_laid_out_is_refused() -> None:
    with pytest.raises(ValueError, match="without a passage"):
        fid.pad([[A], []], PADDING)
    with pytest.raises(ValueError, match="longer than 5"):
        fid.pad([[A]], PADDING, length=5)
