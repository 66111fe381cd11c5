"""How long it takes to index a folder of documents: `python -m benchmarks.index --documents 3000`.

Cold is a first run, warm is the next process on the same folder, and then one document of the folder changes.
"""

import argparse
import random
import tempfile
from itertools import accumulate
from pathlib import Path

from typing_extensions import TypedDict

from errata.tools.reading.library import Library

from .timing import memory, timed

ASKED = (2, 30, 400, 5_000)
"""The ranks of the words of the query, by how common they are."""


class Searched(TypedDict):
    """What it takes to search a folder, in seconds."""

    documents: int
    size: int
    """Of the folder, in bytes."""
    cold: float
    warm: float
    changed: float
    first: float
    """A query right after that, which reads parts of the index from the disk."""
    query: float
    peak: float
    """Megabytes of the process at most."""


def main() -> None:
    options = _options()
    found = searched(options.documents, options.html, options.pdf)
    print(f"{found['documents']} documents ({options.html} HTML, {options.pdf} PDF), {found['size'] / 2**20:.1f} MB")
    print(f"            cold: {found['cold']:.3f} s")
    print(f"            warm: {found['warm']:.3f} s")
    print(f"one file changed: {found['changed']:.3f} s")
    print(f"   a first query: {found['first']:.3f} s")
    print(f"         a query: {found['query']:.3f} s")
    print(f"memory at most: {found['peak']:.0f} MB")


def searched(documents: int, html: int = 0, pdf: int = 0) -> Searched:
    """Search a folder of so many documents, some of them HTML and PDF. Raises RuntimeError if they are not found."""
    with tempfile.TemporaryDirectory(prefix="errata-bench-") as temporary:
        folder, cache = Path(temporary, "documents"), Path(temporary, "cache")
        size = write_documents(folder, documents, html, pdf)
        Library(folder / "warm-up", cache / "warm-up", cites=False)  # imports, so that they are not measured
        query = " ".join(_words()[rank] for rank in ASKED)
        times: list[float] = []
        for change in ("", "", "# Changed\n\nThe harbour report was written again."):
            if change:
                (folder / "0" / "0.md").write_text(change, encoding="utf-8")
            with timed(times):
                library = Library(folder, cache, cites=False)
        for _ in range(2):
            with timed(times):
                hits = library.search(query, 5)
            if len(hits) < 5:
                raise RuntimeError(f"the query found {len(hits)} passages")
        cold, warm, changed, first, again = times
    return Searched(
        documents=documents, size=size, cold=cold, warm=warm, changed=changed, first=first, query=again,
        peak=memory().peak,
    )  # fmt: skip


def write_documents(folder: Path, count: int, html: int, pdf: int) -> int:
    """Write documents of about 5 kB each in words that are as common as words are; returns their size in bytes."""
    chance, words = random.Random(2), _words()
    weights = list(accumulate(1 / (rank + 1) for rank in range(len(words))))
    (folder / "warm-up").mkdir(parents=True)
    (folder / "warm-up" / "page.md").write_text("Warm words.", encoding="utf-8")
    size = 0
    for number in range(count):
        paragraphs = [_paragraph(chance, words, weights) for _ in range(8)]
        path = folder / str(number % 50) / str(number)
        path.parent.mkdir(exist_ok=True)
        if number < html:
            data, ending = _html(number, paragraphs), ".html"
        elif number < html + pdf:
            data, ending = write_pdf(paragraphs), ".pdf"
        else:
            data, ending = "\n\n".join([f"# Page {number}", *paragraphs]).encode(), ".md"
        path.with_suffix(ending).write_bytes(data)
        size += len(data)
    return size


def _words() -> list[str]:
    """Words, the most common first."""
    chance = random.Random(1)
    return ["".join(chance.choices("etaoinshrdlucmfw", k=chance.randint(2, 10))) for _ in range(30_000)]


def _paragraph(chance: random.Random, words: list[str], weights: list[float]) -> str:
    return " ".join(" ".join(chance.choices(words, cum_weights=weights, k=15)).capitalize() + "." for _ in range(6))


def _html(number: int, paragraphs: list[str]) -> bytes:
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    head = f"<title>Page {number}</title>"
    return f"<!doctype html><html><head>{head}</head><body><article>{body}</article></body></html>".encode()


def write_pdf(paragraphs: list[str]) -> bytes:
    """A PDF of one page."""
    lines = " ".join(f"({text}) Tj T*" for text in paragraphs)
    stream = f"BT /F1 10 Tf 12 TL 20 800 Td {lines} ET"
    resources = "/Resources<</Font<</F1 5 0 R>>>>"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 820]/Contents 4 0 R{resources}>>",
        f"<</Length {len(stream)}>>stream\n{stream}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    body, offsets = "%PDF-1.4\n", []
    for number, text in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj{text}endobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    trailer = f"trailer<</Root 1 0 R/Size {size}>>\nstartxref\n{len(body)}\n%%EOF\n"
    return f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=3_000)
    parser.add_argument("--html", type=int, default=0, help="how many of them are HTML")
    parser.add_argument("--pdf", type=int, default=0, help="how many of them are PDF")
    return parser.parse_args()


if __name__ == "__main__":
    main()
