"""The page of the server: a text is checked on it, and a person decides on each change.

Nothing is stored between requests. `/METHOD/watch` runs a method and streams what happens; `/METHOD/report` makes a
report of a result that the page sends back with the person's decisions.
"""

import base64
import binascii
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from functools import cache
from typing import Any

import orjson
from fastapi import APIRouter, Depends, HTTPException, Request, Response
from fastapi.responses import HTMLResponse
from markupsafe import Markup
from pydantic import TypeAdapter, ValidationError
from rich.console import Console
from rich.text import Text
from sse_starlette.sse import EventSourceResponse

from ... import __version__
from ...graphs import METHODS, default_method, inputs
from ...nodes.begin import check_length
from ...state import Context
from ...state.errors import ConfigurationError, ErrataError
from ...state.runs.hosts import own_fields
from ...state.runs.kept import kept
from ...tools.reading.documents import ENDINGS
from ...tools.reading.uploads import Sent, Upload, read_uploads, search_in
from ...tools.reading.workers import in_thread
from ...tools.search import MAX_TEXT
from ..progress import Progress
from ..reports.report import asset, content_hash, render, templates
from ..run import check
from .decide import decided, pieces
from .outcome import fragment, who_checks
from .requests import configurables, inputs_of, json_object
from .served import Served, check_input

MOST_FILES = 8
MOST_UPLOADED = 5_000_000
"""The most bytes of all files of a request."""
MOST_OF_PAGE = 8_000_000
"""The most bytes of a request from the page: its files in base64 and a text, or a result with its evidence."""
MOST_EDITS = 2_000
"""The most edits of a report: placing them takes time that grows with their square."""
KINDS = {
    "corrects": "Correct",
    "checks": "Check",
    "responds": "Answer from evidence",
    "drafts": "Answer without checks",
}

_log = logging.getLogger(__name__)

Handler = Callable[[Request], Awaitable[Response]]


def add_page(routes: APIRouter, methods: Mapping[str, Served], defaults: Context) -> None:
    """Add the page, and the two routes for each method that its script calls.

    Args:
        routes: The router that they are added to.
        methods: The methods by name.
        defaults: The settings of every run, except those that a request changes.
    """
    html, policy = _page(defaults)
    headers = {
        "Content-Security-Policy": policy,
        "Cache-Control": "no-cache",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }

    async def page() -> HTMLResponse:
        return HTMLResponse(html, headers=headers)

    routes.add_api_route("/", page, include_in_schema=False)
    for name, served in methods.items():
        for call, handler in (("watch", _watch(served)), ("report", _report(served))):
            routes.add_api_route(
                f"/{name}/{call}",
                handler,
                methods=["POST"],
                response_model=None,
                include_in_schema=False,
                dependencies=[Depends(from_here)],
            )


async def from_here(request: Request) -> None:
    """Refuse what the page of another site sends. A program, which sends no origin, is admitted."""
    origin, site = (request.headers.get(name) for name in ("origin", "sec-fetch-site"))
    # Compared as text: an origin that is no address must not get as far as a parser.
    _, _, place = (origin or "").partition("://")
    elsewhere = site not in ("same-origin", "none") if site else place != request.url.netloc
    if (origin or site) and elsewhere:
        raise HTTPException(403, "this is for the server's own page: use /METHOD/invoke or /METHOD/stream")


