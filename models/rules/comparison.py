"""A sentence beside the evidence: supported, contradicted in one place, or neither."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ...state.text.segments import Span
from .alignment import Place, Units, forms, one_place, same
from .beside import agree, clauses, places, told
from .marks import language_of
from .passages import LONGEST, ReadPassage, evidence, points_back, starts_with_pronoun, subject_of
from .units import PRONOUNS, Sentence, Unit, read
from .writing import written

Label = Literal["supported", "contradicted", "undecided"]
Documents = tuple[tuple[str, str], ...]
"""Titles and texts."""


@dataclass(frozen=True)
class Finding:
    """What the evidence says of a sentence."""

    label: Label
    text: str
    """The sentence, put right where a place can be."""
    quote: str = ""
    document: int = -1
    """The number of the document that the quote stands in."""


def compare(text: str, documents: Sequence[tuple[str, str]], before: str = "") -> Finding:
    """What documents say of a sentence. Support by one of them outweighs contradiction by others.

    Args:
        text: The sentence.
        documents: Titles and texts.
        before: The text before it, which its pronoun may refer to.
    """
    return _compare(text, tuple(documents), before)


@lru_cache(maxsize=512)
def _compare(text: str, documents: Documents, before: str) -> Finding:
    undecided = Finding("undecided", text)
    if not text.strip() or len(text) > LONGEST or text.rstrip().endswith(("?", "？")):
        return undecided
    claim = read(text, next((language_of(body[:1_000]) for _, body in documents), ""))
    if not claim.units:
        return undecided
    subject = _subject(claim, before)
    beside = [
        (n, passage) for n, each in enumerate(documents) for passage in evidence(*each).beside(text + " " + subject)
    ]
    for number, passage in beside:
        if _supports(claim, subject, passage, before):
            return Finding("supported", text, passage.source, number)
    found: list[tuple[bool, tuple[Span, ...], Finding]] = []
    borne: dict[object, bool] = {}
    for number, passage in beside:
        for place in _excluding(claim, subject, passage):
            if place.mine not in borne:
                borne[place.mine] = any(_bears_out(claim, place, other) for _, other in beside)
            if borne[place.mine]:
                return undecided
            is_value = bool(place.mine) and place.mine[0].kind in ("number", "date", "time", "name")
            new = Finding("contradicted", written(claim, passage.sentence, place), passage.source, number)
            where = tuple(unit.span for unit in place.mine or place.mine_around[:1])
            found.append((not is_value, where, new))
    if not found:
        return undecided
    best = min(rank for rank, *_ in found)
    answers: dict[object, dict[str, Finding]] = defaultdict(dict)
    for rank, where, each in found:
        if rank == best:
            answers[where].setdefault(each.text, each)
    # several sentences may have several values for one place: which of them is meant cannot be told
    return next((next(iter(each.values())) for each in answers.values() if len(each) == 1), undecided)


def _bears_out(claim: Sentence, place: Place, passage: ReadPassage) -> bool:
    """Whether another sentence has all that the claim says, in whatever words between."""
    if not place.mine or not (place.mine[0].is_value or place.mine[0].kind == "name"):
        return False
    rest = [unit for unit in told(claim.units) if unit not in place.mine]
    for theirs in clauses(passage.sentence, next(_their_subjects(passage))):
        known = {unit.key for unit in theirs} | passage.named
        if all(any(_says(unit, other) for other in theirs) for unit in place.mine) and all(
            unit.key in known or any(_says(unit, other) for other in theirs) for unit in rest
        ):
            return True
    return False


def _says(unit: Unit, other: Unit) -> bool:
    return unit.key == other.key or (unit.is_value and agree(unit, other))


def _subject(claim: Sentence, before: str) -> str:
    """What the pronoun at the beginning of a sentence stands for."""
    if not before or not starts_with_pronoun(claim.typed.text):
        return ""
    from ...state.text.segments import sentences_of

    earlier = [each for each in sentences_of(before[-1_000:]) if not starts_with_pronoun(each)]
    return subject_of(earlier[-1]) if earlier else ""


def _their_subjects(passage: ReadPassage) -> Iterator[Units]:
    """What the pronoun of a sentence of the evidence may stand for: the subject before it, or the title's."""
    if points_back(passage.source):
        for named in (passage.before, passage.context.partition("\n")[0]):
            if named:
                yield forms(read(named))[0]
    yield ()


def _all_forms(claim: Sentence, subject: str, passage: ReadPassage) -> Iterator[tuple[Units, Units]]:
    my_subject = forms(read(subject))[0] if subject else ()
    for mine in forms(claim, my_subject):
        for subject_units in _their_subjects(passage):
            for theirs in forms(passage.sentence, subject_units):
                yield mine, theirs


def _supports(claim: Sentence, subject: str, passage: ReadPassage, before: str) -> bool:
    if passage.intro or passage.source.rstrip().endswith(("?", "？")):
        return False
    numbers = claim.typed.number, passage.sentence.typed.number
    if all(numbers) and numbers[0] != numbers[1]:
        return False
    every = _all_forms(claim, subject, passage)
    if starts_with_pronoun(claim.typed.text):  # of whom it is said counts, where the text says so
        return (
            any(same(mine, theirs) and mine[0].key not in PRONOUNS for mine, theirs in every)
            if subject
            else (not before and _repeats(claim, passage))
        )
    return any(same(mine, theirs) for mine, theirs in every)


def _repeats(claim: Sentence, passage: ReadPassage) -> bool:
    return same(claim.units, passage.sentence.units)


def _excluding(claim: Sentence, subject: str, passage: ReadPassage) -> Iterator[Place]:
    if passage.intro or passage.source.rstrip().endswith(("?", "？")):
        return
    for mine, theirs in _all_forms(claim, subject, passage):
        if (place := one_place(mine, theirs, claim.language)) is not None:
            yield place
            return
    if claim.language in ("en", "ko") and passage.sentence.language == claim.language:
        subject_units = next(_their_subjects(passage))
        yield from places(claim, passage.sentence, passage.named, subject_units)
