"""The end: what each sentence rests on, what is still wrong, and the text with its sources."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...models import backend
from ...models.rules.agreeing import judge
from ...models.tasks.grounding import REVISE
from ...state import Attribution, Context, Edit, Evidence, SentenceStatus, Stopped, Unresolved, Verdict
from ...state.methods.grounding import Change, GroundState, Judged, Part
from ...state.methods.labels import merge
from ...state.outcomes import status_of, tally
from ...state.records import Label
from ...state.runs.apart import apart
from ...state.text.segments import leading_to, sentences, sentences_of
from ...state.text.spans import find
from ..budget import why_spent
from ..conclude import sums, why_unchecked
from ..following import Topic, Vocabulary, is_about, names_of, shared, topic_of
from ..step import emit
from .revise import due
from .verify import ANOTHER_TEXT, judge_of, judged

LABEL_OF: dict[SentenceStatus, Label] = {
    "checked": "entailment",
    "corrected": "contradiction",
    "unresolved": "contradiction",
    "nothing found": "neutral",
    "not checked": "error",
}
"""The label of a sentence, by its status."""


class Sentence(NamedTuple):
    """A sentence of the final text, with what was done about it."""

    text: str
    was: str
    """Its text before it was changed."""
    before: str
    """The text before it, as far as it tells what a pronoun refers to."""
    start: int
    end: int
    part: Part
    names: frozenset[str]
    """The evidence of its passage."""
    label: Judged | None
    """A model's label for it before it was changed."""
    records: list[Edit]
    """The changes in it, made or refused."""


class Outcome(NamedTuple):
    """The outcome for a sentence."""

    status: SentenceStatus
    evidence: str = ""
    quote: str = ""
    reason: str = ""
    left: str = ""
    """Why it was not corrected, if it is wrong."""
    judge: str = ""
    """Who judged it, if not the model that revised it."""


async def conclude(state: GroundState, context: Context) -> dict[str, Any]:
    """Give each sentence its status, with the words of the evidence that show it."""
    pieces = {piece["id"]: piece for piece in state["evidence"]}
    records = await apart(lambda: list(_sentences(state)), state["parts"])
    topics = await apart(lambda: {name: topic_of(piece) for name, piece in pieces.items()}, pieces)
    outcomes = list(await asyncio.gather(*(_outcome(record, pieces, topics, context) for record in records)))
    missing = next((failure["reason"] for failure in state["failures"] if failure["unchecked"]), "")
    if missing:  # and it may be what would have decided it
        unchecked = Outcome("not checked", reason=missing)
        outcomes = [unchecked if outcome.status == "nothing found" else outcome for outcome in outcomes]
    attribution = [_attributed(record, outcome) for record, outcome in zip(records, outcomes, strict=True)]
    unresolved = [
        _unresolved(record, outcome)
        for record, outcome in zip(records, outcomes, strict=True)
        if outcome.status == "unresolved"
    ]
    emit("attribute", attribution=attribution)
    stopped, reason = _stop_reason(state, context, attribution)
    return {
        "attribution": attribution,
        "verdicts": [_verdict(record, outcome, context) for record, outcome in zip(records, outcomes, strict=True)],
        "unresolved": unresolved,
        "cited": _cited(state["text"], attribution, pieces),
        "status": status_of(state["original"], state["text"], attribution, unresolved),
        "stopped": stopped,
        "reason": reason,
        "usage": sums(state, context),
    }


def _sentences(state: GroundState) -> Iterator[Sentence]:
    """The sentences of the final text: those of the passages, as moved and changed by edits."""
    records = iter(state["edits"])
    base = 0
    for part in state["parts"]:
        changes = sorted(part["changes"], key=lambda change: change["start"])
        changed = [(change, next(records)) for change in changes]
        names = names_of(part["text"])
        for number, (start, end) in enumerate(sentences(part["text"])):
            mine = [record for change, record in changed if start <= change["start"] < end]
            first, last = base + start + _moved(changed, start), base + end + _moved(changed, end)
            label = next((each for each in part["labels"] if each["sentence"] == number), None)
            text, before = state["text"][first:last], leading_to(state["text"][:first])
            yield Sentence(text, part["text"][start:end], before, first, last, part, names, label, mine)
        base += len(part["text"]) + _moved(changed, len(part["text"]) + 1)


def _moved(changed: Sequence[tuple[Change, Edit]], before: int) -> int:
    """How many characters the applied edits before a place have moved it by."""
    return sum(
        len(record["after"]) - len(record["before"])
        for change, record in changed
        if record["applied"] and change["start"] < before
    )


