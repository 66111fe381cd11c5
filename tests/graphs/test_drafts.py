"""The ways to draft an answer, each alone: as baselines, and as what the other methods begin with."""

import json
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver

from errata.graphs import METHODS, load
from errata.graphs import build as build_graph
from errata.graphs.drafting import Drafting
from errata.state import Context
from errata.state.errors import ConfigurationError

from ..fakes import FakeChatModel, FakeSearch, FakeToolCaller, Scripted, concludes, searches

DRAFTS = (
    "direct", "few_shot", "cot", "self_consistency", "react", "program_of_thought", "continuation",
    "rejection_sampling", "rejection_sampling_program",
)  # fmt: skip
RIVER = "Which river flows through the city where Brahms was born?"
GOLD = ["the Elbe"]
DOWN = RuntimeError("the model is down")
GOLDS = {"rejection_sampling": GOLD, "rejection_sampling_program": ["42"]}
THREAD: Any = {"configurable": {"thread_id": "1"}}


def so(answer: str) -> str:
    return f"Brahms was born in Hamburg. So the answer is: {answer}."


async def draft(method: str, *replies: Any, model: Any = None, **more: Any) -> Any:
    """The draft of a model that gives these replies."""
    given = {"question": RIVER, **({"gold": GOLDS[method]} if method in GOLDS else {})}
    context = Context(
        **{"model": model or FakeChatModel(replies=list(replies)), "search": FakeSearch(), "cache": False, **more}
    )
    return await load(method).ainvoke(given, context=context)


ONCE = {
    "direct": ("The Elbe.", "The Elbe"),
    "few_shot": ("the Elbe", "the Elbe"),
    "cot": (so("the Elbe"), "the Elbe"),
    "self_consistency": (so("the Elbe"), "the Elbe"),
    "react": (f"> Corrected: {so('the Elbe')}", "the Elbe"),
    "program_of_thought": (json.dumps({"code": "answer = 6 * 7"}), "42"),
    "continuation": (" and so it flowed on to the sea.", ""),
    "rejection_sampling": (so("the Elbe"), "the Elbe"),
    "rejection_sampling_program": (json.dumps({"code": "answer = 6 * 7"}), "42"),
}
"""What a model says, and the answer that it comes to."""


@pytest.mark.parametrize("method", DRAFTS)
async def test_a_draft_is_its_text_and_says_that_it_is_one(method: str) -> None:
    reply, answer = ONCE[method]
    result = await draft(method, reply)
    program = dict.fromkeys(("program_of_thought", "rejection_sampling_program"), "answer = 6 * 7")
    text = {**program, "react": so("the Elbe")}.get(method, reply.strip())
    assert (result["original"], result["text"], result["answer"]) == (text, text, answer)
    assert (result["edits"], result["verdicts"], result["failures"]) == ([], [], [])
    assert result["stopped"] == "finished"
    assert result["reason"].startswith("a draft: ")
    assert result["usage"]["llm_calls"] == (5 if method in ("self_consistency", *GOLDS) else 1)


def test_all_of_them_are_methods() -> None:
    assert set(DRAFTS) <= set(METHODS)


@pytest.mark.parametrize("method", DRAFTS)
async def test_it_gives_the_same_by_either_face(method: str) -> None:
    reply, answer = ONCE[method]
    given = {"question": RIVER, "gold": GOLD}
    context = Context(model=FakeChatModel(replies=[reply]), search=FakeSearch(), cache=False)
    results = [load(method).invoke(given, context=context), await load(method).ainvoke(given, context=context)]
    assert [result["answer"] for result in results] == [answer, answer]
    assert [{**result, "usage": 0} for result in results[:1]] == [{**result, "usage": 0} for result in results[1:]]


