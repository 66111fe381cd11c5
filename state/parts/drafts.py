"""Settings of drafts: how to write the answer that is then corrected."""

from typing import Literal

from pydantic import Field

from .base import Settings


class DraftSettings(Settings, group="Draft"):
    """How an answer is drafted."""

    draft: Literal["direct", "cot", "self_consistency", "react"] | None = Field(
        default=None,
        description="How to draft the answer that is then corrected: `direct`, `cot` (a chain of thought), "
        "`self_consistency` (the majority answer of `samples` chains) or `react` (alternately "
        "thinking and searching). By default as in the method's paper; with the embedded model, "
        "which knows very little, `react`.",
    )


class SampleSettings(Settings, group="Draft"):
    """Several drafts of one answer."""

    samples: int = Field(
        default=5, ge=1, le=100, description="Chains of thought sampled for one answer (Verify-and-Edit: 5)."
    )
    sample_temperature: float = Field(
        default=0.7, ge=0, le=2, description="Temperature of samples (Verify-and-Edit: 0.7; rejection sampling: 0.5)."
    )


class TurnSettings(Settings, group="Draft"):
    """Thinking in turns with tools."""

    critique_calls: int = Field(
        default=7,
        ge=1,
        le=50,
        description="The most model calls in one critique, and in a `react` draft; each may use one tool (CRITIC: 7).",
    )
