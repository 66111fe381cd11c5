"""Verifying: which changes of a revision may reach the text. No model is asked; unproven changes are refused."""

import asyncio
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from ...models import task
from ...models.rules.agreeing import judge
from ...models.rules.editing import apply
from ...models.rules.language.contrasts import opposed
from ...models.tasks.claims import CHECK
from ...state import Context, Evidence, Label
from ...state.errors import RunError
from ...state.methods.grounding import Change, GroundState, Part
from ...state.runs.apart import apart
from ...state.text.sections import prose
from ...state.text.segments import Span, sentences, sentences_of
from ...state.text.spans import changes, find
from ..following import (
    LEAST_FIT,
    Topic,
    fit,
    is_about,
    is_rewording,
    names_of,
    spelled_as,
    topic_of,
    turns,
    units,
)
from ..rarr.edit import guard
from ..step import emit
from .excluding import are_listed, are_turned, is_bound_otherwise, is_value, may_both_be_true, measured

REWORDED = "it says nothing new"
ADDED = "it adds something"
LEFT_OUT = "it leaves something out"
ANOTHER_TEXT = "it is another text, not a correction of this one"
NOT_ONE = "it crosses the end of a sentence"
UNQUOTED = "the quote is not in the evidence"
UNKNOWN = "there is no such evidence"
NOT_SHOWN = "no evidence says this about it"
RESTATED = "its sentence was rephrased"
NO_CONFLICT = "what the evidence says may also be true"

OF_FORM = (REWORDED, ADDED, LEFT_OUT, NO_CONFLICT)


class Followed(NamedTuple):
    """The sentence of the evidence that a change follows from."""

    evidence: str
    quote: str


async def verify(state: GroundState, context: Context) -> dict[str, Any]:
    """Check every change of every revised passage."""
    pieces = {piece["id"]: piece for piece in state["evidence"]}
    parts: list[Part] = [
        part
        if part["revised"] is None
        else {
            **part,
            "changes": await checked(
                part["text"],
                part["revised"],
                [pieces[each] for each in part["shown"]],
                context,
                named=part["named"],
                by_nli=bool(context.nli),
            ),
        }
        for part in state["parts"]
    ]
    emit("verify", changes=[change for part in parts for change in part["changes"]])
    return {"parts": parts}


async def checked(
    text: str,
    revised: str,
    pieces: Sequence[Evidence],
    context: Context,
    *,
    named: Sequence[Change] = (),
    by_nli: bool = False,
) -> list[Change]:
    """The changes that make a text into its revision, each with its source or the reason why it is refused.

    Args:
        text: The text.
        revised: Its revision.
        pieces: The evidence that the changes have to follow from.
        context: The settings of the run.
        named: The changes as a model named them, if it did; otherwise those that the revision shows.
        by_nli: Whether the small network of `nli` judges them, too.

    Returns:
        The changes, from left to right.
    """
    proposed = named or await apart(lambda: list(_differences(text, revised)), text, revised)
    if not named and _is_another_text(text, proposed, context):
        return [{**change, "refused": ANOTHER_TEXT} for change in proposed]
    by_sentence = await apart(lambda: _by_sentence(text, proposed), text)
    names = names_of(text)
    topics = [(piece, topic_of(piece)) for piece in pieces]
    compared = await asyncio.gather(
        *(_of_sentence(text, names, span, mine, topics, context, by_nli) for span, mine in by_sentence.items())
    )
    return [_unfounded(change) if change["refused"] else change for mine in compared for change in mine]


def made(text: str, accepted: Sequence[Change]) -> str:
    """A text with the changes made that were not refused."""
    for change in reversed([change for change in accepted if not change["refused"]]):
        text = text[: change["start"]] + change["after"] + text[change["start"] + len(change["before"]) :]
    return text


def _by_sentence(text: str, proposed: Iterable[Change]) -> dict[Span | None, list[Change]]:
    spans = sentences(text)
    groups: dict[Span | None, list[Change]] = {}
    for change in _disjoint(sorted(proposed, key=lambda change: change["start"])):
        groups.setdefault(_sentence_of(spans, change), []).append(change)
    return groups


def _unfounded(change: Change) -> Change:
    """A change without support."""
    return {**change, "evidence": "", "quote": ""}


def _differences(text: str, revised: str) -> Iterator[Change]:
    for change in changes(text, revised):
        before = text[change.start : change.end]
        yield {
            "start": change.start, "before": before, "after": change.after, "evidence": "", "quote": "", "refused": ""
        }  # fmt: skip


