"""Batches that are killed, starved and refused, as real processes and against a real server."""

import asyncio
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import TypedDict

from benchmarks.stub import BROKEN, Ask, Reply, Stub
from errata.apps.batch.engine import Batch, run_batch
from errata.apps.batch.ledger import Ledger
from errata.apps.batch.rows import Schema

KILLS = 20
ROWS = 400
WORKERS = 8


class Given(TypedDict, total=False):
    text: str


class Quiet:
    def begins(self, rows: int, ledger: Ledger) -> None: ...

    def finished(self, ledger: Ledger) -> None: ...

    def says(self, message: str) -> None: ...


def in_a_process(folder: Path) -> None:
    """Run a slow method, and note every call of it as a provider would bill it."""

    async def slow(asked: dict[str, Any]) -> dict[str, Any]:
        with (folder / "bill").open("a") as bill:
            bill.write(asked["text"] + "\n")
        await asyncio.sleep(random.uniform(0.001, 0.03))
        return {"text": asked["text"].upper(), "padding": "x" * 20_000, "usage": {"llm_calls": 1}}

    batch = Batch(folder / "in.jsonl", folder / "out.jsonl", "slow", {}, Schema(Given), workers=WORKERS)
    asyncio.run(run_batch(batch, slow, Quiet()))


