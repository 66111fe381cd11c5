"""What the states of all methods share: the growing result, and what was used."""

from typing import Annotated, Any

from typing_extensions import TypedDict

from ..records import Attribution, Edit, Evidence, Failure, Quorum, Status, Stopped, Unresolved, Usage, Verdict
from ..runs.kept import Kept
from ..runs.meter import Interval, add_interval, add_usage


def append(items: list[Any] | None, new: list[Any]) -> list[Any]:
    """Reducer for lists that several steps add to at once. LangGraph's `Overwrite([])` clears the list."""
    return [*(items or []), *new]


def add_quorum(total: dict[str, Quorum] | None, new: dict[str, Quorum]) -> dict[str, Quorum]:
    """Reducer for a `quorum` field: numbers add up. LangGraph's `Overwrite({})` clears it."""
    sums = {**(total or {})}
    for name, counts in new.items():
        so_far = sums.get(name, {"asked": 0, "had": 0})
        sums[name] = {"asked": so_far["asked"] + counts["asked"], "had": so_far["had"] + counts["had"]}
    return sums


class RunState(TypedDict):
    """The fields that all methods share."""

    settings: Kept
    """The settings at the start of the run. It is neither input nor output."""
    question: str
    """The question that the text answers, or the problem to solve; empty if there is none."""
    text: str
    """The best text so far."""
    original: str
    """The text as given or as drafted."""
    edits: list[Edit]
    verdicts: list[Verdict]
    evidence: list[Evidence]
    attribution: list[Attribution]
    failures: Annotated[list[Failure], append]
    quorum: Annotated[dict[str, Quorum], add_quorum]
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
