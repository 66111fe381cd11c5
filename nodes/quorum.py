"""How many of the requested things were received."""

from collections.abc import Iterable
from typing import Any

from ..state import Quorum, Verdict


def received(name: str, number: int, asked: int = 1) -> dict[str, Any]:
    """The update of a step that requested `asked` things and received `number`."""
    return {"quorum": {name: Quorum(asked=asked, had=number)}}


def judged(name: str, verdicts: Iterable[Verdict | None], asked: int) -> dict[str, Any]:
    """The same for verdicts, where an `error` does not count."""
    return received(name, sum(verdict is not None and verdict["label"] != "error" for verdict in verdicts), asked)
