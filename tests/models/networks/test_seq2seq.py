"""The seq2seq backend: what it says where it can't work, and the seam to the network."""

import importlib.util
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from errata.models import check_backends, task
from errata.models.backends import SEQ2SEQ
from errata.models.networks import seq2seq
from errata.models.tasks import TASKS
from errata.models.tasks.correction import Pair
from errata.state import Context
from errata.state.errors import ConfigurationError, ModelError

from ...networks import untrained

PAIRS: list[Pair] = [
    {"query": "When was the tower completed?", "title": "Tower", "evidence": "The tower was completed in 1889."},
    {"query": "Where does the tower stand?", "title": "", "evidence": "The tower stands in Paris."},
]
GIVEN: Any = {"text": "The tower was completed in 1899.", "question": "", "pairs": PAIRS}
HAS_TORCH = all(importlib.util.find_spec(name) for name in SEQ2SEQ.packages)
needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="needs torch and transformers: pip install 'errata[seq2seq]'")


def without(monkeypatch: pytest.MonkeyPatch, *missing: str) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name in missing else found(name, *rest)
    )


@pytest.mark.parametrize("missing", SEQ2SEQ.packages)
async def test_without_its_packages_it_says_how_to_get_them(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, missing)
    context = Context(editor_model="some/model", question_model="some/model")
    with pytest.raises(ConfigurationError, match=r"pip install 'errata\[seq2seq\]'"):
        check_backends(context, ["edit_all"])
    with pytest.raises(ConfigurationError, match=r"pip install 'errata\[seq2seq\]'"):
        await task(context, TASKS["edit_all"]).ainvoke(GIVEN)
    with pytest.raises(ConfigurationError, match=r"pip install 'errata\[seq2seq\]'"):
        await task(context, TASKS["queries"]).ainvoke({"text": "It rains.", "question": ""})


@needs_torch
async def test_a_folder_that_holds_no_model_is_named_and_nothing_is_downloaded(tmp_path: Path) -> None:
    for name in (str(tmp_path), "no-such/model"):
        with pytest.raises(
            ConfigurationError, match=f"no encoder-decoder at {name}: give a folder, or download it first"
        ):
            await task(Context(editor_model=name), TASKS["edit_all"]).ainvoke(GIVEN)


def test_every_pair_is_a_passage_and_without_any_the_claim_is_one() -> None:
    assert seq2seq.passages("It rains.", PAIRS) == [
        "claim: It rains. question: When was the tower completed? evidence: Tower. The tower was completed in 1889.",
        "claim: It rains. question: Where does the tower stand? evidence: The tower stands in Paris.",
    ]
    assert seq2seq.passages("It rains.", []) == ["claim: It rains."]


def words(texts: list[str]) -> dict[str, list[list[int]]]:
    """A tokenizer to which every word is one token."""
    return {"input_ids": [[1] * len(text.split()) for text in texts]}


def with_network(monkeypatch: pytest.MonkeyPatch, say: Any) -> list[list[str]]:
    """A network that says what it is told to; returns the items that it is given."""
    given: list[list[str]] = []

    def write(network: Any, items: Any, **settings: Any) -> list[str]:
        given.extend(items)
        return [say(item) for item in items]

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)  # as if its packages were installed
    monkeypatch.setattr(seq2seq, "load", lambda model: seq2seq.Network(None, words))
    monkeypatch.setattr(seq2seq, "write", write)
    return given


def claim_of(item: list[str]) -> str:
    return item[0].partition("claim: ")[2].partition(" question:")[0]


async def test_a_long_text_is_edited_sentence_by_sentence_and_keeps_its_form(monkeypatch: pytest.MonkeyPatch) -> None:
    given = with_network(monkeypatch, lambda item: claim_of(item).replace("1899", "1889"))
    text = "\n\n".join(f"Sentence number {n} says that it was in 1899." for n in range(30))
    edited = await task(Context(editor_model="x"), TASKS["edit_all"]).ainvoke({**GIVEN, "text": text})
    assert edited.text == text.replace("1899", "1889")
    assert len(given) == 30
    assert all(len(item) == len(PAIRS) for item in given)


async def test_a_short_text_is_edited_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    given = with_network(monkeypatch, claim_of)
    await task(Context(editor_model="x"), TASKS["edit_all"]).ainvoke({**GIVEN, "text": "It rains. It pours."})
    assert [claim_of(item) for item in given] == ["It rains. It pours."]


@pytest.mark.parametrize(
    ("text", "said", "problem"),
    [
        ("It rains.", "", "wrote nothing"),
        ("It rains.", "  ", "wrote nothing"),
        ("word " * 200, "x", "longer than the editor"),
    ],
)
async def test_what_cannot_be_edited_is_a_model_error(
    text: str, said: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_network(monkeypatch, lambda item: said)
    with pytest.raises(ModelError, match=problem):
        await task(Context(editor_model="x"), TASKS["edit_all"]).ainvoke({**GIVEN, "text": text})


async def test_questions_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    given = with_network(monkeypatch, lambda item: "When? | Where? | When? |")
    asked = await task(Context(question_model="x"), TASKS["queries"]).ainvoke(
        {"text": "It rains.", "question": "What?"}
    )
    assert asked.queries == ["When?", "Where?"]
    assert given == [["context: What? claim: It rains."]]


def test_a_passage_is_cut_where_its_evidence_ends() -> None:
    ids = [*range(400), 1]
    assert seq2seq.cut(ids) == [*range(seq2seq.PASSAGE_TOKENS - 1), 1]
    assert seq2seq.cut([5, 1]) == [5, 1]


@needs_torch
async def test_a_model_with_a_tokenizer_of_transformers_edits(tmp_path: Path) -> None:
    """What a random T5 writes is noise, how it gets there is not."""
    untrained(tmp_path, [json.dumps(PAIRS)])
    network = seq2seq.load(str(tmp_path))
    seq2seq._load.cache_clear()
    with ThreadPoolExecutor(4) as threads:
        loaded = list(threads.map(lambda _: seq2seq.load(str(tmp_path)), range(4)))
    assert all(each is loaded[0] for each in loaded)
    said = seq2seq.write(network, [seq2seq.passages(GIVEN["text"], PAIRS)] * 2, max_new_tokens=5)
    assert said[0] == said[1]
