"""What a model's endpoint takes: found out by asking, once for all who ask it.

Servers that speak the same interface differ in what they refuse, and say so with an error. The parts of a request that
may be refused are *features*; each has a name, and a request can be made without it.
"""

import math
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

Form = Literal["schema", "object", "text"]
"""How an object is asked for: with its JSON schema, as some JSON object, or in words alone."""

FORMS: dict[Form, Form] = {"schema": "object", "object": "text", "text": "text"}
"""What comes next where a form is refused."""


@dataclass
class Habits:
    """What is known of an endpoint.

    Attributes:
        refused: Features that it refused.
        proven: Features that it took.
        form: How it is asked for objects.
        calls_tools: Whether it calls tools; None until it has.
        thinks: Whether it reasons before it replies, at the cost of the same tokens.
        listens: Whether it was seen to keep to a limit on its reply.
        uncapped: Characters of a request beside which no limit on the reply fits that we would set.
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
        """Set no limit on replies to requests of so many characters and more: the server has less room than that."""
        self.uncapped = min(self.uncapped, size)

    def refuse(self, feature: str, form: Form = "schema") -> None:
        """Leave a feature out from now on.

        Args:
            feature: What was refused.
            form: How objects were asked for in the request that was; that form steps down to the next one.
        """
        if feature == "response_format":
            # Others may have found out the same meanwhile, and more; or this request had come further than they.
            self.form = max(self.form, FORMS[form], key=list(FORMS).index)
            self.proven -= {feature}
        elif feature == "tools":
            self.calls_tools = False
        else:
            self.refused |= {feature}


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
    kept = {name: value for name, value in schema.items() if name not in ("title", "default", "minLength", "maxLength")}
    if "$ref" in kept:
        return {"$ref": kept["$ref"]}  # strict servers want nothing beside it
    for name in ("$defs", "properties"):
        if name in kept:
            kept[name] = {key: strict_schema(value) for key, value in kept[name].items()}
    for name in ("items", "additionalItems"):
        if isinstance(kept.get(name), dict):
            kept[name] = strict_schema(kept[name])
    if "anyOf" in kept:
        kept["anyOf"] = [strict_schema(option) for option in kept["anyOf"]]
    if kept.get("type") == "object":
        kept.pop("description", None)
        kept |= {"additionalProperties": False, "required": list(kept.get("properties", {}))}
    return kept
