"""Searching a folder of documents, as its owner sees it."""

import asyncio
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.index import write_pdf
from errata.state import Context, Evidence
from errata.state.errors import ConfigurationError, ToolError
from errata.state.runs.cache import disk_cache
from errata.tools import SearchError, search_tool
from errata.tools.reading import documents
from errata.tools.reading import library as library_module
from errata.tools.reading.folder import scan
from errata.tools.reading.index import MAX_SENTENCES
from errata.tools.reading.library import _library
from errata.tools.reading.workers import calls
from errata.tools.searches.local import LocalSearch


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(library_module, "LOOK_AGAIN", 0.0)
    monkeypatch.setattr(library_module, "REST", 0.0)
    _library.cache_clear()
    yield
    _library.cache_clear()


@pytest.fixture
def read_files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Endings of the documents that are really read, in order."""
    seen: list[str] = []
    read = documents.read

    def reading(data: bytes, ending: str) -> Any:
        seen.append(ending)
        return read(data, ending)

    monkeypatch.setattr(library_module, "read", reading)
    return seen


def made(folder: Path) -> LocalSearch:
    tool = search_tool(Context(sources=str(folder)))
    assert isinstance(tool, LocalSearch)
    return tool


async def search(folder: Path, query: str, limit: int = 5) -> list[Evidence]:
    return await made(folder).search(query, limit)


def reasons(folder: Path) -> dict[str, str]:
    return {skipped.path: skipped.reason for skipped in made(folder).skipped}


async def test_the_shipped_corpus_answers_and_cites_its_sources() -> None:
    found = await search_tool(Context()).search("Who was the second person to walk on the Moon?", 3)
    assert found[0]["title"] == "Apollo 11"
    assert found[0]["source"].startswith("https://")
    assert "Buzz Aldrin" in found[0]["text"]
    assert found[0]["score"] > found[-1]["score"] > 0
    assert len({item["source"] for item in found}) == 3


@pytest.mark.parametrize(
    ("name", "data", "title"),
    [
        ("a.txt", b"The ferry to Skorn leaves at noon.", "a"),
        ("tide_table-2020.txt", b"The ferry to Skorn leaves at noon.", "tide table 2020"),
        (
            "b.MD",
            b"# The **Skorn** ferry\n\nThe [ferry](http://x.example/y) to Skorn leaves at noon.",
            "The Skorn ferry",
        ),
        (
            "c.md",
            b"---\ntitle: Ferries\nsources: [https://a.example]\n---\nThe ferry to Skorn leaves at noon.",
            "Ferries",
        ),
        ("d.md", b"---\nnot: [yaml\n---\nThe ferry to Skorn leaves at noon.", "d"),
        ("e.html", b"<title>Ferries</title><p>The ferry to Skorn leaves at noon.</p>", "Ferries"),
        ("f.htm", b"<html><body><p>The ferry to Skorn leaves at noon.</p></body></html>", "f"),
        ("fragment.html", b"\xef\xbb\xbf<p>The ferry to Skorn leaves at noon.</p>", "fragment"),
        ("utf16.html", "<p>The ferry to Skorn leaves at noon.</p>".encode("utf-16"), "utf16"),
        ("g.pdf", write_pdf(["The ferry to Skorn leaves at noon."]), "g"),
        ("h.txt", b"\xef\xbb\xbfThe ferry to Skorn leaves at noon.", "h"),
        ("i.txt", "The ferry to Skorn leaves at noon.".encode("utf-16"), "i"),
        ("j.txt", "The ferry to Skorn leaves at noon. Café.".encode("latin-1"), "j"),
        ("deep/er/k.txt", b"The ferry to Skorn leaves at noon.", "k"),
    ],
)
async def test_every_kind_of_file_is_found(folder: Path, name: str, data: bytes, title: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    (found,) = await search(folder, "when does the ferry leave?")
    assert "The ferry to Skorn leaves at noon." in found["text"]
    assert found["source"] == name
    assert found["title"] == title
    assert "http://x.example" not in found["text"]


async def test_letters_of_another_alphabet_survive(folder: Path) -> None:
    (folder / "latin.txt").write_bytes("Søren drank café au lait.".encode("latin-1"))
    assert "Søren drank café" in (await search(folder, "Søren"))[0]["text"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("东京是日本的首都。东京有一千四百万人口。", "日本的首都是哪里"),
        ("서울은 대한민국의 수도이다. 서울의 인구는 약 940만 명이다.", "대한민국의 수도는 어디인가"),
    ],
)
async def test_scripts_without_spaces(folder: Path, text: str, query: str) -> None:
    (folder / "capital.txt").write_text(text, encoding="utf-8")
    (folder / "other.txt").write_text("长江很长。 한강은 길다.", encoding="utf-8")
    found = await search(folder, query)
    assert found[0]["source"] == "capital.txt"
    assert found[0]["text"] == text


async def test_what_cannot_be_read_is_named_with_the_reason(folder: Path, tmp_path: Path) -> None:
    (folder / "good.txt").write_text("A good text.")
    (folder / "empty.txt").write_text(" \n")
    (folder / "symbols.txt").write_text("*** --- ***")
    (folder / "binary.txt").write_bytes(bytes(range(256)) * 40)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 and then nothing")
    (folder / "encrypted.pdf").write_bytes(encryptedwrite_pdf())
    (folder / "large.txt").write_bytes(b"word " * (5 * 2**20))
    outside = tmp_path / "outside.txt"
    outside.write_text("A secret of the neighbour's.")
    (folder / "link.txt").symlink_to(outside)
    (folder / "dangling.txt").symlink_to(folder / "nowhere.txt")
    os.mkfifo(folder / "pipe.txt")
    (folder / "picture.png").write_bytes(b"not of a kind that we read")
    named = reasons(folder)
    assert named["empty.txt"] == "no text in it"
    assert named["symbols.txt"] == "no words in it"
    assert named["binary.txt"] == "binary content"
    assert named["broken.pdf"].startswith("broken PDF")
    assert named["encrypted.pdf"] == "encrypted"
    assert named["large.txt"] == "larger than 20 MB"
    assert named["link.txt"] == "a link that leads out of the folder"
    assert "no such file" in named["dangling.txt"]
    assert named["pipe.txt"] == "not a regular file"
    assert len(named) == 9
    assert await search(folder, "secret of the neighbour") == []
    assert reasons(folder) == named  # also where the index comes from the cache
    _library.cache_clear()
    assert reasons(folder) == named


async def test_a_link_that_leads_nowhere_costs_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "good.txt").write_text("The Fenwick Bridge was opened in 1907.")
    for name in ("self", "self.txt"):
        (folder / name).symlink_to(folder / name)
    (folder / "long").symlink_to("x" * 300)
    assert await search(folder, "Fenwick Bridge")
    assert reasons(folder) == {
        "self": "too many levels of symbolic links",
        "self.txt": "too many levels of symbolic links",
        "long": "file name too long",
    }


async def test_a_name_that_is_not_utf8_costs_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / os.fsdecode(b"sub\xff")).mkdir(parents=True)
    (folder / os.fsdecode(b"sub\xff") / "in.txt").write_text("The Fenwick Bridge is long.")
    (folder / os.fsdecode(b"bad\xff.txt")).write_text("The Fenwick Bridge is green.")
    (folder / "gr\u00fcn.txt").write_text("The Fenwick Bridge was opened in 1907.")
    assert await search(folder, "Fenwick Bridge")
    assert reasons(folder) == {"bad\\xff.txt": "its name is not UTF-8", "sub\\xff/in.txt": "its name is not UTF-8"}


def test_links_out_of_the_folder_are_not_walked(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "secret.txt").write_text("A secret.")
    (folder / "other").symlink_to(tmp_path / "other")
    (folder / ".git").mkdir()
    (folder / ".git" / "notes.txt").write_text("Hidden.")
    with pytest.raises(ConfigurationError):
        made(folder)


def test_a_folder_with_nothing_to_read(folder: Path) -> None:
    (folder / "scan.pdf").write_bytes(b"nothing")
    with pytest.raises(ConfigurationError) as error:
        made(folder)
    assert str(folder) in str(error.value)
    assert "scan.pdf: broken PDF" in str(error.value)
    assert all(ending in str(error.value) for ending in (".txt", ".md", ".html", ".htm", ".pdf"))


def test_no_such_folder(folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no file or folder"):
        made(folder / "missing")


async def test_nothing_known_is_an_empty_list(folder: Path) -> None:
    (folder / "a.txt").write_text("The ferry leaves at noon.")
    assert await search(folder, "xylophone") == []
    assert await search(folder, "  ") == []
    assert await search(folder, "the of and") == []


async def test_one_result_per_page_with_its_best_parts_in_order(folder: Path) -> None:
    weather = "was mild and nothing was noted in the log of the harbour"
    filler = [f"The weather on day {day} {weather}." for day in range(200)]
    filler[65] = "Captain Ravn bought the ferry."
    filler[145] = "Ravn sold the ferry."
    (folder / "log.txt").write_text(" ".join(filler))
    (folder / "other.txt").write_text("Ravn was born in Skorn.")
    found = await search(folder, "When did Ravn sell the ferry?", 5)
    assert [item["source"] for item in found] == ["log.txt", "other.txt"]
    text = found[0]["text"]
    assert text.index("Ravn bought the ferry") < text.index("Ravn sold the ferry")
    assert text.count("Ravn sold the ferry") == 1
    assert text.count(".") <= MAX_SENTENCES


async def test_a_title_is_searched_too(folder: Path) -> None:
    (folder / "skorn-ferry.txt").write_text("It leaves at noon.")
    (folder / "other.txt").write_text("It leaves at midnight.")
    assert [item["source"] for item in await search(folder, "Skorn ferry")] == ["skorn-ferry.txt"]


async def test_copies_of_a_page_count_once(folder: Path) -> None:
    for name in "abc":
        (folder / f"{name}.txt").write_text("The ferry leaves at noon.")
    assert len(await search(folder, "ferry")) == 1


async def test_only_a_changed_file_is_read_again(folder: Path, read_files: list[str]) -> None:
    (folder / "a.txt").write_text("The ferry leaves at noon.")
    (folder / "b.md").write_text("The harbour closes at night.")
    tool = made(folder)
    assert sorted(read_files) == [".md", ".txt"]
    (folder / "b.md").write_text("The harbour closes at dusk, since the storm.")
    found = await tool.search("when does the harbour close", 1)
    assert "at dusk" in found[0]["text"]
    assert read_files[2:] == [".md"]
    (folder / "a.txt").unlink()
    assert await tool.search("ferry", 1) == []
    assert read_files[3:] == []


def test_a_search_does_not_wait_while_another_looks_for_changes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a.txt").write_text("The ferry to Skorn leaves at noon.")
    documents = library_module.Library(folder, folder / ".cache", cites=False)
    looking, may_end = threading.Event(), threading.Event()

    def slow(*arguments: Any) -> Any:
        looking.set()
        assert may_end.wait(30)
        return scan(*arguments)

    (folder / "b.txt").write_text("The ferry to Skorn leaves at dawn.")
    monkeypatch.setattr(library_module, "scan", slow)
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(documents.search, "ferry", 5)
        assert looking.wait(30)
        try:
            assert len(documents.search("ferry", 5)) == 1
        finally:
            may_end.set()
        assert len(first.result()) == 2


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that stands still, except that it takes a minute to look through a folder."""
    clock = SimpleNamespace(now=0.0, scans=0, changes=False)

    def slow(*arguments: Any) -> Any:
        clock.now += 60
        clock.scans += 1
        if clock.changes:
            raise library_module._Changed
        return scan(*arguments)

    monkeypatch.setattr(library_module, "scan", slow)
    monkeypatch.setattr(library_module, "time", SimpleNamespace(monotonic=lambda: clock.now, time_ns=time.time_ns))
    monkeypatch.setattr(library_module, "REST", 10.0)
    return clock


