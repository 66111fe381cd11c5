"""Evaluators are plain functions with the signature of LangSmith and openevals."""

import asyncio
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage
from langsmith.evaluation import run_evaluator
from langsmith.schemas import Example, Run

from errata.evaluators import Score, agroundedness, groundedness
from errata.state.errors import ConfigurationError, ToolError

LEAFLET = "The Harbour Tower was completed in 1889. The Harbour Tower stands in Linden."
HALF = "The Harbour Tower was completed in 1899 and stands in Linden."


@pytest.mark.parametrize(
    "row",
    [
        {"outputs": HALF, "context": LEAFLET},
        {"outputs": {"answer": HALF}, "context": {"documents": [Document(LEAFLET)]}},
        {"outputs": {"messages": [HumanMessage("?"), AIMessage(HALF)]}, "context": [{"text": LEAFLET}]},
        {"inputs": {"question": "When?"}, "outputs": {"output": HALF, "documents": [LEAFLET]}},
        {"inputs": {"question": "When?", "context": LEAFLET}, "outputs": AIMessage(HALF)},
        {"outputs": HALF, "reference_outputs": {"answer": LEAFLET}},
    ],
)
def test_rows_of_every_shape(row: dict[str, Any]) -> None:
    score = groundedness()(**row)
    assert (score["key"], score["score"]) == ("groundedness", 0.5)
    assert "contradiction: The Harbour Tower was completed in 1899" in score["comment"]


def test_ground_scores_sentences_and_changes_none() -> None:
    said = f"{HALF} It is blue."
    score = groundedness(method="ground", key="grounded")(outputs=said, context=[LEAFLET])
    assert (score["key"], score["score"]) == ("grounded", 0.0)
    true = "The Harbour Tower was completed in 1889."
    assert groundedness(method="ground")(outputs=true, context=[LEAFLET])["score"] == 1.0


def test_the_async_one_says_the_same() -> None:
    score = asyncio.run(agroundedness()(outputs=HALF, context=[LEAFLET]))
    assert score == groundedness()(outputs=HALF, context=[LEAFLET])


def test_a_failure_is_no_score() -> None:
    def down(query: str) -> list[str]:
        raise ToolError("the search is down")

    score: Score = groundedness(sources=down)(outputs=HALF)
    assert score["score"] is None
    assert "the search is down" in score["comment"]


def test_nothing_retrieved_bears_nothing_out() -> None:
    assert groundedness()(outputs=HALF, context=[])["score"] == 0.0


def test_langsmith_takes_it() -> None:
    run: Any = Run.model_construct(id="1", inputs={}, outputs={"answer": HALF})
    example: Any = Example.model_construct(id="2", inputs={"question": "When?"}, outputs={"answer": LEAFLET})
    assert run_evaluator(groundedness()).func(run, example)["score"] == 0.5


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"outputs": {}}, "there is no answer in `outputs`"),
        ({"outputs": HALF}, "there is nothing to compare with"),
    ],
)
def test_a_row_that_lacks_something_says_what(row: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        groundedness()(**row)


def test_other_methods_score_nothing() -> None:
    with pytest.raises(ConfigurationError, match="`rarr` cannot score answers"):
        groundedness(method="rarr")
