"""Which backend carries out a task, and what a task model of the caller's may return."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda
from pydantic import BaseModel

from errata.models import backend, check_backends, task
from errata.models.tasks import TASKS
from errata.models.tasks.claims import CHECK, Judgements
from errata.models.tasks.correction import Agreement, Revision
from errata.state import Context
from errata.state.errors import ConfigurationError, ModelError

from ..fakes import AGREES, FakeChatModel, always

RARR = ("draft", "queries", "rank", "agreement", "edit")
PAIR = {"text": "It opened in 1885.", "question": "", "query": "When?", "evidence": "In 1883.", "title": "Bridge"}


def test_the_embedded_model_drafts_and_rules_do_the_rest() -> None:
    assert {name: backend(Context(), TASKS[name]).name for name in RARR} == {
        "draft": "chat",
        "queries": "rules",
        "rank": "rules",
        "agreement": "rules",
        "edit": "rules",
    }


def test_a_chat_model_takes_over_what_it_can() -> None:
    context = Context(model="openai:gpt-5-mini")
    backends = {name: backend(context, TASKS[name]).name for name in RARR}
    assert backends == {"draft": "chat", "queries": "chat", "rank": "rules", "agreement": "chat", "edit": "chat"}


def test_makes_can_be_mixed() -> None:
    context = Context(model="openai:gpt-5-mini", backends={"agreement": "rules", "rank": "cross_encoder"})
    assert backend(context, TASKS["agreement"]).name == "rules"
    assert backend(context, TASKS["rank"]).name == "cross_encoder"
    assert backend(context, TASKS["edit"]).name == "chat"


def test_a_runnable_of_the_callers_is_reported_by_its_name() -> None:
    async def my_judge(_: Any) -> Any:
        return AGREES

    assert backend(Context(backends={"agreement": RunnableLambda(my_judge)}), TASKS["agreement"]).name == "my_judge"


@pytest.mark.parametrize("name", ["rank", "draft"])
def test_a_make_that_a_task_does_not_come_in_is_refused(name: str) -> None:
    wrong = {"rank": "chat", "draft": "rules"}[name]
    with pytest.raises(ConfigurationError, match=rf"`{name}` has no backend `{wrong}`: use "):
        check_backends(Context(backends={name: wrong}), ["draft", name])  # type: ignore[dict-item]


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(
        ConfigurationError,
        match=r"no task `agrement`: did you mean `agreement` or `agreements`\? `errata prompts` lists",
    ):
        check_backends(Context(backends={"agrement": "rules"}), RARR)


def test_a_model_that_is_not_needed_is_not_looked_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ERRATA_EMBEDDED_MODEL", str(tmp_path / "missing.gguf"))
    check_backends(Context(), ["queries", "agreement"])
    with pytest.raises(ConfigurationError, match=r"missing\.gguf"):
        check_backends(Context(), ["draft"])


class MyAgreement(BaseModel):
    text_says: str = ""
    evidence_says: str = ""
    label: str = "neutral"


@pytest.mark.parametrize("output", [AGREES, Agreement.model_validate(AGREES)])
async def test_output_of_the_callers_runnable_becomes_the_tasks(output: Any) -> None:
    said = await task(Context(backends={"agreement": always(output)}), TASKS["agreement"]).ainvoke(PAIR)
    assert said == Agreement.model_validate(AGREES)


@pytest.mark.parametrize("output", [None, "yes", {}, {**AGREES, "label": "maybe"}, [AGREES], MyAgreement()])
async def test_output_that_is_none_of_the_tasks_is_a_model_error(output: Any) -> None:
    with pytest.raises(ModelError, match="`agreement` returned no Agreement") as raised:
        await task(Context(backends={"agreement": always(output)}), TASKS["agreement"]).ainvoke(PAIR)
    assert "\n" not in str(raised.value)


async def test_an_edit_of_the_callers_has_to_leave_a_text() -> None:
    with pytest.raises(ModelError, match="returned no Revision: "):
        await task(Context(backends={"edit": always({"text": ""})}), TASKS["edit"]).ainvoke(PAIR)


async def test_a_ranking_of_the_callers_has_to_score_every_passage() -> None:
    ranked = task(Context(backends={"rank": always({"scores": [1.0]})}), TASKS["rank"])
    with pytest.raises(ModelError, match="1 scores for 2 passages"):
        await ranked.ainvoke({"query": "x", "passages": ["a", "b"]})


async def test_whatever_the_callers_runnable_raises_is_a_model_error_in_one_line() -> None:
    for error in (KeyError("x"), RuntimeError("a\nb"), AssertionError(), StopAsyncIteration(), RecursionError("deep")):
        with pytest.raises(ModelError, match=r"`edit` \(RunnableLambda|answer") as raised:
            await task(Context(backends={"edit": always(error)}), TASKS["edit"]).ainvoke(PAIR)
        assert "\n" not in str(raised.value)


async def test_a_model_that_returns_no_text_is_an_error_that_says_so() -> None:
    context = Context(model=RunnableLambda(lambda x: x))
    with pytest.raises(ModelError, match="it must return text"):
        await task(context, TASKS["edit"]).ainvoke(PAIR)


async def test_makes_agree_on_the_form() -> None:
    tower = "The Eiffel Tower was completed in {}."
    task_input = {
        "text": tower.format(1899),
        "question": "",
        "query": "When was the Eiffel Tower completed?",
        "evidence": tower.format(1889),
        "title": "Eiffel Tower",
    }
    model = FakeChatModel(replies=[tower.format(1889)])
    for context in (Context(model=model), Context(backends={"edit": "rules"})):
        assert await task(context, TASKS["edit"]).ainvoke(task_input) == Revision(text=tower.format(1889))


@pytest.mark.parametrize("label", ["entailment", "contradiction"])
@pytest.mark.parametrize(("text_says", "evidence_says"), [("In 1885.", " "), ("", "In 1883."), ("", "")])
def test_where_one_side_says_nothing_nothing_is_decided(text_says: str, evidence_says: str, label: Any) -> None:
    assert Agreement(text_says=text_says, evidence_says=evidence_says, label=label).label == "neutral"


@pytest.mark.parametrize(
    ("numbers", "usable"), [([1, 2], True), ([2, 1, 3], True), ([1], False), ([1, 1, 2], False), ([2, 3], False)]
)
def test_each_claim_is_judged_once_and_judgements_of_others_are_left_out(numbers: list[int], usable: bool) -> None:
    reply = Judgements.model_validate(
        {"judgements": [{"claim": n, "label": "supported", "reason": f"It says {n}."} for n in numbers]}
    )
    problem = CHECK.problem({"claims": ["It opened.", "It closed."], "evidence": "It opened."}, reply)
    assert (problem is None) == usable
    if usable:
        assert [judgement.reason for judgement in reply.of(2)] == ["It says 1.", "It says 2."]
