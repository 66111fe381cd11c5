"""Reading a document of any kind into a title and plain text."""

import csv
import io
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from ...state.text.tables import as_sentences, heading_of, without_pipes
from ..extras import lacking

MAX_PDF_PAGES = 2_000
MAX_PAGE = 1_000_000
MAX_FRONT_MATTER = 10_000
"""The most characters read of a web page, or of what precedes the text in Markdown."""
MAX_BRACKETS = 200
"""The deepest nesting of brackets in front matter, where YAML becomes slow."""
HARMLESS = 50_000
"""The size in bytes up to which plain text takes only milliseconds to read."""
DOCUMENT_FORMAT = "5"
"""Increased whenever reading, cutting or tokenising changes, so that documents are read again."""
SHORT = 200
"""The size in characters below which the main text is ignored and the whole web page is used."""


def lacking_for(ending: str) -> str:
    """What has to be installed to read documents with an ending, in a few words; empty if nothing is missing."""
    return lacking("office", OFFICE[ending]) if ending in OFFICE else ""


class Unreadable(Exception):
    """A document that cannot be read; the message is the reason, in a few words."""


class Document(NamedTuple):
    """The text of a document, and what it says about itself."""

    title: str
    """Empty if the document has no title of its own."""
    text: str
    sources: tuple[str, ...] = ()
    """The addresses in the front matter."""


PLAIN = (".txt", ".md")
"""Endings of documents that are read as fast as a copy of what was read."""


def is_harmless(data: bytes, ending: str) -> bool:
    """Whether a document is so plain and short that reading it takes almost no time."""
    return ending in PLAIN and len(data) <= HARMLESS and b"|" not in data


def read(data: bytes, ending: str) -> Document:
    """Read the bytes of a document by its file name ending, one of ENDINGS. Raises Unreadable."""
    if reason := lacking_for(ending):
        raise Unreadable(reason)
    document = _READERS[ending](data)
    document = document._replace(text=without_pipes(document.text))
    if not document.text.strip():
        raise Unreadable("no text in it")
    return document


def read_page(data: bytes, kind: str, charset: str) -> Document:
    """Read the bytes of a web page by its content type, one of PAGES.

    The server's information about the encoding takes precedence over a guess.

    Raises:
        Unreadable: With the reason.
    """
    if charset and kind != "application/pdf":
        with suppress(LookupError, ValueError):
            data = data.decode(charset).encode()
    document = read(data, PAGES[kind])
    return document._replace(text=document.text[:MAX_PAGE])


def read_plain(data: bytes) -> Document:
    """Read a plain text."""
    return Document("", decode(data))


def read_markdown(data: bytes) -> Document:
    """Read Markdown: the text without marks. The title is that of the front matter, or the first heading."""
    text = decode(data)
    matter, body = _front_matter(text)
    heading = _HEADING.search(body)
    title_field = matter.get("title")
    title = title_field if isinstance(title_field, str) and title_field else _words(heading) if heading else ""
    sources = matter.get("sources") or matter.get("source") or []
    source_list = sources if isinstance(sources, list) else [sources]
    # Only plain values: nested lists through anchors would be endless when they are written out.
    return Document(
        _without_marks(title), _without_marks(body), tuple(source for source in source_list if isinstance(source, str))
    )


_BLOCKS = """address article aside blockquote body br caption dd details div dl dt fieldset figcaption figure footer
    form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table td th tr ul""".split()
_BREAK = "\u2029"
"""A paragraph separator, because line feeds mean nothing in HTML."""


def read_html(data: bytes) -> Document:
    """Read the main text of a page, or all of its text if that is short. Raises Unreadable."""
    trafilatura = _trafilatura()
    if b"\x00" in data[:1024] and not data.startswith(_UTF16):
        raise Unreadable("binary content")
    try:
        html = decode(data) if data.startswith(_MARKED) else trafilatura.utils.decode_file(data)
        if not _HTML.search(html):  # a fragment, which it would not recognise as HTML
            html = f"<html>{html}</html>"
        tree = trafilatura.load_html(html)
        # Only the title: the rest of what it knows about a page, above all its date, takes as long as the text.
        title = trafilatura.metadata.examine_meta(tree).title or trafilatura.metadata.extract_title(tree)
        extract = trafilatura.bare_extraction(tree, include_comments=False)
        text = (extract.text if extract else "") or ""
        if len(text) < SHORT:  # a short page has no main text that stands out: all of it is better than nothing
            text = _all_text(trafilatura.load_html(html)) or text
    except Exception as error:  # there are as many kinds as ways to break a page
        raise Unreadable(f"broken HTML ({type(error).__name__})") from error
    return Document(title or "", text)


def _all_text(tree: Any) -> str:
    """All text of a page, a paragraph for each block; marks within a sentence break none."""
    for hidden in list(tree.iter("script", "style", "noscript", "template", "head")):
        hidden.drop_tree()
    for each in tree.iter("table"):
        _tell_rows(each)
    for block in tree.iter(*_BLOCKS):
        block.text, block.tail = f"{_BREAK}{block.text or ''}", f"{_BREAK}{block.tail or ''}"
    return "\n\n".join(filter(None, (" ".join(part.split()) for part in tree.text_content().split(_BREAK))))


