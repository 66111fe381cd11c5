"""Documents of office programs and tables, made here and found in a folder."""

import io
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pptx
import pytest
from pptx.util import Inches

from errata.state import Context, Evidence
from errata.state.errors import ConfigurationError
from errata.tools import search_tool
from errata.tools.reading import library as library_module
from errata.tools.reading.documents import Unreadable, read
from errata.tools.reading.library import _library
from errata.tools.searches.local import LocalSearch

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
FERRY = "The ferry to Skorn leaves at noon."


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(library_module, "LOOK_AGAIN", 0.0)
    monkeypatch.setattr(library_module, "REST", 0.0)
    _library.cache_clear()
    yield
    _library.cache_clear()


def docx(*paragraphs: str) -> bytes:
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("word/document.xml", f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>')
    return written.getvalue()


def pptx_of(title: str, text: str) -> bytes:
    show = pptx.Presentation()
    show.core_properties.title = "Ferries"
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text, slide.placeholders[1].text = title, text
    cells = slide.shapes.add_table(1, 2, Inches(1), Inches(4), Inches(4), Inches(1)).table.rows[0].cells
    cells[0].text, cells[1].text = "Fare", "12 crowns"
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "No dogs."
    written = io.BytesIO()
    show.save(written)
    return written.getvalue()


def xlsx(*rows: tuple[object, ...]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


async def search(folder: Path, query: str) -> list[Evidence]:
    return await search_tool(Context(sources=str(folder))).search(query, 3)


@pytest.mark.parametrize(
    ("name", "data", "text", "title"),
    [
        ("timetable.docx", docx("Ferries", FERRY), f"Ferries\n\n{FERRY}", "timetable"),
        ("a.PPTX", pptx_of("Skorn", FERRY), f"Skorn\n{FERRY}\nFare | 12 crowns\nNo dogs.", "Ferries"),
        (
            "a.xlsx",
            xlsx(("ferry", "leaves", "fare"), ("Skorn", "noon", 12)),
            "ferry: Skorn; leaves: noon; fare: 12.",
            "a",
        ),
        ("a.csv", b"ferry,leaves,fare\nSkorn,noon,12\nArn,dawn,\n", "ferry: Skorn; leaves: noon; fare: 12.", "a"),
        ("semicolons.csv", b"ferry;leaves\nSkorn;noon, sharp\n", "ferry: Skorn; leaves: noon, sharp.", "semicolons"),
        ("a.tsv", "ferry\tleaves\nSkorn\tnoon – sharp\n".encode("utf-16"), "leaves: noon – sharp", "a"),
    ],
)
async def test_each_kind_is_found_by_what_it_says(folder: Path, name: str, data: bytes, text: str, title: str) -> None:
    (folder / name).write_bytes(data)
    (found,) = await search(folder, "ferry to Skorn at noon")
    assert text in found["text"]
    assert (found["title"], found["source"]) == (title, name)
    assert "None" not in found["text"]


def test_an_empty_cell_says_nothing_and_one_too_many_is_kept() -> None:
    assert read(b"a,b\n1,\n2\n3,4,5\n", ".csv").text == "a: 1.\n\na: 2.\n\na: 3; b: 4; more: 5."


@pytest.mark.parametrize(
    ("ending", "data", "says"),
    [
        (".docx", b"nothing", "broken .docx"),
        (".docx", docx(FERRY)[:-40], "broken .docx"),
        (".pptx", docx(FERRY), "broken .pptx"),
        (".xlsx", docx(FERRY), "broken .xlsx"),
        (".docx", b"\xd0\xcf\x11\xe0 and so on", "without a password"),
        (".docx", docx(""), "no text in it"),
        (".docx", docx(" " * 2**20 * 201), "expands to more than 200 MB"),
        (".csv", b"only,a,heading\n", "no text in it"),
        (".csv", b"a,b\n" + b"x" * 200_000 + b",1\n", "broken table"),
    ],
)
def test_what_cannot_be_read_says_why(ending: str, data: bytes, says: str) -> None:
    with pytest.raises(Unreadable, match=says):
        read(data, ending)


async def test_without_the_extra_a_document_is_named_and_read_once_it_is_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "other.txt").write_text("The bridge is closed.")
    (folder / "timetable.docx").write_bytes(docx(FERRY))
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "docx2txt", None)
        assert await search(folder, "ferry") == []
        tool = search_tool(Context(sources=str(folder)))
        assert isinstance(tool, LocalSearch)
        (skipped,) = tool.skipped
        assert skipped.path == "timetable.docx"
        assert skipped.reason == "needs docx2txt: run `pip install 'errata[office]'`"
    _library.cache_clear()
    assert [piece["source"] for piece in await search(folder, "ferry")] == ["timetable.docx"]


def test_a_folder_of_nothing_else_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docx2txt", None)
    (folder / "timetable.docx").write_bytes(docx(FERRY))
    with pytest.raises(
        ConfigurationError, match=r"timetable\.docx: needs docx2txt: run `pip install 'errata\[office\]'`"
    ):
        search_tool(Context(sources=str(folder)))
