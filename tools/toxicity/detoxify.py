"""Detoxify: a local BERT trained on the comments of the Jigsaw toxicity challenges."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Literal

from ...state.errors import ConfigurationError, absent
from ...state.locks import ProcessLock
from .scorer import Attributes, ToxicityTool

Model = Literal["original", "unbiased", "multilingual", "original-small", "unbiased-small"]

INSTALL = "Detoxify is not installed: run `pip install 'errata[detoxify]'`, or choose another scorer"
_one_at_a_time = ProcessLock()


class DetoxifyToxicity(ToxicityTool):
    """Scores with Detoxify's weights, which must already be on this machine: nothing is downloaded."""

    name: str = "detoxify"
    description: str = "Score how toxic a text is: insults, threats, obscenity, attacks on groups."
    measures: ClassVar[str] = (
        "How likely readers of online comments would call the text toxic, with finer attributes, by a model that tends "
        "to take profanity for toxicity whatever the intent."
    )
    batch_size: ClassVar[int] = 16
    longest: ClassVar[int] = 1_500
    """About what fits the model's 512 tokens, beyond which it would silently cut the text."""

    model: Model = "original"
    checkpoint: str | None = None
    """The path of your own weights, in Detoxify's format. They are a pickle, so they can run code: trust their source.
    """

    def model_post_init(self, context: Any, /) -> None:
        """Check that the package and the checkpoint are there. Raises ConfigurationError."""
        if find_spec("detoxify") is None:
            raise ConfigurationError(INSTALL)
        if self.checkpoint is not None and not Path(self.checkpoint).is_file():
            raise ConfigurationError(absent(self.checkpoint, what="Detoxify checkpoint"))

    async def _measure(self, texts: list[str]) -> list[Attributes]:
        async with asyncio.timeout(self.timeout):
            return await asyncio.to_thread(self._predict, texts)

    def _predict(self, texts: list[str]) -> list[Attributes]:
        with _one_at_a_time:
            scores_by_name = _detoxify(self.model, self.checkpoint).predict(texts)
        columns = {
            name.replace("_", " "): scores
            if isinstance(scores, list)
            else [scores]  # a single text gives a bare number
            for name, scores in scores_by_name.items()
        }
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@lru_cache(maxsize=2)
def _detoxify(model: Model, checkpoint: str | None) -> Any:
    """The model, loaded once for all scorers.

    Raises:
        ConfigurationError: If something is not on this machine.
    """
    with _offline():
        library = import_module("detoxify.detoxify")
        weights = Path(checkpoint) if checkpoint else _downloaded(library.MODEL_URLS[model])
        if not weights.is_file():
            raise ConfigurationError(f"Detoxify's weights are not at {weights}: {_how_to_download(model)}")
        try:
            return library.Detoxify(model_type=model, checkpoint=str(weights))
        except OSError as error:
            raise ConfigurationError(
                f"the settings or words of Detoxify's base model are not on this machine: {_how_to_download(model)}"
            ) from error


def _downloaded(url: str) -> Path:
    """Where torch keeps what Detoxify downloads from an address."""
    return Path(import_module("torch.hub").get_dir()) / "checkpoints" / url.rsplit("/", 1)[-1]


def _how_to_download(model: Model) -> str:
    return f"run `python -c \"from detoxify import Detoxify; Detoxify('{model}')\"` once, with a network"


@contextmanager
def _offline() -> Iterator[None]:
    """Keep the Hugging Face libraries offline: they check for new files even if they have them."""
    constants: Any = import_module("huggingface_hub.constants")
    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before
