"""Fetching pages: what is read, and what is refused."""

import asyncio
import gzip
import socket
import zlib
from functools import partial
from typing import Any

import pytest

from benchmarks.index import write_pdf
from errata.state import Context
from errata.state.errors import ToolError
from errata.state.runs.meter import metered
from errata.tools import Page, WebPage, fetch_page, pages
from errata.tools.addresses import is_public
from errata.tools.reading.documents import Document, read_html
from errata.tools.reading.workers import acall

from .conftest import Answer, Request, Server

HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGE = "<html><head><title>The\nferry</title></head><body><p>The ferry to Skorn leaves at noon.</p></body></html>"


async def fetch(url: str, **settings: Any) -> Page:
    return await fetch_page(Context(allow_private_addresses=True, **settings), url)


async def guarded(url: str, **settings: Any) -> Page:
    return await fetch_page(Context(**settings), url)


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        (PAGE, "text/html; charset=utf-8", "The ferry to Skorn leaves at noon."),
        (PAGE.replace("noon", "smörgås").encode("latin-1"), "text/html; charset=iso-8859-1", "leaves at smörgås."),
        (PAGE, "application/xhtml+xml", "The ferry to Skorn leaves at noon."),
        ("Noon,\r\nor \x1b[1mlater.", "text/plain", "Noon,\nor [1mlater."),
        ("noon".encode("utf-16"), "text/plain; charset=utf-16", "noon"),
        ("noon", "text/plain; charset=nonsense", "noon"),
        (write_pdf(["The ferry to Skorn leaves at noon."]), "application/pdf", "The ferry to Skorn leaves at noon."),
    ],
)
async def test_what_is_read(server: Server, body: bytes | str, kind: str, text: str) -> None:
    server.answer = lambda request: Answer(body, headers={"Content-Type": kind})
    with metered() as meter:
        page = await fetch(f"{server.url}/p#part")
    assert text in page["text"]
    assert page["url"] == f"{server.url}/p"
    assert page["title"] == ("The ferry" if "html" in kind else "")
    assert meter.spent["tool_runs"] == 1


async def test_redirects_are_followed_to_a_bound(server: Server) -> None:
    def answer(request: Any) -> Answer:
        left = int(request.path.strip("/"))
        return Answer(PAGE, headers=HTML) if left == 0 else Answer(status=302, headers={"Location": f"/{left - 1}"})

    server.answer = answer
    assert (await fetch(f"{server.url}/5"))["url"] == f"{server.url}/0"
    with pytest.raises(ToolError, match="more than 5 redirects"):
        await fetch(f"{server.url}/6")


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://localhost/",
        "http://localhost./",
        "http://[::1]/",
        "http://169.254.169.254/latest/meta-data",
        "http://10.0.0.1/",
        "http://192.168.1.1/",
        "http://172.16.0.1/",
        "http://100.64.0.1/",
        "http://0.0.0.0/",
        "http://[::]/",
        "http://224.0.0.1/",
        "http://255.255.255.255/",
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://0x7f.1/",
        "http://127.1/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[fe80::1]/",
        "http://[fd00::1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://192.0.0.192/opc/v2/instance",
        "http://168.63.129.16/machine?comp=goalstate",
        "http://[64:ff9b:1::7f00:1]/",
    ],
)
async def test_private_addresses_are_refused(url: str) -> None:
    with pytest.raises(ToolError, match=r"private or reserved address|is not known|not a web address"):
        await guarded(url, retries=0)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "64:ff9b::5db8:d822"])
def test_public_addresses_are_not(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://a.example/",
        "gopher://a.example",
        "//a.example",
        "a.example",
        "http://",
        "http://a.example:0/",
        "http://a.example:99999/",
        "http://xn--/",
        "http://[::1",
    ],
)
async def test_only_the_web(url: str) -> None:
    with pytest.raises(ToolError, match=r"only http and https|not a web address"):
        await guarded(url)


async def test_no_credentials(server: Server) -> None:
    with pytest.raises(ToolError, match="user name or password"):
        await fetch(server.url.replace("//", "//me:secret@"))
    server.answer = lambda request: Answer(status=302, headers={"Location": "http://me@a.example/"})
    with pytest.raises(ToolError, match="user name or password"):
        await fetch(server.url)


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,Noon", "http://xn--/", "http://[::1", "//"])
async def test_a_redirect_to_no_web_address(server: Server, address: str) -> None:
    server.answer = lambda request: Answer(status=302, headers={"Location": address if request.path == "/" else "/"})
    with pytest.raises(ToolError):
        await fetch(server.url, retries=0)


