"""The methods as functions."""

import asyncio
import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda

import errata
from errata.state.errors import ConfigurationError

from ..fakes import FakeChatModel
from ..known import RIGHT, WRONG, known

STATEMENT = "The Harbour Tower was completed in 1899."
CORRECTED = "The Harbour Tower was completed in 1889."
LEAFLET = "The Harbour Tower was completed in 1889. It stands in Linden."
DOCUMENT = Document(LEAFLET, metadata={"title": "Harbour Tower", "source": "https://harbour.example/tower"})


class Shelf(BaseRetriever):
    def _get_relevant_documents(self, query: str, **_: Any) -> list[Document]:
        return [DOCUMENT]


@pytest.fixture(params=["sync", "async"])
def call(request: pytest.FixtureRequest) -> Callable[..., errata.Result]:
    """Calls a function of the facade by its name, or its async twin."""

    def called(name: str, *given: Any, **more: Any) -> errata.Result:
        if request.param == "sync":
            found: errata.Result = getattr(errata, name)(*given, **more)
        else:
            found = asyncio.run(getattr(errata, f"a{name}")(*given, **more))
        return found

    return called


def test_a_text_is_corrected(call: Callable[..., errata.Result]) -> None:
    result = call("correct", WRONG, context=known())
    assert (str(result), result.text, result.original, result.status) == (RIGHT, RIGHT, WRONG, "corrected")
    assert [(edit["before"], edit["after"]) for edit in result.changes] == [("1899", "1889"), ("Lyon", "Paris")]
    assert {f"-{WRONG}", f"+{RIGHT}"} <= {*result.diff().splitlines()}
    assert result["text"] == RIGHT
    assert result.to_dict() == dict(result)
    assert "<!doctype html>" in result.to_html().lower()
    assert RIGHT in repr(result)


@pytest.mark.parametrize("method", ["ground", "rarr", "critic"])
@pytest.mark.parametrize("given", [[LEAFLET], DOCUMENT, {"text": LEAFLET}, "file", "folder", "path in a list"])
def test_sources_of_every_kind(given: Any, method: str, tmp_path: Path) -> None:
    (tmp_path / "tower.md").write_text(LEAFLET)
    places: dict[str, Any] = {
        "file": tmp_path / "tower.md",
        "folder": str(tmp_path),
        "path in a list": [tmp_path / "tower.md"],
    }
    sources = places[given] if isinstance(given, str) else given
    assert errata.correct(STATEMENT, sources=sources, method=method).text == CORRECTED


@pytest.mark.parametrize("searches", [Shelf(), lambda query: [LEAFLET], RunnableLambda(lambda query: LEAFLET)])
def test_sources_that_search(searches: Any) -> None:
    assert errata.correct(STATEMENT, sources=searches).text == CORRECTED


async def test_an_async_function_searches() -> None:
    async def search(query: str) -> list[str]:
        return [LEAFLET]

    assert (await errata.acorrect(STATEMENT, sources=search)).text == CORRECTED


def test_texts_choose_the_method_that_compares_with_them() -> None:
    assert errata.correct(STATEMENT, sources=[LEAFLET]).method == "ground"
    assert errata.correct(STATEMENT, sources=Shelf()).method == "rarr"


def test_no_texts_are_not_a_wish_to_search_elsewhere() -> None:
    result = errata.correct("The Eiffel Tower was completed in 1899.", sources=[])
    assert (result.status, result.evidence) == ("not checked", [])


def test_citations_are_langchain_s_own() -> None:
    result = errata.correct(f"{STATEMENT} It is very beautiful.", sources=[DOCUMENT])
    (citation,) = result.citations
    assert result.text[citation["start_index"] : citation["end_index"]] == CORRECTED
    assert (citation["type"], citation["title"]) == ("citation", "Harbour Tower")
    assert (citation["url"], citation["cited_text"]) == ("https://harbour.example/tower", CORRECTED)


def test_a_source_that_is_no_address_is_not_offered_as_a_link() -> None:
    document = Document(LEAFLET, metadata={"source": "javascript:alert(1)"})
    (citation,) = errata.correct(STATEMENT, sources=[document]).citations
    assert "url" not in citation
    assert citation["extras"]["source"] == "javascript:alert(1)"


