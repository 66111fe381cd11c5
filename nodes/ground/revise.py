"""Revising: a model corrects every passage, in one call with all its evidence."""

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...models import backend, is_small, task
from ...models.tasks.correction import Revision
from ...models.tasks.grounding import AMEND, GROUND, REVISE, GroundedSentence, Grounding, GroundInput, Source
from ...state import Context, Evidence, SentenceStatus
from ...state.errors import RunError
from ...state.methods.grounding import Change, GroundState, Judged, Part
from ...state.runs.apart import apart
from ...state.text.segments import leading_to, sentences_of
from ...state.text.spans import Change as Replacement
from ...state.text.spans import put
from ..budget import calls_left
from ..step import emit
from .proposals import found, grouped, is_placed, limit, named, rewritten

MOST_TRIES = 2
"""The most calls for one passage; the second is told what was refused of the first."""
OF_LABEL: dict[str, SentenceStatus] = {
    "supported": "checked", "contradicted": "unresolved", "disputed": "disputed", "not stated": "nothing found"
}  # fmt: skip
PRECEDENCE = {
    "keep": "",
    "first": "Where they disagree, what comes first counts.",
    "last": "Where they disagree, what comes last counts: it is the newest.",
}
"""Which evidence counts, by the setting `conflicts`."""


class _Shown(NamedTuple):
    """What a model is shown with a passage."""

    pieces: list[Evidence]
    evidence: list[Source]
    question: str
    before: str


def due(state: GroundState) -> list[int]:
    """The passages to revise: those with evidence, and once more those with changes that a judge refused."""
    return [number for number, part in enumerate(state["parts"]) if part["shown"] and _is_due(part)]


def _is_due(part: Part) -> bool:
    if part["failed"] or part["tries"] >= MOST_TRIES:
        return False
    return not part["tries"] or (part["again"] and any(_refused(part)))


def _refused(part: Part) -> list[Change]:
    """The changes of an earlier try that were refused and may be proposed again."""
    return [change for change in part["changes"] if change["refused"] and change["status"] != "disputed"]


async def revise(state: GroundState, context: Context) -> dict[str, Any]:
    """Revise all passages that are due, at once."""
    structured = await is_structured(context)
    numbers = due(state)[: calls_left(state, context, GROUND if structured else REVISE)]
    revised = await asyncio.gather(*(_one_try(number, state, context, structured=structured) for number in numbers))
    parts = list(state["parts"])
    for number, part in zip(numbers, revised, strict=True):
        parts[number] = part
    emit("revise", texts=[part["text"] for part in revised])
    failures = [{"step": "revise", "reason": part["failed"], "unchecked": True} for part in revised if part["failed"]]
    return {"parts": parts, "failures": failures, "spent": state["spent"] or len(numbers) < len(due(state))}


async def is_structured(context: Context) -> bool:
    """Whether the model is asked for changes with quotes, or for the whole text again, as a small one."""
    if context.form != "auto":
        return context.form == "structured"
    if "ground" in context.backends or "revise" in context.backends:
        return "ground" in context.backends
    return backend(context, REVISE).costs_calls and not await is_small(context)


async def _one_try(number: int, state: GroundState, context: Context, *, structured: bool) -> Part:
    part = state["parts"][number].copy()
    part["tries"] += 1
    pieces = {piece["id"]: piece for piece in state["evidence"]}
    mine = [pieces[each] for each in part["shown"]]
    sources: list[Source] = [{"title": piece["title"], "text": piece["text"]} for piece in mine]
    before = leading_to("".join(one["text"] for one in state["parts"][:number]))
    shown = _Shown(mine, sources, state["question"], before)
    once = context.model_copy(update={"repairs": min(context.repairs, 1)})
    try:
        if part["form"] == "structured":
            return await _amended(part, shown, once)
        return await (_grounded if structured and not part["form"] else _rewritten)(part, shown, once)
    except RunError as error:
        part["failed"] = str(error) if part["tries"] == 1 else ""  # accepted changes of the first try are kept
        return part


