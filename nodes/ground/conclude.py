"""The end: what each sentence rests on, what is still wrong, and the text with its sources."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from ...models import backend, task
from ...models.tasks.claims import CHECK, Judgement
from ...models.tasks.grounding import REVISE
from ...state import Attribution, Context, Edit, Evidence, Label, SentenceStatus, Stopped, Unresolved, Verdict
from ...state.errors import RunError
from ...state.methods.grounding import Change, GroundState, Judged, Part
from ...state.outcomes import status_of, tally
from ...state.text.segments import leading_to, sentences, tokens
from ..budget import why_spent
from ..cite import closest_sentence
from ..conclude import sums, why_unchecked
from ..step import emit
from .proposals import ANOTHER_TEXT, grouped, is_placed
from .revise import due

LABEL_OF: dict[SentenceStatus, Label] = {
    "checked": "entailment",
    "corrected": "contradiction",
    "unresolved": "contradiction",
    "disputed": "entailment",
    "nothing found": "neutral",
    "not checked": "error",
}
"""The label of a sentence, by its status."""
NOT_CORRECTED = "no correction was proposed"


class _Sentence(NamedTuple):
    """A sentence of the final text, with what was done about it."""

    text: str
    was: str
    """Its text before it was changed."""
    before: str
    """The text before it, as far as it tells what a pronoun refers to."""
    start: int
    end: int
    part: Part
    label: Judged | None
    """A model's label for it before it was changed."""
    changes: list[tuple[Change, Edit]]
    """The changes in it, with what became of them."""


class _Outcome(NamedTuple):
    """The outcome for a sentence."""

    status: SentenceStatus
    evidence: str = ""
    quote: str = ""
    reason: str = ""
    left: str = ""
    """Why it was not corrected, if it is wrong."""
    judge: str = ""
    """Who judged it, if not the model that revised it."""
    against: tuple[str, str] = ("", "")
    """The evidence that contradicts it although other evidence supports it, and its words."""


async def conclude(state: GroundState, context: Context) -> dict[str, Any]:
    """Give each sentence its status, with the words of the evidence that show it."""
    pieces = {piece["id"]: piece for piece in state["evidence"]}
    records = list(_sentences(state))
    outcomes = list(await asyncio.gather(*(_outcome(record, pieces, context) for record in records)))
    missing = next((failure["reason"] for failure in state["failures"] if failure["unchecked"]), "")
    if missing:  # and it may be what would have decided it
        unchecked = _Outcome("not checked", reason=missing)
        outcomes = [unchecked if outcome.status == "nothing found" else outcome for outcome in outcomes]
    both = list(zip(records, outcomes, strict=True))
    attribution = [_attributed(record, outcome) for record, outcome in both]
    unresolved = [_unresolved(record, outcome) for record, outcome in both if outcome.status == "unresolved"]
    emit("attribute", attribution=attribution)
    stopped, reason = _stop_reason(state, context, attribution)
    return {
        "attribution": attribution,
        "verdicts": [verdict for record, outcome in both for verdict in _verdicts(record, outcome, context)],
        "unresolved": unresolved,
        "cited": _cited(state["text"], attribution, pieces),
        "status": status_of(state["original"], state["text"], attribution, unresolved),
        "stopped": stopped,
        "reason": reason,
        "usage": sums(state, context),
    }


def _sentences(state: GroundState) -> Iterator[_Sentence]:
    """The sentences of the final text: those of the passages, as moved, changed and merged by edits."""
    edits = iter(state["edits"])
    base = 0
    for part in state["parts"]:
        changed = [(change, next(edits)) for change in part["changes"]]
        spans, placed = sentences(part["text"]), [pair for pair in changed if is_placed(pair[0])]
        made = {id(change) for change, edit in placed if edit["applied"]}
        joined = [group.sentences for group in grouped(part["text"], (each for each, _ in placed if id(each) in made))]
        number = 0
        while number < len(spans):
            mine = next((each for each in joined if each.start == number), range(number, number + 1))
            start, end = spans[mine.start][0], spans[mine.stop - 1][1]
            first, last = base + start + _moved(placed, start), base + end + _moved(placed, end)
            label = next((each for each in part["labels"] if each["sentence"] in mine), None)
            inside = [pair for pair in placed if start <= pair[0]["start"] < max(end, start + 1)]
            text, before = state["text"][first:last], leading_to(state["text"][:first])
            yield _Sentence(text, part["text"][start:end], before, first, last, part, label, inside)
            number = mine.stop
        base += len(part["text"]) + _moved(placed, len(part["text"]) + 1)


