"""Google's Perspective API, the scorer of CRITIC's paper. It ends with 2026 and takes no new users."""

from typing import Any, ClassVar, Self

import httpx

from ...state.errors import ToolError
from ...state.runs.addresses import address_of
from .remote import RemoteToxicity, key_from, problem
from .scorer import Attributes

ADDRESS = "https://commentanalyzer.googleapis.com"
QUOTA = 1.0
"""The requests per second that Google allows a project by default."""
NOTICE = "Google's Perspective API ends with 2026 and takes no new users"
ATTRIBUTES = {
    "TOXICITY": "toxicity",
    "SEVERE_TOXICITY": "severe toxicity",
    "IDENTITY_ATTACK": "identity attack",
    "INSULT": "insult",
    "PROFANITY": "profanity",
    "THREAT": "threat",
    "SEXUALLY_EXPLICIT": "sexually explicit",
    "FLIRTATION": "flirtation",
}
"""Perspective's names and ours. The last two exist only for English."""
_LANGUAGE = ("LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE", "LANGUAGE_DETECTION_FAILED")


class PerspectiveToxicity(RemoteToxicity):
    """Scores with eight of Perspective's attributes; the overall score is its TOXICITY."""

    name: str = "perspective"
    description: str = "Score how toxic a text is: insults, threats, profanity, attacks on groups, sexual content."
    measures: ClassVar[str] = (
        "How likely a reader would perceive the text as toxic, with seven finer attributes, by Google's Perspective "
        f"API. {NOTICE}."
    )
    at_once: ClassVar[int] = 8
    longest: ClassVar[int] = 20_480

    base_url: str = ADDRESS
    requests_per_second: float | None = QUOTA
    languages: tuple[str, ...] = ("en",)
    """The languages of the text; if empty, Perspective guesses, which works badly on short texts."""

    @classmethod
    def of(cls, *, base_url: str | None = None, requests_per_second: float | None = None, **settings: Any) -> Self:
        """Make the scorer. Raises ConfigurationError if PERSPECTIVE_API_KEY is not set."""
        key = key_from("PERSPECTIVE_API_KEY", f"{NOTICE}; without a key, choose another scorer, such as moderation")
        address = address_of(base_url or ADDRESS, "base_url")
        return cls(key=key, base_url=address, requests_per_second=requests_per_second or QUOTA, **settings)

    def settings(self) -> dict[str, Any]:
        """The languages too."""
        return {**super().settings(), "languages": list(self.languages)}

    async def _measure(self, texts: list[str]) -> list[Attributes]:
        return [await self._measure_one(text) for text in texts]

    async def _measure_one(self, text: str) -> Attributes:
        body: dict[str, Any] = {
            "comment": {"text": text, "type": "PLAIN_TEXT"},
            "requestedAttributes": {name: {} for name in ATTRIBUTES},
            "doNotStore": True,
        }
        if self.languages:
            body["languages"] = list(self.languages)
        headers = {"X-Goog-Api-Key": self.key.get_secret_value()}  # not in the address, which ends up in logs
        answer = await self._post("/v1alpha1/comments:analyze", headers, body, "Perspective")
        try:
            scores = answer["attributeScores"]
            return {ours: scores[name]["summaryScore"]["value"] for name, ours in ATTRIBUTES.items()}
        except (KeyError, TypeError) as error:
            raise ToolError("Perspective answered without the scores that were asked for: try again later") from error

    def _refusal(self, response: httpx.Response) -> str:
        if response.status_code in (404, 410):
            return f"is not there ({response.status_code}): {NOTICE}; check the address, or choose another scorer"
        details = problem(response).get("details")
        kinds = [value for detail in _dicts(details) for name in ("errorType", "reason") if (value := detail.get(name))]
        if "API_KEY_INVALID" in kinds or response.status_code in (401, 403):
            return f"refuses the key ({response.status_code}): check PERSPECTIVE_API_KEY. {NOTICE}"
        if any(kind in kinds for kind in _LANGUAGE):
            return (
                "does not know the text's language, or not for all attributes: set `languages` to the language it is "
                "in (two of the attributes exist for English only), or choose another scorer"
            )
        return super()._refusal(response)


def _dicts(values: Any) -> list[dict[str, Any]]:
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []
