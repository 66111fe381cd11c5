"""Secrets: keys and passwords are removed from text that goes to a log, a file or a client.

Servers often repeat what they refuse: as it is, partly masked, or encoded. So everything that shares eight characters
with a known secret is removed, and everything in the form of a key.
"""

import base64
import json
import os
import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote, quote_plus, unquote, urlsplit

HIDDEN = "[secret]"
SHARED = 8
"""How many characters a text must share with a secret."""
SHORTEST = 4
"""In characters. Anything shorter does not count as a secret."""
LONGEST = 20_000
"""In characters. The rest of an error is dropped."""
MOST_KEPT = 256

_NAMES_ONE = re.compile(r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$", re.IGNORECASE)
_LOOKS_LIKE_ONE = re.compile(
    r"(?<=://)[^/@\s'\"]{1,300}(?=@)"
    r"|(?<=\bBearer )[\w.~+/=*-]{6,}|(?<=\bBasic )[\w+/=*-]{6,}"
    r"|\b(?:sk|pk|rk|tvly|gsk|xai|hf|ghp|gho|glpat|pplx|lsv2|r8)[-_][\w*•….-]{6,}|\bAIza[\w*-]{10,}|\bAKIA[A-Z0-9]{12,}"
    r"|\b[\w-]{2,12}[*•]{3,}[\w-]{0,12}"
    r"|(?<=[?&])(?:key|api_?key|token|access_token|auth|sig|signature|password)=[^&\s'\"]+",
    re.IGNORECASE,
)
_REPEATED = re.compile(rf"(?:{re.escape(HIDDEN)}){{2,}}")
_registered: OrderedDict[str, None] = OrderedDict()


def keep_secret(*words: str) -> None:
    """Remove these words from all text from now on; those in the environment are known anyway."""
    for word in words:
        if len(word) >= SHORTEST:
            _registered[word] = None
            _registered.move_to_end(word)
    while len(_registered) > MOST_KEPT:
        _registered.popitem(last=False)


def redacted(words: str) -> str:
    """A text without its secrets. A key from the environment is replaced with the name of its variable."""
    words = words[:LONGEST]
    hidden: dict[int, str] = {}
    for secret, name in _replacements():
        for spelling in _spellings(secret):
            hidden |= dict.fromkeys(_places(words, spelling), name)
    if hidden:
        starts = ((place, char, hidden.get(place, "")) for place, char in enumerate(words))
        words = "".join("" if name and hidden.get(place - 1) == name else name or char for place, char, name in starts)
    return _REPEATED.sub(HIDDEN, _LOOKS_LIKE_ONE.sub(HIDDEN, words))


def redact(error: BaseException) -> None:
    """Remove secrets from an error and from all its causes before it is shown to anybody."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        current = waiting.pop()
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        waiting += [current.__cause__, current.__context__, *getattr(current, "exceptions", ())]
        current.args = tuple(map(_cleared, current.args))
        for name in ("message", "body"):
            if hasattr(current, name):
                with suppress(AttributeError):
                    setattr(current, name, _cleared(getattr(current, name)))


def _cleared(value: Any) -> Any:
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, Mapping):
        return {name: _cleared(item) for name, item in value.items()}
    return [_cleared(item) for item in value] if isinstance(value, list) else value


def _replacements() -> Iterator[tuple[str, str]]:
    """The known secrets and their replacements; of duplicates, the last counts."""
    yield from ((word, HIDDEN) for word in list(_registered))
    for name, value in os.environ.items():
        if "://" in value and "@" in value:
            yield from ((word, HIDDEN) for word in login_words(value))
        elif _NAMES_ONE.search(name) and len(value) >= SHORTEST and value[0] not in "/~." and " " not in value:
            yield value, f"${name}"


def login_words(address: str) -> Iterable[str]:
    """The secrets in an address: its password, and the header made from user and password."""
    with suppress(ValueError):
        user, _, password = urlsplit(address).netloc.rpartition("@")[0].partition(":")
        if password:
            yield base64.b64encode(f"{unquote(user)}:{unquote(password)}".encode()).decode()
        yield from (word for word in {password, unquote(password)} if len(word) >= SHORTEST)


def _spellings(secret: str) -> set[str]:
    """The forms of a secret in a request: in an address, in JSON, in hex, and in base64 at any offset."""
    bases = {
        encode(b"x" * before + secret.encode()).decode().rstrip("=")[4 if before else 0 :]
        for before in range(3)
        for encode in (base64.b64encode, base64.urlsafe_b64encode)
    }
    plain = secret.encode().hex()
    return {secret, quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1], plain, plain.upper(), *bases}


def _places(words: str, secret: str) -> Iterator[int]:
    """Where words share a part with a secret."""
    size = min(SHARED, len(secret))
    for part in {secret[start : start + size] for start in range(len(secret) - size + 1)}:
        start = words.find(part)
        while start >= 0:
            yield from range(start, start + size)
            start = words.find(part, start + 1)