@pytest.mark.parametrize("method", DRAFTS)
@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ({"text": "A text."}, "leave out the text"),
        ({"text": "A text.", "question": RIVER}, "leave out the text"),
        ({}, "give a question"),
        ({"question": " \n", "text": ""}, "give a question"),
    ],
)
async def test_a_draft_takes_a_question_and_no_text(method: str, given: dict[str, str], advice: str) -> None:
    with pytest.raises(ConfigurationError, match=advice):
        await load(method).ainvoke(given, context=Context(model=FakeChatModel(replies=["x"])))


@pytest.mark.parametrize("method", DRAFTS)
async def test_a_model_that_is_down_is_an_error(method: str) -> None:
    result = await draft(method, DOWN)
    assert (result["text"], result["answer"], result["stopped"]) == ("", "", "error")
    assert "the model is down" in result["reason"]
    assert [failure["unchecked"] for failure in result["failures"]] == [True]
    assert result["evidence"] == []


@pytest.mark.parametrize("method", DRAFTS)
async def test_what_was_wrong_of_an_earlier_run_on_the_thread_is_forgotten(method: str) -> None:
    reply, answer = ONCE[method]
    graph = build_graph(method).compile(checkpointer=InMemorySaver())
    for replies in ([DOWN], [reply]):
        context = Context(model=FakeChatModel(replies=replies), search=FakeSearch(), cache=False)
        result: Any = await graph.ainvoke({"question": RIVER, "gold": GOLD}, THREAD, context=context)
    assert (result["answer"], result["stopped"], result["failures"]) == (answer, "finished", [])


@pytest.mark.parametrize("method", DRAFTS)
async def test_it_is_streamed(method: str) -> None:
    context = Context(model=FakeChatModel(replies=[ONCE[method][0]]), search=FakeSearch(), cache=False)
    stream = load(method).astream({"question": RIVER, "gold": GOLD}, context=context, stream_mode="custom")
    events = [event async for event in stream]
    assert events[0]["step"] == "draft"
    assert events[0]["text"]


class TestDirect:
    async def test_prose_has_no_short_answer(self) -> None:
        prose = "The Elbe is the river that flows through Hamburg, where Brahms was born. It is a long river. " * 2
        result = await draft("direct", prose)
        assert (result["text"], result["answer"]) == (prose.strip(), "")


class TestSelfConsistency:
    @pytest.mark.parametrize(
        ("replies", "stopped", "reason"),
        [
            ([so("the Elbe"), so("the Elbe"), so("the Elbe"), DOWN], "finished", "3 of 5 samples agree on it"),
            ([so("the Elbe"), so("the Elbe"), DOWN], "error", "3 of 5 samples are missing"),
            ([so("the Elbe"), so("the Elbe"), so("the Oder"), DOWN], "error", "2 of 5 samples are missing"),
            ([*[so("the Elbe")] * 3, "Rate limit exceeded"], "finished", "3 of 5 samples agree on it"),
        ],
        ids=["decided", "too few", "open", "refused"],
    )
    async def test_samples_that_are_missing_might_have_won(self, replies: list[Any], stopped: str, reason: str) -> None:
        result = await draft("self_consistency", *replies, samples=5)
        assert (result["answer"], result["stopped"]) == ("the Elbe", stopped)
        assert reason in result["reason"]
        assert result["quorum"] == {"samples": {"asked": 5, "had": len(replies) - 1}}
        assert result["failures"][0]["unchecked"] == (stopped == "error")

    @pytest.mark.parametrize(
        ("answers", "chosen", "votes"),
        [
            (["the Oder", "the Elbe", "Elbe!"], 1, "2 of 3"),
            (["the Oder", "the Elbe", "oder", "Elbe"], 0, "2 of 4"),
            (["the Elbe", "the Oder"], 0, "1 of 2"),
            (["unknown", "none", "the Elbe"], 2, "1 of 3"),
            (["the Elbe"], 0, "1 of 1"),
        ],
        ids=["majority", "tie", "all differ", "no answer has no vote", "one"],
    )
    async def test_the_first_of_those_that_most_agree_with(self, answers: list[str], chosen: int, votes: str) -> None:
        result = await draft("self_consistency", *map(so, answers), samples=len(answers))
        assert (result["text"], result["answer"]) == (so(answers[chosen]), answers[chosen])
        assert result["reason"] == f"a draft: {votes} samples agree on it"

    async def test_where_nobody_has_an_answer_the_first_says_so(self) -> None:
        result = await draft("self_consistency", so("unknown"), so("none"), samples=2)
        assert (result["text"], result["stopped"]) == (so("unknown"), "finished")

    async def test_samples_are_independent(self) -> None:
        model = FakeChatModel(replies=[so("the Elbe")], latency=0.01)
        await draft("self_consistency", model=model, samples=7)  # the first finds out what the model takes
        assert (len(model.asked), model.peak) == (7, 6)
        assert {str(messages) for messages in model.asked} == {str(model.asked[0])}

    async def test_some_that_fail_do_not_count(self) -> None:
        result = await draft("self_consistency", so("the Elbe"), DOWN, so("the Elbe"), samples=3)
        assert result["reason"] == "a draft: 2 of 3 samples agree on it"
        assert [failure["unchecked"] for failure in result["failures"]] == [False], "the third could change nothing"

    async def test_no_more_are_taken_than_the_budget_allows(self) -> None:
        model = FakeChatModel(replies=[so("the Elbe")])
        result = await draft("self_consistency", model=model, samples=5, max_calls=2)
        assert (len(model.asked), result["reason"]) == (2, "a draft: 2 of 2 samples agree on it")


