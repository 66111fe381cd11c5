"""Pages that take for ever to read: the command line ends, and the server answers and stops."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from ..tools import bombs
from ..tools.conftest import Answer, Server
from ..tools.conftest import server as server

ERRATA = (sys.executable, "-c", "from errata.apps.cli.start import main; main()")
TEXT = "The Skorn ferry was built in 1899."


@pytest.fixture
def web(server: Server) -> Server:
    """A search whose every result is a page of 200,000 attributes."""
    bomb = bombs.attributes()

    def answer(request: Any) -> Answer:
        if "search" not in request.path:
            return Answer(bomb, headers={"Content-Type": "text/html"})
        number = len(server.requests)
        found = {
            "title": "Ferry",
            "url": f"{server.url}/page/{number}",
            "content": "The Skorn ferry was built in 1889.",
        }
        return Answer(json.dumps({"results": [found]}))

    server.answer = answer
    return server


@pytest.fixture
def settings(web: Server, tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "ERRATA_SEARCH": "searxng",
        "ERRATA_SEARXNG_URL": f"{web.url}/search",
        "ERRATA_ALLOW_PRIVATE_ADDRESSES": "true",
        "ERRATA_CACHE_DIR": str(tmp_path / "cache"),
    }


@pytest.fixture
def serving(settings: dict[str, str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [*ERRATA, "serve", "--port", "0"]
    with subprocess.Popen(command, env=settings, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        drain = threading.Thread(target=process.stderr.read)
        drain.start()
        yield process, line.removeprefix("errata at ").split()[0]
        process.kill()
        drain.join()


def fetched(web: Server) -> int:
    return sum("page" in request.path for request in web.requests)


def test_a_correction_ends(settings: dict[str, str], web: Server) -> None:
    command = [*ERRATA, "correct", TEXT, "--json", "--search", "searxng", "--set", "allow_private_addresses=true"]
    ran = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=500)
    assert json.loads(ran.stdout)["text"] == TEXT.replace("1899", "1889"), ran.stderr  # the snippet is enough
    assert fetched(web)


def test_the_server_answers_and_stops(serving: tuple[subprocess.Popen[str], str], web: Server) -> None:
    process, address = serving

    def post(number: int) -> None:
        body = json.dumps({"input": {"text": TEXT.replace("ferry", f"ferry {number}")}}).encode()
        request = urllib.request.Request(f"{address}/rarr/invoke", body, {"Content-Type": "application/json"})
        with suppress(OSError), urllib.request.urlopen(request):  # the server may stop before this is done
            pass

    with ThreadPoolExecutor(6) as clients:
        for number in range(6):
            clients.submit(post, number)
        while fetched(web) < 3:
            time.sleep(0.1)
        for _ in range(20):
            healthy(address)
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=200)


def healthy(address: str) -> None:
    # A second on a machine that does nothing else.
    with urllib.request.urlopen(f"{address}/health", timeout=10) as answer:
        assert answer.status == 200
