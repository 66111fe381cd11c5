"""Whether evidence repeats a claim in Chinese, Japanese or Korean.

Without a dictionary no rule knows which characters carry a meaning and which do not. So what is repeated is repeated
character by character, and nothing else is support.
"""

import re

from .align import topic_of
from .clauses import Clause
from .facts import Fact

_NO_LETTERS = re.compile(r"[\W_]+")
_VALUE = "\0"
_DENIALS = re.compile(r"[不没未非无否沒無]|않|못|아니|없|ない|なかっ|ません")
_ABOUT = re.compile(rf"(?:大约|约|約|약)(?={_VALUE})")
"""What loosens a claim: what is so exactly is so roughly."""
_TOPIC_PARTICLES = "은는이가は"


def repeats(other: Clause, theirs: Fact | None, claim: Clause, fact: Fact | None, title: str) -> bool:
    """Whether a clause of the evidence has all of a claim in its order, with nothing between and nothing denied.

    Args:
        other: The clause of the evidence.
        theirs: Its value.
        claim: The claim.
        fact: The same value in the claim. Both may be written differently.
        title: The title of the evidence. The claim may name the thing that the clause leaves out.
    """
    yours = _letters(other, theirs)
    mine = _ABOUT.sub("", _letters(claim, fact)).removesuffix("다")  # which only the last clause of a sentence has
    subject = _NO_LETTERS.sub("", claim.own_subject)
    known = [_NO_LETTERS.sub("", name) for name in (topic_of(title), other.subject)]
    if mine not in yours and subject in known:
        mine = mine.removeprefix(subject).lstrip(_TOPIC_PARTICLES)
    return bool(mine) and mine in yours and len(_DENIALS.findall(mine)) == len(_DENIALS.findall(yours))


def _letters(clause: Clause, fact: Fact | None) -> str:
    start, end = clause.span
    text = clause.text[start:end]
    if fact:
        text = clause.text[start : fact.start] + _VALUE + clause.text[fact.end : end]
    return "".join(_VALUE if part == _VALUE else _NO_LETTERS.sub("", part) for part in re.split(f"({_VALUE})", text))
