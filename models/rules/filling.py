"""Whether a sentence says of a fact what a question asks of its answer: the same role, the same things around it."""

from . import contrasts
from .align import GENERIC_NOUNS, evidence_clauses, same_subject, topic_of
from .clauses import Clause, content, read
from .facts import Fact
from .phrasing import object_of, verb_words
from .roles import BE, Role, role, subject_role
from .slots import MADE_BY, compare, same_tense
from .verbs import is_past
from .wanted import FAMILIES, Wanted
from .words import NEGATIONS, PREPOSITIONS, stems

KINDS = GENERIC_NOUNS - stems("film movie novel book series show game song album play work")
"""Nouns that may stand beside a name. Works are told apart by theirs: `the film Emma` is not Emma."""


def is_candidate(fact: Fact, wants: Wanted) -> bool:
    """Whether a fact is of the wanted kind."""
    if wants.kind == "member":
        return any(FAMILIES[wants.noun] in contrasts.families(word) for word in fact.text.split())
    if wants.kind in ("date", "amount"):
        return fact.kind == wants.kind and not (fact.amount and fact.amount.unit == "ordinal")
    return fact.kind == "name"


def fills(wants: Wanted, fact: Fact, clause: Clause, title: str) -> bool:
    """Whether a fact of the evidence stands there where the question wants its answer."""
    claim, place = claimed(wants, fact.text)
    return claim is not None and place is not None and says(claim, place, wants.frame, clause, fact, title)


def bears_out(wants: Wanted, answer: str, evidence: str, title: str) -> str:
    """The sentence of the evidence in which the answer fills its place; empty if there is none."""
    claim, place = claimed(wants, answer)
    if claim is None or place is None:
        return ""
    return _said_again(claim, place, wants.frame, evidence, title)


def bears_out_sentence(wants: Wanted, answer: str, evidence: str, title: str) -> str:
    """The same for an answer that is a sentence of its own."""
    for claim in read(answer):
        for place in claim.facts:
            new = is_candidate(place, wants) and not place.stems <= wants.frame
            if new and (found := _said_again(claim, place, wants.frame, evidence, title)):
                return found
    return ""


def bears_out_statement(wants: Wanted, evidence: str, title: str) -> str:
    """The sentence that says what the statement behind a yes-no question says; empty if there is none."""
    for claim in read(wants.with_answer("")):
        for place in claim.facts:
            if found := _said_again(claim, place, wants.frame - place.stems, evidence, title):
                return found
    return ""


def claimed(wants: Wanted, answer: str) -> tuple[Clause | None, Fact | None]:
    """The clause that the answer makes of the question, and the answer in it."""
    statement = wants.with_answer(answer)
    start = statement.lower().find(answer.lower())
    for clause in read(statement):
        for fact in clause.facts:
            if fact.start < start + len(answer) and start < fact.end:
                return clause, fact
    return None, None


def says(claim: Clause, place: Fact, frame: frozenset[str], clause: Clause, fact: Fact, title: str) -> bool:
    """Whether a clause of the evidence says of its fact what the claim says of its own.

    frame
        what the claim speaks of beside its fact, all of which the clause has to speak of
    """
    if _negated(claim, place) or _negated(clause, fact) or not same_tense(claim, clause):
        return False
    mine, theirs = _role(claim, place), _role(clause, fact)
    if not _same_role(mine, theirs, place):
        return False
    if frame - clause.stems - content(topic_of(title)) - {mine.relation, mine.head}:
        return False
    if _leads(claim, place) or _leads(clause, fact):
        return not _target(clause, fact) - frame - KINDS
    return same_subject(claim, clause, title) or (fact.kind != "amount" and _is_done_to(claim, clause, frame))


def _said_again(claim: Clause, place: Fact, frame: frozenset[str], evidence: str, title: str) -> str:
    for clause in evidence_clauses(evidence, title):
        for fact in clause.facts:
            if compare(place, fact) == "same" and says(claim, place, frame, clause, fact, title):
                return clause.sentence_text
    return ""


def _negated(clause: Clause, fact: Fact) -> bool:
    """Whether a `not` stands before the fact or at the verb; after both it denies something else."""
    verb = verb_words(clause)
    end = max([fact.end, *(word.end for word in verb[-1:])])
    return any(word.lower in NEGATIONS or word.lower.endswith("n't") for word in clause.words if word.start < end)


def _is_done_to(claim: Clause, clause: Clause, frame: frozenset[str]) -> bool:
    """Whether the clause has somebody do what the claim has done: `It was published`, `Newton published it`."""
    verb = verb_words(clause)
    active = bool(verb) and verb[0].lower not in BE and is_past(verb[-1].lower)
    done = content(object_of(clause, verb[-1])) if active else frozenset()
    return bool(done) and content(claim.subject) <= done and not done - frame


def _leads(clause: Clause, fact: Fact) -> bool:
    """Whether a fact stands before the verb."""
    return clause.verb < len(clause.words) and fact.end <= clause.words[clause.verb].start


def _target(clause: Clause, fact: Fact) -> frozenset[str]:
    """What is done or held: the object of a fact that leads, otherwise the subject."""
    return content(object_of(clause, verb_words(clause)[-1]) if _leads(clause, fact) else clause.subject)


def _role(clause: Clause, fact: Fact) -> Role:
    """The role of a fact; a name at the end of its subject stands for it: `the explorer Hiram Bingham`."""
    found: Role = role(clause, fact)
    before = {word.lower for word in clause.words if word.end <= fact.start}
    last = fact.end == clause.words[clause.verb - 1].end
    if found.way == "part of subject" and last and not before & (PREPOSITIONS | {"and"}):
        return subject_role(clause, [])
    return found


def _same_role(mine: Role, theirs: Role, fact: Fact) -> bool:
    related = mine.relation == theirs.relation or {mine.relation, theirs.relation} <= MADE_BY | {"by"}
    if fact.kind in ("amount", "contrast"):
        return mine.head == theirs.head and (bool(mine.head) or related)
    return mine.way == theirs.way and related and (fact.kind != "date" or mine.head == theirs.head)
