"""How long LLM-Augmenter takes, beside what it should take: `python -m errata.evals.bench_augmenter [--json]`.

A loopback server stands in for the model. Every model call and search takes 100 ms, so what goes beyond the waits that
the method needs is our own.
"""

import argparse
import asyncio
from collections.abc import Awaitable
from itertools import count

from ..graphs import load
from ..state import Context
from . import scripted_augmenter
from .timing import LATENCY, Elsewhere, Figure, Once, in_waits, report, stub, throughput

_numbers = count()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true", help="print the figures as JSON")
    report(asyncio.run(_figures()), "LLM-Augmenter", as_json=options.parse_args().json)


async def _figures() -> list[Figure]:
    with stub(scripted_augmenter.brain, _no_page) as server:
        settings = _settings(server)

        def small_talk() -> Awaitable[None]:
            given = settings.model_copy(update={"policy": "self_ask"})
            return _respond(f"{scripted_augmenter.SMALL_TALK} ({next(_numbers)})!", 1, "unchanged", given)

        def asked(responses: int) -> Once:
            return lambda: _respond(
                scripted_augmenter.message(next(_numbers), responses), responses, "accepted", settings
            )

        # Policy and response; or queries, search, descriptions, chains and response, and perhaps another one.
        return [
            await in_waits("a  no evidence needed, says the model", server, small_talk, 2),
            await in_waits("b  consolidate, respond", server, asked(1), 5),
            await in_waits("c  the same, feedback, respond again", server, asked(2), 6),
            *await throughput("d  responses", asked(2)),
        ]


async def _respond(message: str, responses: int, stopped: str, settings: Context) -> None:
    result = await load("llm_augmenter").ainvoke({"question": message}, context=settings)
    if (len(result["scores"]), result["stopped"]) != (responses, stopped):
        raise RuntimeError(f"a wrong response came out, so its time means nothing: {result['reason']}")


def _settings(server: Elsewhere) -> Context:
    return Context(
        model="openai:stub",
        base_url=f"{server.origin}/v1",
        search=scripted_augmenter.TowerSearch(latency=LATENCY),
        max_concurrency=64,
        cache=False,
    )


def _no_page(path: str) -> None:
    return None


if __name__ == "__main__":
    main()