def _disjoint(proposed: Iterable[Change]) -> Iterator[Change]:
    """The changes; of overlapping ones, the first is kept."""
    end = -1
    for change in proposed:
        refused = change["refused"] or ("another change is in the same place" if change["start"] < end else "")
        if not refused:
            end = change["start"] + len(change["before"])
        yield {**change, "refused": refused}


def _sentence_of(spans: Sequence[Span], change: Change) -> Span | None:
    """The sentence that contains a change, or None."""
    start, end = change["start"], change["start"] + len(change["before"])
    place = bisect(spans, start, key=lambda span: span[0]) - 1
    return spans[place] if place >= 0 and end <= spans[place][1] else None


def _is_another_text(text: str, proposed: Sequence[Change], context: Context) -> bool:
    """Whether so much is replaced that it is not an edit: a refusal, an error page, or the evidence itself.

    Mere additions, of which small models make many, are refused one by one.
    """
    changed = sum(max(len(change["before"]), len(change["after"])) for change in proposed if change["before"])
    return changed > context.max_edit_share * len(text)


async def _of_sentence(
    text: str,
    names: frozenset[str],
    span: Span | None,
    mine: list[Change],
    pieces: Sequence[tuple[Evidence, Topic]],
    context: Context,
    by_nli: bool,
) -> list[Change]:
    """The changes in one sentence."""
    if span is None:
        return [{**change, "refused": change["refused"] or NOT_ONE} for change in mine]
    sentence = text[slice(*span)]

    def compare() -> tuple[list[Evidence], list[Change]]:
        about = _about(sentence, names, pieces)
        return about, _looked_at(text, span, mine, about, context, by_nli)

    about, compared = await apart(compare, text, [piece for piece, _ in pieces])
    if by_nli and any(not change["refused"] for change in compared):
        return await _judged(compared, sentence, span[0], about, context)
    return compared


def _looked_at(
    text: str, span: Span, mine: list[Change], about: Sequence[Evidence], context: Context, by_nli: bool
) -> list[Change]:
    """The changes in one sentence. Changes that cannot stand on their own are refused before the others are checked."""
    sentence = text[slice(*span)]
    mine = [{**change, "refused": change["refused"] or _problem(change, text, context, by_nli)} for change in mine]
    if any(change["refused"] in OF_FORM for change in mine):  # then the remaining words may not fit together
        mine = [{**change, "refused": change["refused"] or _alone(change)} for change in mine]
    revised, places = _revised(sentence, span[0], [change for change in mine if not change["refused"]])
    checked: list[Change] = []
    for change in mine:
        if not change["refused"]:
            change = _followed(change, sentence, span[0], revised, places[change["start"]], about)
        checked.append(change)
    return checked


def _problem(change: Change, text: str, context: Context, by_nli: bool) -> str:
    """What is wrong with a change, whatever the evidence says."""
    old, new = change["before"], change["after"]
    if turns(old, new):
        return guard(text, old, new, context)
    if not units(new):
        return LEFT_OUT if units(old) else REWORDED
    if not units(old):
        return ADDED
    if is_rewording(old, new):
        return REWORDED
    if may_both_be_true(old, new) and not by_nli:
        return NO_CONFLICT
    return guard(text, old, new, context)


def _alone(change: Change) -> str:
    """Why a change cannot be made in a rephrased sentence; empty for a value or a plain opposite."""
    old, new = change["before"], change["after"]
    return "" if (is_value(old) and is_value(new)) or opposed(old.strip(), new.strip()) else RESTATED


def _revised(sentence: str, offset: int, mine: Sequence[Change]) -> tuple[str, dict[int, Span]]:
    """A sentence with its changes made, and the new place of each change by its old start."""
    places: dict[int, Span] = {}
    out, end = "", 0
    for change in mine:
        start = change["start"] - offset
        out += sentence[end:start]
        places[change["start"]] = (len(out), len(out) + len(change["after"]))
        out += change["after"]
        end = start + len(change["before"])
    return out + sentence[end:], places


