"""What the terminal and the report make of a result alike. The result stays as it is."""

from ...state import Failure, Result
from ...state.outcomes import tally


def untold(result: Result) -> list[Failure]:
    """The failures but for those that kept an edit from being made, which are told with the edit."""
    told = [edit["reason"] for edit in result["edits"]]
    return [
        failure
        for failure in result["failures"]
        if failure["unchecked"] or not any(failure["reason"] in reason for reason in told)
    ]


def sentence_counts(result: Result) -> str:
    """How many sentences came to what; nothing of a text that is one sentence, or a program."""
    statuses = [part["status"] for part in result["attribution"]]
    return tally(statuses, "sentence") if len(statuses) > 1 else ""


def missing(result: Result) -> str:
    """What was asked for and not had, as in `2 of 5 samples, 1 of 4 searches`; empty where all of it was."""
    return ", ".join(
        f"{each['asked'] - each['had']} of {each['asked']} {thing}"
        for thing, each in (result.get("quorum") or {}).items()  # results of earlier versions have none
        if each["had"] < each["asked"]
    )
