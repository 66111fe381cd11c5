"""CRITIC with tools of its own choice: programs are run, prose is scored and looked up, whatever the text asks for."""

from typing import Any

import pytest
from langchain_core.messages import ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from errata.graphs import critic
from errata.state import Context, cited, replay
from errata.state.errors import ToolError
from errata.state.methods.critic import AnswerState

from ..fakes import FakeChatModel, FakeScorer, FakeSearch, FakeToolCaller, Scripted, calls, concludes, searches

ROPE = "A rope of 18 m is cut into pieces of 4 m. How many whole pieces are there?"
EXACT = "length = 18\npiece = 4\nanswer = length / piece"
WHOLE = "length = 18\npiece = 4\nanswer = length // piece"
INSULT = "The Havel, you stupid idiot, flows through Berlin-Mitte."
CLEAN = "The Spree flows through Berlin-Mitte."
RIVER = "Which river flows through Berlin-Mitte?"
SPREE = "[Spree] The Spree flows through Berlin-Mitte and joins the Havel in Spandau."
DAYS = "Apollo 12 landed on 19 November 1969, 102 days after Apollo 11. So the answer is: 102 days."
THREAD: Any = {"configurable": {"thread_id": "1"}}


def spree(**more: Any) -> FakeSearch:
    return FakeSearch(find=lambda query: [("Spree", SPREE.removeprefix("[Spree] "))], **more)


def runs(code: str) -> Any:
    return calls(("run_python", {"code": code}))


def scores(text: str) -> Any:
    return calls(("score_toxicity", {"text": text}))


async def go(model: FakeChatModel, graph_input: Any, **more: Any) -> Any:
    given = Context(**{"model": model, "search": spree(), "cache": False, **more})
    result = await critic.graph.ainvoke(graph_input, context=given)
    assert replay(result["original"], result["edits"]) == result["text"]
    return result


def used(result: Any) -> list[str]:
    """Where the evidence is from, in order."""
    return [piece["source"].partition(":")[0] for piece in result["evidence"]]


PROGRAM_BY_CALLS = [
    runs(EXACT),
    runs(WHOLE),
    concludes(plausibility="Not whole.", text=WHOLE, answer="4", evidence=[2]),
    concludes(accepted=True, evidence=[2]),
]
PROGRAM_IN_WORDS = [
    f"It is a program.\n> Program:\n```python\n{EXACT}\n```\n> Execution: Done\nOutput: answer = 4",
    f"Not whole.\n> Program:\n{WHOLE}",
    f"> Corrected [2]:\n```python\n{WHOLE}\n```",
    "> Accepted [2]",
]


@pytest.mark.parametrize(
    "model",
    [FakeToolCaller(replies=PROGRAM_BY_CALLS), FakeChatModel(replies=PROGRAM_IN_WORDS)],
    ids=["by calls", "in plain text"],
)
async def test_a_program_is_run_and_stays_a_program(model: FakeChatModel) -> None:
    search = spree()
    result = await go(model, {"question": ROPE, "text": EXACT}, search=search)
    assert (result["original"], result["text"], result["stopped"]) == (EXACT, WHOLE, "accepted")
    assert [piece["text"] for piece in result["evidence"]] == [
        "Execution: Done\nOutput: answer = 4.5",
        "Execution: Done\nOutput: answer = 4",
    ]
    assert used(result) == ["python", "python"]
    assert [verdict["evidence"] for verdict in result["verdicts"]] == [result["evidence"][1]["id"]] * 2
    assert (result["usage"]["tool_runs"], search.searched) == (2, [])


@pytest.mark.parametrize("named", [[1], []])
async def test_that_a_critic_accepts_a_program_that_failed_bears_nothing_out(named: list[int]) -> None:
    model = FakeToolCaller(replies=[runs("answer = 1 / 0"), concludes(accepted=True, evidence=named)])
    result = await go(model, {"question": ROPE, "text": "answer = 1 / 0"})
    assert [verdict["label"] for verdict in result["verdicts"]] == ["neutral"]


