"""Tables of every kind of document, as sentences that can be read one by one."""

import csv
import io
from datetime import datetime

import openpyxl
import pytest

from errata.tools.reading.documents import read

from ...steps import steps

ROWS = [["Town", "Height (m)", "Opened"], ["Arlen", "61", "1850-03-01"], ["Bergum", "", "1912-05-04"]]
TOLD = "Town: Arlen; Height (m): 61; Opened: 1850-03-01.\n\nTown: Bergum; Opened: 1912-05-04."


def _csv(rows: list[list[str]], delimiter: str) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter).writerows(rows)
    return buffer.getvalue().encode()


def _xlsx() -> bytes:
    book = openpyxl.Workbook()
    assert book.active is not None
    for town, height, opened in ROWS:
        day = datetime.fromisoformat(opened) if opened[0].isdigit() and opened > "1900" else opened
        book.active.append([town, int(height) if height.isdigit() else height or None, day])
    packed = io.BytesIO()
    book.save(packed)
    return packed.getvalue()


def _html(before: str) -> bytes:
    cells = [
        "".join(f"<{tag}>{cell}</{tag}>" for cell in row) for tag, row in zip(["th", "td", "td"], ROWS, strict=True)
    ]
    rows = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<html><head><title>Towns</title></head><body>{before}<table>{rows}</table></body></html>".encode()


MARKDOWN = "Towns.\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in [ROWS[0], ["---", "--:", ":-:"], *ROWS[1:]])
LONG = "<p>This page is about towns in the valley, their heights and the years in which they were opened.</p>" * 5


@pytest.mark.parametrize(
    ("data", "ending"),
    [
        (_csv(ROWS, ","), ".csv"), (_csv(ROWS, ";"), ".csv"), (_csv(ROWS, "\t"), ".tsv"), (_xlsx(), ".xlsx"),
        (_html(""), ".html"), (_html(LONG), ".html"), (MARKDOWN.encode(), ".md"), (MARKDOWN.encode(), ".txt"),
    ],
)  # fmt: skip
def test_a_row_repeats_the_names_of_its_columns(data: bytes, ending: str) -> None:
    assert TOLD in read(data, ending).text


def test_a_row_begins_with_what_it_is_about() -> None:
    assert read(b"No.,Town,Opened\n1,Arlen,1850\n", ".csv").text == "Town: Arlen; No.: 1; Opened: 1850."
    assert read(b"Year,Town\n1850,Arlen\n", ".csv").text == "Year: 1850; Town: Arlen."


def test_of_rows_about_the_same_none_passes_for_all_there_is() -> None:
    told = read(b"Town,Opened\nArlen,1850\nArlen,1912\nBergum,1866\nBergum,1866\n,1777\n", ".csv").text.split("\n\n")
    assert told == [
        "Row: 1; Town: Arlen; Opened: 1850.", "Row: 2; Town: Arlen; Opened: 1912.",
        "Town: Bergum; Opened: 1866.", "Town: Bergum; Opened: 1866.", "Row: 5; Opened: 1777.",
    ]  # fmt: skip


def test_what_stands_alone_above_the_names_is_a_heading() -> None:
    title, text, _ = read(b"Heights of 2023,,\n,,\nTown,Height (m),Opened\nArlen,61,1850\n", ".csv")
    assert (title, text) == ("Heights of 2023", "Heights of 2023\n\nTown: Arlen; Height (m): 61; Opened: 1850.")
    assert read(b"text\nArlen is a town.\nBergum is one.\n", ".csv")[:2] == (
        "", "text: Arlen is a town.\n\ntext: Bergum is one."
    )  # fmt: skip


def test_a_cell_cannot_pass_for_two() -> None:
    assert read(b'Town,Note\nArlen,"old; Opened: 1777"\n', ".csv").text == "Town: Arlen; Note: old, Opened: 1777."


def test_text_with_pipes_that_is_no_table_stays_as_it_is() -> None:
    text = "a | b\nc | d\n\n| one |\nno rule"
    assert read(text.encode(), ".txt").text == text


def test_short_rows_below_many_columns_take_no_longer_each() -> None:
    def table(rows: int) -> bytes:
        return (",".join(["id"] * 3_000) + "\n" + "1\n" * rows).encode()

    assert steps(lambda: read(table(400), ".csv")) < 3 * steps(lambda: read(table(200), ".csv"))
