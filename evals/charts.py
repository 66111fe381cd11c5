"""Pictures of figures, as SVG that stands in a page: text is escaped, colours are those of the page's style sheet."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup, escape

from .intervals import Interval

WIDTH = 400
"""Units of the drawing; it is as wide as its column."""
NAMES_WIDTH = 130
ROW = 30
SERIES = ("s0", "s1", "s2", "s3", "s4", "s5")
"""Classes of the style sheet, one colour each."""
LONGEST_NAME = 19


def dots(values: Mapping[str, Interval], about: str) -> Markup:
    """A dot per method with its 95 % interval, on a scale from 0 to 1 or as far as the largest goes."""
    most = max([1.0, *(interval.high for interval in values.values())])
    parts = [_scale(len(values), most)]
    for place, (name, interval) in enumerate(values.items()):
        y = ROW * place + ROW / 2
        low, at, high = (_x(value, most) for value in (interval.low, interval.mean, interval.high))
        parts.append(_name(name, y))
        parts.append(Markup('<line class="whisker" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(low, high, y, y))
        parts.append(Markup('<circle class="dot" cx="{}" cy="{}" r="4.5"/>').format(at, y))
        anchor = "end" if at > WIDTH - 60 else "start"
        label = f"{interval.mean:.2f}"
        x = low - 6 if anchor == "end" else high + 6
        parts.append(Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>').format(round(x, 1), y + 4, anchor, label))
    return _svg(parts, ROW * len(values) + 22, about)


def bars(values: Mapping[str, Mapping[str, int]], kinds: Sequence[str], about: str) -> Markup:
    """A bar per method, cut into kinds; each bar is as long as the others."""
    parts: list[Markup] = []
    for place, (name, counts) in enumerate(values.items()):
        y, x, total = ROW * place, float(NAMES_WIDTH), sum(counts.values()) or 1
        parts.append(_name(name, y + ROW / 2))
        for number, kind in enumerate(kinds):
            width = counts.get(kind, 0) / total * (WIDTH - NAMES_WIDTH - 4)
            shape = '<rect class="kind k{}" x="{:.1f}" y="{}" width="{:.1f}" height="{}"><title>{}: {}</title></rect>'
            parts.append(Markup(shape).format(number, x, y + 5, width, ROW - 10, kind, counts.get(kind, 0)))
            if width > 14:
                said = Markup('<text class="in k{}" x="{:.1f}" y="{}" text-anchor="middle">{}</text>')
                parts.append(said.format(number, x + width / 2, y + ROW / 2 + 4, counts.get(kind, 0)))
            x += width
    return _svg(parts, ROW * len(values), about)


def curves(values: Mapping[str, Sequence[float]], about: str) -> Markup:
    """A line per method over the share of rows that it goes by, from none to all."""
    height = 200
    parts = [
        Markup('<line class="axis" x1="30" x2="{}" y1="{}" y2="{}"/>').format(WIDTH - 10, height, height),
        Markup('<text x="30" y="{}">0</text><text x="{}" y="{}" text-anchor="end">all answers</text>').format(
            height + 16, WIDTH - 10, height + 16
        ),
    ]
    for tick in (0.0, 0.5, 1.0):
        y = height - tick * (height - 10)
        parts.append(Markup('<text x="24" y="{}" text-anchor="end">{}</text>').format(y + 4, f"{tick:g}"))
    for number, curve in enumerate(values.values()):
        width = (WIDTH - 40) / max(len(curve), 1)
        points = " ".join(
            f"{30 + width * (place + 1):.1f},{height - value * (height - 10):.1f}" for place, value in enumerate(curve)
        )
        shape = Markup('<polyline class="line {}" points="{}"/>')
        parts.append(shape.format(SERIES[number % len(SERIES)], points))
    return _svg(parts, height + 22, about)


def _scale(rows: int, most: float) -> Markup:
    """Lines at fifths of the scale, with their numbers below."""
    parts = []
    for step in range(6):
        value = most * step / 5
        x = _x(value, most)
        parts.append(Markup('<line class="grid" x1="{}" x2="{}" y1="0" y2="{}"/>').format(x, x, ROW * rows))
        anchor = "start" if step == 0 else "end" if step == 5 else "middle"
        said = Markup('<text class="tick" x="{}" y="{}" text-anchor="{}">{}</text>')
        parts.append(said.format(x, ROW * rows + 15, anchor, f"{value:.3g}"))
    return Markup("").join(parts)


def _x(value: float, most: float) -> float:
    return round(NAMES_WIDTH + value / most * (WIDTH - NAMES_WIDTH - 6), 1)


def _name(name: str, y: float) -> Markup:
    short = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
    return Markup('<text class="name" x="0" y="{}"><title>{}</title>{}</text>').format(y + 4, name, short)


def _svg(parts: Sequence[Markup], height: float, about: str) -> Markup:
    head = Markup('<svg viewBox="0 0 {} {}" role="img" aria-label="{}">').format(WIDTH, height, escape(about))
    return head + Markup("").join(parts) + Markup("</svg>")
