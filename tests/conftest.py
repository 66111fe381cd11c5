"""What holds for every test."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from errata.apps.cli import main as cli

# How long an example takes says more about the machine than about the code.
settings.register_profile("errata", deadline=None)
settings.load_profile("errata")


Errata = Callable[..., tuple[int, str, str]]
"""The command line: from arguments to exit code, standard output and standard error."""

LOOPBACK = ["127.0.0.1", "127.0.0.2", "::1", "localhost"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """No test reaches the network. Those that start servers of their own reach the loopback interface."""
    for item in items:
        talks = item.path.relative_to(Path(__file__).parent).parts[0] in ("integration", "tools")
        item.add_marker(pytest.mark.allow_hosts(LOOPBACK) if talks else pytest.mark.disable_socket)


@pytest.fixture
def errata(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Errata:
    """Run the command line in this process, with no setting from the environment."""

    def run(*arguments: Any) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["errata", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    monkeypatch.setenv("COLUMNS", "200")
    for variable in ("ERRATA_MODEL", "ERRATA_SEARCH", "ERRATA_BASE_URL", "ERRATA_CONTACT"):
        monkeypatch.delenv(variable, raising=False)
    for provider in ("OPENAI", "TAVILY", "PERSPECTIVE"):
        monkeypatch.delenv(f"{provider}_API_KEY", raising=False)
    return run


@pytest.fixture(scope="session", autouse=True)
def _no_trace_of_a_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ERRATA_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("ERRATA_CONFIG_DIR", str(tmp_path_factory.mktemp("config")))
        patch.setenv("HF_HOME", str(tmp_path_factory.mktemp("hub")))
        patch.setenv("LANGSMITH_TRACING", "false")
        yield


@pytest.fixture(autouse=True)
def _servers_are_new() -> None:
    """Ports are given out again: what was learnt about one server is not true of the next at the same address."""
    if habits := sys.modules.get("errata.models.providers.habits"):
        habits._known.clear()
