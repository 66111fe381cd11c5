"""Three tools in the Model Context Protocol: on standard input and output, or over HTTP."""

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, TextIO, TypeVar

import anyio
from pydantic import Field, ValidationError
from rich.text import Text

from ... import __version__
from ...graphs import METHODS, default_method, inputs, load
from ...nodes.begin import check_length
from ...state import Context
from ...state.errors import ConfigurationError, ErrataError
from ...state.methods.refcheck import Reference
from ...state.runs.secrets import redact, redacted
from ...tools.reading.workers import in_thread
from ..cli.terminal import tell, visible
from ..run import check
from ..server.app import check_open, key_of, listen, make_ready, missing
from ..server.runnable import Served, check_defaults, check_input, offered
from .results import CheckedText, CorrectedText, told

try:
    from mcp.server.fastmcp import Context as ToolContext
    from mcp.server.fastmcp import FastMCP
    from mcp.server.fastmcp.exceptions import ToolError
    from mcp.server.stdio import stdio_server
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp.types import ContentBlock, ToolAnnotations
    from starlette.applications import Starlette

    from ..server.guard import Guard
    from ..server.requests import MOST_BYTES
except ImportError as error:
    raise missing(error, "mcp") from error

PATH = "/mcp"
MOST_SESSIONS = 1000
"""The most client sessions at once, over HTTP. An unused one ends after half an hour."""
CONNECTIONS = 200
"""The most connections at once, over HTTP: each request is kept as a whole."""
GLANCE_SECONDS = 0.5
"""How often a run looks whether its client is still there."""
INSTRUCTIONS = (
    "Checks texts against evidence and corrects what the evidence contradicts. `status` says what came of a text; "
    "`not checked` and `stopped: error` are no approval. Tell people the sources of every change."
)

Value = TypeVar("Value")
Call = ToolContext[Any, Any, Any]
ToCheck = Annotated[str, Field(description="The text to check.")]
Question = Annotated[str, Field(description="The question that the text answers, if it answers one.")]
References = Annotated[
    list[str | Reference],
    Field(description="Texts to compare with. Without any, evidence is searched for where the operator said."),
]
Settings = Annotated[
    dict[str, Any],
    Field(description='Settings of this run by name, as in {"max_calls": 20, "deadline": 60}, up to a ceiling.'),
]


class Server(FastMCP[Any]):
    """FastMCP with refusals in one line, which hold no secret."""

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Sequence[ContentBlock] | dict[str, Any]:
        """Call a tool for a client, whose arguments are not trusted.

        Raises:
            ToolError: If it is refused, or fails.
        """
        taken = {tool.name: list(tool.inputSchema["properties"]) for tool in await self.list_tools()}
        try:
            if name not in taken:
                raise ConfigurationError(f"there is no tool {name!r:.80}: use {', '.join(taken)}")
            try:
                # Neither NaN nor half a surrogate pair can be compared with a ceiling, or sent back.
                json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode()
            except (ValueError, RecursionError):
                raise ConfigurationError("the arguments are not JSON") from None
            for unknown in arguments.keys() - set(taken[name]):
                raise ConfigurationError(f"there is no argument {unknown!r:.80}: use {', '.join(taken[name])}")
            return await super().call_tool(name, arguments)
        except (ErrataError, ToolError) as error:
            raise ToolError(visible(redacted(_reason(name, error)))) from None

    async def converse(self, lines: TextIO, replies: TextIO) -> None:
        """Serve a client that writes and reads lines, until there are no more."""
        try:
            async with stdio_server(anyio.wrap_file(lines), anyio.wrap_file(replies)) as (reading, writing):
                await self._mcp_server.run(reading, writing, self._mcp_server.create_initialization_options())
        except* BrokenPipeError:
            pass  # the client has ended


def _reason(name: str, error: Exception) -> str:
    """Why a call is refused or has failed, for its client."""
    match cause := error.__cause__ or error:
        case ErrataError():
            return str(cause)
        case ValidationError():
            first = cause.errors(include_url=False, include_input=False)[0]
            return f"argument `{first['loc'][0]}`: {first['msg'].lower()}"
    redact(cause)
    logging.getLogger("mcp").error("%s failed", name, exc_info=cause)
    return f"{name} failed ({type(cause).__name__}): the log of the server says more"


