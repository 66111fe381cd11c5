"""Distilling, end to end and at toy size: taught by torch, written as int8 ONNX, and then run without torch."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("torch", reason="distilling needs torch: pip install 'errata[distill]'")
pytest.importorskip("transformers", reason="distilling needs transformers: pip install 'errata[distill]'")
pytest.importorskip("accelerate", reason="distilling needs accelerate: pip install 'errata[distill]'")
pytest.importorskip("onnxscript", reason="distilling needs onnxscript: pip install 'errata[distill]'")

from errata.apps.batch.output import flat
from errata.apps.cli.main import cli
from errata.graphs import refchecker
from errata.models.judges import load_judge
from errata.models.networks import training
from errata.state.errors import ConfigurationError

LABELS = {"green": "entailment", "red": "contradiction", "old": "neutral"}
TOWNS = "arne bryn dale eide fosse grue holt klepp lund moss nes odda rade skien tynset vik".split()

pytestmark = pytest.mark.filterwarnings("ignore")  # whatever the libraries warn of is theirs


def encoder(folder: Path) -> Path:
    """A small encoder that was never trained, with a tokenizer that knows its words."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    words = [*"[PAD] [UNK] [CLS] [SEP] the a bridge of is in stands there .".split(), *LABELS, *TOWNS]
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    ).save_pretrained(folder)
    torch.set_num_threads(1)  # more only wait for each other
    torch.manual_seed(0)
    BertModel(
        BertConfig(
            vocab_size=len(words),
            hidden_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=64,
            max_position_embeddings=64,
            hidden_dropout_prob=0.0,
        )
    ).save_pretrained(folder)
    return folder


def results(path: Path) -> Path:
    """What a model said of claims, by their colour: that can be learnt in a minute."""
    draw = random.Random(0)
    lines = []
    for number in range(1, 301):
        town, colour = " ".join(draw.sample(TOWNS, 2)), draw.choice([*LABELS])
        page = {"id": f"e{number}", "query": "", "text": f"A bridge stands in {town}.", "title": "", "score": 1.0}
        claim = {
            "content": f"The bridge of {town} is {colour}.",
            "label": LABELS[colour],
            "quote": "",
            "backend": "chat",
        }
        made = {
            "evidence": [{**page, "source": f"page {number}"}],
            "verdicts": [{"question": "", "label": "neutral", "reason": "", "evidence": "", "backend": "chat"}],
            "claims": [{**claim, "evidence": f"e{number}"}],
        }
        lines.append(
            flat({"line": number, "id": str(number), "status": "done", "error": "", "row": {}, "result": made})
        )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def distil(tmp_path: Path, name: str, *more: str) -> Any:
    if not (tmp_path / "encoder").exists():
        encoder(tmp_path / "encoder")
        results(tmp_path / "out.jsonl")
    given = [str(tmp_path / "out.jsonl"), "-o", str(tmp_path / name), "--encoder", str(tmp_path / "encoder")]
    set_as = ["--rate", "0.005", "--epochs", "8", "--batch", "16", "--save-every", "40", "--precision", "0.9"]
    return CliRunner().invoke(cli, ["distill", *given, *set_as, "--json", *more], catch_exceptions=False)


class Killed(Exception):
    pass


async def test_a_judge_says_what_it_was_taught_also_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    teach: Any = training.teach

    def killed(*given: Any) -> Any:
        def tell(step: int, *_: Any) -> None:
            if step >= 60:
                raise Killed

        return teach(*given[:-1], tell)

    monkeypatch.setattr(training, "teach", killed)
    with pytest.raises(Killed):
        distil(tmp_path, "judge")
    assert not (tmp_path / "judge" / "model_int8.onnx").exists()
    monkeypatch.setattr(training, "teach", teach)
    ran = distil(tmp_path, "judge")
    assert ran.exit_code == 0, ran.output
    told = json.loads(ran.stdout)
    for label in ("entailment", "contradiction"):
        assert told["labels"][label]["precision"] >= 0.9
        assert told["labels"][label]["recall"] > 0.8

    card = (tmp_path / "judge" / "README.md").read_text()
    assert f"| claims held out | {told['rows']} claims of" in card
    assert "- entailment, by verdict:" in card
    judge = str(tmp_path / "judge")
    given = {"text": "The bridge of lund is red.", "references": ["A bridge stands in lund."]}
    checked = await refchecker.graph.ainvoke(given, context={"nli": judge, "claim_format": "subsentence"})
    assert [one["label"] for one in checked["claims"]] == ["contradiction"]

    int8 = load_judge(judge, None).network
    weights = load_judge(f"{judge}/weights", None).network
    pairs = [
        (f"A bridge stands in {town}.", f"The bridge of {town} is {colour}.") for town in TOWNS for colour in LABELS
    ]
    for one, other in zip(int8.scores(pairs), weights.scores(pairs), strict=True):
        assert one[:3] == pytest.approx(other[:3], abs=0.1)

    monkeypatch.setattr(training, "teach", lambda *given: pytest.fail("it was taught already"))
    again = distil(tmp_path, "judge")
    assert json.loads(again.stdout) == told
    (tmp_path / "judge" / "taught.jsonl").write_text("")
    with pytest.raises(ConfigurationError, match="of other results, or of another seed"):
        distil(tmp_path, "judge")
