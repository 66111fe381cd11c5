"""What a question asks of a statement with its words: who does something or to whom it is done, and of which deed."""

from functools import lru_cache
from typing import Literal

from .language.clauses import Clause, content, is_passive
from .language.facts import Fact
from .language.roles import role
from .language.tables import table
from .language.verbs import AUXILIARIES, base_form, is_past
from .language.words import ADVERBS, ARTICLES, HEDGES, NEGATIONS, PREPOSITIONS, Word, words

SUPPORTING = table("do does did")
BEING = table("is are was were be been being")
PERSONS = table("who whom whose")
REPEATED = table("every each per")

Side = Literal["doer", "undergoer", ""]


def is_negative(question: str) -> bool:
    """Whether a question asks for what is not so, of which statements say nothing."""
    return any(word.lower in NEGATIONS or word.lower.endswith("n't") for word in words(question))


@lru_cache(maxsize=1_000)
def limits(question: str) -> frozenset[str]:
    """The words of a question that are small in a statement, but all-important here: `the most`, `over`, `close`."""
    return frozenset(base_form(word.lower) for word in words(question) if word.lower in HEDGES - {"about", "around"})


def fits(question: str, kind: str, clause: Clause, fact: Fact) -> bool:
    """Whether a value of the right kind can be the answer, going by what the statement says of it.

    Args:
        question: The question.
        kind: The kind of value that it asks for.
        clause: A statement with all words of the question.
        fact: A value in it.
    """
    if clause.cjk:
        return True
    if kind in ("name", "person") and not _is_on_its_side(question, clause, fact):
        return False
    if kind == "amount" and _is_repeated(clause, fact):
        return False
    return _is_of_its_deed(question, clause, fact)


@lru_cache(maxsize=1_000)
def _side(question: str) -> Side:
    """Whom a question asks for: `Who beat Ann?` for the one who did, `Whom did Ann beat?` for the other; or neither."""
    row = words(question)
    if len(row) < 2 or row[0].lower not in PERSONS | {"what"}:
        return ""
    if row[1].lower in SUPPORTING:
        return "undergoer"
    if row[1].lower in BEING:
        verb = next((word for word in row[2:] if word.lower not in ADVERBS), None)
        return "undergoer" if verb and verb.text.islower() and is_past(verb.lower) else ""
    return "" if row[1].lower in AUXILIARIES or not _is_verb(row[1]) else "doer"


def _is_verb(word: Word) -> bool:
    return word.text.islower() and (is_past(word.lower) or base_form(word.lower) != word.lower)


def _is_on_its_side(question: str, clause: Clause, fact: Fact) -> bool:
    """Whether a name is of the one who does it where the question asks for that one, and of the other if for that."""
    asked, way = _side(question), role(clause, fact).way
    return not asked or (way in ("agent", "holder") if asked == "doer" else way != "agent")


def _is_of_its_deed(question: str, clause: Clause, fact: Fact) -> bool:
    """Whether a statement may be of the deed that a question is about, and not of one to something else.

    `When did the museum open?` does not ask when the museum opened a new wing, and `When was Ann beaten?` not when
    she beat somebody.
    """
    if clause.verb >= len(clause.words):
        return False
    if is_passive(clause) or clause.words[clause.verb].lower in AUXILIARIES:
        return True
    topic, done = content(question), _object(clause, fact)
    if not done:
        return True
    return bool(done & topic - content(clause.subject)) and not _doer(question) & done - content(clause.subject)


def _doer(question: str) -> frozenset[str]:
    """The first word of the one who does it, behind `did`; empty if the question has no `did`."""
    row = words(question)
    behind = next((place for place, word in enumerate(row) if word.lower in SUPPORTING), len(row))
    first = next((word.stem for word in row[behind + 1 :] if word.stem), "")
    return frozenset(filter(None, [first]))


def _object(clause: Clause, fact: Fact) -> frozenset[str]:
    """What the verb of a statement is done to, without the value itself."""
    row = [word for word in clause.words[clause.verb + 1 :] if word.lower not in ADVERBS]
    if not row or not (row[0].lower in ARTICLES or row[0].capital):
        return frozenset()
    end = next((place for place, word in enumerate(row) if word.lower in PREPOSITIONS), len(row))
    return frozenset(word.stem for word in row[:end] if word.end <= fact.start and word.stem)


def _is_repeated(clause: Clause, fact: Fact) -> bool:
    """Whether an amount says how often, as in `every two weeks`, and not how much or how long."""
    before = [word.lower for word in clause.words if word.end <= fact.start]
    return bool(before) and before[-1] in REPEATED
