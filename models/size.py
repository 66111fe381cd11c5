"""How many parameters the chat model has, as far as its name or its server tells: small models are asked for less."""

import asyncio
import os
import re
from contextlib import suppress
from typing import Any

from ..state import Context, embedded_name
from ..state.runs.addresses import bare, login
from .local import gguf
from .providers import embedded

SMALL = 5e9
"""A model with fewer parameters writes a text again better than it names what is wrong in it."""
PATIENCE = 3.0
"""How many seconds a server may take to say something about its model."""
_NAMED = re.compile(r"(?<![a-z0-9.])[ea]?(\d+(?:\.\d+)?)([bm])(?![a-z0-9])", re.IGNORECASE)
_UNITS = {"b": 1e9, "m": 1e6}
_told: dict[tuple[str, str], float | None] = {}
"""By address and name: a server is asked once."""


async def is_small(context: Context) -> bool:
    """Whether the chat model is known to have fewer than five billion parameters."""
    count = await parameters(context)
    return count is not None and count < SMALL


async def parameters(context: Context) -> float | None:
    """How many parameters the chat model has; None if neither its name nor its server tells.

    llama.cpp tells in its list of models, and Ollama in `/api/show`.
    """
    if not isinstance(context.model, str):
        return of_name(str(getattr(context.model, "model_name", None) or getattr(context.model, "model", None) or ""))
    if (file := embedded_name(context.model)) is not None:
        return float(await asyncio.to_thread(lambda: gguf.read(embedded.weights(file)).parameters))
    name = context.model.partition(":")[2]
    if (count := of_name(name)) is not None or not context.base_url:
        return count
    key = (context.base_url, name)
    if key not in _told:
        _told[key] = await _of_server(context, name)
    return _told[key]


def of_name(name: str) -> float | None:
    """The number of parameters that a model's name tells, as in `qwen2.5-1.5b` or `llama3.2:3b`; None if it doesn't.

    Of several the largest counts: `qwen3-30b-a3b` has thirty billion, of which three are used at a time.
    """
    counts = [float(number) * _UNITS[unit.lower()] for number, unit in _NAMED.findall(name)]
    return max(counts, default=None)


async def _of_server(context: Context, name: str) -> float | None:
    from .providers.replies import client

    address = bare(context.base_url or "").rstrip("/")
    headers = _authorised(context)
    async with client(login(context.base_url)) as web:

        async def told(method: str, path: str, body: Any = None) -> Any:
            with suppress(Exception):  # whatever is wrong with it shows when the model is asked
                reply = await web.request(method, path, json=body, headers=headers, timeout=PATIENCE)
                return reply.json() if reply.status_code == 200 else None
            return None

        listed = await told("GET", f"{address}/models")
        entries = listed.get("data") if isinstance(listed, dict) else None
        entries = entries if isinstance(entries, list) else []
        for entry in entries:
            meta = entry.get("meta") if isinstance(entry, dict) else None
            if (
                isinstance(meta, dict)
                and _count(meta.get("n_params"))
                and (entry.get("id") == name or len(entries) == 1)
            ):
                return _count(meta["n_params"])
        shown = await told("POST", f"{address.removesuffix('/v1')}/api/show", {"model": name})
        about = shown.get("model_info") if isinstance(shown, dict) else None
        return _count(about.get("general.parameter_count")) if isinstance(about, dict) else None


def _authorised(context: Context) -> dict[str, str]:
    key = os.environ.get("OPENAI_API_KEY") if context.send_key else None
    return {"Authorization": f"Bearer {key}"} if key and not login(context.base_url) else {}


def _count(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and value > 0 else None
