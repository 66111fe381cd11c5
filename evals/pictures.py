"""Two pictures of how well consistency tells right from wrong, as SVG."""

from collections.abc import Sequence
from html import escape
from math import exp, pi, sqrt

WIDTH, HEIGHT, MARGIN = 640, 360, 56
BLUE, ORANGE, GREY = "#1f6feb", "#d1570a", "#666"
STEPS = 160
"""Points of a curve."""

Points = Sequence[tuple[float, float]]


def density(right: Sequence[float], wrong: Sequence[float], most: float) -> str:
    """How the consistencies of right and of wrong answers spread: a density each (Gaussian kernels).

    Args:
        most: The largest consistency that there can be.
    """
    grid = [most * step / STEPS for step in range(STEPS + 1)]
    curves = {f"right (n = {len(right)})": (right, BLUE), f"wrong (n = {len(wrong)})": (wrong, ORANGE)}
    lines = [
        (name, [(place, _density(values, place, most / 20)) for place in grid] if values else [], colour)
        for name, (values, colour) in curves.items()
    ]
    top = max((height for _, points, _ in lines for _, height in points), default=1.0)
    return _chart("Consistency of right and wrong answers", "consistency", "density", lines, most, top)


def accuracy_by_threshold(edited: Points, most: float, chosen: float, plain: float) -> str:
    """Accuracy (0 to 1) against the threshold below which chains of thought are edited.

    chosen, plain
        the default threshold; the accuracy where nothing is edited
    """
    lines = [
        ("verified and edited below the threshold", list(edited), BLUE),
        ("nothing edited", [(0.0, plain), (most, plain)], GREY),
    ]
    top = max([*(height for _, height in edited), plain, 0.01])
    return _chart("Accuracy against the threshold", "threshold", "accuracy", lines, most, top, mark=chosen)


def _density(values: Sequence[float], place: float, width: float) -> float:
    kernels = (exp(-0.5 * ((place - value) / width) ** 2) for value in values)
    return sum(kernels) / (len(values) * width * sqrt(2 * pi))


def _chart(
    title: str,
    across: str,
    up: str,
    lines: list[tuple[str, list[tuple[float, float]], str]],
    most: float,
    top: float,
    mark: float | None = None,
) -> str:
    def x(value: float) -> float:
        return MARGIN + value / most * (WIDTH - 2 * MARGIN)

    def y(value: float) -> float:
        return HEIGHT - MARGIN - value / (top * 1.1) * (HEIGHT - 2 * MARGIN)

    def text(at: tuple[float, float], words: str, anchor: str = "middle", more: str = "") -> str:
        return f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'

    bottom, right = HEIGHT - MARGIN, WIDTH - MARGIN
    parts = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text((WIDTH / 2, 24), title, more=' font-weight="bold"'),
        f'<path d="M{MARGIN} {MARGIN - 8} V{bottom} H{right}" fill="none" stroke="{GREY}"/>',
        text((WIDTH / 2, HEIGHT - 12), across),
        text((16, HEIGHT / 2), up, more=f' transform="rotate(-90 16 {HEIGHT / 2})"'),
    ]
    for step in range(6):
        parts.append(text((x(most * step / 5), bottom + 18), f"{most * step / 5:.3g}"))
        parts.append(text((MARGIN - 6, y(top * step / 5) + 4), f"{top * step / 5:.2f}", "end"))
    if mark is not None:
        parts.append(f'<path d="M{x(mark):.1f} {MARGIN} V{bottom}" stroke="{ORANGE}" stroke-dasharray="4 4"/>')
        parts.append(text((x(mark), MARGIN - 4), f"default {mark:g}"))
    for number, (name, points, colour) in enumerate(lines):
        drawn = " ".join(f"{x(place):.1f},{y(height):.1f}" for place, height in points)
        parts.append(f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(text((right, MARGIN + 10 + 18 * number), name, "end", f' fill="{colour}"'))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'font-family="sans-serif" font-size="12">{"".join(parts)}</svg>\n'
    )
