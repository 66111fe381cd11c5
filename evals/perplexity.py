"""How likely a text is under the embedded model: the fluency that CRITIC measures for its continuations.

The server of llama.cpp gives the log-probabilities of generated tokens but not of the prompt. So each token of the text
is generated: a bias leaves the sampler no other choice, and the log-probability is the model's before the bias. The
first token has nothing before it and is not counted. Each token is one request; the prompt before it is cached.
"""

from typing import Any

import httpx

from ..models.providers import embedded
from ..state.errors import ModelError
from .metrics import perplexity

FORCED = 1_000.0
"""A bias on a logit that nothing else approaches."""
ALL = 1_000_000
"""More tokens than any vocabulary has."""
TIMEOUT = 60.0


async def text_logprobs(text: str, after: str = "") -> list[float]:
    """The log-probability of each token of a text after another; without one, from the second token on.

    Raises:
        ModelError: If the embedded model cannot be asked.
        ConfigurationError: If it is not installed.
    """
    address = embedded.base_url().removesuffix("/v1")
    key = {"Authorization": f"Bearer {embedded.KEY}"}
    try:
        async with httpx.AsyncClient(base_url=address, headers=key, timeout=TIMEOUT, trust_env=False) as client:
            before = await _tokens(client, after)
            tokens = before + await _tokens(client, text)
            start = max(len(before), 1)
            return [await _logprob(client, tokens[:place], tokens[place]) for place in range(start, len(tokens))]
    except httpx.HTTPError as error:
        raise ModelError(f"{embedded.NAME}: {error}") from error


async def text_perplexity(text: str, after: str = "") -> float | None:
    """The perplexity of a text under the embedded model; None for a text of at most one token."""
    return perplexity(await text_logprobs(text, after))


async def _tokens(client: httpx.AsyncClient, text: str) -> list[int]:
    reply = await client.post("/tokenize", json={"content": text})
    return [int(token) for token in reply.raise_for_status().json()["tokens"]]


async def _logprob(client: httpx.AsyncClient, before: list[int], token: int) -> float:
    for token_record in await _next(client, before, forced=token, listed=1):
        if token_record["id"] != token:
            raise ModelError(f"{embedded.NAME} generated another token than the one that was to be measured")
        return float(token_record["logprob"])
    # A token that ends within a character is held back and not reported. Then another one is generated, and the
    # token's probability is read from the list of all.
    (full_stop,) = await _tokens(client, ".")
    (token_record,) = await _next(client, before, forced=full_stop, listed=ALL)
    return next(float(each["logprob"]) for each in token_record["top_logprobs"] if each["id"] == token)


async def _next(client: httpx.AsyncClient, before: list[int], forced: int, listed: int) -> list[dict[str, Any]]:
    """The next token, which is the forced one, with the likeliest others; nothing if it is held back."""
    payload = {
        "prompt": before,
        "n_predict": 1,
        "n_probs": listed,
        "temperature": 0,
        "repeat_penalty": 1.0,
        "logit_bias": [[forced, FORCED]],
        "cache_prompt": True,
    }
    reply = await client.post("/completion", json=payload)
    tokens: list[dict[str, Any]] = reply.raise_for_status().json().get("completion_probabilities", [])
    return tokens
