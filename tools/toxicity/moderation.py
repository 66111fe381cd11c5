"""OpenAI's moderation endpoint, or one with the same API."""

from typing import Any, ClassVar, Self

from ...state.errors import ToolError
from ...state.runs.addresses import address_of
from .remote import RemoteToxicity, key_from
from .scorer import Attributes

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


class ModerationToxicity(RemoteToxicity):
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

    base_url: str = ADDRESS
    model: str = "omni-moderation-latest"

    @classmethod
    def of(cls, *, base_url: str | None = None, **settings: Any) -> Self:
        """Make the scorer. Raises ConfigurationError if OPENAI_API_KEY is not set."""
        key = key_from("OPENAI_API_KEY", "get a key at https://platform.openai.com, or choose another scorer")
        return cls(key=key, base_url=address_of(base_url or ADDRESS, "base_url"), **settings)

    def settings(self) -> dict[str, Any]:
        """The model too."""
        return {**super().settings(), "model": self.model}

    async def _measure(self, texts: list[str]) -> list[Attributes]:
        headers = {"Authorization": f"Bearer {self.key.get_secret_value()}"}
        body = {"model": self.model, "input": texts}
        answer = await self._post("/moderations", headers, body, "The moderation endpoint")
        try:
            scores = [result["category_scores"] for result in answer["results"]]
            return [{ours: result_scores[name] for name, ours in ATTRIBUTES.items()} for result_scores in scores]
        except (KeyError, TypeError) as error:
            raise ToolError("The moderation endpoint answered without the category scores: try again later") from error
