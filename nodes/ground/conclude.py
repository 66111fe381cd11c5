"""The end: what each sentence rests on, what is still wrong, and the text with its sources."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...models import backend
from ...models.tasks.grounding import REVISE
from ...state import Attribution, Context, Edit, Evidence, SentenceStatus, Stopped, Unresolved, Verdict
from ...state.methods.grounding import Change, GroundState, Judged, Part
from ...state.methods.labels import merge
from ...state.outcomes import status_of, tally
from ...state.records import Label
from ...state.text.segments import sentences, sentences_of
from ...state.text.spans import find
from ..budget import why_spent
from ..conclude import first_unchecked, sums
from ..step import emit
from .following import Topic, Vocabulary, is_about, names_of, repeats, shared, topic_of
from .revise import due
from .verify import judged

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
    start: int
    end: int
    part: Part
    names: frozenset[str]
    """The evidence of its passage."""
    label: Judged | None
    """A model's label for it before it was changed."""
    records: list[Edit]
    """The changes in it, made or refused."""


class Came(NamedTuple):
    """The outcome for a sentence."""

    status: SentenceStatus
    evidence: str = ""
    quote: str = ""
    reason: str = ""
    left: str = ""
    """Why it was not corrected, if it is wrong."""


async def conclude(state: GroundState, context: Context) -> dict[str, Any]:
    """Give each sentence its status, with the words of the evidence that show it."""
    pieces = {piece["id"]: piece for piece in state["evidence"]}
    found = await asyncio.to_thread(lambda: list(_sentences(state)))
    topics = await asyncio.to_thread(lambda: {name: topic_of(piece) for name, piece in pieces.items()})
    came = list(await asyncio.gather(*(_came(each, pieces, topics, context) for each in found)))
    if any(failure["unchecked"] for failure in state["failures"]):  # the missing part may be what would have decided it
        came = [Came("not checked") if one.status == "nothing found" else one for one in came]
    attribution = [_attributed(each, one) for each, one in zip(found, came, strict=True)]
    unresolved = [_left(each, one) for each, one in zip(found, came, strict=True) if one.status == "unresolved"]
    emit("attribute", attribution=attribution)
    stopped, reason = _why(state, context, attribution)
    return {
        "attribution": attribution,
        "verdicts": [_verdict(each, one, context) for each, one in zip(found, came, strict=True)],
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
        changes = sorted(part["changes"], key=lambda one: one["start"])
        made = [(change, next(records)) for change in changes]
        names = names_of(part["text"])
        for number, (start, end) in enumerate(sentences(part["text"])):
            mine = [record for change, record in made if start <= change["start"] < end]
            first, last = base + start + _moved(made, start), base + end + _moved(made, end)
            label = next((each for each in part["labels"] if each["sentence"] == number), None)
            yield Sentence(state["text"][first:last], part["text"][start:end], first, last, part, names, label, mine)
        base += len(part["text"]) + _moved(made, len(part["text"]) + 1)


def _moved(made: Sequence[tuple[Change, Edit]], before: int) -> int:
    """How many characters the applied edits before a place have moved it by."""
    return sum(
        len(record["after"]) - len(record["before"])
        for change, record in made
        if record["applied"] and change["start"] < before
    )


async def _came(each: Sentence, pieces: dict[str, Evidence], topics: dict[str, Topic], context: Context) -> Came:
    """The outcome for a sentence. Changed sentences are compared again, as are those that no model has judged."""
    if each.part["failed"]:
        return Came("not checked", reason=each.part["failed"])
    shown = [pieces[one] for one in each.part["shown"]]
    about = [piece for piece in shown if is_about(each.text, each.names, topics[piece["id"]])]
    if not each.part["tries"] and about:
        return Came("not checked", reason="the run ended before it was compared")
    labels = await asyncio.gather(*(judged([each.text], piece, context) for piece in about))
    verdicts = {piece["id"]: label[0] for piece, label in zip(about, labels, strict=True)}
    judgement = merge(verdicts.values())
    decided = next((piece for piece in about if verdicts[piece["id"]] == judgement), None)
    applied = [record for record in each.records if record["applied"]]
    withheld = [record for record in each.records if not record["applied"] and record["evidence"]]
    if applied and judgement != "contradiction":
        record = applied[0]
        return Came("corrected", record["evidence"], _quoted(record), record["reason"])
    if withheld:
        record = withheld[0]
        left = record["reason"].partition("\n")[0].removeprefix("Refused: ")
        return Came("unresolved", record["evidence"], _quoted(record), record["reason"], left)
    if judgement == "contradiction" and decided:
        return Came("unresolved", decided["id"], _likest(each.text, decided), "", "the model left it unchanged")
    if each.label and (borne := _borne_out(each.label, pieces)):
        return borne
    if (
        judgement == "entailment"
        and decided
        and (quote := _bearing_out(each.text, decided, topics[decided["id"]], context))
    ):
        return Came("checked", decided["id"], quote)
    return Came("nothing found")


def _borne_out(label: Judged, pieces: dict[str, Evidence]) -> Came | None:
    """A model's label for a sentence, if the words that it quotes are in the evidence that it cites."""
    piece = pieces.get(label["evidence"])
    if label["status"] == "nothing found" or piece is None or not find(piece["text"], label["quote"]):
        return None
    left = "no correction could be shown to follow from the evidence" if label["status"] == "unresolved" else ""
    return Came(label["status"], piece["id"], label["quote"], "", left)


def _bearing_out(sentence: str, piece: Evidence, topic: Topic, context: Context) -> str:
    """The words that support a sentence. For rules they must state all of it; a network's word is accepted."""
    said = sentences_of(piece["text"])
    full = next((one for one in said if repeats(sentence, topic.title, one)), "")
    return full or (_likest(sentence, piece) if context.nli else "")


def _likest(sentence: str, piece: Evidence) -> str:
    """The sentence of a piece of evidence that shares the most words."""
    said = sentences_of(piece["text"])
    return max(said, key=lambda one: shared(sentence, Vocabulary(one)), default="")


def _quoted(record: Edit) -> str:
    return record["reason"].rpartition("Evidence: ")[2]


def _attributed(each: Sentence, came: Came) -> Attribution:
    part: Attribution = {
        "sentence": each.text,
        "start": each.start,
        "end": each.end,
        "evidence": [came.evidence] if came.evidence else [],
        "status": came.status,
    }
    return {**part, "quote": came.quote} if came.quote else part


def _verdict(each: Sentence, came: Came, context: Context) -> Verdict:
    """The verdict of the evidence on a sentence in its original form."""
    return Verdict(
        question=each.was,
        label=LABEL_OF[came.status],
        reason=came.reason or (f"Evidence: {came.quote}" if came.quote else "no evidence decides it"),
        evidence=came.evidence,
        backend=backend(context, REVISE).name if each.part["tries"] else "",
    )


def _left(each: Sentence, came: Came) -> Unresolved:
    return {
        "sentence": each.text,
        "start": each.start,
        "end": each.end,
        "question": "",
        "evidence": came.evidence,
        "reason": came.reason or f"Evidence: {came.quote}",
        "left": came.left,
    }


def _cited(text: str, attribution: Sequence[Attribution], pieces: dict[str, Evidence]) -> str:
    """The text with the number of its source after each sentence that has one, and the sources below."""
    ids = list(dict.fromkeys(one for part in attribution if part["status"] != "unresolved" for one in part["evidence"]))
    out, end = "", 0
    for part in attribution:
        numbers = [ids.index(one) + 1 for one in part["evidence"] if one in ids and part["status"] != "unresolved"]
        out += text[end : part["end"]] + "".join(f" [{number}]" for number in numbers)
        end = part["end"]
    out += text[end:]
    listed = [
        f"[{n}] {' · '.join(filter(None, (pieces[one]['title'], pieces[one]['source'])))}"
        for n, one in enumerate(ids, 1)
    ]
    return "\n\n".join(filter(None, (out, "\n".join(listed))))


def _why(state: GroundState, context: Context, attribution: Sequence[Attribution]) -> tuple[Stopped, str]:
    """Why the run stopped, as a value of `stopped` and in words."""
    if failed := first_unchecked(state["failures"]):
        return "error", f"some of the text is unchecked: {failed}"
    told = tally((part["status"] for part in attribution), "sentence")
    if state["spent"] or not state["text"] or due(state):
        stopped, spent = why_spent(state, context)
        return stopped, f"{spent}; {told}"
    return "finished", told
