"""Figures for the terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..state.text.segments import counted
from .intervals import Interval
from .summary import NAMES, Compared, Figures


def show(console: Console, runs: Sequence[Figures], title: str) -> None:
    """Show methods in columns, figures in rows."""
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for figures in runs:
        table.add_column(figures["method"], justify="right", overflow="fold")
    for name, cells in rows(runs):
        table.add_row(name, *cells)
    console.print(table)


def rows(runs: Sequence[Figures]) -> list[tuple[str, list[str]]]:
    """Every figure of some runs, by its name."""
    table_rows: list[tuple[str, list[str]]] = [("rows scored", [scored(figures) for figures in runs])]
    for name in dict.fromkeys(name for figures in runs for name in figures["means"]):
        table_rows.append((NAMES.get(name, name), [_mean(figures["means"].get(name)) for figures in runs]))
    for name in dict.fromkeys(name for figures in runs for name in figures["more"]):
        table_rows.append((name, [_number(figures["more"].get(name)) for figures in runs]))
    if any(figures["flips"] for figures in runs):
        for name in ("wrong to right", "right to wrong"):
            table_rows.append((f"draft {name}", [str((figures["flips"] or {}).get(name, "-")) for figures in runs]))
    for done in range(max(len(figures["rounds"]) for figures in runs)):
        heading = f"right after {counted(done, 'round')}" if done else "right as drafted"
        table_rows.append((heading, [_share(next(iter(figures["rounds"][done:]), None)) for figures in runs]))
    for name, heading in {
        "calls per row": "model calls per row",
        "input tokens per row": "input tokens per row",
        "cached tokens per row": "of these, in the provider's cache",
        "output tokens per row": "output tokens per row",
        "seconds p50": "seconds per row, median",
        "seconds p95": "seconds per row, 95 %",
        "cost": "US dollars",
    }.items():
        if any(name in figures["usage"] for figures in runs):
            table_rows.append((heading, [_number(figures["usage"].get(name)) for figures in runs]))
    return table_rows


def scored(figures: Figures) -> str:
    """How many rows were scored, and how many did not end well: `12 of 15, 3 unchecked`."""
    unfinished = {status: number for status, number in figures["statuses"].items() if status != "done"}
    unfinished |= {"not run": figures["left"]} if figures["left"] else {}
    parts = [f"{figures['scored']} of {figures['rows']}", *(f"{number} {end}" for end, number in unfinished.items())]
    return ", ".join(parts)


def show_comparison(console: Console, comparison: Compared, first: str, second: str) -> None:
    """Show how the second run differs from the first."""
    console.print(Text(f"A  {first}\nB  {second}"), soft_wrap=True)
    table = Table(
        "", "A", "B", "B - A", "95 % interval", title=f"{comparison['rows']} rows of both", title_justify="left"
    )
    for name, (before, after, difference) in comparison["differences"].items():
        interval = f"{difference.low:+.3f} to {difference.high:+.3f}"
        table.add_row(NAMES.get(name, name), f"{before:.3f}", f"{after:.3f}", f"{difference.mean:+.3f}", interval)
    console.print(table)
    for name, number in (comparison["flips"] or {}).items():
        console.print(Text(f"  {number:>6} {name}"))


def _mean(interval: Interval | None) -> str:
    return f"{interval.mean:.3f} ({interval.low:.3f}-{interval.high:.3f})" if interval else "-"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.3f}".rstrip("0").rstrip(".")
