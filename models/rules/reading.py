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
    readings = [reading for piece in pieces for reading in _readings(question, kind, piece)] if kind else []
    return readings[0] if readings and all(same(readings[0].fact, other.fact) for other in readings[1:]) else None


def same(fact: Fact, other: Fact) -> bool:
    """Whether two values can mean the same, the one more exactly than the other."""
    return compare(fact, other) == "same" or compare(other, fact) == "same"


def _readings(question: str, kind: str, piece: Piece) -> Iterator[Reading]:
    topic, title = content(question) - ASKING, content(topic_of(piece.title))
    for clause in evidence_clauses(piece.text, piece.title):
        same_number = numbered(question) <= numbered(clause.sentence_text) | numbered(piece.title)
        if clause.negated or not same_number or not topic <= content(clause.sentence_text) | clause.stems | title:
            continue
        facts = [fact for fact in clause.facts if _answers(fact, kind, clause) and not fact.stems <= topic]
        facts = [fact for fact in facts if not _is_about_another(clause, fact, topic)]
        level = next((LEVELS[word] for word in question.lower().split() if word in LEVELS), "")
        facts = (
            [fact for fact in facts if any(place.level == level for place in fact.meant[:3])]
            or [fact for fact in facts if role(clause, fact).way in ("agent", "holder")]
            or [fact for fact in facts if fact.amount and topic & set(role(clause, fact).head.split())]
            or facts
        )
        if facts and all(
            same(facts[0], other) or (other.meant and role(clause, other) == role(clause, facts[0]))
            for other in facts[1:]
        ):
            yield Reading(facts[0], clause.sentence_text)


def _answers(fact: Fact, kind: str, clause: Clause) -> bool:
    """Whether a value is of the kind that is asked for."""
    if kind in ("date", "amount"):
        return fact.kind == kind and not (fact.amount and fact.amount.unit == "ordinal")
    return fact.kind == "name" and (kind == "name" or (role(clause, fact).way == "place") == (kind == "place"))


def _is_about_another(clause: Clause, fact: Fact, topic: frozenset[str]) -> bool:
    """Whether a clause is about something else than the question, or a part of it: `the main span of the bridge`."""
    if fact.text in clause.own_subject:
        leads = role(clause, fact).way in ("agent", "holder")
        return not leads or bool(patient(clause, fact) - topic - KINDS)
    subject_names = names(clause.own_subject)
    nouns = content(clause.own_subject) - subject_names - topic - KINDS
    return bool(subject_names and not subject_names & topic) or any(not noun.endswith(PERSON_STEMS) for noun in nouns)