def _tell_rows(table: Any) -> None:
    """Put sentences in the place of a table whose first row has the names of its columns, and nothing else."""
    rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")]
    if len(rows) > 1 and len(rows[0]) > 1 and all(cell.tag == "th" for cell in rows[0]):
        text = as_sentences([[cell.text_content() for cell in row] for row in rows])
        for child in list(table):
            table.remove(child)
        table.text = text.replace("\n\n", _BREAK)


def read_pdf(data: bytes) -> Document:
    """Read the first MAX_PDF_PAGES pages of a PDF. Raises Unreadable."""
    import pypdf

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it reports each oddity of a file; we report what is skipped
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("encrypted")
        pages = [page.extract_text() for page in reader.pages[:MAX_PDF_PAGES]]
        title = str((reader.metadata.title if reader.metadata else "") or "")
    except Unreadable:
        raise
    except Exception as error:  # there are as many kinds as ways to break a PDF
        raise Unreadable(f"broken PDF ({type(error).__name__})") from error
    if not any(page.strip() for page in pages):
        raise Unreadable("no text in it (a scan?)")
    return Document(title, "\n\n".join(pages))


def read_table(data: bytes) -> Document:
    """Read a table of comma-separated values. Raises Unreadable."""
    from .office import table

    try:
        text = table(decode(data))
        return Document(heading_of(text), text)
    except csv.Error as error:
        raise Unreadable(f"broken table ({error})") from error


def read_office(ending: str) -> Callable[[bytes], Document]:
    """Make the reader for documents of an office program."""

    def read_document(data: bytes) -> Document:
        from .office import MAX_UNPACKED, TooLarge, load

        if data.startswith(_OLE):
            raise Unreadable(f"encrypted, or of an older format: save it as {ending} without a password")
        try:
            return Document(*load(data, ending))
        except TooLarge:
            raise Unreadable(f"expands to more than {MAX_UNPACKED // 2**20} MB") from None
        except Exception as error:  # there are as many kinds as ways to break a document
            raise Unreadable(f"broken {ending} ({type(error).__name__})") from error

    return read_document


def decode(data: bytes) -> str:
    """Text of unknown encoding: UTF-8, UTF-16 with a byte order mark, or otherwise Western European."""
    if data.startswith(_UTF16):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError as error:
            raise Unreadable("broken UTF-16") from error
    if len(_BINARY.findall(data[:8_192])) > len(data[:8_192]) / 100:
        raise Unreadable("binary content")
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


OFFICE = {".docx": "docx2txt", ".pptx": "pptx", ".xlsx": "openpyxl"}
"""Office documents, and the package that reads them; all packages are in the extra `office`."""
_OLE = b"\xd0\xcf\x11\xe0"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MARKED = (*_UTF16, b"\xef\xbb\xbf")
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_HTML = re.compile(r"<(?:html|body)\b", re.IGNORECASE)
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_HEADING = re.compile(r"^#[ \t]+([^\n]*)", re.MULTILINE)
_HEADINGS = re.compile(r"^#{1,6}[ \t]+([^\n]*)", re.MULTILINE)
# The bounds keep repeated openings without an end from being searched to the end of the text each time.
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^)\s]{0,500}(?:[ \t]{1,9}\"[^\"\n]{0,300}\")?\)")
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.{1,500}?)(?<=\S)\1")


def _front_matter(text: str) -> tuple[dict[str, Any], str]:
    import yaml

    match = _FRONT_MATTER.match(text, 0, MAX_FRONT_MATTER)
    if not match or match[1].count("[") + match[1].count("{") > MAX_BRACKETS:
        return {}, text
    try:
        matter = yaml.load(match[1], yaml.BaseLoader)  # noqa: S506  It makes nothing but strings, lists and mappings.
    except (yaml.YAMLError, RecursionError):
        return {}, text
    return (matter, text[match.end() :]) if isinstance(matter, dict) else ({}, text)


def _without_marks(text: str) -> str:
    """Markdown as a person reads it: links as their text, headings as separate paragraphs, no bold marks."""
    text = _LINK.sub(r"\1", "".join(_outside_comments(text)))
    text = _HEADINGS.sub(lambda heading: f"{_words(heading)}\n", text)
    return _BOLD.sub(r"\2", text)


def _outside_comments(text: str) -> Iterator[str]:
    """The stretches of a text between comments. A comment that is never closed is not one."""
    start = 0
    while (opened := text.find("<!--", start)) >= 0 and (closed := text.find("-->", opened + 4)) >= 0:
        yield text[start:opened]
        start = closed + 3
    yield text[start:]


def _words(heading: re.Match[str]) -> str:
    """The words of a heading, without number signs that close it."""
    return heading[1].rstrip(" \t").rstrip("#").rstrip(" \t") or heading[1]


def _trafilatura() -> Any:
    import trafilatura.metadata

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # it logs an error for every page without a main text
    return trafilatura


_READERS: dict[str, Callable[[bytes], Document]] = {
    ".txt": read_plain,
    ".md": read_markdown,
    ".html": read_html,
    ".htm": read_html,
    ".pdf": read_pdf,
    ".csv": read_table,
    ".tsv": read_table,
    **{ending: read_office(ending) for ending in OFFICE},
}
ENDINGS = tuple(_READERS)
READ_KINDS = f"errata reads plain text, and files ending in {', '.join(ENDINGS)}"
"""The end of a message about a file that cannot be read."""
PAGES = {"text/html": ".html", "application/xhtml+xml": ".html", "text/plain": ".txt", "application/pdf": ".pdf"}
"""The content types of web pages that are read, and the matching file name endings."""
