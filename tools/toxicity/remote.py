"""Scorers behind an HTTP API: a key, an address, retries, and a limit on the request rate."""

import asyncio
import os
import threading
import time
from functools import lru_cache
from typing import Any

import httpx
from pydantic import Field, SecretStr

from ...state.errors import ConfigurationError, ToolError
from ..http import PoliteClient, json_object, user_agent
from ..search import describe, one_line
from .scorer import ToxicityTool


class RemoteToxicity(ToxicityTool):
    """A scorer that asks a server."""

    key: SecretStr
    base_url: str
    retries: int = Field(default=3, ge=0)
    requests_per_second: float | None = Field(default=None, gt=0)
    """The request rate of this process, retries included; None for no limit."""

    def settings(self) -> dict[str, Any]:
        """The address of the service."""
        return {"base_url": self.base_url}

    async def _post(self, path: str, headers: dict[str, str], body: dict[str, Any], service: str) -> dict[str, Any]:
        """The JSON object that the API responds with.

        Raises:
            ToolError: If the API responds with anything else.
        """
        try:
            response = await self._send(path, headers, body)
        except httpx.HTTPError as error:
            raise ToolError(
                f"{service} cannot be reached ({describe(error)}): check the network and its address"
            ) from error
        if response.status_code >= 400:
            raise ToolError(f"{service} {self._refusal(response)}")
        return json_object(response, service)

    async def _send(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> httpx.Response:
        async with asyncio.timeout(self.timeout) as patience:

            async def take_turn(request: httpx.Request) -> None:
                if self.requests_per_second is not None:
                    wait = pace_of(self.base_url, self.requests_per_second).reserve()
                    # Waiting for our own turn is not the server being slow.
                    patience.reschedule((patience.when() or 0.0) + wait)
                    await asyncio.sleep(wait)

            async with PoliteClient(
                retries=self.retries,
                timeout=self.timeout,
                headers={"User-Agent": user_agent(), **headers},
                event_hooks={"request": [take_turn]},
            ) as client:
                return await client.post(self.base_url + path, json=body)

    def _refusal(self, response: httpx.Response) -> str:
        """What the server said instead of a score, and what to do about it."""
        if response.status_code == 429:
            return "asks for fewer requests (429): wait a while, see your quota, or lower `requests_per_second`"
        if response.status_code in (401, 403):
            return f"refuses the key ({response.status_code}): check it and what it may be used for"
        reason = one_line(str(problem(response).get("message") or response.reason_phrase), 200)
        reason = reason.replace(self.key.get_secret_value(), "[key]")
        advice = "try again later" if response.status_code >= 500 else "check its address and the text"
        return f"answered {response.status_code} ({reason}): {advice}"


class Pace:
    """A rate limiter: gives out turns, one per interval, to all threads and event loops of the process."""

    def __init__(self, per_second: float) -> None:
        self._interval = 1 / per_second
        self._next = 0.0
        self._lock = threading.Lock()

    def reserve(self) -> float:
        """Take the next free turn; returns the seconds until then."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._interval
            return turn - now


@lru_cache(maxsize=64)
def pace_of(base_url: str, per_second: float) -> Pace:
    """One pace for all scorers of a server, because a quota does not depend on how many objects use it."""
    return Pace(per_second)


def key_from(variable: str, advice: str) -> SecretStr:
    """The key in an environment variable.

    Raises:
        ConfigurationError: If the key is missing or does not fit a header.
    """
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ConfigurationError(f"{variable} is not set: {advice}")
    if not (key.isascii() and key.isprintable()):
        raise ConfigurationError(f"{variable} is not a key: it must be one line of ASCII characters")
    return SecretStr(key)


def problem(response: httpx.Response) -> dict[str, Any]:
    """The `error` object of a response, which OpenAI and Google format alike; empty if there is none."""
    try:
        error = response.json()["error"]
    except (ValueError, KeyError, TypeError):
        return {}
    return error if isinstance(error, dict) else {}
