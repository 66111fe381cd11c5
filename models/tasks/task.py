"""What a task is: a piece of thinking with typed input and output, whoever does the thinking."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator

from ..declined import declining

In = TypeVar("In", bound=Mapping[str, Any])
Out = TypeVar("Out", bound=BaseModel)


@dataclass(frozen=True)
class Task(Generic[In, Out]):
    """One task. A chat model can carry it out if there is a prompt of its name."""

    name: str
    input: type[In]
    """A TypedDict. What is not required in it may be left out, and a prompt may do without."""
    output: type[Out]
    check: Callable[[In, Out], str | None] | None = None
    """What typing cannot say: what is wrong with an output, or None. A chat backend asks again with that complaint."""
    prompt: str = ""
    """The task whose prompt it uses, if not its own."""
    example: type[BaseModel] | None = None
    """What the examples in its prompt come to, if not its output."""
    suits_small: bool = False
    """Whether a language model of one to a few billion parameters was seen to do it better than rules."""
    streams: bool = False
    """Whether its text is what a person waits for, and may watch as it is written."""

    def problem(self, task_input: In, output: Out) -> str | None:
        """What is wrong with an output, or None: what `check` says, or that it is a refusal or an error message."""
        return (self.check and self.check(task_input, output)) or declining(task_input, output) or None

    @property
    def variables(self) -> frozenset[str]:
        """The names of its input."""
        return frozenset(self.input.__annotations__)

    @property
    def shown(self) -> type[BaseModel]:
        """What the examples in its prompt come to."""
        return self.example or self.output

    @property
    def required(self) -> frozenset[str]:
        """Those that are always given."""
        names: frozenset[str] = vars(self.input)["__required_keys__"]
        return names


def _bare(label: Any) -> Any:
    """A label as models write it, with a capital or in bold, as we do."""
    return label.strip(" \n\t.*_`\"'").lower() if isinstance(label, str) else label


AnyCase = BeforeValidator(_bare)

_STANCES = {"supported": "entailment", "contradicted": "contradiction", "not stated": "neutral"}
"""Labels as models are asked for them. Asked for the terms of the field, a model of 1.5 billion parameters called every
claim that its evidence supports contradicted."""


def _stance(label: Any) -> Any:
    bare = _bare(label)
    return _STANCES.get(bare, bare) if isinstance(bare, str) else bare


Stance = Annotated[
    Literal["entailment", "neutral", "contradiction"],
    BeforeValidator(_stance, json_schema_input_type=Literal["supported", "contradicted", "not stated"]),
]
"""What evidence says about a claim."""
