"""The page of the server in a real browser: a text is checked on it, and a person decides."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from ..browser import Browser, needs_chromium
from ..known import RIGHT, WRONG, agreement, known
from ..serving import serving

pytestmark = needs_chromium

HOSTILE = "</textarea></span><script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>"


async def doubting(asked: dict[str, Any]) -> dict[str, Any]:
    """Which compares with care: what is asked about hostile words never ends."""
    import asyncio

    if "forever" in asked["text"]:
        await asyncio.sleep(3_600)
    return await agreement(asked)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    context = known()
    backends = {**context.backends, "agreement": RunnableLambda(doubting), "edit": context.backends["edit"]}
    with serving(context.model_copy(update={"backends": backends}), api_key="") as address:
        yield address


class Desk(Browser):
    """A browser of somebody who checks texts."""

    def __init__(self, driver: webdriver.Chrome, address: str) -> None:
        super().__init__(driver)
        self.address = address

    def until(self, met: Any) -> None:
        WebDriverWait(self.driver, 60, poll_frequency=0.1).until(lambda _: met())

    def open(self, *, width: int = 1280, dark: bool = False) -> None:
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
        self.driver.get(f"{self.address}/")

    def check(self, text: str) -> None:
        self.find("textarea").send_keys(text)
        self.find(".primary").click()

    def comes(self, selector: str) -> None:
        self.until(lambda: self.driver.find_elements(By.CSS_SELECTOR, selector))

    def text(self) -> str:
        """The text as it would be copied."""
        self.js("navigator.clipboard.writeText = async (text) => { window.copied = text }")
        self.find("#copy").click()
        self.until(lambda: self.find("#said").text == "Copied.")
        return str(self.js("return window.copied"))

    def choose(self, decision: str, number: int) -> None:
        self.find(f"#change-{number} label:has([value={decision}])").click()

    def fits(self) -> bool:
        return bool(self.js("return document.documentElement.scrollWidth <= innerWidth"))

    def asked_elsewhere(self) -> list[str]:
        sent = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        asked = [event["params"]["request"]["url"] for event in sent if event["method"] == "Network.requestWillBeSent"]
        return [url for url in asked if not url.startswith((self.address, "data:", "blob:", "about:", "chrome:"))]


@pytest.fixture
def desk(chromium: webdriver.Chrome, server: str) -> Iterator[Desk]:
    chromium.get("about:blank")
    desk = Desk(chromium, server)
    desk.log("browser")
    desk.log("performance")
    yield desk
    assert desk.asked_elsewhere() == []
    assert [entry for entry in desk.log("browser") if "status of 4" not in entry["message"]] == []


def test_a_wrong_text_is_corrected_and_each_change_can_be_rejected(desk: Desk) -> None:
    desk.open()
    desk.js(
        "window.steps = ''; new MutationObserver(() => { window.steps += document.getElementById('steps').innerText })"
        ".observe(document.getElementById('steps'), { subtree: true, childList: true, characterData: true })"
    )
    desk.check(WRONG)
    desk.comes("#verdict")
    assert desk.find("#verdict").text == "2 corrections"
    assert "1899 → 1889" in desk.js("return window.steps"), "what happens is told while it happens"
    assert desk.text() == RIGHT
    desk.choose("reject", 2)
    assert desk.text() == RIGHT.replace("Paris", "Lyon")
    assert desk.find("#text").text.startswith("The tower was built in 18991889")
    desk.find("#marks").click()
    assert desk.find("#text").text == RIGHT.replace("Paris", "Lyon"), "without its marks it is the text to keep"
    desk.find("[data-all=reject]").click()
    assert desk.text() == WRONG
    desk.choose("accept", 1)
    assert desk.text() == WRONG.replace("1899", "1889")


def test_a_sentence_shows_what_it_rests_on(desk: Desk) -> None:
    desk.open()
    desk.check(WRONG)
    desk.comes(".sentence")
    desk.find(".sentence", 1).click()
    source = desk.find("#source")
    assert source.is_displayed()
    for words in ("It stands in Paris.", "The tower", "known:tower", "corrected"):
        assert words in source.text
    desk.choose("reject", 2)
    assert not source.is_displayed(), "a click elsewhere closes it"
    desk.find(".sentence", 1).click()
    assert "left as it was" in source.text
    desk.find("#source article:not([hidden]) .ref[href='#evidence-2']").click()
    assert desk.focused("#evidence-2")
    assert "It stands in Paris." in desk.find("#evidence-2").text


def test_a_file_is_what_the_text_is_compared_with(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "Harbour Tower.txt"
    file.write_text("The Harbour Tower was completed in 1889.", encoding="utf-8")
    desk.open()
    desk.find("#files").send_keys(str(file))
    desk.until(lambda: "Harbour Tower.txt" in desk.find("#chosen").text)
    desk.check("The Harbour Tower was completed in 1899.")
    desk.comes("#verdict")
    assert desk.text() == "The Harbour Tower was completed in 1889."
    desk.find(".sentence").click()
    assert desk.find("#source mark").text == "The Harbour Tower was completed in 1889."
    desk.press(Keys.ESCAPE)
    desk.find("#chosen button").click()
    assert not desk.find("#chosen").text


def test_the_report_is_saved_with_the_decisions(desk: Desk, tmp_path: Path) -> None:
    desk.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    desk.open()
    desk.check(WRONG)
    desk.comes("#verdict")
    desk.choose("reject", 1)
    desk.find("#report").click()
    desk.until(lambda: (tmp_path / "errata-report.html").exists())
    page = (tmp_path / "errata-report.html").read_text(encoding="utf-8")
    assert "a person rejected it" in page
    assert "1 correction" in page


def test_the_keyboard_is_enough(desk: Desk) -> None:
    desk.open()
    assert desk.focused("textarea"), "one can type at once"
    desk.press(WRONG)
    desk.tab_to(".primary")
    desk.press(Keys.ENTER)
    desk.comes("#verdict")
    assert desk.focused("#verdict"), "who reads by ear is told what came of it"
    desk.tab_to(".sentence[data-sentence='2']")
    desk.press(Keys.ENTER)
    assert desk.focused("#source")
    assert "It stands in Paris." in desk.find("#source").text
    desk.press(Keys.ESCAPE)
    assert desk.focused(".sentence[data-sentence='2']")
    desk.press(Keys.ENTER)
    desk.tab_to("[name=change-2]")
    assert not desk.find("#source").is_displayed(), "who tabs out of it goes on behind the sentence"
    desk.press(Keys.ARROW_RIGHT)
    assert desk.text() == RIGHT.replace("Paris", "Lyon")


def test_what_can_t_be_run_is_one_line(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "program.exe"
    file.write_bytes(b"MZ")
    desk.open()
    desk.js("document.getElementById('files').removeAttribute('accept')")
    desk.find("#files").send_keys(str(file))
    desk.until(lambda: desk.find("#chosen").text)
    desk.check(WRONG)
    desk.until(lambda: desk.find("#problem").text)
    assert desk.find("#problem").text.startswith("program.exe: send a document that ends in .txt")
    assert desk.focused("textarea")
    assert desk.find("textarea").get_attribute("value") == WRONG


def test_a_run_can_be_cancelled(desk: Desk) -> None:
    desk.open()
    desk.check(f"{WRONG} forever")
    desk.until(lambda: "questions" in desk.find("#steps").text.lower())
    desk.find("#cancel").click()
    desk.until(lambda: desk.find("#problem").text == "Cancelled.")
    desk.until(lambda: desk.js("return fetch('ready').then((answer) => answer.json())")["running"] == 0)


def test_hostile_text_does_nothing(desk: Desk) -> None:
    text = f"{HOSTILE} {WRONG}"
    desk.open()
    desk.js("document.querySelector('textarea').value = arguments[0]", text)
    desk.check("")
    desk.comes("#verdict")
    assert desk.js("return window.pwned") is None
    assert desk.js("return document.querySelectorAll('img').length") == 0
    assert desk.text() == f"{HOSTILE} {RIGHT}"


@pytest.mark.parametrize("dark", [False, True])
def test_on_a_small_screen_nothing_scrolls_sideways(desk: Desk, dark: bool) -> None:
    desk.open(width=390, dark=dark)
    assert desk.fits()
    desk.find("footer summary").click()
    assert desk.fits()
    desk.check(f"{'W' * 200} {WRONG}")
    desk.comes("#verdict")
    assert desk.fits()
    desk.find("#evidence summary").click()
    desk.find(".sentence", 1).click()
    assert desk.fits()
    source = desk.find("#source").rect
    assert (source["x"], source["width"]) == (0, desk.js("return document.documentElement.clientWidth"))
    paper = desk.js("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, paper[4:-1].split(","))) < 200) == dark


def test_a_question_is_answered_and_the_answer_is_checked(desk: Desk) -> None:
    desk.open()
    desk.find("label:has([value=question])").click()
    assert desk.js("return document.querySelector('option[value=direct]').disabled") is False
    desk.check("What of the tower?")
    desk.comes("#verdict")
    assert desk.text() == RIGHT
