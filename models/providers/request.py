"""A request to a chat model, and the form in which it is sent, given what is known about the model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.callbacks import AsyncCallbackManager, BaseCallbackHandler, BaseCallbackManager, Callbacks
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.runnables import Runnable
from langchain_core.runnables.config import ensure_config
from langgraph.constants import TAG_NOSTREAM

from ...state import Context
from ...state.runs.secrets import redact
from .habits import Form, Habits, folded, strict_schema
from .provider import is_compatible

CAPS = ("max_tokens", "max_output_tokens", "num_predict")
"""LangChain's names for the limit on a reply's tokens."""


@dataclass(frozen=True)
class Request:
    """What a model is asked, regardless of what the model supports.

    Attributes:
        messages: The conversation.
        temperature: The sampling temperature; a model that was passed as an object keeps its own.
        room: The most tokens of the reply, for a text that may end anywhere; None for as many as it needs.
        schema: The JSON schema of the reply.
        tools: The tools to choose from, in OpenAI's form.
        stop: Words before which the reply ends.
        n: The number of replies.
        logprobs: Whether to report log-probabilities.
        streams: Whether listeners to the run may see the reply as it is written.
    """

    messages: Sequence[BaseMessage]
    temperature: float | None = None
    room: int | None = None
    schema: dict[str, Any] | None = None
    tools: Sequence[dict[str, Any]] = ()
    stop: Sequence[str] = ()
    n: int = 1
    logprobs: bool = False
    streams: bool = False

    @property
    def size(self) -> int:
        """The number of characters of the conversation."""
        return sum(len(message.text) for message in self.messages)


@dataclass(frozen=True)
class Composed:
    """A request in the form in which it is sent.

    Attributes:
        model: The model, set up for it.
        features: The features in it that the model may refuse.
    """

    model: BaseChatModel
    messages: list[BaseMessage]
    options: dict[str, Any]
    features: set[str]
    form: Form
    """How objects are requested."""
    schema: dict[str, Any] | None
    """For a model with its own way of requesting objects."""
    tools: Sequence[dict[str, Any]]
    streams: bool
    """Whether listeners to the graph in mode `messages` see the reply."""

    @property
    def is_capped(self) -> bool:
        """Whether the reply has a limit."""
        return bool(self.features & {"max_completion_tokens", "max_tokens"})

    async def send(self) -> list[AIMessage]:
        """Send it once. Raises what the model's client raises."""
        config = ensure_config()
        config["callbacks"] = _told_first(config["callbacks"])
        tags = [*config["tags"], *(() if self.streams else (TAG_NOSTREAM,))]
        if "n" in self.features:
            result = await self.model.agenerate(
                [self.messages], callbacks=config["callbacks"], tags=tags, **self.options
            )
            messages = (getattr(generation, "message", None) for generation in result.generations[0])
            return [message for message in messages if isinstance(message, AIMessage)]
        reply = await self._runnable().ainvoke(self.messages, {**config, "tags": tags}, **self.options)
        return [reply["raw"] if self.schema else reply]

    def _runnable(self) -> Runnable[Any, Any]:
        if self.tools:
            choice = {"tool_choice": "any"} if "tool_choice" in self.features else {}
            return self.model.bind_tools(self.tools, **choice)
        if self.schema:
            structured = self.model.with_structured_output(self.schema, include_raw=True)
            return structured.with_config(run_name="structured output")
        return self.model


TRACEABLE = frozenset({"status_code", "request_id"})
"""What a trace may contain of a server's error response."""


class _Redacting(BaseCallbackHandler):
    """Removes secrets from an error before it is traced, streamed or logged."""

    run_inline = True

    def on_llm_error(self, error: BaseException, *, response: LLMResult | None = None, **_: Any) -> None:
        redact(error)
        for generation in (each for group in response.generations for each in group) if response else ():
            if isinstance(generation, ChatGeneration):  # LangChain keeps the server's response there, including headers
                metadata = generation.message.response_metadata
                generation.message.response_metadata = {name: metadata[name] for name in TRACEABLE & metadata.keys()}


def _told_first(callbacks: Callbacks) -> BaseCallbackManager:
    """The same callbacks behind one that redacts."""
    if isinstance(callbacks, BaseCallbackManager):
        manager = callbacks.copy()
    else:
        manager = AsyncCallbackManager([*(callbacks or ())], [*(callbacks or ())])
    first = _Redacting()
    manager.handlers.insert(0, first)
    manager.inheritable_handlers.insert(0, first)
    return manager


