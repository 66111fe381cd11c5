"""The settings of a run as its state keeps them, so that a resume goes on with those that the run began with."""

from collections.abc import Collection, Iterator
from typing import Any

from typing_extensions import TypedDict

from ..context import Context
from ..errors import ConfigurationError
from .addresses import bare

PRIVATE = "a value of the server's own"
"""What stands in a state for an address or path that is nobody's but the operator's."""


class Kept(TypedDict):
    """The settings of a run, JSON-like."""

    values: dict[str, Any]
    """What is not the default."""
    missing: dict[str, str]
    """What cannot be kept, as name and kind: an object (a model, a search), an address that may hold a secret, or what
    nobody should read who asks a server for the state of a run."""


def kept(context: Context, private: Collection[str] = ()) -> Kept:
    """What a state keeps of the settings of a run. It never holds an object or a secret.

    Args:
        context: The settings.
        private: Names of settings whose addresses and paths are not kept either.

    Returns:
        What is kept, and what has to be given again.
    """
    found: Kept = {"values": {}, "missing": {}}
    for name, value in _chosen(context):
        if name in private and isinstance(value, str):
            found["missing"][name] = PRIVATE
        elif isinstance(value, dict):
            for key, item in value.items():
                if kind := _kind(item):
                    found["missing"][f"{name}.{key}"] = kind
            found["values"][name] = {key: item for key, item in value.items() if not _kind(item)}
        elif kind := _kind(value):
            found["missing"][name] = kind
        else:
            found["values"][name] = value
    return found


def written(context: Context) -> dict[str, Any]:
    """The settings that are not the default, JSON-like, as they are written down beside what they led to."""
    found = context.model_dump(mode="json", exclude_defaults=True)
    return {name: bare(value) if isinstance(value, str) else value for name, value in found.items()}


def restored(begun_with: Kept, given: Context) -> Context:
    """The settings that a run began with; `given` supplies what could not be kept, and nothing else.

    Raises:
        ConfigurationError: If `given` lacks something of that, or has something of another kind.
    """
    values = {**begun_with["values"]}
    for name, kind in begun_with["missing"].items():
        field, _, key = name.partition(".")
        value = getattr(given, field)
        item = value.get(key) if key else value
        if _kind(item) != kind and not (kind == PRIVATE and value):
            raise ConfigurationError(
                f"this run began with `{name}` set to {kind}, which is not kept: give it again to resume the run"
            )
        values[field] = {**values[field], key: item} if key else item
    return Context.model_validate(values)


def _chosen(context: Context) -> Iterator[tuple[str, Any]]:
    """The settings that are not the default."""
    for name, field in Context.model_fields.items():
        value = getattr(context, name)
        if value != field.get_default(call_default_factory=True):
            yield name, value


def _kind(value: Any) -> str:
    """What a value is called that must not be kept; an empty string for one that may."""
    if isinstance(value, str):
        return "an address with a secret" if _has_secret(value) else ""
    return "" if value is None or isinstance(value, bool | int | float) else f"a {type(value).__name__}"


def _has_secret(value: str) -> bool:
    """Whether an address has a password, or a query, which is where keys stand."""
    return "://" in value and ("@" in value or "?" in value)
