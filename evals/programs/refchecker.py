"""`errata eval annotations`: people's labels of claims, model by model, and how well a checker agrees with them.

The files are RefChecker's public annotations; `--checked` is the output of `errata check -o` for the same responses.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from typing_extensions import TypedDict

from ...apps.cli.macro import Average, Sums, picture
from ...apps.cli.macro import table as macro_table
from ...apps.files import save
from ...apps.many import group_of
from ...state import Label
from ...state.errors import ConfigurationError
from ...state.methods.labels import Distribution, soft
from ..lines import json_rows
from ..metrics import accuracy, label_f1, pearson, spearman
from .program import PATH, json_option, put, read, table

LABELS: dict[str, Label] = {"entailment": "entailment", "neutral": "neutral", "contradiction": "contradiction"}
CLAIMS = "claude2_response_kg"
"""The key of the claims in the public files."""
FACTUAL, NOT_FACTUAL = "factual", "not factual"
NAMES = (NOT_FACTUAL, FACTUAL)
Key = tuple[str, str]
"""The group and id of a response."""


class Response(TypedDict):
    """One response as labelled by people."""

    id: str
    group: str
    """The name of its file: setting and model."""
    human: list[Label]
    machine: list[Label]
    """A machine's labels of the same claims; empty if the file holds none."""


class Figures(TypedDict):
    """How well a machine agrees with people on responses. A figure with nothing to count is None."""

    n: int
    accuracy: float | None
    """How often both call a response factual, or both do not. A response is factual if every claim is supported."""
    f1_factual: float | None
    f1_not_factual: float | None
    pearson: float | None
    spearman: float | None
    """For the share of claims that are not supported."""


def read_file(path: Path, key: str) -> list[Response]:
    """The responses of a file, a JSON list or JSON lines.

    Args:
        path: The file.
        key: The key of a machine's label in each claim, if there is one.

    Returns:
        The responses.

    Raises:
        ValueError: For anything else, with the number of the response.
    """
    text = path.read_text(encoding="utf-8-sig")
    try:
        rows = json_rows(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from None
    return [_response(number, row, path.stem, key) for number, row in enumerate(rows, start=1)]


def _response(number: int, row: Any, group: str, key: str) -> Response:
    try:
        claims = row[CLAIMS] or []
        human = [_label(claim["human_label"]) for claim in claims]
        machine = [_label(claim[key]) for claim in claims if key in claim]
        response = Response(id=str(row["id"]), group=group, human=human, machine=machine)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"response {number} has no {{id, {CLAIMS}: [{{triplet, human_label}}]}}: {error!r}") from None
    if machine and len(machine) != len(human):
        raise ValueError(f"response {number}: only some claims have a `{key}`")
    return response


def _label(name: str) -> Label:
    if (label := LABELS.get(name.strip().lower())) is None:
        raise ValueError(f"there is no label {name!r}")
    return label


def read_checked(path: Path) -> dict[Key, Distribution]:
    """The label shares of each response that `errata check` checked completely, by group and id. Raises ValueError."""
    shares: dict[Key, Distribution] = {}
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
                if row.get("distribution") and not row["errors"]:
                    shares[group_of(row), str(row["id"])] = row["distribution"]
            except (AttributeError, KeyError, ValueError) as error:
                raise ValueError(f"line {number} is not a row that `errata check` wrote: {error!r}") from None
    return shares


def averages(responses: Iterable[Response]) -> dict[str, Average]:
    """The averages of people's labels, by group."""
    groups: dict[str, Sums] = {}
    for response in responses:
        if shares := soft(response["human"]):
            groups.setdefault(response["group"], Sums()).count(shares)
    return {name: sums.average() for name, sums in groups.items()}


def pairs(responses: Iterable[Response], checked: dict[Key, Distribution]) -> list[tuple[Distribution, Distribution]]:
    """The shares of people and machine, for responses in which both found claims.

    Args:
        responses: The responses as labelled by people.
        checked: A machine's shares, by group and id. Files of one setting share their ids: without a group, an id is
            only enough if there is one file.
    """
    both_shares = []
    for response in responses:
        human = soft(response["human"])
        machine = soft(response["machine"]) if response["machine"] else _of(response, checked)
        if human and machine and not human["abstain"] and not machine["abstain"]:
            both_shares.append((human, machine))
    return both_shares


def _of(response: Response, checked: dict[Key, Distribution]) -> Distribution | None:
    return checked.get((response["group"], response["id"])) or checked.get(("", response["id"]))


def figures(compared: list[tuple[Distribution, Distribution]]) -> Figures:
    """All figures, from the shares of people and machine."""
    human, machine = ([pair[side]["entailment"] for pair in compared] for side in (0, 1))
    gold, predicted = ([NAMES[share == 1.0] for share in shares] for shares in (human, machine))
    return Figures(
        n=len(compared),
        accuracy=accuracy(predicted, gold),
        f1_factual=label_f1(predicted, gold, FACTUAL),
        f1_not_factual=label_f1(predicted, gold, NOT_FACTUAL),
        # The unsupported share is 1 minus the supported share, so that they correlate alike.
        pearson=pearson(human, machine),
        spearman=spearman(human, machine),
    )


@click.command(short_help="Sum up people's labels, and compare a machine's.")
@click.argument("files", type=PATH, nargs=-1, required=True)
@click.option("--checked", type=PATH, metavar="FILE", help="What `errata check -o` wrote of the same ids.")
@click.option("--label", "key", default="label", show_default=True, help="Key of a machine's label in each claim.")
@click.option("--picture", "drawn", type=PATH, metavar="FILE.svg", help="Draw the table.")
@json_option
def main(files: tuple[Path, ...], checked: Path | None, key: str, drawn: Path | None, as_json: bool) -> None:
    """Sum up people's labels in FILES (RefChecker's annotations, a file for each model), and compare a machine's."""
    responses = [response for file in files for response in read(file, read_file, file, key)]
    machine = read(checked, read_checked, checked) if checked else {}
    if len(files) > 1 and any(not group for group, _ in machine):
        raise ConfigurationError(
            f"cannot compare {checked}: its rows need the `group` (name of the file) to tell files apart"
        )
    groups = averages(responses)
    compared = pairs(responses, machine)
    agreement = figures(compared) if compared else None
    if drawn:
        save(drawn, picture(groups, "Claims by label, as people see them"), "--picture")
    agreed = [table("Agreement with people", {"": agreement})] if agreement else []
    put({"groups": groups, "agreement": agreement}, as_json, macro_table(groups), *agreed)
