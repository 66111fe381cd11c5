"""What the terminal and the report make of a result alike. The result stays as it is."""

from ..state import Failure, Result


def untold(result: Result) -> list[Failure]:
    """The failures but for those that kept an edit from being made, which are told with the edit."""
    told = [edit["reason"] for edit in result["edits"]]
    return [
        failure
        for failure in result["failures"]
        if failure["unchecked"] or not any(failure["reason"] in reason for reason in told)
    ]