def _followed(
    change: Change, sentence: str, offset: int, revised: str, place: Span, about: Sequence[Evidence]
) -> Change:
    """A change with the sentence of the evidence that it follows from, or refused.

    That sentence has the new words in the same place as the text, or the rules correct the text by it alike; and no
    sentence has the old words there as well.
    """
    if change["quote"] or change["evidence"]:
        about = [piece for piece in about if piece["id"] == change["evidence"]]
        if not about:
            return {**change, "refused": UNKNOWN if not change["evidence"] else NOT_SHOWN}
        if not find(about[0]["text"], change["quote"]):
            return {**change, "refused": UNQUOTED}
    start = change["start"] - offset
    candidates = [(piece, sentence_of) for piece in about for sentence_of in _sentences(piece)]
    old, new, found = 0.0, 0.0, Followed("", "")
    after = measured(revised, place[0], change["after"])
    for piece, sentence_of in candidates:
        title = frozenset(unit.text for unit in units(piece["title"]))
        old = max(old, fit(change["before"], sentence, (start, start + len(change["before"])), sentence_of, title))
        if (fits := fit(after, revised, place, sentence_of, title)) > new:
            new, found = fits, Followed(piece["id"], sentence_of)
    if turns(change["before"], change["after"]):
        return _turned(change, sentence, revised, candidates)
    if new <= max(old, LEAST_FIT):
        found = _by_rules(change, sentence, start, about)
    if not found.quote or is_bound_otherwise(revised, place, found.quote):
        return {**change, "refused": NOT_SHOWN}
    if are_turned(change["before"], change["after"], revised, place, found.quote):
        return {**change, "refused": NOT_SHOWN}
    if are_listed(change["before"], change["after"], found.quote):
        return {**change, "refused": NO_CONFLICT}
    spelled = spelled_as(change["after"], found.quote)
    return {**change, "after": spelled, "evidence": found.evidence, "quote": found.quote}


def _about(sentence: str, names: frozenset[str], pieces: Sequence[tuple[Evidence, Topic]]) -> list[Evidence]:
    """The evidence about what a sentence is about. What is wrong in it may be its only name."""
    return [piece for piece, topic in pieces if is_about(sentence, names, topic) or _contradicts(piece, sentence)]


def _contradicts(piece: Evidence, sentence: str) -> bool:
    return judge(sentence, sentence, piece["text"], piece["title"]).label == "contradiction"


def _by_rules(change: Change, sentence: str, start: int, about: Sequence[Evidence]) -> Followed:
    """The sentence of the evidence for which the rules make the same change; no words if there is none."""
    for piece in about:
        try:
            finding = judge(sentence, sentence, piece["text"], piece["title"])
            corrected = apply(sentence, finding)
        except ValueError:  # rules know no correction
            continue
        alike = {(each.start, sentence[each.start : each.end], each.after) for each in changes(sentence, corrected)}
        if finding.evidence and alike == {(start, change["before"], change["after"])}:
            return Followed(piece["id"], finding.evidence.sentence_text)
    return Followed("", "")


def _turned(change: Change, sentence: str, revised: str, candidates: Sequence[tuple[Evidence, str]]) -> Change:
    """A change that reverses a sentence follows from evidence that says all of it, reversed in the same way.

    What the title names, a sentence of the evidence need not repeat.
    """
    new_words, old_words = [{unit.text for unit in units(text)} for text in (revised, sentence)]
    for piece, quote in candidates:
        words, title = ({unit.text for unit in units(text)} for text in (quote, piece["title"]))
        if new_words - title <= words and (old_words - new_words).isdisjoint(words):
            return {**change, "evidence": piece["id"], "quote": quote}
    return {**change, "refused": NOT_SHOWN}


def _sentences(piece: Evidence) -> list[str]:
    text = prose(piece["text"])
    return sentences_of(text)


async def _judged(
    mine: list[Change], sentence: str, offset: int, about: Sequence[Evidence], context: Context
) -> list[Change]:
    """The changes, if a network finds that the evidence entails the sentence with them but not without them."""
    revised, _ = _revised(sentence, offset, [change for change in mine if not change["refused"]])
    labels = [await judged([sentence, revised], piece, context) for piece in about]
    before, after = ([pair[place] for pair in labels] for place in (0, 1))
    follows = "entailment" in after and "contradiction" not in after and "entailment" not in before
    return mine if follows else [{**change, "refused": change["refused"] or NOT_SHOWN} for change in mine]


def judge_of(context: Context) -> Literal["nli", "rules"]:
    """Who compares sentences with the evidence, whatever the model says of them."""
    return "nli" if context.nli else "rules"


async def judged(claims: list[str], piece: Evidence, context: Context, before: str = "") -> list[Label]:
    """The labels of some sentences given a piece of evidence, from the rules or the configured network.

    Args:
        claims: The sentences.
        piece: The evidence.
        context: The settings of the run.
        before: The text before them, which a pronoun may refer to.
    """
    judge = context.model_copy(update={"backends": {**context.backends, "check": judge_of(context)}})
    try:
        reply = await task(judge, CHECK).ainvoke(
            {"claims": claims, "evidence": piece["text"], "title": piece["title"], "question": "", "before": before}
        )
    except RunError:
        return ["error"] * len(claims)
    return [judgement.label for judgement in reply.of(len(claims))]
