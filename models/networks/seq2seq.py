"""The seq2seq backend: PURR's editor and its question generator, small local encoder-decoders (an extra)."""

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...state.errors import ConfigurationError, ModelError
from ...state.locks import ProcessLock
from ...state.text.segments import sentences
from ..tasks.correction import EditAllInput, Edited, Pair, Queries, QueriesInput
from . import fid

PASSAGE_TOKENS = 250
"""The most tokens of claim, question and evidence together (FiD section 3: 250 word pieces; PURR does not say)."""
CLAIM_TOKENS = 120
"""The most tokens of a passage for the claim; the rest is for the evidence. A longer text is edited piece by piece."""
ANSWER_TOKENS = 160
BEAMS = 1
BATCH = 16
"""How many items are generated at once."""


@dataclass(frozen=True)
class Network:
    """A model with its tokenizer. Only one thread at a time uses it: several would only share the same processors."""

    model: Any
    tokenizer: Any
    lock: threading.Lock = field(default_factory=threading.Lock)


async def edit_all(model: str, task_input: EditAllInput) -> Edited:
    """Edit a text over its pairs at once. Raises ModelError if there is no result, ConfigurationError as `load`.

    A text that is too long for the network is edited sentence by sentence, all in one batch.
    """
    network = await asyncio.to_thread(load, model)
    return Edited(text=await asyncio.to_thread(_edited, network, task_input["text"], task_input["pairs"]))


async def queries(model: str, task_input: QueriesInput) -> Queries:
    """The questions that verify a text: one per line, as the generator was trained."""
    network = await asyncio.to_thread(load, model)
    network_input = asked_of(task_input["text"], task_input.get("question", ""))
    (output,) = await asyncio.to_thread(write, network, [[network_input]])
    lines = [line.strip() for line in output.split(SEPARATOR)]
    return Queries(queries=list(dict.fromkeys(filter(None, lines))))


SEPARATOR = "|"
"""The separator between the questions that a generator writes: tokenizers drop line ends."""


def passage(text: str, query: str, title: str, evidence: str) -> str:
    """One passage of an item: the input of the editor's encoder (PURR section 3; the title as in FiD section 3)."""
    return f"claim: {text} question: {query} evidence: {f'{title}. ' if title else ''}{evidence}"


def asked_of(text: str, question: str) -> str:
    """The input of the question generator."""
    return f"context: {question} claim: {text}" if question else f"claim: {text}"


def passages(text: str, pairs: Sequence[Pair]) -> list[str]:
    """The passages of an item, one per pair; without pairs, only the claim."""
    return [passage(text, pair["query"], pair["title"], pair["evidence"]) for pair in pairs] or [f"claim: {text}"]


def write(network: Network, items: Sequence[Sequence[str]], **settings: Any) -> list[str]:
    """The network's output for each item, a list of passages. Passages are cut at their end, where evidence is."""
    outputs: list[str] = []
    with network.lock:
        for first in range(0, len(items), BATCH):
            batch = read(network, items[first : first + BATCH])
            options = {"max_new_tokens": ANSWER_TOKENS, "num_beams": BEAMS, "do_sample": False, **settings}
            device = network.model.device
            generated = fid.generate(network.model, fid.Batch(*(part.to(device) for part in batch)), **options)
            outputs += network.tokenizer.batch_decode(generated, skip_special_tokens=True)
    return [text.strip() for text in outputs]


def read(network: Network, items: Sequence[Sequence[str]]) -> fid.Batch:
    """The passages of some items as token ids."""
    ids = [[cut(each) for each in _ids(network, item)] for item in items]
    return fid.pad(ids, network.tokenizer.pad_token_id)


def _ids(network: Network, texts: Sequence[str]) -> list[list[int]]:
    ids: list[list[int]] = network.tokenizer(list(texts))["input_ids"]
    return ids


def cut(ids: list[int]) -> list[int]:
    """A passage of at most PASSAGE_TOKENS, which keeps its last token, the end marker."""
    return ids if len(ids) <= PASSAGE_TOKENS else [*ids[: PASSAGE_TOKENS - 1], ids[-1]]


def load(model: str) -> Network:
    """The network in a folder, or with an id in the local cache of Hugging Face: nothing is downloaded.

    Raises:
        ConfigurationError: If there is none.
    """
    folder = Path(model).expanduser()
    with _loading:
        return _load(str(folder) if folder.is_dir() else model)


_loading = ProcessLock()
"""Rounds of questions ask for the same network at once, and transformers cannot load two at a time."""


@lru_cache(maxsize=4)
def _load(name: str) -> Network:
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()

    try:
        model = AutoModelForSeq2SeqLM.from_pretrained(name, local_files_only=True).eval()
        model.to("cuda" if torch.cuda.is_available() else "cpu")
        return Network(model, AutoTokenizer.from_pretrained(name, local_files_only=True))
    except Exception as error:  # there are as many kinds as ways for a folder not to be a model
        why = " ".join(str(error).split())[:160]
        raise ConfigurationError(
            f"no encoder-decoder at {name}: give a folder, or download it first with `hf download {name}` ({why})"
        ) from error


def _edited(network: Network, text: str, pairs: Sequence[Pair]) -> str:
    spans = [(0, len(text))] if _fits(network, text) else sentences(text)
    parts = [text[start:end] for start, end in spans]
    if too_long := next((part for part in parts if not _fits(network, part)), ""):
        raise ModelError(f"a sentence is longer than the editor reads ({CLAIM_TOKENS} tokens): {too_long[:60]} …")
    outputs = write(network, [passages(part, pairs) for part in parts])
    if not all(part.strip() for part in outputs):
        raise ModelError("the editor wrote nothing")
    edited, last = "", 0
    for (start, end), part in zip(spans, outputs, strict=True):
        edited, last = edited + text[last:start] + part, end
    return edited + text[last:]


def _fits(network: Network, text: str) -> bool:
    return len(_ids(network, [text])[0]) <= CLAIM_TOKENS
