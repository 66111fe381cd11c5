"""`errata eval calibrate`: how confident a judge must be so that its labels reach the precision that you ask for."""

from pathlib import Path
from typing import Any

import click
from rich.text import Text

from ...apps.cli.options import Number, input_argument
from ...apps.cli.terminal import tell
from ...apps.distill.command import figures_table
from ...apps.purr.bar import bar
from ...models.judges import find, load_judge
from ...models.judges.calibrating import Labelled, calibrate
from ...models.judges.notes import NOTES, meaning_of
from ...state.errors import ConfigurationError
from ..lines import json_rows
from .program import json_option, limit_option, put, read


def read_labelled(path: Path) -> list[Labelled]:
    """The rows of a file: `claim`, `evidence` and `label`, and `title` and `question` if given.

    Published rows of FoolMeTwice are accepted as they are.

    Raises:
        ValueError: For a malformed row.
    """
    return [_labelled(number, row) for number, row in enumerate(json_rows(path.read_text("utf-8")), start=1)]


def _labelled(number: int, row: Any) -> Labelled:
    if not isinstance(row, dict):
        raise ValueError(f"row {number} is not an object")
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


@click.command(short_help="Set a judge's thresholds from labelled claims.")
@input_argument
@click.option("--nli", required=True, metavar="DIR", help="The judge's folder.")
@click.option("--nli-labels", metavar="A,B", help="What its classes mean, if its config.json does not say.")
@click.option(
    "--precision",
    type=Number(0.5, 1),
    default=0.97,
    show_default=True,
    help="The precision that each label must reach.",
)
@limit_option
@json_option
def main(source: Path, nli: str, nli_labels: str | None, precision: float, limit: int | None, as_json: bool) -> None:
    """Set a judge's thresholds from labelled claims, and store them in its folder.

    INPUT has a JSON row per line with `claim`, `evidence` and `label` (entailment, neutral or contradiction), or is a
    FoolMeTwice file. A label that cannot reach the precision is never given again.
    """
    rows = read(source, read_labelled, source)[:limit]
    if not rows:
        raise ConfigurationError(f"{source} holds no rows")
    judge, folder = load_judge(nli, nli_labels), find(nli).folder
    with bar("rows", len(rows)) as advance:
        outcome = calibrate(judge, folder, rows, precision, source.name, advance)
    put(outcome, as_json, figures_table(outcome))
    for label in (label for label, each in outcome["labels"].items() if each["threshold"] is None):
        tell(Text(f"no threshold makes {label} right as often as wanted: this judge will never say it"))
    tell(Text(f"kept in {folder / NOTES}"))