async def _rewritten(part: Part, shown: _Shown, context: Context) -> Part:
    """The changes in a passage that the model writes again; on the second try as it reads by then."""
    text, made, refused = part["text"], _made(part), _refused(part)
    now = _with(text, made)
    revision: Revision = await task(context, REVISE).ainvoke(
        {
            "evidence": shown.evidence,
            "text": now,
            "question": shown.question,
            "before": shown.before,
            "refused": "\n".join(map(_told, refused)),
        }
    )
    most = limit(text, context.max_change_share)
    proposed = await apart(lambda: rewritten(now, revision.text, most), text, revision.text)
    moves = [(each["start"], len(each["after"]) - len(each["before"])) for each in made]
    for change in proposed:
        moved = 0
        for start, by in moves:
            moved += by if start + moved < change["start"] else 0
        change["start"] -= moved
    opened = _opened(text, made, refused)
    proposed = [each for each in proposed if not part["tries"] > 1 or _are_open(each, text, opened)]
    return {**part, "form": "rewrite", "proposed": proposed}


async def _grounded(part: Part, shown: _Shown, context: Context) -> Part:
    """The changes that the model names, and its labels; those of a rewrite if its reply has no such structure."""
    try:
        grounding: Grounding = await task(context, GROUND).ainvoke(_input(part["text"], shown, context))
    except RunError:
        return {**await _rewritten(part, shown, context), "form": "fallback"}
    return await _read(part, grounding, shown, context)


async def _amended(part: Part, shown: _Shown, context: Context) -> Part:
    """What the model proposes in place of the changes that were refused."""
    text, made, refused = part["text"], _made(part), _refused(part)
    now = _with(text, made)
    now = now if len(sentences_of(now)) == len(sentences_of(text)) else text  # so that they keep their numbers
    amendment: Grounding = await task(context, AMEND).ainvoke(
        {
            **_input(now, shown, context),
            "accepted": list(map(_arrow, made)),
            "refused": list(map(_told, refused)),
        }
    )
    opened = _opened(text, made, refused)
    read = await _read(part, amendment, shown, context)
    labels = {label["sentence"]: label for label in part["labels"]}
    labels |= {label["sentence"]: label for label in read["labels"] if label["sentence"] in opened}
    proposed = [each for each in read["proposed"] if is_placed(each) and _are_open(each, text, opened)]
    return {**part, "proposed": proposed, "labels": list(labels.values())}


def _made(part: Part) -> list[Change]:
    return [change for change in part["changes"] if not change["refused"]]


def _with(text: str, made: Sequence[Change]) -> str:
    """A passage with some changes made."""
    return put(text, [Replacement(each["start"], each["start"] + len(each["before"]), each["after"]) for each in made])


def _opened(text: str, made: Sequence[Change], refused: Sequence[Change]) -> set[int]:
    """The numbers of the sentences in which changes may be proposed again."""
    if all(map(is_placed, refused)):
        return {number for group in grouped(text, refused) for number in group.sentences}
    closed = {number for group in grouped(text, made) for number in group.sentences}
    return set(range(len(sentences_of(text)))) - closed


def _are_open(change: Change, text: str, opened: set[int]) -> bool:
    return all(opened.issuperset(group.sentences) for group in grouped(text, [change]))


def _arrow(change: Change) -> str:
    return f"{change['before']} → {change['after']}"


def _told(change: Change) -> str:
    return f"{_arrow(change)}\nRefused: {change['refused']}"


def _input(text: str, shown: _Shown, context: Context) -> GroundInput:
    return {
        "evidence": shown.evidence,
        "sentences": sentences_of(text),
        "limit": str(limit(text, context.max_change_share)),
        "precedence": PRECEDENCE[context.conflicts],
        "question": shown.question,
        "before": shown.before,
    }


async def _read(part: Part, grounding: Grounding, shown: _Shown, context: Context) -> Part:
    """A passage with what the model said of it."""

    def read() -> Part:
        text = part["text"]
        labels = _labels(grounding.sentences, len(sentences_of(text)), shown.pieces)
        most = limit(text, context.max_change_share)
        proposed = named(text, grounding.changes, shown.pieces, labels, most)
        return {**part, "form": "structured", "proposed": proposed, "labels": labels}

    return await apart(read, part["text"], grounding.changes)


def _labels(said: Sequence[GroundedSentence], count: int, shown: Sequence[Evidence]) -> list[Judged]:
    """The labels of the sentences. One that has two of them has none, and so has one whose quote stands nowhere."""
    labels: list[Judged] = []
    for number in range(1, count + 1):
        mine = [each for each in said if each.number == number]
        if len({each.label for each in mine}) != 1:
            continue
        evidence, quote = found(shown, mine[0].evidence, mine[0].quote) if mine[0].quote else ("", "")
        if evidence or mine[0].label == "not stated":
            labels.append(
                {"sentence": number - 1, "status": OF_LABEL[mine[0].label], "evidence": evidence, "quote": quote}
            )
    return labels
