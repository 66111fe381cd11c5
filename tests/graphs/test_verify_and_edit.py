"""Verify-and-Edit: the gate by hand-computed cases, the worked example, review, and what becomes of failures."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from errata.graphs import verification, verify_and_edit
from errata.state import Context, replay
from errata.state.errors import ConfigurationError
from errata.state.methods.verification import Checking, Path, VerifyState, consistency, threshold

from ..fakes import FakeChatModel, FakeSearch, Scripted, always, equal_rank, fields_returned
from ..reviewing import APPROVE, REJECT, edited, proposed

QUESTION = "In which state is the college whose team the linebacker Jo Adler played for?"
CHAIN = (
    "First, the linebacker Jo Adler played for the Westfield Bears. Second, the Westfield Bears are the team of "
    "Westfield College. Third, Westfield College is in Ohio. The answer is Ohio."
)
OTHERS = [
    "First, Jo Adler played for the Lakeside Lions. The answer is Iowa.",
    "First, Jo Adler was a quarterback. The answer is Utah.",
]
KNOWN = {
    "Which team did the linebacker Jo Adler play for?": "The linebacker Jo Adler played for the Hillside Hawks.",
    "Which college has the Westfield Bears?": "The Westfield Bears are the team of Westfield College.",
    "In which state is Westfield College?": "",
}
"""What is asked of each sentence, and what the evidence says; of the last it says nothing."""
PAGES = {"team": "Adler joined the Hillside Hawks in 2004.", "college": "The Bears are Westfield's.", "state": "Hills."}
AFTER = CHAIN.replace("Jo Adler played for the Westfield Bears.", "Jo Adler played for the Hillside Hawks.").replace(
    "The answer is Ohio.", "The answer is Kansas."
)
THREAD: Any = {"configurable": {"thread_id": "1"}}


async def ask(given: dict[str, Any]) -> Any:
    words = {"Adler": "team", "College. ": "college", "are the team": "college", "in Ohio": "state"}
    about = next(kind for word, kind in words.items() if word in given["sentence"])
    return {"text": next(question for question in KNOWN if f" {about} " in question)}


async def tell(given: dict[str, Any]) -> Any:
    answer = KNOWN[given["question"]]
    return {"answerable": bool(answer), "text": answer}


def find(query: str) -> list[str]:
    return [page for word, page in PAGES.items() if f" {word} " in query]


def paths(*texts: str, logprobs: list[float | None] | None = None) -> dict[str, Any]:
    probable = logprobs or [None] * len(texts)
    return {"samples": [{"text": text, "logprob": p} for text, p in zip(texts, probable, strict=True)]}


def context(**settings: Any) -> Context:
    backends: dict[str, Any] = {
        "chains": always(paths(CHAIN, *OTHERS, OTHERS[0].replace("Iowa", "Oregon"), "I cannot tell.")),
        "verifying_question": RunnableLambda(ask),
        "verifying_answer": RunnableLambda(tell),
        "final_answer": always({"text": "The answer is Kansas."}),
        "rank": RunnableLambda(equal_rank),
    }
    backends |= {
        name: settings.pop(name) for name in list(settings) if name in (*backends, "claim_chains", "claim_answer")
    }
    return Context(**{"search": FakeSearch(find=find), "backends": backends, "cache": False, **settings})


async def run(given: dict[str, Any] | None = None, **settings: Any) -> Any:
    result = await verify_and_edit.graph.ainvoke(given or {"question": QUESTION}, context=context(**settings))
    assert replay(result["original"], result["edits"]) == result["text"]
    for part in result["attribution"]:
        assert result["text"][part["start"] : part["end"]] == part["sentence"]
    return result


async def test_the_worked_example() -> None:
    result = await run()
    assert (result["original"], result["text"]) == (CHAIN, AFTER)
    assert (result["original_answer"], result["answer"]) == ("Ohio", "Kansas")
    assert (result["consistency"], result["mode"], len(result["paths"])) == (1.0, "count", 5)
    assert [verdict["label"] for verdict in result["verdicts"]] == ["contradiction", "entailment", "neutral"]
    team, college, state = result["sentences"]
    assert team["before"] == "the linebacker Jo Adler played for the Westfield Bears."
    assert team["after"] == "the linebacker Jo Adler played for the Hillside Hawks."
    assert team["question"] == "Which team did the linebacker Jo Adler play for?"
    assert "Westfield Bears" not in team["question"], "what may be wrong is not asked with"
    assert (team["verified"], college["verified"], state["verified"]) == (True, True, False)
    assert college["after"] == college["before"]
    assert state["reason"] == "the evidence does not say"
    known = {piece["id"]: piece["text"] for piece in result["evidence"]}
    assert known[team["evidence"][0]] == PAGES["team"]
    assert [edit["after"] for edit in result["edits"]] == [team["after"], "The answer is Kansas."]
    assert result["stopped"] == "finished"
    assert result["reason"] == (
        "5 samples have a consistency of 1, below 3; 3 sentences: 1 corrected, 1 checked, 1 nothing found"
    )


async def test_what_the_samples_agree_on_is_left_alone() -> None:
    search = FakeSearch(find=find)
    agreed = [CHAIN, *OTHERS, CHAIN.replace("Ohio.", "ohio"), CHAIN.replace("is Ohio.", "is the Ohio")]
    result = await run(chains=always(paths(*agreed)), search=search)
    assert (result["text"], result["answer"], result["consistency"]) == (CHAIN, "Ohio", 3.0)
    assert (result["stopped"], result["edits"], result["sentences"], search.searched) == ("accepted", [], [], [])
    assert "not below 3, so nothing was looked up" in result["reason"]


@pytest.mark.parametrize(
    ("setting", "edited"), [(0, False), (1, False), (1.5, True), (2, True), (6, True), (None, True)]
)
async def test_the_threshold_is_strict(setting: float | None, edited: bool) -> None:
    result = await run(consistency_threshold=setting)
    assert bool(result["sentences"]) is edited


@pytest.mark.parametrize(
    ("answers", "logprobs", "mode", "score", "kept", "how"),
    [
        (["x", "b", "X.", "the x"], None, "count", 3.0, 0, "count"),
        (["x", "b", "B", "x"], None, "count", 2.0, 0, "count"),
        (["", "", ""], None, "count", 0.0, 0, "count"),
        (["", "unknown", "b"], None, "count", 1.0, 2, "count"),
        (["x", "x", "b"], [-1.0, -2.0, -0.1], "probability", math.exp(-0.1), 2, "probability"),
        (["x", "x", "b"], [-1.0, -0.5, -1.0], "probability", math.exp(-1) + math.exp(-0.5), 1, "probability"),
        (["x", "x", "b"], [-1.0, None, -1.0], "probability", 2.0, 0, "count"),
        (["x", "x", ""], [-1.0, -1.0, None], "probability", 2 * math.exp(-1), 0, "probability"),
        (["+", "-", "+"], None, "count", 2.0, 0, "count"),
    ],
)
def test_consistency(
    answers: list[str], logprobs: list[float | None] | None, mode: Any, score: float, kept: int, how: str
) -> None:
    probable = logprobs or [None] * len(answers)
    sampled = [Path(text=a, answer=a, logprob=p) for a, p in zip(answers, probable, strict=True)]
    found = consistency(sampled, mode)
    assert found[0] == pytest.approx(score)
    assert found[1:] == (kept, how)


ANSWERS = st.lists(st.sampled_from(["Paris", "paris.", "The Paris", "Rome", "unknown", "", "rome!"]), min_size=1)


@given(answers=ANSWERS, data=st.data())
def test_consistency_lies_between_nothing_and_all(answers: list[str], data: st.DataObject) -> None:
    logprobs = data.draw(st.lists(st.floats(-20, 0), min_size=len(answers), max_size=len(answers)))
    sampled = [Path(text=a, answer=a, logprob=p) for a, p in zip(answers, logprobs, strict=True)]
    counted, kept, _ = consistency(sampled, "count")
    weighed, place, mode = consistency(sampled, "probability")
    assert 0 <= weighed <= counted <= len(answers)
    assert counted == int(counted)
    assert mode == "probability"
    real = [a for a in answers if a not in ("unknown", "")]
    assert (counted == 0) is (not real)
    if real:
        assert answers[kept] in real
        assert answers[place] in real
    assert threshold(len(sampled), Context()) == -(-len(answers) // 2)
    assert consistency([{**path, "logprob": None} for path in sampled], "probability")[0] == counted


async def test_without_probabilities_samples_are_counted_and_it_is_said() -> None:
    result = await run(consistency="probability")
    assert result["mode"] == "count"
    assert [(each["step"], each["unchecked"]) for each in result["failures"]] == [("consistency", False)]
    assert "so samples were counted" in result["reason"]
    assert result["stopped"] == "finished"


async def test_probable_samples_are_weighed() -> None:
    sampled = paths(CHAIN, CHAIN.replace("Third", "Then"), OTHERS[0], logprobs=[-0.1, -0.2, -1.0])
    result = await run(chains=always(sampled), consistency="probability")
    assert result["consistency"] == pytest.approx(math.exp(-0.1) + math.exp(-0.2))
    assert result["mode"] == "probability"
    assert result["sentences"], "1.72 is below ceil(3 / 2)"


async def test_by_default_samples_are_weighed_where_that_is_possible_and_otherwise_counted_silently() -> None:
    sampled = paths(CHAIN, CHAIN.replace("Third", "Then"), OTHERS[0], logprobs=[-0.1, -0.2, -1.0])
    weighed = await run(chains=always(sampled))
    assert (weighed["mode"], weighed["consistency"]) == ("probability", pytest.approx(math.exp(-0.1) + math.exp(-0.2)))
    counted = await run()
    assert (counted["mode"], counted["failures"]) == ("count", [])
    assert "probabilities" not in counted["reason"]


async def test_no_answer_in_any_path_is_unsure() -> None:
    result = await run(chains=always(paths("First, Jo Adler played. Nobody knows more.", "Who can say?")))
    assert (result["consistency"], result["original_answer"], result["answer"]) == (0.0, "", "Kansas")
    assert result["sentences"]


async def test_what_a_model_goes_on_with_after_its_answer_is_not_its_answer() -> None:
    went_on = f"{CHAIN}\n\nQuestion: Who is it?\nFirst, it is I. The answer is Rome."
    result = await run(chains=always(paths(*[went_on] * 3)))
    assert (result["text"], result["answer"]) == (CHAIN, "Ohio")


async def test_by_default_each_sentence_sees_the_corrections_before() -> None:
    seen: list[str] = []

    async def spy(given: dict[str, Any]) -> Any:
        seen.append(given["rationale"])
        return await ask(given)

    parallel = await run(verifying_question=RunnableLambda(spy), chain=False)
    assert seen == ["", "", ""]
    seen.clear()
    chained = await run(verifying_question=RunnableLambda(spy))
    assert seen[0] == ""
    assert seen[1] == "First, the linebacker Jo Adler played for the Hillside Hawks."
    assert seen[2] == f"{seen[1]} Second, the Westfield Bears are the team of Westfield College."
    assert (chained["text"], chained["edits"]) == (parallel["text"], parallel["edits"])


async def test_a_chain_of_thought_of_ones_own_is_verified() -> None:
    chains = Scripted(AssertionError("nothing is to be sampled"))
    result = await run({"question": QUESTION, "text": CHAIN}, chains=chains)
    assert (result["text"], result["answer"], result["original_answer"]) == (AFTER, "Kansas", "Ohio")
    assert (result["consistency"], result["paths"]) == (None, [])


async def test_the_fact_of_a_sentence_that_ends_with_the_answer_is_verified() -> None:
    chain = "The linebacker Jo Adler played for the Westfield Bears, so the answer is Ohio."
    result = await run({"question": QUESTION, "text": chain})
    assert result["text"] == "The linebacker Jo Adler played for the Hillside Hawks, so the answer is Kansas."
    assert [verdict["label"] for verdict in result["verdicts"]] == ["contradiction"]


async def test_samples_of_ones_own_decide() -> None:
    chains = Scripted(AssertionError("nothing is to be sampled"))
    sure = await run({"question": QUESTION, "samples": [CHAIN] * 2, "text": "not looked at"}, chains=chains)
    assert (sure["text"], sure["consistency"], sure["stopped"]) == (CHAIN, 2.0, "accepted")
    unsure = await run({"question": QUESTION, "samples": [CHAIN, *OTHERS]}, chains=chains)
    assert unsure["text"] == AFTER


async def test_a_chain_of_thought_without_a_question_keeps_its_answer() -> None:
    result = await run({"text": CHAIN}, final_answer=always(AssertionError("there is no question")))
    assert result["answer"] == "Ohio"
    assert result["text"] == AFTER.replace("Kansas", "Ohio")


async def test_an_unchanged_chain_is_not_answered_from_again() -> None:
    result = await run(
        verifying_answer=always({"text": "The context does not say."}), final_answer=always(AssertionError())
    )
    assert (result["text"], result["answer"], result["stopped"]) == (CHAIN, "Ohio", "finished")


async def test_an_answer_that_is_none_never_takes_the_place_of_one() -> None:
    result = await run(final_answer=always({"text": "The answer is unknown."}))
    assert result["answer"] == "Ohio"
    assert [(each["step"], each["unchecked"]) for each in result["failures"]] == [("answer", False)]


async def test_evidence_comes_from_the_paragraphs_of_the_question() -> None:
    given = {"question": QUESTION, "paragraphs": ["Adler joined the Hillside Hawks. He was tall.", "Bears are here."]}
    result = await run(given, search="dataset")
    assert {piece["source"] for piece in result["evidence"]} == {"paragraph:1", "paragraph:2"}
    assert len(result["evidence"]) == 3
    assert all(sentence["evidence"] for sentence in result["sentences"])
    with pytest.raises(ConfigurationError, match="needs paragraphs with the question"):
        await run(search="dataset")


async def test_no_more_than_the_best_sentences_are_evidence() -> None:
    page = " ".join(f"Hawk {number} flew past." for number in range(9))

    async def rank(given: dict[str, Any]) -> Any:
        return {"scores": [float("Hawk 7" in each) + 2 * float("Hawk 3" in each) for each in given["passages"]]}

    result = await run(search=FakeSearch(find=lambda query: [page]), rank=RunnableLambda(rank), evidence_sentences=3)
    texts = {piece["id"]: piece["text"] for piece in result["evidence"]}
    assert {texts[number] for number in result["sentences"][2]["evidence"]} == {
        "Hawk 3 flew past.",
        "Hawk 7 flew past.",
    }


CLAIM = "Jo Adler played in Ohio."


@pytest.mark.parametrize(
    ("said", "label"), [("false", "REFUTES"), ("SUPPORTS the claim", "SUPPORTS"), ("not enough information", None)]
)
async def test_a_claim_is_judged(said: str, label: str | None) -> None:
    chain = CHAIN.replace("Ohio.", "true.")
    others = [OTHERS[0].replace("Iowa", "REFUTES"), OTHERS[1].replace("Utah", "Not enough info")]
    result = await run(
        {"question": CLAIM},
        claim=True,
        claim_chains=always(paths(chain, *others)),
        claim_answer=always({"text": f"The answer is {said}."}),
        verifying_question=RunnableLambda(lambda given: {"text": "Which team did the linebacker Jo Adler play for?"}),
    )
    assert [path["answer"] for path in result["paths"]] == ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
    assert result["original_answer"] == "SUPPORTS"
    assert result["answer"] == (label or "NOT ENOUGH INFO")


class TestWithACheckpointerAPersonReviews:
    """The run pauses at each sentence that would change, in order; the answer follows from what they say."""

    SAYS = always({"text": "Something else was found."})

    async def go(self, *answers: dict[str, Any], **settings: Any) -> Any:
        graph = verify_and_edit.build().compile(checkpointer=InMemorySaver())
        reviewed = context(review=True, **{"verifying_answer": self.SAYS, **settings})
        seen = []
        result = await graph.ainvoke({"question": QUESTION}, THREAD, context=reviewed)
        for answer in answers:
            seen.append(proposed(result))
            result = await graph.ainvoke(Command(resume=answer), THREAD, context=reviewed)
        assert "__interrupt__" not in result
        assert replay(result["original"], result["edits"]) == result["text"]
        return result, seen

    @pytest.mark.parametrize("chain", [False, True])
    async def test_accepts_rejects_and_rewrites(self, chain: bool) -> None:
        theirs = edited("Westfield College is in Kansas.")
        result, seen = await self.go(APPROVE, REJECT, theirs, APPROVE, chain=chain)
        assert [each.before[:12] for each in seen] == ["the lineback", "the Westfiel", "Westfield Co", "The answer i"]
        assert "Which team did the linebacker Jo Adler play for?" in seen[0].lines
        assert " ".join(PAGES["team"].split()) in seen[0].lines
        assert "Something else was found. Second" in seen[1].lines, "it is shown the text as it stands"
        assert result["text"] == (
            "First, Something else was found. Second, the Westfield Bears are the team of Westfield College. "
            "Third, Westfield College is in Kansas. The answer is Kansas."
        )
        assert [edit["applied"] for edit in result["edits"]] == [True, False, True, True]

    async def test_the_answer_is_theirs_too(self) -> None:
        sentences = [APPROVE] * 3
        kept, seen = await self.go(*sentences, REJECT)
        assert (seen[-1].before, seen[-1].after) == ("The answer is Ohio.", "The answer is Kansas.")
        assert (kept["answer"], kept["text"].rpartition(". ")[2]) == ("Ohio", "The answer is Ohio.")
        own, _ = await self.go(*sentences, edited("The answer is Utah."))
        assert (own["answer"], own["text"].rpartition(". ")[2]) == ("Utah", "The answer is Utah.")

    async def test_rejects_all(self) -> None:
        result, _ = await self.go(REJECT, REJECT, REJECT, final_answer=always(AssertionError("nothing changed")))
        assert (result["text"], result["answer"], result["stopped"]) == (CHAIN, "Ohio", "finished")
        assert "3 sentences: 3 unresolved" in result["reason"]

    async def test_an_answer_of_another_form_is_asked_for_again(self) -> None:
        _, seen = await self.go({"action": "shrug"}, APPROVE, APPROVE, APPROVE, APPROVE)
        assert (seen[1].before, "answer could not be used" in seen[1].lines) == (seen[0].before, True)

    async def test_a_new_run_on_the_thread_starts_afresh(self) -> None:
        graph = verify_and_edit.build().compile(checkpointer=InMemorySaver())
        given: Any = {"question": QUESTION, "text": ""}
        first = await graph.ainvoke(given, THREAD, context=context())
        again = await graph.ainvoke(given, THREAD, context=context())
        untimed = [{**result, "usage": {**result["usage"], "seconds": 0}} for result in (first, again)]
        assert untimed[0] == untimed[1]


DOWN = always(RuntimeError("it is down"))


async def test_no_sample_can_be_had() -> None:
    result = await run(chains=DOWN)
    assert (result["text"], result["stopped"], result["sentences"]) == ("", "error", [])
    assert "`chains (answer)` failed" in result["reason"]


@pytest.mark.parametrize("name", ["verifying_question", "rank", "verifying_answer"])
@pytest.mark.parametrize("chain", [False, True])
async def test_a_sentence_that_nobody_could_look_at_stays(name: str, chain: bool) -> None:
    down: Any = {name: DOWN}
    result = await run(**down, chain=chain)
    assert (result["text"], result["answer"], result["stopped"]) == (CHAIN, "Ohio", "error")
    assert [verdict["label"] for verdict in result["verdicts"]] == ["error"] * 3
    assert "it is down" in result["reason"]
    assert all(not sentence["verified"] for sentence in result["sentences"])


async def test_a_search_that_is_down_is_not_a_search_without_results() -> None:
    result = await run(search=FakeSearch(find=lambda query: 1 / 0 if "team" in query else []), chain=False)
    assert [verdict["label"] for verdict in result["verdicts"]] == ["error", "neutral", "neutral"]
    assert result["sentences"][1]["reason"] == "the search found nothing"
    assert result["stopped"] == "error"
    found_nothing = await run(search=FakeSearch(find=lambda query: []))
    assert (found_nothing["stopped"], found_nothing["text"]) == ("finished", CHAIN)


async def test_an_answer_that_cannot_be_had_leaves_the_corrections() -> None:
    result = await run(final_answer=DOWN)
    assert result["text"] == AFTER.replace("Kansas", "Ohio")
    assert (result["answer"], result["stopped"]) == ("Ohio", "error")
    assert "answer failed" in result["reason"]


class Model(FakeChatModel):
    """Samples by one request each, and answers by what it is shown."""

    def _generate(self, messages: Any, *rest: Any, **more: Any) -> Any:
        request = messages[-1].text
        if "<sentence>" in request:
            self.replies[:] = ["Which team did he play for?"]
        elif "<evidence>" in request:
            self.replies[:] = ['{"answerable": true, "text": "Another was found."}']
        elif "<rationale>" in request:
            self.replies[:] = ["The answer is Kansas."]
        else:
            self.replies[:] = [CHAIN]
        return super()._generate(messages)


@pytest.mark.parametrize("most", [1, 5, 6, 8, 10, 11, 12])
@pytest.mark.parametrize("chain", [False, True])
async def test_a_budget_of_calls_ends_with_the_best_so_far(most: int, chain: bool) -> None:
    model = Model(replies=[""])
    given = Context(
        model=model, search=FakeSearch(), cache=False, max_calls=most, consistency_threshold=9, chain=chain,
        backends={"rank": RunnableLambda(equal_rank)},
    )  # fmt: skip
    result = await verify_and_edit.graph.ainvoke({"question": QUESTION}, context=given)
    assert len(model.asked) <= most
    assert result["stopped"] == ("budget" if most < 12 else "finished")
    assert replay(result["original"], result["edits"]) == result["text"]
    assert result["answer"] == ("Kansas" if most >= 8 else "Ohio")


async def test_without_chain_sentences_are_verified_at_once() -> None:
    together = Model(replies=[""], latency=0.3)
    given: Any = {"search": FakeSearch(), "cache": False, "consistency_threshold": 9}
    await verify_and_edit.graph.ainvoke(
        {"question": QUESTION, "text": CHAIN}, context=Context(model=together, chain=False, **given)
    )
    one_by_one = Model(replies=[""], latency=0.3)
    settings = Context(model=one_by_one, **given)
    await verify_and_edit.graph.ainvoke({"question": QUESTION, "text": CHAIN}, context=settings)
    assert (together.peak, one_by_one.peak) == (3, 1)


def test_it_runs_without_an_event_loop_of_the_callers() -> None:
    result = verify_and_edit.graph.invoke({"question": QUESTION}, context=context())
    assert result["text"] == AFTER


@pytest.mark.parametrize(
    "given", [{}, {"review": False, "chain": False}, {"chains": DOWN}, {"verifying_question": DOWN}, {"max_calls": 1}]
)
async def test_steps_return_fields_of_the_state_and_no_others(given: dict[str, Any], monkeypatch: Any) -> None:
    outer, inner = (fields_returned(graph_file, monkeypatch) for graph_file in (verify_and_edit, verification))
    await verify_and_edit.build().compile().ainvoke({"question": QUESTION}, context=context(**given))
    assert outer <= set(VerifyState.__annotations__)
    assert inner <= set(Checking.__annotations__)
