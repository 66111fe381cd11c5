"""Editing: propose a minimal change for each open gate, guard it, and apply it whole (RARR section 3.2)."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from rapidfuzz.distance import Levenshtein

from ...models import backend, task
from ...models.tasks.correction import EDIT, Fix
from ...state import Context, Edit, Failure, cites
from ...state.errors import RunError, Undecided
from ...state.methods.correction import Check, CorrectionState, Proposal
from ...state.text.segments import Span, sentences
from ...state.text.spans import by_sentence
from ..budget import calls_left
from ..review import reviewed
from ..step import emit
from .gate import edit_input, open_check, place_of, settle, unasked

EDITED = "The edit changes it; whether the two disagree was not asked"
UNCHANGED = "The edit changes nothing; whether the two agree was not asked"


async def edit(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Propose an edit for the first open gate of every passage, and once more if the guard refuses it."""
    budget = calls_left(state, context, EDIT)
    numbers = [open_check(state["checks"], passage, gated=context.gate) for passage in range(len(state["passages"]))]
    due = [number for number in numbers if number is not None][:budget]
    proposed = dict(zip(due, await asyncio.gather(*(_propose(each, state, context) for each in due)), strict=True))
    refused = [number for number in due if proposed[number].problem][: budget - len(due)]
    second_tries = await asyncio.gather(*(_propose(each, state, context, proposed[each].problem) for each in refused))
    proposed |= {number: attempt for number, attempt in zip(refused, second_tries, strict=True) if not attempt.failure}
    checks = [check.copy() for check in state["checks"]]
    for number in due:
        if not context.gate:
            proposed[number] = _ungated(checks[number], proposed[number], context)
    return {
        "checks": checks,
        "proposals": [proposal for attempt in proposed.values() for proposal in attempt.proposals],
        "failures": [attempt.failure for attempt in proposed.values() if attempt.failure],
    }


