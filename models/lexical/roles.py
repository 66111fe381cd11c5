"""Roles: what a fact is to its clause, so that only facts in the same role are compared."""

import re
from dataclasses import dataclass

from .clauses import Clause, is_verb_at
from .facts import Fact
from .words import ARTICLES, AUXILIARIES, CONJUNCTIONS, PREPOSITIONS, Word, is_past, stem

DIMENSIONS = frozenset(
    """tall high long wide deep thick old heavy height length width depth thickness weight mass area population altitude
    elevation diameter radius distance speed temperature age volume capacity span""".split()
)
PLACE_PREPOSITIONS = frozenset("in at on near into from to".split())


@dataclass(frozen=True)
class Role:
    """How a fact is tied to its clause: `completed in 1899` has relation `complet` and way `in`; `nine seasons` has head `season`."""

    way: str
    """`agent` for the doer or holder, `object`, or the preposition before the fact."""
    relation: str
    """Stem of the verb or noun that governs the fact."""
    head: str = ""
    """Stem of what is counted, measured or described."""


def role(clause: Clause, fact: Fact) -> Role:
    """The role of a fact in its clause."""
    if clause.cjk:
        return Role("", "", _cjk_head(clause, fact))
    found = clause.words
    before = [index for index, word in enumerate(found) if word.end <= fact.start]
    after = [index for index, word in enumerate(found) if word.start >= fact.end]
    if fact.kind == "amount":
        return Role(_way(found, before), _governor(found, before, after), _counted(clause, fact, before, after))
    if fact.kind == "contrast":
        return Role(_way(found, before), _governor(found, before, after), _described(found, after))
    if fact.kind == "date":
        if lifespan := _lifespan(clause, fact):
            return Role("in", lifespan)
        return Role("in", _governor(found, before, after))
    return _name_role(clause, found, before, after)


def _way(found: list[Word], before: list[int]) -> str:
    """The preposition that leads to the fact, past articles and adjectives."""
    for index in reversed(before[-4:]):
        word = found[index].lower
        if word in PREPOSITIONS:
            return word
        if word in AUXILIARIES or is_past(word):
            return ""
    return ""


def _governor(found: list[Word], before: list[int], after: list[int]) -> str:
    """The nearest verb before the fact, or after it if it opens the clause; `be` if there is only an auxiliary."""
    auxiliary = ""
    for index in reversed(before):
        word = found[index].lower
        if word in AUXILIARIES:
            auxiliary = auxiliary or "be"
        elif is_verb_at(found, index):
            return stem(word)
    if auxiliary:
        return _noun_before(found, before) or auxiliary
    for index in after:
        word = found[index].lower
        if word not in AUXILIARIES and is_verb_at(found, index):
            return stem(word)
    return _noun_before(found, before)


def _noun_before(found: list[Word], before: list[int]) -> str:
    for index in reversed(before):
        if found[index].text.islower() and found[index].lower not in AUXILIARIES and found[index].stem:
            return found[index].stem
    return ""


def _counted(clause: Clause, fact: Fact, before: list[int], after: list[int]) -> str:
    """What an amount counts or measures: `330 m tall`, `a height of 330 m`, `nine full seasons`, `fourth highest peak`."""
    found = clause.words
    for index in after[:2]:
        if found[index].lower in DIMENSIONS:
            return found[index].stem
    assert fact.amount is not None
    if fact.amount.unit and fact.amount.unit != "ordinal":
        for index in reversed(before[-6:]):
            if found[index].lower in DIMENSIONS or found[index].stem in ("weigh", "area", "rise"):
                return found[index].stem
        return ""
    nouns = _noun_phrase(clause.text, found, fact.end, after)
    if nouns:
        return nouns[-1]
    if before and found[before[-1]].lower == "of" or _way(found, before) == "of":
        return _noun_before(found, before)
    return ""


def _noun_phrase(text: str, found: list[Word], end: int, after: list[int]) -> list[str]:
    """Stems of the words after the fact, up to the end of its phrase."""
    stems: list[str] = []
    for index in after[:4]:
        word = found[index]
        if re.search(r"[^\s\-]", text[end : word.start]) or word.lower in PREPOSITIONS | CONJUNCTIONS | AUXILIARIES | ARTICLES:
            break
        if stems and is_past(word.lower):
            break
        stems.append(word.stem or word.lower)
        end = word.end
    return stems


def _described(found: list[Word], after: list[int]) -> str:
    for index in after[:3]:
        if found[index].stem and found[index].lower not in PREPOSITIONS:
            return found[index].stem
        if found[index].lower in PREPOSITIONS | AUXILIARIES:
            break
    return ""


def _lifespan(clause: Clause, fact: Fact) -> str:
    """The dates in `(14 March 1879 – 18 April 1955)` after a name are those of birth and death."""
    text, (start, end) = clause.text, clause.span
    opening = text.rfind("(", start, fact.start)
    if opening < 0 or ")" in text[opening : fact.start]:
        return ""
    closing = text.find(")", fact.end, end)
    inside = text[opening : closing if closing > 0 else end]
    if re.search(r"born\b|\bb\.", inside):
        return "born"
    if not re.search(r"\d\s*[–—-]\s*\w", inside):
        return ""
    return "born" if re.search(r"[–—-]", text[fact.end : fact.end + 4]) else "die"


def _name_role(clause: Clause, found: list[Word], before: list[int], after: list[int]) -> Role:
    verb = clause.verb
    if verb < len(found) and all(index < verb for index in before) and after and after[0] <= verb and not _way(found, before):
        return _subject_role(found, before, verb)
    way = _way(found, before[-3:])
    if way == "by":
        return Role("agent", _governor(found, before, after))
    if before and verb < len(found) and found[before[-1]].lower in AUXILIARIES | ARTICLES and before[-1] - verb <= 1:
        holder = next((found[i].stem for i in range(verb) if found[i].text.islower() and found[i].stem), "")
        return Role("agent", holder) if holder else Role("is", "be")
    if way in PLACE_PREPOSITIONS:
        return Role("place", _governor(found, before, after))
    return Role(way or "object", _governor(found, before, after))


def _subject_role(found: list[Word], before: list[int], verb: int) -> Role:
    """`Canberra is the capital` holds the capital; `Bell invented` is the doer of it; `Hamlet was written` is the object."""
    if before and any(found[index].text.islower() and found[index].stem for index in before):
        return Role("part of subject", found[before[-1]].stem)
    rest = found[verb:]
    if rest[0].lower in AUXILIARIES:
        main = next((word for word in rest[1:4] if word.lower not in AUXILIARIES and word.stem), None)
        if main is None:
            return Role("agent", "be")
        if is_past(main.lower) and rest[0].lower in ("is", "are", "was", "were"):
            return Role("object", main.stem)
        return Role("agent", main.stem)
    return Role("agent", rest[0].stem)


def _cjk_head(clause: Clause, fact: Fact) -> str:
    """The two characters after an amount or a name: what is counted, or the verb."""
    return clause.text[fact.end : fact.end + 2].strip("，。,. ")
