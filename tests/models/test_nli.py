"""The nli backend of `check`: what it says where it can't work, the seam to the library, and a real, tiny network."""

import sys
import types
from pathlib import Path
from typing import Any

import pytest

from errata.models import nli, task
from errata.models.tasks import TASKS
from errata.state import Context
from errata.state.errors import ConfigurationError

CLAIMS = ["It is high.", "It is low.", "It is red."]
ASKED = {"claims": CLAIMS, "question": "", "evidence": "The tower is high.", "title": ""}


def with_nli(**settings: Any) -> Context:
    return Context(backends={"check": "nli"}, **settings)


@pytest.fixture(autouse=True)
def _nothing_loaded() -> None:
    nli._load.cache_clear()


async def test_it_wants_to_be_named() -> None:
    with pytest.raises(ConfigurationError, match="`nli`"):
        await task(with_nli(), TASKS["check"]).ainvoke(ASKED)


async def test_without_its_packages_it_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'errata\[nli\]'"):
        await task(with_nli(nli="some/model"), TASKS["check"]).ainvoke(ASKED)


def library(monkeypatch: pytest.MonkeyPatch, load: Any, names: dict[int, str] | None = None) -> None:
    """Put a library in the place of transformers whose models are made by `load`."""
    model = types.SimpleNamespace(config=types.SimpleNamespace(id2label=names or {}))
    model.eval = lambda: model
    tokenizer = types.SimpleNamespace(from_pretrained=load)
    classes = types.SimpleNamespace(from_pretrained=lambda name: model)
    fake = types.SimpleNamespace(AutoTokenizer=tokenizer, AutoModelForSequenceClassification=classes, __spec__="fake")
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(__spec__="fake"))
    monkeypatch.setitem(sys.modules, "transformers", fake)


async def test_a_model_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise OSError("no such\nfolder")

    library(monkeypatch, broken)
    with pytest.raises(ConfigurationError, match=r"no classifier at some/model: no such folder"):
        await task(with_nli(nli="some/model"), TASKS["check"]).ainvoke(ASKED)


class ByWord:
    """Reads words: what is low is contradicted, what the passage does not name is neutral. Classes: c, e, n."""

    model_max_length = 10

    def __init__(self) -> None:
        self.read: list[tuple[str, str]] = []

    def __call__(self, passage: str, claim: str) -> dict[str, list[str]]:
        return {"input_ids": [*passage.split(), *claim.split()]}

    def probabilities(self, pairs: list[tuple[str, str]]) -> list[list[float]]:
        self.read += pairs
        return [
            [0.9, 0.05, 0.05]
            if "low" in claim and "high" in passage
            else [0.1, 0.8, 0.1]
            if claim.split()[-1] in passage
            else [0.2, 0.2, 0.6]
            for passage, claim in pairs
        ]


async def judged(monkeypatch: pytest.MonkeyPatch, names: dict[int, str], **asked: Any) -> tuple[Any, ByWord]:
    by_word = ByWord()
    library(monkeypatch, lambda name: by_word, names)
    monkeypatch.setattr(nli.Classifier, "probabilities", lambda self, pairs: self.tokenizer.probabilities(pairs))
    found = await task(with_nli(nli="some/model"), TASKS["check"]).ainvoke({**ASKED, **asked})
    return found.judgements, by_word


async def test_what_its_classes_mean_stands_in_its_own_config(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {0: "contradiction", 1: "ENTAILMENT", 2: "neutral"}
    judgements, _ = await judged(monkeypatch, given)
    assert [judgement.label for judgement in judgements] == ["entailment", "contradiction", "neutral"]
    assert judgements[0].reason == "entailment with 0.80"

    nli._load.cache_clear()
    turned, _ = await judged(monkeypatch, {0: "ALIGNED", 1: "CONTRADICT", 2: "NEUTRAL"})
    assert [judgement.label for judgement in turned] == ["contradiction", "entailment", "neutral"]


async def test_two_classes_know_no_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    judgements, _ = await judged(monkeypatch, {0: "not_entailment", 1: "entailment", 2: "not-entailment"})
    assert [judgement.label for judgement in judgements] == ["entailment", "neutral", "neutral"]


@pytest.mark.parametrize("names", [{0: "LABEL_0", 1: "LABEL_1"}, {0: "neutral", 1: "contradiction"}, {0: "toxic"}])
async def test_a_model_that_does_not_name_its_classes_is_refused(
    monkeypatch: pytest.MonkeyPatch, names: dict[int, str]
) -> None:
    with pytest.raises(ConfigurationError, match="entailment"):
        await judged(monkeypatch, names)


async def test_a_passage_that_is_too_long_is_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    long = "The house is blue and old. It stands in a street. The tower is high."
    judgements, by_word = await judged(monkeypatch, {0: "contradiction", 1: "entailment", 2: "neutral"}, evidence=long)
    assert [judgement.label for judgement in judgements] == ["entailment", "contradiction", "neutral"]
    passages = dict.fromkeys(passage for passage, _ in by_word.read)
    assert len(passages) > 1
    assert "".join(passages) == long
    assert all(len(passage.split()) <= 10 for passage in passages)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network with random weights, made here, in a folder as `from_pretrained` wants it."""
    torch = pytest.importorskip("torch", reason="the extra `nli` is not installed")
    transformers = pytest.importorskip("transformers", reason="the extra `nli` is not installed")
    folder = tmp_path_factory.mktemp("tiny")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "tower", "it", "is", "high", "low", "red", "."]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    transformers.BertTokenizer(str(folder / "vocab.txt"), model_max_length=32).save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=32,
        id2label={0: "neutral", 1: "contradiction", 2: "entailment"},
        label2id={"neutral": 0, "contradiction": 1, "entailment": 2},
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    return folder


@pytest.mark.filterwarnings("ignore")  # whatever the libraries warn of is theirs
async def test_a_real_network_judges_claims_together_as_it_does_one_by_one(tiny: Path) -> None:
    checker = task(with_nli(nli=str(tiny)), TASKS["check"])
    evidence = " ".join(["The tower is high."] * 9)
    together = (await checker.ainvoke({**ASKED, "evidence": evidence})).judgements
    alone = [(await checker.ainvoke({**ASKED, "evidence": evidence, "claims": [claim]})).judgements for claim in CLAIMS]
    assert [judgement.label for judgement in together] == [judgement.label for (judgement,) in alone]
    assert [judgement.claim for judgement in together] == [1, 2, 3]
    classifier = nli._load(str(tiny))
    assert classifier.labels == ["neutral", "contradiction", "entailment"]
    (row,) = classifier.probabilities([("The tower is high.", CLAIMS[0])])
    assert sum(row) == pytest.approx(1.0)
