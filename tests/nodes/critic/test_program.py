"""Programs: run, critiqued, written again, and put back."""

from typing import Any

import pytest

from errata.nodes.critic.program import correct_program, critique_program, execute, review_program, withdraw
from errata.state import Context
from errata.state.errors import ModelError
from errata.tools import evidence

from ...fakes import Scripted
from ..states import loop, verdict

SEVEN = "eggs = 12 - 5\nanswer = eggs"


def program(candidate: str = SEVEN, **fields: Any) -> Any:
    known = {
        "observation": "",
        "first_answer": "",
        "failed_correction": "",
        "others": [],
        "text": SEVEN,
        "original": SEVEN,
        "candidate": candidate,
    }
    return loop(**{"question": "How many are left?", **known, **fields})


async def ran(**fields: Any) -> Any:
    """The state after the draft was run."""
    state = program(**fields)
    return state | {**await execute(state, Context())}


async def test_a_program_that_comes_to_an_answer_is_the_best_so_far() -> None:
    state = await ran()
    assert (state["answer"], state["first_answer"], state["unchanged"]) == ("7", "7", 0)
    assert [piece["query"] for piece in state["evidence"]] == [SEVEN]
    better = await execute(state | {"candidate": "answer = 8"}, Context())
    assert (better["text"], better["answer"]) == ("answer = 8", "8")
    assert "first_answer" not in better


async def test_the_same_but_for_comments_is_not_run_again() -> None:
    state = await ran()
    again = await execute(state | {"candidate": f"# count them\n\n{SEVEN}"}, Context())
    assert again == {"candidate": SEVEN, "unchanged": 1}


async def test_one_that_fails_is_dropped_where_another_came_to_an_answer() -> None:
    state = await ran()
    failed = await execute(state | {"candidate": "answer = 1 / 0"}, Context())
    assert (failed["candidate"], failed["unchanged"]) == (SEVEN, 1)
    assert "text" not in failed
    only = await ran(text="answer = 1 / 0", candidate="answer = 1 / 0")
    assert (only["answer"], only["candidate"]) == ("", "answer = 1 / 0")


async def test_a_critic_accepts_no_program_that_came_to_no_answer() -> None:
    critic = Scripted({"plausibility": "", "correctness": "", "accepted": True})
    context = Context(backends={"program_critique": critic})
    failed = await ran(text="answer = 1 / 0", candidate="answer = 1 / 0")
    assert not (await critique_program(failed, context))["accepted"]
    assert "ZeroDivisionError" in critic.asked[0]["observation"]
    right = await critique_program(await ran(), context)
    assert (right["accepted"], right["verdicts"][0]["label"]) == (True, "entailment")


@pytest.mark.parametrize(("gold", "accepted"), [(["7.0"], True), (["8"], False)])
async def test_known_results_decide(gold: list[str], accepted: bool) -> None:
    assert (await critique_program((await ran()) | {"gold": gold}, Context()))["accepted"] is accepted


async def test_without_tools_the_critic_reasons_and_is_told_of_no_run() -> None:
    critic = Scripted({"plausibility": "", "correctness": "", "accepted": True})
    writer = Scripted({"code": "answer = 12 - 6"})
    backends: Any = {"untested_critique": critic, "untested_correction": writer}
    context, state = Context(backends=backends, use_tools=False), await ran()
    said = await critique_program(state, context)
    assert {*critic.asked[0]} == {"question", "program"}
    assert said["verdicts"][0]["label"] == "neutral"
    await correct_program(state, context)
    assert {*writer.asked[0]} == {"question", "program", "critique"}


async def test_a_better_program_is_the_next_candidate() -> None:
    writer = Scripted({"code": "answer = 12 - 6"}, ModelError("the model is down"))
    context = Context(backends={"program_correction": writer})
    state = (await ran()) | {"critique": "One more is gone."}
    assert await correct_program(state, context) == {"candidate": "answer = 12 - 6", "rounds": 1}
    assert (writer.asked[0]["program"], writer.asked[0]["critique"]) == (SEVEN, "One more is gone.")
    assert (await correct_program(state, context))["failures"][0]["reason"] == "the model is down"


async def test_a_person_may_keep_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    state = (await ran()) | {"candidate": "answer = 8", "verdicts": [verdict("contradiction")], "critique": "wrong"}
    monkeypatch.setattr("errata.nodes.review.interrupt", lambda request: {"decisions": [{"type": "reject"}]})
    kept = await review_program(state, Context(review=True))
    assert (kept["candidate"], [each["applied"] for each in kept["edits"]]) == (SEVEN, [False])
    assert (await review_program(state, Context()))["candidate"] == "answer = 8"


async def test_the_draft_is_put_back_with_its_answer() -> None:
    run = evidence(query=SEVEN, text="answer = 7", run=True)
    state = program(text="answer = 8", answer="8", first_answer="7", evidence=[run])
    back = await withdraw(state, Context())
    assert (back["text"], back["answer"], back["edits"][0]["evidence"]) == (SEVEN, "7", run["id"])
    assert "the draft stays" in back["edits"][0]["reason"]
