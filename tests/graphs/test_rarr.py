"""RARR: however the gates are asked, the text comes out the same, and every edit can be followed."""

import asyncio
import re
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.runnables import RunnableLambda

from errata.graphs import rarr
from errata.models import task
from errata.models.tasks import TASKS
from errata.state import Context, replay
from errata.state.errors import ConfigurationError
from errata.state.methods.correction import CorrectionState

from ..fakes import (
    AGREES,
    DISAGREES,
    FakeChatModel,
    FakeSearch,
    Rewriting,
    Scripted,
    always,
    chance,
    context,
    fields_returned,
)

TEXT = "Alpha beta gamma delta epsilon. Zeta eta theta iota kappa lambda. Mu nu xi omicron pi rho sigma tau."
WAYS: list[dict[str, Any]] = [
    {"gating": "serial"},
    {"gating": "serial", "speculate_edits": True},
    *({"window": window} for window in (1, 2, 4, 64)),
    *({"window": window, "speculate_edits": True} for window in (2, 64)),
    {"gating": "joint"},
]


def world(seed: int, questions: int, opening: float, failing: float) -> dict[str, Any]:
    """Task models whose answers are chance, but always the same for the same text and question."""

    async def queries(task_input: dict[str, Any]) -> Any:
        return {"queries": [f"What is {number} in {task_input['text'][:12]}?" for number in range(questions)]}

    async def agreement(task_input: dict[str, Any]) -> Any:
        draw = chance(seed, "gate", task_input["text"], task_input["query"], task_input["evidence"])
        if draw.random() < failing:
            raise RuntimeError("the gate is stuck")
        return DISAGREES if draw.random() < opening else {**AGREES, "label": draw.choice(["entailment", "neutral"])}

    async def agreements(task_input: dict[str, Any]) -> Any:
        alone = [{**task_input, **pair} for pair in task_input["pairs"]]
        return {"agreements": [{"pair": n, **await agreement(each)} for n, each in enumerate(alone, 1)]}

    async def edit(task_input: dict[str, Any]) -> Any:
        text = task_input["text"]
        draw = chance(seed, "edit", text, task_input["query"], task_input["evidence"])
        if draw.random() < failing:
            raise RuntimeError("no pen")
        word = draw.choice(re.findall(r"\w+", text))
        after = draw.choice([f"W{draw.randint(0, 99)}", "", word, f"{word} " * 20, "a longer thing", "ε"])
        return {"text": text.replace(word, after, draw.randint(0, 2)) or "."}

    return {
        "queries": RunnableLambda(queries),
        "agreement": RunnableLambda(agreement),
        "agreements": RunnableLambda(agreements),
        "edit": RunnableLambda(edit),
        "search": FakeSearch(find=lambda query: [f"First on {query}.", f"Second on {query}."]),
        "max_evidence": 2,
        "max_edit_share": 1.0,
    }


def outcome(result: Any) -> Any:
    """All that must be the same. Only the order in which different passages are edited may be another."""
    order = [piece["id"] for piece in result["evidence"]]
    edits = sorted(result["edits"], key=lambda edit: order.index(edit["evidence"]))
    told = [[edit[name] for name in ("before", "after", "reason", "evidence", "applied")] for edit in edits]
    return told, {name: result[name] for name in ("original", "text", "verdicts", "evidence")}


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 10**6),
    questions=st.integers(0, 6),
    opening=st.sampled_from([0.0, 0.1, 0.6, 1.0]),
    failing=st.sampled_from([0.0, 0.0, 0.15]),
    passage_chars=st.sampled_from([200, 4_000]),
)
def test_however_the_gates_are_asked_the_result_is_the_same(passage_chars: int, **kind: Any) -> None:
    text = f"{TEXT} {TEXT.lower()} {TEXT.upper()}" if passage_chars == 200 else TEXT
    runs = [
        rarr.graph.invoke({"text": text}, context=context(passage_chars=passage_chars, **world(**kind), **way))
        for way in WAYS
    ]
    for run in runs:
        assert outcome(run) == outcome(runs[0])
        assert run["edits"] == runs[0]["edits"] or passage_chars == 200
        assert (run["stopped"], run["reason"]) == (runs[0]["stopped"], runs[0]["reason"]) or kind["failing"]
        assert replay(run["original"], run["edits"]) == run["text"]
        assert all(run["text"][part["start"] : part["end"]] == part["sentence"] for part in run["attribution"])


