"""PURR: one fused edit, laid out as changes of words, each with the evidence that asked for it."""

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from errata.graphs import purr, rarr, tasks
from errata.models import backend, check_backends
from errata.models.tasks import TASKS
from errata.state import Context, replay
from errata.state.errors import ConfigurationError
from errata.state.methods.correction import CorrectionState

from ..fakes import FakeChatModel, FakeSearch, Scripted, always, chance, context
from ..reviewing import REJECT, edited, proposed

TEXT = "The tower was completed in 1899 and stands in Lyon. It is made of iron."
RIGHT = "The tower was completed in 1889 and stands in Paris. It is made of iron."
SAYS = {
    "When was the tower completed?": ["The tower was completed in 1889."],
    "Where does the tower stand?": ["The tower stands in Paris."],
    "What is the tower made of?": ["The tower is made of iron."],
}
METHODS = [(purr.graph, {}), (rarr.graph, {"editor": "fused"})]
"""PURR is RARR with a fused editor."""


def world(edit_all: Any, **more: Any) -> Context:
    says = {"queries": always({"queries": list(SAYS)}), "search": FakeSearch(find=lambda query: SAYS[query])}
    return context(**{**says, "question_rounds": 1, "edit_all": edit_all, **more})


def answer(text: str) -> Any:
    return always({"text": text})


@pytest.mark.parametrize(("graph", "way"), METHODS, ids=["purr", "rarr"])
async def test_the_worked_example(graph: Any, way: dict[str, Any]) -> None:
    editor = Scripted({"text": RIGHT})
    result = await graph.ainvoke({"text": TEXT}, context=world(editor, **way))
    assert result["text"] == RIGHT
    assert [(edit["before"], edit["after"]) for edit in result["edits"]] == [("1899", "1889"), ("Lyon", "Paris")]
    assert replay(TEXT, result["edits"]) == RIGHT
    (asked,) = editor.asked
    assert asked["text"] == TEXT
    assert [pair["query"] for pair in asked["pairs"]] == list(SAYS)
    cited = {piece["id"]: piece["text"] for piece in result["evidence"]}
    assert [cited[edit["evidence"]] for edit in result["edits"]] == [
        "The tower was completed in 1889.",
        "The tower stands in Paris.",
    ]
    assert [verdict["label"] for verdict in result["verdicts"]] == ["contradiction", "contradiction", "neutral"]
    assert "no gates" in result["verdicts"][2]["reason"]
    assert result["status"] == "corrected"
    assert all(part["evidence"] for part in result["attribution"][:1])


def test_the_two_faces_give_the_same() -> None:
    given = world(answer(RIGHT))
    assert purr.graph.invoke({"text": TEXT}, context=given)["text"] == RIGHT


async def test_a_text_that_is_left_alone_stays_and_nothing_is_claimed_of_it() -> None:
    result = await purr.graph.ainvoke({"text": TEXT}, context=world(answer(TEXT)))
    assert (result["text"], result["edits"], result["status"]) == (TEXT, [], "not checked")
    assert {verdict["label"] for verdict in result["verdicts"]} == {"neutral"}


async def test_white_space_that_the_editor_loses_is_kept() -> None:
    text = TEXT.replace(" It", "\n\n  It")
    result = await purr.graph.ainvoke({"text": text}, context=world(answer(RIGHT)))
    assert result["text"] == RIGHT.replace(" It", "\n\n  It")


async def test_a_name_that_no_evidence_has_is_not_put_in() -> None:
    result = await purr.graph.ainvoke({"text": TEXT}, context=world(answer(TEXT.replace("Lyon", "Vienna"))))
    assert result["text"] == TEXT
    (edit,) = result["edits"]
    assert not edit["applied"]
    assert edit["evidence"] == ""
    assert edit["reason"].startswith("Refused: no piece of evidence has it")
    assert {verdict["label"] for verdict in result["verdicts"]} == {"neutral"}


IRON = "The tower is made of wrought iron, in 1889 a new thing, and is not in Paris, Texas."


