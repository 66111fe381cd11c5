"""How much of what was asked for was had."""

from collections.abc import Iterable
from typing import Any

from ..state import Quorum, Verdict


def had(thing: str, number: int, asked: int = 1) -> dict[str, Any]:
    """The update of a step that asked for so many of a thing and had a number of them."""
    return {"quorum": {thing: Quorum(asked=asked, had=number)}}


def judged(thing: str, verdicts: Iterable[Verdict | None], asked: int) -> dict[str, Any]:
    """The same of things that verdicts were asked for: an `error` is none."""
    return had(thing, sum(verdict is not None and verdict["label"] != "error" for verdict in verdicts), asked)
