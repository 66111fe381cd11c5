"""Edit: propose a minimal change where a gate stands open, guard it, and apply it (RARR section 3.2)."""

import asyncio
from collections import Counter
from typing import Any

from rapidfuzz.distance import Levenshtein

from ..models import task
from ..state import Context, Edit, Failure
from ..state.correction import Check, CorrectionState, Proposal
from ..state.errors import ConfigurationError, ErrataError, Undecided
from .budget import calls_left
from .gate import open_check, settle, task_input
from .review import reviewed
from .step import emit


async def edit(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Propose an edit for the first open gate of every passage."""
    left = calls_left(state, context, "edit")
    if not left:
        return {"stopped": "budget"}
    numbers = [open_check(state["checks"], passage) for passage in range(len(state["passages"]))]
    due = [number for number in numbers if number is not None]
    proposed = await asyncio.gather(*(_propose(number, state, context) for number in due[:left]))
    failures = [failure for _, failure in proposed if failure]
    return {"proposals": [proposal for proposal, _ in proposed], "failures": failures}


async def apply(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Apply the proposals, after a person has seen them if the Context asks for review.

    Each changed passage loses the verdicts that were asked for ahead: they were about the text as it was before.
    """
    moved: Counter[int] = Counter()  # how far earlier edits of this round have moved the rest of a passage
    checks = [check.copy() for check in state["checks"]]
    passages, edits = list(state["passages"]), list(state["edits"])
    for proposal in state["proposals"]:
        check = checks[proposal["check"]]
        number = check["passage"]
        offset = sum(len(passage) for passage in passages[:number]) + moved[number]
        record = _record(proposal, check, offset)
        if context.review and not proposal["refused"]:
            shown = next(piece for piece in state["evidence"] if piece["id"] == check["evidence"])
            record = reviewed(record, check["question"], shown, state["original"], edits)
        if record["applied"]:
            before = passages[number]
            start = proposal["start"] + moved[number]
            passages[number] = before[:start] + record["after"] + before[start + len(record["before"]) :]
            moved[number] += len(record["after"]) - len(record["before"])
            _forget(checks, after=proposal["check"])
        check["settled"] = True
        edits.append(record)
    settle(checks)
    for record in edits[len(state["edits"]) :]:
        emit("edit", edit=record)
    return {"checks": checks, "passages": passages, "text": "".join(passages), "edits": edits, "proposals": []}


async def _propose(number: int, state: CorrectionState, context: Context) -> tuple[Proposal, Failure | None]:
    """A proposal for one open gate, and what failed if none could be had.

    Where only rules have nothing to propose, the text has been checked all the same.
    """
    check = state["checks"][number]
    passage = state["passages"][check["passage"]]
    proposal: Proposal = {"check": number, "before": "", "after": "", "start": 0, "refused": ""}
    try:
        wanted = check["replacement"]
        if wanted is None:
            revision = await task(context, "edit").ainvoke(task_input(check, state))
            wanted = {"span": revision.span, "replacement": revision.replacement}
    except ConfigurationError:
        raise
    except Undecided as error:
        reason = f"no rule can put it right; a chat model could ({error})"
        return {**proposal, "refused": reason}, {"step": "edit", "reason": reason, "unchecked": False}
    except ErrataError as error:
        failure: Failure = {"step": "edit", "reason": str(error), "unchecked": True}
        return {**proposal, "refused": f"no edit could be had: {error}"}, failure
    proposal["before"], proposal["after"] = wanted["span"], wanted["replacement"]
    proposal["start"] = passage.index(wanted["span"])
    proposal["refused"] = guard(passage, proposal["before"], proposal["after"], context)
    return proposal, None


def guard(passage: str, before: str, after: str, context: Context) -> str:
    """Why an edit is too much to be trusted, or an empty string (RARR section 3.2; its published limits by default)."""
    changed = Levenshtein.distance(before, after)
    if changed == 0:
        return "it changes nothing"
    if not passage.replace(before, after, 1).strip():
        return "it leaves nothing of the text"
    if changed > context.max_edit_chars:
        return f"it changes {changed} characters, more than {context.max_edit_chars}"
    if changed > context.max_edit_share * len(passage):
        return f"it changes {changed} of {len(passage)} characters, more than {context.max_edit_share:.0%}"
    return ""


def _record(proposal: Proposal, check: Check, offset: int) -> Edit:
    reason = proposal.get("reason") or (check["verdict"]["reason"] if check["verdict"] else "")
    start = offset + proposal["start"]
    return {
        "before": proposal["before"],
        "after": proposal["after"],
        "start": start,
        "end": start + len(proposal["before"]),
        "evidence": proposal.get("evidence", check["evidence"]),
        "reason": f"Refused: {proposal['refused']}\n{reason}" if proposal["refused"] else reason,
        "applied": not proposal["refused"],
    }


def _forget(checks: list[Check], after: int) -> None:
    passage = checks[after]["passage"]
    for check in checks[after + 1 :]:
        if check["passage"] == passage and not check["settled"]:
            check["verdict"] = check["replacement"] = None
