"""The routes of the server: every method through LangServe, and the requests that they refuse."""

import json
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from html import escape
from typing import Any

import orjson
from fastapi import APIRouter, Depends, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.routing import APIRoute
from langserve import add_routes
from langserve.serialization import WellKnownLCSerializer
from pydantic import BaseModel

from .. import __version__
from ..graphs import METHODS, load
from ..nodes.begin import check_length
from ..state import Context
from ..state.errors import ConfigurationError
from ..tools.workers import in_thread
from .run import check
from .served import Served, check_input
from .traffic import CALLS

MOST_INPUTS = 100
"""Texts in one batch."""


def router(defaults: Context) -> APIRouter:
    """Routes for every method, a page that lists them, and `/health`: for an app of your own.

    A request that can't be run is refused with status 422 and a line that says why. What can't be known beforehand is
    raised by the run as ConfigurationError, which the app may want to handle.

    Args:
        defaults: Settings of every run, but for those that a request changes.
    """
    routes = APIRouter(route_class=_Route)
    for name in METHODS:
        served = Served(load(name), defaults)
        add_routes(
            routes,
            served,
            path=f"/{name}",
            dependencies=[Depends(_acceptable(served))],
            serializer=_Serializer(),
            # Feedback needs LangSmith; a short hash can hold a very long text.
            disabled_endpoints=["config_hashes", "token_feedback"],  # type: ignore[list-item]  # it is one of them
        )
        # The playground asks for it as soon as a setting is changed. It is the same whatever the settings are.
        routes.add_api_route(f"/{name}/c/{{settings}}/input_schema", _input_schema(served), include_in_schema=False)
    routes.add_api_route("/", _index, response_class=HTMLResponse, include_in_schema=False)
    routes.add_api_route("/health", _health)
    return routes


class _Route(APIRoute):
    """A route as it is, but for the playground, which LangServe makes with the input below some fifty settings."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        if "/playground" not in self.path:
            return handle

        async def with_input_first(request: Request) -> Response:
            page = await handle(request)
            if page.media_type != "text/html":
                return page
            return HTMLResponse(bytes(page.body).replace(b"</head>", _INPUT_FIRST + b"</head>"))

        return with_input_first


_INPUT_FIRST = b"""<style>
#root > div > div > .w-full { flex-grow: 0; order: 1 }
#root > div > div > :not(h1, .w-full) { order: 2 }
button[aria-haspopup=dialog] { display: none }  /* Share: its links carry settings, which no route here reads */
</style>"""


def _input_schema(served: Served) -> Callable[[], Awaitable[JSONResponse]]:
    async def input_schema() -> JSONResponse:
        return JSONResponse(served.get_input_schema().model_json_schema())

    return input_schema


class _Serializer(WellKnownLCSerializer):
    """LangServe's own fails on what passes between the steps of a graph, such as `Send`, which stream_log shows."""

    def dumps(self, obj: Any) -> bytes:
        return orjson.dumps(obj, default=_readable)


def _readable(value: Any) -> Any:
    return value.model_dump() if isinstance(value, BaseModel) else f"<{type(value).__name__}>"


async def _health() -> dict[str, Any]:
    """Whether the server answers, its version, and its methods."""
    return {"status": "ok", "version": __version__, "methods": list(METHODS)}


async def _index() -> str:
    return _PAGE.format(
        version=__version__, methods="".join(_entry(name, method.title) for name, method in METHODS.items())
    )


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>errata</title>
<style>body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem }}</style>
</head><body><h1>errata {version}</h1>
<p>Checks what a language model said, with tools, and corrects it.</p>
{methods}
<p><a href="docs">API documentation</a> · <a href="health">health</a> · <a href="ready">ready</a></p>
</body></html>
"""


def _entry(name: str, line: str) -> str:
    calls = ", ".join(f"<code>/{name}/{call}</code>" for call in CALLS)
    schemas = ", ".join(f'<a href="{name}/{kind}_schema">{kind}</a>' for kind in ("input", "output", "config"))
    return (
        f'<h2><a href="{name}/playground/">{name}</a></h2><p>{escape(line)}</p>'
        f"<p>POST to {calls}.<br>Schemas: {schemas}.</p>"
    )


def _acceptable(served: Served) -> Callable[[Request], Awaitable[None]]:
    """A dependency that refuses what can't be run.

    LangServe itself drops unknown fields, answers 500 to some malformed requests, and finds settings that can't work
    when a stream has already begun.
    """

    async def acceptable(request: Request) -> None:
        if request.method != "POST":
            return
        body = await _json_object(request)
        try:
            inputs = _inputs(body, batch=request.url.path.endswith("/batch"))
            for graph_input in inputs:
                check_input(graph_input, served)
            drafting = any(not graph_input.get("text", "").strip() for graph_input in inputs)
            configurables = list(_configurables(body))
            for number, given in enumerate(configurables):
                context = served.context(given)
                for graph_input in inputs if len(configurables) == 1 else inputs[number : number + 1]:
                    check_length(graph_input, context)
                if given or drafting:
                    await in_thread(check, served.graph.name, context, drafting=drafting)
        except ConfigurationError as error:
            raise HTTPException(422, str(error)) from None

    return acceptable


async def _json_object(request: Request) -> dict[str, Any]:
    # A page of another site can make a browser send a form or plain text to this server, but not JSON.
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "send JSON, with the header Content-Type: application/json")
    try:
        body = await request.json()
        # Neither NaN nor half a surrogate pair can be sent back.
        json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise HTTPException(422, "the body is not JSON") from None
    if not isinstance(body, dict):
        raise HTTPException(422, 'the body is not a JSON object such as {"input": {"text": "..."}}')
    return body


def _inputs(body: dict[str, Any], *, batch: bool) -> list[Any]:
    name = "inputs" if batch else "input"
    if name not in body:
        raise ConfigurationError(f"the body has no `{name}`")
    inputs = body[name] if batch else [body[name]]
    if not isinstance(inputs, list):
        raise ConfigurationError("`inputs` is to be a list")
    if len(inputs) > MOST_INPUTS:
        raise ConfigurationError(f"`inputs` has {len(inputs)} entries: send {MOST_INPUTS} at most")
    return inputs


def _configurables(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The settings that a request gives."""
    configs = body.get("config", {})
    for config in configs if isinstance(configs, list) else [configs]:
        configurable = config.get("configurable", {}) if isinstance(config, dict) else None
        if not isinstance(configurable, dict):
            raise ConfigurationError('`config` is to be an object such as {"configurable": {"pages": 3}}')
        yield configurable
