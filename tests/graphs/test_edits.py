"""Edits: made wherever the words are wrong and nowhere else, refused with a reason that the model hears once."""

from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda

from errata.graphs import purr, rarr
from errata.models import task
from errata.state import Context, replay
from errata.state.errors import ModelError

from ..fakes import AGREES, DISAGREES, FakeChatModel, FakeSearch, Scripted, always, context

GIVEN = {"text": "", "question": "", "query": "When?", "evidence": "It says.", "title": "", "limit": "", "refused": ""}


async def run(text: str, wrong: Any, *edits: dict[str, Any], **settings: Any) -> tuple[dict[str, Any], Scripted]:
    """RARR with one question, over a gate that is open while `wrong` says so of the text."""

    async def agreement(asked: dict[str, Any]) -> Any:
        return DISAGREES if wrong(asked["text"]) else AGREES

    editor = Scripted(*edits)
    backends = {"queries": always({"queries": ["What?"]}), "agreement": RunnableLambda(agreement), "edit": editor}
    result = await rarr.graph.ainvoke({"text": text}, context=context(**backends, max_evidence=1, **settings))
    assert replay(text, result["edits"]) == result["text"]
    return result, editor


def edit(span: str, replacement: str, **more: Any) -> dict[str, Any]:
    return {"span": span, "replacement": replacement, **more}


async def test_words_that_are_wrong_each_time_are_replaced_each_time_and_other_tokens_are_left() -> None:
    text = "It holds 400 people. Its 400 seats are red; room 2,400 and the number 4005 are elsewhere, -400 is no seat."
    result, _ = await run(text, lambda now: "400 people" in now, edit("400", "200", everywhere=True))
    assert result["text"] == text.replace("400 people", "200 people").replace("400 seats", "200 seats")
    assert [change["applied"] for change in result["edits"]] == [True, True]


async def test_where_words_that_were_wrong_still_stand_the_gate_is_asked_again() -> None:
    text = "It opened in 1885. Since 1885 it has been free."
    changes = [edit("opened in 1885", "opened in 1883"), edit("Since 1885", "Since 1883")]
    result, editor = await run(text, lambda now: "1885" in now, *changes)
    assert result["text"] == text.replace("1885", "1883")
    assert len(editor.asked) == 2


async def test_words_that_are_right_elsewhere_stay_there() -> None:
    text = "The treaty is of 1885. The bridge opened in 1885."
    result, editor = await run(text, lambda now: "opened in 1885" in now, edit("opened in 1885", "opened in 1883"))
    assert result["text"] == "The treaty is of 1885. The bridge opened in 1883."
    assert len(editor.asked) == 1
    assert [verdict["label"] for verdict in result["verdicts"]] == ["contradiction"]


async def test_a_gate_that_never_closes_is_given_up() -> None:
    text = "It opened in 1885, and 1885 it was, and 1885, and 1885, and 1885 again, as everybody knows by now."
    changes = [edit("in 1885", "in 1883"), edit("1885 it was", "1883 it was"), edit("1885 again", "1883 again")]
    result, editor = await run(text, lambda now: True, *changes)
    assert len(editor.asked) == 3
    assert result["edits"][-1]["reason"].startswith("Refused: the evidence still contradicts the text after 3 edits")


@pytest.mark.parametrize(
    ("text", "span", "after"),
    [
        ("Newton’s “first” law", 'Newton\'s "first" law', "Newton's second law"),
        ("from 1914–1918 on", "from 1914-1918", "from 1914-1919"),
        ("in San\nFrancisco, they say", "San Francisco", "Los Angeles"),
        ("508\u00a0metres high", "508 metres", "452 metres"),
        ("it is said… often", "said... often", "said seldom"),
    ],
)
async def test_a_span_is_found_however_it_is_typed(text: str, span: str, after: str) -> None:
    text = f"Once more it is true that {text} and nothing else is to be said."
    result, _ = await run(text, lambda now: now == text, edit(span, after))
    assert [change["applied"] for change in result["edits"]] == [True]
    typed = after.replace("'", "’") if "’" in text else after.replace("-", "–") if "–" in text else after
    assert typed in result["text"]


@pytest.mark.parametrize(
    ("text", "span", "said"),
    [
        ("It cost 2,400 euros.", "400", "cuts `2,400` apart"),
        ("price*25 is it.", "*2", "cuts `25` apart"),
        ("It is 3.5 m.", "3", "cuts `3.5` apart"),
        ("It is -5 degrees.", "5", "cuts `-5` apart"),
        ("The Romans came.", "Roman", "cuts `Romans` apart"),
        ("It is so.", "was", "not a part of the text"),
        ("It is so.", " ", "`span` is empty"),
        ("A cat and a cat.", "cat", "occurs 2 times"),
    ],
)
async def test_a_model_is_told_what_is_wrong_with_its_span(text: str, span: str, said: str) -> None:
    model = FakeChatModel(replies=[f'{{"span": "{span}", "replacement": "x"}}'])
    with pytest.raises(ModelError, match=said.replace("`", ".")):
        await task(Context(model=model, repairs=0), "edit").ainvoke({**GIVEN, "text": text})


NO_SPACES = [("东京塔高452米。", "452"), ("고도는 서울이다.", "서울"), ("东京塔", "东京"), ("2400米高", "2400米")]


@pytest.mark.parametrize(("text", "span"), NO_SPACES)
async def test_where_a_script_has_no_spaces_any_place_is_an_end(text: str, span: str) -> None:
    model = FakeChatModel(replies=[f'{{"span": "{span}", "replacement": "x"}}'])
    revision = await task(Context(model=model, repairs=0), "edit").ainvoke({**GIVEN, "text": text})
    assert revision.span == span


LONG = "The tower stands in Lyon, where it has been seen by everyone in the city since it was built there long ago."


async def test_a_refused_edit_is_said_to_the_model_once_with_the_limit() -> None:
    changes = [edit("Lyon", "Paris, which is the capital of France and lies on the river Seine"), edit("Lyon", "Paris")]
    result, editor = await run(LONG, lambda now: "Lyon" in now, *changes)
    assert result["text"] == LONG.replace("Lyon", "Paris")
    first, second = editor.asked
    assert first["limit"] == "50 characters changed in one place"
    assert first["refused"] == ""
    assert "more than 50" in second["refused"]
    assert "Lyon → Paris, which" in second["refused"]


async def test_an_edit_that_is_refused_twice_is_recorded_once_and_the_text_stays() -> None:
    result, editor = await run(LONG, lambda now: True, edit("Lyon", "Lyon"))
    assert result["text"] == LONG
    assert len(editor.asked) == 2
    assert [change["reason"].splitlines()[0] for change in result["edits"]] == ["Refused: it changes nothing"]


async def test_the_same_quantity_in_another_form_is_no_change() -> None:
    text = "It is 508 metres high and was finished on 20 July 1969, long before the others were."
    result, _ = await run(text, lambda now: True, edit("508 metres", "508 m"), edit("20 July 1969", "July 20, 1969"))
    assert result["text"] == text


async def test_there_is_no_second_try_that_the_budget_has_no_call_for() -> None:
    model = FakeChatModel(
        replies=[
            '{"queries": ["Where does the tower stand?"]}',
            '{"text_says": "Lyon", "evidence_says": "Paris", "label": "contradiction"}',
            '{"span": "Lyon", "replacement": "Lyon"}',
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