async def run(text: str = TEXT, **given: Any) -> Any:
    return await rarr.graph.ainvoke({"text": text}, context=context(**given))


async def opens_on_beta(task_input: dict[str, Any]) -> Any:
    return DISAGREES if "beta" in task_input["text"] else AGREES


MENDING: dict[str, Any] = {"agreement": RunnableLambda(opens_on_beta), "edit": Rewriting("beta", "BETA")}


async def test_speculation_asks_no_more_than_once_where_nothing_is_open() -> None:
    asked = []

    async def agreement(task_input: dict[str, Any]) -> Any:
        asked.append(task_input["query"])
        return AGREES

    await run(agreement=RunnableLambda(agreement), window=64)
    assert sorted(asked) == ["What is one?", "What is two?"]


async def test_gates_of_a_window_are_asked_at_once_and_serial_ones_are_not() -> None:
    most = {}
    for way in ("serial", "speculative"):
        under_way = peak = 0

        async def agreement(task_input: dict[str, Any]) -> Any:
            nonlocal under_way, peak
            under_way += 1
            peak = max(peak, under_way)
            await asyncio.sleep(0.01)
            under_way -= 1
            return AGREES

        queries = always({"queries": [f"What is {number}?" for number in range(8)]})
        await run(queries=queries, agreement=RunnableLambda(agreement), gating=way)
        most[way] = peak
    assert most == {"serial": 1, "speculative": 4}


async def test_joint_gates_are_one_request_and_those_after_an_edit_another() -> None:
    asked = []

    async def agreements(task_input: dict[str, Any]) -> Any:
        asked.append([pair["query"] for pair in task_input["pairs"]])
        said = [await opens_on_beta({**task_input, **pair}) for pair in task_input["pairs"]]
        return {"agreements": [{"pair": number, **each} for number, each in enumerate(said, 1)]}

    async def agreement(task_input: dict[str, Any]) -> Any:
        asked.append([task_input["query"]])
        return await opens_on_beta(task_input)

    queries = always({"queries": ["What is one?", "What is two?", "What is three?"]})
    alone, jointly = RunnableLambda(agreement), RunnableLambda(agreements)
    result = await run(
        queries=queries, agreement=alone, agreements=jointly, edit=Rewriting("beta", "BETA"), gating="joint"
    )
    assert asked == [["What is one?", "What is two?", "What is three?"], ["What is two?", "What is three?"]]
    assert "BETA" in result["text"]


@pytest.mark.parametrize(
    ("reply", "left_out"),
    [
        ({"agreements": [{"pair": 2, **AGREES}, {"pair": 7, **AGREES}]}, ["What is one?"]),
        ({"agreements": [{"pair": 1, **AGREES}, {"pair": 2, **AGREES}, {"pair": 2, **DISAGREES}]}, ["What is two?"]),
        ({"agreements": [{"pair": 3, **AGREES}]}, ["What is one?", "What is two?"]),
        (RuntimeError("too long"), ["What is one?", "What is two?"]),
    ],
)
async def test_pairs_that_were_not_compared_jointly_are_asked_about_alone(reply: Any, left_out: list[str]) -> None:
    asked = []

    async def agreement(task_input: dict[str, Any]) -> Any:
        asked.append(task_input["query"])
        return AGREES

    result = await run(agreement=RunnableLambda(agreement), agreements=always(reply), gating="joint")
    assert sorted(asked) == left_out
    assert [verdict["label"] for verdict in result["verdicts"]] == ["entailment", "entailment"]


async def test_a_gate_that_failed_ahead_and_was_asked_again_leaves_nothing_unchecked() -> None:
    async def agreement(task_input: dict[str, Any]) -> Any:
        if "one" in task_input["query"]:
            return await opens_on_beta(task_input)
        if "beta" in task_input["text"]:
            raise RuntimeError("down")
        return AGREES

    ways = [await run(agreement=RunnableLambda(agreement), edit=MENDING["edit"], window=window) for window in (1, 4)]
    assert [result["text"] for result in ways] == [TEXT.replace("beta", "BETA")] * 2
    assert [result["status"] for result in ways] == ["corrected", "corrected"]


