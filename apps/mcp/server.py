"""The tools in the Model Context Protocol: on standard input and output, or over HTTP."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import anyio
from rich.text import Text

from ... import __version__
from ...state import Context
from ...state.errors import ConfigurationError, ErrataError
from ...state.runs.meter import metered
from ...state.runs.secrets import redact, redacted
from ..cli.terminal import tell, visible
from ..server.accounts import Account
from ..server.app import MOST_BYTES, Operation, accounts_of, is_open, listen, make_ready, missing
from ..server.served import check_defaults
from . import tools

try:
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.types import CallToolResult, TextContent, Tool, ToolAnnotations
    from starlette.applications import Starlette
    from starlette.routing import Route
    from starlette.types import Receive, Scope, Send

    from ..server.guards import BoundBody, RequireKey
    from ..server.traffic import RETRY_AFTER, TOO_MUCH, Load, attend, refusal
except ImportError as error:
    raise missing(error, "mcp") from error

if TYPE_CHECKING:
    from mcp.shared.context import RequestContext

PATH = "/mcp"
MOST_SESSIONS = 1000
"""The most client sessions at once, over HTTP. An unused one ends after half an hour."""
MOST_POSTS = 200
"""The most requests at once, over HTTP: each is kept as a whole."""
INSTRUCTIONS = (
    "Checks texts against evidence and corrects what the evidence contradicts. `status` says what came of a text; "
    "`not checked` and `stopped: error` are no approval. Tell people the sources of every change."
)


def create_server(defaults: Context, operation: Operation) -> "Server[Any, Any]":
    """The server with its tools, for any transport of the SDK.

    Args:
        defaults: The settings of every run. A request may change them in the argument `settings`, except operator
            settings (SECURITY.md) and `review`, and up to the ceilings (`state/runs/hosts.py`).
        operation: How many runs at once.

    Raises:
        ConfigurationError: If the defaults ask for review, or a ceiling is not valid.
    """
    check_defaults(defaults)
    load = Load(operation.runs, operation.waiting)
    server: Server[Any, Any] = Server("errata", __version__, INSTRUCTIONS)

    @server.list_tools()  # type: ignore[no-untyped-call,untyped-decorator]
    async def list_tools() -> list[Tool]:
        return [
            Tool(
                name=name,
                title=tool.title,
                description=tool.about,
                inputSchema=tools.input_schema(tool),
                outputSchema=tool.gives.model_json_schema(),
                annotations=ToolAnnotations(readOnlyHint=True, openWorldHint=True),
            )
            for name, tool in tools.TOOLS.items()
        ]

    @server.call_tool(validate_input=False)  # type: ignore[untyped-decorator]  # what is refused is said in one line
    async def call_tool(name: str, arguments: dict[str, Any]) -> dict[str, Any] | CallToolResult:
        request = server.request_context
        try:
            if name not in tools.TOOLS:
                raise ConfigurationError(f"there is no tool {name!r:.80}: use {', '.join(tools.TOOLS)}")
            return await _attended(request, _run(name, arguments, defaults, request, load))
        except ErrataError as error:
            return _refusal(redacted(str(error)))
        except Exception as error:
            redact(error)
            logging.getLogger("mcp").exception("%s failed", name)
            return _refusal(f"{name} failed ({type(error).__name__}): the log of the server says more")

    return server


async def _run(
    name: str, arguments: dict[str, Any], defaults: Context, request: "RequestContext[Any, Any, Any]", load: Load
) -> dict[str, Any]:
    """Run a tool call when there is room for it, on the account of the key that came with it."""
    account: Account | None = request.request.scope.get("errata.account") if request.request else None
    if account and (why := account.refusal()):
        raise ErrataError(why)
    async with load.place():
        if account:
            account.requests += 1
        with metered() as meter:
            try:
                return await tools.call(name, arguments, defaults, _Progress(request))
            finally:
                if account:
                    account.calls += int(meter.spent.get("llm_calls", 0))


async def _attended(
    request: "RequestContext[Any, Any, Any]", run: Coroutine[Any, Any, dict[str, Any]]
) -> dict[str, Any]:
    """Run until it is done, the request is cancelled, or its client has disconnected."""
    disconnected: asyncio.Event | None = request.request.scope.get("errata.gone") if request.request else None
    running = asyncio.ensure_future(run)
    leaving = asyncio.ensure_future(disconnected.wait()) if disconnected else None
    try:
        await asyncio.wait({running, leaving} if leaving else {running}, return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            raise ErrataError("the client has left")
        return running.result()
    finally:
        running.cancel()
        if leaving:
            leaving.cancel()


class _Progress:
    """Tells clients that ask for it which steps were done."""

    def __init__(self, request: "RequestContext[Any, Any, Any]") -> None:
        self.request = request
        self.done = 0

    async def __call__(self, step: str) -> None:
        self.done += 1
        token = self.request.meta.progressToken if self.request.meta else None
        if token is not None:
            await self.request.session.send_progress_notification(
                token, self.done, message=step, related_request_id=str(self.request.request_id)
            )


def _refusal(reason: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=visible(reason))], isError=True)


def serve_stdio(defaults: Context) -> None:
    """Serve the client that started this program, until it closes standard input.

    Raises:
        ConfigurationError: As `create_server` does.
    """
    server = create_server(defaults, Operation.of())
    # A thread that waits for input would keep Ctrl-C from ending the program as usual, so it ends as after SIGTERM.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.stdin.isatty():
        tell(
            Text(
                "errata is speaking MCP here, which is meant for programs. Press Ctrl-C to end it; --http serves HTTP."
            )
        )
    _log_visibly()
    with _wire() as (lines, replies):
        asyncio.run(_converse(server, lines, replies))


async def _converse(server: "Server[Any, Any]", lines: TextIO, replies: TextIO) -> None:
    try:
        async with stdio_server(anyio.wrap_file(lines), anyio.wrap_file(replies)) as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
    except* BrokenPipeError:
        pass  # the client has ended


@contextmanager
def _wire() -> Iterator[tuple[TextIO, TextIO]]:
    """Standard input and output for the protocol alone: everything else that is printed goes to standard error."""
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    with (
        open(reading, encoding="utf-8", errors="replace") as lines,
        open(writing, "w", encoding="utf-8", newline="\n") as replies,
    ):
        yield lines, replies


def serve_http(defaults: Context, host: str, port: int, api_key: str | None) -> None:
    """Serve over HTTP at `/mcp` until interrupted.

    Args:
        defaults: As for `create_server`.
        host: The address to listen on.
        port: The port; 0 for any free one.
        api_key: As for `errata serve`.

    Raises:
        ConfigurationError: If others could reach the server and it requires no key, or if it can't listen there.
    """
    operation = Operation.of()
    asks_no_key = is_open(host, api_key, operation)
    app = create_app(defaults, api_key=api_key, operation=operation)
    _log_visibly()
    make_ready(app, defaults)
    listen(app, host, port, asks_no_key=asks_no_key, extra="mcp", path=PATH)


def create_app(defaults: Context, *, api_key: str | None = None, operation: Operation | None = None) -> Starlette:
    """An app that speaks MCP (streamable HTTP) at `/mcp`.

    Args:
        defaults: As for `create_server`.
        api_key: Required, as `X-API-Key: KEY` or `Authorization: Bearer KEY`. Read from ERRATA_API_KEY if None.
        operation: How many runs at once, and for whom.

    Raises:
        ConfigurationError: As `create_server` does, or if keys can't be read.
    """
    operation = operation or Operation.of()
    sessions = StreamableHTTPSessionManager(
        create_server(defaults, operation), max_request_body_size=MOST_BYTES, max_sessions=MOST_SESSIONS
    )

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        async with sessions.run():
            yield

    app = Starlette(routes=[Route(PATH, _Endpoint(sessions))], lifespan=running)
    app.add_middleware(BoundBody, most=MOST_BYTES)
    if accounts := accounts_of(api_key, operation):
        app.add_middleware(RequireKey, accounts=accounts)
    return app


class _Endpoint:
    """The sessions as an app. A posted request must arrive completely in time, and its client must stay."""

    def __init__(self, sessions: StreamableHTTPSessionManager) -> None:
        self.sessions = sessions
        self.posts = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await self.sessions.handle_request(scope, receive, send)
        elif self.posts >= MOST_POSTS:
            await refusal(503, TOO_MUCH, RETRY_AFTER)(scope, receive, send)
        else:
            self.posts += 1
            try:
                await attend(self.sessions.handle_request, scope, receive, send)
            finally:
                self.posts -= 1


class _Log(logging.Handler):
    """The SDK's log on standard error, without what clients send, which it repeats."""

    def emit(self, record: logging.LogRecord) -> None:
        # It calls the end of a session an error, too.
        if not (record.exc_info and isinstance(record.exc_info[1], anyio.ClosedResourceError)):
            tell(Text(redacted(self.format(record)), style="yellow"))


def _log_visibly() -> None:
    log = logging.getLogger("mcp")
    log.addHandler(_Log(logging.WARNING))
    log.propagate = False
