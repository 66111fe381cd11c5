"""The choice of scorer for a run: a name in a table, or an object that the caller supplies."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from ...state.errors import ConfigurationError

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from .scorer import ToxicityTool


def toxicity_tool(
    scorer: "str | BaseTool" = "profanity",
    *,
    timeout: float = 60.0,
    retries: int = 3,
    cache: bool = True,
    base_url: str | None = None,
    requests_per_second: float | None = None,
) -> "ToxicityTool":
    """Make the scorer of that name, or return an object that has `score` as ToxicityTool has.

    Apart from `scorer`, the settings apply only to named scorers: an object keeps its own. Modules are looked for on
    disk, so call this through `asyncio.to_thread` in an event loop.

    Args:
        scorer: The name of a scorer, or an object.
        timeout: Seconds until a request is abandoned, including retries.
        retries: Further tries after a temporary failure.
        cache: Whether the results of remote scorers are cached on disk for a day.
        base_url: The address of a remote scorer; None for its own.
        requests_per_second: The request rate of a remote scorer; None for its own.

    Returns:
        The scorer.

    Raises:
        ConfigurationError: If the settings cannot work (an unknown name, a missing key or package, an address for a
            scorer that runs here).
    """
    if not isinstance(scorer, str):
        return _handed_in(scorer)
    if scorer not in SCORERS:
        raise ConfigurationError(f"unknown toxicity scorer {scorer!r}: choose one of {', '.join(SCORERS)}")
    if timeout <= 0 or retries < 0 or (requests_per_second is not None and requests_per_second <= 0):
        raise ConfigurationError("`timeout` and `requests_per_second` must be above 0, `retries` at least 0")
    settings: dict[str, Any] = {"timeout": timeout}
    if scorer in _REMOTE:
        settings |= {"base_url": base_url, "requests_per_second": requests_per_second, "retries": retries}
        settings["keep"] = cache
    elif base_url is not None or requests_per_second is not None:
        raise ConfigurationError(f"{scorer} runs on this machine: it takes no `base_url` or `requests_per_second`")
    module = import_module(f".{scorer}", __package__)
    made: ToxicityTool = getattr(module, f"{scorer.capitalize()}Toxicity").of(**settings)
    return made


def _handed_in(scorer: Any) -> "ToxicityTool":
    if callable(getattr(scorer, "score", None)):
        return cast("ToxicityTool", scorer)
    raise ConfigurationError(
        f"{type(scorer).__name__} cannot score: pass an object with an async `score`, "
        f"or name one of {', '.join(SCORERS)}"
    )


_REMOTE = ("moderation", "perspective")

SCORERS: dict[str, str] = {
    "profanity": "Profanity in English words, judged on this machine; needs nothing.",
    "moderation": "OpenAI's moderation endpoint; needs a key in OPENAI_API_KEY.",
    "detoxify": "Toxicity by a BERT on this machine; needs `errata[detoxify]` and its weights, downloaded beforehand.",
    "perspective": "Google's Perspective API, which ends with 2026 and takes no new users; needs PERSPECTIVE_API_KEY.",
}
"""What each scorer is and what it needs. Its class, such as ProfanityToxicity, is in the module of its name."""
