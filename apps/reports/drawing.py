"""Pictures of figures, as SVG: in a page, with the colours of its style sheet, or in a separate file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

WIDTH = 400
"""In units of the drawing, which is as wide as its column."""
NAMES_WIDTH = 130
REMARKS_WIDTH = 150
ROW = 30
HEIGHT = 200
"""The height of curves."""
LONGEST_NAME = 19
SERIES = ("s0", "s1", "s2", "s3", "s4", "s5")
"""Classes of the style sheet, one colour each."""
STYLE = Markup(
    "<style>svg{font:12px system-ui,sans-serif;fill:#22201c}@media(prefers-color-scheme:dark){svg{fill:#e9e4da}}"
    ".k0{fill:#2f9e6e}.k2{fill:#cf4a3f}.k3{fill:#8d867a}.s0{fill:#1f6feb;stroke:#1f6feb}.s1{fill:#d1570a;stroke:#d1570a}"
    ".s2{fill:#8d867a;stroke:#8d867a}.line{fill:none;stroke-width:2}.axis{stroke:#8d867a}.in{fill:#fff;font-size:11px}"
    "</style>"
)
"""The style of a file, for light and dark pages."""

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Picture:
    """A drawing, as its parts."""

    about: str
    width: float
    height: float
    parts: Sequence[Markup]

    def __html__(self) -> Markup:
        head = Markup('<svg viewBox="0 0 {} {}" role="img" aria-label="{}">').format(
            self.width, self.height, _printable(self.about)
        )
        return head + Markup("").join(self.parts) + Markup("</svg>")

    def file(self, keys: Mapping[str, str]) -> str:
        """The drawing as a self-contained file, with its title and a legend.

        Args:
            keys: The class of each colour, by its meaning.
        """
        top = 24 + 18 * len(keys)
        shape = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 {} {} {}" role="img" aria-label="{}">'
        head = Markup(shape).format(-top, self.width + 16, self.height + top + 8, _printable(self.about))
        labels = [_text((0, 14 - top), self.about, "start", "title")]
        for row, (meaning, kind) in enumerate(keys.items(), start=1):
            key = Markup('<rect class="{}" x="0" y="{}" width="10" height="10"/>').format(kind, 18 * row + 5 - top)
            labels += [key, _text((16, 18 * row + 14 - top), meaning, "start")]
        return f"{head}{STYLE}{Markup('').join([*labels, *self.parts])}</svg>\n"


class Bar(NamedTuple):
    """A bar, divided into kinds."""

    name: str
    parts: Mapping[str, tuple[float, str]]
    """For each kind its share of the bar, and the text on it."""
    remark: str = ""


def dots(values: Mapping[str, tuple[float, float, float]], about: str) -> Picture:
    """A dot per method with its 95 % interval, on a scale from 0 to 1 or to the largest value.

    Args:
        values: The low end, mean and high end, by method.
        about: What the picture shows.
    """
    most = max([1.0, *(high for _, _, high in values.values())])

    def across(value: float) -> float:
        return round(NAMES_WIDTH + value / most * (WIDTH - NAMES_WIDTH - 6), 1)

    parts = []
    for step in range(6):
        x, anchor = across(most * step / 5), "start" if step == 0 else "end" if step == 5 else "middle"
        parts.append(_line("grid", (x, 0), (x, ROW * len(values))))
        parts.append(_text((x, ROW * len(values) + 15), f"{most * step / 5:.3g}", anchor, "tick"))
    for place, (name, (low, mean, high)) in enumerate(values.items()):
        y, end = ROW * place + ROW / 2, across(mean) > WIDTH - 60
        parts += [_name(name, y), _line("whisker", (across(low), y), (across(high), y))]
        parts.append(Markup('<circle class="dot" cx="{}" cy="{}" r="4.5"/>').format(across(mean), y))
        x, anchor = (across(low) - 6, "end") if end else (across(high) + 6, "start")
        parts.append(_text((x, y + 4), f"{mean:.2f}", anchor))
    return Picture(about, WIDTH, ROW * len(values) + 22, parts)


def bars(rows: Sequence[Bar], kinds: Mapping[str, str], about: str) -> Picture:
    """A bar per row, divided into kinds; all bars have the same length.

    Args:
        rows: The bars.
        kinds: The class of each kind, in order.
        about: What the picture shows.
    """
    parts: list[Markup] = []
    for place, (name, shares, remark) in enumerate(rows):
        y, x = ROW * place, float(NAMES_WIDTH)
        parts.append(_name(name, y + ROW / 2))
        for kind, (share, percentage) in shares.items():
            width = share * (WIDTH - NAMES_WIDTH - 4)
            shape = Markup(
                '<rect class="kind {}" x="{:.1f}" y="{}" width="{:.1f}" height="{}"><title>{}</title></rect>'
            )
            parts.append(shape.format(kinds[kind], x, y + 5, width, ROW - 10, f"{kind}: {percentage}"))
            if width > 8 * len(percentage) + 6:
                parts.append(_text((x + width / 2, y + ROW / 2 + 4), percentage, "middle", f"in {kinds[kind]}"))
            x += width
        parts.append(_text((WIDTH + 4, y + ROW / 2 + 4), remark, "start", "tick"))
    remarks = REMARKS_WIDTH if any(row.remark for row in rows) else 0
    return Picture(about, WIDTH + remarks, ROW * len(rows), parts)


def curves(values: Mapping[str, Points], most: float, top: float, across: str, about: str) -> Picture:
    """A line per name.

    Args:
        values: The points of each line.
        most: The end of the horizontal scale.
        top: The end of the vertical scale.
        across: What the horizontal scale shows.
        about: What the picture shows.
    """

    def position(point: tuple[float, float]) -> tuple[float, float]:
        return round(30 + point[0] / most * (WIDTH - 40), 1), round(HEIGHT - point[1] / top * (HEIGHT - 10), 1)

    parts = [
        _line("axis", position((0, 0)), position((most, 0))),
        _text((WIDTH / 2, HEIGHT + 30), across, "middle", "tick"),
    ]
    parts += [_text((position((x, 0))[0], HEIGHT + 15), f"{x:.3g}", "middle", "tick") for x in _ticks(most)]
    parts += [_text((24, position((0, y))[1] + 4), f"{y:.2g}", "end", "tick") for y in _ticks(top)]
    for number, points in enumerate(values.values()):
        points_drawn = " ".join("{},{}".format(*position(point)) for point in points)
        parts.append(
            Markup('<polyline class="line {}" points="{}"/>').format(SERIES[number % len(SERIES)], points_drawn)
        )
    return Picture(about, WIDTH, HEIGHT + 36, parts)


def _ticks(end: float) -> list[float]:
    """The numbers on a scale: all whole ones of a few, or else fifths."""
    steps = int(end) if end in range(2, 10) else 5
    return [end * step / steps for step in range(steps + 1)]


def _line(kind: str, start: tuple[float, float], end: tuple[float, float]) -> Markup:
    return Markup('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(kind, *start, *end)


def _text(position: tuple[float, float], words: str, anchor: str, kind: str = "") -> Markup:
    shape = Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>')
    return shape.format(kind, *position, anchor, _printable(words))


def _name(name: str, y: float) -> Markup:
    short = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
    shape = Markup('<text class="name" x="0" y="{}"><title>{}</title>{}</text>')
    return shape.format(y + 4, _printable(name), _printable(short))


def _printable(words: str) -> str:
    """Words as XML can hold them."""
    return "".join(letter if letter.isprintable() else " " for letter in words)
