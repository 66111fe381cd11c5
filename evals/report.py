"""An evaluation as one HTML file, in the style of the other report: tables, pictures, changed answers."""

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from ..apps.reports.drawing import SERIES, Bar, Picture, Points, bars, curves, dots
from ..apps.reports.report import content_hash, templates
from .running import Ran
from .scoring import Scored
from .summary import NAMES, compare
from .tables import rows

STYLES = (("errata.apps", "report.css"), ("errata.evals", "eval.css"))
"""The style of the report of a run, and the differences here."""
TURNED = 12
"""How many rows are shown of each kind and method."""
KINDS = {"stayed right": "k0", "wrong to right": "k1", "right to wrong": "k2", "stayed wrong": "k3"}
"""What may happen to a draft's answer, with its colour."""
STOPS = {
    "budget": "stopped by the budget",
    "failures": "stopped because too many rows failed one after another",
    "interrupted": "stopped",
}
"""Why rows were not run."""
DRAWN = ("right", "f1", "attribution", "toxicity")
"""The scores that are drawn, if there are any."""


def render(ran: Ran) -> str:
    """The report as one HTML document. It loads nothing, and everything that a model or a data set wrote is escaped."""
    style = "".join(files(room).joinpath("templates", name).read_text("utf-8") for room, name in STYLES)
    first, *other_figures = ran.figures
    scores = ran.scores[first["method"]]
    compared = {figures["method"]: compare(ran.scores[figures["method"]], scores) for figures in other_figures}
    return (
        templates(__package__)
        .get_template("eval.html.j2")
        .render(
            settings=ran.settings,
            asked=[
                (name, _setting(value)) for name, value in ran.settings.items() if name not in ("methods", "versions")
            ],
            figures=ran.figures,
            first=first,
            rows=rows(ran.figures),
            pictures=_pictures(ran),
            compared={name: comparison for name, comparison in compared.items() if comparison["rows"]},
            turned={name: _turned(rows) for name, rows in ran.scores.items() if any(_turned(rows).values())},
            failed={name: [row for row in rows if not row["scores"]] for name, rows in ran.scores.items()},
            stops=STOPS,
            names=NAMES,
            style=Markup(style),
            style_hash=content_hash(style),
        )
    )


def _pictures(ran: Ran) -> list[tuple[str, Picture, dict[str, str]]]:
    """Heading, picture and the meaning of its colours, if they mean anything."""
    pictures: list[tuple[str, Picture, dict[str, str]]] = []
    for score in DRAWN:
        means = {figures["method"]: figures["means"][score] for figures in ran.figures if score in figures["means"]}
        values = {method: (interval.low, interval.mean, interval.high) for method, interval in means.items()}
        if values:
            heading = f"{NAMES[score]}, with 95 % intervals"
            pictures.append((heading[:1].upper() + heading[1:], dots(values, heading), {}))
    flips = [_flips(figures["method"], figures["flips"]) for figures in ran.figures if figures["flips"]]
    if flips:
        heading = "Changes to the drafts' answers"
        pictures.append((heading, bars(flips, KINDS, heading), KINDS))
    rounds = {figures["method"]: list(enumerate(figures["rounds"])) for figures in ran.figures if figures["rounds"]}
    if most := max((len(points) - 1 for points in rounds.values()), default=0):
        heading = "Right after at most so many rounds of correction"
        pictures.append((heading, curves(rounds, most, 1.0, "rounds", heading), _colours(rounds)))
    coverage = {figures["method"]: _points(figures["coverage"]) for figures in ran.figures if figures["coverage"]}
    if coverage:
        heading = "Accuracy of the most confident answers"
        pictures.append((heading, curves(coverage, 1.0, 1.0, "share of the answers", heading), _colours(coverage)))
    return pictures


def _colours(lines: Iterable[str]) -> dict[str, str]:
    return {name: SERIES[number % len(SERIES)] for number, name in enumerate(lines)}


def _flips(method: str, counts: Mapping[str, int]) -> Bar:
    total = sum(counts.values()) or 1
    return Bar(method, {kind: (counts.get(kind, 0) / total, str(counts.get(kind, 0))) for kind in KINDS})


def _points(accuracies: Sequence[float]) -> Points:
    return [(place / len(accuracies), accuracy) for place, accuracy in enumerate(accuracies, start=1)]


def _turned(scored: Sequence[Scored]) -> dict[str, list[Scored]]:
    """Rows whose draft was right and whose answer is wrong, and the other way round."""
    judged = [row for row in scored if row["before"] is not None and row["right"] is not None]
    worse = [row for row in judged if row["before"] and not row["right"]]
    better = [row for row in judged if row["right"] and not row["before"]]
    return {"right to wrong": worse[:TURNED], "wrong to right": better[:TURNED]}


def _setting(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