def test_killed_twenty_times_no_row_is_lost_or_doubled_or_paid_for_twice(tmp_path: Path) -> None:
    rows = [f"row {number}" for number in range(ROWS)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"text": row}) + "\n" for row in rows))
    (tmp_path / "bill").touch()
    fork = multiprocessing.get_context("fork")
    chance, kills = random.Random(5), 0
    while kills < KILLS:
        process = fork.Process(target=in_a_process, args=(tmp_path,))
        process.start()
        process.join(chance.uniform(0.01, 0.09))
        if process.exitcode is not None:
            pytest.fail("it was finished before it was killed often enough")
        process.kill()
        process.join()
        kills += 1
    in_a_process(tmp_path)
    records = [json.loads(line) for line in (tmp_path / "out.jsonl").read_bytes().splitlines()]
    assert sorted(record["line"] for record in records) == list(range(1, ROWS + 1))
    assert all(record["text"] == record["row"]["text"].upper() for record in records)
    bill = Counter((tmp_path / "bill").read_text().splitlines())
    assert set(bill) == set(rows)
    # What was under way when it was killed is asked again; nothing that was finished is.
    assert sum(bill.values()) - ROWS <= KILLS * WORKERS


Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def errata(tmp_path: Path) -> Start:
    """Start the command line as a process of its own."""

    def start(*arguments: str, **environment: str) -> subprocess.Popen[str]:
        script = "import sys; from errata.apps.cli.main import main; sys.argv[0] = 'errata'; main()"
        settings = {**os.environ, "ERRATA_CACHE_DIR": str(tmp_path / "cache"), "OPENAI_API_KEY": "k", **environment}
        return subprocess.Popen(
            [sys.executable, "-c", script, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=settings,
            process_group=0,
        )

    return start


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def questions(path: Path, number: int) -> Path:
    path.write_text("".join(json.dumps({"question": f"What is {n}?", "id": n}) + "\n" for n in range(number)))
    return path


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def answer(ask: Ask) -> str:
    return json.dumps({"text": f"You asked: {ask.messages[-1]['content'][-40:]}"})


def test_the_command_goes_on_after_a_kill_and_asks_the_model_for_nothing_again(errata: Start, tmp_path: Path) -> None:
    source, output = questions(tmp_path / "in.jsonl", 60), tmp_path / "out.jsonl"
    with Stub(answer, latency=0.1) as stub:
        command = ["batch", "direct", str(source), "-o", str(output), "--workers", "4"]
        command += ["--model", "openai:stub", "--base-url", stub.base_url]
        process = errata(*command)
        while len(stub.asks) < 20:
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        code, out, err = finish(errata(*command, "--json"))
    assert code == 0, err
    assert "continuing: " in err
    assert json.loads(out)["done"] == 60
    assert sorted(record["id"] for record in records(output)) == list(range(60))
    assert len(stub.asks) <= 60 + 4


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_lets_rows_under_way_finish(errata: Start, tmp_path: Path, number: signal.Signals) -> None:
    source, output = questions(tmp_path / "in.jsonl", 60), tmp_path / "out.jsonl"
    with Stub(answer, latency=0.2) as stub:
        command = ["batch", "direct", str(source), "-o", str(output), "--workers", "4"]
        process = errata(*command, "--model", "openai:stub", "--base-url", stub.base_url)
        while len(stub.asks) < 10:
            time.sleep(0.02)
        process.send_signal(number)
        code, _, err = finish(process)
    assert code == 130
    assert "The same command continues it." in err
    assert len(records(output)) == len(stub.asks)


def test_a_model_that_fails_in_three_of_ten_calls_is_retried_and_what_still_fails_is_named(
    errata: Start, tmp_path: Path
) -> None:
    source, output = questions(tmp_path / "in.jsonl", 80), tmp_path / "out.jsonl"
    chance = random.Random(3)

    def unsteady(ask: Ask) -> str | Reply:
        return BROKEN if chance.random() < 0.3 else answer(ask)

    with Stub(unsteady) as stub:
        model = ["--model", "openai:stub", "--base-url", stub.base_url]
        command = ["batch", "direct", str(source), "-o", str(output), *model, "--set", "retries=0", "--json"]
        code, out, err = finish(errata(*command))
        found = json.loads(out)
        assert code == 1
        assert found["done"] + found["unchecked"] == 80
        assert 10 <= found["unchecked"] <= 40
        assert "--retry-failed" in err
        failed = [record for record in records(output) if record["outcome"] == "unchecked"]
        assert all("The server had an error" in record["error"] for record in failed)
        code, out, err = finish(errata(*command[:-3], "--set", "retries=8", "--retry-failed", "--json"))
    assert code == 0, err
    assert json.loads(out)["done"] == 80
    assert sorted(record["id"] for record in records(output)) == list(range(80))


@pytest.mark.skipif(not find_spec("ray"), reason="Ray is not installed: uv pip install 'errata[ray]'")
def test_on_ray_the_same_rows_come_out_and_a_second_run_does_what_the_first_left(errata: Start, tmp_path: Path) -> None:
    source = questions(tmp_path / "in.jsonl", 30)
    with source.open("a") as file:
        file.write("not json\n")
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    with Stub(answer) as stub:
        model = ["--model", "openai:stub", "--base-url", stub.base_url, "--ordered"]
        assert finish(errata("batch", "direct", str(source), "-o", str(here), *model))[0] == 1
        asked = len(stub.asks)
        code, _, err = finish(errata("batch", "direct", str(source), "-o", str(there), *model, "--engine", "ray"))
        assert code == 1, err
        assert len(stub.asks) == 2 * asked == 60
        whole = there.read_bytes().splitlines(keepends=True)
        part = tmp_path / "there.jsonl.part-left-by-a-killed-actor"
        there.write_bytes(b"".join(whole[:10]))
        part.write_bytes(b"".join(whole[5:20]) + b'{"torn')
        code, _, err = finish(errata("batch", "direct", str(source), "-o", str(there), *model, "--engine", "ray"))
        assert len(stub.asks) == 60, err  # the replies to the ten rows that were lost are kept
    assert not part.exists()
    assert sum(record.get("usage", {}).get("cached", 0) for record in records(there)) == 10
    assert [plain(record) for record in records(there)] == [plain(record) for record in records(here)]


@pytest.mark.skipif(not find_spec("ray"), reason="Ray is not installed: uv pip install 'errata[ray]'")
def test_on_ray_one_budget_holds_for_all_actors(errata: Start, tmp_path: Path) -> None:
    source, output = questions(tmp_path / "in.jsonl", 30), tmp_path / "out.jsonl"
    with Stub(answer) as stub:
        command = ["batch", "direct", str(source), "-o", str(output), "--engine", "ray", "--json"]
        command += ["--model", "openai:stub", "--base-url", stub.base_url]
        _, out, err = finish(errata(*command, "--max-calls", "20"))
        assert json.loads(out)["stopped"] == "budget", err
        assert len(stub.asks) == json.loads(out)["usage"]["llm_calls"] == 20
        code, out, err = finish(errata(*command))
        assert code == 0, err
        assert len(stub.asks) == json.loads(out)["usage"]["llm_calls"] == 30


def test_processes_share_one_output_and_one_budget(errata: Start, tmp_path: Path) -> None:
    source, output = questions(tmp_path / "in.jsonl", 40), tmp_path / "out.jsonl"
    with Stub(answer) as stub:
        command = ["batch", "direct", str(source), "-o", str(output), "--processes", "2", "--json"]
        command += ["--model", "openai:stub", "--base-url", stub.base_url]
        _, out, err = finish(errata(*command, "--max-calls", "25"))
        assert json.loads(out)["stopped"] == "budget", err
        assert len(stub.asks) == json.loads(out)["usage"]["llm_calls"] == 25
        code, out, err = finish(errata(*command, "--ordered"))
        assert code == 0, err
        assert len(stub.asks) == json.loads(out)["usage"]["llm_calls"] == 40
    assert [record["id"] for record in records(output)] == list(range(40))


@pytest.mark.parametrize(("before", "after"), [(2, 1), (1, 2)])
def test_what_was_killed_goes_on_in_more_or_fewer_processes(
    errata: Start, tmp_path: Path, before: int, after: int
) -> None:
    source, output = questions(tmp_path / "in.jsonl", 60), tmp_path / "out.jsonl"
    with Stub(answer, latency=0.1) as stub:
        command = ["batch", "direct", str(source), "-o", str(output), "--workers", "4"]
        command += ["--model", "openai:stub", "--base-url", stub.base_url]
        process = errata(*command, "--processes", str(before))
        wait_for(stub, 20, process)
        process.kill()
        process.communicate(timeout=60)  # which ends when no child holds the pipes any more
        code, _, err = finish(errata(*command, "--processes", str(after)))
    assert code == 0, err
    assert sorted(record["id"] for record in records(output)) == list(range(60))
    assert len(stub.asks) <= 60 + 4


def wait_for(stub: Stub, asks: int, process: subprocess.Popen[str]) -> None:
    while len(stub.asks) < asks:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


def processes_of(parent: int) -> list[int]:
    """The processes that run rows for a batch."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [int(child) for child in children if b"batch.processes" in Path(f"/proc/{child}/cmdline").read_bytes()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="it finds the processes under /proc")
def test_the_rows_of_a_killed_process_are_run_again(errata: Start, tmp_path: Path) -> None:
    source, output = questions(tmp_path / "in.jsonl", 60), tmp_path / "out.jsonl"
    with Stub(answer, latency=0.1) as stub:
        command = ["batch", "direct", str(source), "-o", str(output), "--processes", "2", "--workers", "4", "--json"]
        process = errata(*command, "--model", "openai:stub", "--base-url", stub.base_url)
        wait_for(stub, 20, process)
        os.kill(processes_of(process.pid)[0], signal.SIGKILL)
        code, out, err = finish(process)
    assert code == 0, err
    assert sorted(record["id"] for record in records(output)) == list(range(60))
    assert len(stub.asks) <= json.loads(out)["usage"]["llm_calls"] <= 60 + 4


def test_processes_that_die_at_their_start_end_the_batch_and_the_same_command_continues(
    errata: Start, tmp_path: Path
) -> None:
    source, output = questions(tmp_path / "in.jsonl", 10), tmp_path / "out.jsonl"
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\nif 'batch.processes' in str(sys.orig_argv): os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    with Stub(answer) as stub:
        command = ["batch", "direct", str(source), "-o", str(output), "--processes", "2"]
        command += ["--model", "openai:stub", "--base-url", stub.base_url]
        code, _, err = finish(errata(*command, PYTHONPATH=str(tmp_path)))
        assert code == 1
        assert "a process died 3 times before it ran a row (killed)" in err.splitlines()[-1]
        assert "Traceback" not in err
        code, _, err = finish(errata(*command))
    assert code == 0, err
    assert len(records(output)) == len(stub.asks) == 10


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="it finds the processes under /proc")
@pytest.mark.parametrize("signals", [1, 2])
def test_ctrl_c_ends_all_processes(errata: Start, tmp_path: Path, signals: int) -> None:
    source, output = questions(tmp_path / "in.jsonl", 60), tmp_path / "out.jsonl"
    with Stub(answer, latency=0.5) as stub:
        command = ["batch", "direct", str(source), "-o", str(output), "--processes", "2", "--workers", "4"]
        process = errata(*command, "--model", "openai:stub", "--base-url", stub.base_url)
        wait_for(stub, 6, process)
        children = processes_of(process.pid)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        if signals == 2:
            time.sleep(0.1)
            os.killpg(process.pid, signal.SIGINT)
        code, _, err = finish(process)
        asked = len(stub.asks)
    assert code == 130, err
    assert "Traceback" not in err
    assert len(children) == 2
    assert not any(Path(f"/proc/{child}").exists() for child in children)
    if signals == 1:
        assert len(records(output)) == asked


def plain(record: dict[str, Any]) -> dict[str, Any]:
    """Without how long it took, and what of it was kept from before."""
    return {name: value for name, value in record.items() if name != "usage"}


@pytest.mark.skipif(bool(find_spec("ray")), reason="Ray is installed")
def test_without_ray_it_is_said_how_to_get_it(errata: Start, tmp_path: Path) -> None:
    source = questions(tmp_path / "in.jsonl", 2)
    model = ["--model", "openai:stub", "--base-url", "http://127.0.0.1:9/v1"]
    command = [
        "batch",
        "direct",
        str(source),
        "-o",
        str(tmp_path / "out"),
        *model,
        "--engine",
        "ray",
        "--max-calls",
        "3",
    ]
    code, _, err = finish(errata(*command))
    assert code == 2
    assert "pip install 'errata[ray]'" in err
