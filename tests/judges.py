"""Judges small enough for a test: real ONNX networks that compare the words of evidence and claim."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

NAMES = {0: "contradiction", 1: "entailment", 2: "neutral"}
"""The order of the numbers that the network gives."""
EMPTY = ("the", "it", "is", "was", "in", "a", "and", "to", "of", ".", ",", "?")
"""Words that need not be in the evidence."""
MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def judge(
    folder: Path,
    words: Iterable[str],
    opposites: Mapping[str, str],
    names: Mapping[int, str] | None = NAMES,
    longest: int = 64,
    tokens: bool = False,
) -> Path:
    """Write one into a folder, as exporters do.

    It finds a claim entailed by evidence that has all of its words, and contradicted by evidence that has the opposite
    of one. A judge of tokens says of each word whether the evidence has it, in two classes: supported or not.
    """
    from onnx import save

    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = [*MARKS, *EMPTY, *dict.fromkeys(word.lower() for word in words)]
    number = {word: place for place, word in enumerate(vocabulary)}
    opposite = np.zeros((len(vocabulary), len(vocabulary)), dtype=np.float32)
    for word, other in opposites.items():
        opposite[number[word], number[other]] = 1
    counts = np.array([[float(word not in (*MARKS, *EMPTY))] for word in vocabulary], dtype=np.float32)
    save((_of_tokens if tokens else _of_claims)(counts, opposite), folder / "model.onnx")
    _tokenizer(number).save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": longest}))
    named = {} if names is None else {"id2label": {str(place): name for place, name in names.items()}}
    (folder / "config.json").write_text(json.dumps({"max_position_embeddings": 512, **named}))
    return folder


def _tokenizer(number: dict[str, int]) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordLevel(number, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(list(MARKS))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(mark, number[mark]) for mark in ("[CLS]", "[SEP]")],
    )
    return tokenizer


def _read(size: int) -> list[Any]:
    """Operations that lay evidence and claim out as words that are there or not."""
    from onnx import helper

    return [
        helper.make_node("OneHot", ["input_ids", "size", "off_on"], ["words"], axis=-1),
        helper.make_node("Cast", ["token_type_ids"], ["second"], to=1),
        helper.make_node("Cast", ["attention_mask"], ["there"], to=1),
        helper.make_node("Sub", ["there", "second"], ["first"]),
        helper.make_node("Unsqueeze", ["first", "last_axis"], ["is_evidence"]),
        helper.make_node("Unsqueeze", ["second", "last_axis"], ["is_claim"]),
        helper.make_node("Mul", ["words", "is_evidence"], ["evidence_words"]),
        helper.make_node("Mul", ["words", "is_claim"], ["claim_words"]),
        helper.make_node("ReduceMax", ["evidence_words", "middle_axis"], ["evidence"], keepdims=0),
        helper.make_node("ReduceMax", ["claim_words", "middle_axis"], ["claim"], keepdims=0),
        helper.make_node("Sub", ["one", "evidence"], ["absent"]),
    ]


def _of_claims(counts: Any, opposite: Any) -> Any:
    from onnx import helper

    nodes = [
        *_read(len(counts)),
        helper.make_node("Mul", ["claim", "absent"], ["missing_words"]),
        helper.make_node("MatMul", ["missing_words", "counts"], ["missing"]),
        helper.make_node("MatMul", ["claim", "opposite"], ["opposed"]),
        helper.make_node("Mul", ["opposed", "evidence"], ["against_words"]),
        helper.make_node("ReduceSum", ["against_words", "last"], ["against"], keepdims=1),
        helper.make_node("Mul", ["missing", "far"], ["less"]),
        helper.make_node("Sub", ["near", "less"], ["entailment"]),
        helper.make_node("Mul", ["against", "far"], ["more"]),
        helper.make_node("Sub", ["more", "near"], ["contradiction"]),
        helper.make_node("Mul", ["missing", "zero"], ["neutral"]),
        helper.make_node("Concat", ["contradiction", "entailment", "neutral"], ["logits"], axis=-1),
    ]
    return _model(nodes, counts, opposite, ["batch", 3])


def _of_tokens(counts: Any, opposite: Any) -> Any:
    from onnx import helper

    nodes = [
        *_read(len(counts)),
        helper.make_node("Unsqueeze", ["absent", "middle_axis"], ["absent_everywhere"]),
        helper.make_node("Mul", ["words", "absent_everywhere"], ["missing_words"]),
        helper.make_node("MatMul", ["missing_words", "counts"], ["missing"]),
        helper.make_node("Mul", ["missing", "far"], ["more"]),
        helper.make_node("Sub", ["more", "near"], ["hallucinated"]),
        helper.make_node("Mul", ["missing", "zero"], ["supported"]),
        helper.make_node("Concat", ["supported", "hallucinated"], ["logits"], axis=-1),
    ]
    return _model(nodes, counts, opposite, ["batch", "length", 2])


def _model(nodes: Sequence[Any], counts: Any, opposite: Any, shape: Sequence[Any]) -> Any:
    from onnx import TensorProto, helper, numpy_helper

    given = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    constants = {
        "size": np.array(len(counts)),
        "off_on": np.array([0, 1], dtype=np.float32),
        "last_axis": np.array([2]),
        "middle_axis": np.array([1]),
        "last": np.array([1]),
        "one": np.array(1, dtype=np.float32),
        "zero": np.array(0, dtype=np.float32),
        "near": np.array(2, dtype=np.float32),
        "far": np.array(6, dtype=np.float32),
        "counts": counts,
        "opposite": opposite,
    }
    used = {name for node in nodes for name in node.input}
    graph = helper.make_graph(
        list(nodes),
        "judge",
        given,
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, list(shape))],
        [numpy_helper.from_array(value, name) for name, value in constants.items() if name in used],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 10
    return model
