"""Settings inside a server: what a request may set, and what only who runs the server may.

Who runs a server sets things by environment (`ERRATA_SOURCES=/srv/handbook`) or where they construct a server, a tool
or middleware. A request comes from anybody: it may choose how it is answered, but not which folder is read or where a
key is sent.
"""

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from .context import Context, complaint, operator_fields
from .errors import ConfigurationError

ALLOWING = "ERRATA_ALLOW_REQUEST_SETTINGS"
"""Environment variable: the operator's settings that a request may set all the same, with commas between."""
PREFIX = "ERRATA_"

MODEL_NAME = re.compile(r"(?!.*\bhttps?\b)[\w@][\w@.+-]*((::?|/)[\w@][\w@.+-]*)*")
"""The model of a request: a name, not an address and not a path."""
FROM_DISK = ("huggingface",)
"""Providers of `init_chat_model` that load the model they are given, from a folder or by downloading it."""


class TrustedContext(Context):
    """Settings that who runs the program wrote down in it. No request makes one: see `trusted`."""


def trusted(context: Context) -> Context:
    """The same settings, marked as those of whoever runs the server.

    In the Agent Server a graph cannot tell the settings of a request from those that code of yours passes on, and
    refuses operator settings in both. Mark yours:

        await rarr.graph.ainvoke({"text": text}, context=trusted(Context(sources="handbook/")))

    Args:
        context: Settings that hold nothing a request said.

    Returns:
        A Context that a graph accepts as it is.
    """
    return TrustedContext.model_construct(_fields_set=context.model_fields_set, **dict(context))


def requestable() -> frozenset[str]:
    """The settings that a request may set.

    Raises:
        ConfigurationError: If ERRATA_ALLOW_REQUEST_SETTINGS names something that is no setting.
    """
    allowed = {name.strip() for name in os.environ.get(ALLOWING, "").split(",")} - {""}
    for name in sorted(allowed - Context.model_fields.keys()):
        raise ConfigurationError(f"{ALLOWING}: there is no setting `{name}`; `errata settings` lists them")
    return frozenset(Context.model_fields) - (operator_fields() - allowed)


def own_fields() -> frozenset[str]:
    """The settings that whoever runs a server keeps to themselves."""
    return frozenset(Context.model_fields) - requestable()


def from_environment() -> dict[str, Any]:
    """The settings that a server's environment makes, as in `ERRATA_SOURCES=/srv/handbook` or `ERRATA_PAGES=3`.

    Raises:
        ConfigurationError: If one of them is not valid.
    """
    given = {name: os.environ.get(PREFIX + name.upper(), "") for name in Context.model_fields}
    read = {name: _read(name, value) for name, value in given.items() if value}
    try:
        context = Context.model_validate(read)
    except ValidationError as error:
        raise ConfigurationError(f"in the environment ({PREFIX}...), {complaint(error)}") from None
    return {name: getattr(context, name) for name in read}


def of_request(given: Mapping[str, Any], defaults: Context) -> Context:
    """The settings of a run for a request: what it gives, on top of what the server was started with.

    Raises:
        ConfigurationError: If a setting is unknown, invalid, or whoever runs the server keeps it to themselves. The
            message names it.
    """
    known = Context.model_fields
    offered = requestable()
    chosen = {name: value for name, value in given.items() if name not in known or not _is_own(name, value, defaults)}
    for name in chosen:
        if name not in known:
            raise ConfigurationError(f"there is no setting `{name}`: use {', '.join(sorted(offered))}")
        if name not in offered:
            raise ConfigurationError(
                f"a request may not set `{name}`: whoever runs this server sets it ({PREFIX}{name.upper()}), "
                f"or allows requests to ({ALLOWING}={name})"
            )
    _check_model(chosen.get("model"))
    if isinstance(chosen.get("backends"), dict):
        chosen["backends"] = {**defaults.backends, **chosen["backends"]}
    if "base_url" in chosen:
        chosen["send_key"] = False  # the server's key is not for an address of somebody else's
    try:
        return Context.model_validate({**dict(defaults), **chosen})
    except ValidationError as error:
        raise ConfigurationError(complaint(error)) from None


def guarded(found: Context, given: Context) -> Context:
    """The settings that a run of a server goes on with, without what somebody may have written into its state.

    Args:
        found: The settings that the state holds, which a request can change.
        given: What `of_caller` made of the context.

    Raises:
        ConfigurationError: If the state names a model that a request may not.
    """
    own = {name: getattr(given, name) for name in own_fields()}
    guarded = found.model_copy(update=own)
    if guarded.model != given.model:
        _check_model(guarded.model)
    return guarded.model_copy(update={"send_key": given.send_key and guarded.base_url == given.base_url})


def _is_own(name: str, value: Any, defaults: Context) -> bool:
    """Whether a value is what the server has anyway. A form sends an operator's setting that nobody touched, too."""
    own = getattr(defaults, name)
    untouched = Context.model_fields[name].default if name in operator_fields() else own
    return value in (own, untouched)


def _check_model(model: Any) -> None:
    """Raise ConfigurationError for the name of a model that leads to another place than its provider's own."""
    if not isinstance(model, str):
        return
    if not MODEL_NAME.fullmatch(model) or model.partition(":")[0].lower() in FROM_DISK:
        raise ConfigurationError(
            f"a request may not use the model {model!r:.80}: name one as in openai:gpt-5-mini, without address or path"
        )


def _read(name: str, value: str) -> Any:
    """A variable's value: JSON where the setting is a dict; of anything else pydantic makes what it wants."""
    if not Context.model_fields[name].default_factory:
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise ConfigurationError(f'{PREFIX}{name.upper()} is not JSON, as in {{"agreement": "rules"}}') from None