def test_the_longer_it_took_to_look_for_changes_the_later_somebody_looks_again(
    folder: Path, clock: SimpleNamespace
) -> None:
    (folder / "a.txt").write_text("The ferry to Skorn leaves at noon.")
    documents = library_module.Library(folder, folder / ".cache", cites=False)
    for later, scans in (0, 2), (599, 2), (1, 3), (599, 3), (1, 4):
        clock.now += later
        documents.search("ferry", 5)
        assert clock.scans == scans


def test_a_folder_that_always_changes_is_not_always_read(folder: Path, clock: SimpleNamespace) -> None:
    (folder / "a.txt").write_text("The ferry to Skorn leaves at noon.")
    documents = library_module.Library(folder, folder / ".cache", cites=False)
    clock.changes = True
    with pytest.raises(ToolError, match="keeps changing"):
        documents.search("ferry", 5)
    scans = clock.scans
    assert len(documents.search("ferry", 5)) == 1
    assert clock.scans == scans


async def test_a_file_that_changes_while_it_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a.txt").write_text("The ferry leaves at noon.")
    find = disk_cache

    def change(*settings: Any) -> Any:
        (folder / "a.txt").write_text("The ferry leaves at midnight.")
        return find(*settings)

    monkeypatch.setattr(library_module, "disk_cache", change)
    assert "midnight" in (await search(folder, "ferry"))[0]["text"]


