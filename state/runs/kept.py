"""The settings of a run as stored in its state, so that a resume continues with the original ones."""

from collections.abc import Collection, Iterator
from functools import cache, partial
from typing import Any
from weakref import ref

from typing_extensions import TypedDict

from ..context import Context
from ..errors import ConfigurationError
from .addresses import bare

PRIVATE = "a value of the server's own"
"""What a state contains instead of an address or path that only the operator may know."""


class Kept(TypedDict):
    """The settings of a run, JSON-like."""

    values: dict[str, Any]
    """The settings that differ from their defaults."""
    missing: dict[str, str]
    """What cannot be stored, as name and kind: an object (a model, a search), an address that may hold a secret, or
    what clients of a server must not read.
    """


def kept(context: Context, private: Collection[str] = ()) -> Kept:
    """What a state stores of the settings of a run. It never contains an object or a secret.

    Args:
        context: The settings.
        private: The names of settings whose addresses and paths are not stored either.

    Returns:
        What is stored, and what must be given again.
    """
    record: Kept = {"values": {}, "missing": {}}
    for name, value in _chosen(context):
        if name in private and isinstance(value, str):
            record["missing"][name] = PRIVATE
        elif isinstance(value, dict):
            for key, item in value.items():
                if kind := _kind(item):
                    record["missing"][f"{name}.{key}"] = kind
            record["values"][name] = {key: item for key, item in value.items() if not _kind(item)}
        elif kind := _kind(value):
            record["missing"][name] = kind
        else:
            record["values"][name] = value
    return record


def written(context: Context) -> dict[str, Any]:
    """The settings that differ from their defaults, JSON-like, for records of a run."""
    values = context.model_dump(mode="json", exclude_defaults=True)
    return {name: bare(value) if isinstance(value, str) else value for name, value in values.items()}


def restored(begun_with: Kept, given: Context) -> Context:
    """The settings that a run started with; `given` supplies only what could not be stored.

    Every node asks for them. Nearly always the caller still gives the same, and then nothing is validated again.

    Raises:
        ConfigurationError: If `given` lacks something of that, or has another kind of object.
        ValueError: If they cannot be those of a run: their record is damaged.
    """
    if type(given) is Context and _kept_before(given) == begun_with:
        return given
    values = {**begun_with["values"]}
    for name, kind in begun_with["missing"].items():
        field, _, key = name.partition(".")
        value = getattr(given, field)
        item = value.get(key) if key else value
        if _kind(item) != kind and not (kind == PRIVATE and value):
            raise ConfigurationError(
                f"this run began with `{name}` set to {kind}, which is not stored: pass it again to resume the run"
            )
        values[field] = {**values[field], key: item} if key else item
    try:
        return Context.model_validate(values)
    except ConfigurationError as error:
        raise ValueError(str(error)) from None


def _kept_before(context: Context) -> Kept:
    """What is stored of settings that many nodes ask about."""
    reference, record = _records.get(id(context), (None, None))
    if record is None or reference is None or reference() is not context:
        record = kept(context)
        _records[id(context)] = ref(context, partial(_forget, id(context))), record
    return record


_records: dict[int, tuple[ref[Context], Kept]] = {}
"""By the identity of what is stored, for as long as that lives."""


def _forget(identity: int, _: ref[Context]) -> None:
    _records.pop(identity, None)


def _chosen(context: Context) -> Iterator[tuple[str, Any]]:
    """The settings that differ from their defaults."""
    for name, default in _defaults().items():
        value = getattr(context, name)
        if value != default:
            yield name, value


@cache
def _defaults() -> dict[str, Any]:
    """To compare with."""
    return {name: field.get_default(call_default_factory=True) for name, field in Context.model_fields.items()}


def _kind(value: Any) -> str:
    """The kind of a value that must not be stored; empty if it may be."""
    if isinstance(value, str):
        return "an address with a secret" if _has_secret(value) else ""
    return "" if value is None or isinstance(value, bool | int | float) else f"a {type(value).__name__}"


def _has_secret(value: str) -> bool:
    """Whether an address has a password, or a query, which may hold keys."""
    return "://" in value and ("@" in value or "?" in value)
