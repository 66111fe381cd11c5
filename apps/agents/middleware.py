"""Checking the final answer of a LangChain agent against what the agent has seen, before anybody reads it."""

import logging
import uuid
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple, get_args

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse, hook_config
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.constants import TAG_NOSTREAM
from langgraph.errors import GraphBubbleUp
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from ...graphs import METHODS, load
from ...graphs.method import Method
from ...state import Context, Result
from ...state.errors import ConfigurationError
from ...state.runs.given import refuse_unread
from ...state.runs.hosts import trusted
from ..result import citations
from ..run import check
from .blocks import annotated, text_of, with_text
from .seen import seen
from .tool import tool_name

log = logging.getLogger(__name__)

Mode = Literal["correct", "annotate", "retry", "block"]
KEY = "errata"
"""The key of the message's `response_metadata` that holds the Result, or `{"error": reason}`."""
WITHHELD = "This answer was withheld, because it contradicts the sources."
KNOWN_MODELS = 256
"""For how many answers to remember which of the agent's models wrote them."""

_QUIET: RunnableConfig = {"tags": [TAG_NOSTREAM]}
"""Text written by a method's model is not the agent's answer: it stays out of the agent's message stream."""


class _Check(NamedTuple):
    """What to check, and how."""

    answer: AIMessage
    graph_input: dict[str, Any]
    context: Context
    sent_back: list[AnyMessage]
    """Answers that were sent back in this turn, with the comments on them."""