def test_ten_who_ask_at_once_read_once(folder: Path, read_files: list[str]) -> None:
    (folder / "a.txt").write_text("The ferry leaves at noon.")
    with ThreadPoolExecutor(10) as threads:
        list(threads.map(made, [folder] * 10))
    assert read_files == [".txt"]


async def test_another_process_reads_nothing(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_files: list[str] = []

    def noted(function: Any, contents: Iterator[tuple[bytes, str]], *limits: Any) -> Any:
        listed = list(contents)
        read_files.extend(ending for _, ending in listed)
        return calls(function, iter(listed), *limits)

    monkeypatch.setattr(library_module, "calls", noted)
    (folder / "a.html").write_text("<p>The ferry leaves at noon.</p>")
    (folder / "b.txt").write_text("The harbour closes at night.")
    before = await search(folder, "ferry")
    assert sorted(read_files) == [".html", ".txt"]
    _library.cache_clear()
    assert await search(folder, "ferry") == before
    assert len(read_files) == 2
    shutil.copytree(folder, tmp_path / "copy")
    assert await search(tmp_path / "copy", "ferry") == before
    assert read_files[2:] == [".txt"], "what takes a while to read is not read again elsewhere either"


async def test_another_process_reads_only_what_changed(folder: Path, read_files: list[str]) -> None:
    for name in "abc":
        (folder / f"{name}.txt").write_text(f"The ferry {name} leaves at noon.")
    before = made(folder)
    _library.cache_clear()
    (folder / "b.txt").write_text("The harbour closes at night.")
    (folder / "c.txt").unlink()
    assert [found["source"] for found in await search(folder, "harbour")] == ["b.txt"]
    assert [found["source"] for found in await search(folder, "ferry")] == ["a.txt"]
    assert len(read_files) == 4
    assert [found["source"] for found in await before.search("ferry", 5)] == ["a.txt"], "the first process sees it, too"
    assert len(read_files) == 4


CHANGES = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from(["", "ferry noon", "ferry ferry", "harbour at night", "storm"])),
    max_size=8,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=CHANGES)
