"""Office documents, as text."""

import io

import openpyxl

from errata.tools.reading.office import load

from ...steps import steps


def workbook(*cells: tuple[str, object]) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for place, value in cells:
        sheet[place] = value
    packed = io.BytesIO()
    book.save(packed)
    return packed.getvalue()


def test_a_cell_far_away_takes_no_longer_to_find_than_the_others() -> None:
    known = [
        ("A1", "Name"),
        ("B1", "Height"),
        ("A2", "Harbour Tower"),
        ("B2", 61),
        ("A3", "North Mill"),
        ("C3", "tall"),
    ]
    near, far = workbook(*known, ("A2000", "")), workbook(*known, ("XFD2000", "far"))
    title, text = load(far, ".xlsx")
    assert (title, text) == ("", "Name: Harbour Tower; Height: 61.\n\nName: North Mill; more: tall.")
    assert steps(lambda: load(far, ".xlsx")) < 2 * steps(lambda: load(near, ".xlsx"))
