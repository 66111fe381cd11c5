"""Fusing: one edit of a passage from several pieces of evidence, split into word changes (PURR section 3)."""

import asyncio
import re
from typing import Any, NamedTuple

from ...models import backend, task
from ...models.tasks.correction import EDIT_ALL, EditAllInput, Edited, Pair, Sourced
from ...state import Context, Evidence
from ...state.errors import RunError
from ...state.methods.correction import Check, CorrectionState, Proposal
from ...state.text.segments import leading_to, sentences, tokens
from ...state.text.spans import Change, changes
from ..budget import calls_left
from ..cite import closest_sentence, covering
from ..facts import has_facts
from ..step import emit
from .attribute import chosen
from .edit import UNCHANGED, as_far_as_they_fit, complaint, guard, only_adds
from .gate import limit

_NO_LETTERS = re.compile(r"[\W_]+")


async def fuse(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Edit every passage once, in parallel, each with the evidence that best covers its questions.

    A refused change does not affect the others; the editor is told and may try once more.

    The editor does not judge single pieces of evidence. The verdict of a pair says what the edit shows: `contradiction`
    if it inserts words that the evidence has, `neutral` if it changed nothing because of it.
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
    return _Edit(read, _proposals(passage, edited, shown, read, state, context))


async def _edit_again(passage: int, first: _Edit, state: CorrectionState, context: Context) -> _Edit:
    """The second try of an editor that was told what was refused, if fewer of its changes are refused."""
    if not backend(context, EDIT_ALL).varies:  # which would write the same again
        return first
    second = await _edit(passage, state, context, first.problem)
    fewer = second.problem.count("Refused:") < first.problem.count("Refused:")
    return second if fewer and not second.failed else first


def _pair(check: Check, piece: Evidence) -> Pair:
    return {"query": check["question"], "title": piece["title"], "evidence": piece["text"]}


def _proposals(
    passage: int, edited: Edited, shown: list[str], read: list[int], state: CorrectionState, context: Context
) -> list[Proposal]:
    """The changes of a passage, each with the evidence that it rests on.

    If they change too much of the passage together, the largest are refused.
    """
    before = state["passages"][passage]
    pieces = {piece["id"]: piece for piece in state["evidence"]}
    evidence = [pieces[number] for number in shown]
    proposals = [
        _proposal(change, before, _rests_on(change, before, edited.changes, evidence), evidence, read, state, context)
        for change in changes(before, edited.text)
    ]
    return as_far_as_they_fit(proposals, before, context)


def _proposal(
    change: Change,
    text: str,
    rests_on: list[Evidence],
    shown: list[Evidence],
    read: list[int],
    state: CorrectionState,
    context: Context,
) -> Proposal:
    old, new = text[change.start : change.end], change.after
    ids = [piece["id"] for piece in rests_on]
    near = _near(change, text)

    def asks(number: int) -> tuple[bool, int]:
        """Whether a check has the evidence, and how much its question mentions the words next to the change."""
        check = state["checks"][number]
        return check["evidence"] in ids[:1], sum(near[word] for word in set(tokens(check["question"])) & near.keys())

    return {
        "check": max(read, key=asks),
        "before": old,
        "after": new,
        "start": change.start,
        "evidence": ids[0] if ids else "",
        "also": ids[1:],
        "reason": _why(change, text, rests_on[0]) if ids else "No piece of evidence has the inserted words.",
        "refused": guard(text, old, new, context) or _idle(old, new, rests_on, shown),
    }


def _idle(old: str, new: str, rests_on: list[Evidence], shown: list[Evidence]) -> str:
    """Why a change corrects nothing, if it does not: no gate has found a contradiction before a fused edit."""
    if _NO_LETTERS.sub("", old) == _NO_LETTERS.sub("", new) and not any(map(str.isdigit, old)):
        return "it changes no word"
    if only_adds(new, old) and has_facts(old, "", shown):
        return "it corrects nothing, and leaves something out"
    if not rests_on and not has_facts(new, "", []):
        return "no piece of evidence has it"
    return ""


def _rests_on(change: Change, text: str, named: list[Sourced], evidence: list[Evidence]) -> list[Evidence]:
    """The evidence that has the new words of a change or, if none has, the evidence that the editor cites.

    If several pieces have them, the cited one counts, or otherwise the one with most of the surrounding words.
    """
    old, new = set(tokens(text[change.start : change.end])), set(tokens(change.after))
    cited = [
        evidence[each.evidence - 1]
        for each in named
        if 0 < each.evidence <= len(evidence)
        and ((new - old) & set(tokens(each.after)) or old & set(tokens(each.before)))
    ]
    near = _near(change, text)

    def fits(piece: Evidence) -> tuple[bool, int]:
        words = set(tokens(f"{piece['title']} {piece['text']}"))
        return piece in cited, sum(near[word] for word in words & near.keys())

    if having := [piece for piece in evidence if covering(new - old, [piece])]:
        return [max(having, key=fits)]
    return covering(new - old, evidence) or cited[:1]


def _near(change: Change, text: str) -> dict[str, int]:
    """The words next to a change; near ones and those before it weigh more."""
    before, after = tokens(text[: change.start])[-4:], tokens(text[change.end :])[:2]
    return dict(zip(reversed(after), (1, 2), strict=False)) | dict(zip(reversed(before), (4, 3, 2, 1), strict=False))


def _why(change: Change, text: str, piece: Evidence) -> str:
    """The sentence of the text, and the sentence of the evidence that is closest to its new form."""
    words = set(tokens(change.after)) | set(tokens(_sentence_at(text, change)))
    return f"Text: {_sentence_at(text, change)}\nEvidence: {closest_sentence(words, [piece])}"


def _sentence_at(text: str, change: Change) -> str:
    return next((text[start:end] for start, end in sentences(text) if end >= change.start), text)


def _settle(number: int, check: Check, edit: _Edit, context: Context) -> None:
    """Record what the edit of a passage shows about one pair.

    Evidence contradicts the words that the editor replaced with its words, even if the change was refused.
    """
    citing = [proposal for proposal in edit.proposals if proposal["check"] == number and proposal.get("evidence")]
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
