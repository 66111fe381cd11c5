"""The choice of scorer for a run: a name in a table, or an object that the caller supplies."""

from typing import Any, cast

from ...state.errors import ConfigurationError
from .profanity import ProfanityToxicity
from .scorer import ToxicityTool

SCORERS: dict[str, str] = {
    "profanity": "Profanity in English words, judged on this machine; needs nothing.",
    "moderation": "OpenAI's moderation endpoint; needs a key in OPENAI_API_KEY.",
}
"""What each scorer is and what it needs."""


def toxicity_tool(
    scorer: Any = "profanity", *, timeout: float = 60.0, retries: int = 3, cache: bool = True
) -> ToxicityTool:
    """Make the scorer of that name, or return an object that has `score` as ToxicityTool has.

    Apart from `scorer`, the settings apply only to named scorers: an object keeps its own.

    Args:
        scorer: The name of a scorer, or an object.
        timeout: Seconds until a request is abandoned, including retries.
        retries: Further tries after a temporary failure.
        cache: Whether the results of a scorer that asks a server are cached on disk for a day.

    Returns:
        The scorer.

    Raises:
        ConfigurationError: If the settings cannot work (an unknown name, a missing key).
    """
    if not isinstance(scorer, str):
        if callable(getattr(scorer, "score", None)):
            return cast("ToxicityTool", scorer)
        advice = f"pass an object with an async `score`, or name one of {', '.join(SCORERS)}"
        raise ConfigurationError(f"{type(scorer).__name__} cannot score: {advice}")
    if timeout <= 0 or retries < 0:
        raise ConfigurationError("`timeout` must be above 0, `retries` at least 0")
    if scorer == "profanity":
        return ProfanityToxicity(timeout=timeout)
    if scorer == "moderation":
        from .moderation import ModerationToxicity

        return ModerationToxicity.of(timeout=timeout, retries=retries, keep=cache)
    raise ConfigurationError(f"unknown toxicity scorer {scorer!r}: choose one of {', '.join(SCORERS)}")
