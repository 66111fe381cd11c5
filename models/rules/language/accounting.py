"""Whether evidence says no more than a claim repeats, but for where and when: more may make it another statement.

`The path is closed to cyclists` is no support for `The path is closed`, nor `owns a copy of the painting` for `owns the
painting`.
"""

from .align import topic_of
from .clauses import Clause, content, is_passive
from .contrasts import families
from .facts import Fact
from .limits import is_being, is_state, tense
from .slots import compare
from .tables import table
from .words import ARTICLES, NEGATIONS, PREPOSITIONS, Word, is_verb_at

ANYWHERE = table("in on at during since")
"""Prepositions of a phrase that may stand anywhere in a sentence."""
ADJUNCT = ANYWHERE | table("by from near as with after before within along between")
"""Prepositions of a phrase that may be left out of what happened: `was built in 1889 by Eiffel`."""
LIMITING = table(
    """only solely merely partly partially almost nearly hardly scarcely barely few rarely seldom except unless not if
    would could first last half some mostly mainly largely sometimes officially nominally supposedly reportedly up
    least most more less fewer than under over ex vice former deputy acting"""
)
"""Words without which a statement says more."""

TAKING_BACK = table("except unless if but only not though although at mostly mainly")
"""Words with which an aside takes something back."""


def says_no_more(claim: Clause, other: Clause, theirs: Fact | None, title: str) -> bool:
    """Whether all that the clause of the evidence says is in the claim, besides names, times and places beside it.

    Args:
        claim: The clause that is judged.
        other: The clause of the evidence.
        theirs: The fact of the evidence that has been compared.
        title: The title of its page.
    """
    if claim.cjk or other.cjk or (theirs and _is_in_brackets(other, theirs)):
        return True
    own, known = (
        {word.lower for word in claim.words},
        claim.stems | content(topic_of(title)) | _other_name(claim, other),
    )
    besides, added = _whole_phrases(other.words, known), _added(other.words)
    compared = [theirs] if theirs else []
    compared += [each for each in other.facts if any(compare(each, value) == "same" for value in claim.facts)]
    lasts = tense(other) == "present" or is_state(other)
    last = max((place for place, word in enumerate(other.words) if word.stem in known), default=0)
    for place, word in enumerate(other.words[: _aside_after(other, last)]):
        if place in added or word.lower in own or word.stem in known or _is_part(word, compared):
            continue
        if word.lower in LIMITING:
            return False
        may_miss = place in besides and not (lasts and word.text.islower() and not _is_inside_name(other.words, place))
        if word.stem and not may_miss and not _names_more(other, place, known):
            return False
    return _are_told_alike(claim, other)


def _other_name(claim: Clause, other: Clause) -> frozenset[str]:
    """The words of the name that the claim leaves out, where the evidence has two: `The largest ferry, the Aurora,`."""
    called = content(other.own_subject), content(other.alias)
    if not other.alias or not any(name <= claim.stems for name in called):
        return frozenset()
    return called[0] | called[1]


def _aside_after(clause: Clause, last: int) -> int:
    """Where an aside begins behind the last word that both have, if it takes nothing back: `two moons, Phobos and`."""
    row = clause.words
    for place in range(last + 1, len(row)):
        if "," in clause.text[row[place - 1].end : row[place].start]:
            return len(row) if row[place].lower in TAKING_BACK else place
    return len(row)


def _is_in_brackets(clause: Clause, fact: Fact) -> bool:
    """Whether a fact is told beside the sentence: `Ada Lovelace (1815 – 1852) was`."""
    before = clause.text[clause.span[0] : fact.start]
    return before.count("(") > before.count(")")


def _is_part(word: Word, compared: list[Fact]) -> bool:
    return any(fact.kind != "name" and fact.start <= word.start and word.end <= fact.end for fact in compared)


def _is_inside_name(row: list[Word], place: int) -> bool:
    """Whether a small word is a part of a name: `Champ de Mars`."""
    return 0 < place < len(row) - 1 and row[place - 1].capital and row[place + 1].capital


def _whole_phrases(row: list[Word], known: frozenset[str]) -> set[int]:
    """The places of phrases that may be left out. One of which the claim has a part says where: `in the centre of`."""
    phrases = _phrases(row, ADJUNCT)

    def is_whole(places: range) -> bool:
        after = {row[place].lower for place in places[1:]} & PREPOSITIONS
        is_where = row[places[0]].lower in ("in", "at") and after <= {"of"}
        return is_where or not any(row[place].stem in known for place in places)

    return {place for places in phrases if is_whole(places) for place in places}


