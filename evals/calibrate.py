"""`errata eval calibrate`: how sure a judge has to be, so that what it says is right as often as wanted."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from ..apps.cli.options import input_argument
from ..apps.cli.terminal import tell
from ..apps.purr.bar import bar
from ..models.judges import find, load_judge
from ..models.judges.calibrating import Judged, Labelled, figures, held_out, thresholds
from ..models.judges.judge import Judge
from ..models.judges.notes import NOTES, meaning_of, write_notes
from ..state.errors import ConfigurationError
from ..state.text.segments import counted
from .lines import json_rows
from .programs.program import json_option, limit_option, put, read, table


def read_labelled(path: Path) -> list[Labelled]:
    """The rows of a file: `claim`, `evidence` and `label`, and `title` and `question` where there are any.

    Rows of FoolMeTwice will do as they are published.

    Raises:
        ValueError: For a row that is none.
    """
    return [_labelled(number, row) for number, row in enumerate(json_rows(path.read_text("utf-8")), start=1)]


def _labelled(number: int, row: Any) -> Labelled:
    if not isinstance(row, dict):
        raise ValueError(f"row {number} is no object")
    gold = row.get("gold_evidence")
    joined = " ".join(str(each.get("text", "")).strip() for each in gold) if isinstance(gold, list) else ""
    claim, evidence = row.get("claim") or row.get("text"), row.get("evidence") or joined
    if not (isinstance(claim, str) and isinstance(evidence, str) and claim.strip() and evidence.strip()):
        raise ValueError(f"row {number} needs a `claim` and its `evidence`, both texts")
    label = meaning_of(str(row.get("label", "")))
    if label is None:
        raise ValueError(f"row {number} needs a `label`: entailment, neutral or contradiction")
    title, question = (row.get(name) or "" for name in ("title", "question"))
    return {
        "claim": claim,
        "evidence": evidence,
        "label": label,
        "title": str(title or row.get("wikipedia_page") or ""),
        "question": str(question),
    }


def judged(judge: Judge, rows: Sequence[Labelled]) -> list[Judged]:
    """What a judge finds of each row."""
    found = []
    with bar("rows", len(rows)) as advance:
        for row in rows:
            (windows,) = judge.scores([row["claim"]], row["evidence"], row.get("title", ""), row.get("question", ""))
            found.append(Judged(windows, row["label"]))
            advance()
    return found


@click.command()
@input_argument
@click.option("--nli", "named", required=True, metavar="DIR", help="The judge's folder.")
@click.option("--nli-labels", metavar="A,B", help="What its classes mean, where its config.json does not say.")
@click.option("--precision", type=click.FloatRange(0.5, 1), default=0.97, show_default=True, help="Wanted, per label.")
@limit_option
@json_option
def main(source: Path, named: str, nli_labels: str | None, precision: float, limit: int | None, as_json: bool) -> None:
    """Set a judge's thresholds by labelled claims, and keep them in its folder.

    INPUT has a JSON row per line with `claim`, `evidence` and `label` (entailment, neutral or contradiction), or is a
    FoolMeTwice file. A label that reaches the precision nowhere is never given again.
    """
    rows = read(source, read_labelled, source)[:limit]
    if not rows:
        raise ConfigurationError(f"{source} holds no rows")
    judge = load_judge(named, nli_labels)
    known = judge.network.labels
    found = judged(judge, rows)
    chosen = thresholds(found, precision, known)
    told = figures(found, chosen)
    for label, unseen in held_out(found, precision, known).items():
        told[label] |= {"held_out_said": unseen["said"], "held_out_precision": unseen["precision"]}
    kept = {"rows": len(rows), "source": source.name, "wanted": precision, **told}
    folder = find(named).folder
    write_notes(folder, judge.notes.model_copy(update={"thresholds": chosen, "calibration": kept}))
    put({"rows": len(rows), "precision": precision, "labels": told}, as_json, *_tables(told, len(rows)))
    for label in (label for label, threshold in chosen.items() if threshold is None):
        tell(Text(f"no threshold makes {label} right as often as wanted: this judge will never say it"))
    tell(Text(f"kept in {folder / NOTES}"))


def _tables(told: dict[str, dict[str, Any]], rows: int) -> list[Table]:
    return [table(f"Thresholds by {counted(rows, 'row')}", told)]