class TestReact:
    async def test_it_searches_and_answers_from_what_it_finds(self) -> None:
        answer = concludes(text=so("the Elbe"), answer="the Elbe")
        model = FakeToolCaller(replies=[searches("Brahms", "Born where?"), searches("Hamburg"), answer])
        search = FakeSearch()
        result = await draft("react", model=model, search=search)
        assert (result["text"], result["answer"], search.searched) == (
            so("the Elbe"),
            "the Elbe",
            ["Brahms", "Hamburg"],
        )
        assert [piece["query"] for piece in result["evidence"]] == ["Brahms", "Hamburg"]
        assert "[Page 0] A page about Hamburg" in model.asked[2][-1].text
        assert "Born where?" in model.asked[2][2].text

    @pytest.mark.parametrize("most", [1, 3])
    async def test_it_is_bounded_and_coming_to_nothing_is_an_error(self, most: int) -> None:
        model = FakeChatModel(replies=["> Search Query: Brahms"])
        result = await draft("react", model=model, critique_calls=most)
        assert (len(model.asked), len(result["evidence"])) == (most, min(most - 1, 1))
        assert (result["text"], result["stopped"]) == ("", "error")
        assert "no answer was found" in result["reason"]

    @pytest.mark.parametrize("most", [1, 2])
    async def test_the_last_call_of_the_budget_answers(self, most: int) -> None:
        class Searches(FakeToolCaller):
            def _generate(self, messages: Any, *rest: Any, **more: Any) -> Any:
                last = self.offered[-1] == ["conclude"]
                self.replies[:] = [concludes(text=so("the Elbe")) if last else searches("Brahms")]
                return super()._generate(messages)

        model = Searches(replies=[""])
        result = await draft("react", model=model, max_calls=most)
        assert (result["answer"], len(model.asked), len(result["evidence"])) == ("the Elbe", most, most - 1)

    async def test_a_search_that_is_down_ends_it(self) -> None:
        model = FakeChatModel(replies=["> Search Query: Brahms"])
        result = await draft("react", model=model, search=FakeSearch(find=lambda query: 1 / 0))
        assert (len(model.asked), result["text"], result["stopped"]) == (1, "", "error")
        assert "division by zero" in result["reason"]

    async def test_garbage_is_an_error(self) -> None:
        result = await draft("react", "I would rather not say.", repairs=0)
        assert (result["stopped"], "no usable reply to `react`" in result["reason"]) == ("error", True)


