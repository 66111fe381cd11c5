"""Words as the rules see them, with offsets, stem and case; and the words that only join others."""

import re
from functools import lru_cache
from typing import NamedTuple

from ....state.text.segments import tokens
from .contrasts import families
from .tables import table
from .verbs import AUXILIARIES, base_form, irregular, is_past, is_present, is_third

PREPOSITIONS = table(
    """in on at by from to of for with into onto near under over between among through across against during since
    until till before after about around as within outside inside along off per toward towards via behind beside
    beyond throughout upon without despite like circa"""
)
PRONOUNS = table("it he she they this that these those its his her their him them i we you who which there one")
ARTICLES = table("a an the its his her their this these those")
CONJUNCTIONS = table("and but while whereas although though because when where which who whose whom so or nor if than")
NEGATIONS = table(
    """not never no cannot without neither nor isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't
    can't couldn't won't wouldn't nobody nothing none"""
)
TURNING = NEGATIONS | frozenset("不 没 未 无 非 안 못".split())
"""What reverses a statement, in English, Chinese and Korean."""
HEDGES = table(
    """about around approximately roughly circa nearly almost some estimated ca approx close over under more less fewer
    than least most up"""
)
ADVERBS = table(
    """also now still then today currently originally officially first finally later eventually soon initially once
    only just even already again mainly mostly widely best very well often usually commonly largely partly together
    there here however ever always"""
)

SAME_RELATION = """
complete completion completed finish finished finishing; begin began begun start started beginning commence commenced;
born birth bear; die died death dies dead; build built construct construction constructed erect erected building;
write wrote written author authored writer writes penned; design designed architect designer designs;
invent invented inventor invention; discover discovered discovery discoverer; compose composed composer composition;
paint painted painter painting; direct directed director directs;
found founded founder foundation established establish;
locate located situated stands stand lies lie location sits; tall height high; long length; wide width; deep depth;
weigh weighs weight mass; open opened opening opens inaugurated; release released releases;
publish published publication;
win won winner wins victory receive received award awarded; flow flows empties drains;
connect connects connected connecting link links linked;
announce announced announces unveil unveiled reveal revealed; perform performed performs performance premiere premiered;
large big; people inhabitants population residents;
marry married marriage wed; movie film; author novelist; country nation state;
area surface covers
"""
"""Words that name the same relation. The first before a `;` stands for the others."""


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """What a word is counted as: its relation if it names one, otherwise its stem; empty for a function word."""
    normal = word.casefold().replace("’", "'").removesuffix("'s")
    if normal in _RELATION_OF:
        return _RELATION_OF[normal]
    if normal in AUXILIARIES or normal in NEGATIONS or normal in HEDGES:
        return ""
    base = base_form(normal) if is_past(normal) else normal
    return _RELATION_OF.get(base) or "".join(tokens(base))


_RELATION_OF = {word: row.split()[0] for row in SAME_RELATION.split(";")[::-1] for word in row.split()}
_OF_TOKEN = {"".join(tokens(word)): stem(word) for word in _RELATION_OF if tokens(word)}


def relation(token: str) -> str:
    """What stands for the relation that a search token names, or for an irregular verb; empty for any other."""
    return _OF_TOKEN.get(token) or stem(irregular(token))


def stems(words: str) -> frozenset[str]:
    """What the words of a table are counted as."""
    return frozenset(map(stem, words.split()))


class Word(NamedTuple):
    """A word of a text with its offsets there."""

    text: str
    start: int
    end: int
    joined: bool = False
    """Whether a hyphen or an owner's apostrophe joins it to the word before: `steam-driven`, `keepers' houses`."""
    meant: str | None = None
    """Its stem as a part of a verb of two words, if it is one."""

    @property
    def lower(self) -> str:
        """The word in lower case, with straight apostrophes."""
        return self.text.lower().replace("’", "'")

    @property
    def stem(self) -> str:
        """The stem of the word."""
        return stem(self.text) if self.meant is None else self.meant

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.text[:1].isupper()


