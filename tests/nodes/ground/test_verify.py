"""A change is made whole if the evidence supports its sentence with it, and not without it."""

from typing import Any

import pytest

from errata.models.tasks.grounding import VERIFY
from errata.nodes.ground.verify import DISPUTED, SUPPORTED, UNQUOTED, verify
from errata.state import Context
from errata.state.errors import ConfigurationError, ModelError
from errata.tools import evidence

from ...fakes import FakeChatModel, Scripted
from .states import OPENED, PAGE, TEXT, YEAR, change, grounding, part

OLD, NEW = "The Sora Bridge was opened in 1931.", OPENED
OTHER = evidence(query="", text="Everybody knows that the Sora Bridge was opened in 1931.", title="Sora")
STONE = change("granite", "wood", TEXT.index("granite"))


class Judge:
    """Says what it is told of a sentence in its new and in its old wording."""

    def __init__(self, new: str = "supported", old: str = "contradicted", evidence: tuple[int, int] = (1, 1)) -> None:
        self.new, self.old, self.evidence = new, old, evidence
        self.asked: list[Any] = []

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        self.asked.append(input)
        verdicts = []
        for number, (before, after) in enumerate(input["replacements"], 1):
            forward = (before in TEXT) and (after not in TEXT)
            label, source = (self.new, self.evidence[0]) if forward else (self.old, self.evidence[1])
            if label:
                reason = f"It says nothing of {number}"
                verdicts.append({"number": number, "reason": reason, "evidence": source, "label": label})
        return {"verdicts": verdicts}


async def verified(judge: Any = None, *, proposed: Any = None, **settings: Any) -> Any:
    fields = settings.pop("fields", {})
    backends = {"verify": judge} if judge else {}
    mine = part(**{"tries": 1, "form": "structured", "proposed": proposed or [change("1931", "1934", YEAR)], **fields})
    return await verify(grounding(mine, **settings.pop("state", {})), Context(backends=backends, **settings))


def refusals(update: Any) -> list[str]:
    return [one["refused"] for one in update["parts"][0]["changes"]]


@pytest.mark.parametrize(
    ("new", "old", "status"),
    [
        ("supported", "contradicted", ""),
        ("supported", "", ""),
        ("supported", "not stated", "unresolved"),
        ("supported", "supported", "checked"),
        ("not stated", "contradicted", "unresolved"),
        ("contradicted", "supported", "checked"),
        ("contradicted", "", "unresolved"),
        ("", "contradicted", "unresolved"),
    ],
)
async def test_it_is_made_if_the_evidence_supports_it_and_not_the_sentence_as_it_stands(
    new: str, old: str, status: str
) -> None:
    (one,) = (await verified(Judge(new, old)))["parts"][0]["changes"]
    assert bool(one["refused"]) == bool(status)
    assert (one["evidence"], one["quote"]) == (PAGE["id"], OPENED), "whether it is made or not"
    if status:
        assert one["refused"].endswith(".")
        assert one["status"] == status


async def test_the_judge_is_not_told_which_wording_stands_in_the_text() -> None:
    judge = Judge()
    await verified(judge, proposed=[change("1931", "1934", YEAR, why="They say so."), STONE])
    (asked,) = judge.asked
    stone = ["The Sora Bridge is made of granite.", "The Sora Bridge is made of wood."]
    assert sorted(asked["replacements"]) == sorted([[OLD, NEW], [NEW, OLD], stone, stone[::-1]])
    assert "They say so." not in str(asked)
    assert [each["text"] for each in asked["passages"]] == [PAGE["text"]]


async def test_one_request_verifies_the_whole_text() -> None:
    judge = Judge()
    mine = [part(tries=1, form="structured", proposed=[change("1931", "1934", YEAR)]) for _ in range(3)]
    await verify(grounding(*mine), Context(backends={"verify": judge}))
    assert len(judge.asked) == 1
    assert len(judge.asked[0]["replacements"]) == 6


async def test_without_changes_nobody_is_asked() -> None:
    judge = Judge()
    untouched = part(tries=1, form="structured")
    assert (await verify(grounding(untouched), Context(backends={"verify": judge})))["parts"][0]["changes"] == []
    assert not judge.asked


async def test_changes_of_one_sentence_are_made_together_or_not_at_all() -> None:
    both = [change("Sora", "Orne", 4), change("1931", "1934", YEAR)]
    judge = Judge("contradicted")
    refused = refusals(await verified(judge, proposed=both))
    assert len(set(refused)) == 1
    assert refused[0]
    assert ["The Sora Bridge was opened in 1931.", "The Orne Bridge was opened in 1934."] in judge.asked[0][
        "replacements"
    ]


