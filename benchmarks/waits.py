"""What a run waits for, kept with the clock, so that it can be told how many of the waits came one after another."""

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

Wait = tuple[float, float]
"""When it began and ended, on the clock of `time.monotonic`, which all processes of a machine share on Linux."""


@dataclass
class Delay:
    """What a tool that stands in for a slow one waits with."""

    seconds: float = 0.0
    waits: list[Wait] = field(default_factory=list)
    """Those that are over."""

    async def wait(self) -> None:
        began = time.monotonic()
        await asyncio.sleep(self.seconds)
        self.waits.append((began, time.monotonic()))


def depth(waits: Iterable[Wait]) -> int:
    """Length of the longest chain of waits of which each began when the one before it had ended.

    How fast the machine is does not change it, unless it is so busy that what is begun at once is a whole wait apart.
    """
    longest: list[tuple[float, int]] = []
    for began, ended in sorted(waits):
        longest.append((ended, 1 + max((length for end, length in longest if end <= began), default=0)))
    return max((length for _, length in longest), default=0)
