"""The base of all parts of the settings."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Protocol, Self, runtime_checkable

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, ValidationError
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
    if hasattr(function, "ainvoke"):  # as isinstance, but ten times as fast
        return function
    from langchain_core.runnables.base import coerce_to_runnable

    return coerce_to_runnable(function)


@runtime_checkable
class Scorer(Protocol):
    """An object that scores how toxic a text is: a `ToxicityTool`, or anything with this method."""

    async def score(self, text: str) -> Any:
        """How toxic a text is."""


class Unchanging(dict[str, Any]):
    """A mapping that stays as it was made, as the settings that hold it do: what is stored of a run is read once."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("settings do not change: make new ones with model_copy(update=...)")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type["Unchanging"], tuple[dict[str, Any]]]:
        return Unchanging, (dict(self),)


GROUPS: dict[str, str] = {}
"""The heading of each setting in a list or a form."""


@contextmanager
def _refused_in_one_line(kind: type[BaseModel]) -> Iterator[None]:
    try:
        yield
    except ValidationError as error:
        raise ConfigurationError(complaint(error, kind.model_fields)) from None


class Settings(BaseModel):
    """Settings of a run, or a part of them.

    Every field has a default that works offline and without a key. In Python, objects (a chat model, a retriever, a
    Runnable for a task) can be passed wherever a name is accepted.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, allow_inf_nan=False)

    if not TYPE_CHECKING:  # to type checkers and editors, its fields are its arguments

        def __init__(self, /, **settings: Any) -> None:
            """Make settings. Raises ConfigurationError, in one line, for an invalid one."""
            with _refused_in_one_line(type(self)):
                super().__init__(**settings)

        # Inside another model, such as the body of a request, its host knows what to do with pydantic's own error.
        __init__.__pydantic_base_init__ = True

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """Make settings of a dict or a Context. Raises ConfigurationError, in one line, for an invalid one."""
        with _refused_in_one_line(cls):
            return super().model_validate(obj, **options)

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
