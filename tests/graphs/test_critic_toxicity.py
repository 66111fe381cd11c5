"""CRITIC on texts: the least toxic text is kept, the loop ends, and a scorer that is down makes no text clean."""

import json
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.graphs import critic_toxicity
from errata.state import Context, replay
from errata.state.errors import ConfigurationError, ToolError
from errata.tools.toxicity import ToxicityTool

from ..fakes import FakeChatModel, FakeScorer, Scripted

RUDE = "You have no clue, as ever."
SCORES = {RUDE: 0.8, "a bit better": 0.4, "worse again": 0.9, "nearly there": 0.1, "polite at last": 0.0999}
REJECTED = {"plausibility": "It is a text.", "correctness": "It insults.", "accepted": False}
ACCEPTED = {"plausibility": "It is a text.", "correctness": "Nothing in it is toxic.", "accepted": True}


def scorer() -> FakeScorer:
    return FakeScorer(judge=SCORES.__getitem__)


def rewrites(*texts: Any) -> Scripted:
    return Scripted(*({"text": text} if isinstance(text, str) else text for text in texts))


async def run(*texts: Any, graph_input: Any = None, **more: Any) -> Any:
    """Clean a text with scripted rewrites."""
    backends = {"rewrite": rewrites(*texts), **more.pop("backends", {})}
    given = Context(**{"toxicity": scorer(), "backends": backends, **more})
    return await critic_toxicity.graph.ainvoke(graph_input or {"text": RUDE}, context=given)


async def test_it_stops_below_the_threshold_and_not_at_it() -> None:
    result = await run("a bit better", "nearly there", "polite at last", AssertionError("it was clean already"))
    assert (result["original"], result["text"], result["stopped"]) == (RUDE, "polite at last", "accepted")
    assert result["reason"] == "it passes after 3 rounds of correction"
    assert [verdict["label"] for verdict in result["verdicts"]] == [*["contradiction"] * 3, "entailment"]
    assert {verdict["backend"] for verdict in result["verdicts"]} == {"fake"}
    assert [edit["after"] for edit in result["edits"]] == ["a bit better", "nearly there", "polite at last"]
    assert replay(RUDE, result["edits"]) == result["text"]
    assert result["edits"][0]["evidence"] == result["evidence"][1]["id"]
    assert "What it is told to." in result["evidence"][0]["text"]
    assert result["usage"]["tool_runs"] == 4


async def test_a_clean_text_is_left_alone() -> None:
    result = await run(AssertionError("no rewrite was expected"), graph_input={"text": "polite at last"})
    assert (result["text"], result["edits"], result["stopped"]) == ("polite at last", [], "accepted")


async def test_the_threshold_is_a_setting() -> None:
    assert (await run("a bit better", toxicity_threshold=0.5))["stopped"] == "accepted"


async def test_the_model_is_told_how_toxic_the_best_text_is_and_what_was_no_better() -> None:
    model = FakeChatModel(replies=["worse again", "polite at last"])
    result = await critic_toxicity.graph.ainvoke({"text": RUDE}, context=Context(model=model, toxicity=scorer()))
    shown = [messages[-1].text for messages in model.asked]
    assert RUDE in shown[0]
    assert "80% toxicity of toxicity" in shown[0]
    assert "<already_tried>\n[1] worse again\n</already_tried>" in shown[1]
    assert f"<text>\n{RUDE}\n</text>" in shown[1]
    assert "80% toxicity of toxicity" in shown[1]
    assert "already_tried" not in shown[0]
    assert [edit["before"] for edit in result["edits"]] == [RUDE]


@settings(max_examples=100)
@given(
    scores=st.lists(st.sampled_from([0.0, 0.05, 0.1, 0.3, 0.3, 0.5, 0.9, 1.0]), min_size=7, max_size=7),
    rounds=st.integers(0, 6),
)
def test_the_least_toxic_text_is_kept(scores: list[float], rounds: int) -> None:
    texts = [f"text {n}" for n in range(7)]
    told = FakeScorer(judge=dict(zip(texts, scores, strict=True)).__getitem__)
    result = critic_toxicity.graph.invoke(
        {"text": texts[0]},
        context=Context(toxicity=told, backends={"rewrite": rewrites(*texts[1:])}, rounds=rounds),
    )
    seen = [scores[texts.index(text)] for text in dict.fromkeys(told.scored)]
    assert len(seen) <= rounds + 1
    assert all(score >= 0.1 for score in seen[:-1])
    assert result["stopped"] == ("accepted" if seen[-1] < 0.1 else "rounds")
    assert len(seen) == rounds + 1 or result["stopped"] == "accepted"
    assert result["text"] == texts[seen.index(min(seen))]
    assert replay(texts[0], result["edits"]) == result["text"]
    kept = [scores[texts.index(edit["after"])] for edit in result["edits"]]
    assert kept == sorted(set(kept), reverse=True)


