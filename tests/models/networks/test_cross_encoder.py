"""The cross-encoder backend of `rank`: what it says where it can't work, and the seam to the library."""

import sys
import types
from typing import Any

import pytest

from errata.models import check_backends, task
from errata.models.networks import cross_encoder
from errata.models.tasks import TASKS
from errata.state import Context
from errata.state.errors import ConfigurationError

ASKED = {"query": "When?", "passages": ["In 1889.", "In Paris, of course."]}


def with_encoder(**settings: Any) -> Context:
    return Context(backends={"rank": "cross_encoder"}, **settings)


@pytest.fixture(autouse=True)
def _nothing_loaded() -> None:
    cross_encoder._load.cache_clear()


async def test_it_wants_to_be_named() -> None:
    with pytest.raises(ConfigurationError, match="cross_encoder"):
        await task(with_encoder(), TASKS["rank"]).ainvoke(ASKED)


async def test_without_its_package_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'errata\[rank\]'"):
        await task(with_encoder(cross_encoder="some/model"), TASKS["rank"]).ainvoke(ASKED)


@pytest.mark.parametrize(("settings", "said"), [({}, "`cross_encoder`"), ({"cross_encoder": "some/model"}, "rank")])
def test_what_it_lacks_is_said_before_anything_is_run(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], said: str
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ConfigurationError, match=said):
        check_backends(with_encoder(**settings), ["queries", "rank"])
    check_backends(with_encoder(**settings), ["queries"])


async def test_it_scores_query_and_passage_together(monkeypatch: pytest.MonkeyPatch) -> None:
    class ByLength:
        def __init__(self, name: str, num_labels: int) -> None:
            assert (name, num_labels) == ("some/model", 1)

        def predict(self, pairs: list[tuple[str, str]], show_progress_bar: bool) -> list[float]:
            return [float(len(passage)) for query, passage in pairs]

    monkeypatch.setitem(
        sys.modules, "sentence_transformers", types.SimpleNamespace(CrossEncoder=ByLength, __spec__="fake")
    )
    ranking = await task(with_encoder(cross_encoder="some/model"), TASKS["rank"]).ainvoke(ASKED)
    assert ranking.scores == [8.0, 20.0]


async def test_a_model_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str, num_labels: int) -> None:
        raise OSError("no such folder")

    monkeypatch.setitem(
        sys.modules, "sentence_transformers", types.SimpleNamespace(CrossEncoder=broken, __spec__="fake")
    )
    with pytest.raises(ConfigurationError, match=r"no cross-encoder at some/model: no such folder"):
        await task(with_encoder(cross_encoder="some/model"), TASKS["rank"]).ainvoke(ASKED)
