"""What a statement holds for: a time, a condition, things of one number. What holds there says nothing of elsewhere."""

import re
from collections.abc import Iterator
from itertools import pairwise

from ....state.text.amounts import Amount
from .clauses import Clause, content
from .facts import Fact
from .numbered import numbered
from .roles import role
from .slots import compare
from .tables import table
from .verbs import base_form, is_past
from .words import Word, is_verb_at, stems

PRESENT = table("is are am has have do does can cannot will may must isn't aren't hasn't haven't don't doesn't can't")
PAST = table("was were had did could wasn't weren't hadn't didn't couldn't")
BE_OR_HAVE = table("is are am was were be been has have had isn't aren't wasn't weren't")
LASTING = stems(
    """stand lie contain cover measure weigh belong consist include own use govern rule live employ speak call know
    rise border carry need rank remain stay serve"""
)
"""Verbs of what goes on for a while, so that it may be otherwise at another time."""
MODES = {
    "duty": table("must should shall ought required obliged compelled"),
    "possibility": table(
        "may might could would perhaps possibly probably likely allegedly reportedly supposedly allowed permitted"
    ),
    "report": table(
        """deny denies denied doubt doubts doubted dispute disputes disputed claim claims claimed allege alleges alleged
        think thinks thought believe believes believed suspect suspects suspected assume assumes assumed rumoured say
        says said dream dreamed dreamt imagine imagined pretend pretends pretended"""
    ),
}
"""Words that say how a statement is meant, or whose it is."""
NEARLY = table("nearly almost")
PARTICLES = table("off out up down away back aside apart")
INTENDING = table(
    """plan intend want hope try attempt aim propose promise expect threaten refuse fail decline agree seek wish decide
    offer vow pledge hesitate struggle prepare consider design mean supposed scheduled due unable ready willing"""
)
"""Verbs before `to` and a verb, after which that need not have happened."""
_TIMED = re.compile(
    r"\b(?:before|until|till|(?<!named )after|during|formerly|once|originally|initially|previously|then|earlier"
    r"|already|not yet|at first|at the time|ago|by \d{4}|when|while|since"
    r"|for (?:\w+ ){0,3}(?:years|decades|centuries))\b"
)
DURATIONS = table("second minute hour day week month year decade century")
_CONDITION = re.compile(
    r"\b(?P<kind>without|including|excluding|except|not counting|counting|apart from|besides|unless|if"
    r"|with(?= (?:its|their|his|her|the|an?|all|no|\d+) )|from(?= (?:the|its|their|base|ground)\b)"
    r"|through|in(?= (?:vacuum|air|water|glass|theory)\b))(?P<what>(?:(?! at )[^,;.()])*)"
)
WIDENING = table("including counting")


def same_scope(claim: Clause, other: Clause, fact: Fact | None, theirs: Fact | None, title: str) -> bool:
    """Whether what the other clause says of its fact may be held against the claim's, or for it.

    Args:
        claim: The clause that is judged.
        other: The clause of the evidence.
        fact: The fact of the claim, if it is about one.
        theirs: The fact of the evidence that it is compared with.
        title: The title of the evidence.
    """
    if claim.cjk or other.cjk:
        return True
    if not same_numbers(claim, other, fact, title):
        return False
    if fact and fact.kind in ("amount", "contrast") and not _same_conditions(claim, other, fact, theirs):
        return False
    if fact and (fact.kind == "date" or role(claim, fact).way == "agent"):  # who made a thing made it once
        return True
    return same_time(claim, other, fact, theirs)


def same_mode(claim: Clause, other: Clause) -> bool:
    """Whether both say that something is so, or both that it must, may or is meant to be so; and of the same verb."""
    return modes(claim) == modes(other) and _particles(claim) == _particles(other)


def _particles(clause: Clause) -> set[str]:
    """What makes another verb of a verb: `called`, but `called off`."""
    return {word.lower for word in clause.words} & PARTICLES


def modes(clause: Clause) -> set[str]:
    """How a statement is meant: as a duty, a possibility, an intention, what somebody says; empty if it is just so."""
    row = [word.text if word.text == "May" else word.lower for word in clause.words]
    found = {mode for mode, said in MODES.items() if not said.isdisjoint(row)}
    pairs = list(pairwise(row))
    if any(word in NEARLY and (is_past(after) or after in PRESENT | PAST) for word, after in pairs):  # no number
        found.add("nearly")
    if any(word in ("have", "has", "had") and after == "to" for word, after in pairs):
        found.add("duty")
    if any(after == "to" and base_form(word) in INTENDING | {"be"} for word, after in pairs):  # `was to be opened`
        found.add("intention")
    return found


