"""Garbage collection while many rows run."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

OBJECTS = 20_000
"""New objects after which Python looks for garbage; by default it is 700 to 10,000, depending on the version."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Look for garbage less often, and only among what is made from now on, until the block ends.

    Otherwise Python goes through all that LangGraph and LangChain consist of, again and again.
    """
    before, was_frozen = gc.get_threshold(), gc.get_freeze_count()
    gc.freeze()
    gc.set_threshold(max(before[0], OBJECTS), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if not was_frozen:
            gc.unfreeze()
