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
    came = {"evidence": FOUND, "bears": True, "failure": "", "offending": []}
    told = ToolMessage(f"[1] {FOUND['text']}", name="search", tool_call_id="1", artifact=came)
    return [AIMessage("", tool_calls=[{"name": "search", "args": {"query": "tower"}, "id": "1"}]), told]


def ran(code: str, output: str) -> list[Any]:
    piece = evidence(query=code, text=f"Execution: Done\nOutput: answer = {output}", source="python:monty", run=True)
    result = {"evidence": piece, "bears": True, "failure": "", "offending": []}
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
    assert (update["correction"], update["verdicts"][0]["label"]) == ("none", "neutral")
    update = await keep(concluded(text=text), Context())
    assert "text" not in update
    assert (update["rounds"], update["unchanged"], update["refused"]) == (2, 1, "")


@pytest.mark.parametrize(
    ("text", "cited", "speaks"),
    [
        (BETTER, [1], "supported"),
        (BETTER, [], "supported"),
        ("It was built in 1901. So the answer is: 1901.", [1], "unsupported"),
        ("So the answer is: Gustave Eiffel.", [1], "unsupported"),
        ("So the answer is: 1,889.", [1], "supported"),
        ("So the answer is: yes.", [1], "unsupported"),
    ],
)
async def test_another_answer_needs_evidence_that_says_it(text: str, cited: list[int], speaks: str) -> None:
    update = await judged(asked(messages=looked_up()), done(text=text, evidence=cited))
    assert update["correction"] == speaks
    assert update["verdicts"][0]["label"] == ("contradiction" if speaks == "supported" else "neutral")


@pytest.mark.parametrize(("cited", "speaks"), [([1], "supported"), ([2], "unsupported")])
async def test_what_has_no_words_of_its_own_needs_a_citation(cited: list[int], speaks: str) -> None:
    state = loop(question="Was the tower built in 1889?", text="So the answer is: no.", messages=looked_up())
    update = await judged(state, done(text="So the answer is: yes.", evidence=cited))
    assert update["correction"] == speaks


async def test_the_answer_to_another_question_is_not_taken() -> None:
    state = loop(question="When was Edo called Tokyo?", text="So the answer is: 1603.", messages=looked_up())
    for text in ("The tower was completed. So the answer is: the tower.", "So the answer is: 1889."):
        assert (await judged(state, done(text=text, evidence=[1])))["correction"] == "unsupported"


async def test_an_answer_that_what_was_found_gives_otherwise_is_not_taken() -> None:
    page = evidence(
        query="Fleming",
        title="Penicillin",
        text="Alexander Fleming was born in 1881. He discovered penicillin in 1928.",
    )
    came = {"evidence": page, "bears": True, "failure": "", "offending": []}
    told = ToolMessage(f"[1] {page['text']}", name="search", tool_call_id="1", artifact=came)
    state = loop(question="When was Alexander Fleming born?", text="So the answer is: 1882.", messages=[told])
    for answer, speaks in (("1928", "unsupported"), ("1881", "supported")):
        update = await judged(state, done(text=f"It was then. So the answer is: {answer}.", evidence=[1]))
        assert update["correction"] == speaks


async def test_a_sentence_may_get_the_short_answer_that_it_gives() -> None:
    sentence = "The tower was built in 1899, and it is tall."
    update = await judged(asked(sentence), done(text=f"{sentence} So the answer is: 1899."))
    assert (update["correction"], update["verdicts"][0]["label"]) == ("restated", "neutral")
    kept = await keep(concluded(text=f"{sentence} So the answer is: 1899.", correction="restated"), Context())
    assert (kept["answer"], "text" in kept) == ("1899", False)
    update = await judged(asked(sentence), done(text="Louis Blanc built it in 1899. So the answer is: 1899."))
    assert update["correction"] == "unsupported"


@pytest.mark.parametrize(
    "text",
    [
        "The tower was built in 1901.",  # nothing found says so
        "The tower was built in 1899.",  # nothing found asks for it
        "The tower stands in a park. It was built in 1889 and is tall.",  # a text of its own
    ],
)
async def test_prose_is_changed_only_where_evidence_contradicts_it(text: str) -> None:
    prose = loop(text="The old tower was built in 1899.", messages=looked_up())
    assert (await judged(prose, done(text=text, evidence=[1])))["correction"] == "unsupported"


async def test_prose_keeps_what_a_critic_leaves_out() -> None:
    prose = loop(text="The old tower was built in 1899.", messages=looked_up())
    for text in ("The old tower was built in 1889.", "The tower was built in 1889."):
        update = await judged(prose, done(text=text))
        assert (update["correction"], update["proposed"]) == ("supported", "The old tower was built in 1889.")
        corrected = await correct(prose | update, Context())
        assert corrected["text"] == "The old tower was built in 1889."


async def test_a_number_in_prose_may_be_what_a_program_came_to() -> None:
    prose = loop(text="Seventeen crates of 23 bottles make 381 bottles.", messages=ran("answer = 17 * 23", "391"))
    update = await judged(prose, done(text="17 crates of 23 bottles make 391 bottles, which is a lot."))
    assert (update["correction"], update["proposed"]) == ("supported", prose["text"].replace("381", "391"))
    update = await judged(prose, done(text="Seventeen crates of 23 bottles make 400 bottles."))
    assert update["correction"] == "unsupported"


async def test_as_published_prose_is_replaced_by_what_the_critic_writes() -> None:
    prose = loop(text="The old tower was built in 1899.", messages=looked_up())
    update = await judged(prose, done(text="It was built in 1901."), caution="paper")
    corrected = await correct(prose | update, Context(caution="paper"))
    assert corrected["text"] == "It was built in 1901."


async def test_another_program_has_to_have_been_run() -> None:
    old, new = "answer = 18 / 4", "answer = 18 // 4"
    better = done(text=new, answer="4", evidence=[1])
    state = loop(question="How many whole pieces?", text=old, messages=ran(old, "4.5"))
    assert (await judged(state, better))["correction"] == "unsupported"
    state["messages"] += ran(new, "4")
    assert (await judged(state, better))["correction"] == "supported"


async def test_without_tools_and_with_the_papers_caution_the_critic_decides() -> None:
    for settings in ({"use_tools": False}, {"caution": "paper"}):
        update = await judged(asked(), done(text=BETTER), **settings)
        assert (update["correction"], update["verdicts"][0]["label"]) == ("unsupported", "contradiction")


async def test_a_critique_is_shown_what_was_found_before_it_and_what_was_not_taken() -> None:
    proposed = "It was built in 1901. So the answer is: 1901."
    first = [*looked_up(), concludes(text=proposed)]
    kept = await keep(asked(messages=first, correction="unsupported", proposed=proposed), Context())
    model = Scripted(done(text=BETTER, evidence=[1]))
    state = asked(messages=first, **kept)
    update = await critique(QA_CRITIQUE, QA_REASONING, "search")(state, Context(backends={"qa_critique": model}))
    (request,) = model.asked
    assert request["found_before"] == ["[Tower] It was built in 1889."]
    assert request["correction_without_evidence"].endswith("1901.")
    assert request["messages"] == []
    assert (update["correction"], update["verdicts"][0]["evidence"]) == ("supported", FOUND["id"])


def test_prose_comes_to_no_short_answer() -> None:
    assert answer_of(asked()) == "1899"
    assert answer_of(loop(text="The tower is tall.")) == ""
