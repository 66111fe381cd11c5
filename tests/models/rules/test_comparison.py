"""A sentence beside the evidence: supported, contradicted in one place, or neither."""

import json
from pathlib import Path

import pytest

from errata.models.rules.comparison import compare
from errata.tools.reading import documents

from ...growth import growth

COPIED = Path(__file__).parents[3] / "benchmarks" / "data" / "copied.jsonl"


def compared(text: str, evidence: str, title: str = "", before: str = "") -> tuple[str, str]:
    finding = compare(text, [(title, evidence)], before)
    return finding.label, finding.text


def copied() -> list[tuple[str, str, str]]:
    rows = []
    for line in COPIED.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        ending = Path(row["file"]).suffix
        read = documents.read(row["text"].encode(), ending) if ending != ".txt" else None
        title, text = (read.title, read.text) if read else (row["title"], row["text"])
        rows += [(sentence, title, text) for sentence in row["sentences"]]
    return rows


@pytest.mark.parametrize("marker", ["", "[1]", "【3†source】", "¹", " [2][3]"])
def test_a_sentence_that_stands_in_its_document_is_supported(marker: str) -> None:
    rows = copied()
    assert len(rows) == 36
    missed = [text for text, title, evidence in rows if compared(text + marker, evidence, title)[0] != "supported"]
    assert missed == []


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("The dose is .5 mg.", "The dose is 0.5 mg."),
        ("The town has 12 500 inhabitants.", "The town has 12,500 inhabitants."),
        ("The town has 12'500 inhabitants.", "The town has 12.5 thousand inhabitants."),
        ("The shop opens at 2 pm.", "The shop opens at 14:00."),
        ("It was signed on 4 March 2024.", "It was signed on 2024-03-04."),
        ("The ride takes 60 minutes.", "The ride takes 1 hour."),
        ("In 2018, the airline hired 300 pilots.", "The airline hired 300 pilots in 2018."),
        ("The ﬁlm is eﬀective.", "The film is effective."),
        ("公司共有员工3200人。", "公司共有员⼯3200⼈。"),
        ("Please check: The tower is 44 m high.", "The tower is 44 m high."),
        ("Die Strecke ist 12,5 Kilometer lang und neu.", "Die Strecke ist 12,5 Kilometer lang und neu."),
    ],
)
def test_the_same_said_otherwise_is_supported(text: str, evidence: str) -> None:
    assert compared(text, evidence) == ("supported", text)


@pytest.mark.parametrize(
    ("text", "evidence", "right"),
    [
        ("Do not store above 25 °C.", "Do not store above 30 °C.", "Do not store above 30 °C."),
        (
            "Der Vertrag endet am 31. Dezember 2025.",
            "Der Vertrag endet am 31. März 2025.",
            "Der Vertrag endet am 31. März 2025.",
        ),
        ("Das Rauchen ist hier erlaubt.", "Das Rauchen ist hier nicht erlaubt.", "Das Rauchen ist hier nicht erlaubt."),
        ("The population of France is 69 million.", "The population of France is 67 million.", None),
        ("You can return items within 60 days.", "You can return items within 90 days.", None),
        ("The lamp is safe.", "The lamp is dangerous.", None),
        ("The cat may swim.", "The cat may not swim.", "The cat may not swim."),
        ("参考书可以外借。", "参考书不可外借。", None),
        ("달빛시장은 2018년 6월에 처음 열렸다.", "달빛시장은 2013년 6월에 처음 열렸다.", None),
        ("Kurssi maksaa 45 euroa.", "Kurssi maksaa 54 euroa.", None),
        ("The tower was built in 1899.", "The tower, in Linden, was built in 1889 by Ann Berg.", None),
        ("Adults take one tablet a day.", "Adults take two tablets a day.", None),
    ],
)
def test_another_value_in_the_same_place_is_put_right(text: str, evidence: str, right: str | None) -> None:
    label, written = compared(text, evidence)
    assert label == "contradicted"
    if right is not None:
        assert written == right
    assert compared(written, evidence)[0] != "contradicted"


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("The tower is 331 m high.", "The tower is 330.7 m high."),
        ("Tickets cost 10 euros.", "Tickets cost 12 euros for adults and 8 euros for children."),
        ("The hall has 420 seats.", "According to a legend, the hall has 300 seats."),
        ("Ann Lee won the race in 2014.", "Ann Lee won the race in 2010."),
        ("The bridge was closed in 1945.", "The bridge was closed to cars in 1975."),
        ("Flight 212 was cancelled.", "Flight 214 was cancelled."),
        ("Silva scored.", "Okafor scored."),
        ("evidence", "text"),
        ("Is the tower 40 m high?", "The tower is 44 m high."),
        ("Heat the pan without oil.", "Mistakes to avoid: Heat the pan without oil."),
        ("Kurssi on helppo.", "Kurssi ei ole helppo."),
        ("1. Vorsitzender ist Karl.", "2. Vorsitzender ist Karl."),
    ],
)
def test_what_may_also_be_true_is_not_contradicted(text: str, evidence: str) -> None:
    label, written = compared(text, evidence)
    assert label != "contradicted"
    assert written == text


