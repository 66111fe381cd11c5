"""OpenAI's moderation endpoint, or one with the same API."""

import asyncio
import os
from typing import Any, ClassVar, Self

import httpx
from pydantic import Field, SecretStr

from ...state.errors import ConfigurationError, ToolError
from ...state.runs.addresses import address_of
from ..http import PoliteClient, json_object, user_agent
from ..search import describe, one_line
from .scorer import Attributes, ToxicityTool

ADDRESS = "https://api.openai.com/v1"
ATTRIBUTES = {
    "harassment": "harassment",
    "harassment/threatening": "threatening harassment",
    "hate": "hate",
    "hate/threatening": "threatening hate",
    "sexual": "sexual content",
    "sexual/minors": "sexual content about minors",
    "violence": "violence",
    "violence/graphic": "graphic violence",
}
"""The endpoint's categories that are toxic, and our names for them.

Left out are `illicit` (advice on wrongdoing) and `self-harm`: a polite recipe and a cry for help are other people's
business, and rewriting them until they score low would only hide what they say. Abuse that tells someone to harm
themselves scores as harassment too.
"""


class ModerationToxicity(ToxicityTool):
    """Scores with the endpoint's categories; the overall score is the highest of the toxic ones."""

    name: str = "moderation"
    description: str = "Score how toxic a text is: harassment, hate, sexual content, violence."
    measures: ClassVar[str] = (
        "How surely OpenAI's moderation model places the text in its worst category among harassment, hate, sexual "
        "content and violence. Mere profanity is none of them; violence counts even if it is only described."
    )
    main: ClassVar[str] = ""
    batch_size: ClassVar[int] = 16
    at_once: ClassVar[int] = 4
    longest: ClassVar[int] = 20_000

    key: SecretStr
    base_url: str = ADDRESS
    model: str = "omni-moderation-latest"
    retries: int = Field(default=3, ge=0)

    @classmethod
    def of(cls, *, base_url: str = ADDRESS, **settings: Any) -> Self:
        """Make the scorer. Raises ConfigurationError if OPENAI_API_KEY is not set, or does not fit a header."""
        key = os.environ.get("OPENAI_API_KEY", "").strip()
        if not key:
            advice = "get a key at https://platform.openai.com, or choose another scorer"
            raise ConfigurationError(f"OPENAI_API_KEY is not set: {advice}")
        if not (key.isascii() and key.isprintable()):
            raise ConfigurationError("OPENAI_API_KEY is not a key: it must be one line of ASCII characters")
        return cls(key=SecretStr(key), base_url=address_of(base_url, "base_url"), **settings)

    def settings(self) -> dict[str, Any]:
        """The address of the service, and the model."""
        return {"base_url": self.base_url, "model": self.model}

    async def _measure(self, texts: list[str]) -> list[Attributes]:
        try:
            async with asyncio.timeout(self.timeout):
                response = await self._post({"model": self.model, "input": texts})
        except httpx.HTTPError as error:
            advice = "check the network and its address"
            raise ToolError(f"The moderation endpoint cannot be reached ({describe(error)}): {advice}") from error
        if response.status_code >= 400:
            raise ToolError(f"The moderation endpoint {self._refusal(response)}")
        answer = json_object(response, "The moderation endpoint")
        try:
            scores = [result["category_scores"] for result in answer["results"]]
            return [{ours: result_scores[name] for name, ours in ATTRIBUTES.items()} for result_scores in scores]
        except (KeyError, TypeError) as error:
            raise ToolError("The moderation endpoint answered without the category scores: try again later") from error

    async def _post(self, body: dict[str, Any]) -> httpx.Response:
        headers = {"User-Agent": user_agent(), "Authorization": f"Bearer {self.key.get_secret_value()}"}
        async with PoliteClient(retries=self.retries, timeout=self.timeout, headers=headers) as client:
            return await client.post(f"{self.base_url}/moderations", json=body)

    def _refusal(self, response: httpx.Response) -> str:
        """What the server said instead of a score, and what to do about it."""
        if response.status_code == 429:
            return "asks for fewer requests (429): wait a while, or see your quota"
        if response.status_code in (401, 403):
            return f"refuses the key ({response.status_code}): check it and what it may be used for"
        try:
            said = response.json()["error"]["message"]
        except (ValueError, KeyError, TypeError):
            said = response.reason_phrase
        reason = one_line(str(said), 200).replace(self.key.get_secret_value(), "[key]")
        advice = "try again later" if response.status_code >= 500 else "check its address and the text"
        return f"answered {response.status_code} ({reason}): {advice}"