def same_numbers(claim: Clause, other: Clause, fact: Fact | None, title: str) -> bool:
    """Whether all that the claim numbers has the same number there: World War I is not World War II."""
    clause_text = claim.text[claim.span[0] : claim.span[1]]
    if fact and fact.amount and fact.amount.unit == "ordinal":  # it is this number that is compared
        clause_text = claim.text[claim.span[0] : fact.start] + "…" + claim.text[fact.end : claim.span[1]]
    mine = numbered(clause_text) | numbered(claim.subject)
    theirs = numbered(other.sentence_text) | numbered(other.subject) | numbered(title)
    if not mine <= theirs:
        return False
    numbered_names = {
        each for each in numbered(other.says) if re.search(rf"[A-Z]\w* {re.escape(each[1])}\b", other.says)
    }
    return numbered_names <= mine | numbered(title) | numbered(claim.sentence_text)


def _same_conditions(claim: Clause, other: Clause, fact: Fact, theirs: Fact | None) -> bool:
    """Whether both hold under the same conditions: `without its antennas`, `from its base`."""
    mine, yours = _conditions(claim, fact), _conditions(other, theirs)
    if mine:
        return all(
            any(kind == their_kind and words <= their_words for their_kind, their_words in yours)
            for kind, words in mine
        )
    return all(kind in WIDENING for kind, _ in yours)


def _conditions(clause: Clause, fact: Fact | None) -> list[tuple[str, frozenset[str]]]:
    """The conditions of a clause beside the phrase that holds the fact: `with 64 squares` has squares, and no limit."""
    return [(match["kind"], content(match["what"])) for match in _outside(_CONDITION, clause, fact)]


def same_time(claim: Clause, other: Clause, fact: Fact | None, theirs: Fact | None) -> bool:
    """Whether two states are those of one time. A past state, or one of a named time, may be another one now."""
    my_tense, their_tense = tense(claim), tense(other)
    if my_tense and their_tense and my_tense != their_tense:
        return False
    my_dates, their_dates = _dates(claim), _dates(other)
    if my_dates and their_dates:
        return any(compare(my_date, their_date) == "same" for my_date in my_dates for their_date in their_dates)
    counted = fact is not None and fact.kind == "amount"  # by then it may have been fewer
    if not is_state(claim):
        return not (counted and (my_dates or _timed(claim, fact) - _timed(other, theirs)))
    if my_dates or _durations(claim, fact) != _durations(other, theirs) or _timed(claim, fact) - _timed(other, theirs):
        return False
    return my_tense != "past" or not (their_dates or _timed(other, theirs))


def tense(clause: Clause) -> str:
    """`past` or `present`, as the first verb is; empty if there is none."""
    if clause.cjk or clause.verb >= len(clause.words):
        return ""
    verb = clause.words[clause.verb].lower
    if verb in PRESENT:
        return "present"
    return "past" if verb in PAST or is_past(verb) else "present"


def is_state(clause: Clause) -> bool:
    """Whether a clause tells how something is, not what happened: `had 20 states`, but not `was founded`."""
    verb, happened = _verb_and_participle(clause)
    if verb and verb.lower in BE_OR_HAVE:
        return happened is None or happened.stem in LASTING
    return verb is not None and verb.stem in LASTING


def is_being(clause: Clause) -> bool:
    """Whether a clause only says what something is or has."""
    verb, happened = _verb_and_participle(clause)
    return verb is not None and verb.lower in BE_OR_HAVE and happened is None


def _verb_and_participle(clause: Clause) -> tuple[Word | None, Word | None]:
    """The first verb, and the participle behind it: `was`, `founded`."""
    if clause.cjk or clause.verb >= len(clause.words):
        return None, None
    near = range(clause.verb + 1, min(clause.verb + 3, len(clause.words)))
    participles = (clause.words[i] for i in near if is_past(clause.words[i].lower) and is_verb_at(clause.words, i))
    return clause.words[clause.verb], next(participles, None)


def _dates(clause: Clause) -> list[Fact]:
    return [fact for fact in clause.facts if fact.kind == "date"]


def _durations(clause: Clause, aside: Fact | None) -> set[Amount | None]:
    """How long something was so, if that is not what is compared: `for 28 years`."""
    return {
        fact.amount
        for fact in clause.facts
        if fact.amount
        and fact is not aside
        and fact.amount.unit in DURATIONS
        and re.search(r"\bfor (?:\w+ ){0,2}$", clause.text[clause.span[0] : fact.start])
    }


def _timed(clause: Clause, aside: Fact | None) -> set[str]:
    return {match.group().lower() for match in _outside(_TIMED, clause, aside)}


def _outside(form: re.Pattern[str], clause: Clause, aside: Fact | None) -> Iterator[re.Match[str]]:
    """Where a clause has a form of words, except the one that a fact stands in."""
    for match in form.finditer(clause.text, *clause.span):
        if aside is None or not match.start() <= aside.start < match.end():
            yield match
