"""By rules, checking and correcting come to the same: one function compares a sentence with its evidence."""

from pathlib import Path
from typing import Any

import pytest

from errata.graphs import load
from errata.state import Context

MUSEUM = "The Halden Museum is a museum in Arlen. It opened in 1931."
LEE = "Ann Lee was a Danish chemist. She won the Nobel Prize in 1903."
BRIDGE = "The Mora Bridge was built in 1931 and has a length of 400 metres."


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("The film lasts 1.5 hours.", "The film lasts 90 minutes."),
        ("The bridge has a length of 61 m.", "The bridge is 61 metres long."),
        (MUSEUM, MUSEUM),
        (LEE, LEE),
        (BRIDGE, BRIDGE),
        (BRIDGE, "The Mora Bridge is a bridge in Arlen. It was built in 1931. It is 400 metres long."),
        ("Arlen was founded in 1850. It has a population of 12,000.", "City: Arlen; Founded: 1850; Population: 12000."),
    ],
)
async def test_what_is_supported_is_supported_everywhere(text: str, evidence: str, tmp_path: Path) -> None:
    assert await labels(text, evidence) == {"entailment"}
    assert await statuses("ground", text, evidence, tmp_path) == {"checked"}
    assert await statuses("rarr", text, evidence, tmp_path) == {"checked"}


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("Bo Ek was a Danish chemist. She won the Nobel Prize in 1903.", LEE),
        ("It opened in 1931.", MUSEUM),
        (
            "Bergum was founded in 1850. It has a population of 12,000.",
            "City: Arlen; Founded: 1850; Population: 12000.",
        ),
    ],
)
async def test_of_something_else_nothing_is_supported(text: str, evidence: str, tmp_path: Path) -> None:
    assert await labels(text, evidence) == {"neutral"}
    assert await statuses("ground", text, evidence, tmp_path) == {"nothing found"}
    assert await statuses("rarr", text, evidence, tmp_path) == {"nothing found"}


@pytest.mark.parametrize(
    ("text", "evidence", "right"),
    [
        ("The film lasts 2 hours.", "The film lasts 90 minutes.", "The film lasts 1.5 hours."),
        (MUSEUM.replace("1931", "1941"), MUSEUM, MUSEUM),
        (BRIDGE.replace("400", "300"), BRIDGE, BRIDGE),
    ],
)
async def test_what_is_contradicted_is_put_right(text: str, evidence: str, right: str, tmp_path: Path) -> None:
    assert "contradiction" in await labels(text, evidence)
    assert [(await run(name, text, evidence, tmp_path))["text"] for name in ("ground", "rarr")] == [right, right]


async def run(name: str, text: str, evidence: str, folder: Path) -> dict[str, Any]:
    (folder / "page.txt").write_text(evidence)
    given = {"text": text, "references": [evidence]} if name == "ground" else {"text": text}
    result: dict[str, Any] = await load(name).ainvoke(given, context=Context(sources=str(folder)))
    return result


async def labels(text: str, evidence: str) -> set[str]:
    given = {"text": text, "references": [evidence]}
    result = await load("refchecker").ainvoke(given, context=Context())
    return {claim["label"] for claim in result["claims"]}


async def statuses(name: str, text: str, evidence: str, folder: Path) -> set[str]:
    result = await run(name, text, evidence, folder)
    return {part["status"] for part in result["attribution"]}