@pytest.mark.parametrize(
    ("named", "cites"), [([2], [1]), ("[2]", [1]), ([2, 1, 2], [1, 0]), ([7, 2, 0], [1]), ([9], [])]
)
async def test_a_critic_names_the_evidence_it_goes_by(named: Any, cites: list[int]) -> None:
    """Whichever it looked up last, and nothing that it was not shown."""
    right = CLEAN.replace("flows", "runs")
    replies = [searches("A"), searches("B"), searches("C"), concludes(text=right, evidence=named), concludes()]
    search = FakeSearch(find=lambda query: [f"{query} is a letter."])
    result = await go(FakeToolCaller(replies=replies), {"text": CLEAN}, search=search, patience=1, caution="paper")
    ids = [result["evidence"][place]["id"] for place in cites]
    assert cited(result["verdicts"][0]) == cited(result["edits"][0]) == ids


async def test_an_acceptance_that_looked_nothing_up_bears_nothing_out() -> None:
    result = await go(FakeToolCaller(replies=[concludes(accepted=True)]), {"question": "Where?", "text": "In Rome."})
    assert [(verdict["label"], verdict["evidence"]) for verdict in result["verdicts"]] == [("neutral", "")]


async def test_a_program_that_fails_is_told_as_it_failed_and_is_no_failure_of_ours() -> None:
    model = FakeToolCaller(replies=[runs("answer = 1 / 0"), concludes(text=WHOLE), concludes(accepted=True)])
    result = await go(model, {"question": ROPE, "text": "answer = 1 / 0"})
    assert "ZeroDivisionError" in model.asked[1][-1].text
    assert (result["text"], result["stopped"], result["failures"]) == (WHOLE, "accepted", [])


async def test_prose_with_an_insult_and_a_wrong_fact() -> None:
    """One critique uses two tools: the scorer that is built in, and a search."""
    model = FakeToolCaller(
        replies=[scores(INSULT), searches(RIVER), concludes(text=CLEAN), scores(CLEAN), concludes(accepted=True)]
    )
    result = await go(model, {"text": INSULT})
    assert (result["text"], result["answer"], result["stopped"]) == (CLEAN, "", "accepted")
    assert used(result) == ["toxicity", "fake", "toxicity"]
    insult, fact, clean = [piece["title"] for piece in result["evidence"]]
    assert insult.endswith("% toxicity of profanity")
    assert fact == "Spree"
    assert int(insult.partition("%")[0]) > 50 > int(clean.partition("%")[0])
    shown = [message.text for message in model.asked[2] if isinstance(message, ToolMessage)]
    assert shown == [f"[1] {insult}", f"[2] {SPREE}"]
    assert [verdict["question"] for verdict in result["verdicts"]] == ["Is the text right?"] * 2
    assert [verdict["label"] for verdict in result["verdicts"]] == ["contradiction", "neutral"], "a tone proves no fact"


async def test_an_answer_may_need_all_three() -> None:
    program = "from datetime import date\nanswer = (date(1969, 11, 19) - date(1969, 7, 20)).days"
    right = DAYS.replace("102", "122")
    model = FakeToolCaller(
        replies=[DAYS, searches("When?"), runs(program), scores(DAYS), concludes(text=right), concludes(accepted=True)]
    )
    result = await go(model, {"question": "How many days later did Apollo 12 land?"})
    assert (result["original"], result["text"], result["answer"]) == (DAYS, right, "122 days")
    assert used(result) == ["fake", "python", "toxicity"]
    assert "answer = 122" in result["evidence"][1]["text"]


@pytest.mark.parametrize("bad", [calls(("google", {"query": "x"})), calls(("run_python", {"program": "1"}))])
async def test_a_tool_that_is_not_there_is_asked_for_again_in_other_words(bad: Any) -> None:
    model = FakeToolCaller(replies=[bad, runs(EXACT), concludes(accepted=True)])
    result = await go(model, {"question": ROPE, "text": EXACT})
    assert (used(result), result["stopped"]) == (["python"], "accepted")
    assert "Reply again with a call of one of the tools" in model.asked[1][-1].text


