"""Reading an answer from evidence: the one value of the requested kind, in a clause about the whole question."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .language.align import ASKING_WORDS, GENERIC_NOUNS, asked_for, evidence_clauses, names, patient, topic_of
from .language.clauses import PERSON_STEMS, Clause, content
from .language.facts import Fact
from .language.numbered import numbered
from .language.roles import role
from .language.slots import compare
from .language.words import stems
from .observed import Piece

_NUMBER = re.compile(r"\bwhat (?:is|was) the (?:\w+ )?number\b", re.IGNORECASE)
_NAME = re.compile(r"(?:\w{1,60} )?(?:which|what)\b", re.IGNORECASE)
ASKING = content(" ".join(ASKING_WORDS))
KINDS = GENERIC_NOUNS - stems("film movie novel book series show game song album play work")
"""Nouns that may stand beside a name. Works are told apart by theirs: `the film Emma` is not Emma."""
LEVELS = {"city": "city", "town": "city", "country": "country", "continent": "continent", "state": "state"}


@dataclass(frozen=True)
class Reading:
    """An answer as the evidence writes it, and its sentence."""

    fact: Fact
    sentence: str

    @property
    def answer(self) -> str:
        """The answer's text."""
        return self.fact.text


def read_out(question: str, pieces: Iterable[Piece]) -> Reading | None:
    """The answer that the evidence gives. None if it gives none, or several.

    Args:
        question: A question that asks for a time, an amount, a place or a person.
        pieces: Where the answer may stand.
    """
    kind = asked_for(question) or ("amount" if _NUMBER.search(question) else "name" if _NAME.match(question) else "")
    found = [reading for piece in pieces for reading in _readings(question, kind, piece)] if kind else []
    return found[0] if found and all(same(found[0].fact, other.fact) for other in found[1:]) else None


def same(one: Fact, other: Fact) -> bool:
    """Whether two values can mean the same, the one more exactly than the other."""
    return compare(one, other) == "same" or compare(other, one) == "same"


def _readings(question: str, kind: str, piece: Piece) -> Iterator[Reading]:
    asked, title = content(question) - ASKING, content(topic_of(piece.title))
    for clause in evidence_clauses(piece.text, piece.title):
        same_number = numbered(question) <= numbered(clause.sentence_text) | numbered(piece.title)
        if clause.negated or not same_number or not asked <= content(clause.sentence_text) | clause.stems | title:
            continue
        found = [fact for fact in clause.facts if _answers(fact, kind, clause) and not fact.stems <= asked]
        found = [fact for fact in found if not _is_about_another(clause, fact, asked)]
        level = next((LEVELS[word] for word in question.lower().split() if word in LEVELS), "")
        found = (
            [fact for fact in found if any(place.level == level for place in fact.meant[:3])]
            or [fact for fact in found if role(clause, fact).way in ("agent", "holder")]
            or [fact for fact in found if fact.amount and asked & set(role(clause, fact).head.split())]
            or found
        )
        if found and all(
            same(found[0], other) or (other.meant and role(clause, other) == role(clause, found[0]))
            for other in found[1:]
        ):
            yield Reading(found[0], clause.sentence_text)


def _answers(fact: Fact, kind: str, clause: Clause) -> bool:
    """Whether a value is of the kind that is asked for."""
    if kind in ("date", "amount"):
        return fact.kind == kind and not (fact.amount and fact.amount.unit == "ordinal")
    return fact.kind == "name" and (kind == "name" or (role(clause, fact).way == "place") == (kind == "place"))


def _is_about_another(clause: Clause, fact: Fact, asked: frozenset[str]) -> bool:
    """Whether a clause is about something else than the question, or a part of it: `the main span of the bridge`."""
    if fact.text in clause.own_subject:
        leads = role(clause, fact).way in ("agent", "holder")
        return not leads or bool(patient(clause, fact) - asked - KINDS)
    named = names(clause.own_subject)
    nouns = content(clause.own_subject) - named - asked - KINDS
    return bool(named and not named & asked) or any(not noun.endswith(PERSON_STEMS) for noun in nouns)
