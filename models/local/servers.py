"""Servers of language models that run on this machine, looked for only when somebody asks what there is."""

from ...state.errors import ConfigurationError
from ...state.runs.addresses import address_of

USUAL = {"Ollama": "http://127.0.0.1:11434/v1", "llama.cpp": "http://127.0.0.1:8080/v1"}
"""Where they listen if nobody has told them another place."""
SECONDS = 2.0


def endpoint(address: str) -> str:
    """The address of the interface behind which a server has its models.

    Raises:
        ConfigurationError: If it is no web address.
    """
    base = address_of(address, "the address")
    return base if base.endswith("/v1") else f"{base}/v1"


def served(base_url: str) -> list[str]:
    """The names of the models that a server has.

    Raises:
        ConfigurationError: If nothing answers there, or no such server.
    """
    import httpx

    try:
        with httpx.Client(timeout=SECONDS, trust_env=False) as client:
            records = client.get(f"{base_url}/models").raise_for_status().json()["data"]
        return [str(each["id"]) for each in records]
    except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
        reason = (
            f"nothing answers there ({type(error).__name__}): start it first"
            if isinstance(error, httpx.HTTPError)
            else "it lists no models"
        )
        raise ConfigurationError(f"{base_url} is not a running model server: {reason}") from None


def running() -> dict[str, list[str]]:
    """The models of each server that runs where such servers usually do, by its address."""
    models_of = {}
    for base_url in USUAL.values():
        try:
            models_of[base_url] = served(base_url)
        except ConfigurationError:
            continue
    return models_of