def test_support_outweighs_contradiction() -> None:
    assert compared("The tower is 44 m high.", "The tower is 45 m high. The tower is 44 m high.")[0] == "supported"
    documents_ = [("", "The tower is 45 m high."), ("", "The tower is 44 m high.")]
    assert compare("The tower is 44 m high.", documents_).label == "supported"


def test_a_pronoun_stands_for_what_was_named_before() -> None:
    evidence = "Ann Lee was a chemist. She won the prize in 1903."
    assert compared("She won the prize in 1903.", evidence, before="Ann Lee was a chemist.")[0] == "supported"
    assert compared("She won the prize in 1903.", evidence, before="Bo Ek was a chemist.")[0] == "undecided"


CHINESE = [
    "截至2023年底，公司共有员工3200人，其中研发人员860人。",
    "宁波工厂有工人1200人，成都工厂有工人700人。",
    "图书馆周一至周五9:00开放。",
    "本品应在25℃以下保存。",
    "新馆于2016年建成。",
    "每位读者最多可借15本书。",
    "成人每次服用10毫升，每日三次。",
    "展览从5月3日开到6月20日。",
]
ENGLISH = [
    "The Harbour Tower was completed in 1889 and designed by Karl Berg.",
    "Do not store above 30 °C.",
    "Receipts must be submitted within 60 days after the trip.",
    "The main span is 214 m long, while the side spans measure 88 m each.",
    "Economy class applies to all flights shorter than six hours.",
    "The unit weighs 148 kg without the base plate.",
    "Ann Lee was born in Oslo in 1950 and died in Rome in 2010.",
    "Children under 12 years of age should not take Velorin.",
]


@pytest.mark.parametrize("sentence", [*CHINESE, *ENGLISH])
def test_a_line_break_anywhere_changes_nothing(sentence: str) -> None:
    for place in range(1, len(sentence)):
        is_chinese = sentence in CHINESE
        if is_chinese and not (sentence[place - 1].isdigit() and sentence[place].isdigit()):
            broken = f"{sentence[:place]}\n{sentence[place:]}"
        elif not is_chinese and sentence[place] == " ":
            broken = f"{sentence[:place]}\n{sentence[place + 1 :]}"
        else:
            continue
        label, text = compared(sentence, broken)
        assert (label, text) in (("supported", sentence), ("undecided", sentence)), broken


def test_many_sentences_against_themselves_take_as_much_longer_as_they_are_more() -> None:
    def read(given: list[str]) -> None:
        text = " ".join(given)
        for sentence in given[:50]:
            compare(sentence, [("", text)])

    def short(count: int) -> list[str]:
        return [f"The lamp number {n} is on." for n in range(count)]

    assert not growth(short, read, 400)
