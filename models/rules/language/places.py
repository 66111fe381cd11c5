"""Places: cities, US states, countries and continents, by any of their English, Chinese or Korean names.

The names are those of GeoNames (CC BY 4.0): `benchmarks.convert_places` writes the file.
"""

import gzip
import unicodedata
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, cast

Level = Literal["city", "state", "country", "continent"]

FILE = Path(__file__).parent / "places.tsv.gz"


@dataclass(frozen=True)
class Place:
    """One place that a name can mean. `country` and `continent` say what it lies in."""

    level: Level
    code: str
    country: str = ""
    continent: str = ""
    population: int = 0


def written(name: str, places: Iterable[Place]) -> str:
    """A line of the file: a name and the places that it can mean."""
    return "\t".join([name, *("|".join(map(str, astuple(place))) for place in places)])


@lru_cache
def _lines() -> dict[str, str]:
    """The places of every name, as they are written. There are 35,000, of which a text needs a few."""
    lines = gzip.decompress(FILE.read_bytes()).decode().splitlines()
    return {name: places for name, _, places in (line.partition("\t") for line in lines)}


@lru_cache
def _plain_lines() -> dict[str, str]:
    """The same by names without marks."""
    return {_plain(name): places for name, places in _lines().items() if not name.isascii()}


def _plain(name: str) -> str:
    """A name as people type it who lack its letters: Krakow, Malmo."""
    apart = unicodedata.normalize("NFD", name.translate(_LETTERS))
    return unicodedata.normalize("NFC", "".join(letter for letter in apart if not unicodedata.combining(letter)))


_LETTERS = str.maketrans("łŁøØđĐıß", "lLoOdDis")


def names() -> Iterable[str]:
    """Every name."""
    return _lines()


@lru_cache(maxsize=10_000)
def named(name: str) -> tuple[Place, ...]:
    """The places that have exactly this name, or this one but for its marks, greatest first."""
    line = _lines().get(name) or _plain_lines().get(name)
    return tuple(map(_read, line.split("\t"))) if line else ()


def _read(place: str) -> Place:
    level, code, country, continent, population = place.split("|")
    return Place(cast(Level, level), code, country, continent, int(population))


def lookup(name: str) -> tuple[Place, ...]:
    """The places that a name can mean; empty if it is none that we know."""
    bare_name = name.removeprefix("the ").removeprefix("The ").removesuffix(" City")
    return named(name) or named(bare_name)


def agree(text: tuple[Place, ...], evidence: tuple[Place, ...]) -> bool:
    """Whether the text's place is the evidence's, or the larger one around it."""
    return any(place == other or _inside(other, place) for place in text[:3] for other in evidence[:3])


def exclude(text: tuple[Place, ...], evidence: tuple[Place, ...]) -> bool:
    """Whether nothing that the two names can mean is the same place or inside the other."""
    return bool(text and evidence) and not any(
        place == other or _inside(place, other) or _inside(other, place) or _may_contain(place, other)
        for place in text
        for other in evidence
    )


def _inside(small: Place, large: Place) -> bool:
    if large.level == "continent":
        return small.level != "continent" and small.continent == large.code
    return large.level == "country" and small.level in ("city", "state") and small.country == large.code


def _may_contain(place: Place, other: Place) -> bool:
    """A city and a state of one country: the gazetteer does not say which cities lie in which state."""
    return {place.level, other.level} == {"city", "state"} and place.country == other.country
