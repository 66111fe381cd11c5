"""What tests of single steps are given: no graph is around them."""

from importlib import import_module
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What steps tell whoever streams a run."""
    events: list[dict[str, Any]] = []
    step = import_module("errata.nodes.step")  # under that name the package has the function
    monkeypatch.setattr(step, "get_stream_writer", lambda: events.append)
    return events
