"""Documents that are made to do harm: each is read or given up, within bounds, and the next one is read."""

import asyncio
import faulthandler
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errata.state import Context
from errata.state.errors import ToolError
from errata.tools import fetch_page, search_tool
from errata.tools.reading import workers
from errata.tools.reading.documents import ENDINGS, PAGES, Document, Unreadable, read, read_page
from errata.tools.reading.worker import MAX_REPLY
from errata.tools.reading.workers import acall, call
from errata.tools.searches.local import LocalSearch

from .. import bombs
from ..conftest import Answer, Server

FERRY = "The ferry to Skorn leaves at noon."
PAGE = f"<html><head><title>Ferries</title></head><body><p>{FERRY}</p></body></html>".encode()

BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "200,000 attributes": (".html", bombs.attributes),
    "tags in tags": (".html", bombs.nested),
    "lists in lists": (".html", lambda: bombs.nested("ul><li")),
    "nothing is closed": (".html", bombs.unclosed),
    "steps of a page": (".pdf", bombs.pdf_of_steps),
    "packed twice": (".pdf", bombs.pdf_packed_twice),
    "pages in a circle": (".pdf", bombs.pages_of_pages),
    "spaces, docx": (".docx", lambda: bombs.zipped("word/document.xml", 100 * bombs.MB)),
    "spaces, xlsx": (".xlsx", lambda: bombs.zipped("xl/workbook.xml", 100 * bombs.MB)),
    "spaces, pptx": (".pptx", lambda: bombs.zipped("[Content_Types].xml", 100 * bombs.MB)),
    "a lie about its size": (".docx", lambda: bombs.lying("word/document.xml", 50 * bombs.MB)),
    "entities, docx": (".docx", lambda: bombs.entities(".docx")),
    "entities, xlsx": (".xlsx", lambda: bombs.entities(".xlsx")),
    "entities, pptx": (".pptx", lambda: bombs.entities(".pptx")),
    "a giant cell": (".csv", bombs.giant_field),
    "columns by rows": (".csv", bombs.many_columns),
    "aliases": (".md", bombs.aliases),
    "brackets": (".md", bombs.brackets),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_read_or_given_up_and_the_next_document_is_read(name: str) -> None:
    ending, make = BOMBS[name]
    with suppress(Unreadable):
        assert len(Document(*call(read, make(), ending, seconds=2)).text) < MAX_REPLY
    found = Document(*call(read, PAGE, ".html"))
    assert (found.title, found.text, list(found.sources)) == ("Ferries", FERRY, [])


@pytest.mark.parametrize(
    ("ending", "make", "says"),
    [
        (".html", bombs.attributes, "took more than 1 s to read"),
        (".csv", lambda: bombs.many_cells(20), "needed more than 1 GB to read"),
        (".txt", lambda: b"noon " * (14 * 2**20), "more than 64 MB of text in it"),
    ],
)
def test_what_is_given_up_says_so(ending: str, make: Callable[[], bytes], says: str) -> None:
    with pytest.raises(Unreadable, match=f"^{says}$"):
        call(read, make(), ending, seconds=1 if "1 s" in says else 60)


@pytest.mark.parametrize("make", [bombs.aliases, bombs.brackets])
def test_front_matter_that_is_a_bomb_leaves_the_text(make: Callable[[], bytes]) -> None:
    document = read(make(), ".md")
    assert "The ferry leaves at noon." in document.text
    assert len(document.title) + len(document.sources) == 0


def test_front_matter_that_is_no_date_is_a_title() -> None:
    assert read(b"---\ntitle: 2024-13-45\n---\nNoon.", ".md") == ("2024-13-45", "Noon.", ())


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(ending=st.sampled_from(ENDINGS), data=st.binary(max_size=300), whole=st.booleans())
def test_any_bytes_are_a_document_or_unreadable(ending: str, data: bytes, whole: bool) -> None:
    beginning = {".pdf": b"%PDF-1.4\n", ".html": b"<html>", ".md": b"---\n"}.get(ending, b"PK\x03\x04")
    with suppress(Unreadable):
        assert read(data if whole else beginning + data, ending).text.strip()


@settings(max_examples=30)
@given(
    kind=st.sampled_from([kind for kind in PAGES if kind != "application/pdf"]),
    charset=st.sampled_from(["", "utf-8", "utf-16", "idna", "punycode", "zip", "no such", "utf-7", "\x00"]),
    data=st.binary(max_size=200),
)
def test_any_page_is_a_document_or_unreadable(kind: str, charset: str, data: bytes) -> None:
    with suppress(Unreadable):
        assert read_page(data, kind, charset).text.strip()


async def test_a_page_that_is_a_bomb_does_not_keep_others_waiting(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = bombs.attributes()
    server.answer = lambda request: Answer(
        bomb if "bomb" in request.path else PAGE, headers={"Content-Type": "text/html; charset=utf-8"}
    )
    context = Context(allow_private_addresses=True, timeout=600)
    harmful = [asyncio.create_task(fetch_page(context, f"{server.url}/bomb{n}")) for n in range(workers.WORKERS)]
    page = await fetch_page(context, f"{server.url}/page")
    assert page["text"] == FERRY
    for task in harmful:
        with pytest.raises(ToolError, match="cannot be read: took more than 10 s to read"):
            await task


async def test_a_reading_that_nobody_waits_for_is_stopped() -> None:
    reading = asyncio.create_task(acall(read, bombs.attributes(), ".html", seconds=600))
    worker = await asyncio.to_thread(busy_worker, os.getpid())
    reading.cancel()
    with pytest.raises((asyncio.CancelledError, CancelledError)):
        await reading
    await asyncio.to_thread(wait_until, lambda: not is_there(worker))
    assert Document(*await acall(read, PAGE, ".html")).text == FERRY


def test_a_worker_that_dies_while_it_waits_is_replaced() -> None:
    call(read, PAGE, ".html")
    for worker in workers_of(os.getpid()):
        os.kill(worker, signal.SIGKILL)
    assert Document(*call(read, PAGE, ".html")).text == FERRY


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="the system has no priorities")
def test_workers_let_others_go_first() -> None:
    call(read, PAGE, ".html")
    (worker, *_) = workers_of(os.getpid())
    assert os.getpriority(os.PRIO_PROCESS, worker) > min(os.getpriority(os.PRIO_PROCESS, 0), 18)


