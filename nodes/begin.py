"""Begin: whatever a thread of a checkpointer still holds of its last run, a new run starts without."""

from collections.abc import Mapping
from typing import Any

from langgraph.types import Overwrite

from ..models import check_names
from ..state import Context
from ..state.augmenter import AugmenterState, Message
from ..state.correction import CorrectionState
from ..state.critic import CriticState
from ..state.errors import ConfigurationError
from ..state.text import checked
from ..state.verification import VerifyState
from ..tools import evidence


async def begin_correction(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Begin to correct a text.

    Raises ConfigurationError if there is neither a text nor a question, if either is no string, or for an unknown
    backend.
    """
    return {
        **begun(state, context),
        "passages": [],
        "questions": [],
        "found": Overwrite([]),
        "checks": [],
        "proposals": [],
    }


async def begin_critic(state: CriticState, context: Context) -> dict[str, Any]:
    """Begin a loop of critiques.

    Raises ConfigurationError if there is neither a text nor a question.
    """
    new = begun(state, context)
    gold = state.get("gold") or []
    if not isinstance(gold, list):
        raise ConfigurationError(f"gold has to be a list of right answers, not {type(gold).__name__}")
    return {
        **new,
        "gold": [checked(answer, "a right answer") for answer in gold],
        "candidate": new["text"],
        "answer": "",
        "score": 1.0,
        "observation": "",
        "critique": "",
        "rounds": 0,
        "unchanged": 0,
        "messages": Overwrite([]),
    }


async def begin_verification(state: VerifyState, context: Context) -> dict[str, Any]:
    """Begin to verify a chain of thought.

    Raises ConfigurationError if there is neither a text nor a question, or no paragraphs for a search in them.
    """
    new = begun(state, context)
    samples = [sample for sample in state.get("samples") or [] if sample.strip()]
    paragraphs = [paragraph for paragraph in state.get("paragraphs") or [] if paragraph.strip()]
    if context.search == "dataset" and not paragraphs:
        raise ConfigurationError("the `dataset` search is through paragraphs that come with the question: give some")
    text = "" if samples else new["text"]
    return {
        **new,
        "text": text,
        "original": text,
        "samples": samples,
        "paragraphs": paragraphs,
        "paths": [],
        "consistency": None,
        "mode": context.consistency,
        "answer": "",
        "original_answer": "",
        "sentences": [],
        "checked": Overwrite([]),
        "found": Overwrite([]),
    }


async def begin_augmenter(state: AugmenterState, context: Context) -> dict[str, Any]:
    """Begin to respond to a message.

    Raises ConfigurationError if there is no message, or a dialogue before it that is none, or for `review`.
    """
    if context.review:
        raise ConfigurationError("`review` is for methods that propose edits: responses are written anew, leave it off")
    new = begun(state, context)
    if not new["question"]:
        raise ConfigurationError("there is no message to respond to: give a question")
    knowledge = [text for text in state.get("knowledge") or [] if text.strip()]
    given = [
        evidence(query=new["question"], text=text, source=f"knowledge:{number}")
        for number, text in enumerate(knowledge, start=1)
    ]
    return {
        **new,
        "history": [_message(message) for message in state.get("history") or []],
        "knowledge": knowledge,
        "evidence": given,
        "links": [],
        "chains": [[piece["id"]] for piece in given],
        "candidates": [],
        "scores": [],
        "critique": "",
        "feedback": [],
        "tried": [],
        "open": [],
        "chosen": None,
    }


async def begin_draft(state: CriticState, context: Context) -> dict[str, Any]:
    """Begin a draft.

    Raises ConfigurationError if there is no question, or a text already.
    """
    if checked(_given(state, "text"), "text").strip():
        raise ConfigurationError("a draft answers a question and corrects no text: leave the text out")
    if not checked(_given(state, "question"), "question").strip():
        raise ConfigurationError("there is nothing to answer: give a question")
    return await begin_critic(state, context)


def _message(given: Any) -> Message:
    """A turn of the dialogue as it was given, which in Python may be anything."""
    if isinstance(given, Mapping) and given.get("role") in ("user", "assistant"):
        content = given.get("content")
        if isinstance(content, str):
            return {"role": given["role"], "content": content}
    raise ConfigurationError('`history` is a list of {"role": "user" or "assistant", "content": text}')


def begun(state: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """The fields that all methods share, as a run begins. Raises as `begin_correction` does."""
    check_names(context)
    text = checked(_given(state, "text"), "text")
    question = checked(_given(state, "question"), "question").strip()
    text = text if text.strip() else ""
    if not text and not question:
        raise ConfigurationError("there is nothing to check: give a text, or a question to draft an answer to")
    return {
        "text": text,
        "question": question,
        "original": text,
        "edits": [],
        "verdicts": [],
        "evidence": [],
        "attribution": [],
        "failures": Overwrite([]),
        "unresolved": [],
        "status": "not checked",
        "stopped": None,
        "reason": "",
    }


def _given(state: Mapping[str, Any], name: str) -> Any:
    """What the caller gave; None is as good as nothing."""
    found = state.get(name)
    return "" if found is None else found
