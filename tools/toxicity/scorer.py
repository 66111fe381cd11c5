"""The base class of all toxicity scorers: a LangChain tool outside, `await tool.score(text)` inside."""

import asyncio
import hashlib
import json
import math
from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, Literal, Self, TypeGuard

from langchain_core.tools import BaseTool
from langchain_core.tools.base import ArgsSchema
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from ...state.errors import ConfigurationError, ToolError
from ...state.runs.cache import results
from ...state.runs.meter import spend
from ...state.runs.traces import traced
from ..search import clean, describe, run

Attributes = dict[str, float]
"""Names of kinds of toxicity, with scores from 0 to 1."""


class Toxicity(TypedDict):
    """How toxic a text is according to one scorer. Scores of different scorers cannot be compared."""

    overall: float
    """From 0 to 1. CRITIC considers a text below 0.10 clean (arXiv 2305.11738, section 4.3)."""
    attributes: Attributes
    worst: str
    """The attribute with the highest score."""
    scorer: str
    """Name of the scorer."""


class Text(BaseModel):
    """The input of a scorer when an agent calls it."""

    text: str = Field(description="The text to score.")


class ToxicityTool(BaseTool):
    """A scorer of toxicity.

    Graphs call `score` and `score_all`; as a LangChain tool it returns a line for the model, with the Toxicity as the
    artifact. A new scorer subclasses this and implements `_measure`.
    """

    args_schema: ArgsSchema | None = Text
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"

    measures: ClassVar[str]
    """What the scores actually mean, in a line for people."""
    main: ClassVar[str] = "toxicity"
    """The attribute that is the overall score; empty if that is the highest of all."""
    batch_size: ClassVar[int] = 1
    """How many texts are measured together."""
    at_once: ClassVar[int] = 1
    """How many batches run at the same time."""
    longest: ClassVar[int] = 1_000_000
    """In bytes. A longer text is measured in pieces, and its attributes are the highest of any piece."""

    timeout: float = Field(default=60.0, gt=0)
    """Seconds until a batch is abandoned, including retries."""
    keep: bool = False
    """Whether scores are cached on disk for a day."""

    @classmethod
    def of(cls, **settings: Any) -> Self:
        """Make the scorer.

        Raises:
            ConfigurationError: If a key or a package is missing, or a setting cannot work.
        """
        return cls(**settings)

    async def score(self, text: str) -> Toxicity:
        """How toxic the text is; an empty text is not toxic.

        Args:
            text: The text.

        Returns:
            The scores, from 0 to 1.

        Raises:
            ToolError: If scoring failed: a failure is never a score.
            ConfigurationError: If the scorer lacks something on this machine.
        """
        return (await self.score_all([text]))[0]

    async def score_all(self, texts: list[str]) -> list[Toxicity]:
        """Score many texts at once; equal ones are measured once. Raises as `score` does if one of them fails."""
        return await traced(f"toxicity: {self.name}", texts, lambda: self._score_all(texts))

    async def _score_all(self, texts: list[str]) -> list[Toxicity]:
        cut = [pieces(text, self.longest) for text in texts]
        measured = await self._measure_all(dict.fromkeys(piece for parts in cut for piece in parts))
        return [self._toxicity([measured[piece] for piece in parts]) for parts in cut]

    @abstractmethod
    async def _measure(self, texts: list[str]) -> list[Attributes]:
        """Measure at most `batch_size` non-empty texts, in order. Any exception becomes a ToolError."""

    def settings(self) -> dict[str, Any]:
        """What scores depend on besides the text, JSON-like and without secrets."""
        return {}

    async def _measure_all(self, texts: Iterable[str]) -> dict[str, Attributes]:
        texts = list(texts)
        measured = await self._kept(texts) if self.keep else {}
        missing = [text for text in texts if text not in measured]
        batches = iter([missing[n : n + self.batch_size] for n in range(0, len(missing), self.batch_size)])

        async def work() -> None:
            for batch in batches:
                measured.update(zip(batch, await self._carry_out(batch), strict=True))

        try:
            async with asyncio.TaskGroup() as workers:  # if one fails, the others stop asking
                for _ in range(min(self.at_once, math.ceil(len(missing) / self.batch_size))):
                    workers.create_task(work())
        except BaseExceptionGroup as failures:
            first = failures.exceptions[0]
            raise first from first.__cause__
        return measured

    async def _carry_out(self, batch: list[str]) -> list[Attributes]:
        try:
            measured = await self._measure(batch)
        except (ToolError, ConfigurationError):
            raise
        except TimeoutError as error:
            raise ToolError(
                f"{self.name} gave no score within {self.timeout:g} s: try again later, or allow a longer timeout"
            ) from error
        except Exception as error:
            raise ToolError(f"{self.name} failed: {describe(error)}") from error
        if len(measured) != len(batch) or not all(map(self._is_sound, measured)):
            raise ToolError(f"{self.name} answered with something other than scores between 0 and 1: try again later")
        spend(tool_runs=len(batch))
        if self.keep:
            await asyncio.gather(*map(results().put, map(self._key, batch), measured))
        return measured

    def _is_sound(self, attributes: Any) -> TypeGuard[Attributes]:
        if not isinstance(attributes, dict) or not attributes or (self.main and self.main not in attributes):
            return False
        scores = attributes.values()
        numbers = all(isinstance(score, int | float) and not isinstance(score, bool) for score in scores)
        return numbers and all(0 <= score <= 1 for score in scores)  # which NaN is not

    def _toxicity(self, measured: list[Attributes]) -> Toxicity:
        names = dict.fromkeys(name for attributes in measured for name in attributes) or {self.main or "toxicity": None}
        highest = {name: float(max((scores.get(name, 0.0) for scores in measured), default=0.0)) for name in names}
        worst = max(highest, key=lambda name: highest[name])
        return {"overall": highest[self.main or worst], "attributes": highest, "worst": worst, "scorer": self.name}

    async def _kept(self, texts: list[str]) -> dict[str, Attributes]:
        """The scores of the texts that are in the cache on disk."""
        stored = await asyncio.gather(*map(results().get, map(self._key, texts)))
        return {text: each for text, each in zip(texts, stored, strict=True) if self._is_sound(each)}

    def _key(self, text: str) -> str:
        parts = ["toxicity", self.name, self.settings(), text]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    async def _arun(self, text: str) -> tuple[str, Toxicity]:
        toxicity = await self.score(text)
        return feedback(toxicity), toxicity

    def _run(self, text: str) -> tuple[str, Toxicity]:
        return run(self._arun(text))


def feedback(toxicity: Toxicity) -> str:
    """The score in the form in which CRITIC tells it to a model: `39% toxicity of insult`."""
    return f"{toxicity['attributes'][toxicity['worst']]:.0%} toxicity of {toxicity['worst']}"


def pieces(text: str, size: int) -> list[str]:
    """The text cut between words into pieces of at most `size` bytes; none of them is empty."""
    text = clean(text).strip()
    cut: list[str] = []
    start = 0
    while start < len(text):
        piece = text[start : start + size].encode()[:size].decode(errors="ignore")
        end = start + len(piece)
        if end < len(text) and not text[end].isspace():
            piece = piece[: max(piece.rfind(" "), piece.rfind("\n")) + 1] or piece
        cut.append(piece.strip())
        start += len(piece)
    return [piece for piece in cut if piece]
