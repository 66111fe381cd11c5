"""Searches over HTTP, against a server on the loopback."""

import asyncio
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from errata.nodes.research import find_pages
from errata.state import Context
from errata.state.errors import ConfigurationError, ToolError
from errata.state.runs.meter import metered
from errata.tools import SearchError, SearchTool, search_tool
from errata.tools.http import MOST_BYTES
from errata.tools.searches.wikipedia import WikipediaSearch

from .conftest import Answer, Request, Server


def tavily(server: Server, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> SearchTool:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-secret")
    monkeypatch.setenv("TAVILY_BASE_URL", server.url)
    return search_tool(Context(search="tavily", **settings))


def searxng(server: Server, **settings: Any) -> SearchTool:
    return search_tool(Context(search="searxng", searxng_url=f"{server.url}/sx/", **settings))


def wikipedia(server: Server, **settings: Any) -> SearchTool:
    tool = search_tool(Context(search="wikipedia", contact="me@example.org", **settings))
    assert isinstance(tool, WikipediaSearch)
    return tool.model_copy(update={"base_url": f"{server.url}/w/api.php"})


def results(*items: dict[str, Any]) -> Answer:
    return Answer(json.dumps({"results": list(items)}))


ONE = {"url": "https://a.example", "title": "A", "content": "snippet", "score": 0.9}


async def test_tavily(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answer = lambda request: results({**ONE, "raw_content": "the whole page"}, {**ONE, "raw_content": None})
    found = await tavily(server, monkeypatch).search("q", 3)
    assert [item["text"] for item in found] == ["the whole page", "snippet"]
    assert found[0]["source"] == "https://a.example"
    sent = json.loads(server.requests[0].body)
    assert sent["max_results"] == 3
    assert sent["query"] == "q"
    assert sent["include_raw_content"] == "text"
    assert server.requests[0].headers["authorization"] == "Bearer tvly-secret"
    assert "x-tavily-access-mode" not in server.requests[0].headers


@pytest.mark.parametrize(("status", "says"), [(401, "refuses the key"), (429, "fewer requests"), (432, "plan")])
async def test_tavily_refuses(server: Server, monkeypatch: pytest.MonkeyPatch, status: int, says: str) -> None:
    server.answer = lambda request: Answer(json.dumps({"detail": {"error": "no"}}), status)
    with pytest.raises(SearchError, match=says) as error:
        await tavily(server, monkeypatch, retries=0).search("q", 3)
    assert "tvly-secret" not in str(error.value)


def articles(request: Request) -> Answer:
    texts = {1: "Ada was born in 1815.", 2: "Ada may refer to:", 3: "Byron was a poet."}
    if request.params.get("generator") == "search":
        pages: list[dict[str, Any]] = [
            {"pageid": 3, "title": "Byron", "index": 3, "fullurl": "https://en.wikipedia.org/wiki/Byron"},
            {"pageid": 2, "title": "Ada", "index": 1, "pageprops": {"disambiguation": ""}},
            {"pageid": 1, "title": "Ada Lovelace", "index": 2, "fullurl": "https://x", "extract": texts[1]},
        ]
    elif "titles" in request.params:
        named = {"Ada": 2, "Lord Byron": 3, "Ada Lovelace": 1}
        pages = [
            {
                "pageid": named[title],
                "title": title,
                **({"pageprops": {"disambiguation": ""}} if title == "Ada" else {}),
            }
            if title in named
            else {"title": title, "missing": True}
            for title in request.params["titles"].split("|")
        ]
    else:
        number = int(request.params["pageids"])
        pages = [{"pageid": number, "title": "", "extract": texts[number]}]
    return Answer(json.dumps({"query": {"pages": pages}}))


async def test_wikipedia(server: Server) -> None:
    server.answer = articles
    found = await wikipedia(server).search("who was Ada's father?", 5)
    assert [(item["title"], item["text"]) for item in found] == [
        ("Ada Lovelace", "Ada was born in 1815."),
        ("Byron", "Byron was a poet."),
    ]
    assert found[0]["score"] > found[1]["score"]
    assert len(server.requests) == 3
    assert {request.headers["user-agent"] for request in server.requests} == {
        f"errata/{version('errata')} (me@example.org)"
    }
    assert server.requests[0].params["maxlag"] == "5"


async def test_wikipedias_page_of_what_the_query_names_is_first(server: Server) -> None:
    server.answer = articles
    found = await wikipedia(server).search("Was Lord Byron's daughter Ada Lovelace a poet?", 5)
    assert [item["title"] for item in found] == ["Byron", "Ada Lovelace"]
    asked = next(request.params["titles"] for request in server.requests if "titles" in request.params)
    assert asked == "Lord Byron|Ada Lovelace"
    found = await wikipedia(server).search('Who wrote "Out of Africa" in Nowhereland?', 1)
    assert server.requests[-1].params.get("titles", "") in ("", "Out of Africa|Nowhereland")
    assert [item["title"] for item in found] == ["Ada Lovelace"], "what has no page leaves what was searched"


async def test_wikipedia_finds_nothing(server: Server) -> None:
    server.answer = lambda request: Answer(json.dumps({"batchcomplete": True}))
    assert await wikipedia(server).search("xylophone", 5) == []


async def test_wikipedia_lags_and_is_asked_again(server: Server) -> None:
    lag = Answer(
        json.dumps({"error": {"code": "maxlag", "info": "Waiting for a database"}}),
        headers={"Retry-After": "0", "MediaWiki-API-Error": "maxlag"},
    )
    server.answer = lambda request: lag if len(server.requests) == 1 else articles(request)
    assert len(await wikipedia(server).search("ada", 5)) == 2
    server.answer = lambda request: lag
    with pytest.raises(SearchError, match="Waiting for a database"):
        await wikipedia(server, retries=1).search("byron", 5)


async def test_wikipedia_refuses_strangers(server: Server) -> None:
    server.answer = lambda request: Answer(status=403)
    with pytest.raises(SearchError, match="requires a contact"):
        await wikipedia(server).search("ada", 5)


@pytest.mark.parametrize("contact", ["me@example.org\r\nX-Evil: 1", "ich@exämple.org"])
def test_a_contact_that_fits_no_header(contact: str) -> None:
    with pytest.raises(ConfigurationError, match="one line of ASCII"):
        search_tool(Context(search="wikipedia", contact=contact))


async def test_searxng(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answer = lambda request: results(ONE, ONE, ONE)
    tool = searxng(server)
    assert not tool.whole_pages
    found = await tool.search("q", 2)
    assert [item["text"] for item in found] == ["snippet", "snippet"]
    assert server.requests[0].path == "/sx/search"
    assert server.requests[0].params == {"q": "q", "format": "json"}
    monkeypatch.setenv("ERRATA_SEARXNG_URL", server.url)
    assert len(await search_tool(Context(search="searxng")).search("q2", 2)) == 2


async def test_searxng_without_json(server: Server) -> None:
    server.answer = lambda request: Answer("<h1>Forbidden</h1>", 403)
    with pytest.raises(SearchError, match=r"operator must enable JSON.*`json`"):
        await searxng(server).search("q", 2)


async def test_pages_that_cannot_be_read_are_not_an_empty_answer(server: Server) -> None:
    context = Context(search="searxng", searxng_url=f"{server.url}/sx", allow_private_addresses=True, retries=0)
    page = {**ONE, "content": "", "url": "http://127.0.0.1:9/gone"}
    server.answer = lambda request: results(page)
    with pytest.raises(ToolError, match=r"none of the pages.*127\.0\.0\.1:9/gone cannot be reached"):
        await find_pages("q", context)
    server.answer = lambda request: results(page, ONE)
    assert [piece["text"] for piece in await find_pages("q2", context)] == ["", "snippet"]


async def test_engines_that_are_silent_are_not_an_empty_answer(server: Server) -> None:
    server.answer = lambda request: Answer(json.dumps({"results": [], "unresponsive_engines": [["google", "CAPTCHA"]]}))
    with pytest.raises(SearchError, match="google CAPTCHA"):
        await searxng(server).search("q", 2)
    server.answer = lambda request: Answer(json.dumps({"results": [], "unresponsive_engines": []}))
    assert await searxng(server).search("q", 2) == []


@pytest.mark.parametrize("address", ["searx.example.org", "ftp://x.example", "http://", "http://[::"])
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises(ConfigurationError, match="not a web address"):
        search_tool(Context(search="searxng", searxng_url=address))


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer("<html>", 200), "other than JSON"),
        (Answer("[]", 200), "unknown shape"),
        (Answer('{"error": "rate limited, come back later"}', 200), "unknown shape"),
        (Answer('{"results": {"url": "https://a.example"}}', 200), "unknown shape"),
        (Answer('{"results": [1]}', 200), "unknown shape"),
        (Answer(json.dumps({"results": [], "more": "x" * MOST_BYTES}), 200), "larger than 16 MB"),
        (Answer("", 500), "answered 500"),
        (Answer("", 429), "fewer requests"),
    ],
)
async def test_strange_answers(server: Server, answer: Answer, says: str) -> None:
    server.answer = lambda request: answer
    with pytest.raises(SearchError, match=says):
        await searxng(server, retries=1).search("q", 2)


