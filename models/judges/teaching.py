"""Teaching a small encoder to judge, and writing it as the int8 ONNX file that the nli backend reads."""

import importlib.util
import logging
import shutil
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...state.errors import ConfigurationError
from ..networks.training import Pupil
from .calibrating import Labelled
from .judge import TITLE_CHARS
from .notes import MEANINGS

PACKAGES = ("torch", "transformers", "accelerate", "onnx", "onnxscript", "onnxruntime", "tokenizers")
NETWORK = "model_int8.onnx"
LONGEST = 512
"""Tokens of an example at most, if the encoder reads as many."""


def check_packages() -> None:
    """Check that all is there that teaching takes.

    Raises:
        ConfigurationError: If something is missing.
    """
    if missing := [name for name in PACKAGES if not importlib.util.find_spec(name)]:
        raise ConfigurationError(f"distilling needs {', '.join(missing)}: run `pip install 'errata[distill]'`")


def pupil(folder: str) -> Pupil:
    """An encoder with a head that knows the three labels, still to be taught.

    Args:
        folder: The encoder's, or a judge's to teach further.

    Raises:
        ConfigurationError: If it cannot be loaded.
    """
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer, set_seed
    from transformers.utils import logging as its_logging

    its_logging.disable_progress_bar()
    its_logging.set_verbosity_error()  # that the head is new is known
    set_seed(0)  # the head begins at chance, and the same one every time
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = AutoModelForSequenceClassification.from_pretrained(
            folder,
            local_files_only=True,
            num_labels=len(MEANINGS),
            id2label=dict(enumerate(MEANINGS)),
            label2id={label: place for place, label in enumerate(MEANINGS)},
            ignore_mismatched_sizes=True,
            attn_implementation="eager",  # the one that can be written as ONNX
        )
    except Exception as error:  # as many kinds as there are ways for a folder to be no model
        reason = " ".join(str(error).split())[:160]
        raise ConfigurationError(f"no encoder at {folder}: name a folder that holds one ({reason})") from error
    places = getattr(model.config, "max_position_embeddings", LONGEST)
    tokenizer.model_max_length = min(LONGEST, places, tokenizer.model_max_length)

    def collate(rows: Sequence[Labelled]) -> dict[str, Any]:
        encodings = tokenizer(
            [evidence_of(each) for each in rows],
            [each["claim"] for each in rows],
            truncation="only_first",
            padding=True,
            return_tensors="pt",
        )
        return {**encodings, "labels": torch.tensor([MEANINGS.index(each["label"]) for each in rows])}

    return Pupil(model, tokenizer, collate, lambda model, inputs: model(**inputs))


def evidence_of(row: Labelled) -> str:
    """The evidence of a row as the nli backend shows it to a judge."""
    title = row.get("title", "")[:TITLE_CHARS]
    return f"{title}\n{row['evidence']}" if title else row["evidence"]


@contextmanager
def quiet(*names: str) -> Iterator[None]:
    """Nothing but errors from these loggers."""
    loggers = [logging.getLogger(name) for name in names]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def export(taught: Path, folder: Path) -> None:
    """Write a judge that was taught as int8 ONNX, with what the nli backend reads beside it.

    Args:
        taught: Where its weights are.
        folder: Where the judge goes. The network comes last: where it is, all is.
    """
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    taught_judge = pupil(str(taught))
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(taught / name, folder / name)
    example = taught_judge.tokenizer("It rains.", "It is wet.", return_tensors="pt")
    names = [name for name in ("input_ids", "attention_mask", "token_type_ids") if name in example]
    whole, beside = folder / "model.fp32", folder / f"{NETWORK}.new"

    class Logits(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.judge = taught_judge.model.eval()

        def forward(self, *tensors: Any) -> Any:
            return self.judge(**dict(zip(names, tensors, strict=True))).logits

    batch, length = torch.export.Dim("batch"), torch.export.Dim("length")
    with torch.inference_mode(), warnings.catch_warnings(), quiet("root", "torch.onnx"):
        warnings.simplefilter("ignore")  # of what the exporter does inside
        torch.onnx.export(
            Logits().eval(),
            tuple(example[name].repeat(2, 1) for name in names),
            str(whole),
            input_names=names,
            output_names=["logits"],
            dynamic_shapes=(tuple({0: batch, 1: length} for _ in names),),
            external_data=False,
            verbose=False,
        )
        quantize_dynamic(whole, beside, weight_type=QuantType.QInt8)
    whole.unlink()
    beside.replace(folder / NETWORK)
