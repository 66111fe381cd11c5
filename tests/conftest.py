"""What holds for every test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says more about the machine than about the code.
settings.register_profile("errata", deadline=None)
settings.load_profile("errata")


LOOPBACK = ["127.0.0.1", "127.0.0.2", "::1", "localhost"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """No test reaches the network. Those that start servers of their own reach the loopback interface."""
    for item in items:
        talks = item.path.relative_to(Path(__file__).parent).parts[0] in ("integration", "tools")
        item.add_marker(pytest.mark.allow_hosts(LOOPBACK) if talks else pytest.mark.disable_socket)


@pytest.fixture(scope="session", autouse=True)
def _no_trace_of_a_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ERRATA_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("LANGSMITH_TRACING", "false")
        yield
