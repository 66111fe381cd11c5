"""Local judges: real, tiny networks that are run by onnxruntime, and by torch where it is installed."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from errata.evals.measuring import agreement_judge
from errata.graphs import METHODS, ground, rarr, refchecker
from errata.models import check_backends, judges, task
from errata.models.judges.judge import decided
from errata.models.judges.network import Network, Scores
from errata.models.local import catalogue, hub
from errata.models.tasks import TASKS
from errata.state import Context
from errata.state.errors import ConfigurationError, ModelError

from ... import judges as networks

WORDS = "tower house street high low red blue old stands fox oslo bergen opened 1931 1934 bridge you there".split()
OPPOSITES = {"low": "high", "oslo": "bergen", "1934": "1931"}
CLAIMS = ["It is high.", "It is low.", "It is red."]
ASKED = {"claims": CLAIMS, "question": "", "evidence": "The tower is high.", "title": ""}


def folder_of(tmp_path: Path, **more: Any) -> Path:
    return networks.judge(tmp_path / "judge", WORDS, OPPOSITES, **more)


async def judged(folder: Path, claims: list[str] | None = None, **asked: Any) -> list[Any]:
    settings = {name: asked.pop(name) for name in ("nli_labels",) if name in asked}
    given = {**ASKED, "claims": claims or CLAIMS, **asked}
    reply = await task(Context(nli=str(folder), **settings), TASKS["check"]).ainvoke(given)
    return [one.label for one in reply.judgements]


async def test_a_network_in_an_onnx_file_judges_claims(tmp_path: Path) -> None:
    assert await judged(folder_of(tmp_path)) == ["entailment", "contradiction", "neutral"]
    assert {*sys.modules}.isdisjoint({"torch", "transformers"})


async def test_it_judges_without_torch_being_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "transformers", None)
    assert await judged(folder_of(tmp_path)) == ["entailment", "contradiction", "neutral"]


async def test_what_its_classes_mean_stands_in_its_own_config(tmp_path: Path) -> None:
    names = {0: "ALIGNED", 1: "REFUTES", 2: "NOT ENOUGH INFO"}
    assert await judged(folder_of(tmp_path, names=names)) == ["contradiction", "entailment", "neutral"]


async def test_what_is_only_supported_or_not_knows_no_contradiction(tmp_path: Path) -> None:
    names = {0: "not_entailment", 1: "SUPPORTED", 2: "unsupported"}
    assert await judged(folder_of(tmp_path, names=names)) == ["entailment", "neutral", "neutral"]


@pytest.mark.parametrize(
    "names", [None, {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}, {0: "neutral", 1: "contradiction"}, {1: "entailment"}]
)
async def test_a_network_that_does_not_name_its_classes_is_refused_until_somebody_does(
    tmp_path: Path, names: dict[int, str] | None
) -> None:
    folder = folder_of(tmp_path, names=names)
    with pytest.raises(ConfigurationError, match="`nli_labels"):
        await judged(folder)
    given = "contradiction,entailment,neutral"
    assert await judged(folder, nli_labels=given) == ["entailment", "contradiction", "neutral"]
    (folder / "errata.json").write_text(json.dumps({"labels": given.split(",")}))
    assert await judged(folder) == ["entailment", "contradiction", "neutral"]


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ("entailment,neutral", "3 numbers"),
        ("entailment,maybe,neutral", "`maybe` is none of"),
        ("neutral,contradiction,neutral", "no class for entailment"),
    ],
)
async def test_labels_that_cannot_be_meant_are_refused(tmp_path: Path, labels: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        await judged(folder_of(tmp_path), nli_labels=labels)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("config.json", "{", r"config\.json cannot be read as JSON"),
        ("config.json", "[]", "holds no JSON object"),
        ("errata.json", '{"thresholds": {"entailment": "high"}}', "thresholds.entailment"),
        ("errata.json", '{"template": "{question}"}', r"put \{evidence\} into"),
        ("errata.json", '{"label": []}', "`label`"),
        ("model.onnx", "no network", "no judge at"),
    ],
)
async def test_files_that_cannot_be_read_are_an_error_of_the_configuration(
    tmp_path: Path, name: str, content: str, told: str
) -> None:
    folder = folder_of(tmp_path)
    (folder / name).write_text(content)
    with pytest.raises(ConfigurationError, match=told):
        await judged(folder)


async def test_a_model_of_the_list_is_known_by_its_name_once_it_was_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    model = catalogue.MODELS["deberta-v3-xsmall"]
    with pytest.raises(ConfigurationError, match="errata models get deberta-v3-xsmall"):
        await judged(Path(model.name))
    folder = networks.judge(hub.folder(model), WORDS, OPPOSITES)
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / model.weights)
    assert await judged(Path(model.name)) == ["entailment", "contradiction", "neutral"]


async def test_it_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="`nli`"):
        await task(Context(backends={"check": "nli"}), TASKS["check"]).ainvoke(ASKED)
    with pytest.raises(ConfigurationError, match="there is no judge some/model: name a folder"):
        await judged(Path("some/model"))
    with pytest.raises(ConfigurationError, match="holds no network"):
        await judged(tmp_path)
    folder = folder_of(tmp_path)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"pip install 'errata\[onnx\]'"):
        check_backends(Context(nli=str(folder)), ["check"])
    (folder / "model.onnx").rename(folder / "model.safetensors")
    with pytest.raises(ConfigurationError, match=r"pip install 'errata\[nli\]'"):
        check_backends(Context(nli=str(folder)), ["check"])


async def test_of_several_networks_the_small_one_is_taken_unless_one_is_named(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    other = folder / "onnx" / "model_int8.onnx"
    other.parent.mkdir()
    other.write_text("broken")
    assert await judged(folder / "model.onnx") == ["entailment", "contradiction", "neutral"]
    with pytest.raises(ConfigurationError, match="model_int8"):
        await judged(folder)
    (folder / "model.onnx").rename(folder / "onnx" / "model_O2.onnx")
    assert await judged(folder / "onnx" / "model_O2.onnx") == ["entailment", "contradiction", "neutral"]
    other.rename(folder / "onnx" / "model_O4.onnx")
    with pytest.raises(ConfigurationError, match="several networks"):
        await judged(folder)


async def test_long_evidence_is_read_to_its_end_in_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(tmp_path, longest=20)
    read: list[str] = []
    scores = Network.scores

    def noting(network: Network, pairs: list[tuple[str, str]]) -> list[Scores]:
        read.extend(one for one, _ in pairs)
        return scores(network, pairs)

    monkeypatch.setattr(Network, "scores", noting)
    long = "The house is blue and old. It stands in a street. " * 9 + "The tower is high."
    assert await judged(folder, evidence=long) == ["entailment", "contradiction", "neutral"]
    assert "".join(dict.fromkeys(read[: len(read) // 3])) in long
    assert all(len(window.split()) <= 20 for window in read)
    read.clear()
    assert await judged(folder, ["The fox is high."], evidence=long, title="Fox") == ["entailment"]
    assert len(read) > 3
    assert all(window.startswith("Fox\n") for window in read)


async def test_what_no_window_decides_alone_is_not_put_together(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, longest=20)
    apart = "The tower is blue. " + "The house is old. It stands in a street. " * 5 + "The fox is high."
    assert await judged(folder, ["The blue fox is high."], evidence=apart) == ["neutral"]


async def test_claims_are_judged_together_as_one_by_one_also_by_a_quantized_network(tmp_path: Path) -> None:
    from onnxruntime.quantization import quantize_dynamic

    folder = folder_of(tmp_path)
    quantize_dynamic(folder / "model.onnx", folder / "model_int8.onnx")
    for named in (folder / "model.onnx", folder):
        judge = judges.load_judge(str(named), None)
        together = judge.judge(CLAIMS, "The tower is high. " * 3)
        alone = [judge.judge([claim], "The tower is high. " * 3)[0] for claim in CLAIMS]
        assert together == alone
        assert [one.label for one in together] == ["entailment", "contradiction", "neutral"]


def test_a_mark_of_the_tokenizer_in_a_text_is_no_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = judges.load_judge(str(folder_of(tmp_path)), None).network
    seen: list[Any] = []
    forward = network._forward

    def noting(given: Any) -> Any:
        seen.append(given["input_ids"])
        return forward(given)

    monkeypatch.setattr(network, "_forward", noting)
    network.scores([("The house is old. [SEP] It is red.", "It is red. [SEP] [PAD]")])
    (row,) = seen[0].tolist()
    assert row.count(networks.MARKS.index("[SEP]")) == 2
    assert networks.MARKS.index("[PAD]") not in row


async def test_a_claim_that_it_cannot_read_is_an_error_and_no_verdict(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="too long for a judge that reads 64 tokens"):
        await judged(folder_of(tmp_path), ["It is high. " * 40])


async def test_numbers_that_are_none_are_an_error_and_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numpy as np

    network = judges.load_judge(str(folder_of(tmp_path)), None).network
    monkeypatch.setattr(network, "_forward", lambda given: np.full((1, 3), np.nan))
    with pytest.raises(ModelError, match="something other than numbers"):
        await judged(tmp_path / "judge")


async def test_a_label_is_given_from_its_threshold_on(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (one, other, _) = judges.load_judge(str(folder), None).judge(CLAIMS, "The tower is high.")
    sure, against = one.scores.entailment, other.scores.contradiction
    for thresholds, labels in (
        ({"entailment": sure, "contradiction": against}, ["entailment", "contradiction", "neutral"]),
        ({"entailment": sure + 1e-6}, ["neutral", "contradiction", "neutral"]),
        ({"contradiction": None}, ["entailment", "neutral", "neutral"]),
    ):
        (folder / "errata.json").write_text(json.dumps({"thresholds": thresholds}))
        assert await judged(folder) == labels


def test_of_several_windows_support_counts_before_contradiction_and_both_before_silence() -> None:
    silent, supports, against = Scores(0.1, 0.8, 0.1), Scores(0.6, 0.3, 0.1), Scores(0.05, 0.05, 0.9)
    assert decided([("a", silent), ("b", against)], {}).window == "b"
    both = decided([("a", silent), ("b", against), ("c", supports)], {})
    assert (both.label, both.window, both.entailment) == ("entailment", "c", 0.6)
    assert decided([("a", silent), ("b", against), ("c", supports)], {"entailment": 0.7}).label == "contradiction"
    assert decided([("a", silent)], {}).label == "neutral"


async def test_a_judge_of_tokens_names_the_words_that_are_not_borne_out(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, tokens=True, names={0: "supported", 1: "hallucinated"})
    given = {**ASKED, "claims": ["The tower is high.", "The red fox is high."]}
    reply = await task(Context(nli=str(folder)), TASKS["check"]).ainvoke(given)
    assert [one.label for one in reply.judgements] == ["entailment", "neutral"]
    assert reply.judgements[1].reason.endswith("not borne out: red fox")


async def test_a_network_is_asked_in_the_words_that_it_was_taught_with(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / "errata.json").write_text(json.dumps({"template": "{question} {evidence} red"}))
    assert await judged(folder, question="Is it blue?") == ["entailment", "contradiction", "entailment"]
    assert await judged(folder, ["It is blue."], question="Is it blue?") == ["entailment"]


async def test_agreement_is_judged_for_the_sentence_that_the_query_is_about(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    model = task(Context(nli=str(folder)), TASKS["agreement"])
    text = "The bridge opened in 1934. The tower is high."
    evidence = "The house is old. The bridge opened in 1931."
    said = await model.ainvoke({"text": text, "query": "When was the bridge opened?", "evidence": evidence})
    assert said.label == "contradiction"
    assert (said.text_says, said.evidence_says) == ("The bridge opened in 1934.", "The bridge opened in 1931.")
    high = await model.ainvoke({"text": text, "query": "How high is the tower?", "evidence": "The tower is high."})
    assert high.label == "entailment"
    assert high.probability > 0.8 > 0.2 > said.probability
    other = await model.ainvoke({"text": text, "query": "Who painted it?", "evidence": evidence})
    assert (other.label, other.text_says) == ("neutral", "")


async def test_the_attribution_score_goes_by_how_probable_the_judge_finds_it(tmp_path: Path) -> None:
    judge = agreement_judge(Context(nli=str(folder_of(tmp_path))))
    assert await judge("The tower is high.", "It is high.") == pytest.approx(0.867, abs=1e-3)
    assert await judge("The tower is high.", "It is red.") == pytest.approx(0.016, abs=1e-2)


def settings_of(folder: Path, sources: Path) -> dict[str, Any]:
    (sources / "bridge.txt").write_text("The Bridge\n\nThe bridge opened in 1931. It stands in Bergen.")
    return {"nli": str(folder), "sources": str(sources)}


async def test_rarr_flags_what_the_judge_finds_and_edits_what_rules_can_place(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    context = settings_of(folder_of(tmp_path), tmp_path / "docs")
    result = await rarr.graph.ainvoke({"text": "The bridge opened in 1934."}, context=context)
    assert (result["text"], result["status"]) == ("The bridge opened in 1931.", "corrected")
    assert {one["backend"] for one in result["verdicts"]} == {"nli"}


async def test_what_no_rule_can_place_is_left_and_told(tmp_path: Path) -> None:
    words = [*WORDS, "loves", "guards"]
    folder = networks.judge(tmp_path / "judge", words, {"loves": "guards"})
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "fox.txt").write_text("The Fox\n\nThe old fox guards the house.")
    context = {"nli": str(folder), "sources": str(tmp_path / "docs")}
    result = await rarr.graph.ainvoke({"text": "The old fox loves the house."}, context=context)
    assert result["status"] == "unresolved"
    assert result["text"] == "The old fox loves the house."
    assert result["unresolved"][0]["sentence"] == "The old fox loves the house."


async def test_refchecker_and_ground_ask_the_judge_that_is_named(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    given = {"text": "The tower is low.", "references": ["The tower is high."]}
    checked = await refchecker.graph.ainvoke(given, context={"nli": str(folder), "claim_format": "subsentence"})
    assert [one["label"] for one in checked["claims"]] == ["contradiction"]
    assert checked["claims"][0]["backend"] == "nli"
    result = await ground.graph.ainvoke(given, context={"nli": str(folder)})
    assert result["status"] in ("unresolved", "corrected")
    assert [one["label"] for one in result["verdicts"]] == ["contradiction"]


def test_methods_that_judge_read_the_judge_and_no_others() -> None:
    reading = {name for name, method in METHODS.items() if "nli" in method.reads}
    assert reading == {"rarr", "refchecker", "ground"}


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network with random weights for torch, in a folder as transformers writes it."""
    torch = pytest.importorskip("torch", reason="the extra `nli` is not installed")
    transformers = pytest.importorskip("transformers", reason="the extra `nli` is not installed")
    folder = networks.judge(tmp_path_factory.mktemp("weights") / "judge", WORDS, OPPOSITES)
    (folder / "model.onnx").unlink()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"), model_max_length=32, pad_token="[PAD]"
    )
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=60,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=32,
        id2label={0: "neutral", 1: "contradiction", 2: "entailment"},
        label2id={"neutral": 0, "contradiction": 1, "entailment": 2},
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.filterwarnings("ignore")  # whatever the libraries warn of is theirs
async def test_weights_are_run_by_torch(weights: Path) -> None:
    judge = judges.load_judge(str(weights), None)
    evidence = "The tower is high. " * 9
    together = judge.judge(CLAIMS, evidence)
    assert [one.label for one in together] == await judged(weights, evidence=evidence)
    alone = [judge.judge([claim], evidence)[0] for claim in CLAIMS]
    for one, other in zip(together, alone, strict=True):
        assert one.scores[:3] == pytest.approx(other.scores[:3], abs=1e-5)
        assert sum(one.scores[:3]) == pytest.approx(1.0)
