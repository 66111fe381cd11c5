"""RefChecker: every claim gets its label, from whatever passage and in whatever company it is checked."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver

from errata.graphs import refchecker
from errata.nodes.refchecker.localise import best_span
from errata.state import Context, Label
from errata.state.errors import ConfigurationError
from errata.state.methods.labels import merge
from errata.state.methods.refcheck import RefCheckState

from ..fakes import FakeChatModel, FakeSearch, Scripted, always, chance, equal_rank, fields_returned

QUESTION = "What is ibuprofen?"
RESPONSE = (
    "Ibuprofen is an NSAID that helps reduce inflammation, pain, and fever. "
    "Its side effects include nausea, giddiness and respiratory trouble."
)
REFERENCE = (
    "Common side effects of ibuprofen are headaches, dizziness and nausea. "
    "Difficulty breathing is not a side effect of ibuprofen."
)


def triplet(subject: str, predicate: str, object_: str, *sentences: int) -> dict[str, Any]:
    return {"subject": subject, "predicate": predicate, "object": object_, "sentences": list(sentences or [1])}


TRIPLETS = [
    triplet("Ibuprofen", "is", "an NSAID", 1),
    triplet("Ibuprofen", "helps reduce", "inflammation", 1),
    triplet("Ibuprofen", "helps reduce", "pain", 1),
    triplet("Ibuprofen", "helps reduce", "fever", 1),
    triplet("Ibuprofen", "has side effect", "nausea", 2),
    triplet("Ibuprofen", "has side effect", "giddiness", 2),
    triplet("Ibuprofen", "has side effect", "respiratory trouble", 2),
]
LABELS = {"nausea": "entailment", "respiratory trouble": "contradiction"}


def judged(label: Callable[[str], str]) -> Any:
    """A checker that goes by the claim alone."""

    async def judge(task_input: dict[str, Any]) -> Any:
        claims = enumerate(task_input["claims"], start=1)
        return {"judgements": [{"claim": n, "reason": "because", "label": label(claim)} for n, claim in claims]}

    return RunnableLambda(judge)


def context(**given: Any) -> Context:
    """Settings of a run in which nothing but fakes is asked. Tasks are named like `check=Runnable`."""
    backends = {
        "draft": always({"text": RESPONSE}),
        "extract": always({"claims": TRIPLETS}),
        "rank": RunnableLambda(equal_rank),
        "check": judged(lambda claim: "neutral"),
    }
    backends |= {name: given.pop(name) for name in (*backends, "extract_subsentences") if name in given}
    return Context(**{"search": FakeSearch(), "backends": backends, "cache": False, **given})


async def run(graph_input: Any = None, **given: Any) -> Any:
    graph_input = graph_input or {"text": RESPONSE, "references": [REFERENCE]}
    return await refchecker.graph.ainvoke(graph_input, context=context(**given))


def judgements(*labels: str) -> str:
    return json.dumps({"judgements": [{"claim": n, "reason": "", "label": x} for n, x in enumerate(labels, start=1)]})


class Pharmacist(FakeChatModel):
    """Answers by what it is asked, since checks come in any order."""

    replies: list[Any] = []  # noqa: RUF012

    def _generate(self, messages: Any, *rest: Any, **more: Any) -> Any:
        request = messages[-1].text
        self.replies[:] = [json.dumps({"claims": TRIPLETS})]
        if "<claims>" in request:
            asked = request.split("<claims>\n")[1].split("\n</claims>")[0].splitlines()
            self.replies[:] = [
                judgements(*(next((LABELS[end] for end in LABELS if line.endswith(end)), "neutral") for line in asked))
            ]
        return super()._generate(messages)


@pytest.mark.parametrize("question", ["", QUESTION])
async def test_the_ibuprofen_of_the_paper(question: str) -> None:
    model = Pharmacist()
    given: Any = {"text": RESPONSE, "question": question, "references": [REFERENCE]}
    result = await refchecker.graph.ainvoke(given, context=Context(model=model))
    labels = [claim["label"] for claim in result["claims"]]
    assert labels == [*["neutral"] * 4, "entailment", "neutral", "contradiction"]
    assert result["distribution"] == pytest.approx(
        {"entailment": 1 / 7, "neutral": 5 / 7, "contradiction": 1 / 7, "abstain": 0.0}
    )
    assert (result["strict"], result["major"], result["tied"]) == ("contradiction", "neutral", False)
    assert (result["stopped"], result["edits"], result["text"]) == ("finished", [], RESPONSE)
    assert result["reason"] == "7 claims: 1 supported, 1 contradicted, 5 undecided"
    assert [RESPONSE[claim["start"] : claim["end"]] for claim in result["claims"]] == [
        "NSAID",
        "inflammation",
        "pain",
        "fever",
        "nausea",
        "giddiness",
        "respiratory trouble",
    ]
    (passage,) = result["evidence"]
    assert [claim["evidence"] for claim in result["claims"]] == [*[""] * 4, passage["id"], "", passage["id"]]
    assert result["claims"][4]["quote"] == "Common side effects of ibuprofen are headaches, dizziness and nausea."
    assert result["verdicts"][4] == {
        "question": "Ibuprofen has side effect nausea",
        "label": "entailment",
        "reason": "",
        "evidence": passage["id"],
        "backend": "chat",
    }
    assert result["attribution"][1]["evidence"] == [passage["id"]]
    assert result["usage"]["llm_calls"] == 2  # one to extract, and all 7 fit in a call
    assert all((f"<question>\n{question}" in messages[-1].text) == bool(question) for messages in model.asked)


def test_the_rules_read_the_same_claims_and_decide_none_of_them() -> None:
    result: Any = refchecker.graph.invoke({"text": RESPONSE, "references": [REFERENCE]})
    assert [claim["content"] for claim in result["claims"]] == [
        "Ibuprofen is an NSAID",
        "Ibuprofen helps reduce inflammation",
        "Ibuprofen helps reduce pain",
        "Ibuprofen helps reduce fever",
        "the side effects of Ibuprofen include nausea",
        "the side effects of Ibuprofen include giddiness",
        "the side effects of Ibuprofen include respiratory trouble",
    ]
    # `are` for `include`, and `difficulty breathing` for `respiratory trouble`, are more than rules will answer for.
    assert {claim["label"] for claim in result["claims"]} == {"neutral"}
    assert {claim["backend"] for claim in result["claims"]} == {"rules"}
    assert result["usage"]["llm_calls"] == 0


def test_the_rules_decide_what_is_said_in_the_same_words() -> None:
    text = "Difficulty breathing is a side effect of ibuprofen. The Eiffel Tower was completed in 1889."
    references: list[Any] = ["The Eiffel Tower was completed in 1889.", REFERENCE]
    result: Any = refchecker.graph.invoke({"text": text, "references": references})
    assert [claim["label"] for claim in result["claims"]] == ["contradiction", "entailment"]
    titles = {piece["id"]: piece["source"] for piece in result["evidence"]}
    assert [titles[claim["evidence"]] for claim in result["claims"]] == ["reference 2", "reference 1"]


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 10**6),
    references=st.integers(1, 4),
    size=st.integers(1, 9),
    failing=st.sampled_from([0.0, 0.2]),
    claims=st.integers(1, 7),
)
def test_however_claims_are_packed_their_labels_are_the_same(
    seed: int, references: int, size: int, failing: float, claims: int
) -> None:
    def label(claim: str, passage: str) -> Label:
        draw = chance(seed, claim, passage)
        verdicts: list[Label] = ["entailment", "neutral", "contradiction"]
        return "error" if draw.random() < failing else draw.choice(verdicts)

    async def check(task_input: dict[str, Any]) -> Any:
        labels = [label(claim, task_input["evidence"]) for claim in task_input["claims"]]
        if "error" in labels:
            raise RuntimeError("the checker is stuck")
        return {"judgements": [{"claim": n, "reason": "", "label": one} for n, one in enumerate(labels, start=1)]}

    given: Any = {"text": RESPONSE, "references": [f"Reference number {number}." for number in range(references)]}
    ways: list[dict[str, Any]] = [{"checking": "single"}, {"joint_size": size}]
    backends = {"check": RunnableLambda(check), "extract": always({"claims": TRIPLETS[:claims]})}
    single, joint = (refchecker.graph.invoke(given, context=context(**backends, **way)) for way in ways)
    for claim, together in zip(single["claims"], joint["claims"], strict=True):
        assert claim["label"] == merge(label(claim["content"], one) for one in given["references"])
        if not failing:
            assert claim == together
        elif (
            together["label"] != "error"
        ):  # a call that fails takes its other claims with it, and never invents a label
            assert together["label"] == claim["label"] or claim["label"] == "error"
        assert RESPONSE[claim["start"] : claim["end"]].strip()
    for result in (single, joint):
        assert result["errors"] == sum(claim["label"] == "error" for claim in result["claims"])
        assert (result["stopped"] == "error") == bool(result["errors"])
        assert result["strict"] != "abstain"


WORDS = st.lists(st.sampled_from("the tower is not red 1889 埃菲尔 , . Lyon's of".split()), max_size=14).map(" ".join)


@given(words=WORDS, text=WORDS)
def test_a_span_begins_and_ends_with_a_word_of_the_claim(words: str, text: str) -> None:
    found = best_span(words, text, (0, len(text)))
    if found:
        _, start, end = found
        assert text[start:end].split()[0].strip(",.") in words or text[start] in words
        assert start < end <= len(text)
    else:
        assert not {word for word in words.split() if word in ("tower", "red", "1889")} & set(text.split())


async def test_calls_are_as_few_as_they_can_be_and_all_at_once() -> None:
    asked = Scripted()
    under_way = peak = 0

    async def check(task_input: dict[str, Any]) -> Any:
        nonlocal under_way, peak
        asked.asked.append(task_input)
        under_way += 1
        peak = max(peak, under_way)
        await asyncio.sleep(0.01)
        under_way -= 1
        return json.loads(judgements(*["neutral"] * len(task_input["claims"])))

    await run({"text": RESPONSE, "references": ["One.", "Two.", "Three."]}, check=RunnableLambda(check), joint_size=5)
    assert sorted(len(one["claims"]) for one in asked.asked) == [2, 2, 2, 5, 5, 5]
    assert peak == 6
    asked.asked.clear()
    await run({"text": RESPONSE, "references": ["One."]}, check=RunnableLambda(check), checking="single")
    assert [len(one["claims"]) for one in asked.asked] == [1] * 7


@pytest.mark.parametrize(("backend", "passages"), [("rules", 5), (judged(lambda claim: "neutral"), 1)])
async def test_a_long_reference_is_cut_for_small_checkers_only(backend: Any, passages: int) -> None:
    long = " ".join(f"Tower {number} of the old town is {number + 10} metres high." for number in range(80))
    result = await run({"text": RESPONSE, "references": [long]}, check=backend)
    assert len(result["evidence"]) == passages
    assert " ".join(piece["text"] for piece in result["evidence"]) == long


async def test_support_in_one_passage_outweighs_the_others_which_are_told_of() -> None:
    async def check(task_input: dict[str, Any]) -> Any:
        label = "entailment" if task_input["evidence"] == "Yes." else "contradiction"
        return json.loads(judgements(*[label] * len(task_input["claims"])))

    result = await run({"text": RESPONSE, "references": ["No.", "Yes.", "Not at all."]}, check=RunnableLambda(check))
    assert (result["strict"], result["stopped"]) == ("entailment", "finished")
    assert result["claims"][0]["reason"] == "(2 of 3 passages contradict it)"
    assert result["claims"][0]["quote"] == "Yes."


async def test_no_claims_are_an_abstention() -> None:
    result = await run(extract=always({"claims": []}), check=always(AssertionError("nothing is to be checked")))
    assert result["distribution"] == {"entailment": 0.0, "neutral": 0.0, "contradiction": 0.0, "abstain": 1.0}
    assert (result["strict"], result["major"], result["stopped"]) == ("abstain", "abstain", "finished")


async def test_claims_that_could_not_be_extracted_are_no_abstention() -> None:
    result = await run(extract=always(RuntimeError("down")))
    assert (result["distribution"], result["strict"], result["major"]) == (None, "error", "error")
    assert result["stopped"] == "error"
    assert "extract failed: `extract (answer)` failed: down" in result["reason"]


async def test_a_claim_that_is_made_twice_is_checked_once() -> None:
    twice = [TRIPLETS[0], triplet("ibuprofen", "is", "an  NSAID", 2), TRIPLETS[1]]
    result = await run(extract=always({"claims": twice}))
    assert [(claim["id"], claim["sentences"]) for claim in result["claims"]] == [("c1", [1, 2]), ("c2", [1])]


async def test_a_sentence_that_is_not_there_is_refused() -> None:
    result = await run(extract=always({"claims": [triplet("a", "b", "c", 3)]}))
    assert "there is no sentence 3: they are numbered from 1 to 2" in result["reason"]


async def test_a_long_response_is_taken_apart_in_pieces_with_one_numbering() -> None:
    text = " ".join(
        f"Thing number {number} is in its place, and has been there for a long time." for number in range(20)
    )

    async def extract(task_input: dict[str, Any]) -> Any:
        numbered = enumerate(task_input["sentences"], start=1)
        return {"claims": [triplet(" ".join(one.split()[:3]), "is", "place", n) for n, one in numbered]}

    result = await run({"text": text, "references": ["x"]}, extract=RunnableLambda(extract), passage_chars=200)
    assert [claim["sentences"] for claim in result["claims"]] == [[number] for number in range(1, 21)]
    starts = [part["start"] for part in result["attribution"]]
    assert all(starts[n] <= claim["start"] < starts[n] + 60 for n, claim in enumerate(result["claims"]))


async def test_subsentences() -> None:
    short = {"claims": [{"content": "Ibuprofen reduces pain and fever.", "sentences": [1]}]}
    result = await run(extract_subsentences=always(short), claim_format="subsentence")
    (claim,) = result["claims"]
    assert (claim["content"], claim["subject"]) == ("Ibuprofen reduces pain and fever.", "")
    assert RESPONSE[claim["start"] : claim["end"]] == "reduce inflammation, pain, and fever"


async def test_without_references_they_are_searched_for_sentence_by_sentence() -> None:
    search = FakeSearch()
    seen = []

    async def check(task_input: dict[str, Any]) -> Any:
        seen.append((task_input["evidence"], len(task_input["claims"])))
        return json.loads(judgements(*["entailment"] * len(task_input["claims"])))

    result = await run({"text": RESPONSE, "question": QUESTION}, search=search, check=RunnableLambda(check))
    first, second = RESPONSE.split(" Its")
    assert sorted(search.searched) == sorted([f"{QUESTION} {first}", f"{QUESTION} Ibuprofen Its{second}"])
    assert sorted(count for _, count in seen) == [3, 4]
    assert result["strict"] == "entailment"


async def test_finding_nothing_is_neutral_and_a_search_that_is_down_is_an_error() -> None:
    nothing = await run({"text": RESPONSE}, search=FakeSearch(find=lambda query: []))
    assert {claim["label"] for claim in nothing["claims"]} == {"neutral"}
    assert {claim["reason"] for claim in nothing["claims"]} == {"the search found nothing"}

    half = FakeSearch(find=lambda query: 1 / 0 if "NSAID" in query else ["A page."])
    result = await run({"text": RESPONSE}, search=half)
    assert [claim["label"] for claim in result["claims"]] == [*["error"] * 4, *["neutral"] * 3]
    assert result["distribution"]["neutral"] == 1.0
    assert (result["errors"], result["strict"], result["stopped"]) == (4, "error", "error")
    assert "research failed: " in result["reason"]


async def test_a_question_alone_is_answered_and_the_answer_checked() -> None:
    result = await run({"question": QUESTION, "references": [REFERENCE]})
    assert (result["original"], result["text"]) == (RESPONSE, RESPONSE)
    assert len(result["claims"]) == 7


async def test_a_passage_that_could_not_be_taken_apart_may_hold_what_is_wrong() -> None:
    """All claims that are known are supported, and the response is not."""

    async def extract(given: dict[str, Any]) -> Any:
        if given["sentences"][0] == "It is well known.":
            raise RuntimeError("down")
        return {"claims": TRIPLETS[:4]}

    given = {"text": f"{RESPONSE} {'It is well known. ' * 9}", "references": [REFERENCE]}
    more: dict[str, Any] = {"extract": RunnableLambda(extract), "check": judged(lambda claim: "entailment")}
    result = await run(given, **more, passage_chars=200)
    assert {claim["label"] for claim in result["claims"]} == {"entailment"}
    assert (result["strict"], result["major"], result["stopped"]) == ("error", "error", "error")
    assert result["quorum"]["passages"]["had"] == result["quorum"]["passages"]["asked"] - 1
    whole = await run(given, **{**more, "extract": always({"claims": TRIPLETS[:4]})}, passage_chars=200)
    assert (whole["strict"], whole["major"], whole["stopped"]) == ("entailment", "entailment", "finished")


async def test_a_draft_that_could_not_be_had_is_no_abstention() -> None:
    result = await run({"question": QUESTION, "references": [REFERENCE]}, draft=always(RuntimeError("down")))
    assert (result["strict"], result["stopped"], result["distribution"]) == ("error", "error", None)


AT_ONCE = [
    {**triplet, "label": "supported" if triplet["object"] == "nausea" else "not stated", "reason": ""}
    for triplet in TRIPLETS
]


async def test_a_short_response_with_one_reference_is_extracted_and_checked_in_one_call() -> None:
    model = FakeChatModel(replies=[json.dumps({"claims": AT_ONCE})])
    given: Any = {"text": RESPONSE, "references": [REFERENCE]}
    result = await refchecker.graph.ainvoke(given, context=Context(model=model, checking="at_once"))
    assert [claim["label"] for claim in result["claims"]] == ["neutral"] * 4 + ["entailment"] + ["neutral"] * 2
    assert RESPONSE[slice(*(result["claims"][4][end] for end in ("start", "end")))] == "nausea"
    assert result["claims"][4]["quote"] == "Common side effects of ibuprofen are headaches, dizziness and nausea."
    assert (result["stopped"], result["major"], result["strict"]) == ("finished", "neutral", "neutral")
    assert (result["usage"]["llm_calls"], len(model.asked)) == (1, 1)


async def test_a_reply_that_cannot_be_read_costs_no_claim() -> None:
    model = Pharmacist()
    ok = await refchecker.graph.ainvoke(
        {"text": RESPONSE, "references": [REFERENCE]},
        context=Context(
            model=model, checking="at_once", backends={"extract_and_check": always(RuntimeError("unreadable"))}
        ),
    )
    assert len(ok["claims"]) == 7
    assert (ok["stopped"], ok["strict"], len(model.asked)) == ("finished", "contradiction", 2)


async def test_a_draft_that_is_short_is_extracted_and_checked_in_one_call() -> None:
    model = FakeChatModel(replies=[RESPONSE, json.dumps({"claims": AT_ONCE})])
    given: Any = {"question": QUESTION, "references": [REFERENCE]}
    result = await refchecker.graph.ainvoke(given, context=Context(model=model, checking="at_once"))
    assert (len(result["claims"]), result["usage"]["llm_calls"]) == (7, 2)


async def test_no_claim_and_an_abstention_in_one_call() -> None:
    model = FakeChatModel(replies=['{"claims": []}'])
    given: Any = {"text": "I do not know.", "references": [REFERENCE]}
    result = await refchecker.graph.ainvoke(given, context=Context(model=model, checking="at_once"))
    assert (result["strict"], result["stopped"], result["claims"]) == ("abstain", "finished", [])


@pytest.mark.parametrize("most", [1, 2, 3])
async def test_a_budget_of_calls_leaves_the_rest_unchecked(most: int) -> None:
    model = Pharmacist()
    result = await refchecker.graph.ainvoke(
        {"text": RESPONSE, "references": [REFERENCE, "More."]},
        context=Context(model=model, max_calls=most, joint_size=5),
    )
    assert len(model.asked) == most
    assert result["stopped"] == "budget"
    assert result["errors"] >= 2 if most < 3 else result["errors"] == 6  # nausea is supported by what was read
    assert {claim["reason"] for claim in result["claims"] if claim["label"] == "error"} == {
        "the budget of model calls is spent"
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "give a text, or a question"),
        ({"text": " ", "references": ["x"]}, "give a text, or a question"),
        ({"text": "x", "references": ["", " \n"]}, "the references are empty"),
        ({"text": "x", "references": [{"title": "x"}]}, "a reference is a text"),
    ],
)
async def test_what_cannot_be_checked_is_the_callers_to_mend(given: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        await refchecker.graph.ainvoke(given, context=context())


async def test_a_thread_that_is_used_again_starts_from_nothing() -> None:
    graph = refchecker.build().compile(checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    given: Any = {"text": RESPONSE, "references": [REFERENCE]}
    first = await graph.ainvoke(given, thread, context=context())
    second = await graph.ainvoke(given, thread, context=context(extract=always({"claims": TRIPLETS[:1]})))
    assert (len(first["claims"]), len(second["claims"]), len(second["verdicts"])) == (7, 1, 1)
    assert second["usage"]["llm_calls"] == 0
    third = await graph.ainvoke(given | {"references": []}, thread, context=context(search=FakeSearch()))
    assert {piece["source"] for piece in third["evidence"]} == {"fake:0"}


@pytest.mark.parametrize(
    "given", [{}, {"max_calls": 1}, {"extract": always(RuntimeError("down"))}, {"check": always(RuntimeError("down"))}]
)
async def test_steps_return_fields_of_the_state_and_no_others(given: dict[str, Any], monkeypatch: Any) -> None:
    returned = fields_returned(refchecker, monkeypatch)
    await refchecker.build().compile().ainvoke({"text": RESPONSE}, context=context(**given))
    assert returned
    assert returned <= set(RefCheckState.__annotations__)


async def test_it_streams_what_happens_as_it_happens() -> None:
    given: Any = {"text": RESPONSE, "references": [REFERENCE]}
    events = [event async for event in refchecker.graph.astream(given, context=context(), stream_mode="custom")]
    assert [event["step"] for event in events] == ["extract", "references", "check", "aggregate"]
