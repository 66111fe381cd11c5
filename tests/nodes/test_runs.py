"""What a program comes to and how toxic a text is, as evidence."""

import pytest

from errata.nodes.runs import answers, executed, offending_words, scored
from errata.state import Context
from errata.state.errors import ToolError

from ..fakes import FakeScorer


async def test_a_program_is_evidence_of_what_it_comes_to() -> None:
    execution, found = await executed("answer = 6 * 7", Context())
    assert (execution["value"], answers(execution)) == ("42", True)
    assert (found["query"], found["source"]) == ("answer = 6 * 7", "python:monty")
    assert "answer = 42" in found["text"]


NO_ANSWERS = ["answer = 1 / 0", "x = 1", "answer = None", "answer = (", "answer = float('nan')"]


@pytest.mark.parametrize("program", [*NO_ANSWERS, "answer = 'I cannot help with that.'"])
async def test_a_program_that_fails_or_says_nothing_came_to_no_answer(program: str) -> None:
    assert not answers((await executed(program, Context()))[0])


async def test_a_score_is_told_in_words() -> None:
    toxicity, found = await scored("You fool.", Context(toxicity=FakeScorer(judge=lambda text: 0.9)))
    assert toxicity["overall"] == 0.9
    assert found["title"].startswith("90% toxicity")
    assert found["text"].endswith("What it is told to.")


async def test_a_scorer_of_ones_own_that_breaks_is_an_outage() -> None:
    class Broken:
        name = "mine"

        async def score(self, text: str) -> None:
            raise KeyError("no such model")

    with pytest.raises(ToolError, match="no such model"):
        await scored("Hello", Context.model_construct(**{**dict(Context()), "toxicity": Broken()}))


async def test_words_that_offend_are_found_in_their_order() -> None:
    assert await offending_words("Be quiet, you idiot and moron.") == ["idiot", "moron"]
    assert await offending_words("Good morning.") == []
