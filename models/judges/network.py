"""A judge's network: evidence and claim go in together, and a number for each class comes out.

onnxruntime runs ONNX files, torch runs weights; the input and its batches are the same for both.
"""

import importlib.util
import json
import mmap
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ...state.errors import ConfigurationError, ModelError, absent
from ..local import catalogue, hub

Numbers = NDArray[Any]
Forward = Callable[[dict[str, Numbers]], Numbers]
"""From token ids, mask and types, each (batch, tokens), to one number per class, of the pair or of each token."""
Meaning = Literal["entailment", "neutral", "contradiction"]
MEANINGS: tuple[Meaning, ...] = get_args(Meaning)
Runtime = Literal["onnx", "torch"]

PACKAGES: dict[Runtime, tuple[str, ...]] = {"onnx": ("onnxruntime", "tokenizers"), "torch": ("torch", "transformers")}
EXTRAS: dict[Runtime, str] = {"onnx": "onnx", "torch": "nli"}
PREFERRED = ("model_int8", "model_quantized", "model")
"""Of several ONNX files, the first of these is used: on a processor, small numbers are faster and nearly as good."""
CONFIG, TOKENIZER, TOKENIZER_CONFIG = "config.json", "tokenizer.json", "tokenizer_config.json"
"""The files beside a network."""

LONGEST = 2_048
"""The most tokens of evidence and claim together, whatever the network could read: attention grows quadratically."""
UNUSED = 4
"""Positions that some networks leave unused, if only their number is known."""
USUAL = 512
"""The number of tokens that a network reads if its files don't say."""
UNBOUNDED = 100_000
"""A `model_max_length` above this means that there is no limit."""
MOST_THREADS = 8
"""The most threads of onnxruntime."""
BATCH_TOKENS = 8_192
"""How many tokens go through the network together, including padding."""
AT_ONCE = 256
"""How many pairs are held as tokens at the same time."""


class NetworkFiles(NamedTuple):
    """A judge's folder, and its network."""

    folder: Path
    runtime: Runtime
    network: Path
    """The ONNX file; for torch the folder, in which it finds the weights itself."""


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