async def test_nobody_there() -> None:
    tool = search_tool(Context(search="searxng", searxng_url="http://127.0.0.1:9", retries=1))
    with pytest.raises(SearchError, match="cannot be reached"):
        await tool.search("q", 2)


async def test_bad_luck_is_tried_again(server: Server) -> None:
    server.answer = lambda request: Answer(status=503) if len(server.requests) < 3 else results(ONE)
    assert len(await searxng(server, retries=2).search("q", 2)) == 1
    assert len(server.requests) == 3


async def test_retry_after_is_kept_to(server: Server) -> None:
    server.answer = lambda request: (
        Answer(status=429, headers={"Retry-After": "1"}) if len(server.requests) < 2 else results(ONE)
    )
    started = asyncio.get_running_loop().time()
    await searxng(server).search("q", 2)
    assert asyncio.get_running_loop().time() - started >= 1
    server.requests.clear()
    server.answer = lambda request: Answer(status=429, headers={"Retry-After": "3600"})
    with pytest.raises(SearchError, match="429"):
        await searxng(server).search("later", 2)
    assert len(server.requests) == 1


async def test_a_slow_server_is_given_up(server: Server) -> None:
    server.answer = lambda request: Answer("x" * 100, drip=0.05)
    with pytest.raises(SearchError, match=r"within 0\.3 s"):
        await searxng(server, timeout=0.3).search("q", 2)


