"""The base of all parts of the settings."""

from collections.abc import Callable
from typing import Any, Literal, Protocol, Self, runtime_checkable

from pydantic import (
    BaseModel,
    ConfigDict,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ..errors import ConfigurationError
from .refusing import complaint

EMBEDDED = "embedded"
"""The model that ships. `embedded:` and a path or a name is another one in this process."""
BackendName = Literal["chat", "rules", "cross_encoder", "nli", "seq2seq", "learned"]


def embedded_name(model: Any) -> str | None:
    """What names the weights of an embedded model: nothing, for the one that ships; None for a model elsewhere."""
    if not isinstance(model, str):
        return None
    kind, _, name = model.partition(":")
    return name if kind == EMBEDDED else None


@runtime_checkable
class Invokable(Protocol):
    """Any LangChain Runnable: a chat model, a retriever, a tool, a chain."""

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        """Call it."""


Called = Invokable | Callable[..., Any]
"""A Runnable, or a plain function in its place."""


def runnable(function: Called) -> Invokable:
    """A Runnable as it is, or one made from a plain function, sync or async."""
    if isinstance(function, Invokable):
        return function
    from langchain_core.runnables.base import coerce_to_runnable

    return coerce_to_runnable(function)


@runtime_checkable
class Scorer(Protocol):
    """An object that scores how toxic a text is: a `ToxicityTool`, or anything with this method."""

    async def score(self, text: str) -> Any:
        """How toxic a text is."""


GROUPS: dict[str, str] = {}
"""The heading of each setting in a list or a form."""


class Settings(BaseModel):
    """Settings of a run, or a part of them.

    Every field has a default that works offline and without a key. In Python, objects (a chat model, a retriever, a
    Runnable for a task) can be passed wherever a name is accepted.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, allow_inf_nan=False)

    @model_validator(mode="wrap")
    @classmethod
    def _refused_in_one_line(cls, value: Any, validate: ModelWrapValidatorHandler[Self]) -> Self:
        """Raise ConfigurationError for an invalid setting, however it was given."""
        try:
            return validate(value)
        except ValidationError as error:
            raise ConfigurationError(complaint(error, cls.model_fields)) from None

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The JSON schema, in which each setting names its group."""
        form = handler(core_schema)
        for name, field in handler.resolve_ref_schema(form).get("properties", {}).items():
            field["group"] = GROUPS[name]
        return form

    def __init_subclass__(cls, group: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        if group:
            GROUPS.update(dict.fromkeys(cls.__annotations__, group))
