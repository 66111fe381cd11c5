"""Several values in one clause, each with words of its own: `Git in 2005 and Linux in 1991`."""

import re
from itertools import pairwise

from .clauses import Clause, content
from .facts import Fact
from .roles import role
from .slots import compare

_ONE_ELSEWHERE = re.compile(r"(?:,|\band) one (?:in|on|at|by|for|to|from)\b")
"""What is counted again, without its name: `two tablets in the morning and one in the evening`."""
_JOINT = re.compile(r"[,;]|\band\b|\bor\b|\bbut\b")


def own_pair(claim: Clause, other: Clause, fact: Fact, theirs: Fact) -> bool:
    """Whether two values stand with the same words, where one of the clauses has several of their kind."""
    mine, yours = own_words(claim, fact), own_words(other, theirs)
    return mine <= (yours or other.stems) | content(other.subject) and yours <= claim.stems | mine


def own_words(clause: Clause, fact: Fact) -> frozenset[str]:
    """The words that belong to one of several values of a kind. Empty if it is the only one, or one of a mere list.

    They stand before each value, or after it: `two tablets in the morning and one in the evening`.
    """
    kin = [each for each in clause.facts if _is_kin(each, fact) and not _in_subject(clause, each)]
    heads = [role(clause, each).head for each in kin] if fact.amount else []
    if kin == [fact] and fact.amount and (one := _ONE_ELSEWHERE.search(clause.text, fact.end, clause.sentence[1])):
        return content(clause.text[fact.end : one.start()])
    if heads and all(head and head != "more" for head in heads) and len(set(heads)) == len(kin):
        return frozenset()  # `51 amino acids in two chains`
    if len(kin) < 2 or fact not in kin or clause.cjk:
        return frozenset()
    place = kin.index(fact)
    if not any(_between(clause, one.end, other.start) for one, other in pairwise(kin)):
        ends = [each.start for each in kin[1:]] + [clause.span[1]]
        after = [_after(clause, each.end, end) for each, end in zip(kin, ends, strict=True)]
        return after[place] if all(after) else frozenset()
    if place == 0:
        if not _between(clause, kin[0].end, kin[1].start):
            return frozenset()
        return content(clause.text[clause.span[0] : fact.start])
    return _between(clause, kin[place - 1].end, fact.start)


def _is_kin(one: Fact, other: Fact) -> bool:
    """Whether two values may be of the same thing: they have one unit, or one of them has none (`90 euros and 60`)."""
    if one.kind != other.kind or not one.amount or not other.amount:
        return one.kind == other.kind
    units = {one.amount.unit, other.amount.unit}
    return len(units) == 1 or ("" in units and "ordinal" not in units)


def _between(clause: Clause, start: int, end: int) -> frozenset[str]:
    """The words between two values, from the last comma or `and` on."""
    cuts = [match.end() for match in _JOINT.finditer(clause.text, start, end)]
    return content(clause.text[cuts[-1] if cuts else start : end])


def _after(clause: Clause, start: int, end: int) -> frozenset[str]:
    """The words after a value, up to the last comma or `and` before the next."""
    cuts = [match.start() for match in _JOINT.finditer(clause.text, start, end)]
    return content(clause.text[start : cuts[-1] if cuts and end < clause.span[1] else end])


def said_of_another(claim: Clause, fact: Fact, theirs: Fact) -> bool:
    """Whether the evidence's value is one that the claim has as well, in another place."""
    if fact.amount and fact.amount.unit:  # a second unit in brackets says the same again
        return False
    kin = [each for each in claim.facts if each.kind == fact.kind and each is not fact]
    outside_subject = [each for each in kin if not _in_subject(claim, each)]
    return any(compare(each, theirs) == compare(theirs, each) == "same" for each in outside_subject)


def _in_subject(clause: Clause, fact: Fact) -> bool:
    return clause.verb < len(clause.words) and fact.end <= clause.words[clause.verb].start
