"""What rules make of everyday documents: `python -m benchmarks.everyday`.

Leaflets, price lists, minutes, timetables, and statements about them: true, false, or not said. They were written by
somebody who knew neither rules nor other sets, to find harm. Rules were developed on what they showed, so this is a
development set. `check` checks, and `correct` corrects with its default method, with the documents as its sources.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import click
from rich.progress import track
from rich.table import Table

import errata
from errata.apps.cli.terminal import console

DATA = Path(__file__).parent / "data" / "everyday.jsonl"
Truth = Literal["true", "false", "not said"]
COLUMNS = ("check", "correct")


class Statement(NamedTuple):
    """A statement with the folder of its documents."""

    text: str
    truth: Truth
    sources: Path


def statements(folder: Path) -> Iterator[Statement]:
    """All statements, their documents written to a folder."""
    with DATA.open(encoding="utf-8") as file:
        for number, line in enumerate(file):
            row = json.loads(line)
            place = folder / str(number)
            place.mkdir()
            for name, text in row["documents"].items():
                (place / name).write_text(text, encoding="utf-8")
            sources = place if len(row["documents"]) > 1 else place / next(iter(row["documents"]))
            yield from (Statement(each["text"], each["is"], sources) for each in row["statements"])


def outcomes(statement: Statement) -> tuple[str, str]:
    """What `check` and `correct` make of a statement."""
    checked = errata.check(statement.text, sources=str(statement.sources))
    corrected = errata.correct(statement.text, sources=str(statement.sources))
    return _outcome(statement, checked), _outcome(statement, corrected)


def _outcome(statement: Statement, result: errata.Result) -> str:
    if result.text.strip() != statement.text.strip():
        return "changed"
    if result.status == "unresolved" or any(verdict["label"] == "contradiction" for verdict in result.verdicts):
        return "contradicted"
    return "supported" if result.status == "checked" else "undecided"


@click.command(help=__doc__)
@click.option("--json", "as_json", is_flag=True, help="Print every statement with its outcomes.")
def main(as_json: bool) -> None:
    """Measure the set."""
    with tempfile.TemporaryDirectory(prefix="errata-everyday-") as folder:
        every = list(statements(Path(folder)))
        found = [outcomes(each) for each in track(every, console=console(stderr=True))]
    if as_json:
        rows = [
            {"text": each.text, "is": each.truth, **dict(zip(COLUMNS, outcome, strict=True))}
            for each, outcome in zip(every, found, strict=True)
        ]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        console().print(_table(every, found))


def _table(every: list[Statement], found: list[tuple[str, str]]) -> Table:
    table = Table("", "statements", *COLUMNS)
    counts = Counter(
        (each.truth, column, outcome)
        for each, both in zip(every, found, strict=True)
        for column, outcome in zip(COLUMNS, both, strict=True)
    )
    of_truth = Counter(each.truth for each in every)
    for truth, total in of_truth.items():
        for outcome in ("supported", "contradicted", "changed", "undecided"):
            cells = [str(counts[truth, column, outcome]) for column in COLUMNS]
            table.add_row(f"{truth}: {outcome}", str(total), *cells)
    return table


if __name__ == "__main__":
    main()