class Prepared:
    """A model and the copies of it that were set up for requests: making one takes a tenth of a call's time."""

    def __init__(self, model: BaseChatModel) -> None:
        self.model = model
        self._copies: dict[frozenset[tuple[str, Any]], BaseChatModel] = {}

    def having(self, update: dict[str, Any]) -> BaseChatModel:
        """The model with other values of some fields."""
        update = {name: value for name, value in update.items() if value != getattr(self.model, name)}
        if not update:
            return self.model
        key = frozenset(update.items())
        if key not in self._copies:
            while len(self._copies) >= _MOST_COPIES:
                del self._copies[next(iter(self._copies))]
            self._copies[key] = self.model.model_copy(update=update)
        return self._copies[key]


_MOST_COPIES = 64


def compose(prepared: Prepared, request: Request, room: int | None, habits: Habits, context: Context) -> Composed:
    """The form in which a request is sent.

    Args:
        prepared: The model, as it was opened.
        request: The request.
        room: The most tokens of the reply; None for no limit.
        habits: What is known about the model.
        context: Settings that come before those of the request.
    """
    model = prepared.model
    room = room if request.size < habits.uncapped else None
    is_given_object = not isinstance(context.model, str)  # an object keeps its settings, unless the Context has others
    update: dict[str, Any] = {} if is_given_object else {"disable_streaming": not request.streams}
    options: dict[str, Any] = {}
    body: dict[str, Any] = {}

    def may_have(feature: str) -> bool:
        return feature not in habits.refused

    def set_to(name: str, value: Any, *features: str) -> None:
        """Set a field of the model, if it has it; None leaves it as it is, and a refused one is emptied."""
        if name in type(model).model_fields:
            field_value = getattr(model, name) if value is None else value
            update[name] = field_value if all(map(may_have, features)) else None

    temperature = request.temperature if context.temperature is None and not is_given_object else context.temperature
    set_to("temperature", temperature, "temperature")
    set_to("reasoning_effort", context.reasoning_effort, "reasoning_effort")
    cap = next((name for name in CAPS if name in type(model).model_fields), "")
    set_to(cap, room, "max_completion_tokens")
    features = {name for name in ("temperature", "reasoning_effort") if update.get(name) is not None}
    if update.get(cap) is not None:
        features.add("max_completion_tokens")
    elif room and not may_have("max_completion_tokens") and may_have("max_tokens"):
        body["max_tokens"] = room  # by its older name, which langchain-openai no longer sends
        features.add("max_tokens")

    schema = None
    if request.schema and habits.form != "text":
        if is_compatible(model):
            body["response_format"] = _format(request.schema, habits)
            features |= {"response_format"} | ({"strict"} if habits.form == "schema" and may_have("strict") else set())
        elif habits.form == "schema":
            schema = request.schema
            features.add("response_format")
    if request.tools:
        features |= {"tools"} | ({"tool_choice"} if may_have("tool_choice") else set())
    if request.stop and may_have("stop"):
        options["stop"] = list(request.stop)
        features.add("stop")
    if is_compatible(model):
        if request.n > 1 and may_have("n"):
            options["n"] = request.n
            features.add("n")
        if request.logprobs and may_have("logprobs"):
            options["logprobs"] = True
            features.add("logprobs")
        if request.streams:
            update["stream_usage"] = may_have("stream_options")
            features |= {"stream_options"} if may_have("stream_options") else set()
        if body:
            options["extra_body"] = {**(getattr(model, "extra_body", None) or {}), **body}

    messages = list(request.messages)
    if messages[0].type == "system":
        if may_have("system"):
            features.add("system")
        else:
            messages = folded(messages)
    own = prepared.having(update)
    return Composed(own, messages, options, features, habits.form, schema, request.tools, request.streams)


def _format(schema: dict[str, Any], habits: Habits) -> dict[str, Any]:
    """How an OpenAI-compatible server is asked for an object.

    It stands in the body of the request: the client's own way to ask for it takes as long again as the rest of the
    call, and raises where a reply is cut off.
    """
    if habits.form == "object":
        return {"type": "json_object"}
    strict = {"strict": True} if "strict" not in habits.refused else {}
    return {"type": "json_schema", "json_schema": {"name": schema["title"], "schema": strict_schema(schema), **strict}}
