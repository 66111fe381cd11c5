"""Revising: a model corrects every passage, in one call with all its evidence."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from ...models import backend, gives_objects, task
from ...models.tasks.correction import Revision
from ...models.tasks.grounding import GROUND, REVISE, Grounding, ReviseInput
from ...state import Context, SentenceStatus
from ...state.errors import RunError
from ...state.methods.grounding import Change, GroundState, Judged, Part
from ...state.text.segments import leading_to, sentences, sentences_of
from ...state.text.spans import whole
from ..budget import calls_left
from ..step import emit

Form = Callable[[int, Part, GroundState, Context], Awaitable[Part]]

MOST_TRIES = 2
"""The most calls for one passage; the second says what was refused of the first."""
OF_LABEL: dict[str, SentenceStatus] = {
    "supported": "checked", "contradicted": "unresolved", "not stated": "nothing found"
}  # fmt: skip


def due(state: GroundState) -> list[int]:
    """The passages to revise: those with evidence, and once more those with refused changes."""
    return [number for number, part in enumerate(state["parts"]) if part["shown"] and _is_due(part)]


def _is_due(part: Part) -> bool:
    if part["failed"] or part["tries"] >= MOST_TRIES:
        return False
    return not part["tries"] or (bool(part["named"]) and any(change["refused"] for change in part["changes"]))


async def revise(state: GroundState, context: Context) -> dict[str, Any]:
    """Revise all passages that are due, at once."""
    structured = await _is_structured(context)
    numbers = due(state)[: calls_left(state, context, GROUND if structured else REVISE)]
    revise_one = _ground if structured else _rewrite
    revised = await asyncio.gather(*(_one_try(revise_one, number, state, context) for number in numbers))
    parts = list(state["parts"])
    for number, part in zip(numbers, revised, strict=True):
        parts[number] = part
    emit("revise", texts=[part["revised"] for part in revised])
    failures = [{"step": "revise", "reason": part["failed"], "unchecked": True} for part in revised if part["failed"]]
    return {"parts": parts, "failures": failures, "spent": state["spent"] or len(numbers) < len(due(state))}


async def _is_structured(context: Context) -> bool:
    """Whether the model is asked for changes with quotes, or for the whole text again."""
    if context.form != "auto":
        return context.form == "structured"
    return backend(context, REVISE).costs_calls and await gives_objects(context)


async def _one_try(revise_one: Form, number: int, state: GroundState, context: Context) -> Part:
    part = state["parts"][number].copy()
    part["tries"] += 1
    try:
        return await revise_one(number, part, state, context)
    except RunError as error:
        part["failed"] = str(error) if part["tries"] == 1 else ""  # accepted changes of the first try are kept
        return part


async def _rewrite(number: int, part: Part, state: GroundState, context: Context) -> Part:
    """The passage, rewritten. Small models may go on with the evidence, so no more sentences are read than it has."""
    revision: Revision = await task(context, REVISE).ainvoke(_task_input(number, state))
    spans = sentences(revision.text)[: len(sentences(part["text"]))]
    return {**part, "revised": revision.text[: spans[-1][1]].strip() if spans else revision.text.strip()}


async def _ground(number: int, part: Part, state: GroundState, context: Context) -> Part:
    """The named changes of a passage and the labels of its sentences; a rewrite if the reply cannot be read."""
    task_input, text = _task_input(number, state), part["text"]
    try:
        grounding: Grounding = await task(context, GROUND).ainvoke({**task_input, "sentences": sentences_of(text)})
    except RunError:
        if part["tries"] > 1:
            raise
        return await _rewrite(number, part, state, context)
    named = [
        change
        for each in grounding.changes
        for change in _placed(each.before, each.after, _id(part, each.evidence), each.quote, text)
    ]
    labels: list[Judged] = [
        {
            "sentence": each.number - 1,
            "status": OF_LABEL[each.label],
            "evidence": _id(part, each.evidence),
            "quote": each.quote,
        }
        for each in grounding.sentences
    ]
    return {**part, "revised": text, "named": [*_accepted(part), *named], "labels": labels}


def _task_input(number: int, state: GroundState) -> ReviseInput:
    part = state["parts"][number]
    pieces = {piece["id"]: piece for piece in state["evidence"]}
    refused = [
        f"{one['before']} → {one['after']}\nRefused: {one['refused']}." for one in part["changes"] if one["refused"]
    ]
    return {
        "evidence": [{"title": pieces[each]["title"], "text": pieces[each]["text"]} for each in part["shown"]],
        "text": part["text"],
        "question": state["question"],
        "before": leading_to("".join(one["text"] for one in state["parts"][:number])),
        "refused": "\n".join(refused),
    }


def _accepted(part: Part) -> list[Change]:
    """The changes of an earlier try that were not refused."""
    return [change for change in part["changes"] if not change["refused"]]


def _id(part: Part, number: int) -> str:
    """The id of a piece of evidence by its number; empty for an unknown number."""
    return part["shown"][number - 1] if 0 < number <= len(part["shown"]) else ""


def _placed(before: str, after: str, evidence: str, quote: str, text: str) -> list[Change]:
    """A change wherever its words occur; if they occur nowhere, a refused change without a place."""
    spans = whole(text, before) or [(0, 0)]
    return [
        {
            "start": start,
            "before": text[start:end] or before,
            "after": after,
            "evidence": evidence,
            "quote": quote,
            "refused": "" if end else "these words are not in the passage",
        }
        for start, end in spans
    ]
