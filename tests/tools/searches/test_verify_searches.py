"""The searches that came with Verify-and-Edit: TF-IDF over pairs of words, paragraphs of a question, Google."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errata.nodes.research import find_pages
from errata.nodes.verify_and_edit.sentence import best_sentences
from errata.state import Context
from errata.state.errors import ConfigurationError, ToolError
from errata.tools import SearchError, search_tool
from errata.tools.searches.drqa import Table

from ..conftest import Answer, Server


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


async def titles(folder: Path, query: str, limit: int = 5) -> list[str]:
    found = await search_tool(Context(search="drqa", sources=str(folder))).search(query, limit)
    return [piece["title"] for piece in found]


async def test_drqa_finds_the_document_with_the_pair_of_words(folder: Path) -> None:
    write(
        folder,
        apart="The red house stands there. A house has a bridge. A blue car and a red bridge were seen.",
        together="The blue bridge was opened in 1931, and people came to see it from far away in their red cars.",
        other="Cats sleep all day.",
    )
    assert (await titles(folder, "When was the blue bridge opened?"))[0] == "together"
    assert await titles(folder, "zyxwv") == []
    assert await titles(folder, "the of and") == []
    assert len(await titles(folder, "red bridge car", 1)) == 1


async def test_drqa_gives_whole_documents_with_scores_between_0_and_1() -> None:
    found = await search_tool(Context(search="drqa")).search("When was the Eiffel Tower completed?", 3)
    assert found[0]["title"] == "Eiffel Tower"
    assert found[0]["source"] == "https://en.wikipedia.org/wiki/Eiffel_Tower"
    assert "completed in 1889" in found[0]["text"]
    assert 1 >= found[0]["score"] >= found[-1]["score"] > 0


async def test_drqa_sees_a_document_that_changed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata.tools.reading.library.LOOK_AGAIN", 0.0)
    monkeypatch.setattr("errata.tools.reading.library.REST", 0.0)
    write(folder, one="The bridge is blue.", two="The tower is red.")
    assert await titles(folder, "green lamp") == []
    write(folder, three="A green lamp burns.")
    assert await titles(folder, "green lamp") == ["three"]


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text("abc de", min_size=3), min_size=1, max_size=5))
def test_a_document_is_nearest_to_itself(texts: list[str]) -> None:
    table = Table([{"title": "", "source": str(number), "text": text} for number, text in enumerate(texts)])
    for text in texts:
        found = table.search(text, 9)
        if found:
            assert found[0][1] == pytest.approx(1.0)
            assert all(-1e-9 <= score <= 1 + 1e-9 for _, score in found)


def test_drqa_of_a_folder_without_documents(folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="no readable document"):
        search_tool(Context(search="drqa", sources=str(folder)))


async def test_the_paragraphs_of_one_question_are_not_those_of_another() -> None:
    one, other = (search_tool(Context(search="dataset"), [text]) for text in ("Ada.", "Byron."))
    assert [piece["text"] for piece in await one.search("q", 5)] == ["Ada."]
    assert [piece["text"] for piece in await other.search("q", 5)] == ["Byron."]
    with pytest.raises(ConfigurationError, match="verify_and_edit"):
        await search_tool(Context(search="dataset")).search("q", 5)


RESULT = {"title": "A", "link": "https://a.example", "snippet": "It is blue.", "position": 1}


@pytest.fixture
def google(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setenv("SERPER_API_KEY", "serper-secret")
    monkeypatch.setenv("SERPER_BASE_URL", server.url)
    return server


async def test_google(google: Server) -> None:
    google.answer = lambda request: Answer(json.dumps({"organic": [RESULT, {**RESULT, "snippet": None}], "credits": 1}))
    tool = search_tool(Context(search="google"))
    found = await tool.search("what colour?", 3)
    assert [piece["text"] for piece in found] == ["It is blue.", ""]
    assert {piece["source"] for piece in found} == {"https://a.example"}
    assert not tool.whole_pages
    (request,) = google.requests
    assert (request.path, request.params) == ("/search", {"q": "what colour?", "num": "3"})
    assert request.headers["x-api-key"] == "serper-secret"


async def test_googles_own_answer_is_first_and_its_page_is_still_read(
    google: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fetch(context: Context, url: str) -> dict[str, str]:
        if not url:
            raise ToolError("no address")
        return {"title": "Sky", "text": "The sky is blue because of scattering."}

    monkeypatch.setattr("errata.tools.pages.fetch_page", fetch)
    box = {"title": "Sky", "answer": "Blue", "snippet": "The sky is blue.", "link": "https://sky.example"}
    found = {"answerBox": box, "organic": [{**RESULT, "link": "", "snippet": "Grey."}]}
    google.answer = lambda request: Answer(json.dumps(found))
    pieces = await find_pages("what colour?", Context(search="google", cache=False))
    assert [piece["text"] for piece in pieces] == [
        "Blue. The sky is blue.",
        "The sky is blue because of scattering.",
        "Grey.",
    ]
    assert [piece["source"] for piece in pieces] == ["https://sky.example", "https://sky.example", ""]


async def test_a_calculated_answer_has_no_page(google: Server) -> None:
    google.answer = lambda request: Answer(json.dumps({"answerBox": {"answer": "42"}}))
    assert [piece["text"] for piece in await search_tool(Context(search="google")).search("6 * 7", 3)] == ["42"]


async def test_snippets_are_evidence_in_the_order_of_the_search(google: Server) -> None:
    texts = ["", "Grass grows.", "The sky is blue.", "It rains."]
    google.answer = lambda request: Answer(json.dumps({"organic": [{**RESULT, "snippet": text} for text in texts]}))
    context = Context(search="google", snippets=True, evidence_sentences=2, cache=False)
    assert [piece["text"] for piece in await best_sentences("what colour is the sky?", context, [])] == texts[1:3]
    assert {request.path for request in google.requests} == {"/search"}


async def test_google_finds_nothing(google: Server) -> None:
    google.answer = lambda request: Answer(json.dumps({"searchParameters": {}}))
    assert await search_tool(Context(search="google")).search("q", 3) == []


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer('{"message": "Unauthorized."}', 403), "SERPER_API_KEY"),
        (Answer('{"message": "Not enough credits"}', 400), "answered 400"),
        (Answer("", 429), "fewer requests"),
        (Answer("", 500), "answered 500"),
        (Answer("<html>", 200), "other than JSON"),
        (Answer('{"organic": "none"}', 200), "unknown shape"),
    ],
)
async def test_a_refusal_is_no_empty_answer(google: Server, answer: Answer, says: str) -> None:
    google.answer = lambda request: answer
    with pytest.raises(SearchError, match=says) as error:
        await search_tool(Context(search="google", retries=0)).search("q", 3)
    assert "serper-secret" not in str(error.value)


async def test_google_that_takes_too_long(google: Server) -> None:
    google.answer = lambda request: Answer("x" * 100, drip=0.05)
    with pytest.raises(SearchError, match=r"within 0\.3 s"):
        await search_tool(Context(search="google", timeout=0.3)).search("q", 3)


def test_google_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SERPER_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="set SERPER_API_KEY"):
        search_tool(Context(search="google"))
