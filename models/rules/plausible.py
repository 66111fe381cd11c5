"""Whether an answer is of the kind that was asked for, going by its words alone."""

import re

from ...state.amounts import ORDINALS, SMALL_NUMBERS, TENS
from ...state.answers import is_null
from ...state.dates import MONTHS
from . import contrasts
from .facts import find
from .tables import table
from .wanted import FAMILIES, Wanted
from .words import words

LONG = 12
"""Words from which an answer is no short answer, but a text that may hold one."""
NUMBER_WORDS = frozenset([*SMALL_NUMBERS, *TENS, *ORDINALS]) | table(
    "no none half twice once several few many all both each dozen hundred thousand million billion hundreds thousands"
)
TIME_WORDS = frozenset(month.lower() for month in MONTHS) | table(
    """century centuries decade decades year years ago today yesterday tomorrow now never always during before after
    until since spring summer autumn fall winter morning evening night noon midnight antiquity age ages era period war
    monday tuesday wednesday thursday friday saturday sunday early late reign"""
)
ASKED = {
    "date": "a time", "amount": "a number", "place": "a place", "name": "a name", "whether": "yes or no",
}  # fmt: skip
YES, NO = table("yes true correct yeah indeed"), table("no not false incorrect never nope")


def asked_kind(wants: Wanted) -> str:
    """The kind of answer in words, such as `a time`."""
    return ASKED.get(wants.kind) or f"a {wants.noun}"


def unfit(wants: Wanted, answer: str) -> str:
    """Why `answer` cannot be one, or an empty string. What may be one in other words is not refused."""
    if is_null(answer):
        return "There is no answer."
    if _fits(wants, answer):
        return ""
    kind = asked_kind(wants)
    return f"{kind[:1].upper()}{kind[1:]} was asked for, and {_shown(answer)} is none."


def polarity(answer: str) -> str:
    """`yes` or `no`, as an answer begins; empty if it says neither."""
    first = next((word.lower for word in words(answer)), "")
    return "yes" if first in YES else "no" if first in NO else ""


def _fits(wants: Wanted, answer: str) -> bool:
    found = {word.lower for word in words(answer)}
    if wants.kind == "whether":
        return bool(polarity(answer))
    if polarity(answer) and len(found) == 1 and not (wants.kind == "amount" and "no" in found):
        return False
    if len(found) > LONG:
        return True
    if wants.kind == "date":
        return bool(re.search(r"\d", answer)) or bool(found & (TIME_WORDS | NUMBER_WORDS))
    if wants.kind == "amount":
        return bool(re.search(r"\d", answer)) or bool(found & NUMBER_WORDS)
    if wants.kind == "member":
        return any(FAMILIES[wants.noun] in contrasts.families(word) for word in answer.split()) or len(found) > 2
    return not _is_number_or_date(answer)


def _is_number_or_date(answer: str) -> bool:
    """Whether nothing but a number or a date is said."""
    facts = [fact for fact in find(answer, 0, len(answer)) if fact.kind in ("date", "amount")]
    rest = answer
    for fact in facts:
        rest = rest.replace(fact.text, " ")
    return bool(facts) and not re.sub(r"\b(?:in|on|about|around|the|of|at)\b", " ", rest, flags=re.IGNORECASE).strip(
        " .,"
    )


def _shown(answer: str) -> str:
    plain = " ".join(answer.split())
    return plain if len(plain) <= 60 else plain[:59].rstrip() + "…"
