"""Hold a hostile load on `errata serve`, and see whether it stays as it is.

Clients ask several methods at once, and every tenth leaves before its answer; connections are opened that send half of
a header. Of the model's replies 30 % are faults (errors, broken connections, nonsense, endless and packed bodies), and
of the pages a tenth are missing or hostile. Watched are the time that `/health` takes, memory and descriptors of the
server and its workers, and each result: beside the one without faults, nothing in it may differ but by what is missing.

    uv run python -m benchmarks.soak --minutes 10
"""

import asyncio
import gzip
import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median, quantiles
from typing import IO, TYPE_CHECKING, Any

import click
import httpx

from . import scripted, scripted_claims, scripted_critic
from .stub import BROKEN, SLOW_DOWN, Ask, Reply, Stub, refusal

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

FAULTS = 0.3
LEAVING = 0.1
CLIENTS = 8
LATENCY = 0.05
ITEMS = 6
"""Inputs of each kind, asked again and again."""
HALF_OPEN = 200
NO_RULING = ("error", "neutral")
"""Labels that a verdict may have instead of its own where something failed or was not found."""

_PACKED = gzip.compress(b" " * 20_000_000)
_FAULTS = (
    BROKEN,
    SLOW_DOWN,
    refusal(502, "x" * 200_000),
    Reply(fault="reset"),
    Reply(fault="cut"),
    Reply("I would rather not say."),
    Reply("I'm sorry, but I can't help with that."),
    Reply('{"label": "'),
    Reply(body=b"<html>Bad gateway</html>", status=200),
    Reply(body=_PACKED, headers={"content-encoding": "gzip"}),
)
_HOSTILE = (
    "<p " + " ".join(f"a{number}=1" for number in range(100_000)) + ">",
    "<div>" * 20_000,
    "<p>" + "&amp;" * 200_000,
    "<table>" + "<tr><td>" * 20_000,
)


@dataclass
class Seen:
    """What was watched."""

    statuses: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    """Seconds until `/health` answered."""
    worked: list[float] = field(default_factory=list)
    """Seconds of processor that the server took meanwhile."""
    stalled: list[float] = field(default_factory=list)
    """Seconds by which a thread that did nothing woke up too late meanwhile."""
    memory: list[float] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)


class Chaos:
    """A model and pages that fail now and then, once they are let."""

    def __init__(self) -> None:
        self.chance = random.Random(1)
        self.is_let = False

    def brain(self, ask: Ask) -> str | Reply:
        """A reply by whichever world the request is about, or a fault."""
        if self.is_let and self.chance.random() < FAULTS:
            return self.chance.choice(_FAULTS)
        request = str(ask.messages)
        if "House" in request:
            return scripted_claims.brain(ask)
        return scripted_critic.brain(ask) if "Problem" in request else scripted.brain(ask)

    def page(self, path: str) -> str | None:
        """A page, or none, or a hostile one."""
        if self.is_let and self.chance.random() < LEAVING:
            return self.chance.choice((None, *_HOSTILE))
        return scripted.page(path)


def requests() -> list[tuple[str, dict[str, Any]]]:
    """A method and the body of a request to it, of each kind."""
    found: list[tuple[str, dict[str, Any]]] = []
    for item in range(1, ITEMS + 1):
        text = {"text": scripted.text(3, [3 * item + 1], 3 * item)}
        found += [("rarr", {"input": text}), ("purr", {"input": text})]
        found.append(("refchecker", {"input": scripted_claims.response(item, 4)}))
        found.append(("critic_program", {"input": {"question": scripted_critic.problem(item, item % 2)}}))
        rules = dict.fromkeys(("queries", "rank", "agreement", "edit"), "rules")
        local = {"configurable": {"backends": rules, "search": "local"}}
        found.append(
            ("rarr", {"input": {"text": f"The Eiffel Tower was completed in {1880 + item}."}, "config": local})
        )
    return found


def differences(expected: Mapping[str, Any], got: Mapping[str, Any]) -> Iterator[str]:
    """What a result has that the one without faults has not, but for what says that something is missing."""
    labels = {(verdict["question"], verdict["label"]) for verdict in expected["verdicts"]}
    for verdict in got["verdicts"]:
        if verdict["label"] not in NO_RULING and (verdict["question"], verdict["label"]) not in labels:
            yield f"verdict {verdict['label']} on {verdict['question']!r}"
    edits = {(edit["before"], edit["after"]) for edit in expected["edits"]}
    for edit in got["edits"]:
        if edit["applied"] and (edit["before"], edit["after"]) not in edits:
            yield f"edit {edit['before']!r} to {edit['after']!r}"
    if got["stopped"] == "accepted" and expected["stopped"] != "accepted":
        yield "accepted"