async def _outcome(
    sentence: Sentence, pieces: dict[str, Evidence], topics: dict[str, Topic], context: Context
) -> Outcome:
    """The outcome for a sentence. Changed sentences are compared again, as are those that no model has judged."""
    if sentence.part["failed"]:
        return Outcome("not checked", reason=sentence.part["failed"])
    read = [pieces[evidence_id] for evidence_id in sentence.part["shown"]]
    about = [piece for piece in read if is_about(sentence.text, sentence.names, topics[piece["id"]])]
    if not sentence.part["tries"] and about:
        return Outcome("not checked", reason="the run ended before it was compared")
    labels = await asyncio.gather(*(judged([sentence.text], piece, context, sentence.before) for piece in about))
    verdicts = {piece["id"]: label[0] for piece, label in zip(about, labels, strict=True)}
    judgement = merge(verdicts.values())
    decided = next((piece for piece in about if verdicts[piece["id"]] == judgement), None)
    applied = [record for record in sentence.records if record["applied"]]
    refused = [record for record in sentence.records if not record["applied"]]
    withheld = [record for record in refused if record["evidence"]]
    if applied and judgement != "contradiction":
        record = applied[0]
        return Outcome("corrected", record["evidence"], _quoted(record), record["reason"])
    if withheld:
        record = withheld[0]
        return Outcome("unresolved", record["evidence"], _quoted(record), record["reason"], _why_left(withheld))
    if judgement == "contradiction" and decided:
        quote = _likest(sentence.text, decided)
        return Outcome("unresolved", decided["id"], quote, "", _why_left(refused), judge_of(context))
    if sentence.label and (borne := _borne_out(sentence.label, pieces)):
        return borne
    if judgement == "entailment" and decided and (quote := _bearing_out(sentence, decided, context)):
        return Outcome("checked", decided["id"], quote, judge=judge_of(context))
    changes = sentence.part["changes"]
    if changes and all(change["refused"] == ANOTHER_TEXT for change in changes):
        return Outcome("not checked", reason=f"the model's reply is no use: {ANOTHER_TEXT}")
    return Outcome("nothing found")


def _why_left(refused: Sequence[Edit]) -> str:
    """Why a contradicted sentence stands as it is."""
    reasons = (record["reason"].partition("\n")[0].removeprefix("Refused: ") for record in refused)
    return next(reasons, "no correction was proposed")


def _borne_out(label: Judged, pieces: dict[str, Evidence]) -> Outcome | None:
    """A model's label for a sentence, if the words that it quotes are in the evidence that it cites."""
    piece = pieces.get(label["evidence"])
    if label["status"] == "nothing found" or piece is None or not find(piece["text"], label["quote"]):
        return None
    why = "no correction could be shown to follow from the evidence" if label["status"] == "unresolved" else ""
    return Outcome(label["status"], piece["id"], label["quote"], "", why)


def _bearing_out(sentence: Sentence, piece: Evidence, context: Context) -> str:
    """The words that support a sentence: those that rules went by, or for a network the likest."""
    if context.nli:
        return _likest(sentence.text, piece)
    finding = judge(sentence.text, sentence.text, piece["text"], piece["title"], "", sentence.before)
    return finding.evidence.sentence_text if finding.evidence else ""


def _likest(sentence: str, piece: Evidence) -> str:
    """The sentence of a piece of evidence that shares the most words."""
    candidates = sentences_of(piece["text"])
    return max(candidates, key=lambda candidate: shared(sentence, Vocabulary(candidate)), default="")


def _quoted(record: Edit) -> str:
    return record["reason"].rpartition("Evidence: ")[2]


def _attributed(sentence: Sentence, outcome: Outcome) -> Attribution:
    part: Attribution = {
        "sentence": sentence.text,
        "start": sentence.start,
        "end": sentence.end,
        "evidence": [outcome.evidence] if outcome.evidence else [],
        "status": outcome.status,
    }
    return {**part, "quote": outcome.quote} if outcome.quote else part


def _verdict(sentence: Sentence, outcome: Outcome, context: Context) -> Verdict:
    """The verdict of the evidence on a sentence in its original form."""
    return Verdict(
        question=sentence.was,
        label=LABEL_OF[outcome.status],
        reason=outcome.reason or (f"Evidence: {outcome.quote}" if outcome.quote else "no evidence decides it"),
        evidence=outcome.evidence,
        backend=outcome.judge or (backend(context, REVISE).name if sentence.part["tries"] else ""),
    )


def _unresolved(sentence: Sentence, outcome: Outcome) -> Unresolved:
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
    ids = list(
        dict.fromkeys(
            evidence_id for part in attribution if part["status"] != "unresolved" for evidence_id in part["evidence"]
        )
    )
    marked, end = "", 0
    for part in attribution:
        numbers = [
            ids.index(evidence_id) + 1
            for evidence_id in part["evidence"]
            if evidence_id in ids and part["status"] != "unresolved"
        ]
        marked += text[end : part["end"]] + "".join(f" [{number}]" for number in numbers)
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