def test_a_crash_is_the_documents_and_not_the_programs() -> None:
    with pytest.raises(Unreadable, match="crashed its reader"):
        call(faulthandler._sigsegv, b"")  # type: ignore[attr-defined]  # made for tests of crashes


def test_without_processes_it_is_an_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_pools", {})
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(ToolError, match="the process that reads documents did not start"):
        call(read, PAGE, ".html")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(ToolError, match=r"did not start \(exit status 1\)"):
        call(read, PAGE, ".html")


def test_a_folder_with_bombs_is_searched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata.tools.reading.library.SECONDS", 2.0)
    (folder / "bomb.html").write_bytes(bombs.attributes())
    (folder / "ferries.html").write_bytes(PAGE)
    (folder / "bridge.txt").write_text("The bridge is closed.")
    tool = search_tool(Context(sources=str(folder)))
    assert isinstance(tool, LocalSearch)
    assert [(each.path, each.reason) for each in tool.skipped] == [("bomb.html", "took more than 2 s to read")]
    found = asyncio.run(tool.search("ferry to Skorn", 2))
    assert [piece["source"] for piece in found] == ["ferries.html"]


SCRIPT = """
import signal
import sys
from errata.tools.reading.documents import read
from errata.tools.reading.workers import call
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in the background
print("begins", flush=True)
data = open(sys.argv[1], "rb").read()
print(call(read, data, ".html", seconds=600)[1], flush=True)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "script.py").write_text(SCRIPT)
    return tmp_path / "script.py"


def test_a_script_reads_without_being_run_twice(script: Path, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(PAGE)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "json.py").write_text("raise SystemExit('a file that happens to lie here was imported')")
    command = [sys.executable, str(script), str(tmp_path / "page.html")]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path / "here")
    assert (ran.stdout, ran.stderr) == (f"begins\n{FERRY}\n", "")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_go_with_their_parent_and_do_not_hold_it_up(script: Path, tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "bomb.html").write_bytes(bombs.attributes())
    command = [sys.executable, str(script), str(tmp_path / "bomb.html")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as parent:
        worker = busy_worker(parent.pid)
        parent.send_signal(how)
        parent.wait()
        assert parent.returncode != 0
    wait_until(lambda: not is_there(worker))


FOLDER = """
import asyncio, signal, sys
from errata.state import Context
from errata.tools import search_tool
from errata.tools.reading import library
from errata.tools.reading.workers import in_thread
signal.signal(signal.SIGINT, signal.default_int_handler)
library.SECONDS = 100_000
asyncio.run(in_thread(search_tool, Context(sources=sys.argv[1])))
"""


def test_an_index_that_is_being_made_does_not_hold_up_ctrl_c(folder: Path) -> None:
    for number in range(9):
        (folder / f"{number}.html").write_bytes(bombs.attributes())
    with subprocess.Popen([sys.executable, "-c", FOLDER, folder], stderr=subprocess.DEVNULL) as parent:
        worker = busy_worker(parent.pid)
        parent.send_signal(signal.SIGINT)
        parent.wait()
    wait_until(lambda: not is_there(worker))


QUEUED = """
import sys
from errata.tools.reading.documents import read
from errata.tools.reading.workers import WORKERS, Parsing
data = open(sys.argv[1], "rb").read()
waiting = [Parsing(read, data, (".html",), 1.0) for _ in range(20 * WORKERS)]
print(sum(each.future.done() for each in waiting), flush=True)
"""


def test_documents_that_nobody_has_begun_to_read_do_not_hold_up_the_end(tmp_path: Path) -> None:
    (tmp_path / "bomb.html").write_bytes(bombs.attributes())
    begun = time.monotonic()
    ran = subprocess.run([sys.executable, "-c", QUEUED, tmp_path / "bomb.html"], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("0\n", "")
    assert time.monotonic() - begun < 10  # with all of them, it would take 20 s of processor time on each core


def workers_of(process: int) -> list[int]:
    """The ids of the workers that a process has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == process and b"errata.tools.reading.worker" in (path / "cmdline").read_bytes():
                found.append(int(path.name))
        except OSError:  # it has just ended
            continue
    return found


def busy_worker(process: int) -> int:
    """The worker of a process that has computed for a while."""
    seconds = os.sysconf("SC_CLK_TCK")

    def computed(worker: int) -> float:
        try:
            return sum(map(int, Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[11:13])) / seconds
        except OSError:
            return 0.0

    before = {worker: computed(worker) for worker in workers_of(process)}
    busy: list[int] = []

    def is_busy() -> bool:
        busy[:] = [worker for worker in workers_of(process) if computed(worker) > before.get(worker, 0.0) + 2]
        return bool(busy)

    wait_until(is_busy)
    return busy[0]


def is_there(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(it_holds: Callable[[], bool]) -> None:
    while not it_holds():
        time.sleep(0.05)