class TestProgramOfThought:
    async def test_a_program_that_fails_is_a_draft_without_an_answer(self) -> None:
        result = await draft("program_of_thought", json.dumps({"code": "answer = 1 / 0"}))
        assert (result["text"], result["answer"]) == ("answer = 1 / 0", "")
        assert (result["stopped"], result["failures"]) == ("finished", [])
        assert "ZeroDivisionError" in result["evidence"][0]["text"]

    async def test_what_was_seen_is_kept(self) -> None:
        result = await draft("program_of_thought", ONCE["program_of_thought"][0])
        assert [piece["text"] for piece in result["evidence"]] == ["Execution: Done\nOutput: answer = 42"]
        assert result["usage"]["tool_runs"] == 1


class TestRejectionSampling:
    @pytest.mark.parametrize(
        ("answers", "chosen", "right"),
        [
            (["the Oder", "Elbe", "the Elbe"], 1, "2 of 3"),
            (["the Oder", "the Elbe river", "the Rhine"], 1, "0 of 3"),
            (["the Elbe river", "the Elbe"], 1, "1 of 2"),
            (["the Oder", "the Rhine"], 0, "0 of 2"),
        ],
        ids=["the first right one", "the nearest", "right before near", "none"],
    )
    async def test_the_best_by_the_right_answer(self, answers: list[str], chosen: int, right: str) -> None:
        result = await draft("rejection_sampling", *map(so, answers), samples=len(answers))
        assert result["answer"] == answers[chosen]
        assert result["reason"] == f"a draft: {right} samples are right"

    @pytest.mark.parametrize("gold", [None, []])
    async def test_without_a_right_answer_it_says_so(self, gold: Any) -> None:
        given = {"question": RIVER} if gold is None else {"question": RIVER, "gold": gold}
        with pytest.raises(ConfigurationError, match="give them in `gold`"):
            await load("rejection_sampling").ainvoke(given, context=Context(model=FakeChatModel(replies=["x"])))


class TestRejectionSamplingOfPrograms:
    @pytest.mark.parametrize(
        ("programs", "chosen", "reason"),
        [
            (["1 / 0", "41", "42", "42", "6 * 7"], "42", "2 of 4"),
            (["1 / 0", "41", "40"], "41", "0 of 3"),
            (["1 / 0", "2 / 0"], "1 / 0", "0 of 2"),
            (["41", "42.0"], "42.0", "1 of 2"),
        ],
        ids=["the first right one, each run once", "one with a result", "none has one", "the same number"],
    )
    async def test_the_one_that_comes_to_the_right_answer(self, programs: list[str], chosen: str, reason: str) -> None:
        replies = [json.dumps({"code": f"answer = {each}"}) for each in programs]
        result = await draft("rejection_sampling_program", *replies, samples=len(replies))
        assert result["text"] == f"answer = {chosen}"
        assert result["reason"] == f"a draft: {reason} different programs come to the right answer"
        assert result["usage"]["tool_runs"] == len(set(programs))
        assert result["stopped"] == "finished"

    async def test_a_missing_program_may_have_been_right(self) -> None:
        replies = [json.dumps({"code": "answer = 41"}), DOWN]
        result = await draft("rejection_sampling_program", *replies, samples=2, repairs=0)
        assert (result["answer"], result["stopped"]) == ("41", "error")
        found = await draft("rejection_sampling_program", json.dumps({"code": "answer = 42"}), DOWN, samples=2)
        assert (found["answer"], found["stopped"]) == ("42", "finished")

    async def test_without_any_program_there_is_nothing_to_run(self) -> None:
        result = await draft("rejection_sampling_program", DOWN, samples=2)
        assert (result["text"], result["stopped"], result["usage"]["tool_runs"]) == ("", "error", 0)
        assert "the model is down" in result["reason"]

    async def test_without_a_right_answer_it_says_so(self) -> None:
        with pytest.raises(ConfigurationError, match="give them in `gold`"):
            await load("rejection_sampling_program").ainvoke({"question": RIVER}, context=Context())