async def test_an_edit_carries_the_evidence_that_asked_for_it() -> None:
    result = await run(**MENDING)
    (edit,) = result["edits"]
    assert result["text"] == TEXT.replace("beta", "BETA")
    assert (edit["before"], edit["after"], edit["start"], edit["end"]) == ("beta", "BETA", 6, 10)
    asking = next(piece for piece in result["evidence"] if piece["id"] == edit["evidence"])
    assert asking["text"] == "A page about What is one?"
    assert [verdict["label"] for verdict in result["verdicts"]] == ["contradiction", "entailment"]
    assert result["status"] == "corrected"


async def test_a_refused_edit_is_recorded_and_the_text_stays() -> None:
    result = await run(agreement=always(DISAGREES), edit=Rewriting("beta", "x" * 60))
    assert result["text"] == TEXT
    assert [edit["applied"] for edit in result["edits"]] == [False, False]
    assert all("more than 50" in edit["reason"] for edit in result["edits"])
    assert (result["status"], "2 checks: 2 unresolved" in result["reason"]) == ("unresolved", True)


@pytest.mark.parametrize(
    ("evidence", "text"),
    [
        ("Most fresh water on Earth is frozen in glaciers.", "Most fresh water on Earth is frozen in glaciers."),
        ("Fresh water is frozen in glaciers.", "frozen in glaciers."),
    ],
)
async def test_an_edit_that_leaves_out_what_the_evidence_has_corrects_nothing(evidence: str, text: str) -> None:
    given = "Most fresh water on Earth is frozen in glaciers."
    search = FakeSearch(find=lambda _: [evidence])
    edit = always({"text": "frozen in glaciers."})
    result = await run(given, max_edit_share=1.0, agreement=always(DISAGREES), edit=edit, search=search)
    assert result["text"] == text


@pytest.mark.parametrize(
    ("evidence", "edited", "applied"),
    [
        ("Adult moths do not eat. They live for 8 days.", "Adult moths feed on nothing.", False),
        ("Adult moths do not eat. They live for 9 days.", "Adult moths take no food and live for 9 days.", True),
        ("Adult moths do not eat. They soon die.", "Adult moths take no food and soon die.", True),
    ],
)
async def test_an_edit_takes_no_number_out_that_the_evidence_has(evidence: str, edited: str, applied: bool) -> None:
    given, search = "Adult moths take no food and live for 8 days.", FakeSearch(find=lambda _: [evidence])
    edit = always({"text": edited})
    result = await run(given, max_edit_share=1.0, agreement=always(DISAGREES), edit=edit, search=search)
    assert result["text"] == (edited if applied else given)


async def test_without_a_gate_every_pair_is_edited() -> None:
    shown = []

    async def edit(task_input: dict[str, Any]) -> Any:
        shown.append((task_input["query"], task_input["text"]))
        return {"text": task_input["text"].replace("beta", "BETA") if "two" in task_input["query"] else TEXT}

    result = await run(gate=False, agreement=always(RuntimeError("no gate")), edit=RunnableLambda(edit))
    assert shown == [("What is one?", TEXT), ("What is two?", TEXT)]
    assert (result["text"], result["status"]) == (TEXT.replace("beta", "BETA"), "corrected")
    assert [verdict["label"] for verdict in result["verdicts"]] == ["neutral", "contradiction"]
    assert [(edit["before"], edit["applied"]) for edit in result["edits"]] == [("beta", True)]


async def test_without_a_gate_an_edit_that_fails_or_is_too_large_is_no_verdict_on_the_text() -> None:
    failed = await run(gate=False, edit=always(RuntimeError("down")))
    assert (failed["text"], failed["status"], failed["stopped"]) == (TEXT, "not checked", "error")
    refused = await run(gate=False, edit=Rewriting("beta", "x" * 60))
    assert (refused["text"], refused["status"]) == (TEXT, "unresolved")
    unchanged = await run(gate=False, edit=always({"text": TEXT}))
    assert (unchanged["text"], unchanged["edits"]) == (TEXT, [])
    assert unchanged["status"] not in ("checked", "corrected")


async def test_sentences_are_looked_up_as_they_stand() -> None:
    asked = FakeSearch()
    await run(questions="sentence", queries=always(RuntimeError("no question")), search=asked)
    assert sorted(asked.searched) == sorted(f"{sentence}." for sentence in TEXT.removesuffix(".").split(". "))