def resolving(monkeypatch: pytest.MonkeyPatch, names: dict[str, list[str]]) -> list[str]:
    """Make names stand for addresses, one per look-up; gives the list of names looked up."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def getaddrinfo(host: Any, port: Any, *more: Any, **settings: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        asked.append(name)
        if name in names:
            addresses = names[name]
            return real(addresses.pop(0) if len(addresses) > 1 else addresses[0], port, *more, **settings)
        return real(host, port, *more, **settings)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


async def test_a_name_that_stands_for_the_loopback(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    resolving(monkeypatch, {"innocent.example": ["127.0.0.1"]})
    with pytest.raises(ToolError, match=r"innocent\.example has a private or reserved address \(127\.0\.0\.1\)"):
        await guarded(server.url.replace("127.0.0.1", "innocent.example"))
    assert server.requests == []


async def test_a_redirect_into_the_private_net(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    # 127.0.0.2 plays the public internet.
    monkeypatch.setattr("errata.tools.addresses.is_public", lambda address: address != "127.0.0.1")
    resolving(monkeypatch, {"public.example": ["127.0.0.2"]})
    secret = f"{server.url}/secret"
    with public_twin(server) as url:
        server.answer = lambda request: Answer(status=302, headers={"Location": secret})
        with pytest.raises(ToolError, match="private or reserved"):
            await guarded(f"{url}/start")
    assert [request.path for request in server.requests] == ["/start"]


async def test_the_address_that_was_looked_at_is_the_one_connected_to(
    monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    # A name that is public when it is looked at and private a moment later.
    monkeypatch.setattr("errata.tools.addresses.is_public", lambda address: address != "127.0.0.1")
    asked = resolving(monkeypatch, {"public.example": ["127.0.0.2", "127.0.0.1"]})
    with public_twin(server) as url:
        server.answer = lambda request: Answer(PAGE, headers=HTML)
        page = await guarded(f"{url}/page")
    assert "noon" in page["text"]
    assert page["url"] == f"{url}/page"
    assert asked.count("public.example") == 1
    assert server.requests[0].headers["host"] == url.removeprefix("http://")


class public_twin:
    """The server, also at 127.0.0.2 under the name public.example."""

    def __init__(self, server: Server) -> None:
        self.server = server

    def __enter__(self) -> str:
        import threading
        from http.server import ThreadingHTTPServer

        self.http = ThreadingHTTPServer(("127.0.0.2", 0), self.server.handler)
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()
        return f"http://public.example:{self.http.server_address[1]}"

    def __exit__(self, *exception: object) -> None:
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


async def test_too_large(server: Server) -> None:
    server.answer = lambda request: Answer(b"x" * (3 * 2**20), headers={"Content-Type": "text/plain"})
    with pytest.raises(ToolError, match="larger than 2 MB"):
        await fetch(server.url)


async def test_a_bomb(server: Server) -> None:
    bomb = gzip.compress(b"x" * (200 * 2**20), compresslevel=9)
    server.answer = lambda request: Answer(bomb, headers={"Content-Type": "text/plain", "Content-Encoding": "gzip"})
    with pytest.raises(ToolError, match="larger than 2 MB"):
        await fetch(server.url)


def packed_as(body: bytes, request: Request) -> Answer:
    return Answer(body, headers={**HTML, "Content-Encoding": "gzip"})


async def test_packed_pages(server: Server) -> None:
    packed = gzip.compress(PAGE.encode())
    server.answer = lambda request: Answer(packed, headers={**HTML, "Content-Encoding": "gzip"})
    assert "noon" in (await fetch(server.url))["text"]
    for number, damaged in enumerate([packed[:-20], b"no gzip at all", b""]):
        server.answer = partial(packed_as, damaged)
        with pytest.raises(ToolError, match="damaged"):
            await fetch(f"{server.url}/damaged/{number}")
    server.answer = lambda request: Answer(zlib.compress(packed), headers={**HTML, "Content-Encoding": "gzip, deflate"})
    with pytest.raises(ToolError, match="compressed with gzip, deflate"):
        await fetch(f"{server.url}/twice")


async def test_a_slow_drip(server: Server) -> None:
    server.answer = lambda request: Answer(PAGE, headers=HTML, drip=0.05)
    with pytest.raises(ToolError, match=r"within 0\.3 s"):
        await fetch(server.url, timeout=0.3)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer("GIF89a", headers={"Content-Type": "image/gif"}), "pages of type image/gif are not read"),
        (Answer("?", headers={}), "pages of type unknown"),
        (Answer("", 404), "answered 404"),
        (Answer("", 304), "answered 304"),
        (Answer(" ", headers=HTML), "no text in it"),
        (Answer("not a PDF", headers={"Content-Type": "application/pdf"}), "broken PDF"),
    ],
)
async def test_what_is_no_page(server: Server, answer: Answer, says: str) -> None:
    server.answer = lambda request: answer
    with pytest.raises(ToolError, match=says):
        await fetch(server.url)


async def test_nobody_there_and_no_such_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ToolError, match="cannot be reached"):
        await fetch("http://127.0.0.1:9/", retries=0)
    with pytest.raises(ToolError, match="is not known"):
        await guarded("http://no-such-name.invalid/")


async def test_the_same_bytes_at_two_addresses_are_parsed_once(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []

    async def counted(function: Any, data: bytes, *rest: Any) -> Any:
        read.append(data)
        return await acall(function, data, *rest)

    monkeypatch.setattr(pages, "acall", counted)
    server.answer = lambda request: Answer(PAGE, headers=HTML)
    first, second = [await fetch(f"{server.url}/{path}", cache=True) for path in "ab"]
    assert len(read) == 1
    assert (first["text"], first["title"]) == (second["text"], second["title"])
    assert (first["url"], second["url"]) == (f"{server.url}/a", f"{server.url}/b")
    server.answer = lambda request: Answer(PAGE.replace("noon", "dawn"), headers=HTML)
    assert "dawn" in (await fetch(f"{server.url}/c", cache=True))["text"]


async def test_pages_are_kept_and_errors_are_not(server: Server) -> None:
    server.answer = lambda request: Answer(PAGE, headers=HTML) if len(server.requests) > 1 else Answer(status=404)
    with pytest.raises(ToolError):
        await fetch(server.url)
    first, second = await asyncio.gather(fetch(server.url), fetch(server.url))
    assert first == second == await fetch(server.url)
    assert len(server.requests) == 2
    with pytest.raises(ToolError, match="private"):  # what was allowed once is not allowed to everyone
        await guarded(server.url)


def test_as_a_tool(server: Server) -> None:
    server.answer = lambda request: Answer(PAGE, headers=HTML)
    tool = WebPage.of(Context(allow_private_addresses=True))
    message = tool.invoke({"type": "tool_call", "id": "1", "name": tool.name, "args": {"url": server.url}})
    assert message.content == "The ferry\n\nThe ferry to Skorn leaves at noon."
    assert message.artifact["title"] == "The ferry"


def test_marks_within_a_sentence_break_no_line() -> None:
    page = b"""<html><head><title>Tower</title><style>p {}</style></head><body><h1>Harbour Tower</h1>
        <p>The <a href="/t">tower</a> was completed in <b>1889</b> and is
        <span>120</span> metres high.</p><ul><li>one<li>two</ul>It stands.<script>x()</script></body></html>"""
    lines = ["Harbour Tower", "The tower was completed in 1889 and is 120 metres high.", "one", "two", "It stands."]
    assert read_html(page) == Document("Harbour Tower", "\n\n".join(lines))


async def test_no_cookie_of_a_page_is_sent_to_another_at_its_address(
    monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    resolving(monkeypatch, {"evil.example": ["127.0.0.1"], "good.example": ["127.0.0.1"]})
    monkeypatch.setattr("errata.tools.addresses.is_public", lambda address: True)
    server.answer = lambda request: Answer(PAGE, headers={**HTML, "Set-Cookie": "evil=1; Path=/"})
    for name in ("evil.example", "evil.example", "good.example"):
        await guarded(f"{server.url.replace('127.0.0.1', name)}/{len(server.requests)}")
    assert [request.headers.get("cookie") for request in server.requests] == [None, None, None]


async def test_what_follows_a_compressed_page_is_not_read(server: Server) -> None:
    server.answer = lambda request: Answer(
        gzip.compress(PAGE.encode()) + b"x" * 5_000_000, headers={**HTML, "Content-Encoding": "gzip"}
    )
    assert "noon" in (await fetch(f"{server.url}/"))["text"]


async def test_a_page_is_asked_for_no_more_often_than_the_settings_say(server: Server) -> None:
    asked: list[str] = []

    def hang_up(request: Request) -> Answer:
        asked.append(request.path)
        raise ConnectionError

    server.answer = hang_up
    with pytest.raises(ToolError, match="cannot be reached"):
        await fetch(f"{server.url}/", retries=0)
    assert asked == ["/"]