def _moved(changed: Sequence[tuple[Change, Edit]], before: int) -> int:
    """How many characters the applied edits before a place have moved it by."""
    return sum(
        len(edit["after"]) - len(edit["before"])
        for change, edit in changed
        if edit["applied"] and change["start"] < before
    )


async def _outcome(sentence: _Sentence, pieces: dict[str, Evidence], context: Context) -> _Outcome:
    """The outcome for a sentence: by its changes, by the model's label, or if it has none by a comparison."""
    part, label = sentence.part, sentence.label
    if part["failed"]:
        return _Outcome("not checked", reason=part["failed"])
    if not part["tries"] and part["shown"]:
        return _Outcome("not checked", reason="the run ended before it was compared")
    for change, edit in sentence.changes:
        if edit["applied"]:
            return _Outcome("corrected", edit["evidence"], change["quote"], edit["reason"])
    withheld = next((pair for pair in sentence.changes if not pair[0]["refused"]), None)  # by a person, or a setting
    withheld = withheld or next((pair for pair in sentence.changes if pair[0]["status"] != "nothing found"), None)
    if withheld and not (label and label["status"] in ("checked", "disputed")):
        return _withheld(*withheld)
    if label and label["status"] != "nothing found":
        left = _why_left([edit for _, edit in sentence.changes]) if label["status"] == "unresolved" else ""
        other = withheld[0] if withheld and withheld[0]["evidence"] != label["evidence"] else None
        against = (other["evidence"], other["quote"]) if other and label["status"] == "disputed" else ("", "")
        return _Outcome(label["status"], label["evidence"], label["quote"], "", left, against=against)
    return _Outcome("nothing found") if label else await _compared(sentence, pieces, context)


def _withheld(change: Change, edit: Edit) -> _Outcome:
    """The outcome for a sentence whose change was not made."""
    status = change["status"] if change["refused"] else "unresolved"
    rests_on = (change["evidence"], change["quote"]) if change["evidence"] else ("", "")
    if status == "unresolved":
        return _Outcome("unresolved", *rests_on, edit["reason"], _why_left([edit]))
    if status == "checked":
        return _Outcome("checked", *rests_on)
    return _Outcome(status, reason=edit["reason"], against=rests_on)


async def _compared(sentence: _Sentence, pieces: dict[str, Evidence], context: Context) -> _Outcome:
    """The outcome for a sentence that no model judged: support counts more than contradiction."""
    read = [pieces[each] for each in sentence.part["shown"]]
    judged = list(await asyncio.gather(*(_judged(sentence, piece, context) for piece in read)))
    found = {each.label: (piece["id"], each.reason) for each, piece in reversed(list(zip(judged, read, strict=True)))}
    judge, refused = judge_of(context), [edit for _, edit in sentence.changes]
    if supported := found.get("entailment"):
        against = found.get("contradiction", ("", ""))
        return _Outcome("disputed" if any(against) else "checked", *supported, judge=judge, against=against)
    if contradicted := found.get("contradiction"):
        return _Outcome("unresolved", *contradicted, "", _why_left(refused), judge)
    if sentence.part["changes"] and all(each["refused"] == ANOTHER_TEXT for each in sentence.part["changes"]):
        return _Outcome("not checked", reason=f"the model's reply is no use: {ANOTHER_TEXT}")
    return _Outcome("nothing found")


def judge_of(context: Context) -> Literal["nli", "rules"]:
    """Who compares the sentences that the model has not labelled."""
    return "nli" if context.nli else "rules"


