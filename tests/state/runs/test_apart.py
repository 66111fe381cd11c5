"""Where work is done: at once if there is little to read, otherwise in a thread."""

import threading

import pytest

from errata.state.runs.apart import AT_HAND, apart


@pytest.mark.parametrize(
    ("read", "at_once"),
    [
        (["x" * AT_HAND], True),
        (["x" * AT_HAND, "x"], False),
        ([{"text": "x" * AT_HAND, "more": ["x"]}], False),
        ([[{"text": "x"}], ("x", 3, None)], True),
    ],
)
async def test_much_to_read_takes_a_thread(read: list[object], at_once: bool) -> None:
    here = threading.current_thread()
    assert (await apart(threading.current_thread, *read) is here) is at_once
