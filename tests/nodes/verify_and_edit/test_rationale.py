"""A chain of thought as a whole: sampled, cut up, corrected, and answered from again."""

import pytest

from errata.nodes.verify_and_edit.rationale import (
    affordable,
    answer_again,
    apply,
    corrected,
    replace_answer,
    sample,
)
from errata.state import Context
from errata.state.errors import ModelError

from ...fakes import FakeChatModel, Scripted
from ...reviewing import REJECT
from .states import CHAIN, FOUND, chain, cut_up, verified


async def test_the_path_that_most_agree_with_is_kept() -> None:
    texts = [CHAIN, CHAIN.replace("1899", "1889"), "It is old. The answer is 1889."]
    said = {"samples": [{"text": text} for text in texts]}
    update = await sample(chain(text=""), Context(backends={"chains": Scripted(said)}, samples=3))
    assert (update["text"], update["answer"], update["consistency"]) == (texts[1], "1889", 2.0)
    given = await sample(chain(text="", samples=texts[:1], asked=1), Context())
    assert (given["text"], given["answer"]) == (CHAIN, "1899")


async def test_without_probabilities_samples_are_counted_and_that_is_told() -> None:
    update = await sample(chain(samples=[CHAIN], asked=1), Context(consistency="probability"))
    assert (update["mode"], [each["step"] for each in update["failures"]]) == ("count", ["consistency"])
    assert not update["failures"][0]["unchecked"]


async def test_no_sample_is_a_failure() -> None:
    down = Context(backends={"chains": Scripted(ModelError("it is down"))})
    assert (await sample(chain(text=""), down))["failures"][0]["reason"] == "it is down"


async def test_it_is_cut_into_the_sentences_that_state_facts() -> None:
    cut = await cut_up()
    assert [each["before"] for each in cut["sentences"]] == ["the tower was built in 1899.", "it stands in Paris."]
    assert all(CHAIN[each["start"] : each["end"]] == each["before"] for each in cut["sentences"])
    assert cut["answer"] == "1899"


async def test_a_call_is_kept_for_the_answer() -> None:
    cut = await cut_up()
    assert affordable(cut, Context()) == 2
    model = FakeChatModel(replies=[""])
    assert [affordable(cut, Context(model=model, max_calls=calls)) for calls in (2, 3, 5, 6)] == [0, 1, 2, 2]


async def test_what_was_verified_takes_the_place_of_the_sentences() -> None:
    cut = await cut_up(found=[FOUND])
    first, second = cut["sentences"]
    update = await apply(cut | {"checked": [verified(first, "the tower was built in May 1889.")]}, Context())
    assert update["text"] == CHAIN.replace("1899. Second", "May 1889. Second")
    assert (update["edits"][0]["evidence"], update["evidence"]) == (FOUND["id"], [FOUND])
    later = await apply(cut | {"sentences": update["sentences"], "text": update["text"], "checked": [
        verified(first, "not this one again"), verified(second, "it stands in Lyon.")
    ]}, Context())  # fmt: skip
    assert later["text"] == update["text"].replace("Paris", "Lyon")
    assert corrected(later["sentences"]) == "First, the tower was built in May 1889. Second, it stands in Lyon."


async def test_a_person_may_keep_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = await cut_up(found=[FOUND])
    monkeypatch.setattr("errata.nodes.review.interrupt", lambda request: REJECT)
    rejected = verified(cut["sentences"][0], "the tower was built in 1889.")
    update = await apply(cut | {"checked": [rejected]}, Context(review=True))
    assert (update["text"], [each["applied"] for each in update["edits"]]) == (CHAIN, [False])


async def test_in_a_chain_an_error_stops_what_would_go_by_it() -> None:
    cut = await cut_up()
    lost = cut["sentences"][0] | {"label": "error", "reason": "it is down"}
    update = await apply(cut | {"checked": [lost]}, Context())
    assert [each["label"] for each in update["sentences"]] == ["error", "error"]
    assert update["sentences"][1]["reason"].startswith("a sentence before it could not be checked")
    apart = await apply(cut | {"checked": [lost]}, Context(chain=False))
    assert [each["label"] for each in apart["sentences"]] == ["error", None]


@pytest.mark.parametrize(("said", "answer"), [("1889", "1889"), ("1899.", None), ("unknown", None)])
async def test_it_is_answered_again_from_the_corrected_sentences(said: str, answer: str | None) -> None:
    model = Scripted({"text": f"The answer is {said}", "answer": said})
    cut = await cut_up()
    first, second = cut["sentences"]
    cut["sentences"] = [first | {"label": "entailment"}, second | {"label": "neutral"}]
    update = await answer_again(cut, Context(backends={"final_answer": model}))
    told = model.asked[0]["rationale"]
    assert told == "First, the tower was built in 1899. Second, it stands in Paris (not verified)."
    assert update.get("answer") == answer


async def test_an_answer_that_cannot_be_had_leaves_the_old_one() -> None:
    down = Context(backends={"final_answer": Scripted(ModelError("it is down"))})
    update = await answer_again(await cut_up(), down)
    assert (update["failures"][0]["reason"], "answer" in update) == ("it is down", False)


async def test_the_new_answer_stands_where_the_old_one_did(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = (await cut_up()) | {"answer": "1889"}
    update = await replace_answer(answered, Context())
    assert update["text"] == CHAIN.replace("The answer is 1899.", "The answer is 1889.")
    assert await replace_answer(answered | {"answer": "1899"}, Context()) == {}
    monkeypatch.setattr("errata.nodes.review.interrupt", lambda request: REJECT)
    kept = await replace_answer(answered, Context(review=True))
    assert (kept["answer"], "text" in kept) == ("1899", False)