async def _judged(sentence: _Sentence, piece: Evidence, context: Context) -> Judgement:
    """What a piece of evidence says of a sentence; the reason is its words."""
    judge = context.model_copy(update={"backends": {**context.backends, "check": judge_of(context)}})
    try:
        reply = await task(judge, CHECK).ainvoke(
            {
                "claims": [sentence.text], "evidence": piece["text"], "title": piece["title"], "question": "",
                "before": sentence.before,
            }
        )  # fmt: skip
    except RunError:
        return Judgement(claim=1, label="neutral", reason="")
    (judgement,) = reply.of(1)
    by_rules = judge_of(context) == "rules" and judgement.reason
    quote = judgement.reason if by_rules else closest_sentence(set(tokens(sentence.text)), [piece])
    return judgement.model_copy(update={"reason": quote})


def _why_left(refused: Sequence[Edit]) -> str:
    """Why a contradicted sentence stands as it is."""
    reasons = (edit["reason"].partition("\n")[0].removeprefix("Refused: ") for edit in refused)
    return next(reasons, NOT_CORRECTED)


def _attributed(sentence: _Sentence, outcome: _Outcome) -> Attribution:
    part: Attribution = {
        "sentence": sentence.text,
        "start": sentence.start,
        "end": sentence.end,
        "evidence": list(dict.fromkeys(filter(None, (outcome.evidence, outcome.against[0])))),
        "status": outcome.status,
    }
    return {**part, "quote": outcome.quote} if outcome.quote else part


def _verdicts(sentence: _Sentence, outcome: _Outcome, context: Context) -> Iterator[Verdict]:
    """The verdict of the evidence on a sentence in its original form; both sides, if sources disagree."""
    by = outcome.judge or (backend(context, REVISE).name if sentence.part["tries"] else "")
    told = outcome.reason or (f"Evidence: {outcome.quote}" if outcome.quote else "no evidence decides it")
    yield Verdict(
        question=sentence.was, label=LABEL_OF[outcome.status], reason=told, evidence=outcome.evidence, backend=by
    )
    if outcome.status == "disputed" and outcome.against[0]:
        evidence, quote = outcome.against
        yield Verdict(
            question=sentence.was, label="contradiction", reason=f"Evidence: {quote}", evidence=evidence, backend=by
        )


def _unresolved(sentence: _Sentence, outcome: _Outcome) -> Unresolved:
    return {
        "sentence": sentence.text,
        "start": sentence.start,
        "end": sentence.end,
        "question": "",
        "evidence": outcome.evidence,
        "reason": outcome.reason or f"Evidence: {outcome.quote}",
        "left": outcome.left,
    }


def _cited(text: str, attribution: Sequence[Attribution], pieces: dict[str, Evidence]) -> str:
    """The text with the number of its source after each sentence that has one, and the sources below."""
    cited = [part["evidence"] if part["status"] in ("checked", "corrected", "disputed") else [] for part in attribution]
    ids = list(dict.fromkeys(evidence_id for each in cited for evidence_id in each))
    marked, end = "", 0
    for part, mine in zip(attribution, cited, strict=True):
        marked += text[end : part["end"]] + "".join(f" [{ids.index(evidence_id) + 1}]" for evidence_id in mine)
        end = part["end"]
    marked += text[end:]
    listed = [
        f"[{n}] {' · '.join(filter(None, (pieces[evidence_id]['title'], pieces[evidence_id]['source'])))}"
        for n, evidence_id in enumerate(ids, 1)
    ]
    return "\n\n".join(filter(None, (marked, "\n".join(listed))))


def _stop_reason(state: GroundState, context: Context, attribution: Sequence[Attribution]) -> tuple[Stopped, str]:
    """Why the run stopped, as a value of `stopped` and in words."""
    if why := why_unchecked(state["text"], state["failures"]):
        return "error", why
    counts = tally((part["status"] for part in attribution), "sentence")
    if state["spent"] or not state["text"] or due(state):
        stopped, why = why_spent(state, context)
        return stopped, f"{why}; {counts}"
    return "finished", counts
