"""What a model's endpoint takes: found out by asking, once for all who ask it.

Servers that speak the same interface differ in what they refuse, and say so with an error. The parts of a request that
may be refused are *features*; each has a name, and a request can be made without it.
"""

import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

Form = Literal["schema", "object", "text"]
"""How an object is asked for: with its JSON schema, as some JSON object, or in words alone."""

FORMS: dict[Form, Form] = {"schema": "object", "object": "text", "text": "text"}
"""What comes next where a form is refused."""

REFUSING = frozenset({400, 422, 501})
"""Statuses with which servers refuse a part of a request, named or not."""
REFUSING_BY_NAME = frozenset({404, 405, 415, 500})
"""Statuses that are a refusal where their message names a part of the request, and otherwise something else."""

_NAMES: dict[str, str] = {
    "stream_options": r"stream_options",
    "parallel_tool_calls": r"parallel_tool_calls|parallel tool",
    "tool_choice": r"tool_choice|tool choice",
    "tools": r"\btools?\b|function call",
    "logprobs": r"log_?probs",
    "reasoning_effort": r"reasoning[._ ]effort",
    "temperature": r"temperature",
    "max_completion_tokens": r"max_completion_tokens",
    "max_tokens": r"max_tokens",
    "strict": r"\bstrict\b|additionalproperties|'required' is required",
    "response_format": r"response_format|json_schema|json_object|json schema|json mode|structured output|grammar",
    "n": r"[`'\"]n[`'\"]|\bn (?:is|must|has|should|>|=)|(?:parameter|field|for):? n\b|multiple (?:choices|completions)",
    "system": r"(?:system|developer)[`'\"]? (?:role|message|prompt|instruction)|role[`'\"]?:? [`'\"]?(?:system|dev)"
    r"|roles must alternate|only user and assistant roles|messages\[0\]\.role",
}
"""What a message says of a feature that it refuses."""
SUSPECTS = ("response_format", "tools", "logprobs", "n", "reasoning_effort", "temperature", "system")
"""Where a refusal names nothing, what is left out first."""
_TOO_LONG = re.compile(
    r"context (?:length|window|size)|too long|too large|maximum context|exceeds? the (?:limit|max)", re.I
)
_FORBIDDEN = re.compile(r"content.?(?:filter|policy|management)|safety", re.I)
_TOLD = ("message", "msg", "detail", "error", "param", "loc", "code")
"""Where an error body says what is wrong. Other fields may hold the request, which is no complaint."""


@dataclass
class Habits:
    """What is known of an endpoint.

    Attributes:
        refused: Features that it refused.
        proven: Features that it took.
        form: How it is asked for objects.
        calls_tools: Whether it calls tools; None until it has.
        thinks: Whether it reasons before it replies, at the cost of the same tokens.
    """

    refused: frozenset[str] = frozenset()
    proven: frozenset[str] = frozenset()
    form: Form = "schema"
    calls_tools: bool | None = None
    thinks: bool = False

    def refuse(self, feature: str, form: Form = "schema") -> None:
        """Leave a feature out from now on.

        Args:
            feature: What was refused.
            form: How objects were asked for in the request that was; that form steps down to the next one.
        """
        if feature == "response_format":
            # Others may have found out the same meanwhile.
            self.form = FORMS[form] if self.form == form else self.form
            self.proven -= {feature}
        elif feature == "tools":
            self.calls_tools = False
        else:
            self.refused |= {feature}


