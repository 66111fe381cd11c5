"""Verbs of English: which words are verbs, and their forms.

The forms are those of the SPECIALIST Lexicon, by way of LemmInflect: `benchmarks.convert_verbs` writes the file.
"""

import gzip
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from .tables import table

FILE = Path(__file__).parent / "verbs.tsv.gz"
Tag = Literal["VBD", "VBN", "VBZ"]
"""A form, as the Penn Treebank names it: past tense, participle, third person."""
TAGS: tuple[Tag, ...] = ("VBD", "VBN", "VBZ")

AUXILIARIES = table(
    """is are was were am be been being has have had do does did can could will would shall should may might must isn't
    aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't can't couldn't won't wouldn't cannot"""
)
PRESENT_VERBS = table(
    """stand lie sit contain cover measure weigh flow run rise reach cross connect belong live consist include hold
    comprise border span link serve occur orbit begin end open close produce speak use feature follow remain become
    make take give come go know show play work teach mean happen form store carry attract receive host house own
    lead move turn boil freeze melt travel last cost eat feed grow breed weave burn fall hang extend stretch drain
    separate divide join face overlook tell write describe depict portray support see get win lose beat rank represent
    govern rule set stay need want help require involve cause prevent protect absorb emit release convert pump supply
    filter hatch lay nest fly swim dive sleep hunt earn employ export import train meet love hate like kill drown visit
    call name create invent discover"""
)
"""Verbs that are common in the present tense, in which many a noun looks like a verb."""


class Verb(NamedTuple):
    """A word as a verb: its base forms and, if it is one itself, its other forms, the usual ones first."""

    bases: tuple[str, ...] = ()
    pasts: tuple[str, ...] = ()
    participles: tuple[str, ...] = ()
    thirds: tuple[str, ...] = ()


def written(word: str, verb: Verb) -> str:
    """A line of the file."""
    return "\t".join([word, *map("|".join, verb)]).rstrip("\t")


@lru_cache
def _lines() -> dict[str, str]:
    """The verb of every form, as it is written. There are 27,000, of which a text needs a few."""
    lines = gzip.decompress(FILE.read_bytes()).decode().splitlines()
    return {word: verb for word, _, verb in (line.partition("\t") for line in lines)}


@lru_cache(maxsize=20_000)
def _verb(word: str) -> Verb:
    line = _lines().get(word)
    return Verb() if line is None else Verb(*(tuple(filter(None, forms.split("|"))) for forms in line.split("\t")))


def inflected(base: str, tag: Tag) -> tuple[str, ...]:
    """The forms of a base form in lower case; empty if it is none that we know."""
    return _verb(base)[1 + TAGS.index(tag)]


@lru_cache(maxsize=20_000)
def base_form(verb: str) -> str:
    """The base form of a verb in any of its forms; the word itself if it is none. All in lower case."""
    bases = _verb(verb).bases
    pasts = () if verb.endswith("ed") else bases  # `fell` is of `fall` before it is one of `fell`
    return next((base for base in pasts if verb in inflected(base, "VBD")), next(iter(bases), verb))


def past(verb: str) -> str:
    """The past tense of a verb in any of its forms: `wrote` for `written`."""
    return next(iter(inflected(base_form(verb), "VBD")), verb)


@lru_cache(maxsize=20_000)
def is_past(word: str) -> bool:
    """Whether a word is a past tense or a participle, capital or not."""
    form = word.lower()
    base = base_form(form)
    return form in inflected(base, "VBD") + inflected(base, "VBN")


@lru_cache(maxsize=20_000)
def is_present(word: str) -> bool:
    """Whether a lower-case word is a common verb in the third person or, like `stand`, in the plural."""
    base = base_form(word)
    return base in PRESENT_VERBS and word in (base, *inflected(base, "VBZ"))


@lru_cache(maxsize=20_000)
def is_third(word: str) -> bool:
    """Whether a lower-case word may be a verb in the third person, common or not."""
    return word in inflected(base_form(word), "VBZ")


def is_verb(word: str) -> bool:
    """Whether a lower-case word is an auxiliary, a past form or a common present form."""
    return word in AUXILIARIES or is_past(word) or is_present(word)


@lru_cache(maxsize=20_000)
def irregular(word: str) -> str:
    """The base form of an irregular verb in any of its forms; empty for any other word."""
    base = base_form(word)
    return "" if all(past.endswith("ed") for past in inflected(base, "VBD")) else base
