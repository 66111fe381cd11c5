"""A server on the loopback interface that nobody should ask, and that remembers who did."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Canary(ThreadingHTTPServer):
    """Answers as a chat model would, and keeps what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.met: list[str] = []
        """Every request: its first line, headers and body."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Answer(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        assert isinstance(self.server, Canary)
        self.server.met.append(f"{self.requestline}\n{self.headers}\n{body}")
        message = {"role": "assistant", "content": "Paris."}
        answer = {"id": "1", "object": "chat.completion", "created": 0, "model": "canary", "choices": [
            {"index": 0, "message": message, "finish_reason": "stop"}
        ]}  # fmt: skip
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    do_GET = do_POST

    def log_message(self, *_: object) -> None:
        """Nothing: a test reads `met`."""


@contextmanager
def canary() -> Iterator[Canary]:
    """The server, while it is listened to."""
    with Canary() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