class Refusal:
    """An error of a server, as a refusal of features of a request."""

    def __init__(self, error: BaseException) -> None:
        self.status = status(error)
        self.unable = isinstance(error, NotImplementedError)
        self.words = " ".join(_told(getattr(error, "body", None)) or [str(error)])
        self.parameter = _parameter(getattr(error, "body", None))

    def of(self, used: set[str]) -> str:
        """The feature that is refused: one that is named, or else the first suspect. Empty if it is no refusal.

        Args:
            used: Features of the request that are still in it.
        """
        if self.unable:
            return next((name for name in ("response_format", "tools", "n") if name in used), "")
        if self.status not in REFUSING | REFUSING_BY_NAME or _FORBIDDEN.search(self.words):
            return ""
        named = self._named(used)
        if named or self.status not in REFUSING or self.is_about_size:
            return named
        return next((name for name in SUSPECTS if name in used), "")

    @property
    def is_about_size(self) -> bool:
        """Whether this one request is too large, which says nothing about others."""
        return bool(_TOO_LONG.search(self.words) or re.search(r"max_(?:completion_)?tokens\D{0,60}\d{3}", self.words))

    @property
    def is_certain(self) -> bool:
        """Whether the server named what it refuses."""
        return self.unable or bool(self._named(set(_NAMES)))

    def _named(self, used: set[str]) -> str:
        exact = [name for name in used if self.parameter.split(".")[0].split("[")[0] == name]
        if exact:
            return exact[0]
        words = self.words.lower()
        return next((name for name, pattern in _NAMES.items() if name in used and re.search(pattern, words)), "")


_known: OrderedDict[Any, Habits] = OrderedDict()
_MOST_KNOWN = 256


def habits_of(endpoint: Any, assumed: Habits) -> Habits:
    """What is known of an endpoint in this process.

    Args:
        endpoint: What tells it from others: model and address.
        assumed: What is taken to be so as long as nobody has asked it.
    """
    habits = _known.setdefault(endpoint, assumed)
    _known.move_to_end(endpoint)
    while len(_known) > _MOST_KNOWN:
        _known.popitem(last=False)
    return habits


def forget_all() -> None:
    """Know nothing of any endpoint."""
    _known.clear()


def folded(messages: list[BaseMessage]) -> list[BaseMessage]:
    """Messages for a model without a system role: its words stand at the beginning of the first message."""
    if len(messages) < 2 or not isinstance(messages[0], SystemMessage) or not isinstance(messages[1], HumanMessage):
        return messages
    return [HumanMessage(f"{messages[0].text}\n\n{messages[1].text}"), *messages[2:]]


def strict_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON schema as strict servers want it: closed, every property required, and without our docstrings.

    Args:
        schema: As pydantic writes it.
    """
    return _closed(schema)


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in schema.items() if name not in ("title", "default", "minLength", "maxLength")}
    if "$ref" in kept:
        return {"$ref": kept["$ref"]}  # strict servers want nothing beside it
    for name in ("$defs", "properties"):
        if name in kept:
            kept[name] = {key: _closed(value) for key, value in kept[name].items()}
    for name in ("items", "additionalItems"):
        if isinstance(kept.get(name), dict):
            kept[name] = _closed(kept[name])
    if "anyOf" in kept:
        kept["anyOf"] = [_closed(option) for option in kept["anyOf"]]
    if kept.get("type") == "object":
        kept.pop("description", None)
        kept |= {"additionalProperties": False, "required": list(kept.get("properties", {}))}
    return kept


def status(error: BaseException) -> int | None:
    """The HTTP status behind an error of a client, if there is one."""
    response = getattr(error, "response", None)
    found = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    return found if isinstance(found, int) else None


def _parameter(body: Any) -> str:
    """The parameter that an error body puts its finger on: OpenAI's `param`, or pydantic's `loc`."""
    if not isinstance(body, dict):
        return ""
    if body.get("param"):
        return str(body["param"])
    details = body.get("detail")
    first = details[0] if isinstance(details, list) and details else None
    place = first.get("loc") if isinstance(first, dict) else None
    return next((str(part) for part in place or [] if part != "body"), "")


def _told(body: Any) -> list[str]:
    """What an error body says, without the request that some servers repeat in it."""
    if isinstance(body, dict):
        return [words for name in _TOLD if name in body for words in _told(body[name])]
    if isinstance(body, list):
        return [words for part in body[:20] for words in _told(part)]
    return [str(body)[:2_000]] if isinstance(body, str | int) else []
