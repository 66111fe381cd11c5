"""The content of a request, and the refusals of requests that can't be run."""

import json
from collections.abc import Iterator
from typing import Any

from fastapi import HTTPException, Request

from ...state.errors import ConfigurationError

MOST_INPUTS = 100
"""The most texts in one batch."""


MOST_VALUES = 500_000
"""Values in one request. Each takes some sixty bytes of memory, of which two are sent, and time to make."""


async def json_object(request: Request) -> dict[str, Any]:
    """The body of a request. Raises HTTPException if it is not a JSON object, or is not declared as JSON."""
    # A page of another site can make a browser send a form or plain text to this server, but not JSON.
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "send JSON, with the header Content-Type: application/json")
    content = await request.body()
    if sum(map(content.count, (b"[", b"{", b","))) > MOST_VALUES:
        raise HTTPException(413, f"a request may hold {MOST_VALUES:,} values at most")
    try:
        body = await request.json()
        # Neither NaN nor half a surrogate pair can be sent back.
        json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise HTTPException(422, "the body is not JSON") from None
    if not isinstance(body, dict):
        raise HTTPException(422, 'the body is not a JSON object such as {"input": {"text": "..."}}')
    return body


def inputs_of(body: dict[str, Any], *, batch: bool) -> list[Any]:
    """The inputs of a request. Raises ConfigurationError if there are none, or too many."""
    name = "inputs" if batch else "input"
    if name not in body:
        raise ConfigurationError(f"the body has no `{name}`")
    inputs = body[name] if batch else [body[name]]
    if not isinstance(inputs, list):
        raise ConfigurationError("`inputs` must be a list")
    if len(inputs) > MOST_INPUTS:
        raise ConfigurationError(f"`inputs` has {len(inputs)} entries: send at most {MOST_INPUTS}")
    return inputs


def configurables(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The settings of a request. Raises ConfigurationError if they are not objects."""
    configs = body.get("config", {})
    for config in configs if isinstance(configs, list) else [configs]:
        configurable = config.get("configurable", {}) if isinstance(config, dict) else None
        if not isinstance(configurable, dict):
            raise ConfigurationError('`config` must be an object such as {"configurable": {"pages": 3}}')
        yield configurable
