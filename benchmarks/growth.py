"""How the work grows: of RARR with questions, evidence for each and rows of a batch, and of a search with documents."""

import asyncio
import json
import math
import tempfile
from pathlib import Path

from typing_extensions import TypedDict

from errata.apps.batch.engine import Batch, run_batch
from errata.apps.batch.ledger import Ledger
from errata.apps.batch.rows import Schema
from errata.apps.batch.start import graph_of
from errata.graphs import load

from .cases import Case, towers
from .index import Searched, searched
from .instant import instant
from .methods import Alone, measure_alone
from .timing import alone, memory, stub

QUESTIONS = (1, 2, 4, 8, 12)
PIECES = (1, 2, 3, 5)
"""Of evidence for each of ASKED questions."""
ASKED = 4
ROWS = (10, 100, 1_000, 5_000)
DOCUMENTS = (100, 1_000, 10_000)
WORKERS = 16

_ROUNDS = 1
"""Model calls of RARR before its first gate: rounds of questions."""
_BEFORE_GATES = 3
"""Waits of RARR before its first gate: questions, search, pages."""
_WINDOW = 4
"""Gates that RARR asks at once."""


class Rows(TypedDict):
    """A batch in which no row waits for anything."""

    rows: int
    seconds: float
    per_second: float
    before: float
    """Megabytes when the batch began."""
    peak: float
    """Megabytes at most."""


def questions() -> list[Alone]:
    """Texts of more and more claims, all of them right. Raises RuntimeError if a wrong result comes out of a run."""
    return _grow([grown(number, 1) for number in QUESTIONS])


def evidence() -> list[Alone]:
    """More and more pieces of evidence for each question. Raises as `questions` does."""
    return _grow([grown(ASKED, pieces) for pieces in PIECES])


def rows() -> list[Rows]:
    """Batches of more and more rows, each in a process of its own. Raises RuntimeError if a row fails."""
    return [alone(_batch, number) for number in ROWS]


def documents() -> list[Searched]:
    """Folders of more and more documents, each in a process of its own."""
    return [alone(searched, number) for number in DOCUMENTS]


def grown(asked: int, pieces: int) -> Case:
    """RARR with so many questions, and so many pieces of evidence for each. No gate opens."""
    gates = asked * pieces
    return Case(
        "rarr",
        f"questions: {asked}, evidence for each: {pieces}",
        towers(asked),
        calls=_ROUNDS + gates,
        waits=_BEFORE_GATES + math.ceil(gates / _WINDOW),
        settings={"max_evidence": pieces},
    )


def _grow(chosen: list[Case]) -> list[Alone]:
    world = chosen[0].items.world
    with stub(world.brain, world.pages) as server:
        load("rarr")  # while the stub starts
        return asyncio.run(measure_alone(chosen, server))


def _batch(number: int) -> Rows:
    """So many rows of one claim each. All say the same, and what models say to it is known."""
    case = grown(1, 1)
    world = case.items.world
    with stub(world.brain, world.pages) as server, tempfile.TemporaryDirectory(prefix="errata-bench-") as folder:
        source, output = Path(folder, "in.jsonl"), Path(folder, "out.jsonl")
        with source.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps({**case.items.given(1), "id": row}) + "\n" for row in range(number))
        schema = Schema(load(case.method).builder.input_schema)
        return asyncio.run(_run(Batch(source, output, case.method, {}, schema, workers=WORKERS), case, server.origin))


async def _run(batch: Batch, case: Case, origin: str) -> Rows:
    context = await instant(case, origin)
    before = memory().now
    summary = await run_batch(batch, graph_of(case.method, context), _Silent())
    if not summary.complete:
        raise RuntimeError(f"rows failed, so their time means nothing: {dict(summary.ledger.errors)}")
    took = summary.seconds
    return Rows(rows=summary.rows, seconds=took, per_second=summary.rows / took, before=before, peak=memory().peak)


class _Silent:
    """Watches a batch and says nothing."""

    def begins(self, rows: int, ledger: Ledger) -> None: ...

    def finished(self, ledger: Ledger) -> None: ...

    def says(self, message: str) -> None: ...
