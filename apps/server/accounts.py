"""Who may use a server, by name, and how much of it per day."""

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ...state.errors import ConfigurationError


@dataclass
class Account:
    """A named key. Its usage is counted from midnight (UTC), and from the start of the server."""

    name: str
    digest: bytes
    """The SHA-256 of the key."""
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    """What a browser's cookie is made from."""
    requests_per_day: int | None = None
    calls_per_day: int | None = None
    requests: int = 0
    calls: int = 0
    _day: str = ""

    def refusal(self, only: str = "") -> str:
        """Why no further request is accepted today; empty if one is.

        Args:
            only: The quota to look at, if not both.
        """
        today = datetime.now(UTC).date().isoformat()
        if today != self._day:
            self._day, self.requests, self.calls = today, 0, 0
        for quota, used, most in (
            ("requests", self.requests, self.requests_per_day),
            ("model calls", self.calls, self.calls_per_day),
        ):
            if most is not None and used >= most and only in ("", quota):
                return f"the key `{self.name}` has used today's {most:,} {quota}: come back tomorrow (UTC)"
        return ""


def account(name: str, key: str) -> Account:
    """The account of a plain key, without quotas."""
    return Account(name, hashlib.sha256(key.encode()).digest(), key.encode())


def read_accounts(path: str) -> list[Account]:
    """The accounts in a file of the operator's.

    Args:
        path: A JSON file: `{"alice": {"key": "...", "requests_per_day": 1000, "calls_per_day": 20000}}`. Instead of
            `key`, `sha256` may hold the key's hash in hexadecimal digits.

    Raises:
        ConfigurationError: If the file cannot be read, or holds something else.
    """
    try:
        entries = _FILE.validate_python(json.loads(Path(path).expanduser().read_text(encoding="utf-8")))
    except OSError as error:
        raise ConfigurationError(f"the keys in {path} cannot be read: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "it"
        raise ConfigurationError(f"the keys in {path}: {where}: {first['msg'].lower()}") from None
    except ValueError:
        raise ConfigurationError(f'the keys in {path} are not JSON, as in {{"alice": {{"key": "..."}}}}') from None
    if not entries:
        raise ConfigurationError(f"there are no keys in {path}")
    return [entry.account(name) for name, entry in entries.items()]


def seconds_until_tomorrow() -> int:
    """The seconds until midnight UTC, when quotas start anew, rounded up."""
    now = datetime.now(UTC)
    midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return int((midnight - now).total_seconds()) + 1


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")

    key: str = Field(default="", min_length=8)
    sha256: str = Field(default="", pattern=r"^[0-9a-fA-F]{64}$")
    requests_per_day: int | None = Field(default=None, ge=0)
    calls_per_day: int | None = Field(default=None, ge=0)

    def model_post_init(self, _: Any) -> None:
        if bool(self.key) == bool(self.sha256):
            raise ValueError("give either `key` or `sha256`")

    def account(self, name: str) -> Account:
        base = account(name, self.key) if self.key else Account(name, bytes.fromhex(self.sha256))
        return replace(base, requests_per_day=self.requests_per_day, calls_per_day=self.calls_per_day)


_FILE: TypeAdapter[Mapping[str, _Entry]] = TypeAdapter(dict[str, _Entry])