@pytest.mark.parametrize("level", ["quote", "judge"])
async def test_words_that_the_evidence_does_not_have_change_nothing(level: Any) -> None:
    judge = Judge()
    made_up = change("1931", "1934", YEAR, evidence="", quote="It was opened in 1934, they say.")
    assert refusals(await verified(judge, proposed=[made_up], verify=level)) == [UNQUOTED]
    assert not judge.asked


@pytest.mark.parametrize(("level", "asked"), [("off", 0), ("quote", 0), ("judge", 1)])
async def test_how_much_is_verified_is_a_setting(level: Any, asked: int) -> None:
    judge = Judge()
    assert refusals(await verified(judge, verify=level)) == [""]
    assert len(judge.asked) == asked


async def test_sources_that_disagree_leave_a_sentence_as_it_is() -> None:
    fields, state = {"shown": [PAGE["id"], OTHER["id"]]}, {"evidence": [PAGE, OTHER]}
    judge = Judge("supported", "supported", (1, 2))
    (one,) = (await verified(judge, fields=fields, state=state))["parts"][0]["changes"]
    assert (one["refused"], one["status"]) == (DISPUTED, "disputed")
    assert [each["text"] for each in judge.asked[0]["passages"]] == [PAGE["text"], OTHER["text"]]
    (one,) = (await verified(Judge("supported", "supported"), fields=fields, state=state))["parts"][0]["changes"]
    assert (one["refused"], one["status"]) == (SUPPORTED, "checked"), "the same source: it was only worded otherwise"


@pytest.mark.parametrize(("conflicts", "made"), [("first", True), ("last", False)])
async def test_the_user_may_say_which_source_counts(conflicts: Any, made: bool) -> None:
    fields, state = {"shown": [PAGE["id"], OTHER["id"]]}, {"evidence": [PAGE, OTHER]}
    judge = Judge("supported", "supported", (1, 2))
    assert (refusals(await verified(judge, fields=fields, state=state, conflicts=conflicts)) == [""]) is made
    assert "counts" in judge.asked[0]["precedence"]


async def test_a_judge_that_is_down_verifies_nothing() -> None:
    update = await verified(Scripted(ModelError("it is down")))
    assert refusals(update) == ["It could not be verified: it is down."]
    assert update["failures"] == [{"step": "verify", "reason": "it is down", "unchecked": True}]


async def test_what_the_budget_does_not_reach_is_not_made() -> None:
    chat = FakeChatModel(replies=["{}"])
    state = {"usage": {**grounding()["usage"], "llm_calls": 1}}
    update = await verified(model=chat, max_calls=1, state=state)
    assert "budget" in refusals(update)[0]
    assert not chat.asked


async def test_what_is_refused_again_takes_the_place_of_what_was_refused_before() -> None:
    earlier = [change("1931", "1932", YEAR, refused="No."), STONE]
    fields = {"changes": earlier, "tries": 2}
    update = await verified(Judge("not stated"), fields=fields)
    assert [one["after"] for one in update["parts"][0]["changes"]] == ["1934", "wood"]


@pytest.mark.parametrize(
    ("settings", "asked"), [({}, True), ({"model": "small"}, False), ({"form": "fallback"}, False)]
)
async def test_rules_verify_what_a_small_model_rewrites(settings: dict[str, str], asked: bool) -> None:
    class Named(FakeChatModel):
        model_name: str = "strong"

    label = '{"verdicts": [{"number": 1, "label": "supported"}, {"number": 2, "label": "supported"}]}'
    chat = Named(replies=[label], model_name="qwen2.5-1.5b" if settings.get("model") else "strong")
    rewritten = change("1931", "1934", YEAR, evidence="", quote="")
    fields = {"form": settings.get("form", "rewrite")}
    update = await verified(fields=fields, proposed=[rewritten], model=chat, cache=False)
    (one,) = update["parts"][0]["changes"]
    assert bool(chat.asked) is asked
    if not asked:
        assert (one["refused"], one["evidence"], one["quote"]) == ("", PAGE["id"], OPENED)


async def test_what_rules_cannot_show_says_nothing_of_its_sentence() -> None:
    rewritten = change("1931", "1935", YEAR, evidence="", quote="", status="nothing found")
    (one,) = (await verified(fields={"form": "rewrite"}, proposed=[rewritten]))["parts"][0]["changes"]
    assert one["refused"]
    assert one["status"] == "nothing found"


async def test_another_model_may_verify() -> None:
    with pytest.raises(ConfigurationError, match="openai:gpt-judge needs a key"):
        await verified(model=FakeChatModel(replies=["{}"]), verify_model="openai:gpt-judge")


def test_a_verdict_that_says_two_things_is_none() -> None:
    said = [
        {"number": 1, "label": "supported"},
        {"number": 1, "label": "contradicted"},
        {"number": 2, "label": "supported"},
    ]
    first, second = VERIFY.output.model_validate({"verdicts": said}).of(2)
    assert first is None
    assert second
    assert second.label == "entailment"
