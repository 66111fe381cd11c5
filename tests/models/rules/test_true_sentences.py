"""True sentences, through the whole graph and by class: what the evidence says of something near changes nothing."""

from pathlib import Path

import pytest
import yaml

from errata.graphs import rarr
from errata.models.rules import agreement
from errata.models.tasks.correction import AgreementInput
from errata.state import Context

TRUE: dict[str, list[str]] = yaml.safe_load((Path(__file__).parent / "true.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("group", TRUE)
def test_no_true_sentence_is_changed(group: str) -> None:
    results = rarr.graph.batch([{"text": text} for text in TRUE[group]], context=Context(cache=False))
    assert [result["text"] for result in results] == TRUE[group]
    assert all(result["verdicts"] for result in results)
    labels = {text: {each["label"] for each in one["verdicts"]} for text, one in zip(TRUE[group], results, strict=True)}
    assert [text for text, found in labels.items() if found & {"contradiction", "error"}] == []


def label(text: str, evidence: str, title: str = "", query: str = "") -> str:
    given: AgreementInput = {"text": text, "question": "", "query": query or text, "evidence": evidence, "title": title}
    return agreement(given).label


UN, TOWER = "United Nations", "Eiffel Tower"


@pytest.mark.parametrize(
    ("text", "evidence", "title"),
    [
        # another of the name, as an object too
        ("Italy left World War I in 1918.", "Italy left World War II in 1943.", ""),
        ("Italy left the First World War in 1918.", "Italy left the Second World War in 1943.", ""),
        ("He commanded Apollo 12 in 1969.", "He commanded Apollo 13 in 1970.", ""),
        ("She played Part I in 1960.", "She played Part II in 1970.", ""),
        ("Bach served Henry VII in 1490.", "Bach served Henry VIII in 1530.", ""),
        # then is not now
        ("Bonn was the capital of Germany in 1980.", "The capital of Germany is Berlin.", "Germany"),
        ("Bonn was the capital of Germany before Berlin.", "The capital of Germany is Berlin.", "Germany"),
        ("The league had 12 members until 1965.", "The league has 30 members.", ""),
        ("The league had 12 members in 1965.", "The league had 30 members in 1990.", ""),
        ("The club had a black flag in 1900.", "The club has a white flag.", ""),
        ("Bonn was the capital for forty years.", "Bonn is not the capital.", "Bonn"),
        # a part
        (f"The {UN} has 193 members.", f"The Security Council of the {UN} has 15 members.", UN),
        ("The orchestra has 90 players.", "The string section of the orchestra has 60 players.", ""),
        ("Python has 30 authors.", "The Python Software Foundation has 12 authors.", "Python"),
        # who is described is not named
        ("The hall was designed by a Dane.", "The hall was designed by Jørn Utzon.", ""),
        ("The hall was designed by Danes.", "The hall was designed by Jørn Utzon.", ""),
        ("The hall was designed by a Swede.", "The hall was designed by the architect Jørn Utzon.", ""),
        # several made it
        ("The hall was designed by Ann Hall.", "The hall was designed by the firm Smith, Jones and Brown.", ""),
        ("The hall was designed by Ann Hall.", "The hall was designed by Smith, Jones & Brown.", ""),
        ("The hall was designed by Ann Hall.", "The hall was designed by Bo Ek and Ann Smith.", ""),
        # to each its own
        ("Ann made Ajax in 2005 and Bolt in 1991.", "Ann made Ajax in 2005.", "Bolt"),
        ("It was played in Rome in 1788, after Pisa in 1787.", "It was played in Pisa in 1787.", "It"),
        # again
        ("Norway declared war on Sweden in 1808.", "Norway declared war on Sweden in 1644.", ""),
        ("Norway hosted the games in 1952.", "Norway hosted the games in 1994.", ""),
        # conditions
        (f"The {TOWER} is 300 metres tall without its mast.", f"The {TOWER} is 330 metres tall.", TOWER),
        ("The desk costs 90 dollars excluding tax.", "The desk costs 110 dollars, including tax.", ""),
    ],
)
def test_what_holds_of_something_near_contradicts_nothing(text: str, evidence: str, title: str) -> None:
    assert label(text, evidence, title) == "neutral"


@pytest.mark.parametrize(
    ("text", "evidence", "title"),
    [
        (
            "The Nobel Peace Prize is awarded in Stockholm.",
            "The other Nobel Prizes are awarded in Stockholm, Sweden.",
            "Nobel Prize",
        ),
        (
            "World War II began when Germany invaded France.",
            "World War II began in Europe when Germany invaded Poland on 1 September 1939.",
            "World War II",
        ),
        (
            "The Statue of Liberty is 93 metres tall from its base to the tip of the torch.",
            "The Statue of Liberty measures 93 metres from the ground to the tip of the torch, including the pedestal.",
            "Statue of Liberty",
        ),
        (
            "Marie Curie was the first woman to win a Nobel Prize, in 1911.",
            "Marie Curie was the first woman to win a Nobel Prize. She received another one in 1911.",
            "Marie Curie",
        ),
        (
            "Marie Curie shared the Nobel Prize in Physics in 1903 with Pierre Curie and Albert Einstein.",
            "Marie Curie shared the Nobel Prize in Physics in 1903 with Pierre Curie and Henri Becquerel.",
            "Marie Curie",
        ),
        ("Italy left World War I in 1943.", "Italy left World War II in 1943.", ""),
        (f"The {UN} has 15 members.", f"The Security Council of the {UN} has 15 members.", UN),
    ],
)
@pytest.mark.parametrize("query", ["", "Who was the first woman to win a Nobel Prize?"])
def test_nothing_is_borne_out_that_the_sentence_does_not_say(text: str, evidence: str, title: str, query: str) -> None:
    assert label(text, evidence, title, query if "first woman" in text else "") != "entailment"


@pytest.mark.parametrize(
    ("text", "evidence", "expected"),
    [
        ("Italy left the First World War in 1917.", "Italy left World War I in 1918.", "contradiction"),
        ("Italy left the First World War in 1918.", "Italy left World War I in 1918.", "entailment"),
        ("The league has 12 members.", "As of 2024, the league has 30 members.", "contradiction"),
        ("The ship carried 64 boats.", "The ship carried 20 boats.", "contradiction"),
        ("The tower is 430 metres tall.", "The tower is 330 metres tall, including its mast.", "contradiction"),
        (
            "The hall was designed by Bo Ek.",
            "The hall was designed by the Danish architect Jørn Utzon.",
            "contradiction",
        ),
        ("Ann made Ajax in 2006 and Bolt in 1991.", "Ann made Ajax in 2005 and Bolt in 1991.", "contradiction"),
        ("The league has its seat in Lyon.", "The headquarters of the league is in Bonn.", "neutral"),
        ("The league has its headquarters in Lyon.", "The headquarters of the league is in Bonn.", "contradiction"),
        ("The charter was written in English.", "The charter was written in Latin.", "contradiction"),
    ],
)
def test_what_is_said_of_the_same_still_counts(text: str, evidence: str, expected: str) -> None:
    assert label(text, evidence) == expected
