"""How many wrong statements a method puts right, and how many right ones it leaves as they are.

    python -m benchmarks.statements ground rarr --model openai:NAME --base-url http://127.0.0.1:8080/v1

The statements, in English, Chinese and Korean, are about documents of our own, which no model has read. A wrong one is
wrong in one value. `ground` is given the document; other methods search for it among the documents. `--unrelated` gives
another document instead, and then nothing may change. Prompts and rules were developed on the first five sets, the
later ones as soon as they had been measured; `sixth` was written afterwards, by somebody who had not seen them. `plain`
and `plain_later` are about the bundled articles, in the words of a chat; rules were developed on the first, and on the
second once it had been measured. `plain_third` was written by somebody who had seen neither, and only measured.
"""

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import click
from rich.progress import Progress
from rich.table import Table

from errata.apps.cli.program import carry_out
from errata.apps.cli.terminal import console
from errata.apps.settings import make_context
from errata.graphs import METHODS, load
from errata.state import Context
from errata.tools.reading.documents import read_markdown
from errata.tools.searches.local import CORPUS

DATA = Path(__file__).parent / "data"
SETS = ("first", "later", "third", "fourth", "fifth", "sixth", "plain", "plain_later", "plain_third")
Outcome = Literal["right", "left", "spoilt", "failed"]
"""As it should be; a wrong statement that stayed; changed into something else; an error."""


@dataclass(frozen=True)
class Statement:
    """A statement about a document, and how it should read."""

    id: int
    text: str
    right: str
    kind: str
    title: str
    document: str
    unrelated: Mapping[str, str]
    """A document in the same language that says nothing of it."""

    @property
    def is_true(self) -> bool:
        """Whether it is right as it stands."""
        return self.text == self.right


def statements(name: str) -> list[Statement]:
    """The statements of a set."""
    of_articles = name.startswith("plain")
    documents = _articles() if of_articles else {each["id"]: each for each in _rows(f"{name}_documents.jsonl")}
    ids = list(documents)

    def other(own: str) -> Mapping[str, str]:
        same = ids if of_articles else [each for each in ids if each[:2] == own[:2]]  # their language
        return documents[same[(same.index(own) + 1) % len(same)]]

    return [
        Statement(
            row["id"],
            row["statement"],
            row["right"],
            row["kind"],
            documents[row["document"]]["title"],
            documents[row["document"]]["text"],
            other(row["document"]),
        )
        for row in _rows(f"{name}_statements.jsonl")
    ]


def _articles() -> dict[str, dict[str, str]]:
    """The bundled articles."""
    read = {path.stem: read_markdown(path.read_bytes()) for path in sorted(CORPUS.glob("*.md"))}
    return {name: {"title": article.title, "text": article.text} for name, article in read.items()}


def _rows(name: str) -> Iterator[dict[str, Any]]:
    with (DATA / name).open(encoding="utf-8") as file:
        yield from map(json.loads, file)


async def measure(
    method: str, every: Sequence[Statement], context: Context, unrelated: bool, at_once: int, told: Any
) -> dict[str, Any]:
    """Run a method on statements."""
    bound = asyncio.Semaphore(at_once)

    async def one(each: Statement, folder: str) -> tuple[Statement, Outcome, dict[str, Any]]:
        async with bound:
            result = await _run(method, each, context.model_copy(update={"sources": folder}), unrelated)
        told()
        return each, _outcome(each, result), result

    with tempfile.TemporaryDirectory() as folder:
        for number, each in enumerate({each.document: each for each in every}.values()):
            (Path(folder) / f"{number}.md").write_text(f"# {each.title}\n\n{each.document}\n", "utf-8")
        came = await asyncio.gather(*(one(each, folder) for each in every))
    return _figures(came)


async def _run(method: str, each: Statement, context: Context, unrelated: bool) -> dict[str, Any]:
    given: dict[str, Any] = {"text": each.text}
    if method == "ground":
        shown = each.unrelated if unrelated else {"title": each.title, "text": each.document}
        given["references"] = [{"title": shown["title"], "text": shown["text"]}]
    result: dict[str, Any] = await load(method).ainvoke(given, context=context)
    return result