class Classifier:
    """A network with its tokenizer, and the meaning of its classes. Only one thread at a time may use it."""

    def __init__(self, tokenizer: Any, forward: Forward, shape: Shape, labels: Sequence[Meaning]) -> None:
        """Put the parts together.

        Args:
            tokenizer: A `tokenizers.Tokenizer`.
            forward: Runs the network.
            shape: How much it reads, and how.
            labels: The meanings of its classes.
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


def find(name: str) -> NetworkFiles:
    """The network that a setting names. Nothing is loaded or downloaded.

    Args:
        name: A folder, an ONNX file in one, or a name of the list of models.

    Raises:
        ConfigurationError: If there is none, or nothing that runs it.
    """
    path = Path(name).expanduser()
    if not path.exists():
        if name not in catalogue.MODELS:
            advice = "name a folder that holds a judge, or one that `errata models list` names"
            raise ConfigurationError(absent(name, advice, "judge"))
        path = hub.path_of(catalogue.MODELS[name])
    if path.is_file() and path.suffix != ".onnx":
        raise ConfigurationError(f"{path} is no ONNX file: name the folder that holds the model")
    folder = path if path.is_dir() else path.parent
    if not (folder / CONFIG).is_file() and path.is_file():  # exporters put the networks into a separate folder
        folder = folder.parent
    network = path if path.is_file() else _onnx_file(folder)
    has_weights = any(folder.glob("*.safetensors")) or any(folder.glob("pytorch_model*.bin"))
    if network is None and not has_weights:
        raise ConfigurationError(f"{folder} holds no network: neither an ONNX file nor weights")
    if network and _installed("onnx"):
        return NetworkFiles(folder, "onnx", network)
    if has_weights and not path.is_file() and _installed("torch"):
        return NetworkFiles(folder, "torch", folder)
    missing: Runtime = "onnx" if network else "torch"
    needs = " and ".join(PACKAGES[missing])
    raise ConfigurationError(
        f"the judge at {name} needs {needs}: run `pip install 'langgraph-errata[{EXTRAS[missing]}]'`"
    )


def _installed(runtime: Runtime) -> bool:
    return all(importlib.util.find_spec(package) for package in PACKAGES[runtime])


def _onnx_file(folder: Path) -> Path | None:
    files = sorted([*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")])
    by_stem = {file.stem: file for file in reversed(files)}
    preferred = next((by_stem[stem] for stem in PREFERRED if stem in by_stem), None)
    if preferred or len(files) < 2:
        return preferred or next(iter(files), None)
    raise ConfigurationError(f"{folder} holds several networks: name one of them, as in `nli={files[0]}`")


def load(files: NetworkFiles, labels: Sequence[Meaning]) -> Classifier:
    """Load a network.

    Raises:
        ConfigurationError: If it cannot be loaded.
    """
    try:
        return (_of_onnx if files.runtime == "onnx" else _of_torch)(files, labels)
    except ConfigurationError:
        raise
    except Exception as error:  # there are as many kinds as ways for a file not to be a network
        why = " ".join(str(error).split())[:200]
        raise ConfigurationError(f"no judge at {files.network}: {why}") from error


def _of_onnx(files: NetworkFiles, labels: Sequence[Meaning]) -> Classifier:
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    options.intra_op_num_threads = min(cores, MOST_THREADS)
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(files.network), options, providers=["CPUExecutionProvider"])
    inputs = [each.name for each in session.get_inputs()]
    if unknown := {*inputs} - {"input_ids", "attention_mask", "token_type_ids"}:
        raise ConfigurationError(f"{files.network} wants {', '.join(sorted(unknown))}: it is not a text classifier")
    if not (files.folder / TOKENIZER).is_file():
        raise ConfigurationError(f"{files.folder} holds no {TOKENIZER}: save the tokenizer there in its fast form")
    tokenizer = Tokenizer.from_file(str(files.folder / TOKENIZER))

    def forward(arrays: dict[str, Numbers]) -> Numbers:
        numbers: Numbers = session.run(None, {name: arrays[name] for name in inputs})[0]
        return numbers

    return Classifier(tokenizer, forward, _shape(files.folder, tokenizer, _is_quantized(files.network)), labels)


def _of_torch(files: NetworkFiles, labels: Sequence[Meaning]) -> Classifier:
    import torch
    import transformers
    from transformers.utils import logging

    logging.disable_progress_bar()
    folder = str(files.folder)
    config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True)
    kind = "Token" if any("TokenClassification" in name for name in config.architectures or []) else "Sequence"
    loader = getattr(transformers, f"AutoModelFor{kind}Classification")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = loader.from_pretrained(folder, local_files_only=True).eval().to(device)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    if not tokenizer.is_fast:
        raise ConfigurationError(f"{folder} holds no {TOKENIZER}: save the tokenizer there in its fast form")
    inputs = {*tokenizer.model_input_names}

    def forward(arrays: dict[str, Numbers]) -> Numbers:
        with torch.inference_mode():
            tensors = {name: torch.from_numpy(each).to(device) for name, each in arrays.items() if name in inputs}
            numbers: Numbers = model(**tensors).logits.float().cpu().numpy()
        return numbers

    inner = tokenizer.backend_tokenizer
    return Classifier(inner, forward, _shape(files.folder, inner, is_alone=False), labels)


def _shape(folder: Path, tokenizer: Any, is_alone: bool) -> Shape:
    config = read_json(folder / CONFIG)
    beside = folder / TOKENIZER_CONFIG
    said = [read_json(beside).get("model_max_length") if beside.is_file() else None]
    places = config.get("max_position_embeddings")
    bounds = [int(bound) for bound in (*said, places) if isinstance(bound, int | float) and UNUSED < bound < UNBOUNDED]
    longest = min([*bounds, LONGEST]) if bounds else USUAL
    if bounds and bounds == [places]:
        longest -= UNUSED
    padding = (tokenizer.padding or {}).get("pad_id", config.get("pad_token_id"))
    return Shape(longest, padding if isinstance(padding, int) else 0, is_alone)


def _is_quantized(path: Path) -> bool:
    """Whether a network quantizes its activations: the name of that operation is then in the file."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(b"DynamicQuantizeLinear") >= 0


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file.

    Raises:
        ConfigurationError: If the file holds none.
    """
    try:
        content = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise ConfigurationError(f"{path} cannot be read as JSON: get the model's folder again") from None
    if not isinstance(content, dict):
        raise ConfigurationError(f"{path} holds no JSON object: get the model's folder again")
    return content
