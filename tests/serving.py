"""The server on a port of the loopback interface."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from errata.apps.server.app import create_app
from errata.apps.server.connections import Connection

from .known import known


@contextmanager
def serving(defaults: Any = None, *, make: Callable[..., Any] = create_app, **given: Any) -> Iterator[str]:
    """Serve an app in a thread; gives the address."""
    with socket.create_server(("127.0.0.1", 0), backlog=1000) as listening:
        app = make(defaults or known(), **given)
        server = uvicorn.Server(uvicorn.Config(app, http=Connection, log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
