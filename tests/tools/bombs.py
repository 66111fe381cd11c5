"""Documents that take far more to read than to write. They are made when they are asked for: none is kept."""

import io
import zipfile
import zlib

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MB = 2**20


def attributes(count: int = 200_000) -> bytes:
    """A page of one tag with many attributes, each of which is compared with those before."""
    return b"<html><body><p " + b" ".join(b"a%d=1" % number for number in range(count)) + b">Noon.</p></body></html>"


def nested(tag: str = "div", depth: int = 60_000) -> bytes:
    """A page of tags in tags."""
    return f"<html><body>{f'<{tag}>' * depth}Noon.{f'</{tag}>' * depth}</body></html>".encode()


def unclosed() -> bytes:
    """A page of tags, comments and quotes that never end."""
    return b"<html><body>" + b"<a href='<!-- <b \"" * 50_000


def zipped(name: str, size: int, beginning: bytes = b"") -> bytes:
    """An archive of a few kilobytes, one part of which unpacks to so many bytes."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(name, beginning + b" " * size)
    return written.getvalue()


def lying(name: str, size: int) -> bytes:
    """An archive that says of its part that it is small."""
    packed = zipped(name, size)
    place = packed.rindex(b"PK\x01\x02") + 24
    return packed[:place] + (100).to_bytes(4, "little") + packed[place + 4 :]


def entities(ending: str) -> bytes:
    """A document whose XML has a name for ten of a name for ten, and so on: a kilobyte that stands for gigabytes."""
    names = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(10))
    head = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "Noon and noon. ">{names}]>'
    part = {".docx": "word/document.xml", ".xlsx": "xl/workbook.xml", ".pptx": "[Content_Types].xml"}[ending]
    body = f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>&a10;</w:t></w:r></w:p></w:body></w:document>'
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as packed:
        packed.writestr(part, head + body)
    return written.getvalue()


def pdf(stream: bytes, filters: str) -> bytes:
    """A PDF of one page with this content."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 820]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Filter[%s]/Length %d>>stream\n%s\nendstream" % (filters.encode(), len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    body = b"%PDF-1.4\n" + b"".join(b"%d 0 obj%sendobj\n" % item for item in enumerate(objects, start=1))
    return body + b"trailer<</Root 1 0 R/Size 6>>\n%%EOF\n"


def pdf_of_steps(steps: int = 3_000_000) -> bytes:
    """A PDF of some kilobytes whose one page sets very many words."""
    content = b"BT /F1 10 Tf " + b"(Noon.) Tj T* " * steps + b"ET"
    return pdf(zlib.compress(content, 9), "/FlateDecode")


def pdf_packed_twice(size: int = 200 * MB) -> bytes:
    """A PDF of some kilobytes whose page is packed and packed again."""
    packing = zlib.compressobj(9)
    once = b"".join(packing.compress(b" " * MB) for _ in range(size // MB)) + packing.flush()
    return pdf(zlib.compress(once, 9), "/FlateDecode/FlateDecode")


def pages_of_pages(depth: int = 2_000) -> bytes:
    """A PDF whose tree of pages goes round in a circle."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>"]
    objects += [b"<</Type/Pages/Kids[%d 0 R %d 0 R]/Count 9>>" % (number + 1, number + 1) for number in range(2, depth)]
    objects += [b"<</Type/Pages/Kids[2 0 R]/Count 1>>"]
    body = b"%PDF-1.4\n" + b"".join(b"%d 0 obj%sendobj\n" % item for item in enumerate(objects, start=1))
    return body + b"trailer<</Root 1 0 R/Size %d>>\n%%%%EOF\n" % (depth + 1)


def giant_field() -> bytes:
    """A table with a cell that never ends."""
    return b'name,leaves\nferry,"' + b"noon," * MB


def many_columns() -> bytes:
    """A table of more columns and rows than can be multiplied."""
    return b"a," * 100_000 + b"\n" + b"1\n" * 100_000


def many_cells(millions: int) -> bytes:
    """A row of so many million cells."""
    return b"ab," * (millions * 10**6)


def aliases() -> bytes:
    """Markdown whose front matter names ten of ten of ten, and so on."""
    lines = ["a0: &a0 [noon]"] + [f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 10)}]" for n in range(12)]
    return "\n".join(["---", *lines, "title: *a12", "sources: *a12", "---", "The ferry leaves at noon."]).encode()


def brackets() -> bytes:
    """Markdown whose front matter opens more lists than Python can count on its stack."""
    return b"---\ntitle: " + b"[" * 9_000 + b"]" * 9_000 + b"\n---\nThe ferry leaves at noon."