@pytest.mark.parametrize(
    ("after", "changes", "source"),
    [
        ("Paris", [], "Where"),  # of two that have the word, the one that says most of the words around it
        ("Paris", [{"before": "Lyon", "after": "Paris", "evidence": 3}], "What"),  # the editor says which
        ("Paris", [{"before": "iron", "after": "steel", "evidence": 3}], "Where"),  # that is another change
        ("the capital", [{"before": "Lyon", "after": "the capital", "evidence": 2}], "Where"),  # in its own words
        ("the capital", [{"before": "Lyon", "after": "the capital", "evidence": 9}], ""),
        ("the capital", [], ""),
    ],
)
async def test_a_change_cites_what_has_its_words_or_what_the_editor_names(
    after: str, changes: list[Any], source: str
) -> None:
    says = {**SAYS, "What is the tower made of?": [IRON]}
    editor = always({"text": TEXT.replace("Lyon", after), "changes": changes})
    search = FakeSearch(find=lambda query: says[query])
    result = await purr.graph.ainvoke({"text": TEXT}, context=world(editor, search=search))
    (edit,) = result["edits"]
    asked = {piece["id"]: piece["query"] for piece in result["evidence"]}
    assert asked.get(edit["evidence"], "").startswith(source)
    assert bool(edit["evidence"]) == bool(source)
    if source:
        assert edit["evidence"] == result["attribution"][0]["evidence"][0], "the sentence rests on it"


async def test_evidence_that_several_questions_find_is_read_once() -> None:
    editor = Scripted({"text": RIGHT})
    both = "The tower was completed in 1889. It stands in Paris."
    search = FakeSearch(find=lambda query: SAYS[query] if "made" in query else [both])
    result = await purr.graph.ainvoke({"text": TEXT}, context=world(editor, search=search))
    assert [pair["evidence"] for pair in editor.asked[0]["pairs"]] == [both, "The tower is made of iron."]
    assert len(result["evidence"]) == 2
    assert [verdict["label"] for verdict in result["verdicts"]] == ["contradiction", "contradiction", "neutral"]


@pytest.mark.parametrize("text", ["Something else altogether, of which nobody spoke before.", TEXT + " word" * 40])
async def test_a_rewrite_is_refused_and_recorded(text: str) -> None:
    result = await purr.graph.ainvoke({"text": TEXT}, context=world(answer(text)))
    assert result["text"] == TEXT
    assert result["edits"]
    assert not any(edit["applied"] for edit in result["edits"])
    assert result["status"] == "not checked"
    assert {verdict["label"] for verdict in result["verdicts"]} == {"neutral"}


@pytest.mark.parametrize("said", [{"text": ""}, {"text": " \n"}, RuntimeError("out of memory"), {}, None])
async def test_an_editor_that_fails_or_says_nothing_leaves_the_text_and_says_so(said: Any) -> None:
    result = await purr.graph.ainvoke({"text": TEXT}, context=world(always(said)))
    assert (result["text"], result["edits"]) == (TEXT, [])
    assert result["stopped"] == "error"
    assert [failure["step"] for failure in result["failures"]] == ["fuse"]
    assert {verdict["label"] for verdict in result["verdicts"]} == {"error"}
    assert [part["evidence"] for part in result["attribution"]] == [[], []]


async def test_a_search_that_is_down_is_an_error_and_the_rest_is_edited() -> None:
    def find(query: str) -> list[str]:
        if "When" in query:
            raise OSError("no route to host")
        return SAYS[query]

    given = world(answer(TEXT.replace("Lyon", "Paris")), search=FakeSearch(find=find))
    result = await purr.graph.ainvoke({"text": TEXT}, context=given)
    assert result["text"] == TEXT.replace("Lyon", "Paris")
    assert (result["stopped"], [verdict["label"] for verdict in result["verdicts"]]) == (
        "error",
        ["error", "contradiction", "neutral"],
    )


async def test_without_evidence_no_editor_is_asked() -> None:
    result = await purr.graph.ainvoke(
        {"text": TEXT}, context=world(always(RuntimeError("asked")), search=FakeSearch(find=lambda query: []))
    )
    assert (result["text"], result["status"]) == (TEXT, "not checked")


async def test_an_editor_reads_no_more_than_it_may() -> None:
    editor = Scripted({"text": TEXT})
    result = await purr.graph.ainvoke({"text": TEXT}, context=world(editor, fused_evidence=2))
    assert len(editor.asked[0]["pairs"]) == 2
    assert sum("did not read it" in verdict["reason"] for verdict in result["verdicts"]) == 1


async def test_passages_are_edited_at_once_with_spans_of_the_whole_text() -> None:
    text = " ".join(f"In part {n} of the text the word wrong stands among many others, it is long." for n in range(9))
    under_way = peak = 0

    async def edit_all(task_input: dict[str, Any]) -> Any:
        nonlocal under_way, peak
        under_way += 1
        peak = max(peak, under_way)
        await asyncio.sleep(0.01)
        under_way -= 1
        return {"text": task_input["text"].replace("wrong", "perfectly right").replace("many", "few")}

    given = context(
        queries=always({"queries": ["What stands there?"]}), edit_all=RunnableLambda(edit_all), passage_chars=200
    )
    result = await purr.graph.ainvoke({"text": text}, context=given)
    assert result["text"] == text.replace("wrong", "perfectly right").replace("many", "few")
    assert replay(text, result["edits"]) == result["text"]
    assert peak > 1


