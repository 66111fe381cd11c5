"""The methods as functions: correct, check, ask and chat, each with an async version."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, MessageLikeRepresentation, convert_to_messages

from ..graphs import METHODS, check_method, default_method, inputs, load
from ..state import Context
from ..state.errors import ConfigurationError
from ..state.parts import Called
from ..state.runs.given import refuse_unread
from ..state.runs.hosts import trusted
from ..state.text.segments import checked
from ..tools.reading.workers import in_thread
from .result import Result
from .run import check as check_settings
from .settings import check_input
from .sources import Sources, read_sources, search_in

Settings = Context | Mapping[str, Any]
Model = str | Called
"""The name of a model, a chat model, or a function that takes a prompt and returns a reply."""


def correct(
    text: str,
    *,
    sources: Sources | None = None,
    model: Model | None = None,
    method: str | None = None,
    question: str = "",
    context: Settings | None = None,
) -> Result:
    """Check a text against evidence, and correct what the evidence contradicts.

    Args:
        text: The text.
        sources: What to compare it with: the path of a folder or file, a list of strings, paths and LangChain
            documents, or a retriever, a search tool or a function that searches. A string on its own is a path.
        model: The name of a model, such as `openai:gpt-5-mini`; a chat model; or a function that takes a prompt and
            returns a reply. Without one, rules do the checking.
        method: The method; by default `ground` if `sources` are texts or a file, and `rarr` otherwise.
        question: The question that the text answers, for context.
        context: Further settings. A dict may have only those that the method reads.

    Returns:
        The result; `str(result)` is the corrected text.

    Raises:
        ConfigurationError: If something that was given cannot work.
    """
    return _prepared({"text": text, "question": question}, sources, model, method, context).run()


async def acorrect(
    text: str,
    *,
    sources: Sources | None = None,
    model: Model | None = None,
    method: str | None = None,
    question: str = "",
    context: Settings | None = None,
) -> Result:
    """As `correct`, without blocking the event loop."""
    graph_input = {"text": text, "question": question}
    return await (await in_thread(_prepared, graph_input, sources, model, method, context)).arun()


def check(
    text: str,
    *,
    sources: Sources | None = None,
    model: Model | None = None,
    question: str = "",
    context: Settings | None = None,
) -> Result:
    """Check a text claim by claim, by RefChecker, and change nothing.

    Args:
        text: The text.
        sources: What to compare it with, as in `correct`.
        model: The model that extracts and judges the claims, as in `correct`.
        question: The question that the text answers, for context.
        context: Further settings.

    Returns:
        The result, with `result.claims` and, for example, `result["distribution"]`.

    Raises:
        ConfigurationError: If something that was given cannot work.
    """
    return _prepared({"text": text, "question": question}, sources, model, "refchecker", context).run()


async def acheck(
    text: str,
    *,
    sources: Sources | None = None,
    model: Model | None = None,
    question: str = "",
    context: Settings | None = None,
) -> Result:
    """As `check`, without blocking the event loop."""
    graph_input = {"text": text, "question": question}
    return await (await in_thread(_prepared, graph_input, sources, model, "refchecker", context)).arun()


def ask(
    question: str,
    *,
    sources: Sources | None = None,
    model: Model | None = None,
    method: str | None = None,
    context: Settings | None = None,
) -> Result:
    """Draft an answer to a question, then check and correct it.

    With sources, the answer is looked up in them; set `draft` in the context to draft it in another way.

    Args:
        question: The question.
        sources: What to answer from and compare with, as in `correct`.
        model: The model that answers, as in `correct`.
        method: The method that checks the answer, as in `correct`.
        context: Further settings.

    Returns:
        The result; `str(result)` is the answer.

    Raises:
        ConfigurationError: If something that was given cannot work.
    """
    return _prepared({"question": question}, sources, model, method, context).run()


async def aask(
    question: str,
    *,
    sources: Sources | None = None,
    model: Model | None = None,
    method: str | None = None,
    context: Settings | None = None,
) -> Result:
    """As `ask`, without blocking the event loop."""
    return await (await in_thread(_prepared, {"question": question}, sources, model, method, context)).arun()


def chat(
    messages: str | Sequence[MessageLikeRepresentation],
    *,
    sources: Sources | None = None,
    model: Model | None = None,
    context: Settings | None = None,
) -> Result:
    """Respond in a conversation, from evidence, by LLM-Augmenter.

    Args:
        messages: The user's message; or the conversation, as LangChain messages or in another form that it accepts
            (`("user", "...")`, `{"role": "user", "content": "..."}`). The last message is the user's.
        sources: What to respond from, as in `correct`.
        model: The model that responds, as in `correct`.
        context: Further settings.

    Returns:
        The result; `str(result)` is the response.

    Raises:
        ConfigurationError: If something that was given cannot work.
    """
    return _prepared(dialogue(messages), sources, model, "llm_augmenter", context).run()


async def achat(
    messages: str | Sequence[MessageLikeRepresentation],
    *,
    sources: Sources | None = None,
    model: Model | None = None,
    context: Settings | None = None,
) -> Result:
    """As `chat`, without blocking the event loop."""
    graph_input = dialogue(messages)
    return await (await in_thread(_prepared, graph_input, sources, model, "llm_augmenter", context)).arun()


def dialogue(messages: str | Sequence[MessageLikeRepresentation]) -> dict[str, Any]:
    """The input of LLM-Augmenter: the user's message and the dialogue before it.

    Raises:
        ConfigurationError: If the last message is not the user's.
    """
    conversation = convert_to_messages([messages] if isinstance(messages, str) else messages)
    if not conversation or not isinstance(conversation[-1], HumanMessage):
        raise ConfigurationError("the conversation must end with a message from the user")
    history = [
        {"role": "user" if isinstance(message, HumanMessage) else "assistant", "content": message.text}
        for message in conversation[:-1]
        if isinstance(message, HumanMessage | AIMessage) and message.text.strip()
    ]
    return {"question": conversation[-1].text, "history": history}


@dataclass(frozen=True)
class _Run:
    """A method with everything that it needs."""

    method: str
    graph_input: dict[str, Any]
    context: Context

    def run(self) -> Result:
        return self._result(load(self.method).invoke(self.graph_input, context=self.context))

    async def arun(self) -> Result:
        return self._result(await load(self.method).ainvoke(self.graph_input, context=self.context))

    def _result(self, fields: Any) -> Result:
        return Result(fields, method=self.method, question=self.graph_input.get("question", ""))


def _prepared(
    fields: dict[str, Any],
    sources: Sources | None,
    model: Model | None,
    method: str | None,
    context: Settings | None,
) -> _Run:
    """A run, with everything checked that can be checked before it starts. It reads files."""
    if "text" in fields and not checked(fields["text"], "text").strip():
        raise ConfigurationError("the text is empty: there is nothing to check")
    references, settings = read_sources(sources)
    chosen = method or default_method(references is not None)
    check_method(chosen)
    graph_input, drafting = {**fields}, "text" not in fields
    takes_them = "references" in inputs(chosen)
    if references and takes_them:
        graph_input["references"] = references
    if references is not None and (drafting or not references or not takes_them):
        settings["search"] = search_in(references)  # a search without texts finds nothing
    if model is not None:
        settings["model"] = model
    run_settings = settings_of(chosen, context, settings)
    if run_settings.review:
        raise ConfigurationError("a function cannot wait for a person: for `review`, run the graph with a checkpointer")
    if drafting and sources is not None and "draft" in METHODS[chosen].reads and not run_settings.draft:
        run_settings = run_settings.model_copy(update={"draft": "react"})
    check_input(chosen, graph_input)
    check_settings(chosen, run_settings, drafting=drafting, searching=drafting or not references)
    return _Run(chosen, graph_input, trusted(run_settings))


def settings_of(method: str, context: Settings | None, settings: Mapping[str, Any] = MappingProxyType({})) -> Context:
    """The settings of a run. Settings of a Context that the method does not read are ignored, as everywhere.

    Args:
        method: The name of the method.
        context: The caller's settings.
        settings: Further settings, from the function's other parameters.

    Raises:
        ConfigurationError: For a setting that is invalid or that the method does not read.
    """
    if isinstance(context, Context):
        values = {name: getattr(context, name) for name in context.model_fields_set}
    else:
        values = {**(context or {})}
        refuse_unread(method, values, METHODS[method].reads)
    refuse_unread(method, settings, METHODS[method].reads, {"search": "`sources`", "sources": "`sources`"})
    return Context.model_validate({**values, **settings})
