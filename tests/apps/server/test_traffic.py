"""The server under load, without a server: what waits, and what is noted."""

import asyncio
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from errata.apps.server.accounts import Account
from errata.apps.server.traffic import Admit, Load, audit_file


def test_an_audit_file_that_is_a_pipe_nobody_reads_holds_nothing_up(tmp_path: Path) -> None:
    pipe = tmp_path / "audit"
    os.mkfifo(pipe)
    raised: list[OSError] = []

    def note() -> None:
        try:
            with audit_file(str(pipe)):
                pass
        except OSError as error:
            raised.append(error)

    noting = threading.Thread(target=note, daemon=True)
    noting.start()
    noting.join(20)
    assert raised


async def test_who_waited_while_the_quota_was_used_up_is_turned_away() -> None:
    alice = Account("alice", b"", calls_per_day=5)
    entered, go = asyncio.Event(), asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        entered.set()
        await go.wait()
        alice.calls += 5
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def ask() -> int:
        status: list[int] = []
        waiting = asyncio.Event()
        body = iter([{"type": "http.request", "body": b"{}"}])

        async def receive() -> Any:
            if (part := next(body, None)) is not None:
                return part
            await waiting.wait()

        async def send(message: Any) -> None:
            status.append(message.get("status", 0))

        scope = {"type": "http", "method": "POST", "path": "/rarr/invoke", "errata.account": alice, "headers": []}
        await Admit(app, load)(scope, receive, send)
        return status[0]

    load = Load(1, 5)
    first = asyncio.create_task(ask())
    await entered.wait()
    second = asyncio.create_task(ask())
    for _ in range(10):
        await asyncio.sleep(0)
    assert load.waiting
    go.set()
    assert (await first, await second) == (200, 429)


@pytest.mark.parametrize("path", ["/nobody/invoke", "/rarr/c/x/invoke", "/metrics", "/rarr%00/invoke"])
def test_what_is_no_method_makes_no_label(path: str) -> None:
    from errata.apps.server.traffic import run_of

    assert run_of({"type": "http", "method": "POST", "path": path}) == ("", "")
