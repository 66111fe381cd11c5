"""Settings on a server: what a request may set, and what only the operator may set.

The operator sets things through the environment (`ERRATA_SOURCES=/srv/handbook`) or when constructing a server, a tool
or middleware. A request may come from anybody: it may choose how it is answered, but not which folder is read or where
a key is sent. It may ask for less than the server allows, and for more up to a ceiling.
"""

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from ..context import Context, operator_fields
from ..errors import ConfigurationError
from ..parts import EMBEDDED, GROUPS
from ..parts.refusing import no_setting

ALLOWING = "ERRATA_ALLOW_REQUEST_SETTINGS"
"""Environment variable: operator settings that requests may set anyway, separated by commas."""
CEILINGS = "ERRATA_CEILINGS"
"""Environment variable: the most that a request may set, as in `rounds=6, timeout=120`."""
SHIPPED: dict[str, float | None] = {
    "max_calls": 500,
    "max_cost": None,
    "deadline": 600,
    "max_chars": 200_000,
    "max_concurrency": 16,
    "requests_per_second": None,
    "timeout": 300,
    "retries": 5,
    "repairs": 5,
    "max_output_tokens": 32_768,
    "rounds": 10,
    "question_rounds": 5,
    "samples": 20,
    "critique_calls": 20,
    "consolidations": 5,
    "window": 16,
    "pages": 20,
    "windows_per_page": 5,
    "whole_page_chars": 40_000,
    "max_evidence": 10,
    "fused_evidence": 32,
    "evidence_sentences": 20,
    "evidence_tokens": 16_000,
    "passage_chars": 20_000,
    "entities": 20,
    "paths": 20,
    "program_seconds": 10,
    "program_memory_mb": 512,
}
"""The settings that decide how much a run may use, with their built-in ceilings for requests."""
PREFIX = "ERRATA_"

MODEL_NAME = re.compile(r"(?!.*\bhttps?\b)[\w@][\w@.+-]*((::?|/)[\w@][\w@.+-]*)*")
"""The model of a request: a name, not an address and not a path."""
FROM_DISK = ("huggingface", "embedded")
"""Providers that load the model they are given, from a folder or by downloading it."""


class TrustedContext(Context):
    """Settings that the operator wrote in the program. No request can create one: see `trusted`."""


def trusted(context: Context) -> Context:
    """Mark settings as those of the server's operator.

    On the Agent Server a graph cannot tell the settings of a request from those that your code passes on, and refuses
    operator settings in both. Mark yours:

        await rarr.graph.ainvoke({"text": text}, context=trusted(Context(sources="handbook/")))

    Args:
        context: Settings that contain nothing from a request.

    Returns:
        A Context that a graph accepts without these checks.
    """
    return TrustedContext.model_construct(_fields_set=context.model_fields_set, **dict(context))


def requestable() -> frozenset[str]:
    """The settings that a request may set.

    Raises:
        ConfigurationError: If ERRATA_ALLOW_REQUEST_SETTINGS names something that is not a setting.
    """
    allowed = {name.strip() for name in os.environ.get(ALLOWING, "").split(",")} - {""}
    for name in sorted(allowed - Context.model_fields.keys()):
        raise ConfigurationError(f"{ALLOWING}: {no_setting(name, Context.model_fields)}")
    return frozenset(Context.model_fields) - (operator_fields() - allowed)


def own_fields() -> frozenset[str]:
    """The settings that the operator keeps to themselves."""
    return frozenset(Context.model_fields) - requestable()


def from_environment() -> dict[str, Any]:
    """The settings in a server's environment, as in `ERRATA_SOURCES=/srv/handbook` or `ERRATA_PAGES=3`.

    Raises:
        ConfigurationError: If one of them is not valid.
    """
    variables = {name: os.environ.get(PREFIX + name.upper(), "") for name in Context.model_fields}
    return _validated(
        {name: _read(name, value) for name, value in variables.items() if value}, f"the environment ({PREFIX}...)"
    )