class TestInFrontOfAnotherMethod:
    """`draft` puts each of them before CRITIC; with no rounds, what is drafted is what comes out."""

    @pytest.mark.parametrize("method", ["critic_qa", "critic"])
    @pytest.mark.parametrize("way", ["direct", "cot", "self_consistency", "react"])
    async def test_the_draft_is_the_same_as_alone(self, method: str, way: str) -> None:
        reply, _ = ONCE[way]
        alone = await draft(way, reply)
        task = "qa_critique" if method == "critic_qa" else "critique"
        critic = Scripted({"tool": "conclude", "conclusion": {"accepted": True}})
        result = await draft(method, reply, draft=way, backends={task: critic})
        assert [result[name] for name in ("original", "text", "answer")] == [
            alone[name] for name in ("original", "text", "answer")
        ]
        assert result["usage"]["llm_calls"] == alone["usage"]["llm_calls"]
        assert result["stopped"] == "accepted"
        assert critic.asked[0]["answer"] == alone["answer"]

    @pytest.mark.parametrize("way", ["direct", "cot", "self_consistency", "react"])
    async def test_a_draft_that_fails_is_not_critiqued(self, way: str) -> None:
        critic = Scripted(AssertionError("no critique was expected"))
        result = await draft("critic_qa", DOWN, draft=way, backends={"qa_critique": critic})
        assert (result["text"], result["stopped"], critic.asked) == ("", "error", [])
        assert "the model is down" in result["reason"]

    @pytest.mark.parametrize("method", METHODS)
    def test_it_is_known_which_methods_leave_the_choice(self, method: str) -> None:
        first = build_graph(method).nodes.get("draft")
        if first and isinstance(first.runnable, Drafting):  # with a way for each choice
            assert "draft" in METHODS[method].reads
        else:
            assert "draft" not in METHODS[method].reads

    def test_another_way_is_refused(self) -> None:
        with pytest.raises(ConfigurationError, match="self_consistency"):
            Context.model_validate({"draft": "program_of_thought"})


async def test_the_answer_of_a_rewritten_text_is_not_the_draft_of_it() -> None:
    """CRITIC on texts begins with a continuation, too."""
    model = FakeChatModel(replies=["you stupid idiot", "my dear friend"])
    result = await load("critic_toxicity").ainvoke({"question": "Come here,"}, context=Context(model=model))
    assert (result["original"], result["text"], result["answer"]) == ("you stupid idiot", "my dear friend", "")


class TestWithoutAChatModel:
    """What the embedded model would make up is looked up."""

    @pytest.mark.parametrize("method", ["rarr", "critic_qa", "critic"])
    async def test_a_question_is_answered_from_what_is_found(self, method: str) -> None:
        result = await load(method).ainvoke({"question": "How high is Mount Everest?"})
        assert "8,848.86 metres" in result["original"]
        assert (result["text"], result["failures"]) == (result["original"], [])
        assert result["stopped"] == ("finished" if method == "rarr" else "accepted")
        assert result["usage"]["llm_calls"] == 0

    async def test_one_that_nothing_answers_is_not_answered(self) -> None:
        result = await load("rarr").ainvoke({"question": "Why is the sky blue?"})
        assert (result["text"], result["stopped"]) == ("", "error")
        assert "search elsewhere" in result["reason"]

    def test_nothing_is_looked_up_where_no_tool_may_be_used(self) -> None:
        assert Context().draft_or("cot", looks_up=False) == "cot"
        assert Context().draft_or("cot") == "react"
        assert Context(draft="direct").draft_or("cot") == "direct"

    async def test_a_model_of_ones_own_writes_the_draft(self) -> None:
        model: Any = RunnableLambda(lambda asked: {"text": "Mount Everest is in Asia."})
        result = await load("rarr").ainvoke(
            {"question": "Where is Mount Everest?"}, context={"backends": {"draft": model}}
        )
        assert result["original"] == "Mount Everest is in Asia."