def wild(seed: int) -> Any:
    async def edit_all(task_input: dict[str, Any]) -> Any:
        draw = chance(seed, task_input["text"])
        words = [
            draw.choice([word, word, word, "", f"{word} not", "Paris", "巴黎."]) for word in task_input["text"].split()
        ]
        return {"text": " ".join(words) or "x"}

    return RunnableLambda(edit_all)


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.2, 1.0]), passage_chars=st.sampled_from([200, 4000]))
def test_whatever_the_editor_writes_the_edits_replay(seed: int, share: float, passage_chars: int) -> None:
    text = "\n".join([TEXT, "", TEXT.upper(), TEXT, TEXT])
    given = world(wild(seed), max_edit_share=share, passage_chars=passage_chars)
    result = purr.graph.invoke({"text": text}, context=given)
    assert replay(text, result["edits"]) == result["text"]
    assert all(result["text"][part["start"] : part["end"]] == part["sentence"] for part in result["attribution"])
    known = {piece["id"] for piece in result["evidence"]} | {""}
    assert all(edit["evidence"] in known for edit in result["edits"])


async def test_a_person_may_look_at_each_change() -> None:
    graph = purr.build().compile(checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    given = world(answer(RIGHT), review=True)
    paused = await graph.ainvoke({"text": TEXT}, thread, context=given)
    assert proposed(paused).after == "1889"
    assert "The tower was completed in 1889." in proposed(paused).description
    await graph.ainvoke(Command(resume=REJECT), thread, context=given)
    result = await graph.ainvoke(Command(resume=edited("the city of Paris")), thread, context=given)
    assert result["text"] == TEXT.replace("Lyon", "the city of Paris")
    assert replay(TEXT, result["edits"]) == result["text"]
    assert [edit["applied"] for edit in result["edits"]] == [False, True]


async def test_a_budget_that_is_spent_leaves_the_text() -> None:
    model = FakeChatModel(replies=['{"queries": ["When was the tower completed?"]}', '{"text": "never asked"}'])
    search = FakeSearch(find=lambda query: SAYS[query])
    given = Context(model=model, search=search, cache=False, max_calls=1)
    result = await purr.graph.ainvoke({"text": TEXT}, context=given)
    assert (result["text"], result["stopped"], len(model.asked)) == (TEXT, "budget", 1)
    more = given.model_copy(update={"max_calls": 2, "question_rounds": 1})
    with_date = TEXT.replace("1899", "1889")
    model.replies = ['{"queries": ["When was the tower completed?"]}', f'{{"text": "{with_date}"}}']
    assert (await purr.graph.ainvoke({"text": TEXT}, context=more))["text"] == with_date


async def test_it_runs_embedded_by_rules() -> None:
    text = "The Eiffel Tower was completed in 1899 and stands in Lyon."
    result = await purr.graph.ainvoke({"text": text}, context=Context(cache=False))
    assert result["text"] == "The Eiffel Tower was completed in 1889 and stands in Paris."
    assert {verdict["backend"] for verdict in result["verdicts"]} == {"rules"}
    assert result["usage"]["llm_calls"] == 0


def test_what_a_run_needs_follows_from_the_editor() -> None:
    assert "edit_all" in tasks("purr", Context(), drafting=False)
    assert tasks("rarr", Context(editor="fused"), drafting=False) == tasks("purr", Context(), drafting=False)
    assert "edit_all" not in tasks("rarr", Context(), drafting=False)


def test_a_model_that_is_named_is_the_one_that_edits() -> None:
    assert backend(Context(), TASKS["edit_all"]).name == "rules"
    assert backend(Context(model="openai:gpt-5-mini"), TASKS["edit_all"]).name == "chat"
    assert backend(Context(editor_model="some/folder"), TASKS["edit_all"]).name == "seq2seq"
    assert backend(Context(question_model="some/folder"), TASKS["queries"]).name == "seq2seq"
    assert backend(Context(editor_model="x", backends={"edit_all": "rules"}), TASKS["edit_all"]).name == "rules"
    with pytest.raises(ConfigurationError, match="name a folder or an id in `editor_model`"):
        check_backends(Context(backends={"edit_all": "seq2seq"}), ["edit_all"])


async def test_steps_return_fields_of_the_state_and_no_others() -> None:
    seen: set[str] = set()
    for editor in (answer(RIGHT), always(RuntimeError("down"))):
        stream = purr.graph.astream({"text": TEXT}, context=world(editor), stream_mode="updates")
        async for update in stream:
            seen |= {name for fields in update.values() for name in fields}
    assert seen <= set(CorrectionState.__annotations__)
