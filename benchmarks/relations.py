"""Sentences that say the opposite of their source, and what they are called.

    python -m benchmarks.relations first later traps traps_later third

`refchecker` is given the source and checks two claims: one that the source denies or does not bear out, and, except for
traps, one that says the same in other words. `ground` corrects the same two. In `first` and `later` one thing
is turned round: an opposite, two things that changed places, a bound, an order, a denial. The statements of `traps` and
`traps_later` have the words of their source and say more, or something else. Rules were developed on `first` and on
`traps`, and on the two later ones as soon as they had been measured; `third` has both kinds and was used for nothing
but measuring.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.progress import Progress
from rich.table import Table

from errata.apps.cli.terminal import console
from errata.graphs import load
from errata.state import Context

DATA = Path(__file__).parent / "data"
SETS = ("first", "later", "traps", "traps_later", "third")


@dataclass(frozen=True)
class Relation:
    """A sentence, a wrong one that reads like it, and the same in other words, if there is one."""

    id: int
    kind: str
    source: str
    false: str
    true: str = ""


def relations(name: str) -> list[Relation]:
    """The rows of a set."""
    with (DATA / f"relations_{name}.jsonl").open(encoding="utf-8") as file:
        return [Relation(**json.loads(line)) for line in file]


async def measure(every: Sequence[Relation], context: Context, at_once: int, told: Any) -> dict[str, Any]:
    """What the false and the true sentences of a set are called, and what becomes of them."""
    bound = asyncio.Semaphore(at_once)

    async def one(each: Relation, text: str) -> dict[str, Any]:
        given = {"text": text, "references": [{"title": "", "text": each.source}]}
        async with bound:
            checked, corrected = await asyncio.gather(
                load("refchecker").ainvoke(given | {"own_claims": [text]}, context=context),
                load("ground").ainvoke(given, context=context),
            )
        told()
        return {
            "id": each.id,
            "kind": each.kind,
            "is true": text == each.true,
            "label": next((claim["label"] for claim in checked["claims"]), "neutral"),
            "text": corrected["text"],
            "outcome": _outcome(each, text, corrected),
        }

    texts = [(each, text) for each in every for text in (each.false, each.true) if text]
    rows = await asyncio.gather(*(one(each, text) for each, text in texts))
    return {
        name: {
            "labels": Counter(row["label"] for row in rows if row["is true"] == is_true),
            "outcomes": Counter(row["outcome"] for row in rows if row["is true"] == is_true),
        }
        for name, is_true in (("false", False), ("true", True))
    } | {"rows": rows}


def _outcome(each: Relation, text: str, corrected: dict[str, Any]) -> str:
    if corrected["stopped"] == "error":
        return "failed"
    if corrected["text"] == text:
        return "checked" if corrected["status"] == "checked" else "left"
    return "put right" if corrected["text"].casefold() == each.source.casefold() else "reworded"


@click.command(help=__doc__)
@click.argument("names", nargs=-1, required=True, type=click.Choice(SETS))
@click.option("--model", default="embedded", show_default=True)
@click.option("--base-url")
@click.option("--timeout", type=float, default=900.0, show_default=True)
@click.option("--at-once", type=click.IntRange(1), default=2, show_default=True, help="Sentences at the same time.")
@click.option("--json", "as_json", is_flag=True, help="Print all labels and texts.")
def main(names: tuple[str, ...], at_once: int, as_json: bool, **settings: Any) -> None:
    """Measure sets."""
    found = {}
    with Progress(console=console(stderr=True)) as progress:
        for name in names:
            every = relations(name)
            bar = progress.add_task(name, total=sum(1 + bool(each.true) for each in every))
            advance = partial(progress.advance, bar)
            found[name] = asyncio.run(measure(every, Context(**settings), at_once, advance))
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        console().print(_table(found))


def _table(found: dict[str, dict[str, Any]]) -> Table:
    table = Table("", *found)
    cells = (
        ("false: sentences", "false", None, ""),
        ("false: called contradicted", "false", "labels", "contradiction"),
        ("false: called supported", "false", "labels", "entailment"),
        ("false: called checked by ground", "false", "outcomes", "checked"),
        ("false: put right by ground", "false", "outcomes", "put right"),
        ("false: reworded by ground", "false", "outcomes", "reworded"),
        ("true: sentences", "true", None, ""),
        ("true: called supported", "true", "labels", "entailment"),
        ("true: called contradicted", "true", "labels", "contradiction"),
        ("true: called checked by ground", "true", "outcomes", "checked"),
        ("true: changed by ground", "true", "outcomes", "reworded"),
    )
    for title, which, count, value in cells:
        counted = [each[which] for each in found.values()]
        table.add_row(title, *(str(each[count][value] if count else each["labels"].total()) for each in counted))
    return table


if __name__ == "__main__":
    main()
