"""The records of who carries tasks out, and what follows from them."""

from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda

from errata.models import BACKENDS, backend, task
from errata.models.tasks import TASKS
from errata.nodes.budget import UNBOUNDED, calls_left
from errata.state import Context

from ..fakes import AGREES, always


@pytest.mark.parametrize("name", TASKS)
def test_every_task_has_a_backend(name: str) -> None:
    assert backend(Context(), TASKS[name]) in BACKENDS.values()


@pytest.mark.parametrize(
    ("name", "settings", "chosen"),
    [
        ("respond", {}, "chat"),
        ("draft", {}, "chat"),
        ("agreement", {}, "rules"),
        ("check", {"nli": "some/folder"}, "nli"),
        ("agreement", {"nli": "some/folder", "model": "openai:gpt-5-mini"}, "nli"),
        ("agreement", {"nli": "some/folder", "backends": {"agreement": "rules"}}, "rules"),
        ("rank", {"cross_encoder": "some/folder"}, "rules"),
        ("queries", {"question_model": "some/folder"}, "seq2seq"),
        ("policy", {"policy_file": "some/file"}, "learned"),
        ("queries", {"question_model": "some/folder", "backends": {"queries": "rules"}}, "rules"),
    ],
)
def test_who_is_turned_to(name: str, settings: dict[str, Any], chosen: str) -> None:
    assert backend(Context(**settings), TASKS[name]).name == chosen


def test_a_runnable_of_the_callers_is_no_rule_whatever_it_is_called() -> None:
    mine = always(AGREES).with_config(run_name="rules")
    named: Any = RunnableLambda(lambda _: AGREES, name="rules")
    for runnable in (mine, named):
        chosen = backend(Context(backends={"agreement": runnable}), TASKS["agreement"])
        assert all((chosen.costs_calls, chosen.reads_pages, chosen.varies, chosen.knows, chosen.bears_out))
    context = Context(max_calls=3, backends={"agreement": named})
    assert calls_left({"usage": {"llm_calls": 1}}, context, TASKS["agreement"]) == 2
    assert calls_left({"usage": {"llm_calls": 1}}, Context(max_calls=3), TASKS["agreement"]) == UNBOUNDED


async def test_rules_are_asked_once_for_several_and_others_as_often_as_wanted() -> None:
    asked = 0

    async def judge(_: Any) -> Any:
        nonlocal asked
        asked += 1
        return AGREES

    context = Context(backends={"agreement": RunnableLambda(judge)})
    given = {"text": "It rains.", "question": "", "before": "", "query": "Does it?", "evidence": "Yes.", "title": ""}
    assert len(await task(context, TASKS["agreement"]).several(context, given, 3)) == asked == 3
    assert len(await task(Context(), TASKS["agreement"]).several(Context(), given, 3)) == 1


async def test_what_may_be_left_out_of_an_input_is_as_good_as_empty() -> None:
    given: Any = {"text": "It opened in 1885.", "query": "When did it open?", "evidence": "It opened in 1883."}
    whole = {**given, "question": "", "before": "", "title": ""}
    model = task(Context(), TASKS["agreement"])
    assert await model.ainvoke(given) == await model.ainvoke(whole)
