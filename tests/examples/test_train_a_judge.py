"""The example that trains a judge: from the output of a batch to a judge that `errata check` uses."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from errata.apps.cli.main import cli

EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "train_a_judge.py"))
WORDS = ["the", "tower", "is", "high", "low", "."]


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """The output of a batch: two rows that a chat model decided, one by rules, and one that failed."""
    passage = {"id": "e1", "title": "", "text": "The tower is high."}

    def claim(content: str, label: str, backend: str = "chat") -> dict[str, str]:
        return {"content": content, "label": label, "backend": backend, "evidence": "e1"}

    decided = [claim("The tower is high.", "entailment"), claim("The tower is low.", "contradiction")]
    rows: list[dict[str, Any]] = [
        {"id": 1, "result": {"evidence": [passage], "claims": decided}},
        {"id": 2, "result": {"evidence": [passage], "claims": [claim("It is high.", "neutral", "rules")]}},
        {"id": 3, "result": None},
    ]
    path = tmp_path / "out.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_each_claim_that_a_model_decided_becomes_a_pair(output: Path) -> None:
    assert list(EXAMPLE["pairs"](output)) == [
        {"evidence": "The tower is high.", "claim": "The tower is high.", "label": 0},
        {"evidence": "The tower is high.", "claim": "The tower is low.", "label": 2},
    ]


@pytest.mark.filterwarnings("ignore:'pin_memory' argument is set:UserWarning")  # torch, without a GPU
def test_a_judge_is_trained_and_used(output: Path, tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers", reason="the example trains with sentence-transformers")
    pytest.importorskip("datasets", reason="sentence-transformers trains on data sets")
    pytest.importorskip("accelerate", reason="sentence-transformers trains with accelerate")
    encoder, judge = tmp_path / "encoder", tmp_path / "judge"
    _tiny_encoder(encoder)
    EXAMPLE["train"](list(EXAMPLE["pairs"](output)), str(encoder), str(judge))
    (tmp_path / "source.txt").write_text("The tower is high.")
    arguments = ["check", "The tower is low.", "--sources", str(tmp_path / "source.txt"), "--set", f"nli={judge}"]
    ran = CliRunner().invoke(cli, [*arguments, "--json"], catch_exceptions=False)
    (checked,) = json.loads(ran.stdout)["claims"]
    assert checked["backend"] == "nli"
    assert checked["label"] in ("entailment", "neutral", "contradiction")


def _tiny_encoder(folder: Path) -> None:
    """A BERT of one layer with random weights, and a tokenizer of a few words."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder.mkdir()
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]))
    BertTokenizerFast(str(vocabulary)).save_pretrained(folder)
    config = BertConfig(vocab_size=11, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8)
    BertModel(config).save_pretrained(folder)
