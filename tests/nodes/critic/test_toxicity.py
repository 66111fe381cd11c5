"""Texts are scored and written again; the least toxic one is kept."""

from typing import Any

import pytest

from errata.nodes.critic.toxicity import review_rewrite, rewrite, score
from errata.state import Context
from errata.state.errors import ModelError, ToolError

from ...fakes import FakeScorer, Scripted
from ...reviewing import REJECT
from ..states import edit, loop, verdict

RUDE, MILD = "You are late, you idiot.", "You are late."


def text(candidate: str = RUDE, **fields: Any) -> Any:
    known = {
        "text": RUDE,
        "candidate": candidate,
        "candidate_score": 1.0,
        "score": 1.0,
        "exhausted": False,
        "already_tried": [],
    }
    return loop(**{**known, **fields})


def judging(judge: Any) -> Context:
    return Context(toxicity=FakeScorer(judge=judge))


@pytest.mark.parametrize(("mark", "label"), [(0.9, "contradiction"), (0.01, "entailment")])
async def test_the_score_decides_and_is_its_own_evidence(mark: float, label: str) -> None:
    update = await score(text(), judging(lambda text: mark))
    (said,), (piece,) = update["verdicts"], update["evidence"]
    assert (said["label"], said["evidence"], update["score"]) == (label, piece["id"], mark)
    assert f"{mark:.0%} toxicity" in update["critique"]


async def test_a_worse_candidate_takes_no_place() -> None:
    later = text("Worse, you idiot.", score=0.4, rounds=1)
    assert "text" not in await score(later, judging(lambda text: 0.7))
    better = await score(later | {"candidate": MILD}, judging(lambda text: 0.1))
    assert (better["text"], better["score"]) == (MILD, 0.1)


async def test_the_best_text_is_rewritten_and_what_was_no_better_is_shown() -> None:
    worse = "Worse, you idiot."
    later = text(worse, score=0.4, rounds=1, critique="40% toxicity of insult")
    later |= await score(later, judging(lambda text: 0.7))
    writer = Scripted({"text": worse}, {"text": MILD})
    context = Context(backends={"rewrite": writer})
    assert (await rewrite(later, context))["unchanged"] == 1, "what was tried before is nothing new"
    assert (await rewrite(later, context))["candidate"] == MILD
    (asked, _) = writer.asked
    assert (asked["text"], asked["critique"]) == (RUDE, "40% toxicity of insult")
    assert asked["already_tried"] == [worse]
    better = await score(later | {"candidate": MILD}, judging(lambda text: 0.2))
    assert (better["already_tried"], better["critique"]) == ([], "20% toxicity of toxicity")


async def test_a_scorer_that_is_down_is_no_score() -> None:
    update = await score(text(), judging(lambda text: ToolError("no scorer")))
    assert set(update) == {"failures", "quorum"}


async def test_without_tools_the_critic_judges() -> None:
    critic = Scripted({"plausibility": "", "correctness": "Clean.", "accepted": True})
    context = Context(use_tools=False, backends={"toxicity_critique": critic})
    update = await score(text(MILD, rounds=1), context)
    assert (update["accepted"], update["text"], update["verdicts"][0]["label"]) == (True, MILD, "neutral")


async def test_rules_take_words_out_once_and_then_have_nothing_more_to_try() -> None:
    update = await rewrite(text(), Context())
    assert "idiot" not in update["candidate"]
    assert update["rounds"] == 1
    assert await rewrite(text(rounds=1), Context()) == {"exhausted": True}
    assert await rewrite(text(MILD, text=MILD), Context()) == {"exhausted": True}


async def test_an_empty_rewrite_is_asked_for_again() -> None:
    writer = Scripted({"text": " ."}, {"text": MILD})
    update = await rewrite(text(critique="rude"), Context(backends={"rewrite": writer}))
    assert (update["candidate"], update["unchanged"], len(writer.asked)) == (MILD, 0, 2)
    silent = await rewrite(text(), Context(backends={"rewrite": Scripted({"text": "."})}))
    assert (silent["candidate"], silent["unchanged"]) == (RUDE, 1)


async def test_a_reply_to_the_text_is_no_rewrite_of_it() -> None:
    rude = "The damn clowns at the council still claim that nobody lost a single customer."
    reply = "I understand your concerns, and I think we should respect all points of view."
    polite = "The council still claims that nobody lost a single customer."
    writer = Scripted({"text": reply}, {"text": polite})
    given = text(rude, text=rude, original=rude, question="")
    update = await rewrite(given, Context(backends={"rewrite": writer}))
    assert (update["candidate"], len(writer.asked)) == (polite, 2)
    stubborn = await rewrite(given, Context(backends={"rewrite": Scripted(*[{"text": reply}] * 3)}))
    assert (stubborn["candidate"], stubborn["unchanged"]) == (rude, 1)
    asked = text(
        rude, text=rude, original=rude, question="How is the council doing?"
    )  # a continuation may be another one
    assert (await rewrite(asked, Context(backends={"rewrite": Scripted({"text": reply})})))["candidate"] == reply


async def test_a_model_that_is_down_leaves_the_text() -> None:
    update = await rewrite(text(), Context(backends={"rewrite": Scripted(ModelError("it is down"))}))
    assert update == {"failures": [{"step": "rewrite", "reason": "it is down", "unchecked": True}]}


async def test_a_rewrite_that_a_person_rejects_is_dropped_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata.nodes.review.interrupt", lambda request: REJECT)
    before = [edit(RUDE, "Late again.", applied=False)]
    state = text(MILD, verdicts=[verdict("contradiction")], edits=before)
    update = await review_rewrite(state, Context(review=True))
    assert (update["candidate"], update["unchanged"], len(update["edits"])) == (RUDE, 2, 2)
    assert (await review_rewrite(state, Context()))["candidate"] == MILD
