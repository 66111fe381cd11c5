"""Loading a judge: onnxruntime runs ONNX files, torch runs weights."""

import mmap
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...state.errors import ConfigurationError
from .network import Network, Numbers, Shape
from .notes import CONFIG, Meaning, read_json
from .place import Place

LONGEST = 2_048
"""The most tokens of evidence and claim together, whatever the network could read: attention grows quadratically."""
SPECIAL = 4
"""Positions that some networks leave unused, if only their number is known."""
USUAL = 512
"""The number of tokens that a network reads if its files don't say."""
UNBOUNDED = 100_000
"""What stands beside a network that reads any number of tokens is larger."""
TOKENIZER = "tokenizer.json"
MOST_THREADS = 8
"""How many more may wait."""


def load(place: Place, labels: Sequence[Meaning]) -> Network:
    """The network at a place.

    Raises:
        ConfigurationError: If it cannot be loaded.
    """
    try:
        return (_of_onnx if place.runtime == "onnx" else _of_torch)(place, labels)
    except ConfigurationError:
        raise
    except Exception as error:  # there are as many kinds as ways for a file not to be a network
        why = " ".join(str(error).split())[:200]
        raise ConfigurationError(f"no judge at {place.network}: {why}") from error


def _of_onnx(place: Place, labels: Sequence[Meaning]) -> Network:
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    options.intra_op_num_threads = min(cores, MOST_THREADS)
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(place.network), options, providers=["CPUExecutionProvider"])
    inputs = [each.name for each in session.get_inputs()]
    if unknown := {*inputs} - {"input_ids", "attention_mask", "token_type_ids"}:
        raise ConfigurationError(f"{place.network} wants {', '.join(sorted(unknown))}: it is not a text classifier")
    if not (place.folder / TOKENIZER).is_file():
        raise ConfigurationError(f"{place.folder} holds no {TOKENIZER}: save the tokenizer there in its fast form")
    tokenizer = Tokenizer.from_file(str(place.folder / TOKENIZER))

    def forward(arrays: dict[str, Numbers]) -> Numbers:
        numbers: Numbers = session.run(None, {name: arrays[name] for name in inputs})[0]
        return numbers

    return Network(tokenizer, forward, _shape(place.folder, tokenizer, _is_quantized(place.network)), labels)


def _of_torch(place: Place, labels: Sequence[Meaning]) -> Network:
    import torch
    from transformers import (
        AutoConfig,
        AutoModelForSequenceClassification,
        AutoModelForTokenClassification,
        AutoTokenizer,
    )
    from transformers.utils import logging

    logging.disable_progress_bar()
    folder = str(place.folder)
    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    judges_tokens = any("TokenClassification" in name for name in config.architectures or [])
    kind = AutoModelForTokenClassification if judges_tokens else AutoModelForSequenceClassification
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = kind.from_pretrained(folder, local_files_only=True).eval().to(device)
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    if not tokenizer.is_fast:
        raise ConfigurationError(f"{folder} holds no {TOKENIZER}: save the tokenizer there in its fast form")
    inputs = {*tokenizer.model_input_names}

    def forward(arrays: dict[str, Numbers]) -> Numbers:
        with torch.inference_mode():
            tensors = {name: torch.from_numpy(each).to(device) for name, each in arrays.items() if name in inputs}
            numbers: Numbers = model(**tensors).logits.float().cpu().numpy()
        return numbers

    inner = tokenizer.backend_tokenizer
    return Network(inner, forward, _shape(place.folder, inner, is_alone=False), labels)


def _shape(folder: Path, tokenizer: Any, is_alone: bool) -> Shape:
    config = read_json(folder / CONFIG)
    beside = folder / "tokenizer_config.json"
    length_of_tokenizer = read_json(beside).get("model_max_length") if beside.is_file() else None
    places = config.get("max_position_embeddings")
    bounds = [
        int(bound)
        for bound in (length_of_tokenizer, places)
        if isinstance(bound, int | float) and SPECIAL < bound < UNBOUNDED
    ]
    longest = min([*bounds, LONGEST]) if bounds else USUAL
    if bounds and bounds == [places]:
        longest -= SPECIAL
    padding = (tokenizer.padding or {}).get("pad_id", config.get("pad_token_id"))
    return Shape(longest, padding if isinstance(padding, int) else 0, is_alone)


def _is_quantized(path: Path) -> bool:
    """Whether a network quantizes its activations: the name of that operation is then in the file."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(b"DynamicQuantizeLinear") >= 0
