"""`errata eval table`: a paper's table, with the figures of your own runs below."""

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
import yaml
from rich.table import Table

from ...state.errors import ConfigurationError
from .program import PATH, json_option, put

PUBLISHED: dict[str, Any] = yaml.safe_load(files("errata.evals").joinpath("published.yaml").read_text("utf-8"))
"""The tables of the papers, by name."""


class Run:
    """A folder of `errata eval run`."""

    def __init__(self, folder: Path) -> None:
        """Read it.

        Raises:
            ConfigurationError: If it is none, or is not finished.
        """
        try:
            settings = json.loads((folder / "settings.json").read_text("utf-8"))
            self.figures: list[dict[str, Any]] = json.loads((folder / "figures.json").read_text("utf-8"))
            self.dataset, self.model = settings["dataset"], settings["model"]
        except (OSError, ValueError, KeyError, TypeError):
            raise ConfigurationError(
                f"{folder} holds no finished evaluation: name a folder of `errata eval -o`"
            ) from None

    def rows(self, columns: Mapping[str, Any], scale: float) -> dict[str, list[str]]:
        """A row for each method that has one of the scores."""
        named = {
            f"{each['method']}, {self.model}, n = {each['scored']}": [
                self._cell(each, column, column.get("scale", scale)) for column in columns.values()
            ]
            for each in self.figures
        }
        return {name: cells for name, cells in named.items() if set(cells) != {"-"}}

    def _cell(self, figures: Mapping[str, Any], column: Mapping[str, str], scale: float) -> str:
        score = column["score"]
        if column.get("dataset", self.dataset) != self.dataset:
            return "-"
        if score in figures["means"]:
            mean, low, high = (scale * value for value in figures["means"][score][:3])
            return f"{_number(mean, scale)} ({_number(low, scale)}-{_number(high, scale)})"
        return _number(scale * figures["more"][score], scale) if score in figures["more"] else "-"


def _number(value: float | None, scale: float) -> str:
    return "-" if value is None else f"{value:.1f}" if scale > 1 else f"{value:.3f}".rstrip("0").rstrip(".")


@click.command(short_help="Print a paper's table, and your figures below it.")
@click.argument("name", metavar="NAME", type=click.Choice(list(PUBLISHED)))
@click.argument("runs", nargs=-1, type=PATH, metavar="[DIR]...")
@json_option
def main(name: str, runs: tuple[Path, ...], as_json: bool) -> None:
    """Print the table NAME of a paper, and below it the figures of your runs.

    NAME is critic_qa, critic_program, critic_toxicity, rarr, verify_and_edit or llm_augmenter. DIR is the folder of an
    `errata eval` run. A column without a figure of the paper, or of the run, has a dash.
    """
    published = PUBLISHED[name]
    columns, scale = published["columns"], published["scale"]
    paper = {row: [_number(value, scale) for value in values] for row, values in published["rows"].items()}
    ours: dict[str, list[str]] = {}
    for folder in runs:
        rows = Run(folder).rows(columns, scale)
        if not rows:
            raise ConfigurationError(f"{folder} has none of the scores of `{name}`: {', '.join(columns)}")
        for row, cells in rows.items():  # runs on several data sets fill one row
            before = ours.get(row, cells)
            ours[row] = [new if new != "-" else old for new, old in zip(cells, before, strict=True)]
    shown = Table("", *columns, title=published["title"], title_justify="left")
    for row, cells in paper.items():
        shown.add_row(row, *cells)
    shown.add_section()
    for row, cells in ours.items():
        shown.add_row(row, *cells, style="bold")
    put({"title": published["title"], "columns": list(columns), "published": paper, "ours": ours}, as_json, shown)
