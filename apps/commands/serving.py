"""Commands that stay open: a conversation, and servers."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..cli.delivery import check_writable
from ..cli.options import Whole, model_options, search_options

if TYPE_CHECKING:
    from ...state import Context


@click.command(short_help="Hold a conversation about your sources.")
@search_options
@model_options
@click.option("--rounds", type=int, metavar="N", help="How often to try again after a low score (default 1).")
@click.option("--max-calls", type=int, metavar="N", help="Maximum number of model calls for one response.")
@click.option(
    "--backend", "backends", metavar="TASK=BACKEND", multiple=True, help="Choose a task's backend, as in respond=rules."
)
@click.option("--log", metavar="FILE", help="Log decisions, without texts, to learn from.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each response.")
def chat(backends: tuple[str, ...], more: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Talk with the model about your sources: each response is written from evidence and scored.

    If standard input is not a terminal, it reads one message per line.
    """
    from ..settings import check_read, make_context

    check_writable(Path(options["log"]) if options["log"] else None, "--log")
    context = make_context(options, backends, more)
    from ..cli.chat import METHOD
    from ..cli.chat import chat as converse

    check_read(context, METHOD)
    sys.exit(0 if converse(context, as_json=as_json) else 1)


@click.command(short_help="Serve a web page for checking texts, and every method.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Other addresses than loopback need a key.")
@click.option("--port", default=8000, show_default=True, type=Whole(0, 65535))
@click.option("--api-key", envvar="ERRATA_API_KEY", help="Require this key on every route.")
@click.option("--runs", type=Whole(1), metavar="N", help="How many runs at once (default 16).")
@click.option("--waiting", type=Whole(0), metavar="N", help="Runs that may wait; others get 503 (default 64).")
@click.option("--keys", metavar="FILE", help="JSON file of keys by name, with quotas.")
@click.option("--audit", metavar="FILE", help="Append a line for each request, without texts; - for standard error.")
@click.option("--metrics/--no-metrics", default=None, help="Offer /metrics to Prometheus (off by default).")
@search_options
@model_options
def serve(host: str, port: int, api_key: str | None, more: tuple[str, ...], **options: Any) -> None:
    """Serve a page for checking texts, and every method with LangServe, with these settings as defaults.

    Any setting can also come from the environment, as in ERRATA_SOURCES=DIR, and so can the server's options, as in
    ERRATA_SERVE_RUNS=8. A limit that you set is the ceiling for requests; ERRATA_CEILINGS="rounds=6" sets another.
    """
    from ..server.app import Operation
    from ..server.app import serve as run_server

    operation = Operation.of(**{name: options.pop(name) for name in Operation.model_fields})
    run_server(host=host, port=port, defaults=_defaults(options, more), api_key=api_key, operation=operation)


@click.command(short_help="Offer errata to editors, chat apps and agents (MCP).")
@click.option("--http", is_flag=True, help="Serve streamable HTTP at /mcp instead of standard input and output.")
@click.option("--host", help="With --http (default 127.0.0.1). Other addresses than loopback need a key.")
@click.option("--port", type=Whole(0, 65535), help="With --http (default 8000).")
@click.option("--api-key", envvar="ERRATA_API_KEY", help="With --http: require this key.")
@search_options
@model_options
def mcp(
    http: bool, host: str | None, port: int | None, api_key: str | None, more: tuple[str, ...], **options: Any
) -> None:
    """Offer correct_text, check_text and ask to an MCP client: an editor, a chat app, an agent.

    The client starts this command by itself, or connects to it over HTTP. Settings and their ceilings are as for
    `errata serve`.
    """
    if not http and (host is not None or port is not None):
        raise click.UsageError("--host and --port go with --http.")
    from ..mcp.server import serve_http, serve_stdio

    context = _defaults(options, more)
    if http:
        serve_http(context, host or "127.0.0.1", 8000 if port is None else port, api_key)
    else:
        serve_stdio(context)


def _defaults(options: dict[str, Any], more: tuple[str, ...]) -> "Context":
    """The settings of a server: its options, and below them its environment."""
    from ...state.runs.hosts import from_environment
    from ..run import check
    from ..settings import make_context

    options_given = {name: value for name, value in options.items() if value is not None}
    context = make_context({**from_environment(), **options_given}, (), more)
    check("rarr", context, drafting=False)  # further needs of other methods are reported to requests
    return context
