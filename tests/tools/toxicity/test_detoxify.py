"""Detoxify, with a stand-in for its package: the real one brings torch."""

import importlib.util
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from errata.state.errors import ConfigurationError, ToolError
from errata.state.runs.meter import metered
from errata.tools.toxicity import detoxify, toxicity_tool
from errata.tools.toxicity.detoxify import DetoxifyToxicity

NAMES = ("toxicity", "severe_toxicity", "obscene", "threat", "insult", "identity_attack")


class Stub:
    """Answers as Detoxify does: a list per attribute, or a bare number for a lone text."""

    made: list[dict[str, Any]]
    asked: list[list[str]]
    offline: ModuleType
    fails: Exception | None = None

    def __init__(self, **settings: Any) -> None:
        assert self.offline.HF_HUB_OFFLINE
        self.made.append(settings)
        if self.fails:
            raise self.fails

    def predict(self, texts: list[str]) -> dict[str, Any]:
        self.asked.append(texts)
        scores = {name: [len(text) / 10_000 + n / 100 for text in texts] for n, name in enumerate(NAMES)}
        return {name: of_texts[0] if len(texts) == 1 else of_texts for name, of_texts in scores.items()}


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[type[Stub]]:
    """Put the stand-in in place; its weights lie where torch would keep them."""
    modules = {
        name: ModuleType(name)
        for name in (
            "detoxify",
            "detoxify.detoxify",
            "torch",
            "torch.hub",
            "huggingface_hub",
            "huggingface_hub.constants",
        )
    }
    made = type("Detoxify", (Stub,), {"made": [], "asked": [], "offline": modules["huggingface_hub.constants"]})
    attributes: dict[str, dict[str, Any]] = {
        "detoxify": {"__spec__": ModuleSpec("detoxify", None), "__path__": []},
        "detoxify.detoxify": {
            "Detoxify": made,
            "MODEL_URLS": {"original": "https://x/o.ckpt", "unbiased": "https://x/u.ckpt"},
        },
        "torch.hub": {"get_dir": lambda: str(tmp_path)},
        "huggingface_hub.constants": {"HF_HUB_OFFLINE": False},
    }
    for name, module in modules.items():
        vars(module).update(attributes.get(name, {}))
        monkeypatch.setitem(sys.modules, name, module)
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "o.ckpt").touch()
    detoxify._detoxify.cache_clear()
    yield made
    assert not modules["huggingface_hub.constants"].HF_HUB_OFFLINE
    detoxify._detoxify.cache_clear()


async def test_scores(stub: type[Stub], tmp_path: Path) -> None:
    with metered() as meter:
        found = await toxicity_tool("detoxify").score("x" * 1000)
    assert found["overall"] == 0.1
    assert found["worst"] == "identity attack"
    assert found["attributes"]["severe toxicity"] == pytest.approx(0.11)
    assert meter.spent == {"tool_runs": 1}
    assert stub.made == [{"model_type": "original", "checkpoint": str(tmp_path / "checkpoints" / "o.ckpt")}]


async def test_batches(stub: type[Stub]) -> None:
    texts = ["x" * n for n in range(100, 140)]
    found = await toxicity_tool("detoxify").score_all(texts)
    assert [one["overall"] for one in found] == [len(text) / 10_000 for text in texts]
    assert [len(batch) for batch in stub.asked] == [16, 16, 8]
    assert len(stub.made) == 1


async def test_a_long_text_is_not_cut_off_unseen(stub: type[Stub]) -> None:
    text = " ".join(map(str, range(1000)))
    await toxicity_tool("detoxify").score(text)
    assert " ".join(piece for batch in stub.asked for piece in batch) == text
    assert all(len(text) <= 1500 for batch in stub.asked for text in batch)


async def test_weights_of_ones_own(stub: type[Stub], tmp_path: Path) -> None:
    path = tmp_path / "mine.ckpt"
    with pytest.raises(ConfigurationError, match=r"no Detoxify checkpoint .*mine\.ckpt"):
        DetoxifyToxicity(checkpoint=str(path))
    path.touch()
    await DetoxifyToxicity(checkpoint=str(path)).score("a")
    assert stub.made[0]["checkpoint"] == str(path)


async def test_nothing_is_downloaded(stub: type[Stub]) -> None:
    with pytest.raises(ConfigurationError, match=r"u\.ckpt: run .*Detoxify\('unbiased'\).* once, with a network"):
        await DetoxifyToxicity(model="unbiased").score("a")
    stub.fails = OSError("We couldn't connect to the hub")
    with pytest.raises(ConfigurationError, match="base model are not on this machine"):
        await toxicity_tool("detoxify").score("a")


async def test_a_failure_is_no_score(stub: type[Stub]) -> None:
    stub.fails = RuntimeError("out of memory")
    with pytest.raises(ToolError, match="out of memory"):
        await toxicity_tool("detoxify").score("a")


@pytest.mark.skipif(importlib.util.find_spec("detoxify") is not None, reason="Detoxify is installed here")
def test_without_the_package() -> None:
    with pytest.raises(ConfigurationError, match=r"pip install 'errata\[detoxify\]'"):
        toxicity_tool("detoxify")
