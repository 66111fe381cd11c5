"""Critiques of an answer: what one accepts, what it rests on, and what takes the answer's place."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage

from errata.models.tasks.critic import CONCLUDE, QA_CRITIQUE, QA_REASONING
from errata.nodes.critic.answers import answer_of, correct, critique, is_right, keep
from errata.state import Context
from errata.state.errors import ModelError
from errata.tools import evidence

from ...fakes import Scripted, concludes
from ..states import loop

TEXT = "It was built in 1899. So the answer is: 1899."
BETTER = "It was built in 1889. So the answer is: 1889."
FOUND = evidence(query="tower", text="It was built in 1889.", title="Tower")


def looked_up() -> list[Any]:
    came = {"evidence": FOUND, "bears": True, "failure": ""}
    told = ToolMessage(f"[1] {FOUND['text']}", name="search", tool_call_id="1", artifact=came)
    return [AIMessage("", tool_calls=[{"name": "search", "args": {"query": "tower"}, "id": "1"}]), told]


def ran(code: str, output: str) -> list[Any]:
    piece = evidence(query=code, text=f"Execution: Done\nOutput: answer = {output}", source="python:monty", run=True)
    result = {"evidence": piece, "bears": True, "failure": ""}
    call = {"name": "run_python", "args": {"code": code}, "id": code}
    message = ToolMessage(piece["text"], name="run_python", tool_call_id=code, artifact=result)
    return [AIMessage("", tool_calls=[call]), message]


def asked(text: str = TEXT, **fields: Any) -> Any:
    return loop(question="When was it built?", text=text, **fields)


async def judged(state: Any, *said: Any, **settings: Any) -> dict[str, Any]:
    context = Context(backends=dict.fromkeys(("qa_critique", "qa_reasoning"), Scripted(*said)), **settings)
    return await critique(QA_CRITIQUE, QA_REASONING, "search")(state, context)


def done(**conclusion: Any) -> dict[str, Any]:
    return {"tool": CONCLUDE, "conclusion": conclusion}


async def test_an_answer_that_the_evidence_bears_out_is_accepted() -> None:
    update = await judged(asked(BETTER, messages=looked_up()), done(text=BETTER, accepted=True, evidence=[1]))
    (said,) = update["verdicts"]
    assert (update["accepted"], said["label"], said["evidence"]) == (True, "entailment", FOUND["id"])
    assert update["quorum"] == {"critiques": {"asked": 1, "had": 1}}


async def test_an_acceptance_that_rests_on_nothing_bears_nothing_out() -> None:
    update = await judged(asked(BETTER), done(text=BETTER, accepted=True))
    assert (update["accepted"], update["verdicts"][0]["label"]) == (True, "neutral")


async def test_another_answer_contradicts_and_is_never_accepted() -> None:
    update = await judged(asked(messages=looked_up()), done(text=BETTER, accepted=True, correctness="It says 1889."))
    (said,) = update["verdicts"]
    assert (update["accepted"], said["label"], said["evidence"]) == (False, "contradiction", FOUND["id"])
    assert update["critique"] == "It says 1889."


async def test_known_answers_decide_instead_of_the_critic() -> None:
    update = await judged(asked(BETTER, gold=["1889"]), done(text=BETTER, accepted=True))
    assert not update["accepted"]
    assert is_right(asked(BETTER, gold=["1889", "in 1889"]))
    assert not is_right(asked(TEXT, gold=["1889"]))
    assert not is_right(asked(BETTER))


async def test_a_turn_that_wants_a_tool_judges_nothing_yet() -> None:
    update = await judged(asked(), {"tool": "search", "argument": "tower"})
    assert "verdicts" not in update
    assert update["answer"] == "1899"


async def test_without_tools_it_takes_a_turn_for_each_thought() -> None:
    model = Scripted({"tool": "think", "argument": "A year was asked for."}, done(text=TEXT, accepted=True))
    context = Context(backends={"qa_reasoning": model}, use_tools=False)
    update = await critique(QA_CRITIQUE, QA_REASONING, "search")(asked(), context)
    assert (update["messages"][0].tool_calls[0]["name"], model.asked[0]["last"]) == ("think", False)
    update = await critique(QA_CRITIQUE, QA_REASONING, "search")(asked(messages=update["messages"]), context)
    assert (model.asked[1]["tools"], update["accepted"], update["verdicts"][0]["label"]) == (["think"], True, "neutral")


async def test_a_critic_that_is_down_gives_no_verdict() -> None:
    update = await judged(asked(), ModelError("the model is down"))
    assert "verdicts" not in update
    assert update["failures"][0]["reason"] == "the model is down"
    assert update["quorum"] == {"critiques": {"asked": 1, "had": 0}}


def concluded(**conclusion: Any) -> Any:
    verdict = {"question": "?", "label": "contradiction", "reason": "no", "evidence": FOUND["id"], "backend": "fake"}
    proposed = {"messages": [concludes(**conclusion)], "proposed": conclusion.get("text", "")}
    return asked(answer="1899", verdicts=[verdict], critique="no", rounds=1, **proposed)


async def test_a_better_answer_takes_its_place() -> None:
    update = await correct(concluded(text=BETTER), Context())
    assert (update["text"], update["answer"], update["rounds"], update["unchanged"]) == (BETTER, "1889", 2, 0)
    (made,) = update["edits"]
    assert (made["before"], made["evidence"]) == (TEXT, FOUND["id"])


@pytest.mark.parametrize("text", ["", "So the answer is: unknown.", TEXT, "No doubt. So the answer is: 1899."])
async def test_no_answer_and_the_same_answer_leave_it(text: str) -> None:
    update = await judged(asked(messages=looked_up()), done(text=text))
    assert (update["proposed"], update["verdicts"][0]["label"]) == ("", "neutral")
    update = await keep(concluded(text=text), Context())
    assert "text" not in update
    assert (update["rounds"], update["unchanged"]) == (2, 1)


@pytest.mark.parametrize(
    ("question", "draft", "better"),
    [
        ("When was it built?", "1899", "1889"),
        ("Was it built in 1889?", "no", "Yes"),
        ("Was it built in 1889?", "Yes", "no"),
        ("How many years before 1897 was it built?", "2", "8"),
        ("How much of the work was done by then?", "half", "three quarters"),
        ("What was the builder by trade?", "a mason", "novelist"),
        ("Who built it?", "1899", "Louis Blanc"),  # implausible: that needs no search
    ],
)
@pytest.mark.parametrize("cited", [[], [1]])
async def test_what_the_critic_concludes_is_taken_derived_or_not(
    question: str, draft: str, better: str, cited: list[int]
) -> None:
    state = loop(question=question, text=f"So the answer is: {draft}.", messages=looked_up() if cited else [])
    text = f"I see why. So the answer is: {better}."
    update = await judged(state, done(text=text, evidence=cited))
    assert (update["proposed"], update["accepted"]) == (text, False)
    assert (update["verdicts"][0]["label"], update["verdicts"][0]["evidence"]) == (
        "contradiction",
        FOUND["id"] if cited else "",
    )


async def test_prose_is_replaced_by_what_the_critic_writes_unless_it_accepts() -> None:
    prose = loop(text="The old tower was built in 1899.", messages=looked_up())
    update = await judged(prose, done(text="It was built in 1901."))
    corrected = await correct(prose | update, Context())
    assert corrected["text"] == "It was built in 1901."
    update = await judged(prose, done(text="The old tower was built in 1899!", accepted=True, evidence=[1]))
    assert (update["proposed"], update["accepted"], update["verdicts"][0]["label"]) == ("", True, "entailment")


async def test_a_critique_is_shown_what_was_found_before_it() -> None:
    first = [*looked_up(), concludes(text=TEXT)]
    kept = await keep(asked(messages=first), Context())
    model = Scripted(done(text=BETTER, evidence=[1]))
    state = asked(messages=first, **kept)
    update = await critique(QA_CRITIQUE, QA_REASONING, "search")(state, Context(backends={"qa_critique": model}))
    (request,) = model.asked
    assert request["found_before"] == ["[Tower] It was built in 1889."]
    assert request["messages"] == []
    assert (update["proposed"], update["verdicts"][0]["evidence"]) == (BETTER, FOUND["id"])


def test_prose_comes_to_no_short_answer() -> None:
    assert answer_of(asked()) == "1899"
    assert answer_of(loop(text="The tower is tall.")) == ""