def create_server(defaults: Context) -> Server:
    """The server with its tools, for any transport of the SDK.

    Args:
        defaults: The settings of every run. A request may change them in the argument `settings`, except operator
            settings (SECURITY.md) and `review`, and up to the ceilings (`state/runs/hosts.py`).

    Raises:
        ConfigurationError: If the defaults ask for review, or a ceiling is not valid.
    """
    check_defaults(defaults)
    server = Server(
        "errata",
        INSTRUCTIONS,
        log_level="WARNING",
        streamable_http_path=PATH,
        max_request_body_size=MOST_BYTES,
        max_sessions=MOST_SESSIONS,
        # `listen` and the key do this.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    server._mcp_server.version = __version__
    correcting = [name for name, each in METHODS.items() if each.kind == "corrects" and not each.programs]
    of_kind = [name for name, each in METHODS.items() if each.kind in ("corrects", "responds")]
    answering = [name for name in of_kind if "search" in METHODS[name].tools and "question" in inputs(name)]
    reads_only = ToolAnnotations(readOnlyHint=True, openWorldHint=True)

    async def run(methods: list[str], method: str, settings: dict[str, Any], call: Call, **given: Any) -> Any:
        """Run a method with the arguments of a call. Without references, it searches."""
        graph_input = {name: value for name, value in given.items() if name != "references" or value}
        chosen = method or default_method("references" in graph_input)
        if chosen not in methods:
            raise ConfigurationError(f"there is no method {chosen!r:.80}: use {', '.join(methods)}")
        return await _attended(call, _result(chosen, graph_input, settings, defaults, call))

    @server.tool(title="Correct a text", annotations=reads_only)
    async def correct_text(
        call: Call,
        text: ToCheck,
        question: Question = "",
        method: Annotated[str, _choice(correcting)] = "",
        references: References = [],  # noqa: B006
        settings: Settings = {},  # noqa: B006
    ) -> CorrectedText:
        """Check a text against evidence, and correct what the evidence contradicts. Every change names its source."""
        given = {"text": text, "question": question, "references": references}
        return told(await run(correcting, method, settings, call, **given), CorrectedText)

    @server.tool(title="Check a text", annotations=reads_only)
    async def check_text(
        call: Call,
        text: ToCheck,
        question: Question = "",
        references: References = [],  # noqa: B006
        settings: Settings = {},  # noqa: B006
    ) -> CheckedText:
        """Say of each claim of a text whether evidence supports or contradicts it. Changes nothing."""
        given = {"text": text, "question": question, "references": references}
        return told(await run(["refchecker"], "refchecker", settings, call, **given), CheckedText)

    @server.tool(title="Ask, with sources", annotations=reads_only)
    async def ask(
        call: Call,
        question: Annotated[str, Field(description="The question to answer.")],
        method: Annotated[str, _choice(answering)] = "",
        references: References = [],  # noqa: B006
        settings: Settings = {},  # noqa: B006
    ) -> CorrectedText:
        """Draft an answer to a question, check it against evidence, and correct it."""
        given = {"question": question, "references": references}
        return told(await run(answering, method, settings, call, **given), CorrectedText)

    return server


def _choice(methods: list[str]) -> Any:
    """The description of the argument `method`."""
    about = "".join(f"\n{name}: {METHODS[name].about}." for name in methods)
    described = f"The method; leave it out for the usual one.{about}"
    return Field(description=described, json_schema_extra={"enum": ["", *methods]})


async def _result(
    method: str, graph_input: dict[str, Any], settings: dict[str, Any], defaults: Context, call: Call
) -> dict[str, Any]:
    """Run a method, and tell clients that ask for it which steps were done.

    Raises:
        ConfigurationError: If an argument can't work, or only the operator may set it.
    """
    for unknown in settings.keys() - Context.model_fields.keys():
        raise ConfigurationError(f"there is no setting {unknown!r:.80}: use {', '.join(offered(method))}")
    served = Served(load(method), defaults)
    context = served.context(settings)
    check_input(graph_input, served)
    check_length(graph_input, context)
    drafting, searching = "text" not in graph_input, "references" not in graph_input
    if not drafting and not graph_input["text"].strip():
        raise ConfigurationError("the text is empty: give one, or let `ask` write an answer")
    await in_thread(check, method, context, drafting=drafting, searching=searching)
    event: dict[str, Any] = {}
    done = 0
    async for event in served.astream(graph_input, {"configurable": settings}):
        if "step" in event:
            done += 1
            await call.report_progress(done, message=event["step"])
    return event


async def _attended(call: Call, run: Coroutine[Any, Any, Value]) -> Value:
    """Run until it is done, the call is cancelled, or its client has disconnected."""
    request = call.request_context.request
    running = asyncio.ensure_future(run)
    try:
        while not running.done():
            if request and await request.is_disconnected():
                raise ErrataError("the client has left")
            await asyncio.wait({running}, timeout=GLANCE_SECONDS)
        return running.result()
    finally:
        running.cancel()


def serve_stdio(defaults: Context) -> None:
    """Serve the client that started this program, until it closes standard input.

    Raises:
        ConfigurationError: As `create_server` does.
    """
    server = create_server(defaults)
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
        asyncio.run(server.converse(lines, replies))


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
    check_open(host, api_key)
    app = create_app(defaults, api_key=api_key)
    _log_visibly()
    make_ready(app, defaults)
    listen(app, host, port, asks_no_key=not key_of(api_key), extra="mcp", connections=CONNECTIONS, path=PATH)


def create_app(defaults: Context, *, api_key: str | None = None) -> Starlette:
    """An app that speaks MCP (streamable HTTP) at `/mcp`.

    Args:
        defaults: As for `create_server`.
        api_key: Required, as `X-API-Key: KEY` or `Authorization: Bearer KEY`. Read from ERRATA_API_KEY if None.

    Raises:
        ConfigurationError: As `create_server` does.
    """
    app = create_server(defaults).streamable_http_app()
    app.add_middleware(Guard, key=key_of(api_key))
    return app


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
