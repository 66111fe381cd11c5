"""The report in a real browser: what hovering, clicking, keys and hostile text do there."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from errata.apps.reports.report import write
from errata.state import Result, replay

from ..browser import Browser, needs_chromium

pytestmark = needs_chromium

PAYLOAD = (
    "</script></style><script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>"
    "<svg onload='window.pwned = 3'>{{7*7}}<iframe srcdoc='<script>parent.pwned = 4</script>'>\u202e\0<!-- "
)


@pytest.fixture
def browser(chromium: webdriver.Chrome) -> Iterator[Browser]:
    """A browser in which a test may only meet what the file itself holds: no request, no message, no dialog."""
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    chromium.get("about:blank")
    browser = Browser(chromium)
    browser.log("browser")
    browser.log("performance")
    yield browser
    assert browser.log("browser") == []
    asked = [json.loads(entry["message"])["message"] for entry in browser.log("performance")]
    addresses = [event["params"]["request"]["url"] for event in asked if event["method"] == "Network.requestWillBeSent"]
    assert [address for address in addresses if not address.startswith("file:///")] == []
    assert len(set(addresses)) == 1, "the page asks for nothing but itself"


def result(original: str, edits: list[dict[str, Any]], **fields: Any) -> Result:
    usage = {"llm_calls": 4, "input_tokens": 900, "output_tokens": 80, "searches": 2, "tool_runs": 0, "seconds": 1.5}
    evidence = [
        {"id": "one", "query": "When?", "text": "It was opened on 31 March 1889.", "title": "Opening", "score": 0.9},
        {"id": "two", "query": "How tall?", "text": "It is 330 metres tall.", "title": "Height", "score": 0.8},
    ]
    sources = ["https://example.org/opening", "javascript:window.pwned = 5"]
    made: Any = {
        "original": original,
        "text": replay(original, edits),  # type: ignore[arg-type]
        "edits": edits,
        "verdicts": [],
        "evidence": [piece | {"source": source} for piece, source in zip(evidence, sources, strict=True)],
        "attribution": [],
        "failures": [],
        "unresolved": [],
        "status": "corrected",
        "stopped": "finished",
        "reason": "all checks are made",
        "usage": usage,
    }
    merged: Result = made | fields
    return merged


def edit(text: str, before: str, after: str, evidence: str, reason: str) -> dict[str, Any]:
    start = text.index(before)
    span = {"before": before, "after": after, "start": start, "end": start + len(before)}
    return span | {"evidence": evidence, "reason": reason, "applied": True}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    text = "The tower was opened in 1912.\n\nIt is 450 metres tall, and it stands in Paris."
    edits = [
        edit(text, "1912", "1889", "one", "the opening was in 1889"),
        edit(text, "450", "330", "two", "it is lower"),
    ]
    labels = ["contradiction", "entailment", "neutral", "error"] * 5
    verdict = {"question": "When was it opened?", "reason": "", "evidence": "one", "backend": "rules"}
    file = tmp_path_factory.mktemp("report") / "report.html"
    sentence: Any = {
        "sentence": "The tower was opened in 1889.",
        "start": 0,
        "end": 29,
        "evidence": ["two", "one"],
        "status": "checked",
    }
    write(result(text, edits, verdicts=[verdict | {"label": label} for label in labels], attribution=[sentence]), file)
    return file


@pytest.mark.parametrize("column", ["#original", "#corrected"])
def test_hovering_over_an_edit_shows_its_evidence_and_its_twin(browser: Browser, report: Path, column: str) -> None:
    browser.show(report)
    browser.hover(browser.find(f"{column} .edit"))
    browser.until(browser.note)
    for shown in ("1912", "1889", "the opening was in 1889", "31 March 1889", "Opening", "https://example.org/opening"):
        assert shown in browser.note()
    assert browser.js("return document.querySelectorAll('.edit.active').length") == 2
    browser.hover(browser.find("h1"))
    browser.until(lambda: not browser.note())


def test_the_note_can_be_reached_with_the_pointer_and_stays_after_a_click(browser: Browser, report: Path) -> None:
    browser.show(report)
    browser.hover(browser.find("#corrected .edit"))
    browser.until(browser.note)
    browser.hover(browser.find("#note blockquote"))
    browser.find("#corrected .edit", 1).click()
    browser.hover(browser.find("#original .edit"))
    browser.driver.execute_async_script("setTimeout(arguments[0], 500)")
    assert "330 metres" in browser.note()
    assert "/report.html#" not in browser.driver.current_url
    browser.find("#note .close").click()
    assert not browser.note()


def test_a_source_is_a_link_only_if_it_is_a_web_address(browser: Browser, report: Path) -> None:
    browser.show(report)
    browser.find("#corrected .edit").click()
    assert browser.find("#note a.source").get_attribute("href") == "https://example.org/opening"
    browser.press(Keys.ESCAPE)
    browser.find("#corrected .edit", 1).click()
    assert "javascript:window.pwned" in browser.note()
    assert not browser.driver.find_elements(By.CSS_SELECTOR, "#note a.source, a[href^=javascript]")


def test_the_keyboard_opens_enters_leaves_and_closes_the_note(browser: Browser, report: Path) -> None:
    browser.show(report)
    browser.tab_to("#original .edit")
    assert "31 March 1889" in browser.note(), "focus is enough to see it"
    browser.press(Keys.ENTER)
    assert browser.focused("#note")
    browser.press(Keys.ESCAPE)
    assert not browser.note()
    assert browser.focused("#original .edit[data-edits='1']")
    browser.press(Keys.ENTER)
    browser.tab_to("#original .edit[data-edits='2']")
    assert "330 metres" in browser.note(), "tabbing out of the note goes on with the next edit"


def test_a_mark_leads_to_its_evidence(browser: Browser, report: Path) -> None:
    browser.show(report)
    browser.find("#corrected .mark", 1).click()
    assert "330 metres" in browser.note()
    assert "Height" in browser.note()
    browser.find("#note h3 a").click()
    assert browser.driver.current_url.endswith("#evidence-2")


def test_what_is_shown_and_selected_is_the_text_itself(browser: Browser, report: Path) -> None:
    browser.show(report)
    copied = browser.js(
        "const range = document.createRange(); range.selectNodeContents(document.getElementById('corrected'));"
        "getSelection().removeAllRanges(); getSelection().addRange(range); return getSelection().toString()"
    )
    assert "".join(copied.split()) == "Thetowerwasopenedin1889.Itis330metrestall,anditstandsinParis."


def test_what_belongs_together_stands_side_by_side(browser: Browser, tmp_path: Path) -> None:
    file, text = tmp_path / "report.html", "It is short.\n\nThe end."
    write(result(text, [edit(text, "short", "far longer than it was before " * 9, "one", "")]), file)
    browser.show(file)
    first, second = ([browser.find(f"#{column} p", row).rect for column in ("original", "corrected")] for row in (0, 1))
    assert first[0]["height"] < first[1]["height"]
    assert second[0]["y"] == second[1]["y"]


def test_narrow_windows_stack_the_texts_and_never_scroll_sideways(browser: Browser, report: Path) -> None:
    browser.show(report, width=520)
    left, right = browser.find("#original"), browser.find("#corrected")
    assert left.rect["y"] + left.rect["height"] <= right.rect["y"]
    assert browser.js("return document.documentElement.scrollWidth <= innerWidth")
    browser.find("#corrected .edit", 1).click()
    assert "330 metres" in browser.note()


def test_verdicts_are_filtered_by_label(browser: Browser, report: Path) -> None:
    browser.show(report)
    rows = browser.driver.find_elements(By.CSS_SELECTOR, "#verdicts tbody tr")
    assert sum(row.is_displayed() for row in rows) == 20
    browser.js("document.getElementById('show-all').focus()")
    browser.press(Keys.ARROW_RIGHT)
    assert {row.get_attribute("class") for row in rows if row.is_displayed()} == {"contradiction"}
    assert sum(row.is_displayed() for row in rows) == 5


def test_without_scripts_an_edit_leads_to_its_evidence(browser: Browser, report: Path) -> None:
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.show(report)
    browser.find("#corrected .edit", 1).click()
    assert browser.driver.current_url.endswith("#edit-2")
    assert "It is 330 metres tall." in browser.find("#edit-2").text
    browser.find("#edit-2 .ref").click()
    assert browser.driver.current_url.endswith("#evidence-2")


def test_hostile_text_does_nothing(browser: Browser, tmp_path: Path) -> None:
    text = f"Before {PAYLOAD} after 1912."
    hostile = edit(text, "1912", PAYLOAD, "one", PAYLOAD)
    bad: Any = {"id": "one", "query": PAYLOAD, "text": PAYLOAD, "title": PAYLOAD, "source": PAYLOAD, "score": 0.5}
    verdict = {"question": PAYLOAD, "label": "neutral", "reason": PAYLOAD, "evidence": "one", "backend": PAYLOAD}
    failure = {"step": PAYLOAD, "reason": PAYLOAD, "unchecked": True}
    fields = {"evidence": [bad], "verdicts": [verdict], "failures": [failure], "reason": PAYLOAD, "stopped": PAYLOAD}
    file = tmp_path / "report.html"
    write(result(text, [hostile], **fields), file, method=PAYLOAD, question=PAYLOAD, settings={PAYLOAD: PAYLOAD})
    browser.show(file)
    browser.find("#corrected .edit").click()
    assert "window.pwned = 1" in browser.note()
    assert browser.js("return window.pwned") is None
    assert browser.js("return document.querySelectorAll('img, svg, iframe').length") == 0
    assert browser.js("return document.scripts.length") == 1
    assert browser.find("#original").get_property("textContent") == text.replace("\0", "\ufffd")


def test_characters_that_turn_the_text_turn_only_themselves(browser: Browser, tmp_path: Path) -> None:
    """Left to act, the override would show `abc` in mirror writing, right of `def`."""
    file = tmp_path / "report.html"
    write(result("x \u202eabc\u2069 def", []), file)
    browser.show(file)
    left = browser.js(
        "const at = (word) => { for (const node of document.querySelector('#original p').childNodes) {"
        " const start = node.nodeType === 3 ? node.data.indexOf(word) : -1; if (start < 0) continue;"
        " const range = document.createRange(); range.setStart(node, start); range.setEnd(node, start + 1);"
        " return range.getBoundingClientRect().left } }; return ['a', 'b', 'c', 'd', 'e'].map(at)"
    )
    assert left == sorted(left)


def test_the_policy_holds_even_if_something_slipped_through(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    write(result("text", []), file)
    page = file.read_text(encoding="utf-8")
    file.write_text(page.replace("<main>", "<main><script>window.pwned = 1</script>"), encoding="utf-8")
    browser.show(file)
    assert browser.js("return window.pwned") is None
    (complaint,) = browser.log("browser")
    assert "Content Security Policy" in complaint["message"]
