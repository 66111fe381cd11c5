"""What the loops of critiques begin with."""

from typing import Any

import pytest
from langgraph.types import Overwrite

from errata.nodes.critic.begin import begin_answer, begin_program, begin_toxicity, to_verify
from errata.state import Context
from errata.state.errors import ConfigurationError

OLD = {"rounds": 3, "unchanged": 2, "accepted": True, "critique": "of another run", "evidence": [{"id": "e"}]}


@pytest.mark.parametrize("begin", [begin_answer, begin_program, begin_toxicity])
async def test_nothing_of_an_earlier_run_is_left(begin: Any) -> None:
    update = await begin({**OLD, "text": "Hello.", "question": ""}, Context())
    assert (update["rounds"], update["unchanged"], update["accepted"], update["critique"]) == (0, 0, False, "")
    assert (update["text"], update["original"], update["evidence"]) == ("Hello.", "Hello.", [])


async def test_an_answer_is_known_by_its_short_form() -> None:
    given: Any = {"question": "When?", "text": "It is old. So the answer is: 1889.", "gold": ["1889"]}
    update = await begin_answer(given, Context())
    assert (update["answer"], update["gold"]) == ("1889", ["1889"])
    assert update["messages"] == Overwrite([])
    assert (await begin_answer(given | {"question": ""}, Context()))["answer"] == ""


async def test_the_text_is_the_first_candidate() -> None:
    given: Any = {"question": "How many?", "text": "answer = 3"}
    assert (await begin_program(given, Context()))["candidate"] == "answer = 3"
    toxicity = await begin_toxicity(given, Context())
    assert (toxicity["candidate"], toxicity["score"], toxicity["exhausted"]) == ("answer = 3", 1.0, False)


async def test_a_draft_becomes_the_candidate_and_a_failed_one_an_empty_one() -> None:
    async def draft(state: Any, context: Context) -> dict[str, Any]:
        return {"text": "answer = 4"} if state["question"] else {"failures": []}

    assert (await to_verify(draft)({"question": "How many?"}, Context()))["candidate"] == "answer = 4"
    assert (await to_verify(draft)({"question": ""}, Context()))["candidate"] == ""


async def test_nothing_to_check_is_refused() -> None:
    nothing: Any = {"text": " ", "question": ""}
    for begin in (begin_answer, begin_program, begin_toxicity):
        with pytest.raises(ConfigurationError, match="nothing to check"):
            await begin(nothing, Context())
