"""Reading an answer out of evidence: what stands in its place, in a sentence about all of the question."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .agreeing import Finding, judge
from .align import GENERIC_NOUNS, PERSON_STEMS, evidence_clauses, names, topic_of
from .clauses import Clause, content
from .facts import Fact, find
from .filling import fills, is_candidate
from .naming import same_name
from .places import lookup
from .roles import role
from .slots import compare
from .wanted import Wanted

LEVELS = {"city": "city", "town": "city", "country": "country", "continent": "continent", "state": "state"}


@dataclass(frozen=True)
class Piece:
    """A piece of evidence, with the title of the page that it is from."""

    title: str
    text: str
    number: int = field(default=0, compare=False)
    """What it is cited by."""


@dataclass(frozen=True)
class Reading:
    """An answer and the sentence that it was read in.

    It is `sure` if it has the role there that the answer has in the question; otherwise it is only the one thing in a
    sentence about the question that is of the right kind.
    """

    answer: str
    sentence: str
    fact: Fact
    sure: bool


def read_out(question: str, wants: Wanted, pieces: Iterable[Piece]) -> Reading | None:
    """What the evidence answers; None if it answers nothing, or several things. A sure reading goes before others."""
    found = [reading for piece in pieces for reading in _readings(question, wants, piece)]
    for sure in (True, False):
        readings = [reading for reading in found if reading.sure is sure]
        if readings:
            best = readings[0]
            return best if all(_agree(best.fact, other.fact) for other in readings[1:]) else None
    return None


def put(question: str, wants: Wanted, answer: str, piece: Piece) -> Finding:
    """What the agreement finds of an answer, put into a statement; neutral where it is about something else in it."""
    statement = wants.with_answer(answer)
    finding = judge(_as_claim(statement, question, piece))
    start = statement.lower().find(answer.lower())
    if finding.fact is None or start < 0:
        return Finding("neutral")
    inside = finding.fact.start < start + len(answer) and start < finding.fact.end
    return finding if inside else Finding("neutral")


def gist(question: str, wants: Wanted, piece: Piece) -> Finding:
    """What the agreement finds of the statement behind a question that is answered with yes or no."""
    return judge(_as_claim(wants.with_answer(""), question, piece))


def missing(wants: Wanted, finding: Finding, piece: Piece) -> frozenset[str]:
    """What the question speaks of and the evidence of a finding does not; the fact in doubt aside."""
    assert finding.evidence is not None
    fact = finding.fact.stems if finding.fact else frozenset()
    relation = {role(finding.claim, finding.fact).relation} if finding.claim and finding.fact else set()
    return wants.frame - finding.evidence.stems - content(topic_of(piece.title)) - fact - relation


def _as_claim(statement: str, question: str, piece: Piece) -> dict[str, str]:
    return {"text": statement, "question": "", "query": question, "evidence": piece.text, "title": piece.title}


def _readings(question: str, wants: Wanted, piece: Piece) -> Iterator[Reading]:
    for clause in evidence_clauses(piece.text, piece.title):
        candidates = _candidates(question, wants, clause)
        outright = [fact for fact in candidates if fills(wants, fact, clause, piece.title)]
        for fact in _one_of(outright, clause):
            yield Reading(_written(fact, wants), clause.sentence_text, fact, sure=True)
        if not outright and _covers(wants, clause, piece.title):
            for fact in _one_of([fact for fact in candidates if _may_be(fact, wants, clause)], clause):
                yield Reading(_written(fact, wants), clause.sentence_text, fact, sure=wants.kind == "member")


def _may_be(fact: Fact, wants: Wanted, clause: Clause) -> bool:
    """Whether a sentence is about no less than the question; and a name in it a place if one was asked for."""
    if _is_narrower(wants, clause, fact):
        return False
    if wants.kind == "place":
        return role(clause, fact).way == "place"
    return wants.kind != "name" or bool(wants.noun) or role(clause, fact).way != "place"


def _one_of(facts: list[Fact], clause: Clause) -> list[Fact]:
    """The first of the facts, if the others say the same; of places the first is the finest: `Ulm, Germany`."""
    alone = all(_agree(facts[0], other) or role(clause, other).way == "place" for other in facts[1:])
    return facts[:1] if alone else []


def _candidates(question: str, wants: Wanted, clause: Clause) -> list[Fact]:
    found = [fact for fact in clause.facts if is_candidate(fact, wants) and not _is_named(fact, question)]
    level = LEVELS.get(wants.noun)
    return [fact for fact in found if any(place.level == level for place in fact.meant[:3])] or found


def _is_named(fact: Fact, question: str) -> bool:
    """Whether the question itself names a fact."""
    named = [each.text for each in find(question, 0, len(question)) if each.kind == "name"]
    return fact.stems <= content(question) or any(same_name(fact.text, name) for name in named)


def _covers(wants: Wanted, clause: Clause, title: str) -> bool:
    """Whether a sentence speaks of all that the question does; what it is about only the title may say."""
    known = content(clause.sentence_text) | clause.stems
    named = names(clause.subject)
    if not named or named & wants.frame:
        known |= content(topic_of(title))
    return not wants.frame - known


def _is_narrower(wants: Wanted, clause: Clause, fact: Fact) -> bool:
    """Whether a sentence is about a part of what the question is about: `the main span of the bridge`."""
    leads = fact.start < (clause.words[clause.verb].start if clause.verb < len(clause.words) else 0)
    nouns = content(clause.own_subject) - names(clause.own_subject) - wants.frame - GENERIC_NOUNS
    return not leads and any(not noun.endswith(PERSON_STEMS) for noun in nouns)


def _agree(one: Fact, other: Fact) -> bool:
    return compare(one, other) == "same" or compare(other, one) == "same"


def _written(fact: Fact, wants: Wanted) -> str:
    """The answer as it was asked for: the year alone where the year was."""
    if wants.noun == "year" and fact.date and fact.date.years and fact.date.span == 1 and fact.date.years[0] > 0:
        return str(fact.date.years[0])
    name, of, rest = fact.text.partition(" of ")
    return name if wants.noun == "" and of and lookup(rest) and not lookup(name) and " " in name else fact.text
