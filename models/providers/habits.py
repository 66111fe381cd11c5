"""What a model's endpoint supports: found out by asking, once for all who ask it.

Servers with the same API differ in what they refuse, and report it with an error. The parts of a request that may be
refused are *features*; each has a name, and a request can be made without it.
"""

import math
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

Form = Literal["schema", "object", "text"]
"""How an object is requested: with its JSON schema, as any JSON object, or in words."""

FORMS: dict[Form, Form] = {"schema": "object", "object": "text", "text": "text"}
"""The next form after one is refused."""


@dataclass
class Habits:
    """What is known about an endpoint.

    Attributes:
        refused: The features that it refused.
        proven: The features that it accepted.
        form: How objects are requested.
        calls_tools: Whether it calls tools; None until it has.
        thinks: Whether it reasons before it replies, using the same tokens.
        listens: Whether it was seen to respect a limit on its reply.
        uncapped: The size of a request in characters beyond which none of our limits on the reply fits.
        asked: When the last request was sent, on the clock of `time.monotonic`.
    """

    refused: frozenset[str] = frozenset()
    proven: frozenset[str] = frozenset()
    form: Form = "schema"
    calls_tools: bool | None = None
    thinks: bool = False
    listens: bool = False
    uncapped: float = math.inf
    asked: float = -math.inf

    def crowded(self, size: int) -> None:
        """Set no limit on replies to requests of at least this many characters: the server has less room than that."""
        self.uncapped = min(self.uncapped, size)

    def refuse(self, feature: str, form: Form = "schema") -> None:
        """Leave a feature out from now on.

        Args:
            feature: What was refused.
            form: How that request asked for objects; the next form is used from now on.
        """
        if feature == "response_format":
            # Others may have found out the same meanwhile, and more; or this request was ahead of them.
            self.form = max(self.form, FORMS[form], key=list(FORMS).index)
            self.proven -= {feature}
        elif feature == "tools":
            self.calls_tools = False
        else:
            self.refused |= {feature}

    def forget(self, features: Collection[str], form: Form) -> None:
        """Take back that features were refused; objects are requested as before, in `form`."""
        self.refused -= frozenset(features)
        self.form = form if "response_format" in features else self.form


_known: OrderedDict[Any, Habits] = OrderedDict()
_MOST_KNOWN = 256


def habits_of(endpoint: Any, assumed: Habits) -> Habits:
    """What is known about an endpoint in this process.

    Args:
        endpoint: Its identity: model and address.
        assumed: What is assumed until somebody has asked it.
    """
    habits = _known.setdefault(endpoint, assumed)
    _known.move_to_end(endpoint)
    while len(_known) > _MOST_KNOWN:
        _known.popitem(last=False)
    return habits


def folded(messages: list[BaseMessage]) -> list[BaseMessage]:
    """Messages for a model without a system role: the instructions are at the beginning of the first message."""
    if len(messages) < 2 or not isinstance(messages[0], SystemMessage) or not isinstance(messages[1], HumanMessage):
        return messages
    return [HumanMessage(f"{messages[0].text}\n\n{messages[1].text}"), *messages[2:]]


def strict_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON schema in the form that strict servers need: closed, every property required, and without our docstrings.

    Args:
        schema: As pydantic writes it.
    """
    strict = {
        name: value for name, value in schema.items() if name not in ("title", "default", "minLength", "maxLength")
    }
    if "$ref" in strict:
        return {"$ref": strict["$ref"]}  # strict servers accept nothing beside it
    for name in ("$defs", "properties"):
        if name in strict:
            strict[name] = {key: strict_schema(value) for key, value in strict[name].items()}
    for name in ("items", "additionalItems"):
        if isinstance(strict.get(name), dict):
            strict[name] = strict_schema(strict[name])
    if "anyOf" in strict:
        strict["anyOf"] = [strict_schema(option) for option in strict["anyOf"]]
    if strict.get("type") == "object":
        strict.pop("description", None)
        strict |= {"additionalProperties": False, "required": list(strict.get("properties", {}))}
    return strict
