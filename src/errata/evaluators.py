"""Evaluators: plain functions with the signature that LangSmith and openevals use, needing neither."""

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.messages import BaseMessage

from .apps.facade import Model, Settings, acheck, acorrect, check, correct
from .apps.result import Result
from .apps.sources import Sources
from .state.errors import ConfigurationError

Score = dict[str, Any]
"""`key`, `score` (None if unknown) and `comment`: a plain dict in the form that LangSmith expects."""
Evaluator = Callable[..., Score]
AsyncEvaluator = Callable[..., Coroutine[Any, Any, Score]]

ANSWERS = ("answer", "output", "response", "text", "result", "content", "messages")
QUESTIONS = ("question", "input", "query", "text", "content", "messages")
EVIDENCE = ("documents", "context", "contexts", "sources", "references", "retrieved_documents")
REFERENCES = (*EVIDENCE, *ANSWERS)
"""Common keys for these things, the likeliest first."""


def groundedness(
    *,
    sources: Sources | None = None,
    model: Model | None = None,
    method: str = "refchecker",
    context: Settings | None = None,
    key: str = "groundedness",
) -> Evaluator:
    """Make an evaluator that measures how much of an answer its evidence supports.

        evaluate = groundedness(model="openai:gpt-5-mini")
        score = evaluate(inputs=question, outputs=answer, context=documents)

    The evaluator takes `inputs`, `outputs`, `reference_outputs` and `context`, as strings, messages or dicts (the
    answer under `answer`, `output`, ..., the documents under `documents` or `context`). It compares with `context`,
    else with the documents among the outputs or the inputs, else with `reference_outputs`, else with `sources`.

    Args:
        sources: What to compare with if a row has no documents, as in `errata.correct`.
        model: The model that extracts and judges the claims, as in `errata.correct`.
        method: `refchecker`, which scores the share of the claims that the evidence entails; or `ground`, the share of
            the sentences that it supports, in one call.
        context: Further settings.
        key: The name of the score.

    Returns:
        A function that returns `{"key", "score", "comment"}`. The score is from 0 to 1, or None
        if something could not be checked: a failure is not a score.

    Raises:
        ConfigurationError: If `method` is neither of these.
    """
    settings = _settings(method, model, context)
    run = correct if method == "ground" else check

    def evaluate(inputs: Any = None, outputs: Any = None, reference_outputs: Any = None, context: Any = None) -> Score:
        return _score(key, run(**_row(inputs, outputs, reference_outputs, context, sources), **settings))

    return evaluate


def agroundedness(
    *,
    sources: Sources | None = None,
    model: Model | None = None,
    method: str = "refchecker",
    context: Settings | None = None,
    key: str = "groundedness",
) -> AsyncEvaluator:
    """Make an async evaluator.

    Args:
        sources: As in `groundedness`.
        model: As in `groundedness`.
        method: As in `groundedness`.
        context: As in `groundedness`.
        key: As in `groundedness`.

    Returns:
        An async function; otherwise as `groundedness`.

    Raises:
        ConfigurationError: If `method` is neither `refchecker` nor `ground`.
    """
    settings = _settings(method, model, context)
    run = acorrect if method == "ground" else acheck

    async def evaluate(
        inputs: Any = None, outputs: Any = None, reference_outputs: Any = None, context: Any = None
    ) -> Score:
        return _score(key, await run(**_row(inputs, outputs, reference_outputs, context, sources), **settings))

    return evaluate


def _settings(method: str, model: Model | None, context: Settings | None) -> dict[str, Any]:
    """How each row is run; `ground` only labels the sentences and changes nothing."""
    if method == "refchecker":
        return {"model": model, "context": context}
    if method != "ground":
        raise ConfigurationError(f"`{method}` cannot score answers: use refchecker or ground")
    if isinstance(context, Mapping) or context is None:
        context = {**(context or {}), "mode": "annotate"}
    else:
        context = context.model_copy(update={"mode": "annotate"})
    return {"model": model, "context": context, "method": method}


def _row(inputs: Any, outputs: Any, reference_outputs: Any, context: Any, sources: Sources | None) -> dict[str, Any]:
    answer = _text(outputs, ANSWERS)
    if not answer.strip():
        raise ConfigurationError(f"there is no answer in `outputs`: give a text, or a dict with {' or '.join(ANSWERS)}")
    documents = _documents(context, REFERENCES)
    for side in (outputs, inputs):
        documents = documents if documents is not None or not isinstance(side, Mapping) else _documents(side, EVIDENCE)
    if documents is None:
        documents = _documents(reference_outputs, REFERENCES)
    evidence = sources if documents is None else documents
    if evidence is None:
        raise ConfigurationError("there is nothing to compare with: give `context`, `reference_outputs` or `sources`")
    return {"text": answer, "question": _text(inputs, QUESTIONS), "sources": evidence}


def _text(value: Any, names: Iterable[str]) -> str:
    """The text of a row's field: a string, a message, the last of several, or a dict that holds one of these."""
    if isinstance(value, str):
        return value
    if isinstance(value, BaseMessage):
        return str(value.text)
    if isinstance(value, Mapping):
        return _text(next((value[name] for name in names if value.get(name)), ""), names)
    return _text(value[-1], names) if isinstance(value, Sequence) and value else ""


def _documents(value: Any, names: Iterable[str]) -> list[Any] | None:
    """The texts to compare with, if any; an empty list means that nothing was retrieved."""
    if isinstance(value, Mapping) and "text" not in value:
        return next((_documents(value[name], names) for name in names if value.get(name) is not None), None)
    if value is None or value == "":
        return None
    return [value] if isinstance(value, str | Document | Mapping) else list(value)


def _score(key: str, result: Result) -> Score:
    shares = result.get("distribution")
    labels = [claim["label"] for claim in result.claims]
    if result.method == "ground":
        labels = [verdict["label"] for verdict in result.verdicts]
        judged = sum(label != "error" for label in labels)
        share = labels.count("entailment") / judged if judged else None
    else:
        share = shares["entailment"] if shares and not shares["abstain"] else None
    if result["stopped"] == "error" or result["stopped"] in ("budget", "deadline"):
        share = None  # the unchecked part may be the wrong one
    return {"key": key, "score": share, "comment": "\n".join([result.reason, *_wrong(result)])}


def _wrong(result: Result) -> list[str]:
    """What the evidence contradicts or does not state, one line each."""
    labelled = [(claim["label"], claim["content"]) for claim in result.claims] or [
        (verdict["label"], verdict["question"].strip()) for verdict in result.verdicts
    ]
    return [f"{label}: {content}" for label, content in labelled if label != "entailment"]
