"""Edits: made wherever the words are wrong and nowhere else, refused with a reason that the model hears once."""

from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda

from errata.graphs import purr, rarr
from errata.models import task
from errata.models.tasks import TASKS
from errata.state import Context, replay
from errata.state.errors import ModelError

from ..fakes import AGREES, DISAGREES, FakeChatModel, FakeSearch, Scripted, always, context

Asked = list[dict[str, Any]]

GIVEN = {"text": "", "question": "", "query": "When?", "evidence": "It says.", "title": "", "refused": ""}


async def run(
    text: str, wrong: Any, *edits: tuple[str, str], **settings: Any
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """RARR with one question, over a gate that is open while `wrong` says so of the text."""

    async def agreement(asked: dict[str, Any]) -> Any:
        return DISAGREES if wrong(asked["text"]) else AGREES

    asked_for: Asked = []

    async def edit(asked: dict[str, Any]) -> Any:
        asked_for.append(asked)
        wrong_words, right_words = edits[min(len(asked_for), len(edits)) - 1]
        return {"text": asked["text"].replace(wrong_words, right_words)}

    questions = always({"queries": ["What?"]})
    backends = {"queries": questions, "agreement": RunnableLambda(agreement), "edit": RunnableLambda(edit)}
    settings = {"max_evidence": 1, "search": FakeSearch(find=lambda query: [f"A page about this: {text}"]), **settings}
    result = await rarr.graph.ainvoke({"text": text}, context=context(**backends, **settings))
    assert replay(text, result["edits"]) == result["text"]
    return result, asked_for


async def test_words_that_are_wrong_each_time_are_replaced_each_time_and_other_tokens_are_left() -> None:
    text = "It holds 400 people. Its 400 seats are red; room 2,400 and the number 4005 are elsewhere, -400 is no seat."
    right = text.replace("400 people", "200 people").replace("400 seats", "200 seats")
    result, _ = await run(text, lambda now: "400 people" in now, (text, right))
    assert result["text"] == right
    assert [change["applied"] for change in result["edits"]] == [True, True]


async def test_where_words_that_were_wrong_still_stand_the_gate_is_asked_again() -> None:
    text = "It opened in 1885. Since 1885 it has been free."
    changes = [("opened in 1885", "opened in 1883"), ("Since 1885", "Since 1883")]
    result, asked = await run(text, lambda now: "1885" in now, *changes)
    assert result["text"] == text.replace("1885", "1883")
    assert len(asked) == 2


async def test_words_that_are_right_elsewhere_stay_there() -> None:
    text = "The treaty is of 1885. The bridge opened in 1885."
    result, asked = await run(text, lambda now: "opened in 1885" in now, ("opened in 1885", "opened in 1883"))
    assert result["text"] == "The treaty is of 1885. The bridge opened in 1883."
    assert len(asked) == 1
    assert [verdict["label"] for verdict in result["verdicts"]] == ["contradiction"]


async def test_a_gate_that_never_closes_is_given_up() -> None:
    text = "It opened in 1885, and 1885 it was, and 1885, and 1885, and 1885 again, as everybody knows by now."
    changes = [("in 1885", "in 1883"), ("1885 it was", "1883 it was"), ("1885 again", "1883 again")]
    result, asked = await run(text, lambda now: True, *changes)
    assert len(asked) == 3
    assert result["edits"][-1]["reason"].startswith("Refused: the evidence still contradicts the text after 3 edits")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Newton’s “first” law of 1887", 'Newton\'s "first" law of 1687'),
        ("from 1914–1918 on, in 1887", "from 1914-1918 on, in 1687"),
        ("in San\nFrancisco, in 1887", "in San Francisco, in 1687"),
        ("508\u00a0metres high in 1887", "508 metres high in 1687"),
    ],
)
async def test_what_is_only_typed_in_another_way_stays_as_it_was(text: str, written: str) -> None:
    text, written = (f"Once more it is true that {each} and nothing else is to be said." for each in (text, written))
    result, _ = await run(text, lambda now: now == text, (text, written))
    assert result["text"] == text.replace("1887", "1687")
    assert [(change["before"], change["after"]) for change in result["edits"]] == [("1887", "1687")]


@pytest.mark.parametrize(
    ("text", "written", "before"),
    [
        ("It cost 2,400 euros.", "It cost 2,200 euros.", "2,400"),
        ("It is 3.5 m.", "It is 4.5 m.", "3.5"),
        ("It is -5 degrees.", "It is -7 degrees.", "5"),
        ("The Romans came.", "The Greeks came.", "Romans"),
        ("东京塔高452米。", "东京塔高333米。", "452"),
    ],
)
async def test_a_change_is_of_whole_words(text: str, written: str, before: str) -> None:
    result, _ = await run(text, lambda now: now == text, (text, written))
    assert [change["before"] for change in result["edits"]] == [before]
    assert result["text"] == written


