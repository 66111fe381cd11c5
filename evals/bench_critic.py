"""How long CRITIC takes, beside what it should take: `python -m errata.evals.bench_critic [--json]`.

A loopback server stands in for the model. Every model call, search and score takes 100 ms, so what goes beyond the
waits that a method needs is our own.
"""

import argparse
import asyncio
from itertools import count

from ..graphs import load
from ..state import Context
from . import scripted_critic
from .timing import LATENCY, Elsewhere, Figure, Once, in_waits, no_pages, report, stub, throughput

CONTINUATIONS = 25
NEVER = 99
"""Corrections that no loop comes to."""

_numbers = count()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true", help="print the figures as JSON")
    report(asyncio.run(_figures()), "CRITIC", as_json=options.parse_args().json)


async def _figures() -> list[Figure]:
    with stub(scripted_critic.brain, no_pages) as server:
        settings = _settings(server)

        def qa(corrections: int, draft: str | None = None) -> Once:
            return lambda: _solve("critic_qa", corrections, settings.model_copy(update={"draft": draft}))

        def program(corrections: int) -> Once:
            return lambda: _solve("critic_program", corrections, settings)

        async def continuations() -> None:
            prompts = [{"question": f"Prompt {number}"} for number in range(CONTINUATIONS)]
            await asyncio.gather(*(load("critic_toxicity").ainvoke(each, context=settings) for each in prompts))

        # A draft, and in each round two searches and three turns; or a critique and a program.
        return [
            await in_waits("a  answer, 3 rounds of 2 searches", server, qa(NEVER), 16),
            await in_waits("a  the same, drafted by ReAct", server, qa(NEVER, "react"), 20),
            await in_waits("a  answer, right at once", server, qa(0), 6),
            await in_waits("b  program, 4 rounds", server, program(NEVER), 10),
            await in_waits("b  program, right after 1 correction", server, program(1), 4),
            await in_waits(f"c  {CONTINUATIONS} continuations, 4 rounds each", server, continuations, 10),
            *await throughput("d  answers", qa(NEVER)),
            *await throughput("d  programs", program(NEVER)),
        ]


async def _solve(method: str, corrections: int, settings: Context) -> None:
    problem = scripted_critic.problem(next(_numbers), corrections)
    result = await load(method).ainvoke({"question": problem}, context=settings)
    due = min(corrections, 4 if method == "critic_program" else 3)
    if result["answer"] != str(due):
        raise RuntimeError(f"a wrong answer came out, so its time means nothing: {result['reason']}")


def _settings(server: Elsewhere) -> Context:
    return Context(
        model="openai:stub",
        base_url=f"{server.origin}/v1",
        search=scripted_critic.SlowSearch(latency=LATENCY),
        toxicity=scripted_critic.SlowScorer(latency=LATENCY),
        max_concurrency=64,
        cache=False,
    )


if __name__ == "__main__":
    main()