def _page(defaults: Context) -> tuple[str, str]:
    """The page, and the policy that lets it load nothing and run only its own script."""
    style, script = asset("report.css") + asset("page.css"), asset("page.js")
    html = (
        templates()
        .get_template("page.html.j2")
        .render(
            style=Markup(style),
            script=Markup(script),
            version=__version__,
            groups=list(_groups()),
            alone=default_method(given_references=False),
            with_files=default_method(given_references=True),
            endings=ENDINGS,
            most_files=MOST_FILES,
            most_megabytes=MOST_UPLOADED // 1_000_000,
            where=_where(defaults),
            who=who_checks(defaults),
        )
    )
    return html, (
        f"default-src 'none'; style-src '{content_hash(style)}'; script-src '{content_hash(script)}'; "
        "connect-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )


def _groups() -> Iterator[tuple[str, list[dict[str, str]]]]:
    """The methods by kind, each with its input: a text, a question, or either."""
    for kind, heading in KINDS.items():
        takes = "text question" if kind in ("corrects", "checks") else "question"
        mine = [method for method in METHODS.values() if method.kind == kind]
        yield (
            heading,
            [
                {"name": each.name, "title": each.title, "takes": "" if each.gold == "needed" else takes}
                for each in mine
            ],
        )


def _where(defaults: Context) -> str:
    """What the server searches, without a path of the machine."""
    if not isinstance(defaults.search, str):
        return "what it was set up to search"
    if defaults.search in ("local", "drqa"):
        return "its own documents" if defaults.sources else "a small collection of articles that comes with errata"
    return defaults.search


def _watch(served: Served) -> Handler:
    async def watch(request: Request) -> Response:
        body = await json_object(request)
        try:
            graph_input, context = await _prepared(served, body)
        except ConfigurationError as error:
            raise HTTPException(422, str(error)) from None
        return EventSourceResponse(_events(served, graph_input, context), headers={"X-Accel-Buffering": "no"})

    return watch


async def _prepared(served: Served, body: dict[str, Any]) -> tuple[dict[str, Any], Context]:
    """The input and the settings of a run, with the documents that came along.

    Raises:
        ConfigurationError: If it can't be run.
    """
    (graph_input,) = inputs_of(body, batch=False)
    check_input(graph_input, served)
    (settings,) = configurables(body)
    context = served.context(settings)
    check_length(graph_input, context)
    if uploads := _uploads(body.get("files", [])):
        graph_input, context = await _with_documents(served.graph.name, graph_input, context, uploads)
    drafting = not str(graph_input.get("text") or "").strip()
    searching = not graph_input.get("references")
    await in_thread(check, served.graph.name, context, drafting=drafting, searching=searching)
    return graph_input, context


def _uploads(files: Any) -> list[Upload]:
    """The files of a request.

    Raises:
        ConfigurationError: If they are not files, too many, or too large.
    """
    match files:
        case [*some] if all(isinstance(each, dict) for each in some):
            pairs = [(each.get("name"), each.get("data")) for each in some]
        case _:
            raise ConfigurationError('`files` must be a list of objects such as {"name": "a.txt", "data": "<base64>"}')
    if len(pairs) > MOST_FILES:
        raise ConfigurationError(f"{len(pairs)} files are too many: send at most {MOST_FILES}")
    uploads: list[Upload] = []
    for name, data in pairs:
        if not isinstance(name, str) or not isinstance(data, str):
            raise ConfigurationError("a file needs a `name` and its `data`, in base 64")
        try:
            uploads.append(Upload(name, base64.b64decode(data, validate=True)))
        except (binascii.Error, ValueError):
            raise ConfigurationError(f"{name:.80}: its data is not base 64") from None
    if sum(len(upload.data) for upload in uploads) > MOST_UPLOADED:
        raise ConfigurationError(f"the files are too large: send at most {MOST_UPLOADED // 1_000_000} MB in all")
    return uploads


async def _with_documents(
    method: str, graph_input: dict[str, Any], context: Context, uploads: list[Upload]
) -> tuple[dict[str, Any], Context]:
    """Let a method use documents: compare with them if it takes references and they are short, else search them."""
    takes_references = "references" in inputs(method)
    if not (takes_references or "search" in METHODS[method].tools):
        raise ConfigurationError(f"`{method}` uses no documents: remove them, or choose another method")
    documents = await in_thread(read_uploads, uploads)
    referring = {**graph_input, "references": [*map(_reference, documents)]}
    if takes_references and all(len(each.text) <= MAX_TEXT for each in documents):
        try:
            check_length(referring, context)
            return referring, context
        except ConfigurationError:
            pass  # they are searched, then
    search = await in_thread(search_in, documents, context.timeout)
    return graph_input, context.model_copy(update={"search": search})


def _reference(document: Sent) -> dict[str, str]:
    return {"text": document.text, "title": document.title, "source": document.name}


async def _events(served: Served, graph_input: dict[str, Any], context: Context) -> AsyncIterator[dict[str, str]]:
    """What happens in a run, and at the end the result, or in one line what went wrong."""
    progress = Progress(Console(quiet=True, force_terminal=False))
    result: Any = None
    try:
        async for mode, chunk in served.follow(graph_input, context, writing=True):
            if mode == "custom":
                yield _event("step", step=chunk.get("step", ""), line=_line(progress, chunk))
            elif mode == "values":
                result = chunk
            elif chunk[0].text:
                yield _event("writing", text=chunk[0].text)
        html = await in_thread(fragment, result, served.graph.name)
        yield _event(
            "result",
            html=html,
            pieces=pieces(result) or [{"before": result["text"], "after": result["text"], "change": 0}],
            result=result,
            settings=kept(context, own_fields())["values"],
        )
    except ErrataError as error:
        yield _event("error", detail=str(error))
    except Exception as error:
        _log.exception("a run of %s failed", served.graph.name)
        yield _event("error", detail=f"The run failed ({type(error).__name__}): the server's log says more.")


def _line(progress: Progress, event: dict[str, Any]) -> str:
    """What a step has done, in the words of the command line."""
    progress.saw(event)
    return Text.from_markup(progress.lines.get(event.get("step", ""), "")).plain


def _event(name: str, **data: Any) -> dict[str, str]:
    return {"event": name, "data": orjson.dumps(data, default=str).decode()}


def _report(served: Served) -> Handler:
    method = served.graph.name

    @cache
    def shape() -> TypeAdapter[Any]:  # which takes its time to make
        return TypeAdapter(served.graph.builder.output_schema)

    async def report(request: Request) -> Response:
        body = await json_object(request)
        try:
            result = shape().validate_python(body.get("result"), strict=True)
            if len(result["edits"]) > MOST_EDITS:
                raise HTTPException(413, f"a report may have {MOST_EDITS:,} edits at most")
            unwanted = TypeAdapter(set[int]).validate_python(body.get("rejected", []))
            settings = TypeAdapter(dict[str, Any]).validate_python(body.get("settings", {}))
            result = await in_thread(decided, result, unwanted)
            question = str(body.get("question", ""))
            html = await in_thread(render, result, method=method, question=question, settings=settings)
        except (ValidationError, ValueError, LookupError):
            raise HTTPException(422, "this is not a result from this server: run it again") from None
        headers = {
            "Content-Disposition": 'attachment; filename="errata-report.html"',
            "X-Content-Type-Options": "nosniff",
        }
        return HTMLResponse(html, headers=headers)

    return report
