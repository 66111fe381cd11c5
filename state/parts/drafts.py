"""Settings of drafts: how an answer comes to be that is then corrected."""

from typing import Literal

from pydantic import Field

from .base import Settings


class DraftSettings(Settings, group="Draft"):
    """How an answer is drafted."""

    draft: Literal["direct", "cot", "self_consistency", "react"] | None = Field(
        default=None,
        description="How an answer is drafted that is then corrected: `direct`, `cot` (a chain of thought), "
        "`self_consistency` (the answer that most of `samples` chains come to), `react` (thinking and searching by "
        "turns). By default as the method's paper does; with the embedded model, which knows next to nothing, `react`.",
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
    """Thinking by turns with tools."""

    critique_calls: int = Field(
        default=7,
        ge=1,
        le=50,
        description="Model calls at most in one critique, and in a `react` draft: each may use one tool (CRITIC: 7).",
    )
