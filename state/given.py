"""Whose context it is that a graph is called with: ours, or that of an app, a graph or an agent it is a part of."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import ConfigDict, ValidationError, model_validator

from .context import Context, complaint
from .errors import ConfigurationError
from .hosts import TrustedContext, from_environment, of_request


class GivenContext(Context):
    """The Context as graphs declare it: LangGraph makes one of a dict that a graph is called with.

    A dict without any of our settings is somebody else's, unless one of its keys looks like a setting mistyped.
    """

    model_config = ConfigDict(title="Context")

    @model_validator(mode="before")
    @classmethod
    def _ours_alone(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        if "errata" in given:
            found = given["errata"]
            return dict(found) if isinstance(found, Context) else found
        known = list(cls.model_fields)
        meant = any(get_close_matches(str(key), known, 1, LIKE) for key in given)
        return given if meant else {}


SCHEMA: type[Context] = GivenContext
"""What graphs declare as their `context_schema`."""
LIKE = 0.8
"""How like a setting (difflib's ratio) a key is that was meant to be one."""


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
