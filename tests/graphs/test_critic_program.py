"""CRITIC on programs: the loop ends when it should, and the best program so far is never lost."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver

from errata.graphs import critic_program
from errata.state import Context, replay
from errata.state.errors import ConfigurationError, ToolError
from errata.state.methods.critic import ProgramState
from errata.state.text.values import same_answer

from ..fakes import FakeChatModel, Scripted

PIZZA = (
    "One pizza is cut into 8 slices and another one into 10. A family eats 12 slices. How many slices are left over?"
)
ONE_PIZZA = "slices = 8\neaten = 12\nanswer = slices - eaten"
BOTH_PIZZAS = "slices = 8 + 10\neaten = 12\nanswer = slices - eaten"
REJECTED = {"plausibility": "Slices cannot be negative.", "correctness": "Line 1 forgets a pizza.", "accepted": False}
THREAD: Any = {"configurable": {"thread_id": "1"}}
ACCEPTED = {"plausibility": "A few slices are plausible.", "correctness": "Every line is right.", "accepted": True}


def code(program: str) -> dict[str, str]:
    return {"code": program}


def scripted(
    *, draft: Any = ONE_PIZZA, critiques: Any = (REJECTED, ACCEPTED), corrections: Any = (BOTH_PIZZAS,)
) -> Any:
    """Task models for the three tasks; programs are given as they are, exceptions are raised."""
    return {
        "program": Scripted(draft if isinstance(draft, Exception) else code(draft)),
        "program_critique": Scripted(*critiques),
        "program_correction": Scripted(*(one if isinstance(one, Exception) else code(one) for one in corrections)),
    }


async def run(backends: dict[str, Any], graph_input: Any = None, **more: Any) -> Any:
    return await critic_program.graph.ainvoke(
        graph_input or {"question": PIZZA}, context=Context(backends=backends, **more)
    )


async def test_the_pizza_of_the_paper() -> None:
    replies = [code(ONE_PIZZA), REJECTED, code(BOTH_PIZZAS), ACCEPTED]
    model = FakeChatModel(replies=[json.dumps(reply) for reply in replies])
    result = await critic_program.graph.ainvoke({"question": PIZZA}, context=Context(model=model))

    shown = [messages[-1].text for messages in model.asked]
    assert all(PIZZA in request for request in shown)
    assert "Output: answer = -4" in shown[1]
    assert "Output: answer = -4" in shown[2]
    assert "Slices cannot be negative. Line 1 forgets a pizza." in shown[2]
    assert "Output: answer = 6" in shown[3]

    assert (result["original"], result["text"], result["answer"]) == (ONE_PIZZA, BOTH_PIZZAS, "6")
    assert result["stopped"] == "accepted"
    assert result["reason"] == "it passes after 1 round of correction"
    assert [verdict["label"] for verdict in result["verdicts"]] == ["contradiction", "entailment"]
    assert [piece["text"] for piece in result["evidence"]] == [
        "Execution: Done\nOutput: answer = -4",
        "Execution: Done\nOutput: answer = 6",
    ]
    assert [verdict["evidence"] for verdict in result["verdicts"]] == [piece["id"] for piece in result["evidence"]]
    (edit,) = result["edits"]
    assert edit["reason"] == "Slices cannot be negative. Line 1 forgets a pizza."
    assert edit["evidence"] == result["evidence"][1]["id"]
    assert (result["usage"]["llm_calls"], result["usage"]["tool_runs"]) == (4, 2)


async def test_rules_refuse_what_is_implausible_and_do_not_call_the_rest_right() -> None:
    backends = {**scripted(), "program_critique": "rules"}
    result = await run(backends)
    assert (result["answer"], result["stopped"]) == ("6", "accepted")
    assert [verdict["label"] for verdict in result["verdicts"]] == ["contradiction", "neutral"]


OBSERVED = {
    "answer = 1": "Execution: Done\nOutput: answer = 1",
    "# the same\nanswer = 1": "Execution: Done\nOutput: answer = 1",
    "answer = 3 - 2": "Execution: Done\nOutput: answer = 1",
    "answer = 2": "Execution: Done\nOutput: answer = 2",
    "answer = 'two'": "Execution: Done\nOutput: answer = two",
    "answer = 1 / 0": "Execution: ZeroDivisionError: division by zero (line 1)",
    "answer = None": "Execution: Done\nOutput: the variable `answer` holds no value, only None",
    "two = 2": "Execution: Done\nOutput: the program set no variable `answer`",
}
"""Programs, and what is seen of them when they are run."""


def answered(program: str) -> str:
    """What a program comes to, or nothing."""
    return OBSERVED[program].partition("answer = ")[2]


def stays(program: str, base: str) -> bool:
    """Whether a program comes to what the one before it came to: `two` is 2."""
    same = answered(program) and answered(base) and same_answer(answered(program), answered(base))
    return bool(same) or OBSERVED[program] == OBSERVED[base]


@settings(max_examples=60)
@given(
    programs=st.lists(st.sampled_from(sorted(OBSERVED)), min_size=5, max_size=5),
    accepts=st.lists(st.sampled_from([False, False, True]), min_size=5, max_size=5),
    caution=st.sampled_from(["paper", "evidence"]),
)
def test_the_answers_on_the_way_are_those_of_shorter_runs(
    programs: list[str], accepts: list[bool], caution: Any
) -> None:
    def run_for(rounds: int) -> Any:
        critiques = [{**(ACCEPTED if accepted else REJECTED)} for accepted in accepts]
        backends = scripted(draft=programs[0], corrections=programs[1:], critiques=critiques)
        context = Context(backends=backends, rounds=rounds, caution=caution)
        return critic_program.graph.invoke({"question": "?"}, context=context)

    whole = run_for(4)
    answers = [run_for(rounds)["answer"] for rounds in range(1, len(whole["answers"]) + 1)]
    assert whole["answers"] == answers
    assert not answers or answers[-1] == whole["answer"]


@settings(max_examples=150)
@given(
    programs=st.lists(st.sampled_from(sorted(OBSERVED)), min_size=7, max_size=7),
    accepts=st.lists(st.sampled_from([False, False, False, True]), min_size=7, max_size=7),
    rounds=st.integers(0, 6),
    patience=st.integers(1, 4),
)
def test_when_it_stops_and_with_what(programs: list[str], accepts: list[bool], rounds: int, patience: int) -> None:
    backends = scripted(
        draft=programs[0],
        corrections=programs[1:],
        critiques=[{"plausibility": "", "correctness": f"Critique {n}.", "accepted": a} for n, a in enumerate(accepts)],
    )
    result = critic_program.graph.invoke(
        {"question": "?"}, context=Context(backends=backends, rounds=rounds, patience=patience, caution="paper")
    )
    corrections = len(backends["program_correction"].asked)
    critiques = backends["program_critique"].asked

    # The base of a round is the last program that came to an answer, or while none did, the last one.
    bases, quiet = [programs[0]], [0]
    for program in programs[1 : corrections + 1]:
        dropped = bool(answered(bases[-1])) and not answered(program)
        bases.append(bases[-1] if dropped else program)
        quiet.append(quiet[-1] + 1 if dropped or stays(program, bases[-2]) else 0)
    assert corrections <= rounds
    assert [asked["observation"] for asked in critiques] == [OBSERVED[base] for base in bases[: len(critiques)]]
    assert [plain(asked["program"]) for asked in critiques] == [plain(base) for base in bases[: len(critiques)]]
    assert len(result["verdicts"]) == len(critiques)

    # It stops at the first of three things, and at no other.
    if quiet[-1] >= patience:
        assert (result["stopped"], len(critiques), quiet[-1]) == ("stable", corrections, patience)
    elif corrections < max(rounds, 1) and accepts[corrections] and answered(bases[-1]):
        assert result["stopped"] == "accepted"
    else:
        # As published, nobody critiques what the last correction wrote.
        assert (result["stopped"], corrections, len(critiques)) == ("rounds", rounds, max(rounds, 1))
    taken = [accepted and bool(answered(base)) for accepted, base in zip(accepts, bases, strict=False)]
    assert not any(taken[:corrections]), "a program that came to no answer is not accepted, whatever a critic says"
    labels = {True: {"entailment"}, False: {"contradiction", "neutral"}}
    assert all(v["label"] in labels[t] for v, t in zip(result["verdicts"], taken, strict=False))
    assert [v["label"] for v in result["verdicts"]].count("neutral") == sum(
        accepted and not t for accepted, t in zip(accepts[: len(critiques)], taken, strict=False)
    )
    assert result["reason"]

    # The text is the last program that came to an answer.
    best = next((base for base in reversed(bases) if answered(base)), programs[0])
    assert result["answer"] == answered(best)
    assert plain(result["text"]) == plain(best)
    assert replay(result["original"], result["edits"]) == result["text"]
    assert result["original"] == programs[0]

    # What only looks different from its base is not run again.
    tried = zip(bases, programs[1 : corrections + 1], strict=False)
    runs = [programs[0], *(program for base, program in tried if plain(program) != plain(base))]
    assert result["usage"]["tool_runs"] == len(runs)
    assert sorted(piece["query"] for piece in result["evidence"]) == sorted(set(runs))


@given(corrections=st.lists(st.sampled_from(sorted(OBSERVED)), min_size=4, max_size=4), patience=st.integers(1, 4))
def test_a_draft_that_ran_stays_where_no_correction_is_accepted(corrections: list[str], patience: int) -> None:
    for caution in ("evidence", "paper"):
        backends = scripted(draft=BOTH_PIZZAS, critiques=[REJECTED], corrections=corrections)
        result = critic_program.graph.invoke(
            {"question": PIZZA}, context=Context(backends=backends, patience=patience, caution=caution)
        )
        assert replay(result["original"], result["edits"]) == result["text"]
        assert result["stopped"] in ("stable", "rounds")
        assert result["status"] in ("corrected", "unresolved")
        assert (result["status"] == "corrected") == ("was not critiqued" in result["reason"])
        if caution == "evidence":
            assert (result["text"], result["answer"]) == (BOTH_PIZZAS, "6")
            assert len(result["unresolved"]) == 1


CORRECTED = "answer = 5"


def contested(others: list[Any], critiques: Any = (REJECTED, ACCEPTED)) -> Any:
    """A draft that ran, a critic who does not like it, another result, and programs for the question alone."""
    backends = scripted(draft=BOTH_PIZZAS, critiques=critiques, corrections=[CORRECTED])
    programs = [other if isinstance(other, Exception) else code(other) for other in others]
    return {**backends, "program": Scripted(code(BOTH_PIZZAS), *programs)}


@pytest.mark.parametrize(
    ("others", "answer"),
    [
        (["answer = 18 - 12"], "6"),
        (["answer = 10 - 5"], "5"),
        (["answer = 7", "answer = 18 - 12"], "6"),
        (["answer = 7", "answer = 1 / 0", "answer = 10 - 5"], "5"),
        (["answer = 7", "answer = 3 + 4"], "7"),
        (["answer = 7", "answer = 8", "answer = 9"], "6"),
    ],
)
async def test_between_a_draft_and_its_correction_the_result_that_is_reached_twice_decides(
    others: list[str], answer: str
) -> None:
    backends = contested(others)
    result = await run(backends)
    assert result["answer"] == result["answers"][-1] == answer
    assert replay(result["original"], result["edits"]) == result["text"]
    assert result["status"] == ("unresolved" if answer == "6" else "corrected")
    assert ("no program that was written for the question alone" in result["reason"]) == (answer == "6")
    assert len(backends["program"].asked) == 1 + len(others)
    assert all(set(asked) == {"question"} for asked in backends["program"].asked), "they saw neither of the two"
    assert len(backends["program_critique"].asked) == (1 if answer == "6" else 2)
    ran = [piece["query"] for piece in result["evidence"]]
    assert ran[-len(others) :] == others
    assert result["edits"][-1]["evidence"] in {piece["id"] for piece in result["evidence"]}


async def test_what_two_programs_came_to_stays_if_the_critic_rejects_it() -> None:
    backends = contested(["answer = 10 - 5"], critiques=[REJECTED])
    result = await run(backends)
    assert (result["text"], result["answer"], result["stopped"]) == (CORRECTED, "5", "stable")
    assert result["unresolved"]
    assert (len(backends["program_correction"].asked), len(backends["program_critique"].asked)) == (1, 2)


@pytest.mark.parametrize(
    ("others", "limits", "stopped"),
    [([ToolError("the model is down")], {}, "error"), (["answer = 5"], {"max_calls": 3}, "budget")],
)
async def test_a_correction_that_no_other_program_could_be_had_for_is_not_taken(
    others: list[Any], limits: dict[str, Any], stopped: str
) -> None:
    replies = [*map(json.dumps, (code(BOTH_PIZZAS), REJECTED, code(CORRECTED))), *others]
    model = FakeChatModel(replies=[each if isinstance(each, Exception) else str(each) for each in replies])
    result = await critic_program.graph.ainvoke({"question": PIZZA}, context=Context(model=model, **limits))
    assert (result["text"], result["answer"], result["stopped"]) == (BOTH_PIZZAS, "6", stopped)


async def test_as_published_whatever_the_critic_rejects_is_corrected() -> None:
    backends = scripted(
        draft=BOTH_PIZZAS, critiques=[REJECTED, REJECTED, ACCEPTED], corrections=[CORRECTED, "answer = 4"]
    )
    result = await run(backends, caution="paper")
    assert (result["answer"], result["stopped"]) == ("4", "accepted")
    assert len(backends["program"].asked) == 1


async def test_a_correction_that_nobody_judged_is_kept() -> None:
    model = FakeChatModel(replies=[json.dumps(each) for each in (code(ONE_PIZZA), REJECTED, code(BOTH_PIZZAS))])
    result = await critic_program.graph.ainvoke({"question": PIZZA}, context=Context(model=model, max_calls=3))
    assert (result["stopped"], result["text"], result["answer"]) == ("budget", BOTH_PIZZAS, "6")


def plain(program: str) -> str:
    return program.removeprefix("# the same\n")


async def test_a_program_that_fails_is_dropped_for_the_one_that_came_to_an_answer() -> None:
    backends = scripted(critiques=[REJECTED], corrections=["answer = 1 / 0", BOTH_PIZZAS])
    result = await run(backends, rounds=2, caution="paper")
    assert [asked["program"] for asked in backends["program_correction"].asked] == [ONE_PIZZA, ONE_PIZZA]
    first, second = (asked["failed_correction"] for asked in backends["program_correction"].asked)
    assert (first, second.splitlines()[0]) == ("", "answer = 1 / 0"), "the next correction is shown what failed"
    assert "ZeroDivisionError" in second
    assert [asked["observation"] for asked in backends["program_critique"].asked] == [
        "Execution: Done\nOutput: answer = -4",
        "Execution: Done\nOutput: answer = -4",
    ], "nobody critiques what the last correction wrote"
    assert result["answer"] == "6"
    assert "the last correction was not critiqued" in result["reason"]


async def test_a_program_of_the_callers_own() -> None:
    backends = scripted(draft=AssertionError("no draft was expected"))
    result = await run(backends, {"text": ONE_PIZZA, "question": PIZZA})
    assert (result["original"], result["text"]) == (ONE_PIZZA, BOTH_PIZZAS)
    alone = await run(scripted(critiques=[ACCEPTED]), {"text": ONE_PIZZA})
    assert (alone["text"], alone["answer"], alone["stopped"]) == (ONE_PIZZA, "-4", "accepted")


@pytest.mark.parametrize("graph_input", [{}, {"text": " \n"}, {"question": " "}, {"text": "", "question": ""}])
async def test_nothing_to_solve_is_the_callers_to_mend(graph_input: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="give a text, or a question"):
        await critic_program.graph.ainvoke(graph_input, context=Context(backends=scripted()))
    with pytest.raises(ConfigurationError, match="give a text, or a question"):
        critic_program.graph.invoke(graph_input, context=Context(backends=scripted()))


async def test_no_rounds_run_and_judge_and_correct_nothing() -> None:
    backends = scripted(corrections=[AssertionError("no correction was expected")])
    result = await run(backends, rounds=0)
    assert (result["text"], result["answer"], result["stopped"]) == (ONE_PIZZA, "-4", "rounds")
    assert "forgets a pizza" in result["reason"]
    assert [verdict["label"] for verdict in result["verdicts"]] == ["contradiction"]


async def test_without_tools_what_was_observed_is_hidden() -> None:
    replies = [code(ONE_PIZZA), REJECTED, code(BOTH_PIZZAS), ACCEPTED]
    model = FakeChatModel(replies=[json.dumps(reply) for reply in replies])
    result = await critic_program.graph.ainvoke({"question": PIZZA}, context=Context(model=model, use_tools=False))
    assert result["answer"] == "6"
    assert len(model.asked) == 4
    assert not any("Execution:" in messages[-1].text or "-4" in messages[-1].text for messages in model.asked)


@pytest.mark.parametrize("gold", ["6", "6.0", " 6 "])
async def test_the_right_answer_decides_where_it_is_known(gold: str) -> None:
    backends = scripted(critiques=[REJECTED, ACCEPTED], corrections=["answer = 7", BOTH_PIZZAS])
    result = await run(backends, {"question": PIZZA, "gold": [gold]})
    assert (result["answer"], result["stopped"]) == ("6", "accepted")
    assert [verdict["label"] for verdict in result["verdicts"]] == ["contradiction", "contradiction", "entailment"]
    assert {verdict["backend"] for verdict in result["verdicts"]} == {"oracle"}
    first, second = (asked["critique"] for asked in backends["program_correction"].asked)
    assert "Line 1 forgets a pizza." in first
    assert second == "The answer is wrong."  # which is all that is known where the critic finds no fault
    assert len(backends["program_critique"].asked) == 2


async def test_a_right_answer_is_not_corrected() -> None:
    backends = scripted(draft="answer = 'Ana'", corrections=[AssertionError("no correction was expected")])
    result = await run(backends, {"question": "Who?", "gold": ["ana"]})
    assert (result["answer"], result["stopped"], result["edits"]) == ("Ana", "accepted", [])


class NeverContent(FakeChatModel):
    """Writes another program every time, and accepts none."""

    def _generate(self, messages: Any, *rest: Any, **more: Any) -> Any:
        program = code(f"answer = {len(self.asked)}")
        self.replies[:] = [json.dumps(REJECTED if '"accepted"' in messages[0].text else program)]
        return super()._generate(messages)


@pytest.mark.parametrize("most", [1, 2, 3, 4, 8])
async def test_a_budget_of_calls_ends_with_the_best_so_far(most: int) -> None:
    model = NeverContent(replies=[""])
    result = await critic_program.graph.ainvoke(
        {"question": PIZZA}, context=Context(model=model, max_calls=most, caution="paper")
    )
    assert (result["stopped"], len(model.asked)) == ("budget", most)
    assert "budget" in result["reason"]
    assert result["answer"] == str((most - 1) // 2 * 2)
    assert result["usage"]["tool_runs"] == (most + 1) // 2


class Broken:
    """An interpreter that is down, from its second run on if it is told so."""

    def __init__(self, tool: Any) -> None:
        self.tool = tool

    async def execute(self, program: str) -> Any:
        if self.tool and program == ONE_PIZZA:
            return await self.tool.execute(program)
        raise ToolError("the sandbox did not start")


@pytest.mark.parametrize("first", [True, False])
async def test_an_interpreter_that_is_down(first: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from errata.nodes import runs
    from errata.tools import interpreter

    tool = None if first else interpreter(Context())
    monkeypatch.setattr(runs, "interpreter", lambda context: Broken(tool))
    backends = scripted(critiques=[REJECTED])
    result = await run(backends)
    assert result["text"] == ONE_PIZZA
    assert result["answer"] == ("" if first else "-4")
    assert result["failures"] == [{"step": "execute", "reason": "the sandbox did not start", "unchecked": True}]
    why, *still = result["reason"].split("; ")
    assert (result["stopped"], why) == ("error", "execute failed: the sandbox did not start")
    # Once a critique has found the program wrong, a correction that could not be run does not put it right.
    assert [each.partition(":")[0] for each in still] == ([] if first else ["the program is still wrong"])
    assert result["status"] == ("not checked" if first else "unresolved")
    assert len(result["verdicts"]) == len(backends["program_critique"].asked) == (0 if first else 1)


DOWN = RuntimeError("the model is down")


@pytest.mark.parametrize(
    ("step", "faulty", "text", "answer", "verdicts"),
    [
        ("draft", {"draft": DOWN}, "", "", []),
        ("critique", {"critiques": [DOWN]}, ONE_PIZZA, "-4", []),
        ("critique", {"critiques": [REJECTED, DOWN]}, BOTH_PIZZAS, "6", ["contradiction"]),
        ("correct", {"corrections": [DOWN]}, ONE_PIZZA, "-4", ["contradiction"]),
        (
            "correct",
            {"critiques": [REJECTED], "corrections": [BOTH_PIZZAS, DOWN]},
            BOTH_PIZZAS,
            "6",
            ["contradiction", "contradiction"],
        ),
    ],
    ids=["draft", "critique", "second critique", "correction", "second correction"],
)
async def test_a_model_that_is_down_ends_the_run_with_the_best_so_far(
    step: str, faulty: dict[str, Any], text: str, answer: str, verdicts: list[str]
) -> None:
    result = await run(scripted(**faulty))
    assert (result["text"], result["answer"]) == (text, answer)
    assert [verdict["label"] for verdict in result["verdicts"]] == verdicts
    (failure,) = result["failures"]
    assert (failure["step"], failure["unchecked"]) == (step, True)
    assert result["stopped"] == "error"
    assert result["reason"].startswith("" if step == "draft" else f"{step} failed: ")
    assert result["reason"].endswith("down") or step != "draft"
    assert "the model is down" in result["reason"]
    assert replay(result["original"], result["edits"]) == result["text"]
    # After a failure nothing is run that has been run, and nothing that was not written.
    assert result["usage"]["tool_runs"] == len({text, result["original"]} - {""})


def untimed(result: Any) -> Any:
    return {**result, "usage": {**result["usage"], "seconds": 0}}


async def test_every_face_gives_the_same_result() -> None:
    def asked() -> Any:
        return {"input": {"question": PIZZA}, "context": Context(backends=scripted())}

    result = await critic_program.graph.ainvoke(**asked())
    assert result["answer"] == "6"
    streamed = list(critic_program.graph.stream(**asked()))[-1]
    astreamed = [state async for state in critic_program.graph.astream(**asked())][-1]
    assert untimed(critic_program.graph.invoke(**asked())) == untimed(result)
    assert [untimed({name: last[name] for name in result}) for last in (streamed, astreamed)] == [untimed(result)] * 2


async def test_it_streams_what_happens() -> None:
    events = [
        event
        async for event in critic_program.graph.astream(
            {"question": PIZZA}, context=Context(backends=scripted()), stream_mode="custom"
        )
    ]
    assert [event["step"] for event in events] == [
        "draft",
        "execute",
        "critique",
        "correct",
        "execute",
        "edit",
        "critique",
    ]
    assert events[1]["observation"].endswith("answer = -4")
    assert events[5]["edit"]["after"] == BOTH_PIZZAS


class TestWithACheckpointer:
    """On one thread of a checkpointer that the caller brings."""

    @pytest.fixture
    def graph(self) -> Any:
        return critic_program.build().compile(checkpointer=InMemorySaver())

    async def go(self, graph: Any, **script: Any) -> Any:
        context = Context(backends=scripted(**script))
        return await graph.ainvoke({"question": PIZZA, "text": ONE_PIZZA}, THREAD, context=context)

    async def test_a_run_is_kept(self, graph: Any) -> None:
        result = await self.go(graph)
        state = await graph.aget_state(THREAD)
        assert state.next == ()
        assert {name: state.values[name] for name in result} == result
        assert set(state.values) <= set(ProgramState.__annotations__)

    async def test_a_run_that_was_interrupted_goes_on(self) -> None:
        graph = critic_program.build().compile(checkpointer=InMemorySaver(), interrupt_before=["correct"])
        await self.go(graph)
        assert (await graph.aget_state(THREAD)).next == ("correct",)
        result = await graph.ainvoke(None, THREAD, context=Context(backends=scripted(critiques=[ACCEPTED])))
        assert (result["original"], result["answer"], result["stopped"]) == (ONE_PIZZA, "6", "accepted")

    @pytest.mark.parametrize(
        "before", [{}, {"critiques": [DOWN]}, {"corrections": ["answer = 5", "answer = 4"], "critiques": [REJECTED]}]
    )
    async def test_a_new_run_on_the_thread_starts_afresh(self, graph: Any, before: dict[str, Any]) -> None:
        await self.go(graph, **before)
        fresh = critic_program.build().compile(checkpointer=InMemorySaver())
        assert untimed(await self.go(graph)) == untimed(await self.go(fresh))


VAGUE = {"plausibility": "It is possible.", "correctness": "I would do it differently.", "accepted": False}


@pytest.mark.parametrize(
    ("draft", "critique", "more", "corrected"),
    [
        (BOTH_PIZZAS, VAGUE, {}, False),
        (BOTH_PIZZAS, {**VAGUE, "correctness": "`eaten = 13` is wrong."}, {}, False),
        (BOTH_PIZZAS, {**VAGUE, "correctness": f"`{BOTH_PIZZAS.splitlines()[0]}` is wrong."}, {}, True),
        (BOTH_PIZZAS, {**VAGUE, "correctness": "Line 1 is wrong."}, {}, True),
        (BOTH_PIZZAS, VAGUE, {"caution": "paper"}, True),
        (ONE_PIZZA, VAGUE, {}, True),  # -4 slices are no plausible result
        ("x = 1", VAGUE, {}, True),
    ],
)
async def test_a_program_that_ran_is_corrected_only_where_the_critique_says_what_is_wrong(
    draft: str, critique: dict[str, Any], more: dict[str, Any], corrected: bool
) -> None:
    backends = scripted(draft=draft, critiques=[critique], corrections=["answer = 7"])
    await run(backends, rounds=1, **more)
    assert bool(backends["program_correction"].asked) is corrected
