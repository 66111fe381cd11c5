"""A server on the loopback whose answers a test writes, and settings that touch nothing outside the test."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest


@dataclass
class Request:
    path: str
    params: dict[str, str]
    headers: dict[str, str]
    body: bytes


@dataclass
class Answer:
    body: bytes | str = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    drip: float = 0.0
    """Seconds between the bytes of the body."""


@dataclass
class Server:
    """`answer` is called with each request; `requests` are those that came."""

    url: str = ""
    answer: Callable[[Request], Answer] = lambda request: Answer(status=404)
    requests: list[Request] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)
    handler: type[BaseHTTPRequestHandler] = BaseHTTPRequestHandler


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            params = {name: values[0] for name, values in parse_qs(url.query, keep_blank_values=True).items()}
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(url.path, params, headers, body)
            state.requests.append(request)
            self.reply(state.answer(request))

        do_POST = do_GET

        def reply(self, answer: Answer) -> None:
            body = answer.body.encode() if isinstance(answer.body, str) else answer.body
            self.send_response(answer.status)
            for name, value in {**answer.headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                if answer.drip:
                    for byte in body:
                        self.wfile.write(bytes([byte]))
                        if state.closing.wait(answer.drip):
                            return
                else:
                    self.wfile.write(body)
            except OSError:
                pass  # the client has gone

        def log_message(self, format: str, *args: object) -> None:
            pass

    state.handler = Handler
    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield state
    state.closing.set()
    http.shutdown()
    thread.join()
    http.server_close()


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("TAVILY_API_KEY", "TAVILY_BASE_URL", "ERRATA_CONTACT", "ERRATA_SEARXNG_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting between tries is random; in a test it only takes time."""
    monkeypatch.setattr("errata.tools.http.random.uniform", lambda low, high: 0.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "documents"
    path.mkdir()
    return path