async def test_every_tool_is_offered_until_the_last_turn() -> None:
    model = FakeToolCaller(replies=[runs(EXACT), runs(EXACT)])
    await go(model, {"question": ROPE, "text": EXACT}, critique_calls=2, patience=1)
    assert model.offered == [["search", "run_python", "score_toxicity", "conclude"], ["conclude"]]


async def test_without_tools_none_is_offered() -> None:
    model = FakeToolCaller(replies=[concludes(accepted=True)])
    result = await go(model, {"text": INSULT}, use_tools=False)
    assert (model.offered, result["evidence"], result["stopped"]) == ([["think", "conclude"]], [], "accepted")


class NoSandbox:
    async def execute(self, program: str) -> Any:
        raise ToolError("the sandbox did not start")


@pytest.mark.parametrize(
    ("reply", "step", "reason"),
    [
        (searches(RIVER), "search", "no route"),
        (runs(EXACT), "run_python", "the sandbox did not start"),
        (scores(INSULT), "score_toxicity", "no judge"),
    ],
)
async def test_a_tool_that_is_down_ends_the_run_and_judges_nothing(
    reply: Any, step: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(_: str) -> Any:
        raise OSError(reason)

    monkeypatch.setattr("errata.nodes.runs.interpreter", lambda context: NoSandbox())
    model = FakeToolCaller(replies=[reply, AssertionError("it went on")])
    result = await go(model, {"text": INSULT}, search=FakeSearch(find=down), toxicity=FakeScorer(judge=down))
    assert (result["text"], result["stopped"], result["verdicts"], result["evidence"]) == (INSULT, "error", [], [])
    (failure,) = result["failures"]
    assert (failure["step"], failure["unchecked"]) == (step, True)
    assert reason in failure["reason"]
    assert result["reason"].startswith(f"{step} failed: ")


def scripted() -> dict[str, Any]:
    conclusion = {"tool": "conclude", "conclusion": {"text": WHOLE, "answer": "4"}}
    accepted = {"tool": "conclude", "conclusion": {"accepted": True}}
    tries = [{"tool": "run_python", "argument": program} for program in (EXACT, WHOLE)]
    return {"critique": Scripted(*tries, conclusion, accepted)}


def untimed(result: Any) -> Any:
    return {**result, "usage": {**result["usage"], "seconds": 0}}


async def test_every_face_gives_the_same_result() -> None:
    def asked() -> Any:
        return {"input": {"question": ROPE, "text": EXACT}, "context": Context(backends=scripted())}

    result = await critic.graph.ainvoke(**asked())
    assert (result["text"], result["answer"]) == (WHOLE, "4")
    assert untimed(critic.graph.invoke(**asked())) == untimed(result)


async def test_it_streams_what_happens() -> None:
    given = Context(backends=scripted())
    stream = critic.graph.astream({"question": ROPE, "text": EXACT}, context=given, stream_mode="custom")
    events = [event async for event in stream]
    assert [event["step"] for event in events] == ["tools", "tools", "critique", "correct", "edit", "critique"]
    assert (events[0]["tool"], events[0]["argument"]) == ("run_python", EXACT)
    assert events[0]["said"].endswith("answer = 4.5")


async def test_a_run_with_a_checkpointer_that_was_interrupted_goes_on() -> None:
    graph: Any = critic.build().compile(checkpointer=InMemorySaver(), interrupt_after=["tools"])
    backends = scripted()
    await graph.ainvoke({"question": ROPE, "text": EXACT}, THREAD, context=Context(backends=backends))
    state = await graph.aget_state(THREAD)
    assert state.next == ("critique",)
    assert set(state.values) <= set(AnswerState.__annotations__)
    assert state.values["messages"][-1].artifact["evidence"]["text"].endswith("answer = 4.5")
    await graph.ainvoke(None, THREAD, context=Context(backends=backends))
    result = await graph.ainvoke(None, THREAD, context=Context(backends=backends))
    assert (result["text"], result["stopped"]) == (WHOLE, "accepted")
