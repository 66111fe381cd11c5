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

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...state import EMBEDDED, Context
from ...state.errors import ConfigurationError
from ...state.parts.refusing import plainly
from ...state.runs.hosts import from_environment

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.applications import Starlette

    from .accounts import Account

MOST_BYTES = 2_000_000
"""The most bytes of one request."""
LAST_WORDS = 10
"""Seconds that runs have to end when the server is stopped."""


class Operation(BaseModel):
    """How a server is run. Each field can come from the environment, as in ERRATA_SERVE_RUNS=8."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    runs: int = Field(default=16, ge=1, description="How many runs at once.")
    waiting: int = Field(default=64, ge=0, description="How many runs may wait their turn; others get 503.")
    keys: str = Field(default="", description="A JSON file of keys by name, with quotas.")
    audit: str = Field(default="", description="A file that gets a line for each request; `-` for standard error.")
    metrics: bool = Field(default=False, description="Offer /metrics to Prometheus.")

    @classmethod
    def of(cls, **given: Any) -> "Operation":
        """The given options, with the environment for those that are None.

        Raises:
            ConfigurationError: If a value is not valid.
        """
        names = {name: f"ERRATA_SERVE_{name.upper()}" for name in cls.model_fields}
        variables = {name: os.environ[variable] for name, variable in names.items() if os.environ.get(variable)}
        try:
            return cls.model_validate(variables | {name: value for name, value in given.items() if value is not None})
        except ValidationError as error:
            name, wrong = str(error.errors()[0]["loc"][0]), plainly(error.errors()[0]["msg"])
            raise ConfigurationError(f"--{name} or {names.get(name, name)}: {wrong}") from None


def create_app(
    defaults: Context | None = None, *, api_key: str | None = None, operation: Operation | None = None
) -> "FastAPI":
    """Make an app with LangServe routes for every method: `/rarr/invoke`, `/rarr/playground/` and so on.

    Args:
        defaults: The settings of every run; those of the environment (`ERRATA_SOURCES` and so on) if None. A request
            may change them in `config.configurable`, except operator settings (SECURITY.md) and `review`, and up to the
            ceilings.
        api_key: Required on every route, as `X-API-Key: KEY` or `Authorization: Bearer KEY`; a browser is asked for it.
            Read from ERRATA_API_KEY if None.
        operation: The load limits, the keys, and what is logged; by default as the environment says.

    Returns:
        The app, for any ASGI server.

    Raises:
        ConfigurationError: If the packages for serving are missing, a variable is not valid, or the defaults ask for
            review.
    """
    defaults, operation = defaults or Context(**from_environment()), operation or Operation.of()
    from .served import check_defaults

    check_defaults(defaults)
    try:
        from fastapi import Request, Security
        from fastapi.responses import JSONResponse
        from fastapi.security import APIKeyHeader
        from fastapi_offline import FastAPIOffline

        from ... import __version__
        from .guards import KEY_HEADER, BoundBody, RequireKey
        from .metrics import Metrics
        from .page import MOST_OF_PAGE
        from .routes import router
        from .traffic import RETRY_AFTER, Admit, Load, Note, audit_file

        load = Load(operation.runs, operation.waiting)
        metrics = Metrics(load) if operation.metrics else None
    except ImportError as error:
        raise missing(error, "serve") from error

    accounts = accounts_of(api_key, operation)
    # RequireKey decides; this makes /docs ask for the key.
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
        dependencies=[Security(header)] if accounts else [],
    )
    app.include_router(router(defaults))

    if metrics:
        app.add_api_route("/metrics", metrics.page, include_in_schema=False)

    @app.get("/ready")
    async def ready() -> JSONResponse:
        """Whether there is room for another run."""
        answer = {"ready": not load.is_full, "running": load.running, "waiting": load.waiting}
        return JSONResponse(answer, 503, {"Retry-After": str(RETRY_AFTER)}) if load.is_full else JSONResponse(answer)

    @app.exception_handler(ConfigurationError)
    async def cannot_work(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, status_code=422)

    app.add_middleware(Admit, load=load)
    app.add_middleware(BoundBody, most=MOST_BYTES, calls={"watch": MOST_OF_PAGE, "report": MOST_OF_PAGE})
    if accounts:
        app.add_middleware(RequireKey, accounts=accounts)
    try:
        with audit_file(operation.audit or "-"):
            pass
    except OSError as error:
        raise ConfigurationError(f"--audit {operation.audit}: {error.strerror}") from None
    app.add_middleware(
        Note, prices=defaults, audit=operation.audit, metrics=metrics
    )  # the middleware added last runs first
    return app


def serve(
    host: str = "127.0.0.1",
    port: int = 8000,
    defaults: Context | None = None,
    api_key: str | None = None,
    operation: Operation | None = None,
) -> None:
    """Serve until interrupted; active runs have ten seconds to end.

    Args:
        host: The address to listen on.
        port: The port; 0 for any free one.
        defaults: As for `create_app`.
        api_key: As for `create_app`.
        operation: As for `create_app`.

    Raises:
        ConfigurationError: If others could reach the server and it requires no key, or if it can't listen there.
    """
    operation = operation or Operation.of()
    asks_no_key = is_open(host, api_key, operation)
    app = create_app(defaults, api_key=api_key, operation=operation)
    make_ready(app, defaults)
    listen(app, host, port, asks_no_key=asks_no_key, extra="serve")


def is_open(host: str, api_key: str | None, operation: Operation) -> bool:
    """Whether a server requires no key.

    Raises:
        ConfigurationError: If it requires none although others could reach it.
    """
    asks_no_key = not (_key(api_key) or operation.keys)
    if asks_no_key and not _is_loopback(host):
        raise ConfigurationError(
            f"on {host} others can reach the server: set a key (--api-key or ERRATA_API_KEY), or use --host 127.0.0.1"
        )
    return asks_no_key


def listen(app: "Starlette", host: str, port: int, *, asks_no_key: bool, extra: str, path: str = "") -> None:
    """Run an app until interrupted, and print the address of `path`.

    Raises:
        ConfigurationError: If it can't listen there, or packages of the extra are missing.
    """
    try:
        import uvicorn
        from sse_starlette.sse import AppStatus
        from starlette.middleware.trustedhost import TrustedHostMiddleware

        from .connections import Connection, allow_many
    except ImportError as error:
        raise missing(error, extra) from error
    if asks_no_key:
        # A page of another site may point its own name at this machine; without a key, only the name gives it away.
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=["localhost", "127.0.0.1", "[::1]", host])
    listening = _listen(host, port)
    print(f"errata at {_url(listening)}{path} (Ctrl-C ends it)", file=sys.stderr, flush=True)
    # Without this, streams are cut off as soon as the server is asked to stop.
    AppStatus.disable_automatic_graceful_drain()  # type: ignore[no-untyped-call]
    allow_many()
    server = uvicorn.Server(uvicorn.Config(app, http=Connection, ws="none", timeout_graceful_shutdown=LAST_WORDS))
    # uvicorn shuts down gracefully, and then lets Ctrl-C go on.
    with listening, contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listening])


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
        from ...models.providers.replies import http_library
        from ...state.runs.connections import ready

        ready(http_library())
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


def _key(api_key: str | None) -> str:
    return (os.environ.get("ERRATA_API_KEY", "") if api_key is None else api_key).strip()


def accounts_of(api_key: str | None, operation: Operation) -> list["Account"]:
    """The accounts that a server admits; none if it requires no key."""
    from .accounts import account, read_accounts

    key = _key(api_key)
    return [*([account("default", key)] if key else []), *(read_accounts(operation.keys) if operation.keys else [])]


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
    return ConfigurationError(f"this server needs more packages ({error.name}): pip install 'errata[{extra}]'")
