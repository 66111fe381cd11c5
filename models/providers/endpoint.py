"""A reachable chat model, and the limits on asking it: concurrency, rate, time, retries.

Everything that asks the same model on the same event loop shares one line to it and one limit; what the model was found
to refuse is shared by the whole process.
"""

import asyncio
import weakref
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage

from ...state import Context, embedded_name
from ...state.errors import ErrataError, ModelError
from ...state.runs.addresses import login
from ...state.runs.loops import shared
from ...state.runs.meter import tokens_of
from ..reading import is_cut_off, repeats_itself, text_of, thinks
from . import embedded
from .bounds import Gate
from .habits import FORMS, Habits, habits_of
from .kept import kept_or_asked
from .paying import paid
from .provider import assumed, in_a_line, is_compatible, model_name, open_model
from .refusals import Refusal
from .replies import client, unusable
from .request import Composed, Prepared, Request, compose

ROOM = 2_048
"""The default limit on a reply in tokens, for a model that does not reason before it replies."""
EMBEDDED_ROOM = 300
"""The same of a small embedded model, which does not find an end by itself."""
MORE_ROOM, ROOM_RAISES = 4, 2
"""The factor by which a truncated reply's limit is raised, and how many times at most."""
AT_ONCE = 1.0
"""In seconds: servers refuse a request immediately. A request that was worked on for this long was accepted as it is.
"""


class Refused(Exception):
    """A model that accepts no request with tools, or none for several replies."""


@dataclass
class Line:
    """A model with the connections of one event loop."""

    model: BaseChatModel
    habits: Habits
    gate: Gate
    at_once: int | None = None
    """Requests that an embedded model takes at once."""
    trying: dict[str, asyncio.Future[None]] = field(default_factory=dict)
    """Features that the model may or may not support, and the end of the request that is finding out."""

    def __post_init__(self) -> None:
        self.prepared = Prepared(self.model)


