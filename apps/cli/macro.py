"""Averages over the responses of each group (RefChecker's macro average)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text
from typing_extensions import TypedDict

from ...state.methods.labels import Distribution, percents
from ...state.methods.refcheck import RefCheckResult
from ...state.text.segments import counted
from ..reports.drawing import Bar, bars
from .claims import bar
from .terminal import visible

LABELS: tuple[Literal["entailment", "neutral", "contradiction"], ...] = ("entailment", "neutral", "contradiction")
NO_GROUP = "(no group)"
KINDS = {"entailment": "k0", "neutral": "k3", "contradiction": "k2"}
"""The class of each label in a picture."""
WIDEST_BAR = 12
"""The columns of the table."""


class Average(TypedDict):
    """The averages of the responses of a group."""

    responses: int
    """The number of responses."""
    entailment: float | None
    neutral: float | None
    contradiction: float | None
    """The shares, averaged over the responses that make claims and were checked completely; None if there are none."""
    abstention: float | None
    """The share of responses without claims among those that were checked completely."""
    factual: float | None
    """The share of responses with every claim supported among those that make claims."""
    errors: int
    """The number of responses with an unchecked part. No share counts them."""


@dataclass
class Sums:
    """The sums of a group, so that no response has to be kept."""

    shares: dict[str, float] = field(default_factory=lambda: dict.fromkeys(LABELS, 0.0))
    claiming: int = 0
    abstained: int = 0
    factual: int = 0
    errors: int = 0

    def add(self, result: RefCheckResult | None) -> None:
        """Add a response; None for one that could not be checked at all."""
        distribution = result["distribution"] if result else None
        if result is None or distribution is None or result["errors"] or result["stopped"] == "error":
            self.errors += 1
        else:
            self.count(distribution)

    def count(self, distribution: Distribution) -> None:
        """Add the shares of a completely checked response."""
        if distribution["abstain"]:
            self.abstained += 1
            return
        self.claiming += 1
        self.factual += distribution["entailment"] == 1.0
        for label, share in zip(LABELS, shares_of(distribution), strict=True):
            self.shares[label] += share

    def average(self) -> Average:
        """The averages over the responses. None where there is nothing to average."""
        checked = self.claiming + self.abstained
        means = {label: self.shares[label] / self.claiming if self.claiming else None for label in LABELS}
        return {
            "responses": checked + self.errors,
            "entailment": means["entailment"],
            "neutral": means["neutral"],
            "contradiction": means["contradiction"],
            "abstention": self.abstained / checked if checked else None,
            "factual": self.factual / self.claiming if self.claiming else None,
            "errors": self.errors,
        }


def shares_of(distribution: Distribution) -> tuple[float, float, float]:
    """The shares in the order of LABELS."""
    return distribution["entailment"], distribution["neutral"], distribution["contradiction"]


def table(groups: Mapping[str, Average]) -> Table:
    """The averages for people."""
    averages_table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    averages_table.add_column("group")
    for column in ("n", "entail.", "neutral", "contrad.", "factual", "abstain", "errors"):
        averages_table.add_column(column, justify="right", no_wrap=True)
    averages_table.add_column("")
    for name, average in groups.items():
        distribution = _distribution(average)
        per_cent = [f"{percent} %" for percent in percents(shares_of(distribution))] if distribution else ["-"] * 3
        averages_table.add_row(
            Text(visible(name or NO_GROUP)),
            str(average["responses"]),
            *per_cent,
            _percent(average["factual"]),
            _percent(average["abstention"]),
            Text(str(average["errors"]), style="bold yellow" if average["errors"] else ""),
            _Bar(distribution) if distribution else Text(),
        )
    return averages_table


@dataclass
class _Bar:
    """The shares in one line, as wide as the available space: a truncated bar would show other shares."""

    distribution: Distribution

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        yield bar(self.distribution, min(options.max_width, WIDEST_BAR))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(1, min(options.max_width, WIDEST_BAR))


def picture(groups: Mapping[str, Average], title: str) -> str:
    """The averages as stacked bars: a self-contained SVG file for light and dark pages."""
    return bars([_bar(name or NO_GROUP, average) for name, average in groups.items()], KINDS, title).file(KINDS)


def _bar(name: str, average: Average) -> Bar:
    distribution = _distribution(average)
    shares = shares_of(distribution) if distribution else ()
    percentages = [f"{percent} %" for percent in percents(shares)]
    notes = [f"n = {average['responses']}"]
    notes += [f"{_percent(average['abstention'])} abstain"] if average["abstention"] else []
    notes += [counted(average["errors"], "error")] if average["errors"] else []
    return Bar(name, dict(zip(LABELS, zip(shares, percentages, strict=True), strict=False)), ", ".join(notes))


def _distribution(average: Average) -> Distribution | None:
    if average["entailment"] is None:
        return None
    return {
        "entailment": average["entailment"],
        "neutral": average["neutral"] or 0.0,
        "contradiction": average["contradiction"] or 0.0,
        "abstain": 0.0,
    }


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"