async def test_several_passages_are_edited_at_once_with_spans_of_the_whole_text() -> None:
    text = " ".join(
        f"Passage {n} has the word wrong{n} in it, and so many other words that it is long." for n in range(9)
    )

    async def queries(task_input: dict[str, Any]) -> Any:
        return {"queries": [f"About {word}?" for word in re.findall(r"wrong\d", task_input["text"])]}

    async def agreement(task_input: dict[str, Any]) -> Any:
        return DISAGREES if task_input["query"].split()[1][:-1] in task_input["text"] else AGREES

    async def edit(task_input: dict[str, Any]) -> Any:
        word = task_input["query"].split()[1][:-1]
        return {"text": task_input["text"].replace(word, word.replace("wrong", "perfectly right "))}

    judged = {"agreement": RunnableLambda(agreement), "edit": RunnableLambda(edit)}
    result = await run(text, queries=RunnableLambda(queries), passage_chars=200, **judged)
    assert result["text"] == text.replace("wrong", "perfectly right ")
    assert replay(text, result["edits"]) == result["text"]
    assert len(result["edits"]) == 9


async def test_a_very_long_text_is_worked_through() -> None:
    sentences = [f"Fact {number} is about thing {number} and says little else of it." for number in range(3_500)]
    sentences[1_700] = sentences[1_700].replace("little", "beta")
    text = " ".join(sentences)
    assert len(text) > 200_000

    async def queries(task_input: dict[str, Any]) -> Any:
        return {"queries": [f"What of {task_input['text'][:9]}?"]}

    result = await run(text, queries=RunnableLambda(queries), **MENDING)
    assert result["text"] == text.replace("beta", "BETA")
    assert len(result["verdicts"]) > 50
    assert len(result["attribution"]) == 3_500


async def test_a_budget_holds_for_the_questions_of_many_passages() -> None:
    model = RepliesByTask(replies=[""])
    given = Context(model=model, search=FakeSearch(), cache=False, max_calls=5, passage_chars=200)
    result = await rarr.graph.ainvoke({"text": f"{TEXT} " * 10}, context=given)
    assert result["stopped"] == "budget"
    assert len(model.asked) <= 5


async def test_what_costs_no_call_goes_on_when_the_budget_is_spent() -> None:
    model = RepliesByTask(replies=[""])
    backends: dict[str, Any] = {"agreement": "rules", "edit": "rules"}
    given = Context(model=model, search=FakeSearch(), cache=False, max_calls=1, passage_chars=200, gating="serial")
    given = given.model_copy(update={"backends": backends})
    result = await rarr.graph.ainvoke({"text": f"{TEXT} " * 4}, context=given)
    assert result["stopped"] == "budget"  # a passage was asked nothing
    assert len(result["verdicts"]) == 5


@pytest.mark.parametrize("way", [{"gating": "serial"}, {"window": 4}, {"window": 4, "speculate_edits": True}])
@pytest.mark.parametrize("most", [1, 3, 5, 8])
async def test_a_budget_of_calls_ends_with_the_best_so_far(most: int, way: dict[str, Any]) -> None:
    model = RepliesByTask(replies=[""])
    result = await rarr.graph.ainvoke(
        {"text": TEXT}, context=Context(model=model, search=FakeSearch(), cache=False, max_calls=most, **way)
    )
    assert result["stopped"] == "budget"
    assert "budget" in result["reason"]
    assert replay(TEXT, result["edits"]) == result["text"]
    assert len(model.asked) <= most


class RepliesByTask(FakeChatModel):
    """Asks five questions, finds every gate open, and numbers its edits."""

    def _generate(self, messages: Any, *rest: Any, **more: Any) -> Any:
        system, request = messages[0].text, messages[-1].text
        if '"queries"' in system:
            self.replies[:] = ['{"queries": ["One?", "Two?", "Three?", "Four?", "Five?"]}']
        elif '"label"' in system:
            self.replies[:] = ['{"text_says": "a", "evidence_says": "b", "label": "contradiction"}']
        else:
            text = re.search(r"<text>\n(.*?)\n</text>", request, re.DOTALL)[1]  # type: ignore[index]
            self.replies[:] = [re.sub(r"\w+", r"\g<0>1", text, count=1)]
        return super()._generate(messages)


async def test_a_text_without_claims_is_left_alone() -> None:
    result = await run(queries=always({"queries": []}))
    assert (result["text"], result["status"], result["verdicts"]) == (TEXT, "not checked", [])
    assert [part["evidence"] for part in result["attribution"]] == [[], [], []]


async def test_finding_nothing_is_neutral() -> None:
    result = await run(search=FakeSearch(find=lambda query: []))
    assert [verdict["label"] for verdict in result["verdicts"]] == ["neutral", "neutral"]
    assert (result["text"], result["status"], result["failures"]) == (TEXT, "not checked", [])


