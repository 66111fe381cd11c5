"""The server's pages in a real browser: every playground, the documentation, and the key."""

import json
from collections.abc import Iterator

import pytest
from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from errata.graphs import METHODS

from ..browser import Browser, needs_chromium
from ..known import RIGHT, WRONG
from ..serving import serving

pytestmark = needs_chromium


class Pages(Browser):
    """A browser of somebody who looks at a server."""

    def __init__(self, driver: webdriver.Chrome, address: str) -> None:
        super().__init__(driver)
        self.address = address

    def open(self, path: str, holds: str) -> None:
        self.driver.get(f"{self.address}/{path}")
        self.wait_for(holds)

    def text(self) -> str:
        return str(self.js("return document.body ? document.body.innerText : ''"))  # in one go: the page may change

    def wait_for(self, text: str) -> None:
        try:
            WebDriverWait(self.driver, 10).until(lambda _: text in self.text())
        except TimeoutException:
            raise AssertionError(f"no {text!r} on the page: {self.text()[-1000:]}") from None

    def button(self, name: str) -> webdriver.remote.webelement.WebElement:
        return self.driver.find_element(By.XPATH, f"//button[normalize-space()={name!r}]")

    def field(self, label: str) -> webdriver.remote.webelement.WebElement:
        return self.driver.find_element(
            By.XPATH,
            f"//*[translate(normalize-space(text()), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', "
            f"'abcdefghijklmnopqrstuvwxyz')={label!r}]/following::*[self::input or self::textarea][1]",
        )

    def asked_elsewhere(self) -> list[str]:
        """Addresses beyond the server that a page asked for."""
        sent = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        asked = [event["params"]["request"]["url"] for event in sent if event["method"] == "Network.requestWillBeSent"]
        return [url for url in asked if not url.startswith((self.address, "data:", "blob:", "about:", "chrome:"))]


@pytest.fixture(scope="module")
def open_server() -> Iterator[str]:
    with serving(api_key="") as address:
        yield address


@pytest.fixture(scope="module")
def locked_server() -> Iterator[str]:
    with serving(api_key="sesame") as address:
        yield address


def looking(chromium: webdriver.Chrome, address: str) -> Iterator[Pages]:
    chromium.delete_all_cookies()
    chromium.get("about:blank")
    pages = Pages(chromium, address)
    pages.log("browser")
    pages.log("performance")
    yield pages
    assert pages.asked_elsewhere() == []


@pytest.fixture
def pages(chromium: webdriver.Chrome, open_server: str) -> Iterator[Pages]:
    yield from looking(chromium, open_server)


@pytest.fixture
def locked(chromium: webdriver.Chrome, locked_server: str) -> Iterator[Pages]:
    yield from looking(chromium, locked_server)


@pytest.mark.parametrize("method", METHODS)
def test_a_playground_can_start_as_it_opens(pages: Pages, method: str) -> None:
    pages.open(f"{method}/playground/", "Start")
    assert pages.button("Start").is_enabled()
    assert "Validation Errors" not in pages.text()
    assert pages.field("text").location["y"] < pages.field("model").location["y"], "the input comes first"
    assert pages.log("browser") == []


def test_a_run_from_the_playground(pages: Pages) -> None:
    pages.open("rarr/playground/", "Start")
    pages.field("text").send_keys(WRONG)
    setting = pages.field("pages")
    setting.send_keys(Keys.BACKSPACE, "4")
    assert setting.get_attribute("value") == "4"
    pages.until(lambda: not pages.js("return document.querySelector('.w-full.opacity-50')"))
    pages.button("Start").click()
    pages.wait_for(RIGHT)
    assert pages.log("browser") == []


def test_the_documentation_is_there_without_a_network(pages: Pages) -> None:
    pages.open("docs", "/rarr/invoke")
    assert pages.log("browser") == []
    assert "Authorize" not in pages.text(), "there is no key to give"


def test_a_page_asks_for_the_key_and_goes_on_with_it(locked: Pages) -> None:
    locked.open("rarr/playground/", "Key of this server")
    locked.find("input[name=key]").send_keys("wrong", Keys.ENTER)
    locked.wait_for("That key is wrong")
    locked.find("input[name=key]").send_keys("sesame", Keys.ENTER)
    locked.wait_for("Start")
    assert locked.driver.current_url == f"{locked.address}/rarr/playground/"
    locked.field("text").send_keys(WRONG)
    locked.button("Start").click()
    locked.wait_for(RIGHT)
    assert locked.js("return document.cookie") == "", "no script can read it"
    locked.open("docs", "Authorize")


def test_the_documentation_takes_the_key(locked: Pages) -> None:
    locked.open("docs", "Key of this server")
    locked.find("input[name=key]").send_keys("sesame", Keys.ENTER)
    locked.wait_for("Authorize")
    locked.button("Authorize").click()
    locked.wait_for("X-API-Key")