async def apply(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Apply the proposals, after review if the Context asks for it.

    The gates of a changed passage are asked again where they were about a sentence that the edit changed.
    """
    moved: Counter[int] = Counter()  # how far earlier edits of this round have moved the rest of a passage
    checks = [check.copy() for check in state["checks"]]
    passages, edits = list(state["passages"]), list(state["edits"])
    records_of: dict[int, list[Edit]] = {}
    for place, proposal in enumerate(state["proposals"]):
        check = checks[proposal["check"]]
        number = check["passage"]
        offset = sum(len(passage) for passage in passages[:number]) + moved[number]
        record = _record(proposal, check, offset)
        if context.review and not proposal["refused"]:
            piece = next((candidate for candidate in state["evidence"] if candidate["id"] == record["evidence"]), None)
            ahead = _ahead(checks, state["proposals"], place)
            record = reviewed(record, check["question"], piece, state["original"], edits, ahead)
        if record["applied"]:
            before = passages[number]
            start = proposal["start"] + moved[number]
            end = start + len(record["before"])
            _forget(checks, proposal["check"], before, (start, end))
            passages[number] = before[:start] + record["after"] + before[end:]
            moved[number] += len(record["after"]) - len(record["before"])
        records_of.setdefault(proposal["check"], []).append(record)
        edits.append(record)
    for number, records in records_of.items():
        _close(checks[number], records)
        for record in records:
            _close_others(checks, number, record)
    settle(checks)
    for record in edits[len(state["edits"]) :]:
        emit("edit", edit=record)
    return {"checks": checks, "passages": passages, "text": "".join(passages), "edits": edits, "proposals": []}


def _ahead(checks: list[Check], proposals: list[Proposal], place: int) -> int | None:
    """How many edits follow one in this round; None while some gates are unasked."""
    due = {proposal["check"] for proposal in proposals}
    others = [check for number, check in enumerate(checks) if number not in due and not check["settled"]]
    if unasked(others):
        return None
    verdicts = [check["verdict"] for check in others]
    contradicted = sum(verdict is not None and verdict["label"] == "contradiction" for verdict in verdicts)
    return contradicted + sum(not proposal["refused"] for proposal in proposals[place + 1 :])


class _Proposed(NamedTuple):
    """The outcome of asking for an edit."""

    proposals: list[Proposal]
    failure: Failure | None = None
    problem: str = ""
    """The complaint for a model that may try again; empty if it may not."""


async def _propose(number: int, state: CorrectionState, context: Context, refused: str = "") -> _Proposed:
    """The proposals for one open gate, and the failure if there are none.

    If the rules have nothing to propose, the text still counts as checked.

    Args:
        number: The number of the check.
        state: The state.
        context: The settings.
        refused: What was proposed before, and why it was refused.

    Returns:
        A proposal for each sentence that the edit changes, all accepted or all refused; or a refused one without words
        that gives the reason.
    """
    check = state["checks"][number]
    passage = state["passages"][check["passage"]]
    try:
        fix: Fix = await task(context, EDIT).ainvoke(edit_input(check, state, context, refused))
    except Undecided as error:
        reason = f"no rule can correct it; a chat model could ({error})"
        return _Proposed([_nothing(number, reason)], {"step": "edit", "reason": reason, "unchecked": False})
    except RunError as error:
        failure: Failure = {"step": "edit", "reason": str(error), "unchecked": True}
        return _Proposed([_nothing(number, f"no edit could be made: {error}")], failure)
    parts = by_sentence(passage, fix.text)
    proposals: list[Proposal] = [
        {"check": number, "before": passage[start:end], "after": after, "start": start, "refused": ""}
        for start, end, after in parts
    ]
    refusal = guard(passage, [(each["before"], each["after"]) for each in proposals], context)
    proposals = [{**each, "refused": refusal} for each in proposals]
    may_try_again = not refused and backend(context, EDIT).varies
    return _Proposed(
        proposals or [_nothing(number, "it changes nothing")], problem=complaint(proposals) if may_try_again else ""
    )


def _ungated(check: Check, attempt: _Proposed, context: Context) -> _Proposed:
    """Settle a pair whose gate was not asked: its verdict says only what the edit shows.

    Returns:
        The outcome, without the refusal and the complaint of an editor that changed nothing.
    """
    failed = attempt.failure if attempt.failure and attempt.failure["unchecked"] else None
    changes_proposed = [proposal for proposal in attempt.proposals if proposal["before"] or proposal["after"]]
    check["settled"] = True
    check["ungated"] = not failed and not any(proposal["refused"] for proposal in changes_proposed)
    check["verdict"] = {
        "question": check["question"],
        "label": "error" if failed else "contradiction" if changes_proposed else "neutral",
        "reason": failed["reason"] if failed else f"{EDITED if changes_proposed else UNCHANGED} (the gate is off).",
        "evidence": check["evidence"],
        "backend": backend(context, EDIT).name,
    }
    return _Proposed(changes_proposed, failed)


def _nothing(number: int, refused: str) -> Proposal:
    return {"check": number, "before": "", "after": "", "start": 0, "refused": refused}


def complaint(proposals: Sequence[Proposal]) -> str:
    """What was refused, and why, as text for the editor."""
    return "\n".join(
        f"{proposal['before']} → {proposal['after']}\nRefused: {proposal['refused']}."
        for proposal in proposals
        if proposal["refused"]
    )


def guard(passage: str, parts: Sequence[tuple[str, str]], context: Context) -> str:
    """Why an edit, in its parts, is too large to be trusted; empty if it is not (RARR section 3.2)."""
    changed = sum(Levenshtein.distance(before, after) for before, after in parts)
    if not "".join(after for _, after in parts).strip() and sum(len(before) for before, _ in parts) >= len(passage):
        return "it leaves nothing of the text"
    if changed > context.max_edit_chars:
        return f"it changes {changed} characters, more than {context.max_edit_chars}"
    if changed > context.max_edit_share * len(passage):
        return f"it changes {changed} of {len(passage)} characters, more than {context.max_edit_share:.0%}"
    return ""


def _close(check: Check, records: list[Edit]) -> None:
    """Settle a check after its edits."""
    asked_for = [record for record in records if record["evidence"]]  # a fused edit may use words of its own
    refused = [record for record in asked_for if not record["applied"]]
    check["settled"] = True
    check["left"] = refused[0]["reason"].partition("\n")[0].removeprefix("Refused: ") if refused else ""
    if any(record["applied"] for record in asked_for):
        check["corrected"] = check["verdict"]


def _close_others(checks: list[Check], number: int, record: Edit) -> None:
    """Settle the other checks whose evidence a fused edit rests on."""
    for check in checks:
        if check["passage"] == checks[number]["passage"] and check["evidence"] in record.get("also", []):
            _close(check, [record])


def _record(proposal: Proposal, check: Check, offset: int) -> Edit:
    reason = proposal.get("reason") or (check["verdict"]["reason"] if check["verdict"] else "")
    start = offset + proposal["start"]
    return {
        "before": proposal["before"],
        "after": proposal["after"],
        "start": start,
        "end": start + len(proposal["before"]),
        **cites([proposal.get("evidence", check["evidence"]), *proposal.get("also", [])]),
        "reason": f"Refused: {proposal['refused']}\n{reason}" if proposal["refused"] else reason,
        "applied": not proposal["refused"],
    }


def _forget(checks: list[Check], after: int, passage: str, changed: Span) -> None:
    """Have the later gates of a passage asked again that were about a sentence that was changed."""
    spans = sentences(passage)
    touched = {number for number, (start, end) in enumerate(spans) if start <= changed[1] and changed[0] <= end}
    for check in checks[after + 1 :]:
        if check["passage"] == checks[after]["passage"] and check["verdict"] and not check["settled"]:
            place = place_of(check, [passage[start:end] for start, end in spans])
            if place is None or place in touched:
                check["verdict"] = None