async def test_rounds_of_questions_are_joined_in_order_without_repetition() -> None:
    rounds = count()

    async def queries(task_input: dict[str, Any]) -> Any:
        return {"queries": [["B?", "A?", " B? "], ["A?", "C?"], ["", "C?"]][next(rounds) % 3]}

    result = await run(queries=RunnableLambda(queries))
    assert [verdict["question"] for verdict in result["verdicts"]] == ["B?", "A?", "C?"]


async def test_the_same_search_is_carried_out_once() -> None:
    search = FakeSearch()
    result = await run(search=search)
    assert sorted(search.searched) == ["What is one?", "What is two?"]
    assert result["usage"]["searches"] == 2


@pytest.mark.parametrize("given", [{}, {"text": ""}, {"text": " \n"}, {"question": "  "}, {"text": "", "question": ""}])
async def test_nothing_to_check_is_the_callers_to_mend(given: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="give a text, or a question"):
        await rarr.graph.ainvoke(given, context=context())
    with pytest.raises(ConfigurationError, match="give a text, or a question"):
        rarr.graph.invoke(given, context=context())


async def test_a_question_alone_is_answered_and_the_answer_checked() -> None:
    seen = []

    async def agreement(task_input: dict[str, Any]) -> Any:
        seen.append((task_input["text"], task_input["question"]))
        return AGREES

    given = {"question": "What was drafted?"}
    result = await rarr.graph.ainvoke(given, context=context(agreement=RunnableLambda(agreement)))
    assert result["original"] == result["text"] == "The drafted text."
    assert set(seen) == {("The drafted text.", "What was drafted?")}


async def test_settings_may_be_a_dict_or_missing_or_wrong() -> None:
    given = context()
    as_dict = {name: getattr(given, name) for name in given.model_fields_set}
    assert (await rarr.graph.ainvoke({"text": TEXT}, context=as_dict))["text"] == TEXT
    with pytest.raises(ConfigurationError, match="window"):
        await rarr.graph.ainvoke({"text": TEXT}, context={"window": 0})


async def test_it_streams_what_happens_as_it_happens() -> None:
    slow = asyncio.Event()

    class SlowSearch(FakeSearch):
        async def _find(self, query: str, limit: int) -> Any:
            if "two" in query:
                await slow.wait()
            return await super()._find(query, limit)

    events = []
    async for event in rarr.graph.astream(
        {"text": TEXT}, context=context(search=SlowSearch(), **MENDING), stream_mode="custom"
    ):
        events.append(event)
        if event["step"] == "research" and event["question"] == "What is one?":
            slow.set()  # had this not come before the other search ended, it would never end
    assert [event["step"] for event in events] == [
        "questions",
        "research",
        "research",
        "gate",
        "gate",
        "edit",
        "gate",
        "attribute",
    ]
    edit = next(event["edit"] for event in events if event["step"] == "edit")
    assert edit["after"] == "BETA"


@pytest.mark.parametrize(
    "given",
    [
        MENDING,
        {**MENDING, "max_calls": 1},
        {"queries": always(RuntimeError("down"))},
        {"agreement": always(DISAGREES)},
        {"search": FakeSearch(find=lambda query: 1 / 0)},
    ],
    ids=["edits", "budget", "no questions", "no edit", "no search"],
)
async def test_steps_return_fields_of_the_state_and_no_others(given: dict[str, Any], monkeypatch: Any) -> None:
    returned = fields_returned(rarr, monkeypatch)
    graph = rarr.build().compile()
    await graph.ainvoke({"text": TEXT}, context=context(**given))
    assert returned
    assert returned <= set(CorrectionState.__annotations__)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("The Titanic sank on 15 May 1912.", "The Titanic sank on 15 April 1912."),
        ("Mars is the fifth planet from the Sun.", "Mars is the fourth planet from the Sun."),
        (
            "The United Nations has its headquarters in Geneva.",
            "The United Nations has its headquarters in New York City.",
        ),
        ("Magna Carta was written in English.", "Magna Carta was written in Latin."),
        ("The speed of light is about 200,000 km/s.", "The speed of light is about 300,000 km/s."),
        ("Beethoven wrote nine operas.", "Beethoven wrote one opera."),
        ("You fools, the Eiffel Tower was completed in 1899.", "You fools, the Eiffel Tower was completed in 1889."),
    ],
)
async def test_by_itself_it_corrects_what_a_sentence_of_the_shipped_corpus_says_otherwise(
    wrong: str, right: str
) -> None:
    result = await rarr.graph.ainvoke({"text": wrong}, context=Context(cache=False))
    assert (result["text"], result["status"]) == (right, "corrected")