class CorrectFinalAnswer(AgentMiddleware[AgentState[Any], Any, Any]):
    """Checks an agent's answer against what its tools have returned, and corrects it.

        create_agent(model, tools, middleware=[CorrectFinalAnswer()])

    The evidence is what the agent's tools returned: the documents in their artifacts, or otherwise their text. Evidence
    is also searched for if the context names a search (`search` or `sources`); methods that take no references always
    search. The agent's own model does the checking, unless the context has a `model`.

    The checked message replaces the agent's last one and keeps its id. Its `response_metadata["errata"]` holds the
    whole Result (edits, evidence, verdicts, the status of each sentence, usage) and `citations`, LangChain's standard
    citations of supported sentences. If an agent has two of these, it holds the Result of the last, and the other is
    its `previous`. If the check fails, the answer stays as it was, a warning is logged and
    `response_metadata["errata"]["error"]` says why. Structured responses, messages without text, and those with tool
    calls are left alone. The text of a message in blocks is read as one, with each block on a line; edits stay in their
    blocks.

    With `Context(review=True)` the agent pauses at every proposed edit, if it has a checkpointer; resume it with
    `Command(resume={"decisions": [{"type": "approve"}]})`, as the graph itself.

    An agent that streams tokens has already shown the unchecked answer: read the final message instead.
    """

    def __init__(
        self,
        method: str | CompiledStateGraph[Any, Context, Any, Any] = "ground",
        context: Context | dict[str, Any] | None = None,
        name: str | None = None,
        *,
        mode: Mode = "correct",
        evidence_from: Collection[str] | None = None,
        retries: int = 1,
        withheld: str = WITHHELD,
    ) -> None:
        """Check with a method.

        Args:
            method: The name of a method, or a compiled graph of `errata.graphs` without a checkpointer of its own.
            context: The settings of its runs.
            name: Its name in the agent's graph and traces. An agent with the same method twice needs two names.
            mode: What happens to an answer. `correct`: contradictions with evidence are corrected. `annotate`: the
                words stay, in standard content blocks with a citation for each sentence that evidence supports
                (`ground` and `refchecker`). `retry`: an answer that evidence contradicts goes back to the agent's model
                with the findings; if it is still contradicted after `retries`, it is corrected. The messages in between
                are removed from the conversation. `block`: such an answer is replaced by `withheld`.
            evidence_from: The names of the tools whose results are evidence; None for all. Leave out tools that only
                repeat a model, such as other agents.
            retries: How often an answer may be sent back in one turn.
            withheld: The text that replaces a blocked answer.

        Raises:
            ConfigurationError: If there is no such method, its settings are invalid or cannot work (a missing key or
                folder, an unknown search or backend, a setting that it does not read), or it does not support `mode`.
        """
        super().__init__()
        if mode not in get_args(Mode) or retries < 0:
            raise ConfigurationError(f"mode is one of {', '.join(get_args(Mode))}, and retries is not negative")
        self.graph: Any = load(method) if isinstance(method, str) else method
        self._name = name or tool_name(self.graph.name)
        self.mode, self.evidence_from, self.retries, self.withheld = mode, evidence_from, retries, withheld
        self._models: OrderedDict[str, Any] = OrderedDict()
        self._takes = frozenset(self.graph.builder.input_schema.__annotations__)
        record = METHODS.get(self.graph.name)  # of another graph we don't know what it needs
        # Always given: without one the graph would see the agent's own runtime context.
        self.context = Context.model_validate(context or {})
        if record:
            if isinstance(context, dict):
                refuse_unread(record.name, context, record.reads)
            self.context = self._settings(record)
            searching = "research" not in record.reads or bool(self.context.research)
            check(record.name, self.context, drafting=False, searching=searching)

    def _settings(self, method: Method) -> Context:
        """The settings, including those that the mode and the agent's own evidence determine."""
        settings_given = self.context.model_fields_set
        settings_added: dict[str, Any] = {}
        if "research" in method.reads - settings_given:
            settings_added["research"] = not settings_given.isdisjoint({"search", "sources"})
        if self.mode == "annotate":
            if "mode" not in method.reads and method.kind != "checks":
                raise ConfigurationError(f"`{method.name}` cannot annotate: use ground or refchecker")
            settings_added["mode"] = "annotate"
        return self.context.model_copy(update=settings_added)

    @property
    def name(self) -> str:
        """The agent graph's name for it: `correct_with_ground`, unless it was given a name."""
        return self._name

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Call the model as usual, and record which model wrote the answer."""
        return self._known(request, handler(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """As `wrap_model_call`, async."""
        return self._known(request, await handler(request))

    def _known(self, request: ModelRequest[Any], response: ModelResponse[Any]) -> ModelResponse[Any]:
        """Record which model wrote the answer: another run of the agent may have another model and key."""
        for message in response.result:
            if message.id:
                self._models[message.id] = request.model
        while len(self._models) > KNOWN_MODELS:
            self._models.popitem(last=False)
        return response

    @hook_config(can_jump_to=["model"])
    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Check the final answer: an update of the agent's state, or None if there is nothing to check."""
        job = self._job(state)
        if job is None:
            return None
        try:
            result = self.graph.invoke(job.graph_input, _QUIET, context=job.context)
        except GraphBubbleUp:  # a pause for review is not a failure
            raise
        except Exception as error:
            return _failed(job, error)
        return self._checked(job, result)

    @hook_config(can_jump_to=["model"])
    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """As `after_agent`, async."""
        job = self._job(state)
        if job is None:
            return None
        try:
            result = await self.graph.ainvoke(job.graph_input, _QUIET, context=job.context)
        except GraphBubbleUp:  # a pause for review is not a failure
            raise
        except Exception as error:
            return _failed(job, error)
        return self._checked(job, result)

    def _job(self, state: AgentState[Any]) -> _Check | None:
        """What to check of an agent's last message, if anything."""
        messages = state["messages"]
        answer = _final_answer(messages)
        if answer is None or state.get("structured_response") is not None:
            return None
        questions = [
            message.text for message in messages if isinstance(message, HumanMessage) and not _is_ours(message)
        ]
        graph_input: dict[str, Any] = {"text": text_of(answer.content), "question": questions[-1] if questions else ""}
        if "references" in self._takes:
            graph_input["references"] = seen(messages, self.evidence_from)
        context = self.context
        if "model" not in context.model_fields_set and (model := self._models.get(answer.id or "")):
            context = context.model_copy(update={"model": model})
        return _Check(answer, graph_input, trusted(context), self._sent_back(messages))

    def _sent_back(self, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        return [each for pair in pairwise(messages) if _note_of(pair[1]).get("retry") == self.name for each in pair]

    def _checked(self, job: _Check, result: Result) -> dict[str, Any]:
        """What happens to a checked answer."""
        wrong = bool(result["unresolved"]) or any(edit["applied"] for edit in result["edits"])
        if wrong and self.mode == "retry" and len(job.sent_back) < 2 * self.retries:
            return {"messages": [self._findings(result)], "jump_to": "model"}
        if result["stopped"] == "error":
            log.warning("the final answer was not checked through: %s", result["reason"])
        cited = citations(result)
        note = {**result, "citations": cited}
        if wrong and self.mode == "block":
            return _ended(job, self.withheld, {**note, "blocked": True})
        if self.mode == "annotate":
            answer = annotated(job.answer, cited)
            return _ended(job._replace(answer=answer), answer.content, note)
        same = result["text"] == text_of(job.answer.content)
        return _ended(job, job.answer.content if same else with_text(job.answer.content, result), note)

    def _findings(self, result: Result) -> HumanMessage:
        """The message to the agent's model about an answer that is sent back."""
        findings = [
            f"- {edit['before']} → {edit['after']}\n{edit['reason']}" for edit in result["edits"] if edit["applied"]
        ]
        findings += [f"- {wrong['sentence']}\n{wrong['reason']}" for wrong in result["unresolved"]]
        text = (
            "Your answer contradicts what the tools returned. Answer again, correctly, without mentioning this check."
        )
        return HumanMessage(
            "\n\n".join([text, *findings]), id=str(uuid.uuid4()), response_metadata={KEY: {"retry": self.name}}
        )


def _final_answer(messages: Sequence[AnyMessage]) -> AIMessage | None:
    last = messages[-1] if messages else None
    if not isinstance(last, AIMessage) or last.tool_calls or not last.text.strip() or _note_of(last).get("blocked"):
        return None
    return last


def _note_of(message: AnyMessage) -> dict[str, Any]:
    note: dict[str, Any] = message.response_metadata.get(KEY, {})
    return note


def _is_ours(message: AnyMessage) -> bool:
    return "retry" in _note_of(message)


def _failed(job: _Check, error: Exception) -> dict[str, Any]:
    reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    log.warning("the final answer was not corrected: %s", reason)
    return _ended(job, job.answer.content, {"error": reason})


def _ended(job: _Check, content: str | list[Any], note: dict[str, Any]) -> dict[str, Any]:
    """The answer with its note, and without the answers sent back before it."""
    answer = job.answer
    if earlier := answer.response_metadata.get(KEY):  # from other middleware of this kind that ran before
        note = {**note, "previous": earlier}
    # Not additional_kwargs: some integrations send those back to the model.
    metadata = {**answer.response_metadata, KEY: note}
    annotated_answer = answer.model_copy(update={"content": content, "response_metadata": metadata})
    return {"messages": [*(RemoveMessage(message.id) for message in job.sent_back if message.id), annotated_answer]}
