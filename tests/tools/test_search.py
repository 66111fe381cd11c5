"""What all searches share: choosing one, records, being asked twice at once, failing."""

import asyncio
import subprocess
import sys
from typing import Any

import pytest
from langgraph.errors import GraphInterrupt

from errata.state import Context, Evidence
from errata.state.errors import ConfigurationError
from errata.state.runs.cache import remembered
from errata.state.runs.meter import metered
from errata.tools import SEARCHES, SearchError, SearchTool, evidence, search_tool
from errata.tools.search import MAX_TEXT


class CountingSearch(SearchTool):
    name: str = "counting"
    description: str = "Counts."
    count: int = 0
    delay: float = 0.0
    error: Any = None

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        self.count += 1
        await asyncio.sleep(self.delay)
        if self.error is not None:
            raise self.error
        return [evidence(query=query, text=f"answer {n}", source=str(n)) for n in range(10)]


def test_an_unknown_search_names_the_known_ones() -> None:
    with pytest.raises(
        ConfigurationError, match=r"'bing'.*local, drqa, dataset, tavily, .*duckduckgo, .*arxiv, pubmed"
    ):
        search_tool(Context(search="bing"))


@pytest.mark.parametrize(
    ("name", "says"), [("tavily", "TAVILY_API_KEY"), ("wikipedia", "ERRATA_CONTACT"), ("searxng", "ERRATA_SEARXNG_URL")]
)
def test_what_is_missing_is_said_before_anything_is_searched(name: str, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        search_tool(Context(search=name))
    assert says in SEARCHES[name]


def test_importing_the_package_imports_no_search() -> None:
    program = (
        "import sys, errata.tools\n"
        "heavy = {'tantivy', 'trafilatura', 'pypdf', 'tavily', 'diskcache', 'httpx', 'numpy', 'langchain_core.tools'}\n"
        "heavy |= {'langchain_community', 'requests'}\n"
        "from errata.state.runs.meter import spend\nbefore = set(sys.modules)\nimport errata.tools\n"
        "from errata.tools import search_tool\nprint(sorted(heavy & (set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert {"tantivy", "trafilatura"} & set(SEARCHES) == set()


def test_evidence_is_made_harmless() -> None:
    made = evidence(
        query="q",
        text="\x1b[31mred\x00\r\nnext\tline\u202e\U000e0041 \ud800end" + "x" * MAX_TEXT,
        title="a\ntitle\x07",
        source="http://x.example/\n",
        score=1,
    )
    assert made["text"].startswith("[31mred\nnext\tline end")
    assert len(made["text"]) == MAX_TEXT
    assert made["title"] == "a title"
    assert made["source"] == "http://x.example/"
    assert len(made["id"]) == 12
    assert made["id"] != evidence(query="q2", text=made["text"], source=made["source"])["id"]


async def test_ten_at_once_search_once_and_share_nothing() -> None:
    tool = CountingSearch(delay=0.02)
    with metered() as meter:
        found = await asyncio.gather(*(tool.search("who  is it?", 3) for _ in range(10)))
    assert tool.count == 1
    assert meter.spent["searches"] == 1
    assert [len(items) for items in found] == [3] * 10
    found[0][0]["text"] = "changed"
    assert found[1][0]["text"] == "answer 0"


async def test_a_failure_reaches_everyone_and_is_forgotten() -> None:
    tool = CountingSearch(delay=0.01, error=RuntimeError("out\nof order"))
    found = await asyncio.gather(*(tool.search("q", 1) for _ in range(3)), return_exceptions=True)
    assert [str(item) for item in found] == ["counting failed: RuntimeError: out of order"] * 3
    assert all(isinstance(item, SearchError) for item in found)
    tool.error = None
    assert len(await tool.search("q", 1)) == 1


async def test_a_slow_search_is_given_up() -> None:
    with pytest.raises(SearchError, match=r"within 0\.05 s"):
        await CountingSearch(delay=5, timeout=0.05).search("q", 1)


async def test_one_who_leaves_does_not_stop_the_others() -> None:
    tool = CountingSearch(delay=0.05)
    first, second = (asyncio.create_task(tool.search("q", 1)) for _ in range(2))
    await asyncio.sleep(0.01)
    first.cancel()
    assert len(await second) == 1
    assert tool.count == 1


async def test_work_that_nobody_waits_for_stops() -> None:
    stopped = asyncio.Event()

    async def make() -> int:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            stopped.set()
            raise
        return 1

    waiting = asyncio.create_task(remembered("key", make, on_disk=False))
    await asyncio.sleep(0.01)
    waiting.cancel()
    await asyncio.wait_for(stopped.wait(), 1)


async def test_a_pause_of_the_graph_is_not_a_failure() -> None:
    with pytest.raises(GraphInterrupt):
        await CountingSearch(error=GraphInterrupt(())).search("q", 1)
