"""Whether evidence has the facts of a text: its dates, numbers and names."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from ..models.rules.language.align import evidence_clauses
from ..models.rules.language.clauses import content
from ..models.rules.language.facts import Fact, find
from ..models.rules.language.slots import compare
from ..models.rules.language.words import HEDGES, TURNING, words
from ..state import Evidence
from ..state.text.values import same_answer
from .cite import UNTELLING


def has_facts(text: str, question: str, pieces: Sequence[Evidence]) -> bool:
    """Whether each name and number of a text, other than those of its question, is in one of the pieces."""
    facts, _ = news(text, content(question))
    return stands(list(filter(_is_sure, facts)), frozenset(), pieces)


def bear_out(pieces: Sequence[Evidence], sentence: str, question: str, *, whole: bool = False) -> bool:
    """Whether what was found has each name and number of a sentence, and a word of it, or if `whole` all."""
    own = content(sentence)
    told = [own & content(f"{piece['title']} {piece['text']}") for piece in pieces]
    words = news(sentence, content(question))[1] if whole else frozenset[str]()
    has_words = any(told) and words <= frozenset[str]().union(*told)
    return has_words and has_facts(sentence, question, pieces)


def says(piece: Evidence, words: str, asked: str) -> bool:
    """Whether a piece of evidence may be summed up in these words, as an answer to what was asked.

    It has their names and numbers and half the rest. A clause with such a name or number has another word of what was
    asked, the topic apart: who left it in 1987 is not who designed it.
    """
    own, title = content(words) - content(" ".join(UNTELLING)), content(piece["title"])
    if not has_facts(words, "", [piece]) or 2 * len(own & (content(piece["text"]) | title)) < len(own):
        return False
    values = [fact.stems for fact in find(words, 0, len(words)) if _is_sure(fact) and not fact.stems <= title]
    about = content(asked) - title
    told = [content(clause.says) for clause in evidence_clauses(piece["text"], piece["title"])]
    return all(
        about <= value or any(2 * len(value & each) >= len(value) and (about - value) & each for each in told)
        for value in values
    )


def _is_sure(fact: Fact) -> bool:
    """Whether a fact is a name or has digits, and so is the same in all words."""
    return fact.kind == "name" or any(map(str.isdigit, fact.text))


def adds(longer: str, shorter: str) -> bool:
    """Whether words say what shorter ones say and more, none of which turns it round, bounds it or counts anything.

    New York is not York and more.
    """
    mine, theirs = (Counter(word.lower for word in words(text)) for text in (shorter, longer))
    names, more_names = (
        {fact.text for fact in find(text, 0, len(text)) if fact.kind == "name"} for text in (shorter, longer)
    )
    more = theirs - mine
    is_all_there = bool(mine) and not mine - theirs and names <= more_names
    return is_all_there and LIMITING.isdisjoint(more) and not any(word[0].isdigit() for word in more)


def limits(words_of: str, other: str) -> bool:
    """Whether words turn or bound what is said by a word that others do not have."""
    return not LIMITING.isdisjoint({word.lower for word in words(words_of)} - {word.lower for word in words(other)})


LIMITING = TURNING | HEDGES | frozenset("but except only unless until instead rather bc bce".split())


def news(text: str, known: frozenset[str]) -> tuple[list[Fact], frozenset[str]]:
    """The dates, numbers and names of a text that are not known, and its other words."""
    facts = [fact for fact in find(text, 0, len(text)) if fact.stems - known]
    of_facts = frozenset[str]().union(*(fact.stems for fact in facts))
    return facts, content(text) - known - of_facts - content(" ".join(UNTELLING))


def stands(facts: Sequence[Fact], words: frozenset[str], pieces: Sequence[Evidence]) -> bool:
    """Whether the evidence has all of the words, and each fact in one piece."""
    told = [_told(f"{piece['title']}\n{piece['text']}") for piece in pieces]
    has_words = words <= frozenset[str]().union(*(stems for stems, _ in told))
    return has_words and all(any(_is_in(fact, stems, others) for stems, others in told) for fact in facts)


@lru_cache(maxsize=500)
def _told(text: str) -> tuple[frozenset[str], tuple[Fact, ...]]:
    """The content words and facts of a piece of evidence, which is looked at for several sentences."""
    return content(text), tuple(find(text, 0, len(text)))


def _is_in(fact: Fact, stems: frozenset[str], others: Sequence[Fact]) -> bool:
    """Whether a piece of evidence has the fact, a date at least as exactly.

    The words of a date or a number may be those of several others.
    """
    if fact.kind == "name":
        return fact.stems <= stems  # all of it: Cassandra Byron is not Lord Byron
    if fact.kind == "contrast" and fact.stems <= stems:
        return True
    return any(compare(fact, other) == "same" or same_answer(fact.text, other.text) for other in others)
