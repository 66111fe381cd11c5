"""How rules read documents: sentences copied from them, and sentences with one value of theirs wrong.

    python -m benchmarks.values

The documents, and the statements about them, were written before the rules; the half called `held-out` was used for
nothing but measuring.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
from rich.table import Table

from errata.apps.cli.terminal import console
from errata.models.rules.comparison import compare
from errata.tools.reading import documents

DATA = Path(__file__).parent / "data"
MARKERS = ("", "[1]", "【3†source】", "¹")


def _rows(name: str) -> Iterator[dict[str, object]]:
    with (DATA / name).open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def copied() -> Counter[str]:
    """How many sentences that stand in documents are called what, with each marker behind them."""
    counts: Counter[str] = Counter()
    for row in _rows("copied.jsonl"):
        name, text, title = str(row["file"]), str(row["text"]), str(row["title"])
        if not name.endswith(".txt"):
            read = documents.read(text.encode(), Path(name).suffix)
            title, text = read.title or title, read.text
        for sentence in row["sentences"]:  # type: ignore[attr-defined]
            labels = {compare(sentence + marker, [(title, text)]).label for marker in MARKERS}
            counts["all" if labels == {"supported"} else "not all"] += 1
    return counts


def values() -> dict[str, Counter[str]]:
    """What the true and the false sentences of each half are called, and how many are put right."""
    found: dict[str, Counter[str]] = {}
    for row in _rows("values.jsonl"):
        counts = found.setdefault(str(row["half"]), Counter())
        for each in row["statements"]:  # type: ignore[attr-defined]
            for kind in ("true", "false"):
                finding = compare(each[kind], [(str(row["title"]), str(row["text"]))])
                counts[f"{kind}: sentences"] += 1
                counts[f"{kind}: {finding.label}"] += 1
                counts[f"{kind}: put right"] += kind == "false" and finding.text == each["true"]
    return found


@click.command(help=__doc__)
def main() -> None:
    """Measure both sets."""
    counts = copied()
    console().print(f"copied sentences supported, with and without markers: {counts['all']} of {counts.total()}")
    found = values()
    table = Table("", *found)
    for truth in ("true", "false"):
        for outcome in ("sentences", "supported", "contradicted", "undecided", "put right"):
            if truth == "false" or outcome != "put right":
                key = f"{truth}: {outcome}"
                table.add_row(key, *(str(each[key]) for each in found.values()))
    console().print(table)


if __name__ == "__main__":
    main()
