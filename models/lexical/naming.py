"""When two names mean the same: parts of a name, initials, spelling."""

import re
import unicodedata

from rapidfuzz import fuzz

from . import contrasts, places
from .tables import table

SIMILAR = 80
"""Score from which two spellings are taken for one name."""
_TITLES = table("sir dr mr mrs ms lord lady king queen president professor saint st the of jr sr")


def same_name(one: str, other: str) -> bool:
    """Whether two names can mean the same: `Einstein` and `Albert Einstein`, `U.S.` and `United States`."""
    mine, theirs = _parts(one), _parts(other)
    if not mine or not theirs:
        return one.casefold() == other.casefold()
    if set(mine) <= set(theirs) or set(theirs) <= set(mine):
        return True
    if _initials(one, theirs) or _initials(other, mine):
        return True
    if mine[-1] == theirs[-1] and (mine[0][0] == theirs[0][0]) and (len(mine[0]) == 1 or len(theirs[0]) == 1):
        return True
    known = places.lookup(one)
    if known and known[:1] == places.lookup(other)[:1]:
        return True
    return len(mine) == len(theirs) and all(
        a[0] == b[0] and fuzz.ratio(a, b) >= SIMILAR for a, b in zip(mine, theirs, strict=True)
    )


def opposed_names(one: str, other: str) -> bool:
    """Whether two names differ in one word only, and that in its opposite: `Southern Hemisphere`."""
    mine, theirs = one.split(), other.split()
    if len(mine) != len(theirs) or len(mine) < 2:
        return False
    different = [pair for pair in zip(mine, theirs, strict=True) if pair[0] != pair[1]]
    return len(different) == 1 and contrasts.opposed(*different[0])


def share_a_part(one: str, other: str) -> bool:
    """Whether two names have a word in common, so that they may be of one person or family."""
    return bool(set(_parts(one)) & set(_parts(other)))


def _parts(name: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(char for char in plain if not unicodedata.combining(char))
    return [part for part in re.findall(r"\w+", re.sub(r"['’]s\b", "", letters)) if part not in _TITLES]


def _initials(short: str, parts: list[str]) -> bool:
    letters = short.replace(".", "")
    return letters.isupper() and 2 <= len(letters) <= 6 and letters.casefold() == "".join(part[0] for part in parts)
