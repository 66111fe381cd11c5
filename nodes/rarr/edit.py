"""Editing: propose a minimal change for each open gate, guard it, and apply it (RARR section 3.2)."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from rapidfuzz.distance import Levenshtein

from ...models import backend, task
from ...models.rules.language.clauses import content
from ...models.rules.language.words import TURNING
from ...models.tasks.correction import EDIT, Revision
from ...state import Context, Edit, Evidence, Failure, cites
from ...state.errors import RunError, Undecided
from ...state.methods.correction import Check, CorrectionState, Proposal
from ...state.text.segments import tokens
from ...state.text.spans import Change, changes, whole
from ...state.text.values import same_quantity
from ..budget import calls_left
from ..facts import has_facts
from ..review import reviewed
from ..step import emit
from .gate import edit_input, open_check, settle, unasked

EDITED = "The edit changes it; whether the two disagree was not asked"
OMITS = "it corrects nothing, and leaves something out"
UNCHANGED = "The edit changes nothing; whether the two agree was not asked"
MOST_EDITS = 3
"""The most edits of the text for one check. After each, the gate is asked again if the wrong words are still there."""


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
        checks[number]["edits"] = checks[number].get("edits", 0) + 1
        if not context.gate:
            proposed[number] = _ungated(checks[number], proposed[number], context)
    return {
        "checks": checks,
        "proposals": [proposal for attempt in proposed.values() for proposal in attempt.proposals],
        "failures": [attempt.failure for attempt in proposed.values() if attempt.failure],
    }


async def apply(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Apply the proposals, after review if the Context asks for it.

    Each changed passage loses the verdicts that were asked for ahead, which were about the text before the change.
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
            passages[number] = before[:start] + record["after"] + before[start + len(record["before"]) :]
            moved[number] += len(record["after"]) - len(record["before"])
            _forget(checks, after=proposal["check"])
        records_of.setdefault(proposal["check"], []).append(record)
        edits.append(record)
    for number, records in records_of.items():
        _close(checks[number], records, passages[checks[number]["passage"]], state["proposals"])
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
        A proposal for each place where the words are wrong, or a refused one without words that gives the reason.
    """
    check = state["checks"][number]
    passage = state["passages"][check["passage"]]
    if check.get("edits", 0) >= MOST_EDITS:
        return _Proposed([_nothing(number, f"the evidence still contradicts the text after {MOST_EDITS} edits")])
    try:
        text = None if refused else check["replacement"]
        if text is None:
            revision: Revision = await task(context, EDIT).ainvoke(edit_input(check, state, refused))
            text = revision.text
    except Undecided as error:
        reason = f"no rule can correct it; a chat model could ({error})"
        return _Proposed([_nothing(number, reason)], {"step": "edit", "reason": reason, "unchecked": False})
    except RunError as error:
        failure: Failure = {"step": "edit", "reason": str(error), "unchecked": True}
        return _Proposed([_nothing(number, f"no edit could be made: {error}")], failure)
    piece = next(piece for piece in state["evidence"] if piece["id"] == check["evidence"])
    proposals = [_proposal(number, passage, change, piece, context) for change in changes(passage, text)]
    if _distance(each for each in proposals if each["before"] or not each["refused"]) > _room(passage, context):
        # Not an edit of a few words, but another text: a refusal, or the evidence itself.
        proposals = [{**each, "refused": each["refused"] or _together(context)} for each in proposals]
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


def _proposal(number: int, passage: str, change: Change, piece: Evidence, context: Context) -> Proposal:
    before = passage[change.start : change.end]
    refused = guard(passage, before, change.after, context) or _omits(before, change.after, piece)
    return {"check": number, "before": before, "after": change.after, "start": change.start, "refused": refused}


def as_far_as_they_fit(proposals: list[Proposal], passage: str, context: Context) -> list[Proposal]:
    """The proposals; if they change too much of the passage together, the largest are refused."""
    room = _room(passage, context)
    for proposal in sorted(proposals, key=lambda proposal: _distance([proposal])):
        if not proposal["refused"]:
            room -= _distance([proposal])
            proposal["refused"] = _together(context) if room < 0 else ""
    return proposals


def _room(passage: str, context: Context) -> float:
    return context.max_edit_share * len(passage)