async def test_results_are_kept_on_disk(server: Server) -> None:
    server.answer = lambda request: results(ONE)
    with metered() as meter:
        first = await searxng(server).search("q", 2)
        assert await searxng(server).search(" q ", 2) == first
    assert meter.spent["searches"] == 1
    assert len(server.requests) == 1
    await searxng(server).search("q", 3)
    await searxng(server, cache=False).search("q", 2)
    assert len(server.requests) == 3


async def test_an_empty_answer_is_kept_and_an_error_is_not(server: Server) -> None:
    server.answer = lambda request: Answer(status=500) if len(server.requests) == 1 else results()
    with pytest.raises(SearchError):
        await searxng(server, retries=0).search("q", 2)
    assert await searxng(server).search("q", 2) == []
    assert await searxng(server).search("q", 2) == []
    assert len(server.requests) == 2


async def test_without_a_cache_folder(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ERRATA_CACHE_DIR", str(tmp_path / "file" / "cache"))
    server.answer = lambda request: results(ONE)
    assert len(await searxng(server).search("q", 2)) == 1
    assert len(await searxng(server).search("q", 2)) == 1
    assert len(server.requests) == 2


async def test_ten_at_once_ask_once(server: Server) -> None:
    server.answer = lambda request: results(ONE)
    await asyncio.gather(*(searxng(server, cache=False).search("q", 2) for _ in range(10)))
    assert len(server.requests) == 1