async def test_what_stood_before_the_text_is_no_part_of_an_edit() -> None:
    model = FakeChatModel(replies=["It is old. It opened in 1883."])
    given = {**GIVEN, "text": "It opened in 1885.", "before": "It is old."}
    with pytest.raises(ModelError, match="begins with what stood before"):
        await task(Context(model=model, repairs=0), TASKS["edit"]).ainvoke(given)


async def test_facts_that_an_edit_adds_are_left_out_and_nothing_is_unresolved() -> None:
    added = " It was painted by many hands in many years and in many colours before it was painted brown."
    result, asked = await run(LONG, lambda now: "Lyon" in now, (LONG, LONG.replace("Lyon", "Paris") + added))
    assert result["text"] == LONG.replace("Lyon", "Paris")
    assert [change["applied"] for change in result["edits"]] == [True, False]
    assert (result["status"], result["unresolved"], len(asked)) == ("corrected", [], 1)


LONG = "The tower stands in Lyon, where it has been seen by everyone in the city since it was built there long ago."


async def test_a_refused_edit_is_said_to_the_model_once_with_the_limit() -> None:
    changes = [("Lyon", "Paris, which is the capital of France and lies on the river Seine"), ("Lyon", "Paris")]
    result, asked = await run(LONG, lambda now: "Lyon" in now, *changes)
    assert result["text"] == LONG.replace("Lyon", "Paris")
    first, second = asked
    assert first["refused"] == ""
    assert "more than 50" in second["refused"]
    assert "Lyon → Paris, which" in second["refused"]


async def test_an_editor_that_changes_nothing_is_not_asked_again_and_the_text_stays() -> None:
    result, asked = await run(LONG, lambda now: True, ("Lyon", "Lyon"))
    assert result["text"] == LONG
    assert len(asked) == 1
    assert [change["reason"].splitlines()[0] for change in result["edits"]] == ["Refused: it changes nothing"]


async def test_the_same_quantity_in_another_form_is_no_change() -> None:
    text = "It is 508 metres high and was finished on 20 July 1969, long before the others were."
    result, _ = await run(text, lambda now: True, ("508 metres", "508 m"), ("20 July 1969", "July 20, 1969"))
    assert result["text"] == text


async def test_there_is_no_second_try_that_the_budget_has_no_call_for() -> None:
    model = FakeChatModel(
        replies=[
            '{"queries": ["Where does the tower stand?"]}',
            '{"text_says": "Lyon", "evidence_says": "Paris", "label": "contradiction"}',
            LONG,
        ]
    )
    find = FakeSearch(find=lambda query: ["The tower stands in Paris."])
    given = Context(model=model, search=find, cache=False, max_calls=3, question_rounds=1)
    result = await rarr.graph.ainvoke({"text": LONG}, context=given)
    assert len(model.asked) == 3
    assert [change["applied"] for change in result["edits"]] == [False]


TEXT = "The tower was completed in 1899 and stands in Lyon. It is made of iron."
ADDED = " It was painted by many hands in many years and in many colours before it was painted brown."


async def test_one_long_addition_loses_no_other_change_of_a_fused_edit() -> None:
    wrong = TEXT.replace("1899", "1889").replace("Lyon", "Paris") + ADDED
    editor = Scripted({"text": wrong})
    backends = {"queries": always({"queries": ["When?"]}), "edit_all": editor}
    find = FakeSearch(find=lambda query: ["It was completed in 1889 and stands in Paris."])
    result = await purr.graph.ainvoke({"text": TEXT}, context=context(**backends, search=find))
    assert result["text"] == TEXT.replace("1899", "1889").replace("Lyon", "Paris")
    assert [change["applied"] for change in result["edits"]] == [True, True, False]


async def test_a_fused_editor_hears_what_was_refused_and_keeps_the_better_try() -> None:
    right = TEXT.replace("1899", "1889")
    editor = Scripted({"text": TEXT + ADDED}, {"text": right})
    backends = {"queries": always({"queries": ["When?"]}), "edit_all": editor}
    find = FakeSearch(find=lambda query: ["It was completed in 1889."])
    result = await purr.graph.ainvoke({"text": TEXT}, context=context(**backends, search=find))
    assert result["text"] == right
    assert [change["applied"] for change in result["edits"]] == [True]
    assert "more than 50" in editor.asked[1]["refused"]


async def test_changes_that_are_too_many_together_are_made_as_far_as_they_fit() -> None:
    editor = Scripted({"text": "Alpha two gamma completely else"})
    backends = {"queries": always({"queries": ["When?"]}), "edit_all": editor}
    find = FakeSearch(find=lambda query: ["two completely else"])
    result = await purr.graph.ainvoke(
        {"text": "Alpha one gamma delta epsilon"}, context=context(**backends, search=find)
    )
    assert result["text"].startswith("Alpha two gamma")
    assert [change["applied"] for change in result["edits"]] == [True, False]