_WORD = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+(?:['’.][^\W_]+)*")


PHRASAL = {
    "pass away": "die", "take place": "hold", "set up": "found", "come out": "release", "break out": "begin",
}  # fmt: skip
"""Verbs of two words, and what they mean in one."""


def words(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """The words of text[start:end]; a compound with a hyphen is several."""
    stop = len(text) if end is None else end
    found = [
        Word(match.group(), *match.span(), _is_joined(text, start, match.start()))
        for match in _WORD.finditer(text, start, stop)
    ]
    for index in range(1, len(found)):
        if found[index].text in _PARTICLES:
            meant = PHRASAL.get(f"{base_form(found[index - 1].lower)} {found[index].text}")
            if meant:
                found[index - 1 : index + 1] = [
                    found[index - 1]._replace(meant=stem(meant)), found[index]._replace(meant="")
                ]  # fmt: skip
    return found


def _is_joined(text: str, start: int, first: int) -> bool:
    before = text[max(start, first - 3) : first]
    if before.endswith("-"):
        return before[-2:-1].isalnum()
    return before in ("s' ", "s’ ")


def in_one_word(text: str) -> str:
    """A text with `die` for `passed away`, to be searched or searched for."""
    if not _MAY_BE_PHRASAL.search(text):
        return text
    return " ".join(word.text if word.meant is None else word.meant for word in words(text))


_PARTICLES = frozenset(phrase.split()[1] for phrase in PHRASAL)


_MAY_BE_PHRASAL = re.compile(rf"\b(?:{'|'.join(sorted(_PARTICLES))})\b")


def first_verb(row: list[Word]) -> int:
    """Index of the first verb among words, or their number if there is none."""
    return next((index for index in range(len(row)) if is_verb_at(row, index)), len(row))


def is_verb_at(row: list[Word], index: int) -> bool:
    """Whether a word is a verb here: `the play` and `of work` are nouns."""
    word = row[index].text
    if row[index].joined:
        return False
    if word in AUXILIARIES:
        return True
    if not word.islower() or index == 0:
        return is_past(word) if word.islower() else False
    before = row[index - 1].lower
    if is_past(word):
        return before not in ARTICLES and not _names_only(row, index)
    if is_present(word):
        described = index > 1 and row[index - 2].lower in ARTICLES and not before.endswith("s")  # `the common name`
        return before not in ARTICLES and before not in PREPOSITIONS and (word.endswith("s") or not described)
    if before in ADVERBS and index > 1:  # `the beam now flashes`
        return is_third(word)
    return _follows_name(row, index)


NAMING = table("called named known dubbed nicknamed titled entitled")


def _names_only(row: list[Word], index: int) -> bool:
    """Whether a participle only gives a name, because a verb follows: `a thief called Vincenzo Peruggia took it`."""
    after = row[index + 1 :]
    if row[index].lower not in NAMING or not after or row[index - 1].lower in AUXILIARIES | ADVERBS:
        return False
    is_name = after[0].capital or after[0].lower == "as"
    return is_name and any(word.text in AUXILIARIES or (word.text.islower() and is_past(word.text)) for word in after)


def opens_phrase(row: list[Word]) -> bool:
    """Whether the first word is a participle with which a sentence begins: `Built on drained marshland, ...`."""
    return len(row) > 1 and is_past(row[0].text) and row[1].lower in PREPOSITIONS | ARTICLES | {"as"}


def _follows_name(row: list[Word], index: int) -> bool:
    """`Ophelia drowns in Hamlet`: after a name a word in -s is a verb, unless another verb follows at once."""
    word, before = row[index], row[index - 1]
    if not word.text.endswith("s") or word.text.endswith(("ss", "ous")) or not before.capital or families(before.text):
        return False
    follows = row[index + 1].lower if index + 1 < len(row) else ""
    if before.lower in ("you", "we", "they"):  # no verb in -s is theirs: `You fools`
        return False
    return before.lower not in ARTICLES and follows not in AUXILIARIES and not is_past(follows)
