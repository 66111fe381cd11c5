"""Chromium, as the tests of pages drive it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

CHROMIUM, CHROMEDRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")

needs_chromium = pytest.mark.skipif(
    not (CHROMIUM.exists() and CHROMEDRIVER.exists()),
    reason=f"needs {CHROMIUM} and {CHROMEDRIVER} (Debian: apt-get install chromium chromium-driver)",
)

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --window-size=1280,900"
)


class Browser:
    """Chromium, with a page open in it."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def show(self, file: Path, *, width: int = 1280) -> None:
        self.driver.set_window_size(width, 900)
        self.driver.get(file.as_uri())

    def find(self, selector: str, position: int = 0) -> WebElement:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)[position]

    def js(self, code: str, *arguments: Any) -> Any:
        return self.driver.execute_script(code, *arguments)

    def log(self, kind: str) -> list[dict[str, Any]]:
        """What was logged since it was asked for last: `browser` is the console, `performance` the network."""
        entries: list[dict[str, Any]] = self.driver.get_log(kind)  # type: ignore[no-untyped-call]
        return entries

    def press(self, *keys: str) -> None:
        ActionChains(self.driver).send_keys(*keys).perform()

    def hover(self, element: WebElement) -> None:
        ActionChains(self.driver).move_to_element(element).perform()

    def until(self, met: Callable[[], Any]) -> None:
        WebDriverWait(self.driver, 5, poll_frequency=0.02).until(lambda _: met())

    def note(self) -> str:
        """The text of the note that is open, else nothing."""
        return str(self.js("const note = document.getElementById('note'); return note.hidden ? '' : note.innerText"))

    def focused(self, selector: str) -> bool:
        return bool(self.js("return document.activeElement.matches(arguments[0])", selector))

    def tab_to(self, selector: str) -> None:
        for _ in range(60):
            self.press(Keys.TAB)
            if self.focused(selector):
                return
        raise AssertionError(f"the tab key does not reach {selector}")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(CHROMEDRIVER)))
    try:
        yield driver
    finally:
        driver.quit()