def test_a_text_is_checked_and_not_changed(call: Callable[..., errata.Result]) -> None:
    result = call("check", STATEMENT, sources=[LEAFLET])
    assert result.text == STATEMENT
    assert [claim["label"] for claim in result.claims] == ["contradiction"]


def test_a_question_is_answered_from_the_sources(call: Callable[..., errata.Result]) -> None:
    assert "1889" in call("ask", "When was the Harbour Tower completed?", sources=[LEAFLET]).text


def test_a_conversation_goes_on(call: Callable[..., errata.Result]) -> None:
    model = FakeChatModel(replies=["The Harbour Tower was completed in 1889."])
    asks = {"role": "user", "content": "When was the Harbour Tower completed?"}
    said = [("user", "Hello"), AIMessage("Hello!"), asks]
    result = call("chat", said, sources=[LEAFLET], model=model, context={"backends": {"search_queries": "rules"}})
    assert result.text == "The Harbour Tower was completed in 1889."
    assert "Hello!" in model.asked[-1][-1].text


def test_a_conversation_ends_with_the_user() -> None:
    with pytest.raises(ConfigurationError, match="end with a message from the user"):
        errata.chat([AIMessage("Hello!")])


def says(prompt: str) -> str:
    assert LEAFLET in prompt
    return CORRECTED


async def says_later(prompt: str) -> str:
    return says(prompt)


def reads(messages: Any) -> AIMessage:
    assert isinstance(messages[0], BaseMessage)
    return AIMessage(CORRECTED)


@pytest.mark.parametrize("model", [says, says_later, reads, RunnableLambda(reads)])
def test_a_function_is_a_model(model: Any) -> None:
    result = errata.correct(STATEMENT, sources=[LEAFLET], model=model)
    assert (result.text, result.usage["llm_calls"]) == (CORRECTED, 1)


def test_a_function_that_replies_with_nothing_is_an_error_and_no_verdict() -> None:
    result = errata.correct(STATEMENT, sources=[LEAFLET], model=lambda prompt: None)
    assert (result.text, result.status, result["stopped"]) == (STATEMENT, "not checked", "error")
    assert "returned NoneType" in result.reason


def test_a_function_does_a_task() -> None:
    def judge(given: Any) -> dict[str, str]:
        return {"text_says": "1899", "evidence_says": "1889", "label": "contradiction"}

    context = {"backends": {"agreement": judge}}
    result = errata.correct(STATEMENT, sources=[LEAFLET], method="rarr", context=context)
    assert (result.text, {verdict["backend"] for verdict in result.verdicts}) == (CORRECTED, {"judge"})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text": " "}, "the text is empty"),
        ({"text": None}, "text must be a string"),
        ({"sources": "nowhere/"}, "there is no file or folder nowhere"),
        ({"sources": 5}, "sources is a int"),
        ({"sources": [5]}, "a reference is a text"),
        ({"model": 5}, "setting `model`"),
        ({"method": "magic"}, "there is no method `magic`"),
        ({"method": "direct"}, "this method answers a question and corrects no text"),
        ({"method": "critic_program", "sources": [LEAFLET]}, "does not read `sources`"),
        ({"context": {"rounds": 3}}, "does not read the setting `rounds`"),
        ({"context": {"pagess": 3}}, "there is no setting `pagess`"),
        ({"context": {"review": True}}, "cannot wait for a person"),
        ({"context": {"search": "nowhere"}}, "unknown search 'nowhere'"),
    ],
)
def test_what_cannot_work_is_told_in_a_line(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message) as told:
        errata.correct(**{"text": STATEMENT, **given})
    assert "\n" not in str(told.value)


def test_each_function_has_an_async_twin_that_takes_the_same() -> None:
    for name in ("correct", "check", "ask", "chat"):
        twins = [inspect.signature(getattr(errata, twin)) for twin in (name, f"a{name}")]
        assert twins[0] == twins[1]


def test_every_name_of_the_facade_is_there() -> None:
    assert [name for name in errata.__all__ if getattr(errata, name, None) is None] == []


def test_the_facade_is_imported_at_once() -> None:
    code = "import sys, errata; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"pydantic", "langchain_core", "langgraph"} & set(loaded) == set()