async def test_a_make_of_no_task_is_the_callers_to_mend() -> None:
    with pytest.raises(ConfigurationError, match="there is no task `agrement`"):
        await rarr.graph.ainvoke({"text": "A fact."}, context=Context(backends={"agrement": "rules"}))


async def test_a_later_passage_is_asked_about_and_edited_in_view_of_what_stands_before_it() -> None:
    first = "Marie Curie was a physicist and a chemist, who lived in Paris for most of her life. " * 3
    second = "She was born in Kraków in 1867."
    models: dict[str, Any] = {
        "queries": Scripted({"queries": ["Where was she born?"]}),
        "agreement": Scripted(DISAGREES, DISAGREES, AGREES),
        "edit": Rewriting("Kraków", "Warsaw"),
    }
    way = context(**models, search=FakeSearch(find=lambda query: ["Warsaw."]), passage_chars=260, question_rounds=1)
    result = await rarr.graph.ainvoke({"text": first + second}, context=way)
    assert result["text"].startswith(first), "what stands before is not touched"
    for model in models.values():
        shown = {asked["text"]: asked["before"] for asked in model.asked}
        assert all(before == "" for text, before in shown.items() if text.startswith("Marie"))
        (before,) = (before for text, before in shown.items() if text.startswith("She"))
        assert before == first.strip()


async def test_rules_know_whom_a_later_passage_is_about() -> None:
    before = "Marie Curie was a physicist."
    asked = {"text": "She was born in Kraków.", "question": "", "before": before}
    assert (await task(Context(), TASKS["queries"]).ainvoke(asked)).queries == ["Where was Marie Curie born?"]
    pair = {
        **asked,
        "query": "Where was Marie Curie born?",
        "title": "Marie Curie",
        "evidence": "Marie Curie was born in Warsaw.",
    }
    assert (await task(Context(), TASKS["agreement"]).ainvoke(pair)).label == "contradiction"
    assert "Warsaw" in (await task(Context(), TASKS["edit"]).ainvoke(pair)).text


async def test_what_asks_the_same_is_asked_once_and_the_same_text_is_one_piece() -> None:
    rounds = [
        ["When was the tower opened?", "Where is the tower?"],
        ["In which year was the tower built?", "When was the tower opened"],
        ["What year was the tower built?", "when was tower opened?"],
    ]
    search = FakeSearch(find=lambda query: ["The tower in Paris was opened in 1889."])
    judge = Scripted(AGREES)
    way = context(queries=Scripted(*({"queries": asked} for asked in rounds)), agreement=judge, search=search)
    result = await rarr.graph.ainvoke({"text": "The tower in Paris was opened in 1889."}, context=way)
    assert [asked["query"] for asked in judge.asked] == [
        "When was the tower opened?",
        "Where is the tower?",
        "In which year was the tower built?",
    ]
    assert len(result["evidence"]) == 1


@pytest.mark.parametrize(("material", "status"), [("pear", "checked"), ("maple", "nothing found")])
async def test_a_sentence_of_which_a_part_was_not_found_is_checked_only_if_the_evidence_has_all_its_words(
    material: str, status: str
) -> None:
    text = f"The velling has four strings and a body of {material} wood."
    evidence = "The velling has four strings and a body of pear wood."
    queries = ["How many strings has the velling?", "What is its body made of?"]
    label = {queries[0]: "entailment", queries[1]: "neutral"}

    async def agreement(task_input: dict[str, Any]) -> Any:
        return {"text_says": "It has four strings.", "evidence_says": evidence, "label": label[task_input["query"]]}

    backends: dict[str, Any] = {
        "queries": Scripted({"queries": queries}),
        "agreement": RunnableLambda(agreement),
        "edit": Scripted({"text": text}),
    }
    search = FakeSearch(find=lambda query: [("Velling", evidence)])
    result = await rarr.graph.ainvoke({"text": text}, context=Context(backends=backends, search=search, cache=False))
    assert [verdict["label"] for verdict in result["verdicts"]] == ["entailment", "neutral"]
    assert result["attribution"][0]["status"] == status
    assert (result["status"] == "checked") == (status == "checked")
