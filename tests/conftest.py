"""What holds for every test."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

# How long an example takes says more about the machine than about the code.
settings.register_profile("errata", deadline=None)
settings.load_profile("errata")


@pytest.fixture(scope="session", autouse=True)
def _no_trace_of_a_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ERRATA_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("LANGSMITH_TRACING", "false")
        yield
