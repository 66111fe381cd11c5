"""Reading Word documents, tables and slides."""

import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from ...state.text.tables import as_sentences, heading_of

MAX_UNPACKED = 200 * 2**20
"""The most bytes that a compressed document may expand to."""
MAX_ROWS = 100_000
MAX_COLUMNS = 1_000
_MIDNIGHT = re.compile(r"(?<=\d) 00:00:00$")
"""What a date without a time ends with."""


class TooLarge(ValueError):
    """A document that expands to more than we read."""


def load(data: bytes, ending: str) -> tuple[str, str]:
    """Read an office document by its ending.

    Returns:
        Title and text; the title is empty if the document has none.

    Raises:
        TooLarge: If it expands to more than we read.
        Exception: If it is broken; there are as many kinds as ways to break a document.
    """
    _check_size(data)
    return _LOADERS[ending](data)


def table(text: str, delimiter: str = "") -> str:
    """The rows of a table, each as a paragraph that repeats the names of the columns."""
    first = text.partition("\n")[0]
    return as_sentences(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or max(",;\t|", key=first.count)))


def _docx(data: bytes) -> tuple[str, str]:
    import docx2txt

    return "", docx2txt.process(io.BytesIO(data))


def _xlsx(data: bytes) -> tuple[str, str]:
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # a file may say anything, and every row would be filled up to its last column
    sheets = [_sheet(islice(sheet.iter_rows(values_only=True), MAX_ROWS)) for sheet in book.worksheets]
    text = "\n\n".join(sheet for sheet in sheets if sheet)
    return str(book.properties.title or "") or heading_of(text), text


def _sheet(rows: Iterable[tuple[Any, ...]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    for row in rows:
        cells = row[:MAX_COLUMNS]
        if any(value is not None for value in cells):
            writer.writerow(["" if value is None else _MIDNIGHT.sub("", str(value)) for value in cells])
    return table(buffer.getvalue(), ",") if buffer.getvalue() else ""


def _pptx(data: bytes) -> tuple[str, str]:
    import pptx

    show = pptx.Presentation(io.BytesIO(data))
    slides = ["\n".join(line for line in _lines(slide.shapes) if line) for slide in show.slides]
    return str(show.core_properties.title or ""), "\n\n".join(slide for slide in slides if slide)


def _lines(shapes: Any) -> Iterator[str]:
    for shape in shapes:
        if shape.has_text_frame:
            yield from (paragraph.text.strip() for paragraph in shape.text_frame.paragraphs)
        elif getattr(shape, "has_table", False):
            rows = [[cell.text.strip() for cell in row.cells] for row in shape.table.rows]
            has_names = shape.table.first_row and len(rows) > 1
            yield as_sentences(rows) if has_names else "\n".join(" | ".join(row) for row in rows)
        elif hasattr(shape, "shapes"):  # a group
            yield from _lines(shape.shapes)


def _check_size(data: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        if sum(part.file_size for part in packed.infolist()) > MAX_UNPACKED:
            raise TooLarge


_LOADERS: dict[str, Callable[[bytes], tuple[str, str]]] = {".docx": _docx, ".pptx": _pptx, ".xlsx": _xlsx}
