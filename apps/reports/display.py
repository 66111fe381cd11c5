"""The view of a result that terminal and report share. The result itself is not changed."""

from ...state import Context, Failure, Result
from ...state.outcomes import tally

ONLY_BUNDLED = "Only the short articles that ship with errata were searched. To search your own, add --sources FOLDER"


def unreported(result: Result) -> list[Failure]:
    """The failures except those that prevented an edit, which are reported with the edit."""
    reasons = [edit["reason"] for edit in result["edits"]]
    return [
        failure
        for failure in result["failures"]
        if failure["unchecked"] or not any(failure["reason"] in reason for reason in reasons)
    ]


def only_bundled(context: Context) -> bool:
    """Whether a search with these settings finds nothing but the articles that ship with errata."""
    return context.search == "local" and context.sources is None


def sentence_counts(result: Result) -> str:
    """How many sentences have which status; nothing for a single sentence or a program."""
    statuses = [part["status"] for part in result["attribution"]]
    return tally(statuses, "sentence") if len(statuses) > 1 else ""


def missing(result: Result) -> str:
    """What is missing, as in `2 of 5 samples, 1 of 4 searches`; empty if everything was received."""
    return ", ".join(
        f"{counts['asked'] - counts['had']} of {counts['asked']} {name}"
        for name, counts in (result.get("quorum") or {}).items()  # results of earlier versions have none
        if counts["had"] < counts["asked"]
    )
