"""Fusing: one edit of a passage from several pieces of evidence, a sentence at a time (PURR section 3)."""

import asyncio
from typing import Any, NamedTuple

from ...models import backend, task
from ...models.tasks.correction import EDIT_ALL, EditAllInput, Edited, Pair, Sourced
from ...state import Context, Evidence
from ...state.errors import RunError
from ...state.methods.correction import Check, CorrectionState, Proposal
from ...state.text.segments import leading_to, sentences, tokens
from ...state.text.spans import Change, by_sentence, find
from ..budget import calls_left
from ..cite import closest_sentence, covering
from ..step import emit
from .attribute import chosen
from .edit import UNCHANGED, complaint, guard
from .gate import limit


async def fuse(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Edit every passage once, in parallel, each with the evidence that best covers its questions.

    What changes in one sentence is made whole or not at all. A refused change does not affect other sentences; the
    editor is told and may try once more.

    The editor does not judge single pieces of evidence. The verdict of a pair says what the edit shows: `contradiction`
    if a change rests on it, `neutral` if nothing changed because of it.
    """
    checks = [check.copy() for check in state["checks"]]
    open_checks = [number for number, check in enumerate(checks) if not check["settled"]]
    open_passages = list(dict.fromkeys(checks[number]["passage"] for number in open_checks))
    budget = calls_left(state, context, EDIT_ALL)
    due = open_passages[:budget]
    edited = dict(zip(due, await asyncio.gather(*(_edit(each, state, context) for each in due)), strict=True))
    refused = [number for number in due if edited[number].problem][: budget - len(due)]
    second_tries = await asyncio.gather(*(_edit_again(number, edited[number], state, context) for number in refused))
    edited |= dict(zip(refused, second_tries, strict=True))
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
        "spent": state["spent"] or len(due) < len(open_passages),
    }


class _Edit(NamedTuple):
    """The outcome of one fused edit of a passage."""

    read: list[int]
    """The numbers of the checks whose evidence the editor read."""
    proposals: list[Proposal]
    failed: str = ""
    """Why there are none, if the editor failed."""

    @property
    def problem(self) -> str:
        """What was refused, and why, as text for the editor."""
        return complaint(self.proposals)


async def _edit(passage: int, state: CorrectionState, context: Context, refused: str = "") -> _Edit:
    mine = [check for check in state["checks"] if check["passage"] == passage and not check["settled"]]
    pieces = {piece["id"]: piece for piece in state["evidence"]}
    text = state["passages"][passage]
    read: list[int] = []
    try:
        first = {check["evidence"]: check for check in reversed(mine)}  # the same evidence is read once
        candidates = [check for check in mine if check is first[check["evidence"]]]
        best = await chosen(candidates, context.fused_evidence, state, context)
        shown = [check["evidence"] for check in best]
        read = [n for n, check in enumerate(state["checks"]) if check in mine and check["evidence"] in shown]
        pairs = [_pair(check, pieces[check["evidence"]]) for check in best]
        before = leading_to("".join(state["passages"][:passage]))
        task_input: EditAllInput = {
            "text": text,
            "question": state["question"],
            "before": before,
            "pairs": pairs,
            "limit": limit(text, context),
            "refused": refused,
        }
        edited = await task(context, EDIT_ALL).ainvoke(task_input)
    except RunError as error:
        return _Edit(read, [], str(error))
    emit("fuse", text=edited.text, pairs=len(pairs))
    evidence = [pieces[number] for number in shown]
    return _Edit(
        read, [_proposal(part, text, edited, evidence, read, state, context) for part in by_sentence(text, edited.text)]
    )


async def _edit_again(passage: int, first: _Edit, state: CorrectionState, context: Context) -> _Edit:
    """The second try of an editor that was told what was refused, if fewer of its changes are refused."""
    if not backend(context, EDIT_ALL).varies:  # which would write the same again
        return first
    second = await _edit(passage, state, context, first.problem)
    fewer = second.problem.count("Refused:") < first.problem.count("Refused:")
    return second if fewer and not second.failed else first


def _pair(check: Check, piece: Evidence) -> Pair:
    return {"query": check["question"], "title": piece["title"], "evidence": piece["text"]}


def _proposal(
    change: Change,
    text: str,
    edited: Edited,
    shown: list[Evidence],
    read: list[int],
    state: CorrectionState,
    context: Context,
) -> Proposal:
    """The change of a sentence, with the evidence that it rests on: what the editor names, or what has its words."""
    old, new = text[change.start : change.end], change.after
    named = _named(change, text, edited.changes)
    exist = [shown[each.evidence - 1] for each in named if 0 < each.evidence <= len(shown)]
    rests_on = exist if named else covering(set(tokens(new)) - set(tokens(old)), shown)
    ids = list(dict.fromkeys(piece["id"] for piece in rests_on))
    absent = "its evidence does not exist" if len(exist) < len(named) else "" if ids else "no evidence is named for it"
    asked = set(tokens(_sentence_at(text, change)))

    def asks(number: int) -> tuple[bool, int]:
        """Whether a check has the evidence, and how many words of the sentence its question has."""
        check = state["checks"][number]
        return check["evidence"] in ids[:1], len(asked & set(tokens(check["question"])))

    return {
        "check": max(read, key=asks),
        "before": old,
        "after": new,
        "start": change.start,
        "evidence": ids[0] if ids else "",
        "also": ids[1:],
        "reason": _why(change, text, rests_on[0]) if ids else "",
        "refused": absent or guard(text, [(old, new)], context),
    }


def _named(change: Change, text: str, named: list[Sourced]) -> list[Sourced]:
    """What the editor names for a change: those whose old words are in its place, or whose new ones it has."""
    start, end = next(((a, b) for a, b in sentences(text) if a <= change.start <= b), (change.start, change.end))
    end = max(end, change.end)
    return [
        each
        for each in named
        if any(start <= a and b <= end for a, b in find(text, each.before))
        or (not each.before.strip() and find(change.after, each.after))
    ]


def _why(change: Change, text: str, piece: Evidence) -> str:
    """The sentence of the text, and the sentence of the evidence that is closest to its new form."""
    words = set(tokens(change.after)) | set(tokens(_sentence_at(text, change)))
    return f"Text: {_sentence_at(text, change)}\nEvidence: {closest_sentence(words, [piece])}"


def _sentence_at(text: str, change: Change) -> str:
    return next((text[start:end] for start, end in sentences(text) if end >= change.start), text)


def _settle(number: int, check: Check, edit: _Edit, context: Context) -> None:
    """Record what the edit of a passage shows about one pair.

    Evidence contradicts the words that the editor replaced because of it, even if the change was refused.
    """
    ids = [(proposal, [proposal.get("evidence", ""), *proposal.get("also", [])]) for proposal in edit.proposals]
    citing = [proposal for proposal, cited in ids if number in edit.read and check["evidence"] in cited]
    refused = [proposal for proposal in citing if proposal["refused"]]
    check["settled"] = True
    check["ungated"] = number in edit.read and not edit.failed and not refused
    check["left"] = refused[0]["refused"] if refused else ""
    check["verdict"] = {
        "question": check["question"],
        "label": "error" if edit.failed else "contradiction" if citing else "neutral",
        "reason": edit.failed or (citing[0].get("reason", "") if citing else _without_verdict(number, edit.read)),
        "evidence": check["evidence"],
        "backend": backend(context, EDIT_ALL).name,
    }


def _without_verdict(number: int, read: list[int]) -> str:
    if number not in read:
        return f"The editor did not read it: {len(read)} others cover the questions better."
    return f"{UNCHANGED} (a fused edit has no gates)."
