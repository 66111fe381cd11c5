"""The figures of the benchmarks, for people."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table

from .command import METHODS
from .growth import Rows
from .index import Searched
from .methods import Alone, MethodFigures
from .own import Own
from .peers import FEW, RUNS, Race
from .start import Start
from .timing import LATENCY, TIMES

ALONE = ("calls", "read", "written", "waits", "seconds", "beyond waits, ms", "processor, ms")


def tables(found: Mapping[str, Any]) -> Iterator[Table]:
    """A table for each kind of figure that there is."""
    methods: dict[str, MethodFigures] = {name: found[name] for name in METHODS if name in found}
    if methods:
        yield _alone("One item at a time", [(name, one) for name in methods for one in methods[name]["alone"]])
        yield _crowds(methods)
        yield _sizes(methods)
    for grows in ("questions", "evidence"):
        if grows in found:
            yield _alone(f"How RARR grows with {grows}", [("rarr", one) for one in found[grows]])
    if "rows" in found:
        yield _rows(found["rows"])
    if "documents" in found:
        yield _documents(found["documents"])
    if "start" in found:
        yield _start(found["start"])
    if "nodes" in found:
        yield _nodes(found["nodes"])
    if "peers" in found:
        yield _peers(found["peers"])


def _alone(title: str, found: Sequence[tuple[str, Alone]]) -> Table:
    table = _table(f"{title}: {LATENCY * 1_000:.0f} ms for every wait, medians of {TIMES}", ("", ""), ALONE)
    for method, one in found:
        due = "" if one["as_due"] else " [red](not as due)[/]"
        table.add_row(
            method,
            one["what"],
            str(one["calls"]),
            f"{one['read']:,}",
            f"{one['written']:,}",
            f"{one['waits']}{due}",
            f"{one['seconds']:.2f}",
            f"{one['beyond']:.0f}",
            f"{one['processor']:.0f}",
        )
    return table


def _crowds(found: Mapping[str, MethodFigures]) -> Table:
    at_once = [f"{one['items']} at once" for one in next(iter(found.values()))["crowds"][0]["together"]]
    names = ("1 at a time", *at_once, f"processor, ms, {at_once[-1]}")
    table = _table("Items a second (times as fast as one after another)", ("", ""), names)
    for method, crowd in ((name, crowd) for name, figures in found.items() for crowd in figures["crowds"]):
        table.add_row(
            method,
            crowd["what"],
            f"{crowd['per_second']:.1f}",
            *(f"{one['per_second']:.1f} ({one['times_as_fast']:.1f} ×)" for one in crowd["together"]),
            f"{crowd['together'][-1]['processor']:.0f}",
        )
    return table


def _sizes(found: Mapping[str, MethodFigures]) -> Table:
    """Of the first case of each method."""
    names = ("nodes", "ms per node", "MB, one at a time", "MB at most, many at once")
    table = _table("Our own milliseconds a node run, and megabytes", ("",), names)
    for method, figures in found.items():
        sizes = (f"{figures['loaded']:.0f}", f"{figures['peak']:.0f}")
        table.add_row(method, str(figures["nodes"]), f"{figures['node']:.2f}", *sizes)
    return table


def _rows(found: Sequence[Rows]) -> Table:
    names = ("rows", "seconds", "rows a second", "MB before", "MB at most")
    table = _table("A batch of RARR in which nothing waits", (), names)
    for one in found:
        sizes = (f"{one['before']:.1f}", f"{one['peak']:.1f}")
        table.add_row(f"{one['rows']:,}", f"{one['seconds']:.2f}", f"{one['per_second']:.0f}", *sizes)
    return table


def _documents(found: Sequence[Searched]) -> Table:
    names = ("documents", "first run, s", "opened, s", "one changed, s", "first query, ms", "next, ms", "MB at most")
    table = _table("A folder of documents of 5 kB", (), names)
    for one in found:
        seconds = (f"{each:.2f}" for each in (one["cold"], one["warm"], one["changed"]))
        queries = (f"{each * 1_000:.1f}" for each in (one["first"], one["query"]))
        table.add_row(f"{one['documents']:,}", *seconds, *queries, f"{one['peak']:.0f}")
    return table


def _start(found: Sequence[Start]) -> Table:
    table = _table(f"Before anything happens, medians of {TIMES}", ("",), ("",))
    for one in found:
        table.add_row(one["what"], f"{one['value']:.2f} {one['unit']}")
    return table


def _nodes(found: Sequence[Own]) -> Table:
    names = ("node runs", "ms each", "times an empty node", "at most", "times its calls", "at most")
    table = _table("Our own work, where nothing waits, beside nodes of LangGraph that do nothing", ("",), names)
    for one in found:
        slower = " [red](slower)[/]" if one["times_empty"] > one["most"] else ""
        more = " [red](more)[/]" if one["calls"] > one["most_calls"] else ""
        table.add_row(
            one["method"],
            str(one["nodes"]),
            f"{one['node']:.2f}",
            f"{one['times_empty']:.1f}{slower}",
            f"{one['most']:.1f}",
            f"{one['calls']:.2f}{more}",
            f"{one['most_calls']:.2f}",
        )
    return table


def _peers(found: Sequence[Race]) -> Table:
    names = ("calls, peer", "calls", "seconds, peer", "seconds", "floor", "times as fast")
    table = _table(f"Beside the published order of work: medians of {RUNS} (of a check: {FEW})", ("", ""), names)
    for one in found:
        slower = " [red](slower)[/]" if one["ratio"] < one["least"] else ""
        table.add_row(
            one["method"],
            one["what"],
            str(one["peer_calls"]),
            str(one["calls"]),
            *(f"{one[name]:.2f}" for name in ("peer", "errata", "floor")),
            f"{one['ratio']:.1f}{slower}",
        )
    return table


def _table(title: str, left: Sequence[str], right: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left")
    for name in left:
        table.add_column(name, no_wrap=True)
    for name in right:
        table.add_column(name, justify="right")
    return table