@dataclass
class Endpoint:
    """A chat model, asked with the settings of one run."""

    name: str
    line: Line
    context: Context

    @property
    def habits(self) -> Habits:
        """What is known about the model."""
        return self.line.habits

    @property
    def rambles(self) -> bool:
        """Whether it is a small model in this process, of whose replies the beginning is taken."""
        return (self.line.at_once or 1) > 1

    async def ask(self, request: Request) -> AIMessage:
        """Send a request, with retries after temporary faults, and without what the model refuses.

        After a truncated reply, the request is repeated with a higher limit.

        Raises:
            ModelError: If the model is not available, or its reply does not fit its limit; the reason in one line.
            Refused: If it accepts no request with tools.
        """
        return await self._whole(request, self._room(request), ROOM_RAISES)

    async def sample(self, request: Request) -> list[AIMessage | ModelError]:
        """`request.n` independent replies: in one request if the model supports it, otherwise in as many, at once.

        Raises:
            ModelError: If there is no reply.
        """
        room, raises = self._room(request), ROOM_RAISES
        replies: list[AIMessage] = []
        if request.n > 1 and "n" not in self.habits.refused:
            try:
                replies = await self._replies(request, room)
            except Refused:
                self.habits.refuse("n")
        complete: list[AIMessage | ModelError] = [reply for reply in replies if not self._is_cut(reply, request)]
        if cut := next((reply for reply in replies if self._is_cut(reply, request)), None):
            room, raises = self._more(room, cut), raises - 1
        single = replace(request, n=1)
        complete += await asyncio.gather(*(self._one(single, room, raises) for _ in range(request.n - len(complete))))
        if all(isinstance(reply, ModelError) for reply in complete):
            raise complete[0]  # type: ignore[misc]
        return complete

    async def _one(self, request: Request, room: int | None, raises: int) -> AIMessage | ModelError:
        try:
            return await self._whole(request, room, raises)
        except ModelError as error:
            return error

    async def _whole(self, request: Request, room: int | None, raises: int) -> AIMessage:
        """A reply that fits its limit, which is raised a limited number of times."""
        attempt = -1
        while True:
            attempt += 1
            reply = (await self._replies(request, room, attempt))[0]
            if not self._is_cut(reply, request):
                return reply
            if self._is_deaf(reply, room):
                self.habits.refuse("max_completion_tokens")  # and asked for the same by its older name
            elif repeats_itself(reply):
                raise ModelError(f"{self.name}: the reply repeats itself until its room of {room} tokens ended")
            elif raises and not self.context.max_output_tokens:
                room, raises = self._more(room, reply), raises - 1
            else:
                raise ModelError(
                    f"{self.name}: the reply was cut off after {room or _tokens(reply)} tokens; "
                    "raise max_output_tokens, or lower reasoning_effort if the model reasons"
                )

    def _is_cut(self, reply: AIMessage, request: Request) -> bool:
        """Whether a reply is cut off that was to be whole."""
        return is_cut_off(reply) and not ((request.room or self.rambles) and text_of(reply))

    def _is_deaf(self, reply: AIMessage, room: int | None) -> bool:
        """Whether the server ignores the given limit: it truncated the reply long before."""
        written = tokens_of(reply).get("output_tokens")
        if not room or written is None:
            return False
        self.habits.listens = self.habits.listens or written >= room // 2
        has_two_names = is_compatible(self.line.model) and "max_completion_tokens" not in self.habits.refused
        return has_two_names and not self.habits.listens

    def _more(self, room: int | None, reply: AIMessage) -> int | None:
        """The next limit. A reasoning model is first given no limit at all, and then a higher one."""
        return None if room and self.habits.thinks else MORE_ROOM * (room or _tokens(reply))

    def _room(self, request: Request) -> int | None:
        """The first limit on a reply in tokens; None for no limit of ours."""
        if self.context.max_output_tokens:
            return self.context.max_output_tokens
        if self.habits.thinks or not isinstance(self.context.model, str):
            return None  # as the model has it
        return request.room or (EMBEDDED_ROOM if self.rambles else ROOM)

    async def _replies(self, request: Request, room: int | None, attempt: int = 0) -> list[AIMessage]:
        """The replies to one request: stored ones, or otherwise the model's."""
        replies = await kept_or_asked(
            self.context, self.line.model, request, attempt, lambda: self._asked(request, room)
        )
        if len(replies) < request.n:
            self.habits.refuse("n")
        self.habits.thinks = self.habits.thinks or any(map(thinks, replies))
        return replies

    async def _asked(self, request: Request, room: int | None) -> list[AIMessage]:
        """The model's replies to one request, without the parts that it refuses."""
        guessed: list[str] = []  # what is left out of this request alone
        named: list[str] = []  # what its errors named
        request_form = first_form = self.habits.form
        has_shed_limit = False
        while True:
            if request.tools and self.habits.calls_tools is False:
                raise Refused
            composed = self._composed(request, room, guessed)
            unknown = composed.features - self.habits.proven
            if unknown and await self._was_found_out(unknown):
                continue
            try:
                with self._finding_out(unknown):
                    replies = await self._send(composed, request.size)
            except ErrataError:
                raise  # nothing was asked
            except Exception as error:
                refusal = Refusal(error, composed.features)
                if refusal.is_cut_off:
                    return [_NOTHING]
                if refusal.is_about_size and composed.is_capped and not has_shed_limit:
                    has_shed_limit = True  # a limit of the model's own stays
                    self.habits.crowded(request.size)
                    continue
                if refusal.is_about_size or not refusal.features:
                    self.habits.forget(named, first_form)  # its errors may have quoted its text, which names anything
                    raise ModelError(f"{self.name}: {in_a_line(error, self.context.timeout)}") from error
                for feature in refusal.features:
                    if refusal.is_certain:
                        self.habits.refuse(feature, composed.form)
                        named.append(feature)
                    else:
                        guessed.append(feature)
                if {"tools", "n"} & set(refusal.features):
                    raise Refused from error  # the alternative is another request
                continue
            for feature in guessed:
                self.habits.refuse(feature, request_form)  # the same request without it succeeded
                request_form = FORMS[request_form] if feature == "response_format" else request_form
            self.habits.proven |= composed.features
            return replies

    def _composed(self, request: Request, room: int | None, left_out: list[str]) -> Composed:
        habits = replace(self.habits, refused=self.habits.refused.union(left_out))
        for _ in range(left_out.count("response_format")):
            habits.form = FORMS[habits.form]
        # A model that was passed as an object may be changed by its owner.
        prepared = self.line.prepared if isinstance(self.context.model, str) else Prepared(self.line.model)
        return compose(prepared, request, room, habits, self.context)

    async def _was_found_out(self, unknown: set[str]) -> bool:
        """Wait for requests that are finding out about a feature; returns whether they finished."""
        others = {self.line.trying[name] for name in unknown if name in self.line.trying}
        if not others:
            return False
        _, under_way = await asyncio.wait(others, timeout=AT_ONCE)
        return not under_way

    @contextmanager
    def _finding_out(self, unknown: set[str]) -> Iterator[None]:
        """Let others wait who would ask about the same features."""
        finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        claimed = [name for name in unknown if name not in self.line.trying]
        self.line.trying |= dict.fromkeys(claimed, finished)
        try:
            yield
        finally:
            finished.set_result(None)
            for name in claimed:
                del self.line.trying[name]

    async def _send(self, composed: Composed, chars: int) -> list[AIMessage]:
        def is_final(error: BaseException) -> bool:
            return bool(unusable(error) or Refusal(error, composed.features).features)

        return await self.line.gate.keep(lambda: paid(composed.send, chars), self.context, is_final)


