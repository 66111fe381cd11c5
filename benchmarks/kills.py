"""A batch with a budget, killed again and again: what is lost, doubled, and paid for too often.

    python -m benchmarks.kills [KILLS]

A loopback server stands in for the model and counts what it answered. The batch samples several answers to each row. It
is killed after some calls, goes on, is killed again; when its budget is spent, it gets a larger one, until all rows are
done.
"""

import asyncio
import json
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from errata.apps.batch.engine import Summary, run_batch
from errata.apps.batch.ledger import Ledger
from errata.apps.batch.start import graph_of, make_batch
from errata.state import Context

from .stub import Ask, Stub, refusing

METHOD = "self_consistency"
SAMPLES = 4
AT_ONCE = 4
"""Requests in flight: of so many, nobody knows after a kill whether they were paid for."""
LATENCY = 0.02
LOADED = (
    "errata",
    "langgraph",
    "langchain_core",
    "langchain_openai",
    "openai",
    "httpx",
    "aiohttp",
    "diskcache",
    "anyio",
)


class Quiet:
    """Watches, and says nothing."""

    def begins(self, rows: int, ledger: Ledger) -> None: ...

    def finished(self, ledger: Ledger) -> None: ...

    def says(self, message: str) -> None: ...


def goes_on(folder: Path, output: str, base_url: str, max_calls: int | None) -> Summary:
    """Run what is left of the batch, until it is done or its budget is spent."""
    os.environ["OPENAI_API_KEY"] = "not-a-real-key"
    context = Context(model="openai:stub", base_url=base_url, samples=SAMPLES, max_concurrency=AT_ONCE)
    batch = make_batch(METHOD, folder / "in.jsonl", folder / output, context, workers=AT_ONCE, max_calls=max_calls)
    return asyncio.run(run_batch(batch, graph_of(METHOD, context), Quiet()))


def drive(folder: Path, kills: int, chance: random.Random) -> dict[str, int]:
    """Kill a batch so many times, and count.

    Returns:
        How many calls are needed (`needed`), were answered (`answered`), and are in the batch's account (`account`);
        the most that were answered beyond a budget (`over`); rows lost and doubled; and kills.
    """
    rows = 2 * kills + 4
    questions = [{"question": f"How many legs have {number} cats?"} for number in range(rows)]
    (folder / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in questions))
    answered = 0

    def answer(ask: Ask) -> str:
        nonlocal answered
        answered += 1
        return f"Four each. So the answer is: {answered}."

    processes = multiprocessing.get_context("forkserver")
    budget, over, killed = SAMPLES * rows // 3, 0, 0
    with Stub(refusing("n", "logprobs", then=answer), latency=LATENCY) as stub:
        goes_on(folder, "calm.jsonl", stub.base_url, None)
        needed, answered = answered, 0
        # All that a run imports is loaded already in the process that the killed ones are forked from.
        processes.set_forkserver_preload([name for name in sys.modules if name.partition(".")[0] in LOADED])
        while killed < kills:
            before, last = answered, chance.randint(1, 2 * AT_ONCE)
            process = processes.Process(target=goes_on, args=(folder, "out.jsonl", stub.base_url, budget))
            process.start()
            while process.is_alive() and answered < before + last:
                time.sleep(LATENCY / 10)
            over = max(over, answered - budget)
            if process.is_alive():
                process.kill()
                killed += 1
            elif budget >= 2 * needed:
                break  # it is done
            else:
                budget += needed // 3
            process.join()
        summary = goes_on(folder, "out.jsonl", stub.base_url, None)
    lines = [json.loads(line) for line in (folder / "out.jsonl").read_bytes().splitlines()]
    seen = Counter(line["line"] for line in lines if line["outcome"] == "done")
    return {
        "kills": killed,
        "rows": rows,
        "needed": needed,
        "answered": answered,
        "account": int(summary.ledger.usage["llm_calls"]),
        "over": over,
        "lost": rows - len(seen),
        "doubled": sum(seen.values()) - len(seen),
    }


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as folder:
        for name, number in drive(Path(folder), kills, random.Random(7)).items():
            print(f"{name:10}{number:8,}")


if __name__ == "__main__":
    main()