@pytest.mark.parametrize("short", ["", " ", "...", "ok", "\n.\n"])
async def test_an_empty_rewrite_is_asked_again(short: str) -> None:
    model = FakeChatModel(replies=[short, short, "polite at last"])
    result = await critic_toxicity.graph.ainvoke({"text": RUDE}, context=Context(model=model, toxicity=scorer()))
    assert (result["text"], len(model.asked)) == ("polite at last", 3)


async def test_a_rewrite_that_stays_empty_replaces_nothing() -> None:
    backends = {"rewrite": rewrites("...")}
    result = await run(backends=backends, patience=1)
    assert len(backends["rewrite"].asked) == 3
    assert (result["text"], result["edits"], result["stopped"]) == (RUDE, [], "stable")


async def test_a_model_that_repeats_itself_is_not_asked_for_ever() -> None:
    backends = {"rewrite": rewrites(RUDE)}
    result = await run(backends=backends, rounds=9, patience=3)
    assert (len(backends["rewrite"].asked), result["stopped"], result["text"]) == (3, "stable", RUDE)


async def test_without_tools_the_model_judges_and_a_new_text_is_always_taken() -> None:
    critiques = Scripted(REJECTED, REJECTED, ACCEPTED)
    told = scorer()
    result = await run(
        "worse again", "nearly there", backends={"toxicity_critique": critiques}, toxicity=told, use_tools=False
    )
    assert told.scored == []
    assert [asked["text"] for asked in critiques.asked] == [RUDE, "worse again", "nearly there"]
    assert [edit["after"] for edit in result["edits"]] == ["worse again", "nearly there"]
    assert (result["text"], result["stopped"], result["evidence"]) == ("nearly there", "accepted", [])
    assert [verdict["backend"] for verdict in result["verdicts"]] == ["Scripted"] * 3


async def test_a_prompt_alone_is_continued_and_the_continuation_cleaned() -> None:
    backends = {"continuation": Scripted({"text": RUDE})}
    result = await run("polite at last", graph_input={"question": "Then she said:"}, backends=backends)
    assert backends["continuation"].asked == [{"question": "Then she said:"}]
    assert (result["original"], result["text"]) == (RUDE, "polite at last")
    with pytest.raises(ConfigurationError, match="give a text, or a question"):
        await run(graph_input={"text": "  "})


def down(text: str) -> float:
    raise ToolError("the scorer is down")


def down_later(text: str) -> float:
    return 0.8 if text == RUDE else down(text)


class OfTheCallers:
    """A scorer that is no tool of ours. It says what it was made with, or raises it."""

    def __init__(self, says: Any) -> None:
        self.says = says

    async def score(self, text: str) -> Any:
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


async def test_a_scorer_of_the_callers_own() -> None:
    clean = {"overall": 0.0, "attributes": {"toxicity": 0.0}, "worst": "toxicity", "scorer": "ours"}
    result = await run(toxicity=OfTheCallers(clean))
    assert (result["stopped"], result["verdicts"][0]["backend"]) == ("accepted", "ours")


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (FakeScorer(judge=down), "the scorer is down"),
        (FakeScorer(judge=lambda text: 1 / 0), "division by zero"),
        (FakeScorer(judge=lambda text: float("nan")), "scores between 0 and 1"),
        (OfTheCallers(ConnectionError("nobody there")), "nobody there"),
        (OfTheCallers({"score": 1}), "attributes"),
    ],
    ids=["down", "fails", "no number", "of the caller's own", "no toxicity"],
)
async def test_a_scorer_that_is_down_is_an_error_and_no_verdict(broken: ToxicityTool, said: str) -> None:
    result = await run(AssertionError("no rewrite was expected"), toxicity=broken)
    assert (result["text"], result["verdicts"], result["edits"], result["stopped"]) == (RUDE, [], [], "error")
    assert result["reason"].startswith("score failed: ")
    assert said in result["reason"]


DOWN = RuntimeError("the model is down")


@pytest.mark.parametrize(
    ("step", "given", "text", "labels"),
    [
        ("draft", {"graph_input": {"question": "Go on:"}, "backends": {"continuation": Scripted(DOWN)}}, "", []),
        ("rewrite", {"backends": {"rewrite": Scripted(DOWN)}}, RUDE, ["contradiction"]),
        ("rewrite", {"backends": {"rewrite": rewrites("a bit better", DOWN)}}, "a bit better", ["contradiction"] * 2),
        ("score", {"toxicity": FakeScorer(judge=down_later)}, RUDE, ["contradiction"]),
        ("critique", {"backends": {"toxicity_critique": Scripted(DOWN)}, "use_tools": False}, RUDE, []),
    ],
    ids=["draft", "rewrite", "second rewrite", "second score", "critique"],
)
async def test_what_is_down_ends_the_run_with_the_best_so_far(
    step: str, given: dict[str, Any], text: str, labels: list[str]
) -> None:
    result = await run("a bit better", **given)
    assert (result["stopped"], result["text"]) == ("error", text)
    assert result["reason"].startswith("" if step == "draft" else f"{step} failed: ")
    assert result["reason"].endswith("down") or step != "draft"
    assert [(failure["step"], failure["unchecked"]) for failure in result["failures"]] == [(step, True)]
    assert [verdict["label"] for verdict in result["verdicts"]] == labels


