"""Pictures: what they show stands in them as text, whatever it is, and a file of one is XML."""

from xml.etree import ElementTree

from markupsafe import escape

from errata.apps.reports.drawing import Bar, Picture, bars, curves, dots

NAME = "<script>\0&\x1b"
KINDS = {"right": "k0", "wrong": "k2"}
PICTURES = {
    "dots": dots({NAME: (0.1, 0.2, 0.9), "other": (0.0, 2.0, 3.0)}, NAME),
    "bars": bars(
        [Bar(NAME, {"right": (0.75, "3 & 4"), "wrong": (0.25, "1")}, NAME)], {"right": "k0", "wrong": "k2"}, "x"
    ),
    "curves": curves({NAME: [(0.0, 0.0), (1.0, 0.5)]}, 1.0, 1.0, NAME, "y"),
}


def test_names_are_text_in_a_page_and_in_a_file() -> None:
    for picture in PICTURES.values():
        assert "<script" not in escape(picture)
        assert "<script" in "".join(ElementTree.fromstring(picture.file({NAME: "k0"})).itertext())


def test_bars_are_as_long_as_their_shares() -> None:
    first, second = (float(rect.attrib["width"]) for rect in _found(PICTURES["bars"], "rect"))
    assert first == 3 * second


def test_a_line_goes_from_corner_to_middle() -> None:
    (line,) = _found(PICTURES["curves"], "polyline")
    (left, bottom), (right, middle) = (map(float, point.split(",")) for point in line.attrib["points"].split())
    assert left < right
    assert bottom > middle


def _found(picture: Picture, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(picture.file({})).iter(f"{{http://www.w3.org/2000/svg}}{tag}"))
