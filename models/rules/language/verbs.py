"""Verbs of English: which words are verbs, and their forms, by LemmInflect."""

from functools import lru_cache

import lemminflect

from .tables import table

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


@lru_cache(maxsize=20_000)
def inflected(base: str, tag: str) -> tuple[str, ...]:
    """The forms of a base form: `VBD` is the past, `VBN` the participle, `VBZ` the third person."""
    return tuple(lemminflect.getInflection(base, tag, inflect_oov=False))


@lru_cache(maxsize=20_000)
def base_form(verb: str) -> str:
    """The base form of a verb in any of its forms; the word itself if it is none."""
    bases = lemminflect.getAllLemmas(verb, upos="VERB").get("VERB", ())
    pasts = () if verb.endswith("ed") else bases  # `fell` is of `fall` before it is one of `fell`
    return next((base for base in pasts if verb in inflected(base, "VBD")), next(iter(bases), verb))


def past(verb: str) -> str:
    """The past tense of a verb in any of its forms: `wrote` for `written`."""
    return next(iter(inflected(base_form(verb), "VBD")), verb)


@lru_cache(maxsize=20_000)
def is_past(word: str) -> bool:
    """Whether a lower-case word is a past tense or a participle."""
    base = base_form(word)
    return word in inflected(base, "VBD") + inflected(base, "VBN")


@lru_cache(maxsize=20_000)
def is_present(word: str) -> bool:
    """Whether a lower-case word is a common verb in the third person or, like `stand`, in the plural."""
    base = base_form(word)
    return base in PRESENT_VERBS and word in (base, *inflected(base, "VBZ"))


def is_verb(word: str) -> bool:
    """Whether a lower-case word is an auxiliary, a past form or a common present form."""
    return word in AUXILIARIES or is_past(word) or is_present(word)


@lru_cache(maxsize=20_000)
def irregular(word: str) -> str:
    """The base form of an irregular verb in any of its forms; empty for any other word."""
    base = base_form(word)
    return "" if all(past.endswith("ed") for past in inflected(base, "VBD")) else base
