"""What work costs, whatever else the machine is doing."""

import sys
from collections.abc import Callable
from typing import Any


def steps(work: Callable[[], object]) -> int:
    """How many lines of Python some work takes."""
    count = 0

    def trace(*_: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
