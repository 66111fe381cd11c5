"""Fuse: one edit of a passage over several pieces of evidence, laid out as changes of words (PURR section 3)."""

import asyncio
from typing import Any, NamedTuple

from rapidfuzz.distance import Levenshtein

from ..models import SMALL, make_name, task
from ..state import Context, Evidence
from ..state.correction import Check, CorrectionState, Proposal
from ..state.errors import ConfigurationError, ErrataError
from ..state.spans import Change, changes
from ..state.text import sentences, tokens
from .attribute import chosen
from .budget import calls_left
from .edit import guard
from .gate import limit
from .step import emit

NO_GATE = "PURR asks no gates"


async def fuse(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Edit every passage once, all at once, each over the evidence that covers its questions best.

    A change that the guard refuses takes no other with it; the editor is told of it and may try once more.

    The editor says nothing of single pieces of evidence. The verdict of a pair says what can be told from the edit:
    `contradiction` if it puts words in that the evidence has, `neutral` if no change came of it.
    """
    checks = [check.copy() for check in state["checks"]]
    open_checks = [number for number, check in enumerate(checks) if not check["settled"]]
    wanted = list(dict.fromkeys(checks[number]["passage"] for number in open_checks))
    left = calls_left(state, context, "edit_all")
    due = wanted[:left]
    edited = dict(zip(due, await asyncio.gather(*(_edit(each, state, context) for each in due)), strict=True))
    again = [number for number in due if edited[number].problem][: left - len(due)]
    more = await asyncio.gather(*(_edit_again(number, edited[number], state, context) for number in again))
    edited |= dict(zip(again, more, strict=True))
    for passage, edit in edited.items():
        for number in open_checks:
            if checks[number]["passage"] == passage:
                _settle(number, checks[number], edit, context)
    return {
        "checks": checks,
        "proposals": [proposal for edit in edited.values() for proposal in edit.proposals],
        "failures": [
            {"step": "fuse", "reason": edit.failed, "unchecked": True} for edit in edited.values() if edit.failed
        ],
        **({"stopped": "budget"} if len(due) < len(wanted) else {}),
    }


class _Edit(NamedTuple):
    """What came of one fused edit of a passage."""

    read: list[int]
    """The numbers of the checks whose evidence the editor read."""
    proposals: list[Proposal]
    failed: str = ""
    """Why none came if the editor failed."""

    @property
    def problem(self) -> str:
        """What was refused, and why, in words for the editor."""
        refused = [proposal for proposal in self.proposals if proposal["refused"]]
        return "\n".join(f"{one['before']} → {one['after']}\nRefused: {one['refused']}." for one in refused)


async def _edit(passage: int, state: CorrectionState, context: Context, refused: str = "") -> _Edit:
    mine = [check for check in state["checks"] if check["passage"] == passage and not check["settled"]]
    pieces = {piece["id"]: piece for piece in state["evidence"]}
    text = state["passages"][passage]
    read: list[int] = []
    try:
        best = await chosen(mine, context.fused_evidence, state, context)
        read = [next(n for n, check in enumerate(state["checks"]) if check is one) for one in best]
        pairs = [_pair(check, pieces[check["evidence"]]) for check in best]
        given = {"text": text, "question": state["question"], "pairs": pairs}
        given |= {"limit": limit(text, context), "refused": refused}
        edited = (await task(context, "edit_all").ainvoke(given)).text
    except ConfigurationError:
        raise
    except ErrataError as error:
        return _Edit(read, [], str(error))
    emit("fuse", text=edited, pairs=len(pairs))
    return _Edit(read, _proposals(passage, edited, read, state, context))


async def _edit_again(passage: int, first: _Edit, state: CorrectionState, context: Context) -> _Edit:
    """The second try of an editor that has been told what was refused, if fewer of its changes are refused."""
    if make_name(context, "edit_all") in SMALL:  # which would write the same again
        return first
    second = await _edit(passage, state, context, first.problem)
    fewer = second.problem.count("Refused:") < first.problem.count("Refused:")
    return second if fewer and not second.failed else first


def _pair(check: Check, piece: Evidence) -> dict[str, str]:
    return {"query": check["question"], "title": piece["title"], "evidence": piece["text"]}


def _proposals(passage: int, text: str, read: list[int], state: CorrectionState, context: Context) -> list[Proposal]:
    """The changes of a passage, each with the check whose evidence shares its new words best.

    Of more changes than the passage bears together the greatest are refused.
    """
    before = state["passages"][passage]
    proposals = [_proposal(change, before, read, state, context) for change in changes(before, text)]
    room = context.max_edit_share * len(before)
    for proposal in sorted(proposals, key=lambda one: Levenshtein.distance(one["before"], one["after"])):
        if proposal["refused"]:
            continue
        room -= Levenshtein.distance(proposal["before"], proposal["after"])
        if room < 0:
            proposal["refused"] = f"all changes together rewrite more than {context.max_edit_share:.0%} of the text"
    return proposals


def _proposal(change: Change, text: str, read: list[int], state: CorrectionState, context: Context) -> Proposal:
    pieces = {piece["id"]: piece for piece in state["evidence"]}
    evidence = [pieces[state["checks"][number]["evidence"]] for number in read]
    place, shared = _asked_by(change, text, evidence)
    old, new = text[change.start : change.end], change.after
    return {
        "check": read[place],
        "before": old,
        "after": new,
        "start": change.start,
        "evidence": evidence[place]["id"] if shared else "",
        "reason": _why(change, text, evidence[place]) if shared else "No piece of evidence has the words put in.",
        "refused": guard(text, old, new, context),
    }


def _asked_by(change: Change, text: str, evidence: list[Evidence]) -> tuple[int, bool]:
    """The piece that shares a change's new words best, then the words next to it; whether it shares any.

    Where words are only taken out, none are new, and those next to it decide.
    """
    new = set(tokens(change.after)) - set(tokens(text[change.start : change.end]))
    near = _near(change, text)

    def shared(piece: Evidence) -> tuple[int, int, int]:
        says, asks = set(tokens(f"{piece['title']} {piece['text']}")), set(tokens(piece["query"]))
        return len(new & says), sum(near[word] for word in asks & near.keys()), len(near.keys() & says)

    scores = [shared(piece) for piece in evidence]
    place = max(range(len(evidence)), key=lambda number: scores[number])
    return place, bool(scores[place][0] if new else scores[place][2])


def _near(change: Change, text: str) -> dict[str, int]:
    """The words next to a change, the nearest with the greatest weight; those before it count more."""
    before, after = tokens(text[: change.start])[-4:], tokens(text[change.end :])[:2]
    return dict(zip(reversed(after), (1, 2), strict=False)) | dict(zip(reversed(before), (4, 3, 2, 1), strict=False))


def _why(change: Change, text: str, piece: Evidence) -> str:
    """The sentence of the text, and the sentence of the evidence that is nearest to what it has become."""
    wanted = set(tokens(change.after)) | set(tokens(_sentence_at(text, change)))
    said = [piece["text"][start:end] for start, end in sentences(piece["text"])] or [piece["text"]]
    nearest = max(said, key=lambda sentence: len(wanted & set(tokens(sentence))))
    return f"Text: {_sentence_at(text, change)}\nEvidence: {nearest}"


def _sentence_at(text: str, change: Change) -> str:
    return next((text[start:end] for start, end in sentences(text) if end >= change.start), text)


def _settle(number: int, check: Check, edit: _Edit, context: Context) -> None:
    """Write down what can be told of one pair from the edit of its passage.

    Words that the evidence has contradict those in whose place the editor put them, even if that was refused.
    """
    citing = [proposal for proposal in edit.proposals if proposal["check"] == number and proposal.get("evidence")]
    refused = [proposal for proposal in citing if proposal["refused"]]
    check["settled"] = True
    check["fused"] = number in edit.read and not edit.failed and not refused
    check["left"] = refused[0]["refused"] if refused else ""
    check["verdict"] = {
        "question": check["question"],
        "label": "error" if edit.failed else "contradiction" if citing else "neutral",
        "reason": edit.failed or (citing[0].get("reason", "") if citing else _untold(number, edit.read)),
        "evidence": check["evidence"],
        "make": make_name(context, "edit_all"),
    }


def _untold(number: int, read: list[int]) -> str:
    if number not in read:
        return f"The editor did not read it: {len(read)} others cover the questions better."
    return f"The edit changed nothing by it; whether it agrees was not asked ({NO_GATE})."
