"""Whose settings a graph is called with: ours, or those of an app, a graph or an agent that it is a part of."""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, ClassVar, cast

from pydantic import ConfigDict, ValidationError, create_model, model_validator

from .context import Context, complaint
from .errors import ConfigurationError, nearest
from .hosts import TrustedContext, from_environment, of_request
from .parts import Settings

LIKE = 0.8
"""How like a setting (difflib's ratio) a key is that was meant to be one."""


class GivenSettings(Settings):
    """The settings that a graph declares: LangGraph makes them of a dict that the graph is called with.

    A dict without any of our settings is somebody else's, unless one of its keys looks like a setting mistyped.
    """

    model_config = ConfigDict(title="Context")

    method: ClassVar[str]

    @model_validator(mode="before")
    @classmethod
    def _ours_alone(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        if "errata" in given:
            found = given["errata"]
            if isinstance(found, Context):  # the whole, for every method of an app
                return {name: getattr(found, name) for name in found.model_fields_set & cls.model_fields.keys()}
            given = found
        elif not any(get_close_matches(str(key), Context.model_fields, 1, LIKE) for key in given):
            return {}
        if isinstance(given, Mapping):
            refuse_unread(cls.method, given, cls.model_fields)
        return given


def schema(method: str, reads: Collection[str]) -> type[Context]:
    """What the graph of a method declares as its `context_schema`: the settings that it reads, in groups.

    A graph takes a whole Context as well, which is what its nodes see in any case; so to a type checker it is one.
    """
    fields: dict[str, Any] = {
        name: (field.annotation, field) for name, field in Context.model_fields.items() if name in reads
    }
    made = create_model("GivenSettings", __base__=GivenSettings, __doc__=f"Settings of {method}.", **fields)
    made.method = method
    return cast(type[Context], made)


def refuse_unread(
    method: str, given: Iterable[str], reads: Collection[str], called: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Refuse settings that a method does not read.

    Args:
        method: Its name.
        given: The settings that somebody gave. What is no setting of any method is left to validation.
        reads: Those that it reads.
        called: What the person who gave a setting knows it as, where that is not its name.

    Raises:
        ConfigurationError: For the first of them. The message says what lists those that the method reads.
    """
    for name in given:
        if name in Context.model_fields and name not in reads:
            setting = called.get(name, f"the setting `{name}`")
            listed = f"`errata settings {method.partition(',')[0]}` lists those that it reads"
            raise ConfigurationError(f"`{method}` does not read {setting}: {nearest(name, reads, listed)}")


def of_caller(given: Any, *, hosted: bool) -> Context:
    """The settings that a graph was called with, whatever its caller has for a context.

    A context that is not ours, such as that of the app or agent that a graph is a part of, means the defaults; what it
    has as `errata`, attribute or key, is ours.

    Args:
        given: The context of LangGraph's runtime.
        hosted: Whether the run is one of the Agent Server, where a context comes with a request.

    Raises:
        ConfigurationError: If settings that are meant for us are not valid, or are not a request's to make.
    """
    if isinstance(given, TrustedContext):
        return given
    ours = _ours(given)
    try:
        context = ours if isinstance(ours, Context) else Context.model_validate(ours)
    except ValidationError as error:
        raise ConfigurationError(complaint(error)) from None
    if not hosted:
        return context
    given = {name: getattr(context, name) for name in context.model_fields_set}
    return of_request(given, Context(**from_environment()))


def _ours(given: Any) -> Any:
    """The part of a context that is meant for us; nothing, if there is none."""
    if given is None or isinstance(given, Context):
        return given or {}
    if isinstance(given, GivenSettings):
        return {name: getattr(given, name) for name in given.model_fields_set}
    if isinstance(given, Mapping):
        if given.keys() <= Context.model_fields.keys():
            return given
        found = given.get("errata")
    else:
        found = getattr(given, "errata", None)
    if found is None or isinstance(found, Context | Mapping):
        return found or {}
    kind = type(found).__name__
    raise ConfigurationError(f"`errata` of the context is a {kind}: make it an errata.Context or a dict")
