"""The HTML report, as a reader and an attacker would look at it."""

import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.apps.reports.report import render, write
from errata.state import Result, replay
from errata.state.errors import ErrataError

VOID = {"meta", "input", "br", "img", "link"}

ORIGINAL = "The tower was completed in 1912. It is 450 metres tall.\n\nMany people visit it every year."


class Page(HTMLParser):
    """What a browser makes of a page: elements with their attributes, and the text in those that have an id."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[tuple[str, dict[str, str]]] = []
        self.text: dict[str, str] = {}
        self.all_text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = (tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)
            self.text.setdefault(element[1].get("id", ""), "")

    def handle_endtag(self, tag: str) -> None:
        opened, _ = self.open.pop()
        assert opened == tag, f"<{opened}> is closed by </{tag}>"

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1][0] in ("style", "script"):
            return
        self.all_text += data
        for name in {attributes.get("id", "") for _, attributes in self.open} - {""}:
            self.text[name] += data

    def all(self, tag: str, **wanted: str) -> list[dict[str, str]]:
        return [
            attributes
            for name, attributes in self.elements
            if name == tag and all(attributes.get(key.rstrip("_")) == value for key, value in wanted.items())
        ]


def evidence(number: int, **fields: Any) -> dict[str, Any]:
    piece = {"id": f"{number:012x}", "query": f"query {number}", "text": f"passage {number}", "title": f"Page {number}"}
    return piece | {"source": f"https://example.org/{number}", "score": 0.5} | fields


def edit(text: str, before: str, after: str, *, applied: bool = True, **fields: Any) -> dict[str, Any]:
    start = text.index(before)
    span = {"before": before, "after": after, "start": start, "end": start + len(before)}
    return span | {"evidence": f"{1:012x}", "reason": f"why {after}", "applied": applied} | fields


def verdict(label: str, number: int = 1, **fields: Any) -> dict[str, Any]:
    known = {"question": f"question {number}?", "label": label, "reason": "because", "evidence": f"{number:012x}"}
    return known | {"backend": "rules"} | fields


def result(original: str = ORIGINAL, edits: Sequence[dict[str, Any]] = (), **fields: Any) -> Result:
    usage = {"llm_calls": 23, "input_tokens": 18_234, "output_tokens": 1_422, "searches": 12, "tool_runs": 3}
    made: Any = {
        "original": original,
        "text": replay(original, edits),  # type: ignore[arg-type]
        "edits": list(edits),
        "verdicts": [],
        "evidence": [evidence(1), evidence(2)],
        "attribution": [],
        "failures": [],
        "unresolved": [],
        "status": "corrected",
        "stopped": "finished",
        "reason": "all 3 checks are made",
        "usage": usage | {"seconds": 8.125},
    }
    merged: Result = made | fields
    return merged


def corrected() -> Result:
    second = edit(ORIGINAL, "450", "330", evidence=f"{2:012x}")
    return result(ORIGINAL, [edit(ORIGINAL, "1912", "1889"), second])


def test_both_texts_stand_complete_with_the_edits_marked_by_number_in_both() -> None:
    page = Page(render(corrected()))
    assert page.text["original"] == ORIGINAL
    assert page.text["corrected"] == ORIGINAL.replace("1912", "1889").replace("450", "330")
    assert [link["data-number"] for link in page.all("a", class_="edit")] == ["1", "2", "1", "2"]
    assert [link["href"] for link in page.all("a", class_="edit")] == ["#edit-1", "#edit-2"] * 2
    assert "why 1889" in page.text["edit-1"]
    assert "passage 2" in page.text["edit-2"]


PLAIN = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
TEXTS = st.text(st.one_of(st.sampled_from("ab .\n\r<>&\"'{}%\u202e\u2067\x1b中ب"), PLAIN), max_size=60)


@st.composite
def corrections(draw: st.DrawFn) -> Result:
    """A text, edits of it in any order and place, and sentences anywhere, even where there is no text."""
    original = text = draw(TEXTS)
    edits = []
    for _ in range(draw(st.integers(0, 5))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, len(text)))
        after, applied = draw(TEXTS), draw(st.booleans())
        span = {"before": text[start:end], "after": after, "start": start, "end": end}
        edits.append(span | {"evidence": draw(st.sampled_from(["", f"{1:012x}"])), "reason": "", "applied": applied})
        text = text[:start] + after + text[end:] if applied else text
    ends = draw(st.lists(st.integers(0, len(text) + 3), max_size=5))
    ids = [f"{1:012x}", f"{2:012x}", "unknown"]
    attribution = [{"sentence": "", "start": 0, "end": end, "evidence": ids, "status": "checked"} for end in ends]
    return result(original, edits, attribution=attribution)


@given(corrections())
def test_the_columns_hold_exactly_the_two_texts(correction: Result) -> None:
    page = Page(render(correction))
    assert page.text["original"] == correction["original"]
    assert page.text["corrected"] == correction["text"]
    assert not page.open, "every element is closed"


@given(TEXTS, TEXTS, st.integers(0, 9), st.integers(0, 9))
def test_the_columns_are_complete_even_if_the_edits_do_not_fit(original: str, text: str, start: int, size: int) -> None:
    odd = {
        "before": "x",
        "after": "y",
        "start": start,
        "end": start + size,
        "evidence": "",
        "reason": "",
        "applied": True,
    }
    page = Page(render(result(original) | {"edits": [odd], "text": text}))  # type: ignore[arg-type]
    assert page.text["original"] == original
    assert page.text["corrected"] == text


def test_what_html_cannot_hold_is_replaced() -> None:
    page = render(result("a\0b\ud800c"))
    page.encode()
    assert Page(page).text["original"] == "a\ufffdb\ufffdc"


def test_every_sentence_leads_to_its_evidence() -> None:
    correction = corrected()
    first, second = correction["text"].index(" It is"), correction["text"].index("\n")
    spans: Any = [
        {"sentence": "", "start": 0, "end": first, "evidence": [f"{2:012x}", f"{1:012x}", "gone"], "status": "checked"},
        {"sentence": "", "start": first + 1, "end": second, "evidence": [f"{2:012x}"], "status": "checked"},
    ]
    page = Page(render(correction | {"attribution": spans}))
    marks = [(mark["href"], mark["aria-label"]) for mark in page.all("a", class_="mark")]
    assert marks == [("#evidence-1", "Evidence 1"), ("#evidence-2", "Evidence 2"), ("#evidence-2", "Evidence 2")]
    assert page.text["corrected"] == correction["text"]
    assert "passage 1" in page.text["evidence-1"]


def test_refused_edits_are_listed_with_the_reason_and_not_marked_in_the_text() -> None:
    refused = edit(ORIGINAL, "1912", "1515", applied=False, reason="it changes too much")
    page = Page(render(result(ORIGINAL, [refused])))
    assert "it changes too much" in page.text["edits"]
    assert "1515" in page.text["edits"]
    assert "0 edits made, 1 refused" in page.all_text
    assert not page.all("a", class_="edit")


def test_numbers_verdicts_failures_and_settings_are_shown() -> None:
    labels = ["contradiction", "entailment", "entailment", "neutral", "error"]
    page = Page(
        render(
            result(
                verdicts=[verdict(label, 1 + number % 2) for number, label in enumerate(labels)],
                failures=[{"step": "research", "reason": "503 from the search", "unchecked": True}],
                stopped="error",
                usage=corrected()["usage"] | {"cost": 0.0123},
            ),
            question="When was it built?",
            settings={
                "model": "openai:gpt",
                "backends": {"agreement": "rules"},
                "base_url": "http://me:secret@host/v1",
            },
        )
    )
    told = " ".join(page.all_text.split())
    for shown in ("1 contradiction, 2 entailment, 1 neutral, 1 error", "503 from the search", "leaves text unchecked"):
        assert shown in told
    for shown in ("23", "18,234", "1,422", "12", "8.12", "$0.0123", "openai:gpt", '{"agreement": "rules"}'):
        assert shown in page.text["usage"]
    assert "When was it built?" in told
    assert "secret" not in told
    assert told.index("503 from the search") < told.index("Original"), "failures come before the text"


def test_the_verdicts_can_be_filtered_when_they_are_many() -> None:
    few, many = ([verdict(label) for label in ("neutral", "error")] * times for times in (7, 8))
    assert not Page(render(result(verdicts=few))).all("input")
    shown = [choice["id"] for choice in Page(render(result(verdicts=many))).all("input")]
    assert shown == ["show-all", "show-neutral", "show-error"]


@pytest.mark.parametrize(
    "source",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\tscript:alert(1)",
        " javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//example.org/x",
        "corpus/paris.md",
        "http://",
        "http://[",
        "https://good.example@evil.example/",
        "https://good.example\\@evil.example/",
        "https://example.org/\u202egnp.exe",
        'https://example.org/" onclick="alert(1)',
        "",
    ],
)
def test_what_is_no_plain_web_address_never_becomes_a_link(source: str) -> None:
    page = Page(render(result(edits=[edit(ORIGINAL, "1912", "1889")], evidence=[evidence(1, source=source)])))
    assert all(link["href"].startswith("#") for link in page.all("a"))
    assert source in page.text["evidence"]


@pytest.mark.parametrize(
    "source", ["https://example.org/a?b=c&d=(e)#f", "HTTP://example.org", "https://zh.wikipedia.org/wiki/李白"]
)
def test_web_addresses_become_links_that_tell_the_site_nothing(source: str) -> None:
    (link,) = Page(render(result(evidence=[evidence(1, source=source)]))).all("a", target="_blank")
    assert link["href"] == source
    assert link["rel"] == "noopener noreferrer nofollow"


HOSTILE = "</script></style><script>x()</script><img src=x onerror=x()>{{7*7}}{% raw %}\u202e\u2066\0\x1b&amp;\"'`<!--"


def hostile() -> Result:
    bad = HOSTILE
    return result(
        f"One {bad} two 1912.",
        [edit("One " + bad + " two 1912.", "1912", bad, reason=bad), edit(bad, "x", bad, applied=False, reason=bad)],
        verdicts=[verdict(bad, question=bad, reason=bad, backend=bad)] * 20,
        evidence=[evidence(1, query=bad, text=bad * 30, title=bad, source=bad)],
        failures=[{"step": bad, "reason": bad, "unchecked": False}],
        attribution=[{"sentence": bad, "start": 0, "end": 20, "evidence": [f"{1:012x}", bad], "status": "checked"}],
        stopped=bad,
        reason=bad,
    )


def test_hostile_text_stays_text_wherever_it_stands() -> None:
    page = Page(render(hostile(), method=HOSTILE, question=HOSTILE, settings={HOSTILE: HOSTILE}))
    assert len(page.all("script")) == len(page.all("style")) == 1
    assert not page.all("img")
    assert "{{7*7}}" in page.all_text
    assert not [
        name for _, attributes in page.elements for name in attributes if name.startswith("on") or name == "style"
    ]


def test_characters_that_act_unseen_are_named() -> None:
    page = Page(render(result("safe \u202e elif\x07\u200f\U000e0041")))
    assert [box["data-code"] for box in page.all("span", class_="unseen")] == [
        "U+202E",
        "U+0007",
        "U+200F",
        "U+E0041",
    ] * 2


def references(page: Page) -> Iterator[str]:
    for _, attributes in page.elements:
        yield from (attributes[name] for name in ("src", "srcset", "action", "data", "poster") if name in attributes)


def test_the_page_loads_nothing_and_its_policy_forbids_it() -> None:
    text = render(hostile())
    page = Page(text)
    assert not list(references(page))
    assert not page.all("link")
    assert not re.search(
        r"@import|url\(|fetch\(|XMLHttpRequest|innerHTML", text.split("<body>")[0] + text.split("<script>")[1]
    )
    (policy,) = page.all("meta", **{"http-equiv": "Content-Security-Policy"})
    assert policy["content"].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy["content"]


def test_every_link_within_the_page_leads_somewhere_and_no_id_comes_twice() -> None:
    page = Page(render(corrected() | {"verdicts": [verdict("neutral")]}))  # type: ignore[arg-type]
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {link["href"][1:] for link in page.all("a") if link["href"].startswith("#")} <= set(ids)


def test_unknown_fields_labels_and_evidence_are_tolerated() -> None:
    strange: Any = corrected() | {"mood": "fine", "verdicts": [verdict("maybe", 99, weight=3)]}
    strange["usage"] = strange["usage"] | {"watts": 3}
    strange["edits"][0] |= {"evidence": "nowhere", "rounds": 2}
    page = Page(render(strange))
    assert "maybe" in page.text["verdicts"]
    assert "No evidence is recorded" in page.text["edit-1"]


def test_a_draft_that_failed_leaves_an_empty_text() -> None:
    failures = [{"step": "draft", "reason": "connection refused", "unchecked": True}]
    page = Page(render(result("", evidence=[], stopped="error", failures=failures), question="Why?"))
    assert page.text["original"] == page.text["corrected"] == ""
    assert page.all_text.count("There is no text.") == 2
    assert "Not fully checked" in page.all_text


def test_the_same_result_gives_the_same_file(tmp_path: Path) -> None:
    write(corrected(), tmp_path / "report.html", method="rarr", question="When?", settings={"model": "embedded"})
    written = (tmp_path / "report.html").read_bytes().decode()
    assert written == render(corrected(), question="When?", settings={"model": "embedded"})


def test_a_file_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(ErrataError, match="could not be written: Is a directory"):
        write(corrected(), tmp_path)


def test_a_long_text_is_shown_whole() -> None:
    text = "A sentence of the long text. Another one, of which 1912 is wrong.\n\n" * 3_000
    spans = [{"start": found.start(), "end": found.end()} for found in re.finditer("1912", text)][:300]
    edits = [
        span | {"before": "1912", "after": "1889", "evidence": f"{1:012x}", "reason": "", "applied": True}
        for span in spans
    ]
    ends = [found.end() for found in re.finditer(r"\.", text)]
    attribution = [
        {"sentence": "", "start": 0, "end": end, "evidence": [f"{1:012x}"], "status": "checked"} for end in ends
    ]
    long = result(text, edits, verdicts=[verdict("neutral"), verdict("error")] * 750, attribution=attribution)
    assert Page(render(long)).text["corrected"] == long["text"]


def checked(**fields: Any) -> Any:
    """A result of RefChecker, whose claims overlap."""
    text = "The tower <b>was</b> built in 1889. It is red."
    claim = {"subject": "", "predicate": "", "object": "", "sentences": [1], "backend": "chat"}
    claims: list[dict[str, Any]] = [
        {"id": "c1", "content": "The tower was built", "start": 0, "end": 26, "label": "entailment"}
        | {"reason": "so it says", "evidence": f"{1:012x}", "quote": "It <i>was</i> built."},
        {"id": "c2", "content": "built in 1889", "start": 21, "end": 34, "label": "contradiction"}
        | {"reason": "1888", "evidence": f"{2:012x}", "quote": "In 1888."},
        {"id": "c3", "content": "It is red", "start": 42, "end": 45, "label": "neutral"}
        | {"reason": "", "evidence": "", "quote": ""},
    ]
    shares = {"entailment": 1 / 3, "neutral": 1 / 3, "contradiction": 1 / 3, "abstain": 0.0}
    summed: dict[str, Any] = {
        "distribution": shares,
        "strict": "contradiction",
        "major": "contradiction",
        "tied": True,
        "errors": 0,
    }
    made = {"claims": [claim | one for one in claims], "verdicts": [verdict(str(one["label"])) for one in claims]}
    return result(text, **(made | summed | fields))


def test_claims_are_marked_in_the_response_by_the_worst_label() -> None:
    page = Page(render(checked(), method="refchecker"))
    assert page.text["response"] == checked()["text"]
    marks = [
        (mark["class"], mark["data-number"], mark["href"]) for mark in page.all("a") if "claim" in mark.get("class", "")
    ]
    assert marks == [
        ("claim entailment", "1", "#claim-1"),
        ("claim contradiction", "1·2", "#claim-1"),
        ("claim contradiction", "2", "#claim-2"),
        ("claim neutral", "3", "#claim-3"),
    ]
    rows = [row["id"] for row in page.all("tr") if row.get("id", "").startswith("claim-")]
    assert rows == ["claim-1", "claim-2", "claim-3"]
    bars = [(bar["class"], float(bar["x"]), float(bar["width"])) for bar in page.all("rect")]
    assert [label for label, _, _ in bars] == ["entailment", "neutral", "contradiction"]
    assert sum(wide for _, _, wide in bars) == pytest.approx(100, abs=0.01)
    assert "1 claim contradicted, 1 unsupported" in page.all_text
    assert "the worse of equally many" in page.all_text
    assert "It <i>was</i> built." in page.all_text
    assert not page.all("i")
    assert not page.all("b")


def test_a_response_without_claims_or_without_checks() -> None:
    none = checked(claims=[], verdicts=[], strict="abstain", distribution={"entailment": 0.0, "abstain": 1.0})
    assert "No claims" in Page(render(none)).all_text
    failed = checked(distribution=None, errors=3, strict="error", stopped="error")
    page = Page(render(failed))
    assert "Not fully checked" in page.all_text
    assert not page.all("rect")


def test_samples_and_sentences_are_shown_as_text() -> None:
    hostile = "<script>alert(1)</script>"
    sentence = {
        "number": 0,
        "before": hostile,
        "start": 0,
        "end": 9,
        "question": hostile,
        "after": "It is so.",
        "reason": "",
    }
    verified = {**sentence, "evidence": [f"{1:012x}", "gone"], "verified": True, "label": "contradiction"}
    unknown = {**sentence, "after": hostile, "evidence": [], "verified": False, "label": None, "reason": hostile}
    more: Any = {
        "answer": hostile,
        "original_answer": "",
        "consistency": 1.25,
        "mode": "probability",
        "paths": [{"text": hostile, "answer": "", "logprob": None}, {"text": "The answer is 7.", "answer": "7"}],
        "sentences": [verified, unknown],
    }
    page = Page(render({**result(evidence=[evidence(1)]), **more}))
    assert page.all("script") == page.all("script")[:1]
    assert "consistency of 1.25 among 2 samples, by probability" in page.text["samples"]
    assert hostile in page.text["samples"]
    assert page.text["sentences"].count(hostile) == 5
    assert "not looked at" in page.text["sentences"]
    assert f"Answer: {hostile} (at first: none)" in page.all_text
    assert "Samples" not in Page(render(result())).all_text


def test_a_chain_of_ones_own_has_no_samples() -> None:
    more: Any = {
        "answer": "7",
        "original_answer": "7",
        "consistency": None,
        "mode": "count",
        "paths": [],
        "sentences": [],
    }
    page = Page(render({**result(), **more}))
    assert "Answer: 7" in page.all_text
    assert "Samples" not in page.all_text


def test_what_is_left_wrong_and_what_nobody_checked_is_said_and_marked() -> None:
    text = "It was built in 1899. It is brown. It stands in Paris."
    statuses = ["unresolved", "not checked", "checked"]
    spans = [(0, 21), (22, 34), (35, 54)]
    parts = [
        {"sentence": text[start:end], "start": start, "end": end, "evidence": [], "status": status}
        for (start, end), status in zip(spans, statuses, strict=True)
    ]
    left = {"sentence": text[:21], "start": 0, "end": 21, "question": "When?", "evidence": f"{1:012x}"}
    left |= {"reason": "Evidence: <1889>", "left": "it changes nothing"}
    page = render(result(text, attribution=parts, unresolved=[left], status="unresolved"))
    assert "1 contradiction left in the text" in page
    assert "Evidence: &lt;1889&gt;" in page
    assert "Not corrected: <bdi>it changes nothing</bdi>" in page
    assert "3 sentences: 1 checked, 1 unresolved, 1 not checked" in page
    assert re.findall(r'data-status="([^"]*)"', page) == ["unresolved", "not checked"]
    assert Page(page).text["corrected"] == text
