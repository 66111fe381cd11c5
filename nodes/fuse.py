"""Fuse: one edit of a passage over several pieces of evidence, laid out as changes of words (PURR section 3)."""

import asyncio
from typing import Any

from rapidfuzz.distance import Levenshtein

from ..models import make_name, task
from ..state import Context, Evidence, Failure
from ..state.correction import Check, CorrectionState, Proposal
from ..state.errors import ConfigurationError, ErrataError
from ..state.spans import Change, changes
from ..state.text import sentences, tokens
from .attribute import chosen
from .budget import calls_left
from .edit import guard
from .step import emit

NO_GATE = "PURR asks no gates"


async def fuse(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Edit every passage once, all at once, each over the evidence that covers its questions best.

    The editor says nothing of single pieces of evidence. The verdict of a pair says what can be told from the edit:
    `contradiction` if it puts words in that the evidence has, `neutral` if no change came of it.
    """
    checks = [check.copy() for check in state["checks"]]
    open_checks = [number for number, check in enumerate(checks) if not check["settled"]]
    wanted = list(dict.fromkeys(checks[number]["passage"] for number in open_checks))
    due = wanted[: calls_left(state, context, "edit_all")]
    edited = await asyncio.gather(*(_edit(passage, state, context) for passage in due))
    proposals: list[Proposal] = []
    failures: list[Failure] = []
    for passage, (read, text, failed) in zip(due, edited, strict=True):
        mine = [number for number in open_checks if checks[number]["passage"] == passage]
        proposed = [] if failed else _proposals(passage, text, read, state, context)
        failures += [{"step": "fuse", "reason": failed, "unchecked": True}] if failed else []
        for number in mine:
            _settle(number, checks[number], read, proposed, failed, context)
        proposals += proposed
    budget = {"stopped": "budget"} if len(due) < len(wanted) else {}
    return {"checks": checks, "proposals": proposals, "failures": failures, **budget}


async def _edit(passage: int, state: CorrectionState, context: Context) -> tuple[list[int], str, str]:
    """The numbers of the checks that were read, the text that came of it, and why none came if the editor failed."""
    mine = [check for check in state["checks"] if check["passage"] == passage and not check["settled"]]
    pieces = {piece["id"]: piece for piece in state["evidence"]}
    text = state["passages"][passage]
    read: list[int] = []
    try:
        best = await chosen(mine, context.fused_evidence, state, context)
        read = [next(n for n, check in enumerate(state["checks"]) if check is one) for one in best]
        pairs = [_pair(check, pieces[check["evidence"]]) for check in best]
        given = {"text": text, "question": state["question"], "pairs": pairs}
        edited = (await task(context, "edit_all").ainvoke(given)).text
    except ConfigurationError:
        raise
    except ErrataError as error:
        return read, text, str(error)
    emit("fuse", text=edited, pairs=len(pairs))
    return read, edited, ""


def _pair(check: Check, piece: Evidence) -> dict[str, str]:
    return {"query": check["question"], "title": piece["title"], "evidence": piece["text"]}


def _proposals(passage: int, text: str, read: list[int], state: CorrectionState, context: Context) -> list[Proposal]:
    """The changes of a passage, each with the check whose evidence shares its new words best."""
    before = state["passages"][passage]
    changed = Levenshtein.distance(before, text)
    too_much = changed > context.max_edit_share * len(before)
    refused = f"the edit rewrites {changed} of {len(before)} characters" if too_much else ""
    return [_proposal(change, before, read, state, refused, context) for change in changes(before, text)]


def _proposal(
    change: Change, text: str, read: list[int], state: CorrectionState, refused: str, context: Context
) -> Proposal:
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
        "refused": refused or guard(text, old, new, context),
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


def _settle(
    number: int, check: Check, read: list[int], proposed: list[Proposal], failed: str, context: Context
) -> None:
    """Write down what can be told of one pair from the edit of its passage. A refused change tells nothing."""
    citing = [proposal for proposal in proposed if proposal["check"] == number and proposal.get("evidence")]
    cited = [proposal for proposal in citing if not proposal["refused"]]
    check["settled"] = True
    check["fused"] = number in read and not failed and cited == citing
    check["verdict"] = {
        "question": check["question"],
        "label": "error" if failed else "contradiction" if cited else "neutral",
        "reason": failed or (cited[0].get("reason", "") if cited else _untold(number, read, bool(citing))),
        "evidence": check["evidence"],
        "make": make_name(context, "edit_all"),
    }


def _untold(number: int, read: list[int], refused: bool) -> str:
    if number not in read:
        return f"The editor did not read it: {len(read)} others cover the questions better."
    if refused:
        return f"The change that cites it was refused; whether it agrees was not asked ({NO_GATE})."
    return f"The edit changed nothing by it; whether it agrees was not asked ({NO_GATE})."