def _outcome(each: Statement, result: Mapping[str, Any]) -> Outcome:
    if result["text"] == each.right:
        return "right"
    if result["stopped"] == "error":
        return "failed"
    return "left" if result["text"] == each.text else "spoilt"


def _figures(came: list[tuple[Statement, Outcome, dict[str, Any]]]) -> dict[str, Any]:
    """What came of the statements, of the wrong and the true ones apart."""
    used = [result["usage"] for *_, result in came]
    return {
        "wrong": Counter(outcome for each, outcome, _ in came if not each.is_true),
        "true": Counter(outcome for each, outcome, _ in came if each.is_true),
        "called supported though wrong": sum(
            result["status"] == "checked" and result["text"] == each.text
            for each, _, result in came
            if not each.is_true
        ),
        "calls": sum(each["llm_calls"] for each in used) / len(came),
        "tokens": sum(each["input_tokens"] + each["output_tokens"] for each in used) / len(came),
        "seconds": sum(each["seconds"] for each in used) / len(came),
        "rows": [
            {"id": each.id, "kind": each.kind, "outcome": outcome, "text": result["text"], "status": result["status"]}
            for each, outcome, result in came
        ],
    }


@click.command(help=__doc__)
@click.argument(
    "methods", nargs=-1, required=True, type=click.Choice([n for n in METHODS if METHODS[n].kind == "corrects"])
)
@click.option("--of", "name", type=click.Choice(SETS), default="sixth", show_default=True)
@click.option("--limit", type=click.IntRange(1), help="So many statements, evenly spread.")
@click.option("--unrelated", is_flag=True, help="Give `ground` a document about something else.")
@click.option("--model", default="embedded", show_default=True)
@click.option("--base-url")
@click.option("--timeout", type=float, default=900.0, show_default=True)
@click.option("--set", "more", metavar="FIELD=VALUE", multiple=True, help="Any setting; see `errata settings`.")
@click.option("--at-once", type=click.IntRange(1), default=2, show_default=True, help="Statements at the same time.")
@click.option("--json", "as_json", is_flag=True, help="Print all figures and texts.")
def main(
    methods: tuple[str, ...],
    name: str,
    limit: int | None,
    unrelated: bool,
    at_once: int,
    as_json: bool,
    more: tuple[str, ...],
    **settings: Any,
) -> None:
    """Measure methods on a set."""
    if unrelated and set(methods) != {"ground"}:
        raise click.UsageError("--unrelated is for `ground`: the other methods find their documents themselves")
    context, every = make_context(settings, (), more), statements(name)
    step = max(len(every) / limit, 1) if limit else 1
    every = [every[int(place * step)] for place in range(int(len(every) / step))]
    found = {}
    with Progress(console=console(stderr=True)) as progress:
        for method in methods:
            bar = progress.add_task(method, total=len(every))
            advance = partial(progress.advance, bar)
            found[method] = asyncio.run(measure(method, every, context, unrelated, at_once, advance))
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        console().print(_table(found))


def _table(found: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table("", *found)

    def row(name: str, cells: Iterator[str]) -> None:
        table.add_row(name, *cells)

    row("wrong: put right", (_share(each["wrong"], "right") for each in found.values()))
    row("wrong: left", (_share(each["wrong"], "left") for each in found.values()))
    row("wrong: made otherwise wrong", (_share(each["wrong"], "spoilt") for each in found.values()))
    row("wrong, called supported", (str(each["called supported though wrong"]) for each in found.values()))
    row("true: left to the letter", (_share(each["true"], "right") for each in found.values()))
    row("true: changed", (_share(each["true"], "spoilt") for each in found.values()))
    row("failed", (str(each["wrong"]["failed"] + each["true"]["failed"]) for each in found.values()))
    row("model calls each", (f"{each['calls']:.1f}" for each in found.values()))
    row("tokens each", (f"{each['tokens']:.0f}" for each in found.values()))
    row("seconds each", (f"{each['seconds']:.1f}" for each in found.values()))
    return table


def _share(counts: Mapping[str, int], outcome: str) -> str:
    return f"{counts[outcome]} of {sum(counts.values())}"


if __name__ == "__main__":
    carry_out(main)