@contextmanager
def server(origin: str) -> Iterator[tuple[str, int]]:
    """`errata serve` in a process of its own; gives its address and id."""
    settings = {"model": "openai:stub", "base_url": f"{origin}/v1", "cache": False, "timeout": 10, "retries": 1}
    code = (
        "from errata.apps.server.app import serve; from errata.state import Context; from benchmarks import scripted; "
        f"search = scripted.TowerSearch(origin={origin!r}); "
        f"serve(port=0, defaults=Context(**{settings}, deadline=60, allow_private_addresses=True, search=search))"
    )
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen([sys.executable, "-c", code], stderr=log, stdout=subprocess.DEVNULL)
        try:
            while not (found := re.search(r"http://\S+", _read(log))):
                if process.poll() is not None:
                    raise click.ClickException(f"the server did not start: {_read(log)[-300:]}")
                time.sleep(0.1)
            yield found[0], process.pid
        finally:
            process.terminate()
            process.wait(60)


def _read(log: IO[str]) -> str:
    log.seek(0)
    return log.read()


def family(pid: int) -> list[int]:
    """A process and all that it started."""
    with suppress(OSError):
        children = " ".join(path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")).split()
        return [pid, *(each for child in children for each in family(int(child)))]
    return []


def worked(pid: int) -> float:
    """Seconds of processor that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def look(pid: int, seen: Seen) -> None:
    """Note memory and descriptors of a process and all that it started."""
    with suppress(OSError):
        pages = sum(int(Path(f"/proc/{each}/statm").read_text().split()[1]) for each in family(pid))
        descriptors = sum(len(os.listdir(f"/proc/{each}/fd")) for each in family(pid))
        seen.memory.append(pages * os.sysconf("SC_PAGE_SIZE") / 1e6)
        seen.descriptors.append(descriptors)


def probe(address: str, pid: int, results: "Connection") -> None:
    """Ask for health twice a second, and look at memory and descriptors, until told to stop.

    It runs in a process of its own, so that it does not wait for the clients. Meanwhile a thread only sleeps and wakes
    up. If it wakes up late too, no processor was free.
    """
    seen = Seen()
    with httpx.Client(timeout=30) as client, ThreadPoolExecutor(1) as idle:
        client.get(f"{address}/health").raise_for_status()
        while not results.poll(0.5):
            stalled = idle.submit(stall, until := threading.Event())
            began, before = time.monotonic(), worked(pid)
            client.get(f"{address}/health").raise_for_status()
            seen.health.append(time.monotonic() - began)
            seen.worked.append(worked(pid) - before)
            until.set()
            seen.stalled.append(stalled.result())
            look(pid, seen)
    results.send(seen)


def probed(address: str, pid: int) -> "tuple[Connection, BaseProcess]":
    """A process that probes a server, and the connection by which it is told to stop and gives its results."""
    fresh = multiprocessing.get_context("spawn")
    results, theirs = fresh.Pipe()
    process = fresh.Process(target=probe, args=(address, pid, theirs), daemon=True)
    process.start()
    return results, process


def stall(until: threading.Event) -> float:
    """The most seconds by which a sleep of a millisecond took too long, until something is over."""
    longest = 0.0
    while not until.is_set():
        began = time.monotonic()
        time.sleep(0.001)
        longest = max(longest, time.monotonic() - began - 0.001)
    return longest


async def half_open(address: str) -> None:
    """Keep opening connections that send half of a header."""
    host, port = address.removeprefix("http://").split(":")
    held: list[asyncio.StreamWriter] = []
    while True:
        with suppress(OSError):
            _, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"POST /rarr/invoke HTTP/1.1\r\nHost: x\r\nX-Half:")
            held.append(writer)
        if len(held) > HALF_OPEN:
            held.pop(0).close()
        await asyncio.sleep(0.05)


async def ask(client: httpx.AsyncClient, address: str, method: str, body: dict[str, Any]) -> httpx.Response:
    return await client.post(f"{address}/{method}/invoke", json=body)


async def whole(address: str, method: str, body: dict[str, Any]) -> Any:
    """The result without faults, asked for again where the machine was too busy for a whole one."""
    async with httpx.AsyncClient(timeout=300) as client:
        while True:
            output = (await ask(client, address, method, body)).raise_for_status().json()["output"]
            if not output["failures"] and output["stopped"] != "deadline":
                return output


async def worker(address: str, expected: Sequence[Any], seen: Seen, chance: random.Random, until: float) -> None:
    """One client after another; some of them leave."""
    kinds = list(enumerate(requests()))
    async with httpx.AsyncClient(timeout=120) as client:
        while time.monotonic() < until:
            number, (method, body) = chance.choice(kinds)
            try:
                patience = chance.uniform(0.02, 0.5) if chance.random() < LEAVING else None
                async with asyncio.timeout(patience):
                    answer = await ask(client, address, method, body)
            except TimeoutError:
                seen.statuses["left"] += 1
                continue
            except httpx.HTTPError as error:
                seen.statuses[type(error).__name__] += 1
                continue
            if answer.status_code != 200:
                seen.statuses[str(answer.status_code)] += 1
                continue
            got = answer.json()["output"]
            seen.statuses["with failures" if got["failures"] else "whole"] += 1
            seen.differences += [f"{method} {number}: {each}" for each in differences(expected[number], got)]


async def soak(seconds: float) -> Seen:
    chaos, seen = Chaos(), Seen()
    with Stub(chaos.brain, latency=LATENCY, pages=chaos.page) as stub, server(stub.origin) as (address, pid):
        expected = await asyncio.gather(*(whole(address, method, body) for method, body in requests()))
        chaos.is_let = True
        until = time.monotonic() + seconds
        results, process = probed(address, pid)
        beside = [asyncio.create_task(asyncio.to_thread(process.join)), asyncio.create_task(half_open(address))]
        workers = (worker(address, expected, seen, random.Random(n), until) for n in range(CLIENTS))
        working: asyncio.Future[Any] = asyncio.ensure_future(asyncio.gather(*workers))
        everything: list[asyncio.Future[Any]] = [working, *beside]
        await asyncio.wait(everything, return_when=asyncio.FIRST_COMPLETED)
        for task in beside:
            if task.done():
                task.result()  # raises what ended it
                raise click.ClickException("the server does not answer")
        await working
        results.send("enough")
        watched: Seen = await asyncio.to_thread(results.recv)
        beside[1].cancel()
    return replace(watched, statuses=seen.statuses, differences=seen.differences)


def figures(seen: Seen, seconds: float) -> dict[str, Any]:
    """What came of it, in numbers. Growth is from the second quarter of the time to the last."""

    def spread(values: list[float]) -> dict[str, float]:
        found = {"median": median(values), "p99": quantiles(values, n=100)[-1], "max": max(values)}
        return {name: round(value, 3) for name, value in found.items()}

    def grown(values: list[Any]) -> list[float]:
        quarter = len(values) // 4
        return [round(median(values[quarter : 2 * quarter])), round(median(values[-quarter:]))]

    return {
        "minutes": round(seconds / 60, 1),
        "load": round(os.getloadavg()[0], 1),
        "requests": dict(seen.statuses.most_common()),
        "health_seconds": spread(seen.health),
        "health_processor_seconds": spread(seen.worked),
        "machine_stalled_seconds": spread(seen.stalled),
        "memory_mb": grown(seen.memory),
        "descriptors": grown(seen.descriptors),
        "differences": seen.differences[:20],
    }


@click.command(help=__doc__)
@click.option("--minutes", default=10.0, show_default=True, type=click.FloatRange(0.1))
def main(minutes: float) -> None:
    """Soak, print the figures, and end with 1 if the server did not hold."""
    found = figures(asyncio.run(soak(60 * minutes)), 60 * minutes)
    click.echo(json.dumps(found, indent=2))
    (before, after), (few, many) = found["memory_mb"], found["descriptors"]
    failed = [
        *(["a result changed"] if found["differences"] else []),
        *(["/health took longer than a second"] if found["health_seconds"]["max"] > 1 else []),
        *(["memory grew"] if after > 1.1 * before + 20 else []),
        *(["descriptors grew"] if many > few + 50 else []),
    ]
    if failed:
        raise click.ClickException("; ".join(failed))


if __name__ == "__main__":
    main()