@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("reply", ["worse again", "..."])
async def test_a_budget_of_calls_ends_with_the_best_so_far(most: int, reply: str) -> None:
    model = FakeChatModel(replies=[reply])
    given = Context(model=model, toxicity=scorer(), max_calls=most, patience=9)
    result = await critic_toxicity.graph.ainvoke({"text": RUDE}, context=given)
    assert (result["stopped"], result["text"], len(model.asked)) == ("budget", RUDE, most)


class TestWithoutAKey:
    """What is embedded: a scorer of profanity, and rules that take words out. Mild words only."""

    async def test_words_are_dropped_or_masked(self) -> None:
        result = await critic_toxicity.graph.ainvoke({"text": "This stupid film was made for you, idiot."})
        assert result["text"] == "This film was made for you, …."
        assert (result["stopped"], len(result["edits"])) == ("accepted", 1)
        assert result["verdicts"][0]["reason"].endswith("toxicity of profanity")
        assert result["verdicts"][0]["backend"] == "profanity"
        assert "Profanity only" in result["evidence"][0]["text"]
        assert result["usage"]["llm_calls"] == 0

    async def test_a_clean_text_stays(self) -> None:
        text = "The museum opened in 1926."
        result = await critic_toxicity.graph.ainvoke({"text": text})
        assert (result["text"], result["stopped"], result["edits"]) == (text, "accepted", [])

    async def test_what_rules_cannot_mend_is_an_error(self) -> None:
        result = await critic_toxicity.graph.ainvoke({"text": "Idiot!"})
        assert (result["text"], result["stopped"]) == ("Idiot!", "error")
        assert "use a chat model" in result["reason"]

    async def test_rules_that_did_not_suffice_are_not_asked_twice(self) -> None:
        told = FakeScorer(judge=lambda text: 0.9 if "idiot" in text else 0.5)
        result = await critic_toxicity.graph.ainvoke({"text": "You idiot man."}, context=Context(toxicity=told))
        assert (result["text"], result["stopped"], len(told.scored)) == ("You man.", "stable", 2)
        assert "after 1 round of correction; the text is still toxic:" in result["reason"]

    async def test_without_tools(self) -> None:
        given = Context(use_tools=False)
        result = await critic_toxicity.graph.ainvoke({"text": "This stupid film."}, context=given)
        assert (result["text"], result["stopped"]) == ("This film.", "accepted")
        assert [verdict["label"] for verdict in result["verdicts"]] == ["contradiction", "neutral"]


class Continues(FakeChatModel):
    """Numbers its continuations; each is rude at first, and polite when it is rewritten."""

    def _generate(self, messages: Any, *rest: Any, **more: Any) -> Any:
        number = messages[-1].text.partition("Prompt ")[2].partition(":")[0]
        manner = "polite" if "was found toxic" in messages[0].text else "rude"
        self.replies[:] = [f"{manner} continuation {number}"]
        return super()._generate(messages)


async def test_twenty_five_continuations_at_once() -> None:
    model = Continues(replies=[""], latency=0.02)
    told = FakeScorer(judge=lambda text: 0.7 if "rude" in text else 0.01)
    prompts = cast(Any, [{"question": f"Prompt {n}:"} for n in range(25)])
    results = await critic_toxicity.graph.abatch(prompts, context=Context(model=model, toxicity=told))
    assert [result["text"] for result in results] == [f"polite continuation {n}" for n in range(25)]
    assert [result["original"] for result in results] == [f"rude continuation {n}" for n in range(25)]
    assert {result["stopped"] for result in results} == {"accepted"}
    assert {result["usage"]["llm_calls"] for result in results} == {2}
    assert model.peak > 1


async def test_every_face_gives_the_same_result_which_is_json() -> None:
    def asked() -> Any:
        backends: Any = {"rewrite": rewrites("a bit better", "polite at last")}
        return {"input": {"text": RUDE}, "context": Context(toxicity=scorer(), backends=backends)}

    def untimed(result: Any) -> Any:
        return {**result, "usage": {**result["usage"], "seconds": 0}}

    result = await critic_toxicity.graph.ainvoke(**asked())
    assert result["text"] == "polite at last"
    assert untimed(critic_toxicity.graph.invoke(**asked())) == untimed(result)
    last = [state async for state in critic_toxicity.graph.astream(**asked())][-1]
    assert untimed({name: last[name] for name in result}) == untimed(result)
    assert json.loads(json.dumps(result)) == result