@asynccontextmanager
async def connect(context: Context) -> AsyncIterator[Endpoint]:
    """The endpoint of the Context's chat model, which stays open at least for the block.

    A model given as an object is used as it is, with the settings that it was made with.

    Raises:
        ConfigurationError: For an unknown model, a missing package or a missing key.
    """
    key = (_identity(context.model), context.base_url)
    name = embedded_name(context.model)

    async def line(stack: AsyncExitStack) -> Line:
        # The address in the model is without user and password: it appears in traces and logs.
        connections = await stack.enter_async_context(client(login(context.base_url)))
        # In a thread: it imports packages and may start an embedded server, which would hold up the event loop.
        model = await asyncio.to_thread(open_model, context, connections)
        at_once = None if name is None else await asyncio.to_thread(embedded.at_once, name)
        habits = habits_of(key, await asyncio.to_thread(assumed, context, model))
        return Line(model, habits, Gate(habits), at_once)

    async with AsyncExitStack() as stack:
        server = None
        if name is not None and not context.base_url:
            path = await asyncio.to_thread(embedded.weights, name)
            server = stack.enter_context(embedded.in_use(path))
        shared_line = await stack.enter_async_context(shared(("line", *key, context.send_key, server), line))
        yield Endpoint(model_name(context), shared_line, _patient(context, shared_line))


def _patient(context: Context, line: Line) -> Context:
    """The settings of a run with a model in this process: what it can't take yet waits, and a slow one has its time."""
    if line.at_once is None:
        return context
    update: dict[str, Any] = {"max_concurrency": min(context.max_concurrency, line.at_once)}
    if line.at_once == 1 and "timeout" not in context.model_fields_set:
        update["timeout"] = embedded.PATIENCE
    return context.model_copy(update=update)


class _Object:
    """A model that was passed as an object, for as long as it lives: another one is never mistaken for it."""

    def __init__(self, model: Any) -> None:
        self.id = id(model)
        self.model = weakref.ref(model)

    def __hash__(self) -> int:
        return self.id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Object) and self.id == other.id and self.model() is other.model() is not None


def _identity(model: Any) -> Any:
    return model if isinstance(model, str) else _Object(model)


_NOTHING = AIMessage("", response_metadata={"finish_reason": "length"})
"""The reply of a server that reports that it found no room for one."""


def _tokens(reply: AIMessage) -> int:
    """The tokens of a reply that has at least a page of them."""
    return max(tokens_of(reply).get("output_tokens", 0), ROOM // MORE_ROOM)
