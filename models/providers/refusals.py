"""Reading a server's error: which part of a request it refuses, or what did not fit."""

import re
from collections.abc import Sequence
from typing import Any

REFUSING = frozenset({400, 422, 501})
"""Statuses with which servers refuse a part of a request, named or not."""
REFUSING_BY_NAME = frozenset({403, 404, 405, 415, 500})
"""Statuses that are a refusal if their message names a part of the request, and otherwise something else."""

_NAMES: dict[str, str] = {
    "stream_options": r"stream_options",
    "tool_choice": r"tool_choice|tool choice(?! requires)",
    "tools": r"\btools?\b|function call",
    "logprobs": r"log_?probs",
    "reasoning_effort": r"reasoning[._ ]effort",
    "stop": r"[`'\"]stop[`'\"]|\bstop (?:is|sequences?|parameter)|: stop\b",
    "temperature": r"temperature",
    "max_completion_tokens": r"max_completion_tokens",
    "max_tokens": r"max_tokens",
    "strict": r"\bstrict\b|additionalproperties|'required' is required",
    "response_format": r"response_format|json_schema|json_object|json schema|json mode|structured output|grammar",
    "n": r"[`'\"]n[`'\"]|\bn (?:is|must|has|should|value|>|=)|(?:parameter|field|for):? n\b"
    r"|(?:multiple|one|1) (?:completion )?(?:choices?|completions?)\b",
    "system": r"(?:system|developer)[`'\"]? (?:role|message|prompt|instruction)|role[`'\"]?:? [`'\"]?(?:system|dev)"
    r"|roles must alternate|only user and assistant roles|messages\[0\]\.role",
}
"""How a message names a feature that it refuses."""
SUSPECTS = ("response_format", "tools", "logprobs", "n", "stop", "reasoning_effort", "temperature", "system")
"""What is left out first if a refusal names nothing."""
_TOO_LONG = re.compile(
    r"context (?:length|window|size)|too long|too large|maximum context|exceeds? the (?:limit|max)"
    r"|max_(?:completion_)?tokens[^.]{0,60}(?:\brange\b|at most|less than|at least|exceed)",
    re.IGNORECASE,
)
_CUT_OFF = re.compile(r"could not finish the message", re.IGNORECASE)
_FORBIDDEN = re.compile(r"content.?(?:filter|policy|management)|safety", re.IGNORECASE)
_TOLD = ("message", "msg", "detail", "error", "param", "loc", "code")
"""Where an error body says what is wrong. Other fields may hold the request, which is not a complaint."""
_SENT = re.compile(
    r"['\"]input['\"]: .*?(?=, ['\"](?:ctx|url)['\"]: |\}, \{['\"]type['\"]: ['\"]\w+['\"], ['\"]loc|\}\]\s*$|$)",
    re.DOTALL,
)
"""The part of a validation error's text that repeats the request."""
_PLACE = re.compile(r"['\"]body['\"], ['\"](\w+)['\"]")
"""A field of the request, as validation errors name it."""


class Refusal:
    """A server's error as a refusal of features of a request.

    Attributes:
        features: What is refused: everything named, or otherwise the first suspect. Empty if it is not a refusal.
        is_certain: Whether the server named it.
        is_about_size: Whether the request, or the limit on the reply, is too large, which says nothing about others.
        is_cut_off: Whether the limit was reached before there was any reply.
    """

    def __init__(self, error: BaseException, used: set[str]) -> None:
        """Read an error.

        Args:
            error: What the client raised.
            used: The features of the request that it was raised for.
        """
        body = getattr(error, "body", None)
        words = " ".join(_complaints(body)) or str(error)
        code = status(error)
        refuses = code in REFUSING | REFUSING_BY_NAME and not _FORBIDDEN.search(words)
        unable = isinstance(error, NotImplementedError)
        features_named = _unable(used) if unable else _features_named(words, body, used) if refuses else []
        self.is_certain = bool(features_named)
        self.is_cut_off = refuses and bool(_CUT_OFF.search(words))
        self.is_about_size = refuses and bool(_TOO_LONG.search(words))
        suspects = [name for name in SUSPECTS if name in used and code in REFUSING and refuses]
        self.features = features_named or ([] if self.is_about_size or self.is_cut_off else suspects[:1])


def status(error: BaseException) -> int | None:
    """The HTTP status behind a client's error, if there is one."""
    response = getattr(error, "response", None)
    code = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    return code if isinstance(code, int) else None


def _unable(used: set[str]) -> Sequence[str]:
    """The features that a model's class does not implement."""
    return [name for name in ("response_format", "tools", "n") if name in used][:1]


def _features_named(words: str, body: Any, used: set[str]) -> Sequence[str]:
    """The features that an error names: in a separate field, by their locations, or in its words."""
    lowered = words.lower()
    if "strict" in used and re.search(_NAMES["strict"], lowered):
        return ["strict"]
    fields = re.split(r"[.\[\]]+", str(body.get("param") or "")) if isinstance(body, dict) else []
    exact = [name for name in (*fields, *_PLACE.findall(_SENT.sub("", str(body)[:4_000]))) if name in used]
    if exact:
        return list(dict.fromkeys(exact))
    return [name for name, pattern in _NAMES.items() if name in used and re.search(pattern, lowered)][:1]


def _complaints(body: Any) -> list[str]:
    """The complaint in an error body, without the request that some servers repeat in it."""
    if isinstance(body, dict):
        return [words for name in _TOLD if name in body for words in _complaints(body[name])]
    if isinstance(body, list):
        return [words for part in body[:20] for words in _complaints(part)]
    return [_SENT.sub("", str(body)[:4_000])] if isinstance(body, str | int) else []
