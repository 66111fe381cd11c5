"""A person who reviews edits: what they are shown, and what they answer, in the form of LangChain's middleware."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from langchain.agents.middleware.human_in_the_loop import HITLRequest, HITLResponse
from pydantic import TypeAdapter

_REQUEST, _RESPONSE = TypeAdapter(HITLRequest), TypeAdapter(HITLResponse)


def rejected(why: str) -> dict[str, Any]:
    """The answer of somebody who says why they do not want an edit."""
    return {"decisions": [{"type": "reject", "message": why}]}


def edited(after: str, **arguments: str) -> dict[str, Any]:
    """The answer of somebody who wants other words."""
    action = {"name": "edit_text", "args": {"after": after, **arguments}}
    return {"decisions": [{"type": "edit", "edited_action": action}]}


APPROVE: dict[str, Any] = {"decisions": [{"type": "approve"}]}
REJECT: dict[str, Any] = {"decisions": [{"type": "reject"}]}

for answer in (APPROVE, REJECT, rejected("Why?"), edited("words")):
    _RESPONSE.validate_python(answer)


_YEAR = {"question": "When was the Eiffel Tower completed?"}
_ANSWER = {**_YEAR, "text": "The Eiffel Tower was completed in 1899. So the answer is: 1899."}
BY_RULES: dict[str, tuple[dict[str, str], str]] = {
    "ground": ({"text": "The Eiffel Tower was completed in 1899."}, "The Eiffel Tower was completed in 1889."),
    "rarr": ({"text": "The Eiffel Tower was completed in 1899."}, "The Eiffel Tower was completed in 1889."),
    "purr": ({"text": "The Eiffel Tower was completed in 1899."}, "The Eiffel Tower was completed in 1889."),
    "verify_and_edit": (
        {**_YEAR, "text": "First, the Eiffel Tower was completed in 1899. The answer is 1899."},
        "First, the Eiffel Tower was completed in 1889. The answer is 1889.",
    ),
    "critic_qa": (_ANSWER, _ANSWER["text"].replace("1899", "1889")),
    "critic": (_ANSWER, _ANSWER["text"].replace("1899", "1889")),
    "critic_toxicity": ({"text": "You are late again, you idiot."}, "You are late again, you …."),
}
"""Inputs of methods that rules correct, without a model or an object in the settings, and what comes of them."""


class Proposed(NamedTuple):
    """An edit that a person is asked about."""

    before: str
    after: str
    description: str

    @property
    def lines(self) -> str:
        """The description on one line."""
        return " ".join(self.description.split())


def asked(request: Any) -> Proposed:
    """The edit of a request, which has to have the standard's form and no more."""
    known = _REQUEST.validate_python(request)
    assert request.keys() == {"action_requests", "review_configs"}
    (action,), (config,) = known["action_requests"], known["review_configs"]
    assert config == {"action_name": action["name"], "allowed_decisions": ["approve", "edit", "reject"]}
    assert action["args"].keys() == {"before", "after"}
    return Proposed(**action["args"], description=action["description"])


def proposed(paused: dict[str, Any]) -> Proposed:
    """The one edit that a paused run waits for."""
    (pause,) = paused["__interrupt__"]
    return asked(pause["value"] if isinstance(pause, dict) else pause.value)


def changes(seen: Sequence[Proposed]) -> list[tuple[str, str]]:
    """What was to be replaced by what, edit by edit."""
    return [(each.before, each.after) for each in seen]
