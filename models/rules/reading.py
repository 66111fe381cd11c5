"""Reading an answer from evidence: the one value of the requested kind, in a clause about the whole question."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .language.align import ASKING_WORDS, GENERIC_NOUNS, asked_for, evidence_clauses, names, patient, topic_of
from .language.clauses import PERSON_STEMS, Clause, content, has_name
from .language.facts import Fact
from .language.numbered import numbered
from .language.roles import role
from .language.slots import compare
from .language.verbs import base_form
from .language.words import stems, words
from .observed import Piece
from .questioned import fits, is_negative, limits

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
    in_clause: bool
    """Whether its clause alone is about the whole question, without the rest of the sentence."""

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
    if is_negative(question):
        return None
    readings = [reading for piece in pieces for reading in _readings(question, kind, piece)] if kind else []
    readings = [reading for reading in readings if reading.in_clause] or readings
    return readings[0] if readings and all(same(readings[0].fact, other.fact) for other in readings[1:]) else None


def same(fact: Fact, other: Fact) -> bool:
    """Whether two values can mean the same, the one more exactly than the other."""
    return compare(fact, other) == "same" or compare(other, fact) == "same"


def _readings(question: str, kind: str, piece: Piece) -> Iterator[Reading]:
    topic, title = content(question) - ASKING, content(topic_of(piece.title))
    for clause in evidence_clauses(piece.text, piece.title):
        known = _subject(clause) | title
        same_number = numbered(question) <= numbered(clause.sentence_text) | numbered(piece.title)
        if clause.negated or not same_number or not topic <= content(clause.sentence_text) | known:
            continue
        if not limits(question) <= {base_form(word.lower) for word in words(clause.sentence_text)}:
            continue
        facts = [
            fact
            for fact in clause.facts
            if _answers(fact, kind, clause) and not fact.stems <= topic and fits(question, kind, clause, fact)
        ]
        facts = [fact for fact in facts if not _is_about_another(clause, fact, topic)]
        level = next((LEVELS[word] for word in question.lower().split() if word in LEVELS), "")
        facts = (
            [fact for fact in facts if any(place.level == level for place in fact.meant[:3])]
            or [fact for fact in facts if role(clause, fact).way in ("agent", "holder")]
            or [fact for fact in facts if fact.amount and topic & set(role(clause, fact).head.split())]
            or facts
        )
        alike = [other for other in facts[1:] if other.meant and role(clause, other) == role(clause, facts[0])]
        in_clause = topic <= content(clause.says) | known
        yield from (Reading(fact, clause.sentence_text, in_clause) for fact in facts if fact not in alike)


def _subject(clause: Clause) -> frozenset[str]:
    """What a clause is about, unless it is only guessed: that `the filter` or `it` is of the heater before it."""
    own = clause.own_subject.lower()
    is_guessed = bool(own) and (clause.subject.lower().startswith(f"{own} of ") or not has_name(clause.subject))
    return frozenset() if is_guessed else content(clause.subject)


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
