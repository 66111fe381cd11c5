"""Searches through langchain-community: its own clients against a server on the loopback, which also refuses."""

import asyncio
import json
import socket
import sys
import threading
from typing import Any

import pytest

from errata.state import Context
from errata.state.errors import ConfigurationError
from errata.tools import SEARCHES, SearchError, search_tool
from errata.tools.community.arxiv import _client

from ..conftest import Answer, Request, Server

NAMES = ("arxiv", "pubmed", "duckduckgo", "brave")
ERROR_PAGE = Answer("<html><body>Are you a robot?</body></html>", headers={"Content-Type": "text/html"})

FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">
  <opensearch:totalResults>%d</opensearch:totalResults>%s</feed>"""
PAPER = """<entry><id>http://arxiv.org/abs/2210.08726v3</id><updated>2023-05-31T00:00:00Z</updated>
  <published>2022-10-17T00:00:00Z</published><title>RARR: Researching
  and Revising</title><summary>  Language models say wrong things.
We look them up.</summary><author><name>L. Gao</name></author></entry>"""
ARXIV_ERROR = """<entry><id>http://arxiv.org/api/errors#incorrect_id_format</id><title>Error</title>
  <summary>incorrect id format for 12</summary><updated>2023-05-31T00:00:00Z</updated></entry>"""

FOUND_IDS = json.dumps({"esearchresult": {"idlist": ["11", "12"], "webenv": "w"}})
ARTICLE = """<PubmedArticleSet><PubmedArticle><MedlineCitation><Article>
  <ArticleTitle>Aspirin</ArticleTitle>%s</Article></MedlineCitation></PubmedArticle>
  </PubmedArticleSet>"""

RESULT = (
    '<div class="result__body body"><h2>Blue Bridge</h2><a href="https://a.example/x">It was opened in 1931.</a></div>'
)
BRAVE = {"title": "Blue Bridge", "url": "https://a.example/x", "description": "It was opened in 1931."}

SOMETHING = {
    "arxiv": Answer(FEED % (1, PAPER)),
    "pubmed": Answer(ARTICLE % "<Abstract><AbstractText>CO<sub>2</sub> is a <i>gas</i>.</AbstractText></Abstract>"),
    "duckduckgo": Answer(f"<html><body>{RESULT}</body></html>"),
    "brave": Answer(json.dumps({"web": {"results": [BRAVE]}})),
}
NOTHING = {
    "arxiv": Answer(FEED % (0, "")),
    "pubmed": Answer(json.dumps({"esearchresult": {"idlist": [], "webenv": "w"}})),
    "duckduckgo": Answer("<html><body><div class='no-results'>No  results.</div></body></html>"),
    "brave": Answer(json.dumps({"type": "search"})),
}


@pytest.fixture(autouse=True)
def _here(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real clients, at another address and without their pauses."""
    import arxiv
    from ddgs.engines.duckduckgo import Duckduckgo
    from langchain_community.retrievers import pubmed
    from langchain_community.utilities import brave_search

    class PubMed(pubmed.PubMedRetriever):
        base_url_esearch: str = f"{server.url}/esearch?"
        base_url_efetch: str = f"{server.url}/efetch?"

    class Brave(brave_search.BraveSearchWrapper):
        base_url: str = f"{server.url}/web/search"

    monkeypatch.setattr(arxiv.Client, "query_url_format", server.url + "/api/query?{}")
    monkeypatch.setattr("errata.tools.community.arxiv.DELAY", 0.0)
    monkeypatch.setattr(pubmed, "PubMedRetriever", PubMed)
    monkeypatch.setattr(Duckduckgo, "search_url", f"{server.url}/html/")
    monkeypatch.setattr(brave_search, "BraveSearchWrapper", Brave)
    monkeypatch.setenv("BRAVE_SEARCH_API_KEY", "brave-secret")
    monkeypatch.delenv("NCBI_API_KEY", raising=False)
    _client.cache_clear()


def answering(server: Server, name: str, answer: Answer) -> None:
    """Give the answer to every request; PubMed's search finds articles before it gives them."""

    def give(request: Request) -> Answer:
        found = request.path == "/esearch" and answer is SOMETHING["pubmed"]
        return Answer(FOUND_IDS) if found else answer

    server.answer = give


async def search(name: str, **settings: Any) -> list[dict[str, Any]]:
    tool = search_tool(Context(search=name, cache=False, **{"retries": 0, **settings}))
    return [dict(item) for item in await tool.search("When was the bridge opened?", 2)]


@pytest.mark.parametrize(
    ("name", "text", "title", "source"),
    [
        (
            "arxiv",
            "Language models say wrong things. We look them up.",
            "RARR: Researching and Revising",
            "http://arxiv.org/abs/2210.08726v3",
        ),
        ("pubmed", "CO2 is a gas.", "Aspirin", "https://pubmed.ncbi.nlm.nih.gov/11/"),
        ("duckduckgo", "It was opened in 1931.", "Blue Bridge", "https://a.example/x"),
        ("brave", "It was opened in 1931.", "Blue Bridge", "https://a.example/x"),
    ],
)
async def test_what_is_found_is_evidence_with_title_and_source(
    server: Server, name: str, text: str, title: str, source: str
) -> None:
    answering(server, name, SOMETHING[name])
    found = (await search(name))[0]
    assert (found["text"], found["title"], found["source"]) == (text, title, source)
    assert found["query"] == "When was the bridge opened?"


