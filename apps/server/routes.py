"""The routes of the server: every method through LangServe, and the requests that they refuse."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import orjson
from fastapi import APIRouter, Depends, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.routing import APIRoute
from langserve import add_routes
from langserve.serialization import WellKnownLCSerializer
from pydantic import BaseModel

from ... import __version__
from ...graphs import METHODS, load
from ...nodes.begin import check_length
from ...state import Context
from ...state.errors import ConfigurationError
from ...tools.reading.workers import in_thread
from ..run import check
from .page import add_page
from .requests import configurables, inputs_of, json_object
from .served import Served, check_input


def router(defaults: Context) -> APIRouter:
    """Make routes for every method, the page, and `/health`, for your own app.

    A request that can't be run is refused with status 422 and a line that says why. If this can't be known beforehand,
    the run raises ConfigurationError, which the app may want to handle.

    Args:
        defaults: The settings of every run, except those that a request changes.
    """
    routes = APIRouter(route_class=_Route)
    methods = {name: Served(load(name), defaults) for name in METHODS}
    for name, served in methods.items():
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
    add_page(routes, methods, defaults)
    routes.add_api_route("/health", _health)
    return routes


class _Route(APIRoute):
    """A route as it is, except the playground, where LangServe puts the input below some fifty settings."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        if "/playground" not in self.path:
            return handle

        async def with_input_first(request: Request) -> Response:
            try:
                page = await handle(request)
            except OSError:  # the path is too long for a file's name, or names a folder
                raise HTTPException(404, "Not Found") from None
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


def _acceptable(served: Served) -> Callable[[Request], Awaitable[None]]:
    """A dependency that refuses what can't be run.

    LangServe itself drops unknown fields, answers 500 to some malformed requests, and finds settings that can't work
    when a stream has already begun.
    """

    async def acceptable(request: Request) -> None:
        if request.method != "POST":
            return
        body = await json_object(request)
        try:
            inputs = inputs_of(body, batch=request.url.path.endswith("/batch"))
            for graph_input in inputs:
                check_input(graph_input, served)
            drafting = any(not graph_input.get("text", "").strip() for graph_input in inputs)
            settings_given = list(configurables(body))
            for number, request_settings in enumerate(settings_given):
                context = served.context(request_settings)
                for graph_input in inputs if len(settings_given) == 1 else inputs[number : number + 1]:
                    check_length(graph_input, context)
                if request_settings or drafting:
                    await in_thread(check, served.graph.name, context, drafting=drafting)
        except ConfigurationError as error:
            raise HTTPException(422, str(error)) from None

    return acceptable
