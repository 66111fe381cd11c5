"""The chat model that a Context names, and what is known of it."""

import os
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable
from pydantic import SecretStr

from ..state import EMBEDDED, Context
from ..state.addresses import address_of
from ..state.errors import ConfigurationError
from . import embedded


def open_model(context: Context, temperature: float, max_tokens: int, client: Any = None) -> BaseChatModel:
    """Make the Context's chat model. OpenAI-compatible ones talk through the HTTP client, if one is given."""
    if not isinstance(context.model, str):
        if not isinstance(context.model, BaseChatModel):
            raise ConfigurationError(f"model is a {type(context.model).__name__}: give a name or a BaseChatModel")
        return context.model
    # Retrying is ours to do, so that there is one count of tries, whoever makes the client.
    settings: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens, "max_retries": 0}
    if context.base_url and not context.model.startswith("openai:"):
        raise ConfigurationError(
            "base_url goes with an `openai:` model: pass --model openai:NAME, as the server calls it"
        )
    base_url = address_of(context.base_url, "base_url") if context.base_url else None
    if context.model == EMBEDDED:
        # Left alone, a model of this size repeats itself until its tokens run out.
        settings["extra_body"] = {"repeat_penalty": 1.15}
        return _compatible(embedded.NAME, embedded.base_url(), embedded.KEY, settings, client)
    provider, _, name = context.model.partition(":")
    if not name:
        raise ConfigurationError(
            f"`{context.model}` is no model: use `embedded`, or provider:model as in openai:gpt-5-mini"
        )
    if provider == "openai" and base_url:
        key = os.environ.get("OPENAI_API_KEY", "none") if context.send_key else "none"
        return _compatible(name, base_url, key, settings, client)
    if provider == "openai" and not os.environ.get("OPENAI_API_KEY"):
        raise ConfigurationError(
            f"{context.model} needs a key: set OPENAI_API_KEY (platform.openai.com), "
            "give base_url for a server of your own, or use the model `embedded`"
        )
    if provider == "openai":
        return _compatible(name, None, os.environ["OPENAI_API_KEY"], settings, client)
    return _initialise(context.model, settings)


def model_name(context: Context) -> str:
    """Name of the Context's chat model for messages and reports."""
    if isinstance(context.model, str):
        return embedded.NAME if context.model == EMBEDDED else context.model
    return str(getattr(context.model, "model_name", None) or type(context.model).__name__)


def check_model(context: Context) -> None:
    """Raise ConfigurationError if the Context's chat model cannot be made; ask it nothing."""
    if context.model == EMBEDDED and not context.base_url:
        embedded.weights()
    else:
        open_model(context, 0.0, 1)


def is_compatible(model: Any) -> bool:
    """Whether the model is one behind OpenAI's interface."""
    return hasattr(model, "extra_body")


def calls_tools(model: BaseChatModel) -> bool:
    """Whether a model calls tools, by what LangChain knows of it: its profile, or that tools can be bound to it."""
    can_be_bound = type(model).bind_tools is not BaseChatModel.bind_tools
    return can_be_bound and bool((getattr(model, "profile", None) or {}).get("tool_calling", True))


def structured(model: Any, schema: dict[str, Any]) -> Runnable[Any, Any]:
    """The model, asked for JSON of a schema.

    OpenAI-compatible ones get the schema in the body of the request: the client's own way to ask for it takes as long
    again as the rest of the call, and raises where a reply is cut off, which we would rather read and have repaired.
    """
    if is_compatible(model):
        wanted = {"type": "json_schema", "json_schema": {"name": schema["title"], "schema": schema}}
        bound: Runnable[Any, Any] = model.bind(extra_body={**(model.extra_body or {}), "response_format": wanted})
        return bound
    structured: Runnable[Any, Any] = model.with_structured_output(schema, include_raw=True)
    return structured | (lambda reply: reply["raw"])


def calling(model: BaseChatModel, tools: list[dict[str, Any]]) -> Runnable[Any, Any]:
    """The model, made to call one of the tools; more than one call would not be answered."""
    one = {"parallel_tool_calls": False} if is_compatible(model) else {}
    return model.bind_tools(tools, tool_choice="any", **one)


def _compatible(name: str, base_url: str | None, key: str, settings: dict[str, Any], client: Any) -> BaseChatModel:
    """A model behind an OpenAI-compatible interface, with an HTTP client of its own.

    The client that langchain-openai shares between models outlives the event loop that opened its connections.
    """
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model=name, base_url=base_url, api_key=SecretStr(key), http_async_client=client, **settings)


def _initialise(name: str, settings: dict[str, Any]) -> BaseChatModel:
    from langchain.chat_models import init_chat_model

    try:
        model: BaseChatModel = init_chat_model(name, **settings)
    except ImportError as error:
        raise ConfigurationError(f"{name} needs a package that is not installed: {error}") from error
    except Exception as error:
        why = in_a_line(error, 0).partition(". ")[0]
        raise ConfigurationError(f"{name} cannot be used: {why}; see init_chat_model for what can") from error
    return model


def in_a_line(error: BaseException, timeout: float) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {timeout:g} seconds"
    words = " ".join(str(error).split()) or type(error).__name__
    for name, value in os.environ.items():
        if name.endswith("_API_KEY") and value:
            words = words.replace(value, f"${name}")  # servers like to repeat a key that they refuse
    return words if len(words) <= 300 else words[:299] + "…"
