"""The chat model that a Context names, and what is known about it."""

import os
from json import JSONDecodeError
from typing import Any

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from ...state import Context, embedded_name
from ...state.errors import ConfigurationError
from ...state.runs.addresses import address_of, bare
from ...state.runs.secrets import keep_secret, redacted
from . import embedded
from .function import FunctionModel
from .habits import Habits
from .replies import bound_model, unusable


def open_model(context: Context, client: Any = None) -> BaseChatModel:
    """Make the Context's chat model. OpenAI-compatible ones use the HTTP client, if one is given."""
    if not isinstance(context.model, str):
        if not isinstance(context.model, BaseChatModel):
            return FunctionModel(function=context.model)
        keep_secret(*(value.get_secret_value() for _, value in context.model if isinstance(value, SecretStr)))
        return context.model
    # Retrying is ours to do, so that there is one count of tries, whoever makes the client.
    settings: dict[str, Any] = {"max_retries": 0}
    if context.base_url and not context.model.startswith("openai:"):
        raise ConfigurationError(
            "base_url goes with an `openai:` model: pass --model openai:NAME, as the server calls it"
        )
    base_url = bare(address_of(context.base_url, "base_url")) if context.base_url else None
    if (embedded_as := embedded_name(context.model)) is not None:
        if not embedded.is_able(embedded_as):
            # Left alone, a small model repeats itself until its tokens run out.
            settings["extra_body"] = {"repeat_penalty": 1.15}
        address = embedded.base_url(embedded_as)
        return _compatible(embedded.title(embedded_as), address, embedded.KEY, settings, client)
    provider, _, name = context.model.partition(":")
    if not name:
        raise ConfigurationError(
            f"`{context.model}` is not a model: use `embedded`, or provider:model as in openai:gpt-5-mini"
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
    return _initialise(context.model, settings, client)


def model_name(context: Context) -> str:
    """The name of the Context's chat model for messages and reports."""
    if isinstance(context.model, str):
        name = embedded_name(context.model)
        return context.model if name is None else embedded.title(name)
    names = (getattr(context.model, name, None) for name in ("model_name", "__name__"))
    return str(next(filter(None, names), type(context.model).__name__))


def check_model(context: Context) -> None:
    """Raise ConfigurationError if the Context's chat model cannot be made; ask it nothing."""
    name = embedded_name(context.model)
    if name is None or context.base_url:
        open_model(context)
    else:
        embedded.check(name)


def is_compatible(model: Any) -> bool:
    """Whether the model uses OpenAI's API."""
    return hasattr(model, "extra_body")


def assumed(context: Context, model: BaseChatModel) -> Habits:
    """What is taken to be so of a model before it is asked: by its profile in LangChain, or because it is ours."""
    if (name := embedded_name(context.model)) is not None:
        refused = frozenset[str]() if embedded.at_once(name) > 1 else frozenset({"n"})
        return Habits(refused=refused, proven=EVERYTHING, calls_tools=False)
    profile = getattr(model, "profile", None) or {}
    bindable = type(model).bind_tools is not BaseChatModel.bind_tools
    refused = frozenset() if is_compatible(model) else frozenset({"n", "logprobs"})
    if not profile.get("temperature", True):
        refused |= {"temperature"}
    proven = frozenset(feature for claim, feature in _CLAIMS.items() if profile.get(claim))
    return Habits(
        refused=refused,
        proven=proven,
        calls_tools=None if bindable and profile.get("tool_calling", True) else False,
        thinks=bool(profile.get("reasoning_output")),
    )


EVERYTHING = frozenset({"temperature", "max_completion_tokens", "response_format", "strict", "system", "logprobs"})
_CLAIMS = {"temperature": "temperature", "structured_output": "response_format", "tool_calling": "tools"}
"""The fields of a model's profile in LangChain, and our features for them."""


def _compatible(name: str, base_url: str | None, key: str, settings: dict[str, Any], client: Any) -> BaseChatModel:
    """A model with an OpenAI-compatible API and its own HTTP client.

    The client that langchain-openai shares between models outlives the event loop that opened its connections.
    """
    from .compatible import CompatibleChatModel

    return CompatibleChatModel(
        model=name, base_url=base_url, api_key=SecretStr(key), http_async_client=client, **settings
    )


def _initialise(name: str, settings: dict[str, Any], client: Any) -> BaseChatModel:
    from langchain.chat_models import init_chat_model

    try:
        model: BaseChatModel = init_chat_model(name, **settings)
        if client and "http_async_client" in type(model).model_fields:
            model = init_chat_model(name, http_async_client=client, **settings)
        else:
            bound_model(model)
    except ImportError as error:
        raise ConfigurationError(f"{name} needs a package that is not installed: {error}") from error
    except Exception as error:
        why = in_a_line(error, 0).partition(". ")[0]
        raise ConfigurationError(f"{name} cannot be used: {why}; see init_chat_model for what can") from error
    if _sends_key_elsewhere(model):
        raise ConfigurationError(f"{name} needs a key of its own: OPENAI_API_KEY is not for {_address(model)}")
    return model


def _address(model: BaseChatModel) -> str:
    return str(getattr(model, "openai_api_base", None) or "")


def _sends_key_elsewhere(model: BaseChatModel) -> bool:
    """Whether a client of OpenAI's would use OPENAI_API_KEY at the address that another provider gave it."""
    key = getattr(model, "openai_api_key", None)
    addresses_of_openai = {"", *(os.environ.get(name, "") for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL"))}
    has_ours = isinstance(key, SecretStr) and key.get_secret_value() == os.environ.get("OPENAI_API_KEY")
    return has_ours and _address(model) not in addresses_of_openai


def in_a_line(error: BaseException, timeout: float) -> str:
    """What an error of a model says, on one line of at most 300 characters, without secrets."""
    if isinstance(error, TimeoutError):
        return f"no answer within {timeout:g} seconds; raise timeout for a slow model"
    error = unusable(error) or error
    if isinstance(error, JSONDecodeError):
        return "what came back is no reply of a model: is the address right (--base-url)?"
    words = " ".join(redacted(str(error)).split()) or type(error).__name__
    return words if len(words) <= 300 else words[:299] + "…"