def test_an_index_that_changed_finds_what_a_new_one_does(tmp_path_factory: Any, changes: list[tuple[str, str]]) -> None:
    folder = tmp_path_factory.mktemp("changing")
    (folder / "rest.txt").write_text("The ferry to Skorn, and the harbour.")
    documents = library_module.Library(folder, folder / ".cache", cites=False)
    for name, text in changes:
        (folder / f"{name}.txt").write_text(text)
        documents.refresh()
    fresh = library_module.Library(folder, folder / ".fresh", cites=False)
    assert documents.entries() == fresh.entries()
    for query in ("ferry", "harbour noon", "storm"):
        found, expected = (each.search(query, 9) for each in (documents, fresh))
        assert {hit.entry["source"]: hit.text for hit in found} == {hit.entry["source"]: hit.text for hit in expected}


@pytest.mark.parametrize("damage", [b"", b"not an index", None])
async def test_a_damaged_cache_is_built_again(folder: Path, tmp_path: Path, damage: bytes | None) -> None:
    (folder / "a.txt").write_text("The ferry leaves at noon.")
    before = await search(folder, "ferry")
    cache = disk_cache(tmp_path / "cache" / "documents", library_module.DOCUMENTS_SIZE)
    assert cache is not None
    cache.close()
    for path in (tmp_path / "cache").rglob("*"):
        if path.is_file():
            whole = path.read_bytes()
            path.write_bytes(whole[: len(whole) // 2] + b"x" * 64 if damage is None else damage)
    _library.cache_clear()
    disk_cache.cache_clear()
    assert await search(folder, "ferry") == before


@pytest.mark.parametrize("obstacle", ["file", "below a file"])
async def test_without_a_cache_it_works_in_memory(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, obstacle: str
) -> None:
    (tmp_path / "obstacle").write_text("no folder")
    place = tmp_path / "obstacle" if obstacle == "file" else tmp_path / "obstacle" / "cache"
    monkeypatch.setenv("ERRATA_CACHE_DIR", str(place))
    (folder / "a.txt").write_text("The ferry leaves at noon.")
    assert len(await search(folder, "ferry")) == 1


def test_two_processes_at_once(folder: Path) -> None:
    for number in range(100):
        (folder / f"{number}.txt").write_text(f"Ferry number {number} leaves at noon.")
    program = (
        "from errata.state import Context\nfrom errata.tools import search_tool\n"
        f"print(search_tool(Context(sources={str(folder)!r})).invoke({{'query': 'ferry number 42'}}))"
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for run in runs:
        out, err = run.communicate(timeout=60)
        assert out.startswith("[1] 42 (42.txt)\nFerry number 42"), err
        assert err == ""


async def test_a_folder_that_vanishes_is_an_error_and_not_silence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.txt").write_text("The ferry leaves at noon.")
    tool = made(folder)
    shutil.rmtree(folder)
    monkeypatch.setattr(library_module, "LOOK_AGAIN", 3600.0)
    for _ in range(2):
        with pytest.raises(SearchError, match="there is no file or folder"):
            await tool.search("ferry", 1)


async def test_as_a_tool_of_an_agent(folder: Path) -> None:
    (folder / "a.txt").write_text("The ferry leaves at noon.")
    tool = made(folder)
    message = await tool.ainvoke({"type": "tool_call", "id": "1", "name": tool.name, "args": {"query": "ferry"}})
    assert "The ferry leaves at noon." in message.content
    assert message.artifact[0]["source"] == "a.txt"
    assert tool.args == {
        "query": {"title": "Query", "type": "string", "description": tool.args["query"]["description"]}
    }
    assert tool.invoke({"query": "xylophone"}) == "Nothing was found."  # the sync face, inside a running loop


def test_the_event_loop_stays_free(folder: Path) -> None:
    (folder / "a.txt").write_text("The ferry leaves at noon.")
    tool = made(folder)

    async def search_while_ticking() -> int:
        ticks = 0
        searching = asyncio.create_task(tool.search("ferry", 1))
        while not searching.done():
            await asyncio.sleep(0.001)
            ticks += 1
        return ticks

    find = tool._library.search

    def slowly(query: str, limit: int) -> Any:
        import time

        time.sleep(0.2)
        return find(query, limit)

    tool._library = type("Slow", (), {"search": staticmethod(slowly)})()
    assert asyncio.run(search_while_ticking()) > 20


def encryptedwrite_pdf() -> bytes:
    import io

    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(write_pdf(["Secret."]))))
    writer.encrypt("password", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()
