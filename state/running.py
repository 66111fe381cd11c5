"""What every method's state holds beside its own fields: the result as it grows, and what was used."""

from typing import Annotated, Any

from typing_extensions import TypedDict

from .kept import Kept
from .meter import Interval, add_interval, add_usage
from .records import Attribution, Edit, Evidence, Failure, Status, Stopped, Unresolved, Usage, Verdict


def append(known: list[Any] | None, new: list[Any]) -> list[Any]:
    """Reducer for lists that several steps add to at once. LangGraph's `Overwrite([])` starts the list anew."""
    return [*(known or []), *new]


class RunState(TypedDict):
    """The fields that all methods share."""

    settings: Kept
    """What the run began with. It is neither input nor output."""
    question: str
    """The question that the text answers, or the problem to solve; empty if there is none."""
    text: str
    """The best text so far."""
    original: str
    """The text as it came, or as it was drafted."""
    edits: list[Edit]
    verdicts: list[Verdict]
    evidence: list[Evidence]
    attribution: list[Attribution]
    failures: Annotated[list[Failure], append]
    unresolved: list[Unresolved]
    status: Status
    spent: bool
    """Whether something was left out because a budget was spent: model calls, dollars or time."""
    stopped: Stopped | None
    """Why the run ended; None until then."""
    reason: str
    usage: Annotated[Usage, add_usage]
    worked: Annotated[list[Interval], add_interval]
    """When steps were working, for `usage.seconds`."""