@pytest.mark.parametrize("name", NAMES)
async def test_nothing_is_an_empty_list(server: Server, name: str) -> None:
    answering(server, name, NOTHING[name])
    assert await search(name) == []


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer("slow down", 429), r"fewer requests \(429\)"),
        (Answer("forbidden", 403), r"refuses \(403\)"),
        (Answer("broken", 500), "answered 500"),
        (ERROR_PAGE, "something other than results"),
    ],
)
@pytest.mark.parametrize("name", NAMES)
async def test_a_refusal_is_an_error_with_its_reason(server: Server, name: str, answer: Answer, says: str) -> None:
    answering(server, name, answer)
    with pytest.raises(SearchError, match=says) as error:
        await search(name)
    assert "\n" not in str(error.value)
    assert "brave-secret" not in str(error.value)


@pytest.mark.parametrize("name", NAMES)
async def test_a_broken_connection_is_told_in_one_line(
    server: Server, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hang_up(handler: Any, answer: Answer) -> None:
        handler.connection.shutdown(socket.SHUT_RDWR)

    monkeypatch.setattr(server.handler, "reply", hang_up)
    with pytest.raises(SearchError, match=r"^\w+ cannot be reached: check the network, or try again later$"):
        await search(name)


@pytest.mark.parametrize("name", NAMES)
async def test_what_is_busy_is_asked_again(server: Server, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    answers = iter([Answer("slow down", 429)])
    answering(server, name, SOMETHING[name])
    after = server.answer
    server.answer = lambda request: next(answers, None) or after(request)
    assert await search(name, retries=1)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", NAMES)
async def test_a_search_that_hangs_is_given_up(server: Server, name: str) -> None:
    answering(server, name, Answer("x" * 1000, drip=0.05))
    with pytest.raises(SearchError, match=r"within 0\.5 s"):
        await search(name, timeout=0.5)


@pytest.mark.parametrize("name", NAMES)
async def test_searches_at_once_are_asked_one_after_another(server: Server, name: str) -> None:
    busy = threading.Lock()
    answering(server, name, SOMETHING[name])
    after = server.answer
    together = []

    def alone(request: Request) -> Answer:
        together.append(not busy.acquire(blocking=False))
        try:
            return after(request)
        finally:
            if not together[-1]:
                busy.release()

    server.answer = alone
    tool = search_tool(Context(search=name, cache=False))
    await asyncio.gather(*(tool.search(f"question {number}", 1) for number in range(4)))
    assert len(together) >= 4
    assert not any(together)


async def test_an_error_that_arxiv_lists_as_a_paper_is_an_error(server: Server) -> None:
    answering(server, "arxiv", Answer(FEED % (1, ARXIV_ERROR)))
    with pytest.raises(SearchError, match="something other than results"):
        await search("arxiv")


async def test_arxiv_is_not_given_what_it_reads_as_syntax(server: Server) -> None:
    answering(server, "arxiv", NOTHING["arxiv"])
    await search_tool(Context(search="arxiv", cache=False)).search('Who wrote "RARR: a method" (2210.08726)?', 2)
    assert server.requests[0].params["search_query"] == "Who wrote RARR a method 2210.08726"


async def test_an_article_without_an_abstract_says_nothing(server: Server) -> None:
    answering(server, "pubmed", SOMETHING["pubmed"])
    after = server.answer
    server.answer = lambda request: Answer(ARTICLE % "") if request.path == "/efetch" else after(request)
    assert await search("pubmed") == []


async def test_pubmed_refusing_an_article_is_not_left_out(server: Server) -> None:
    answering(server, "pubmed", SOMETHING["pubmed"])
    after = server.answer
    server.answer = lambda request: Answer("no", 429) if request.params.get("id") == "12" else after(request)
    with pytest.raises(SearchError, match="fewer requests"):
        await search("pubmed")


async def test_duckduckgo_asks_for_fewer_requests_by_a_success(server: Server) -> None:
    answering(server, "duckduckgo", Answer("<html><body>anomaly</body></html>", 202))
    with pytest.raises(SearchError, match="fewer requests"):
        await search("duckduckgo")


@pytest.mark.parametrize(("name", "package"), [("arxiv", "arxiv"), ("pubmed", "xmltodict"), ("duckduckgo", "ddgs")])
def test_a_missing_package_names_the_extra(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ConfigurationError) as error:
        search_tool(Context(search=name))
    assert str(error.value) == f"{name} search needs {package}: run `pip install 'errata[{name}]'`"
    assert f"extra `{name}`" in SEARCHES[name]


def test_brave_without_a_key_says_where_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BRAVE_SEARCH_API_KEY")
    with pytest.raises(ConfigurationError, match="set BRAVE_SEARCH_API_KEY"):
        search_tool(Context(search="brave"))
