"""Whose settings a graph is called with: ours, or those of the app, graph or agent that it is part of."""

from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, ClassVar, cast

from pydantic import ConfigDict, GetJsonSchemaHandler, create_model, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ..context import Context
from ..errors import ConfigurationError, nearest
from ..parts import Settings
from .hosts import TrustedContext, from_environment, of_request

LIKE = 0.8
"""How similar a key must be to a setting (difflib's ratio) to count as a typo of it."""
PROMPT = "_prompt"
"""The ending of form fields that hold the instructions of a prompt."""


class GivenSettings(Settings):
    """The settings that a graph declares. LangGraph creates them from a dict that the graph is called with.

    A dict without any of our settings is somebody else's, unless one of its keys looks like a mistyped setting. In a
    form, the `instructions` of each prompt are a text field, so that Studio can show it at its nodes.
    """

    model_config = ConfigDict(title="Context")

    method: ClassVar[str]
    prompts: ClassVar[Callable[[], Mapping[str, Mapping[str, Any]]]]
    """The fields that a form has for prompts."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        form = super().__get_pydantic_json_schema__(core_schema, handler)
        handler.resolve_ref_schema(form)["properties"].update(cls.prompts())
        return form

    @model_validator(mode="before")
    @classmethod
    def _ours_alone(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        value = cls._gathered(value)
        if "errata" in value:
            ours = value["errata"]
            if isinstance(ours, Context):  # the whole Context, for every method of an app
                return {name: getattr(ours, name) for name in ours.model_fields_set & cls.model_fields.keys()}
            value = ours
        elif not any(get_close_matches(str(key), Context.model_fields, 1, LIKE) for key in value):
            return {}
        if isinstance(value, Mapping):
            refuse_unread(cls.method, value, cls.model_fields)
        return value

    @classmethod
    def _gathered(cls, form: Mapping[str, Any]) -> Mapping[str, Any]:
        """The content of a form, with changed prompts as `instructions`."""
        if not any(str(key).endswith(PROMPT) for key in form):
            return form
        fields = cls.prompts()
        changed = {
            key.removesuffix(PROMPT): text
            for key, text in form.items()
            if key in fields and text not in ("", None, fields[key]["default"])
        }
        settings = {key: value for key, value in form.items() if key not in fields}
        instructions = settings.get("instructions", {})
        return (
            {**settings, "instructions": {**instructions, **changed}}
            if changed and isinstance(instructions, Mapping)
            else settings
        )


def schema(
    method: str, reads: Collection[str], prompts: Callable[[], Mapping[str, Mapping[str, Any]]] = dict
) -> type[Context]:
    """The `context_schema` of a method's graph: the settings that it reads, in groups.

    A graph also accepts a whole Context, which is what its nodes see in any case; so for a type checker it is one.

    Args:
        method: Its name.
        reads: The settings that it reads.
        prompts: What gives the fields that a form has for the method's prompts.
    """
    fields: dict[str, Any] = {
        name: (field.annotation, field) for name, field in Context.model_fields.items() if name in reads
    }
    model = create_model("GivenSettings", __base__=GivenSettings, __doc__=f"Settings of {method}.", **fields)
    model.method, model.prompts = method, staticmethod(prompts)
    return cast(type[Context], model)


def refuse_unread(
    method: str, given: Iterable[str], reads: Collection[str], names: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Refuse settings that a method does not read.

    Args:
        method: Its name.
        given: The given settings. Names that are not settings of any method are left to validation.
        reads: The settings that it reads.
        names: The names under which the person gave the settings, if not their own.

    Raises:
        ConfigurationError: For the first of them. The message says how to list those that the method reads.
    """
    for name in given:
        if name in Context.model_fields and name not in reads:
            setting = names.get(name, f"the setting `{name}`")
            listed = f"`errata settings {method.partition(',')[0]}` lists those that it reads"
            raise ConfigurationError(f"`{method}` does not read {setting}: {nearest(name, reads, listed)}")


def of_caller(context_given: Any, *, hosted: bool) -> Context:
    """The settings that a graph was called with, whatever its caller uses as context.

    If a context is not ours, such as that of the app or agent that a graph is part of, its attribute or key `errata` is
    used, or otherwise the defaults.

    Args:
        context_given: The context of LangGraph's runtime.
        hosted: Whether the run is on the Agent Server, where a context comes with a request.

    Raises:
        ConfigurationError: If settings that are meant for us are invalid, or a request may not set them.
    """
    if isinstance(context_given, TrustedContext):
        return context_given
    ours = _ours(context_given)
    context = ours if isinstance(ours, Context) else Context.model_validate(ours)
    if not hosted:
        return context
    requested = {name: getattr(context, name) for name in context.model_fields_set}
    return of_request(requested, Context(**from_environment()))


def _ours(context_given: Any) -> Any:
    """The part of a context that is meant for us; nothing, if there is none."""
    if context_given is None or isinstance(context_given, Context):
        return context_given or {}
    if isinstance(context_given, GivenSettings):
        return {name: getattr(context_given, name) for name in context_given.model_fields_set}
    if isinstance(context_given, Mapping):
        if context_given.keys() <= Context.model_fields.keys():
            return context_given
        ours = context_given.get("errata")
    else:
        ours = getattr(context_given, "errata", None)
    if ours is None or isinstance(ours, Context | Mapping):
        return ours or {}
    kind = type(ours).__name__
    raise ConfigurationError(f"`errata` of the context is a {kind}: make it an errata.Context or a dict")