def of_request(requested: Mapping[str, Any], defaults: Context) -> Context:
    """The settings of a run for a request: its own settings on top of the server's defaults.

    Raises:
        ConfigurationError: If a setting is unknown, invalid, or only the operator may set it. The message names it.
    """
    fields = Context.model_fields
    offered = requestable()
    chosen = {
        name: value for name, value in requested.items() if name not in fields or not _is_own(name, value, defaults)
    }
    for name in chosen:
        if name not in fields:
            raise ConfigurationError(no_setting(name, sorted(offered)))
        if name not in offered:
            raise ConfigurationError(
                f"a request may not set `{name}`: the operator of this server sets it ({PREFIX}{name.upper()}), "
                f"or allows requests to ({ALLOWING}={name})"
            )
    _check_model(chosen.get("model"))
    for name in ("backends", "instructions"):
        if isinstance(chosen.get(name), dict):
            chosen[name] = {**getattr(defaults, name), **chosen[name]}
    if "base_url" in chosen:
        chosen["send_key"] = False  # the server's key is not for somebody else's address
    most = ceilings(defaults)
    nullable = [name for name in most if Context.model_fields[name].default is None]
    chosen = {name: value for name, value in chosen.items() if value is not None or name not in nullable}
    context = Context.model_validate({**dict(defaults), **chosen})
    for name in most.keys() & chosen.keys():
        if getattr(context, name) > most[name]:
            raise ConfigurationError(
                f"setting `{name}`: this server allows at most {most[name]:g}, got {getattr(context, name):g}"
            )
    return _lowered(context, most)


def ceilings(defaults: Context) -> dict[str, float]:
    """The most that a request may set, for each setting that decides how much a run may use.

    It is the value in ERRATA_CEILINGS, otherwise the operator's own setting, otherwise the built-in ceiling.

    Args:
        defaults: The server's own settings.

    Raises:
        ConfigurationError: If ERRATA_CEILINGS names another setting, or has no number for one.
    """
    named_ceilings = _named_ceilings()
    operator_values = {name: getattr(defaults, name) for name in defaults.model_fields_set & SHIPPED.keys()}
    highest = {
        name: named_ceilings.get(name, most if operator_values.get(name) is None else operator_values[name])
        for name, most in SHIPPED.items()
    }
    return {name: most for name, most in highest.items() if most is not None}


def _named_ceilings() -> dict[str, float]:
    pairs = (pair.partition("=") for pair in os.environ.get(CEILINGS, "").split(",") if pair.strip())
    named = {name.strip(): most.strip() for name, _, most in pairs}
    for name in sorted(named.keys() - SHIPPED.keys()):
        raise ConfigurationError(f"{CEILINGS}: there is no ceiling for `{name}`; it takes {', '.join(SHIPPED)}")
    return _validated(named, CEILINGS)


def _lowered(context: Context, most: Mapping[str, float]) -> Context:
    """The settings with none above its ceiling. If no limit is set, the ceiling is the limit."""
    named = _named_ceilings()

    def is_above(name: str) -> bool:
        value = getattr(context, name)
        # Settings that are absent and not limits, such as `rounds`, follow the method's paper.
        return value > most[name] if value is not None else GROUPS[name] == "Limits" or name in named

    return context.model_copy(update={name: ceiling for name, ceiling in most.items() if is_above(name)})


def guarded(stored: Context, given: Context) -> Context:
    """The settings that a server's run continues with, without what somebody may have written into its state.

    Args:
        stored: The settings in the state, which a request can change.
        given: The settings that `of_caller` read from the context.

    Raises:
        ConfigurationError: If the state names a model that a request may not.
    """
    operator_values = {name: getattr(given, name) for name in own_fields()}
    guarded = stored.model_copy(update=operator_values)
    if isinstance(given, TrustedContext):
        guarded = guarded.model_copy(update={name: getattr(given, name) for name in SHIPPED})
    else:
        guarded = _lowered(guarded, ceilings(Context(**from_environment())))
    if guarded.model != given.model:
        _check_model(guarded.model)
    return guarded.model_copy(update={"send_key": given.send_key and guarded.base_url == given.base_url})


def _is_own(name: str, value: Any, defaults: Context) -> bool:
    """Whether a value is the server's own. A form also sends operator settings that nobody changed."""
    current = getattr(defaults, name)
    untouched = Context.model_fields[name].default if name in operator_fields() else current
    return value in (current, untouched)


def _check_model(model: Any) -> None:
    """Raise ConfigurationError if a model's name leads somewhere other than its provider's own address."""
    if not isinstance(model, str):
        return
    loads = model != EMBEDDED and model.partition(":")[0].lower() in FROM_DISK
    if loads or not MODEL_NAME.fullmatch(model):
        raise ConfigurationError(
            f"a request may not use the model {model!r:.80}: name one as in openai:gpt-5-mini, without address or path"
        )


def _validated(values: dict[str, Any], where: str) -> dict[str, Any]:
    try:
        context = Context.model_validate(values)
    except ConfigurationError as error:
        raise ConfigurationError(f"in {where}, {error}") from None
    return {name: getattr(context, name) for name in values}


def _read(name: str, value: str) -> Any:
    """The value of a variable: JSON if the setting is a dict; pydantic converts everything else."""
    if not Context.model_fields[name].default_factory:
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise ConfigurationError(f'{PREFIX}{name.upper()} is not JSON, as in {{"agreement": "rules"}}') from None
