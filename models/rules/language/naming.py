"""When two names mean the same: parts of a name, initials, spelling."""

import re
import unicodedata

from rapidfuzz import fuzz

from ....state.text.amounts import ORDINALS
from . import contrasts, places
from .numbered import numbered
from .tables import table

SIMILAR = 80
"""Score from which two spellings are taken for one name."""
_TITLES = table("sir dr mr mrs ms lord lady king queen president professor saint st the of jr sr")


def same_name(name: str, other: str) -> bool:
    """Whether two names can mean the same: `Einstein` and `Albert Einstein`, `U.S.` and `United States`."""
    mine, theirs = _parts(name), _parts(other)
    if not mine or not theirs:
        return name.casefold() == other.casefold()
    if numbered(name) != numbered(other):
        return False
    if numbered(name):  # World War I is the First World War
        mine, theirs = _unnumbered(mine), _unnumbered(theirs)
        return bool(mine and theirs) and (set(mine) <= set(theirs) or set(theirs) <= set(mine))
    if in_another_order(name, other):
        return False
    if set(mine) <= set(theirs) or set(theirs) <= set(mine):
        return True
    if _initials(name, theirs) or _initials(other, mine):
        return True
    if mine[-1] == theirs[-1] and (mine[0][0] == theirs[0][0]) and (len(mine[0]) == 1 or len(theirs[0]) == 1):
        return True
    places_named = places.lookup(name)
    if places_named and places_named[:1] == places.lookup(other)[:1]:
        return True
    return len(mine) == len(theirs) and all(
        a[0] == b[0] and fuzz.ratio(a, b) >= SIMILAR for a, b in zip(mine, theirs, strict=True)
    )


def in_another_order(name: str, other: str) -> bool:
    """Whether one name has the words of the other in another order: `Lee Ann` is not `Ann Lee`.

    Names of things may be turned round: `Lake Victoria`, `Oxford University`.
    """
    short, long = sorted((_parts(name), _parts(other)), key=len)
    rest = iter(long)
    is_turned = set(short) <= set(long) and not all(part in rest for part in short)
    return is_turned and not set(long) & THINGS and not _OF.search(f"{name} {other}")


_OF = re.compile(r"\b[A-Z]\w* of (?:the )?[A-Z]")


def opposed_names(name: str, other: str) -> bool:
    """Whether two names differ in one word only, and that in its opposite: `Southern Hemisphere`."""
    mine, theirs = name.split(), other.split()
    if len(mine) != len(theirs) or len(mine) < 2:
        return False
    different = [pair for pair in zip(mine, theirs, strict=True) if pair[0] != pair[1]]
    return len(different) == 1 and contrasts.opposed(*different[0])


DEMONYMS = table(
    """Afghan Afghans Albanians Americans Arab Arabs Argentinians Australians Austrians Belgians Brazilians Briton
    Britons Brit Brits Bulgarians Canadians Chileans Croat Croats Cubans Czechs Dane Danes Dutchman Dutchmen
    Dutchwoman Egyptians Englishman Englishmen Englishwoman Englishwomen Europeans European Finn Finns Frenchman
    Frenchmen Frenchwoman Germans Greeks Hungarians Icelander Icelanders Inca Incas Indians Iranians Irishman
    Irishmen Irishwoman Israelis Italians Jew Jews Koreans Mexicans Mongols Nazis Normans Norwegians Ottomans
    Persians Pole Poles Portuguese Romans Russians Scot Scots Scotsman Scotswoman Scotsmen Serb Serbs Slav Slavs
    Soviets Spaniard Spaniards Swede Swedes Swiss Turk Turks Ukrainians Viking Vikings Welshman Welshmen
    Zealander Zealanders Africans African Asians Asian Londoner Parisian Berliner Muscovite Florentine Venetian
    Roman Athenian Athenians Catholic Catholics Christian Christians Muslim Muslims Protestant Protestants
    Sherpa Sherpas"""
)
"""Words for who comes from where. They describe and do not name: `designed by a Dane`."""


BEFORE_NAMES = frozenset(word for word in DEMONYMS if word.endswith(("man", "Dane", "Spaniard", "Swede"))) - {"Roman"}
"""Those that may stand before the name itself: `the Frenchman Pierre de Coubertin`, but not `the Roman Forum`."""


def describes(name: str) -> bool:
    """Whether a capitalised word only says where or of what faith somebody is: `a Dane`, `New Zealanders`."""
    return name.split()[-1] in DEMONYMS


def share_a_part(name: str, other: str) -> bool:
    """Whether two names have a word in common, so that they may be of one person or family.

    `Red Sea` and `Mediterranean Sea` are two seas.
    """
    mine, theirs = _parts(name), _parts(other)
    if len(mine) == len(theirs) == 2 and mine[1] == theirs[1] and mine[1] in KINDS_OF_PLACES:
        return mine == theirs
    return bool(set(mine) & set(theirs))


KINDS_OF_PLACES = table("sea ocean lake river county island islands street bay strait desert province state district")


THINGS = KINDS_OF_PLACES | table(
    """mount mountain mountains city town village country kingdom republic bridge tower castle palace cathedral church
    abbey temple university college school academy museum gallery library institute bank company group theatre hall
    hotel hospital station airport port harbour harbor park square road house court prize award war battle treaty
    council club union cup league project program programme foundation association society company corporation cape
    valley forest canyon falls peak glacier desert peninsula canal dam gulf channel point fort hill rock"""
)
"""Words in names of places, works and bodies."""


PARTICLES = table("de la von van der den du da del di al of the")
"""Small words in names, which say nothing about whose they are."""


def _parts(name: str) -> list[str]:
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(char for char in decomposed if not unicodedata.combining(char))
    return [part for part in re.findall(r"\w+", re.sub(r"['’]s\b", "", letters)) if part not in _TITLES | PARTICLES]


def _unnumbered(parts: list[str]) -> list[str]:
    return [part for part in parts if not re.fullmatch(r"\d+(?:st|nd|rd|th)?|[ivx]+", part) and part not in ORDINALS]


def _initials(short: str, parts: list[str]) -> bool:
    letters = short.replace(".", "")
    return letters.isupper() and 2 <= len(letters) <= 6 and letters.casefold() == "".join(part[0] for part in parts)
