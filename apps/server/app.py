"""Every method over HTTP, with LangServe.

The Agent Server (`langgraph dev`) has the same routes beside its own if `langgraph.json` says `"http": {"app":
"errata.apps.server.app:app"}`.
"""

import contextlib
import errno
import gc
import ipaddress
import os
import socket
import sys
from typing import TYPE_CHECKING, Any

from ...state import EMBEDDED, Context
from ...state.errors import ConfigurationError
from ...state.runs.hosts import from_environment

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.applications import Starlette

CONNECTIONS = 100
"""How many connections there may be at once."""
RUN_SECONDS = (0.1, 1, 10, 60, 300)
"""The times by which the metrics sort requests."""
LAST_WORDS = 10
"""Seconds that runs have to end when the server is stopped."""


def create_app(defaults: Context | None = None, *, api_key: str | None = None, metrics: bool = False) -> "FastAPI":
    """Make an app with LangServe routes for every method: `/rarr/invoke`, `/rarr/playground/` and so on.

    Args:
        defaults: The settings of every run; those of the environment (`ERRATA_SOURCES` and so on) if None. A request
            may change them in `config.configurable`, except operator settings (SECURITY.md) and `review`, and up to the
            ceilings.
        api_key: Required on every route, as `X-API-Key: KEY` or `Authorization: Bearer KEY`; a browser is asked for it.
            Read from ERRATA_API_KEY if None.
        metrics: Whether to offer `/metrics` to Prometheus.

    Returns:
        The app, for any ASGI server.

    Raises:
        ConfigurationError: If the packages for serving are missing, a variable is not valid, or the defaults ask for
            review.
    """
    defaults, key = defaults or Context(**from_environment()), key_of(api_key)
    from .runnable import check_defaults

    check_defaults(defaults)
    try:
        from fastapi import Request, Security
        from fastapi.responses import JSONResponse
        from fastapi.security import APIKeyHeader
        from fastapi_offline import FastAPIOffline
        from prometheus_client import CollectorRegistry
        from prometheus_fastapi_instrumentator import Instrumentator

        from ... import __version__
        from .guard import KEY_HEADER, Guard
        from .routes import router
    except ImportError as error:
        raise missing(error, "serve") from error

    # The guard decides; this makes /docs ask for the key.
    header = APIKeyHeader(
        name=KEY_HEADER,
        auto_error=False,
        description="The key of this server: ERRATA_API_KEY, or `errata serve --api-key`.",
    )
    app = FastAPIOffline(
        title="errata",
        version=__version__,
        description="Check the output of language models, and correct it.",
        redoc_url=None,
        dependencies=[Security(header)] if key else [],
    )
    app.include_router(router(defaults))

    @app.exception_handler(ConfigurationError)
    async def cannot_work(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, status_code=422)

    if metrics:
        counting = Instrumentator(should_group_status_codes=False, registry=CollectorRegistry())
        counting.instrument(app, latency_lowr_buckets=RUN_SECONDS).expose(app, include_in_schema=False)
    app.add_middleware(Guard, key=key)  # the middleware added last runs first
    return app


def serve(
    host: str = "127.0.0.1",
    port: int = 8000,
    defaults: Context | None = None,
    api_key: str | None = None,
    connections: int = CONNECTIONS,
    metrics: bool = False,
) -> None:
    """Serve until interrupted; active runs have ten seconds to end.

    Args:
        host: The address to listen on.
        port: The port; 0 for any free one.
        defaults: As for `create_app`.
        api_key: As for `create_app`.
        connections: How many connections there may be at once; a request beyond gets 503.
        metrics: As for `create_app`.

    Raises:
        ConfigurationError: If others could reach the server and it requires no key, or if it can't listen there.
    """
    check_open(host, api_key)
    app = create_app(defaults, api_key=api_key, metrics=metrics)
    make_ready(app, defaults)
    listen(app, host, port, asks_no_key=not key_of(api_key), extra="serve", connections=connections)


def key_of(api_key: str | None) -> str:
    """The key that a server requires: the one given, or ERRATA_API_KEY if that is None; empty for none."""
    return (os.environ.get("ERRATA_API_KEY", "") if api_key is None else api_key).strip()


def check_open(host: str, api_key: str | None) -> None:
    """Raise ConfigurationError if a server requires no key although others could reach it."""
    if not (key_of(api_key) or _is_loopback(host)):
        raise ConfigurationError(
            f"on {host} others can reach the server: set a key (--api-key or ERRATA_API_KEY), or use --host 127.0.0.1"
        )


def listen(
    app: "Starlette", host: str, port: int, *, asks_no_key: bool, extra: str, connections: int, path: str = ""
) -> None:
    """Run an app until interrupted, and print the address of `path`.

    Raises:
        ConfigurationError: If it can't listen there, or packages of the extra are missing.
    """
    try:
        import uvicorn
        from sse_starlette.sse import AppStatus
        from starlette.middleware.trustedhost import TrustedHostMiddleware
    except ImportError as error:
        raise missing(error, extra) from error
    if asks_no_key:
        # A page of another site may point its own name at this machine; without a key, only the name gives it away.
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=["localhost", "127.0.0.1", "[::1]", host])
    listening = _listen(host, port)
    print(f"errata at {_url(listening)}{path} (Ctrl-C ends it)", file=sys.stderr, flush=True)
    # Without this, streams are cut off as soon as the server is asked to stop.
    AppStatus.disable_automatic_graceful_drain()  # type: ignore[no-untyped-call]
    server = uvicorn.Server(uvicorn.Config(app, **limits(connections)))
    # uvicorn shuts down gracefully, and then lets Ctrl-C go on.
    with listening, contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listening])


def limits(connections: int) -> dict[str, Any]:
    """The limits of uvicorn, which itself counts the connection that asks among those there are."""
    return {
        "http": "h11",
        "ws": "none",
        "limit_concurrency": connections + 1,
        "timeout_graceful_shutdown": LAST_WORDS,
    }


def make_ready(app: "Starlette", defaults: Context | None) -> None:
    """Do now what the first requests would do: while a server loads a client or makes routes, it answers nobody.

    What is loaded then stays, so the garbage collector need not go through it, which takes it half a second.
    """
    import tantivy  # noqa: F401

    from ...models.tasks import TASKS
    from ...prompts import load_prompt, load_protocol, prompted
    from ...tools import pages  # noqa: F401
    from ...tools.searches import adapters  # noqa: F401

    if (defaults or Context(**from_environment())).model != EMBEDDED:
        from ...models import chat  # noqa: F401
        from ...models.providers import compatible  # noqa: F401
        from ...state.runs.connections import certificates

        certificates()
    load_protocol()
    for task in TASKS.values():
        if (task.prompt or task.name) in prompted():
            load_prompt(task)
    for route in app.routes:
        route.matches({"type": "http", "method": "GET", "path": "/health", "root_path": "", "headers": []})
    if describe := getattr(app, "openapi", None):
        describe()
    gc.collect()
    gc.freeze()


def __getattr__(name: str) -> Any:
    """`app`, made on first access: importing this module loads neither FastAPI nor a graph."""
    if name == "app":
        return create_app()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ConfigurationError(f"port {port} of {host} is taken: use another --port") from None
        reason = str(error.strerror or error).partition(" (")[0]  # Python repeats the address in brackets
        raise ConfigurationError(f"can't listen on {host}:{port}: {reason}; try another --host or --port") from None


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def missing(error: ImportError, extra: str) -> ConfigurationError:
    """The error for a package that an extra would install."""
    return ConfigurationError(
        f"this server needs more packages ({error.name}): pip install 'langgraph-errata[{extra}]'"
    )