def _distance(proposals: Iterable[Proposal]) -> int:
    return sum(Levenshtein.distance(each["before"], each["after"]) for each in proposals)


def _together(context: Context) -> str:
    return f"all changes together rewrite more than {context.max_edit_share:.0%} of the text"


def complaint(proposals: list[Proposal]) -> str:
    """What was refused, and why, as text for the editor. Additions to an accepted edit don't matter."""
    is_any_accepted = any(not proposal["refused"] for proposal in proposals)
    refused = [
        proposal for proposal in proposals if proposal["refused"] and (proposal["before"] or not is_any_accepted)
    ]
    return "\n".join(
        f"{proposal['before']} → {proposal['after']}\nRefused: {proposal['refused']}." for proposal in refused
    )


def guard(passage: str, before: str, after: str, context: Context) -> str:
    """Why an edit is too large to be trusted; empty if it is not.

    RARR section 3.2; the published limits by default. That it may not merely add is ours.
    """
    changed = Levenshtein.distance(before, after)
    if changed == 0 or same_quantity(before, after):
        return "it changes nothing"
    if not passage.replace(before, after, 1).strip():
        return "it leaves nothing of the text"
    if changed > context.max_edit_chars:
        return f"it changes {changed} characters, more than {context.max_edit_chars}"
    if changed > context.max_edit_share * len(passage):
        return f"it changes {changed} of {len(passage)} characters, more than {context.max_edit_share:.0%}"
    if only_adds(before, after):
        return "it corrects nothing, and adds something"
    return ""


def only_adds(before: str, after: str) -> bool:
    """Whether an edit keeps all words and adds others, as small models do that see more in the evidence.

    A negation turns the statement, and what stands beside a number may be its unit.
    """
    kept, new = tokens(before), tokens(after)
    remaining = iter(new)
    if any(map(str.isdigit, before)) or not all(word in remaining for word in kept):
        return False
    return len(new) > len(kept) and TURNING.isdisjoint(new)


def _omits(before: str, after: str, piece: Evidence) -> str:
    """Why an edit that leaves something out corrects nothing: the evidence has it, too. Ours, not the paper's.

    It leaves out words and puts none in their place, or names and numbers, and no others in theirs.
    """
    left_out = content(before) - content(after)
    is_told = left_out and left_out <= content(f"{piece['title']} {piece['text']}")
    # In this order, because the evidence takes longest to read, and is seldom needed.
    loses_facts = has_facts(after, "", []) and not has_facts(before, "", []) and has_facts(before, "", [piece])
    return OMITS if (is_told and only_adds(after, before)) or loses_facts else ""


def _close(check: Check, records: list[Edit], passage: str, proposals: list[Proposal]) -> None:
    """Settle a check after its edits, and reopen it if the wrong words are still in the passage.

    The gate then decides whether they are wrong there, too. Words that a person chose are not asked about again.
    """
    asked_for = [record for record in records if record["evidence"]]  # a fused edit may use words of its own
    applied = [record for record in asked_for if record["applied"]]
    refused = [record for record in asked_for if not record["applied"] and (record["before"] or not applied)]
    check["settled"] = True
    check["left"] = refused[0]["reason"].partition("\n")[0].removeprefix("Refused: ") if refused else ""
    if not applied:
        return
    check["corrected"] = check["verdict"]
    proposed = {proposal["after"] for proposal in proposals}
    reviewed_words = any(record["after"] not in proposed for record in applied)
    if (
        not refused
        and not reviewed_words
        and "ungated" not in check
        and any(_stays(record, passage) for record in applied)
    ):
        check["settled"], check["verdict"], check["replacement"] = False, None, None


def _stays(record: Edit, passage: str) -> bool:
    """Whether the words that an edit removed are still in the passage."""
    before = record["before"]
    taken_out = [before[change.start : change.end] for change in changes(before, record["after"])]
    return any(tokens(words) and whole(passage, words) for words in taken_out)


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


def _forget(checks: list[Check], after: int) -> None:
    passage = checks[after]["passage"]
    for check in checks[after + 1 :]:
        if check["passage"] == passage and not check["settled"]:
            check["verdict"] = check["replacement"] = None