def _phrases(row: list[Word], prepositions: frozenset[str]) -> list[range]:
    """The places of phrases with one of some prepositions, each up to the next one, a verb or the subject."""
    found: list[range] = []
    start = None
    for place, word in enumerate(row):
        begins = word.lower in prepositions
        if start is not None and (begins or is_verb_at(row, place) or _begins_subject(row, place, start)):
            found.append(range(start, place))
            start = None
        start = place if begins else start
    return found if start is None else [*found, range(start, len(row))]


SPECIFYING = ANYWHERE | table("for against among under")
"""Prepositions of a phrase that says of which part something holds: `scored two goals in the final`."""


def specified(clause: Clause, fact: Fact) -> frozenset[str]:
    """The words of the phrases that say where, when or for what a value holds; dates and other values aside."""
    row = clause.words
    values = [each for each in clause.facts if each.kind in ("date", "amount")]
    apart = [
        places
        for places in _phrases(row, SPECIFYING)
        if not any(row[place].start <= fact.start < row[place].end for place in places)
    ]
    found = (row[place] for places in apart for place in places[1:] if not _is_part(row[place], values))
    return frozenset(word.stem for word in found if word.stem)


def _begins_subject(row: list[Word], place: int, start: int) -> bool:
    """Whether the subject begins behind the first phrase: `In 1889 the tower`."""
    if start or place == 1 or row[place - 1].lower in PREPOSITIONS:
        return False
    return row[place].lower in ARTICLES or (row[place].capital and row[place - 1].text.isdigit())


def _added(row: list[Word]) -> set[int]:
    """The places of what is told as well: `the capital and largest city of`."""
    found: set[int] = set()
    inside = False
    for place, word in enumerate(row):
        inside = word.lower == "and" or (inside and word.lower not in PREPOSITIONS and not is_verb_at(row, place))
        if inside:
            found.add(place)
    return found


def _names_more(clause: Clause, place: int, known: frozenset[str]) -> bool:
    """Whether a word is of a name that the claim has, too, or of a nation: `Louis Pasteur`, `a French chemist`."""
    row = clause.words
    if "nationality" in families(row[place].text):
        return True
    near = [(row[i - 1], row[i]) for i in (place, place + 1) if 0 < i < len(row)]
    joined = [pair for pair in near if not clause.text[pair[0].end : pair[1].start].strip()]
    return row[place].capital and any(word.capital and word.stem in known for pair in joined for word in pair)


def _held(clause: Clause) -> tuple[frozenset[str], frozenset[str], frozenset[str]] | None:
    """Who is what, and of whom: for `Ferrum is the capital of Ostania` and `The capital of Ostania is Ferrum`."""
    if clause.verb >= len(clause.words):
        return None
    verb = clause.words[clause.verb]
    subject, told = clause.text[clause.span[0] : verb.start], clause.text[verb.end : clause.span[1]]
    named, holder = (subject, told) if " of " in subject else (told, subject)
    what, _, whose = named.partition(" of ")
    return (content(holder), content(what), content(whose)) if whose else None


def _is_held_the_other_way(claim: Clause, other: Clause) -> bool:
    """Whether two clauses have who is what of whom in turned roles."""
    mine, yours = _held(claim), _held(other)
    if not mine or not yours or not mine[1] & yours[1]:
        return False
    return bool(mine[0] & yours[2] or mine[2] & yours[0]) and not (mine[0] & yours[0] and mine[2] & yours[2])


def _are_told_alike(claim: Clause, other: Clause) -> bool:
    """Whether the same does it to the same: the order is the same in the active, and the other one in the passive."""
    if _is_held_the_other_way(claim, other):
        return False
    if is_being(claim) and is_being(other) and not any(word.lower == "than" for word in claim.words):
        return True  # `Canberra is the capital`, `the capital is Canberra`
    if is_passive(claim) != is_passive(other):
        return not content(claim.own_subject) & content(other.own_subject)
    mine, yours = _told(claim), _told(other)
    return [each for each in mine if each in yours] == [each for each in yours if each in mine]


def _told(clause: Clause) -> list[str]:
    """The content words of a clause in their order, without phrases that may stand anywhere; a `not` where it is."""
    besides = {place for places in _phrases(clause.words, ANYWHERE) for place in places}
    row = [word for place, word in enumerate(clause.words) if place not in besides]
    return list(filter(None, dict.fromkeys("not" if word.lower in NEGATIONS else word.stem for word in row)))
