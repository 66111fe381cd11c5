"""What people say of claims, model by model, and how well a checker agrees: RefChecker's public annotations.

Run it as `python -m errata.evals.refchecker zero_context/*.json` for the macro table of the human labels, and with
`--checked FILE.jsonl`, the output of `errata check --input`, for the agreement.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from statistics import StatisticsError, correlation
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from typing_extensions import TypedDict

from ..apps.macro import Average, Sums, draw_to, table
from ..apps.program import carry_out
from ..apps.terminal import console, exact, say
from ..state import Label
from ..state.errors import ConfigurationError
from ..state.labels import Distribution, soft
from .lines import json_lines

LABELS: dict[str, Label] = {"entailment": "entailment", "neutral": "neutral", "contradiction": "contradiction"}
CLAIMS = "claude2_response_kg"
"""The key of the claims in the public files."""
Key = tuple[str, str]
"""Group and id of a response."""


class Response(TypedDict):
    """One response as people labelled it."""

    id: str
    group: str
    """The name of its file: setting and model."""
    human: list[Label]
    machine: list[Label]
    """Labels of the same claims by a machine; empty if the file holds none."""


class Figures(TypedDict):
    """How well a machine agrees with people on responses. A figure with nothing to count is None."""

    n: int
    accuracy: float | None
    """How often both call a response factual, or both do not. It is if every claim is supported."""
    f1_factual: float | None
    f1_not_factual: float | None
    pearson: float | None
    spearman: float | None
    """Of the share of claims that are not supported."""


def read_file(path: Path, key: str) -> list[Response]:
    """The responses of a file, a JSON list or JSON lines.

    Raises ValueError on what is no such file, with the number of the response.

    Args:
        key: Where each claim holds the label of a machine, if it does.
    """
    text = path.read_text(encoding="utf-8-sig")
    try:
        rows = json.loads(text) if text.lstrip().startswith("[") else [row for _, row in json_lines(text)]
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from None
    return [_response(number, row, path.stem, key) for number, row in enumerate(rows, start=1)]


def _response(number: int, row: Any, group: str, key: str) -> Response:
    try:
        claims = row[CLAIMS] or []
        human = [_label(claim["human_label"]) for claim in claims]
        machine = [_label(claim[key]) for claim in claims if key in claim]
        found = Response(id=str(row["id"]), group=group, human=human, machine=machine)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"response {number} has no {{id, {CLAIMS}: [{{triplet, human_label}}]}}: {error!r}") from None
    if machine and len(machine) != len(human):
        raise ValueError(f"response {number}: only some claims have a `{key}`")
    return found


def _label(said: str) -> Label:
    if (label := LABELS.get(said.strip().lower())) is None:
        raise ValueError(f"there is no label {said!r}")
    return label


def read_checked(path: Path) -> dict[Key, Distribution]:
    """The shares of each response that `errata check` checked through, by group and id. Raises ValueError."""
    found: dict[Key, Distribution] = {}
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
                if row.get("distribution") and not row["errors"]:
                    found[row["group"], str(row["id"])] = row["distribution"]
            except (AttributeError, KeyError, ValueError) as error:
                raise ValueError(f"line {number} is no row that `errata check` wrote: {error!r}") from None
    return found


def averages(responses: Iterable[Response]) -> dict[str, Average]:
    """What people's labels come to, group by group."""
    groups: dict[str, Sums] = {}
    for response in responses:
        if shares := soft(response["human"]):
            groups.setdefault(response["group"], Sums()).count(shares)
    return {name: sums.average() for name, sums in groups.items()}


def pairs(responses: Iterable[Response], checked: dict[Key, Distribution]) -> list[tuple[Distribution, Distribution]]:
    """The shares of people and machine, of the responses that both found claims in.

    Args:
        checked: What a machine found, by group and id. Files of one setting share their ids: without a group, an id is
            only enough if there is one file.
    """
    found = []
    for response in responses:
        human = soft(response["human"])
        machine = soft(response["machine"]) if response["machine"] else _of(response, checked)
        if human and machine and not human["abstain"] and not machine["abstain"]:
            found.append((human, machine))
    return found


def _of(response: Response, checked: dict[Key, Distribution]) -> Distribution | None:
    return checked.get((response["group"], response["id"])) or checked.get(("", response["id"]))


def figures(compared: list[tuple[Distribution, Distribution]]) -> Figures:
    """All figures from the shares of people and machine."""
    human, machine = ([pair[side]["entailment"] for pair in compared] for side in (0, 1))
    factual = [(person == 1.0, other == 1.0) for person, other in zip(human, machine, strict=True)]
    return Figures(
        n=len(compared),
        accuracy=sum(person == other for person, other in factual) / len(factual) if factual else None,
        f1_factual=_f1(factual),
        f1_not_factual=_f1([(not person, not other) for person, other in factual]),
        # The share that is not supported is 1 less the one that is, so that they correlate alike.
        pearson=_correlation(human, machine),
        spearman=_correlation(ranks(human), ranks(machine)),
    )


def _f1(pairs: list[tuple[bool, bool]]) -> float | None:
    both, either = sum(gold and given for gold, given in pairs), sum(gold + given for gold, given in pairs)
    return 2 * both / either if either else None


def _correlation(one: list[float], other: list[float]) -> float | None:
    try:
        return correlation(one, other)
    except StatisticsError:  # too few, or all the same
        return None


def ranks(values: list[float]) -> list[float]:
    """The place of each value in their order; equal values share the mean of their places."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def show(found: Figures, console: Console) -> None:
    """The agreement, for people."""
    shown = Table(title="Agreement with people", show_header=False)
    for name, value in found.items():
        shown.add_row(name, "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value))
    console.print(shown)


@click.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--checked", type=click.Path(path_type=Path), help="What `errata check --input` wrote of the same ids.")
@click.option("--label", "key", default="label", show_default=True, help="Key of a machine's label in each claim.")
@click.option("--picture", "drawn", type=click.Path(path_type=Path), help="Draw the table as an SVG file.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
def main(files: tuple[Path, ...], checked: Path | None, key: str, drawn: Path | None, as_json: bool) -> None:
    """Sum up human annotations of FILES, one for each setting and model, and compare a machine's labels with them."""
    responses: list[Response] = []
    machine: dict[Key, Distribution] = {}
    reading = files[0]
    try:
        for reading in files:
            responses += read_file(reading, key)
        if checked:
            reading = checked
            machine = read_checked(checked)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"cannot read {reading}: {error}") from None
    if len(files) > 1 and any(not group for group, _ in machine):
        raise ConfigurationError(
            f"cannot compare {checked}: its rows need the `group` (name of the file) to tell files apart"
        )
    groups = averages(responses)
    compared = pairs(responses, machine)
    if drawn:
        draw_to(drawn, groups, "Claims by label, as people see them")
    if as_json:
        say(exact({"groups": groups, "agreement": figures(compared) if compared else None}))
        return
    out = console()
    out.print(table(groups))
    if compared:
        show(figures(compared), out)


if __name__ == "__main__":
    carry_out(main)
