"""The state of a draft: a baseline on its own, or the first step of a method."""

from typing import Annotated

from langchain_core.messages import AnyMessage
from typing_extensions import TypedDict

from ..records import Evidence, Failure, Quorum, Usage
from ..runs.kept import Kept
from ..runs.meter import Interval
from .critic import CriticInput
from .running import RunState, append


class DraftState(RunState):
    """The data that flows between the steps."""

    gold: list[str]
    """Right answers, which only rejection sampling compares with."""
    answer: str
    """The short answer, or the program's result; empty for prose."""
    programs: list[str]
    """The programs among which rejection sampling chooses, each once."""
    ran: Annotated[list["Ran"], append]
    """What came of them, in the order in which they ended."""
    messages: Annotated[list[AnyMessage], append]
    """The turns of `react`: the model's requests, and the tool results."""


class Ran(TypedDict):
    """What came of a sampled program."""

    number: int
    """Its place among the programs."""
    answer: str
    """Its result; empty if it has none."""
    evidence: list[Evidence]
    failed: str
    """Why it could not be run; empty if it could. An error of its own is a result."""


class Sampled(TypedDict):
    """What a step is sent that runs one of several programs."""

    number: int
    program: str


class ToDraft(CriticInput):
    """What a method passes to the draft that is its first step."""

    settings: Kept


class Drafted(TypedDict):
    """What a draft passes to the method whose first step it is."""

    text: str
    original: str
    answer: str
    evidence: list[Evidence]
    failures: list[Failure]
    quorum: dict[str, Quorum]
    usage: Usage
    worked: list[Interval]
