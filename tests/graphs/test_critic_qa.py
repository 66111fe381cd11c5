"""CRITIC on answers: what searches say corrects the answer, the loop ends when it should, nothing known is lost."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from pydantic import PrivateAttr

from errata.graphs import critic_qa
from errata.nodes.tooling import EVIDENCE_CHARS, RANKS
from errata.state import Context, Evidence, cited, replay
from errata.state.errors import ConfigurationError
from errata.state.methods.critic import AnswerState
from errata.state.text.answers import is_null, normalise
from errata.state.text.values import same_answer

from ..fakes import FakeChatModel, FakeSearch, FakeToolCaller, Scripted, calls, concludes, searches

MEDAL = "With which partner did Michael Seibert win which medal at the World Championships in ice dance of 1983?"
WRONG = "Michael Seibert danced with Carol Fox. In 1983 they came second. So the answer is: Carol Fox, silver."
RIGHT = "Michael Seibert danced with Judy Blumberg. In 1983 they came third. So the answer is: Judy Blumberg, bronze."
PAGES = {
    "Michael Seibert Carol Fox silver 1983": [
        ("Carol Heiss", "Carol Heiss is an American figure skater, born in 1940.")
    ],
    "Who was the ice dance partner of Michael Seibert?": [
        ("Michael Seibert", "Michael Seibert is an American ice dancer. He and Judy Blumberg won bronze."),
        ("Carol Fox", "Carol Fox is an American ice dancer who competed with Richard Dalley."),
    ],
    "1983 World Figure Skating Championships ice dance medals": [
        (
            "1983 World Championships",
            "In ice dance Torvill and Dean won, and Blumberg and Seibert took the bronze medal.",
        ),
    ],
}
QUERIES = list(PAGES)
THREAD: Any = {"configurable": {"thread_id": "1"}}
DOWN = RuntimeError("the model is down")


def found(**more: Any) -> FakeSearch:
    return FakeSearch(find=lambda query: PAGES.get(query, []), **more)


def look(query: str) -> dict[str, Any]:
    """A turn that looks something up."""
    return {"tool": "search", "argument": query}


def conclude(text: str = "", accepted: bool = False, why: str = "") -> dict[str, Any]:
    """A turn that concludes."""
    return {"tool": "conclude", "conclusion": {"correctness": why, "accepted": accepted, "text": text}}


def so(answer: str) -> str:
    return f"That is why. So the answer is: {answer}."


LOOKS_AND_CORRECTS = (
    look(QUERIES[1]),
    conclude(RIGHT, why="It was Blumberg."),
    conclude(accepted=True, why="It holds."),
)


def scripted(*turns: Any, draft: Any = WRONG) -> Any:
    """Task models: the draft is given as it is, then come the turns; exceptions are raised."""
    return {
        "cot": Scripted(draft if isinstance(draft, Exception) else {"text": draft}),
        "qa_critique": Scripted(*(turns or LOOKS_AND_CORRECTS)),
    }


def context(backends: dict[str, Any], **more: Any) -> Context:
    return Context(**{"backends": backends, "search": found(), "cache": False, **more})


async def run(backends: dict[str, Any], graph_input: Any = None, **more: Any) -> Any:
    return await critic_qa.graph.ainvoke(graph_input or {"question": MEDAL}, context=context(backends, **more))


def labels(result: Any) -> list[str]:
    return [verdict["label"] for verdict in result["verdicts"]]


def said(model: Scripted) -> list[str]:
    """What the tools had said when the last turn was taken."""
    return [message.text for message in model.asked[-1]["messages"] if isinstance(message, ToolMessage)]


async def test_the_answers_on_the_way_are_those_of_shorter_runs() -> None:
    turns = (look(QUERIES[1]), conclude(so("Judy Blumberg, silver")), look(QUERIES[2]), conclude(RIGHT),
             conclude(so("Judy Blumberg, bronze")))  # fmt: skip
    whole = await run(scripted(*turns), rounds=4, caution="paper")
    shorter = [await run(scripted(*turns), rounds=rounds, caution="paper") for rounds in (1, 2)]
    assert whole["answers"][:2] == [each["answer"] for each in shorter]
    assert whole["answers"][:2] == ["Judy Blumberg, silver", "Judy Blumberg, bronze"]
    assert whole["answers"][-1] == whole["answer"]


BY_CALLS = FakeToolCaller(
    replies=[
        WRONG,
        searches(QUERIES[0], "A person and a medal are the right kind of answer."),
        searches(QUERIES[1], "That is another Carol. Who was the partner?"),
        searches(QUERIES[2], "So it was Judy Blumberg. Which medal?"),
        concludes(
            plausibility="A partner and a medal were asked for.",
            correctness="The partner was Judy Blumberg, and they took bronze.",
            evidence=[2, 3],
            accepted=False,
            text=RIGHT,
            answer="Judy Blumberg, bronze",
        ),
        concludes(correctness="Both were found.", accepted=True),
    ]
)
IN_WORDS = FakeChatModel(
    replies=[
        WRONG,
        f"A person and a medal are plausible.\n> Search Query: {QUERIES[0]}\n> Evidence: [Seibert] Silver!",
        f"That is another Carol. Who was the partner?\n> Search Query: {QUERIES[1]}",
        f"So it was Judy Blumberg. Which medal?\n> Search Query: {QUERIES[2]}",
        f"The partner was Judy Blumberg, and they took bronze.\n> Corrected [2] [3]: {RIGHT}",
        "Both were found.\n> Accepted",
    ]
)


@pytest.mark.parametrize("model", [BY_CALLS, IN_WORDS], ids=["by calls", "in plain text"])
async def test_the_ice_dancers_of_the_paper(model: FakeChatModel) -> None:
    search = found()
    result = await critic_qa.graph.ainvoke(
        {"question": MEDAL}, context=Context(model=model, search=search, cache=False)
    )

    assert (result["original"], result["text"], result["answer"]) == (WRONG, RIGHT, "Judy Blumberg, bronze")
    assert (result["stopped"], result["reason"]) == (
        "accepted",
        "it passes after 1 round of correction",
    )
    assert labels(result) == ["contradiction", "entailment"], "the second critique has seen what the first one found"
    assert search.searched == QUERIES
    assert [piece["query"] for piece in result["evidence"]] == QUERIES
    assert [piece["title"] for piece in result["evidence"]] == [
        "Carol Heiss",
        "Michael Seibert",
        "1983 World Championships",
    ]
    assert "The partner was Judy Blumberg, and they took bronze." in result["verdicts"][0]["reason"]
    _, seibert, championships = (piece["id"] for piece in result["evidence"])
    assert [cited(verdict) for verdict in result["verdicts"]] == [[seibert, championships], [seibert]]
    (edit,) = result["edits"]
    assert (edit["before"], edit["after"], cited(edit)) == (WRONG, RIGHT, [seibert, championships])
    assert replay(WRONG, result["edits"]) == RIGHT
    assert (result["usage"]["llm_calls"], result["usage"]["searches"]) == (6, 3)

    # What each critique was shown: the answer as it stood, what was found before, and what it has found itself.
    first, second = (model.asked[number] for number in (4, 5))
    conversation = "\n".join(message.text for message in first)
    assert WRONG in conversation
    assert "[Carol Heiss] Carol Heiss is an American figure skater" in conversation
    assert "[1983 World Championships] In ice dance Torvill and Dean won" in conversation
    assert "Silver!" not in conversation, "what the model invented is not evidence"
    assert RIGHT in second[-1].text
    assert "<found_before>\n[1] [Carol Heiss]" in second[-1].text
    assert "[3] [1983 World Championships] In ice dance Torvill" in second[-1].text
    assert "<found_before>" not in conversation


ANSWERS = ["Judy Blumberg", "judy  blumberg!", "Carol Fox", "Carol Heiss", "None", "unknown", ""]


@settings(max_examples=150)
@given(
    answers=st.lists(st.sampled_from(ANSWERS), min_size=7, max_size=7),
    accepts=st.lists(st.sampled_from([False, False, False, True]), min_size=7, max_size=7),
    looks=st.lists(st.integers(0, 2), min_size=7, max_size=7),
    rounds=st.integers(0, 5),
    patience=st.integers(1, 4),
)
def test_when_it_stops_and_with_what(
    answers: list[str], accepts: list[bool], looks: list[int], rounds: int, patience: int
) -> None:
    turns = [
        turn
        for answer, accepted, times in zip(answers, accepts, looks, strict=True)
        for turn in [look(QUERIES[1])] * times + [conclude(so(answer) if answer else "", accepted, f"About {answer}.")]
    ]
    backends = scripted(*turns, draft=so("Carol Fox"))
    given = context(backends, rounds=rounds, patience=patience, caution="paper")
    result = critic_qa.graph.invoke({"question": MEDAL}, context=given)
    critiques = len(result["verdicts"])

    # The answer as each critique found it, and how long it had not changed by then.
    stood, quiet, verdicts, stands, rests = ["Carol Fox"], [0], [], [], []
    for place, (answer, accepted) in enumerate(zip(answers[:critiques], accepts, strict=False), start=1):
        another = not is_null(answer) and not same_answer(answer, stood[-1])
        seen = max(looks[:place])  # what a query has given is remembered
        pages = PAGES[QUERIES[1]][:seen]
        saying = [title for title, text in pages if normalise(answer if another else stood[-1]) in text.lower()]
        # Nobody names evidence here: what says the answer counts, or the only thing that was shown.
        rests.append((saying or ([pages[0][0]] if seen == 1 else [])) if another else saying if accepted else [])
        verdicts.append("contradiction" if another else "entailment" if accepted and saying else "neutral")
        stands.append(accepted and not another)
        stood.append(answer if another else stood[-1])
        quiet.append(0 if another else quiet[-1] + 1)
    assert labels(result) == verdicts
    assert [verdict["reason"] for verdict in result["verdicts"]] == [f"About {a}." for a in answers[:critiques]]

    # It stops at the first of three things, and at no other.
    assert 1 <= critiques <= max(rounds, 1)
    assert not any(stands[:-1])
    assert max(quiet[:-1]) < patience
    if stands[-1]:
        assert result["stopped"] == "accepted"
    elif rounds and quiet[-1] >= patience:
        assert result["stopped"] == "stable"
    else:
        assert (result["stopped"], critiques) == ("rounds", max(rounds, 1))
    assert result["reason"]

    # The answer is the last that a critique came to; that there is none never takes its place.
    best = stood[-1] if rounds else stood[0]
    assert (result["text"], result["answer"]) == (so(best), best)
    assert not is_null(result["answer"])
    assert replay(result["original"], result["edits"]) == result["text"]
    assert result["original"] == so("Carol Fox")
    assert len(result["edits"]) == (verdicts.count("contradiction") if rounds else 0)

    # Every critique begins anew, with the answer as it stands, and has seen what it looked up and nothing else.
    asked = backends["qa_critique"].asked
    begun = [each for each in asked if not each["messages"]]
    assert [each["text"] for each in begun] == [so(answer) for answer in stood[:critiques]]
    assert len(asked) == critiques + sum(looks[:critiques])
    titles = {piece["id"]: piece["title"] for piece in result["evidence"]}
    assert len(titles) == len(result["evidence"]) == max(looks[:critiques]), "what is found again is the same evidence"
    assert [[titles[number] for number in cited(verdict)] for verdict in result["verdicts"]] == rests
    corrected = [rested for rested, verdict in zip(rests, verdicts, strict=True) if verdict == "contradiction"]
    assert [[titles[number] for number in cited(edit)] for edit in result["edits"]] == (corrected if rounds else [])


async def test_the_answer_that_no_round_of_critique_has_found_fault_with_since_stands() -> None:
    back_and_forth = [conclude(so(answer)) for answer in ("Judy Blumberg", "Carol Fox", "Judy Blumberg")]
    result = await run(scripted(*back_and_forth), caution="paper")
    assert (result["answer"], result["stopped"]) == ("Judy Blumberg", "rounds")
    assert len(result["edits"]) == 3


@pytest.mark.parametrize("most", [1, 2, 4, 7])
async def test_a_model_that_searches_for_ever_comes_to_no_conclusion(most: int) -> None:
    model = FakeChatModel(replies=[WRONG, f"> Search Query: {QUERIES[1]}"])
    given = Context(model=model, search=found(), cache=False, critique_calls=most)
    result = await critic_qa.graph.ainvoke({"question": MEDAL}, context=given)
    assert len(model.asked) == 1 + 2 * min(most, 3), "after the same query twice in a row comes the last turn"
    assert (result["text"], result["stopped"], labels(result)) == (WRONG, "stable", ["neutral", "neutral"])
    assert {verdict["reason"] for verdict in result["verdicts"]} == {"It reached no conclusion."}
    assert len(result["evidence"]) == min(most - 1, 2), "what is asked for on the last turn is not looked up"
    last = [messages[-1].text for messages in model.asked if "your last turn" in messages[-1].text]
    assert len(last) == 2


async def test_seven_turns_are_the_most_by_default() -> None:
    backends = scripted(*(look(f"page {number}") for number in range(7)))
    await run(backends, patience=1)
    assert [asked["last"] for asked in backends["qa_critique"].asked] == [False] * 6 + [True]


class TestASearch:
    """What a critique is told."""

    async def told(self, search: FakeSearch, *queries: str) -> list[str]:
        backends = scripted(*map(look, queries), conclude(accepted=True))
        result = await run(backends, search=search, critique_calls=20)
        assert result["stopped"] == "accepted"
        pieces = [f"[{n}] [{piece['title']}] {piece['text']}" for n, piece in enumerate(result["evidence"], start=1)]
        assert pieces == [text for text in said(backends["qa_critique"]) if text.startswith("[")]
        return [re.sub(r"^\[\d+\] ", "", text) for text in said(backends["qa_critique"])]

    async def test_gives_one_result_with_its_title(self) -> None:
        assert await self.told(found(), QUERIES[1]) == [
            "[Michael Seibert] Michael Seibert is an American ice dancer. He and Judy Blumberg won bronze."
        ]

    async def test_of_a_long_page_gives_the_part_that_answers(self) -> None:
        sentences = [f"Sentence {number} of this page is about the town of Altona." for number in range(60)]
        sentences[20] = "Judy Blumberg skated with Michael Seibert."
        (text,) = await self.told(
            FakeSearch(find=lambda query: [" ".join(sentences)]), "Who skated with Michael Seibert?"
        )
        assert "Judy Blumberg skated" in text

    @pytest.mark.parametrize(
        "text", ["word " * 300, "x" * 1_000, "日本語の文" * 200, "many\nlines\tof " * 90, "x" * EVIDENCE_CHARS]
    )
    async def test_is_cut_at_so_many_characters(self, text: str) -> None:
        (seen,) = await self.told(FakeSearch(find=lambda query: [("Title", text)]), "a query")
        shown = seen.removeprefix("[Title] ")
        assert EVIDENCE_CHARS - 20 < len(shown) <= EVIDENCE_CHARS
        assert " ".join(text.split()).startswith(shown.removesuffix(" …"))

    async def test_asked_again_gives_the_next_result_until_there_is_none(self) -> None:
        pages = [f"Text {number}." for number in range(10)]
        search = FakeSearch(find=lambda query: pages if query == "again" else [])
        expected = [f"[Page {number}] Text {number}." for number in range(RANKS)]
        told = await self.told(search, *["again", "other"] * (RANKS + 2))
        assert told[::2] == [*expected, *["Nothing more was found."] * 2]

    async def test_gives_nothing_that_was_seen_by_another_query(self) -> None:
        search = FakeSearch(find=lambda query: ["Text 0.", "Text 1.", "Text 2.", "Text 3."])
        told = await self.told(search, "one", "other", "one", "other", "one")
        assert told == [f"[Page {number}] Text {number}." for number in range(4)] + ["Nothing more was found."]

    async def test_may_find_nothing(self) -> None:
        assert await self.told(FakeSearch(find=lambda query: []), "a query") == ["Nothing more was found."]

    async def test_of_another_critique_begins_with_the_best_again(self) -> None:
        backends = scripted(look(QUERIES[1]), conclude(so("Judy Blumberg")), look(QUERIES[1]), conclude(accepted=True))
        search = found()
        await run(backends, search=search)
        assert said(backends["qa_critique"])[0].startswith("[1] [Michael Seibert]")
        assert search.searched == [QUERIES[1]], "what a query has given is remembered"


async def test_an_answer_that_nothing_found_says_is_not_taken_and_the_next_critique_is_told_so() -> None:
    backends = scripted(
        look(QUERIES[1]), conclude(so("Carol Heiss")), conclude(so("Judy Blumberg")), conclude(accepted=True)
    )
    result = await run(backends)
    assert (result["answer"], result["stopped"]) == ("Judy Blumberg", "accepted")
    assert labels(result) == ["neutral", "contradiction", "entailment"]
    _, _, second, third = backends["qa_critique"].asked
    assert second["correction_without_evidence"] == so("Carol Heiss")
    assert "correction_without_evidence" not in third
    stubborn = scripted(look(QUERIES[1]), *[conclude(so("Carol Heiss"))] * 2)
    result = await run(stubborn)
    assert (result["answer"], result["stopped"], result["edits"]) == ("Carol Fox, silver", "stable", [])
    assert result["reason"].endswith("was not taken: nothing found says it")
    as_published = await run(scripted(look(QUERIES[1]), conclude(so("Carol Heiss")), DOWN), caution="paper")
    assert as_published["answer"] == "Carol Heiss"


@pytest.mark.parametrize(
    "reply",
    [concludes(text=RIGHT), f"> Corrected: {RIGHT}", searches("Seibert"), "> Search Query: Seibert", "> Program: 1"],
)
async def test_without_tools_it_concludes_by_itself(reply: Any) -> None:
    search, replies = found(), [WRONG, reply]
    model = FakeChatModel(replies=replies) if isinstance(reply, str) else FakeToolCaller(replies=replies)
    result = await critic_qa.graph.ainvoke(
        {"question": MEDAL}, context=Context(model=model, search=search, cache=False, use_tools=False, patience=1)
    )
    assert search.searched == result["evidence"] == result["failures"] == []
    assert result["text"] == (RIGHT if RIGHT in str(reply) else WRONG)
    if isinstance(model, FakeToolCaller):
        assert {name for names in model.offered for name in names} == {"think", "conclude"}
    else:
        assert not any("> Search Query:" in messages[-1].text for messages in model.asked)


@pytest.mark.parametrize("kind", [FakeChatModel, FakeToolCaller])
async def test_without_tools_it_thinks_turn_by_turn_and_nothing_it_is_shown_speaks_of_a_search(kind: Any) -> None:
    thoughts = ["A partner and a medal are the right kind of answer.", "His partner was Judy Blumberg."]
    called = [calls(("think", {"thought": thought})) for thought in thoughts]
    written = [f"> Thought: {thought}" for thought in thoughts]
    model = kind(
        replies=[WRONG, *(called if kind is FakeToolCaller else written), f"> Corrected: {RIGHT}", "> Accepted"]
    )
    if kind is FakeToolCaller:
        model.replies[3:] = [concludes(text=RIGHT), concludes(accepted=True)]
    result = await critic_qa.graph.ainvoke({"question": MEDAL}, context=Context(model=model, use_tools=False))
    assert (result["text"], result["evidence"], len(model.asked)) == (RIGHT, [], 5)
    told = "\n".join(message.text for messages in model.asked[1:] for message in messages)
    assert "Search" not in told
    assert "You can look nothing up" in told
    assert thoughts[1] in "\n".join(f"{message.text}{getattr(message, 'tool_calls', '')}" for message in model.asked[3])


class TestWhereTheRightAnswerIsKnown:
    GOLD = ("Blumberg", "judy blumberg, bronze")

    async def go(self, *turns: Any, draft: str = WRONG, **more: Any) -> tuple[Any, Scripted]:
        backends = scripted(*turns, draft=draft)
        return await run(backends, {"question": MEDAL, "gold": list(self.GOLD)}, **more), backends["qa_critique"]

    async def test_it_is_not_corrected(self) -> None:
        result, critic = await self.go(AssertionError("no critique was expected"), draft=RIGHT)
        assert (result["text"], result["answer"]) == (RIGHT, "Judy Blumberg, bronze")
        assert (result["stopped"], critic.asked, result["edits"]) == ("accepted", [], [])

    async def test_neither_is_a_draft_of_the_callers_own(self) -> None:
        backends = scripted(AssertionError("no critique was expected"))
        result = await run(backends, {"question": MEDAL, "text": RIGHT, "gold": list(self.GOLD)})
        assert (result["text"], result["answer"], result["stopped"]) == (RIGHT, "Judy Blumberg, bronze", "accepted")

    async def test_another_answer_is_corrected_until_it_is_right(self) -> None:
        result, critic = await self.go(conclude(so("Carol Heiss")), conclude(RIGHT), AssertionError("it was right"))
        assert (result["answer"], result["stopped"]) == ("Judy Blumberg, bronze", "accepted")
        assert len(critic.asked) == len(result["edits"]) == 2

    async def test_a_critic_that_accepts_what_is_wrong_is_asked_again(self) -> None:
        result, critic = await self.go(conclude(accepted=True), conclude(RIGHT))
        assert (result["answer"], result["stopped"]) == ("Judy Blumberg, bronze", "accepted")
        assert (len(critic.asked), labels(result)) == (2, ["neutral", "contradiction"])

    async def test_a_right_answer_is_not_told(self) -> None:
        _, critic = await self.go(conclude(so("Carol Heiss")), conclude(so("Carol Fox")))
        assert not any("Blumberg" in str(asked) for asked in critic.asked)


async def test_a_draft_of_the_callers_own_is_critiqued_as_it_is() -> None:
    backends = scripted(draft=AssertionError("no draft was expected"))
    result = await run(backends, {"question": MEDAL, "text": f"{WRONG}\n"})
    assert (result["original"], result["text"], result["answer"]) == (f"{WRONG}\n", RIGHT, "Judy Blumberg, bronze")
    assert backends["qa_critique"].asked[0]["text"].strip() == WRONG
    assert backends["qa_critique"].asked[0]["answer"] == "Carol Fox, silver"


async def test_prose_without_a_question_has_no_short_answer() -> None:
    backends = scripted(
        conclude("Judy Blumberg skated with Seibert."), conclude("Judy Blumberg skated with M. Seibert.")
    )
    result = await run(backends, {"text": "Carol Fox skated with Seibert."}, rounds=2, caution="paper")
    assert (result["text"], result["answer"]) == ("Judy Blumberg skated with M. Seibert.", "")
    assert result["verdicts"][0]["question"] == "Is the text right?"


@pytest.mark.parametrize("second", ["My friend Bob likes it.", "It was completed by Bob Smith."])
async def test_a_sentence_that_rules_leave_open_is_named(second: str) -> None:
    first = "The Eiffel Tower was completed in 1889."
    open_, decided = [
        (await critic_qa.graph.ainvoke({"text": text}))["verdicts"][-1] for text in (f"{first} {second}", first)
    ]
    assert (open_["label"], decided["label"]) == ("neutral", "entailment")
    assert f"Not decided, because nothing found has all of its names and numbers: “{second}”" in open_["reason"]
    assert "what it claims" not in open_["reason"]
    assert "Not decided" not in decided["reason"]


@pytest.mark.parametrize("graph_input", [{}, {"text": " \n"}, {"question": " "}, {"text": "", "question": ""}])
async def test_nothing_to_answer_is_the_callers_to_mend(graph_input: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="give a text, or a question"):
        await critic_qa.graph.ainvoke(graph_input, context=context(scripted()))
    with pytest.raises(ConfigurationError, match="give a text, or a question"):
        critic_qa.graph.invoke(graph_input, context=context(scripted()))


class NeverContent(FakeChatModel):
    """Looks something up, then gives another answer; accepts none."""

    def _generate(self, messages: Any, *rest: Any, **more: Any) -> Any:
        number, request = len(self.asked), messages[-1].text
        if not number:
            self.replies[:] = [so("Answer 0")]
        elif "> Evidence:" in request or "your last turn" in request:
            self.replies[:] = [f"> Corrected: {so(f'Answer {number}')}"]
        else:
            self.replies[:] = [f"> Search Query: {QUERIES[1]}"]
        return super()._generate(messages)


@pytest.mark.parametrize(("most", "answer"), [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4), (6, 5), (8, 6)])
async def test_a_budget_of_calls_ends_with_the_best_so_far(most: int, answer: int) -> None:
    model = NeverContent(replies=[""])
    given = Context(model=model, search=found(), cache=False, max_calls=most, caution="paper")
    result = await critic_qa.graph.ainvoke({"question": MEDAL}, context=given)
    assert result["answer"] == f"Answer {answer}", "the last call that there is concludes"
    assert len(model.asked) == min(most, 7)
    assert result["stopped"] == ("budget" if most < 6 else "rounds")
    assert most >= 6 or "budget" in result["reason"]


async def test_a_budget_that_a_draft_uses_up_is_what_it_stopped_at() -> None:
    model = FakeChatModel(
        replies=["I would rather not say.", "> Search Query: Seibert", AssertionError("over the budget")]
    )
    given = Context(model=model, search=found(), cache=False, max_calls=2, draft="react")
    result = await critic_qa.graph.ainvoke({"question": MEDAL}, context=given)
    assert (result["text"], result["stopped"], len(model.asked)) == ("", "budget", 2)


class Flaky(FakeSearch):
    """Is down from its second search on, or from the first."""

    working: int = 0

    async def _find(self, query: str, limit: int) -> Any:
        if len(self.searched) >= self.working:
            raise OSError("no route to host")
        return await super()._find(query, limit)


@pytest.mark.parametrize(("working", "text", "verdicts"), [(0, WRONG, []), (1, so("Judy Blumberg"), ["contradiction"])])
async def test_a_search_that_is_down_ends_the_run_and_judges_nothing(working: int, text: str, verdicts: Any) -> None:
    search = Flaky(working=working, find=lambda query: PAGES.get(query, []))
    backends = scripted(look(QUERIES[1]), conclude(so("Judy Blumberg")), look(QUERIES[2]), AssertionError("it went on"))
    result = await run(backends, search=search)
    assert (result["text"], result["stopped"], labels(result)) == (text, "error", verdicts)
    (failure,) = result["failures"]
    assert (failure["step"], failure["unchecked"]) == ("search", True)
    assert "no route to host" in failure["reason"]
    assert result["reason"].startswith("search failed: ")
    assert len(result["evidence"]) == working
    assert len(backends["qa_critique"].asked) == (3 if working else 1)


@pytest.mark.parametrize("model", [FakeChatModel, FakeToolCaller])
async def test_replies_that_cannot_be_read_are_an_error(model: Any) -> None:
    asked = model(replies=[WRONG, "I would rather not say."])
    result = await critic_qa.graph.ainvoke({"question": MEDAL}, context=Context(model=asked, search=found(), repairs=1))
    assert (result["text"], result["answer"]) == (WRONG, "Carol Fox, silver")
    assert (result["stopped"], labels(result)) == ("error", [])
    assert "no usable reply to `qa_critique` in 2 tries" in result["reason"]


@pytest.mark.parametrize(
    ("step", "backends", "text", "answer"),
    [
        ("draft", scripted(draft=DOWN), "", ""),
        ("qa_critique", scripted(DOWN), WRONG, "Carol Fox, silver"),
        ("qa_critique", scripted(look(QUERIES[0]), DOWN), WRONG, "Carol Fox, silver"),
        ("qa_critique", scripted(conclude(RIGHT), DOWN), RIGHT, "Judy Blumberg, bronze"),
        ("search", {**scripted(), "rank": Scripted(DOWN)}, WRONG, "Carol Fox, silver"),
    ],
    ids=["draft", "first turn", "second turn", "second critique", "rank"],
)
@pytest.mark.parametrize("drafted", [True, False])
async def test_a_model_that_is_down_ends_the_run_with_the_best_so_far(
    step: str, backends: Any, text: str, answer: str, drafted: bool
) -> None:
    backends = {name: Scripted(*model.outputs) for name, model in backends.items()}
    long = FakeSearch(find=lambda query: ["A sentence of a long page. " * 9 + "Another sentence is here. " * 9])
    given = {"question": MEDAL} if drafted or step == "draft" else {"question": MEDAL, "text": WRONG}
    result = await run(backends, given, search=long, caution="paper")
    assert (result["text"], result["answer"], result["stopped"]) == (text, answer, "error")
    (failure,) = result["failures"]
    assert (failure["step"], failure["unchecked"]) == (step, True)
    assert result["reason"].startswith(f"{step} failed: " if text else "`cot (Scripted)` failed: ")
    assert "the model is down" in result["reason"]
    assert replay(result["original"], result["edits"]) == result["text"]


def untimed(result: Any) -> Any:
    return {**result, "usage": {**result["usage"], "seconds": 0}}


async def test_every_face_gives_the_same_result() -> None:
    def asked() -> Any:
        return {"input": {"question": MEDAL}, "context": context(scripted())}

    result = await critic_qa.graph.ainvoke(**asked())
    assert result["answer"] == "Judy Blumberg, bronze"
    streamed = list(critic_qa.graph.stream(**asked()))[-1]
    astreamed = [state async for state in critic_qa.graph.astream(**asked())][-1]
    assert untimed(critic_qa.graph.invoke(**asked())) == untimed(result)
    assert [untimed({name: last[name] for name in result}) for last in (streamed, astreamed)] == [untimed(result)] * 2


async def test_settings_may_be_a_dict() -> None:
    given = context(scripted(), rounds=1, patience=1)
    as_dict = {name: getattr(given, name) for name in given.model_fields_set}
    assert (await critic_qa.graph.ainvoke({"question": MEDAL}, context=as_dict))["stopped"] == "rounds"


async def test_it_streams_what_happens() -> None:
    stream = critic_qa.graph.astream(
        {"question": MEDAL}, context=context(scripted()), stream_mode="custom", subgraphs=True
    )
    events: list[Any] = [event async for _, event in stream]
    assert [event["step"] for event in events] == ["draft", "tools", "critique", "correct", "edit", "critique"]
    assert (events[0]["text"], events[3]["text"]) == (WRONG, RIGHT)
    assert (events[1]["tool"], events[1]["argument"]) == ("search", QUERIES[1])
    assert events[1]["said"].startswith("[1] [Michael Seibert]")
    assert events[2]["verdict"]["label"] == "contradiction"
    assert events[4]["edit"]["after"] == RIGHT


class TestWithACheckpointer:
    """On one thread of a checkpointer that the caller brings."""

    @pytest.fixture
    def graph(self) -> Any:
        return critic_qa.build().compile(checkpointer=InMemorySaver())

    async def go(self, graph: Any, *turns: Any, **script: Any) -> Any:
        given = {"question": MEDAL, "text": ""}
        return await graph.ainvoke(given, THREAD, context=context(scripted(*turns, **script)))

    async def test_a_run_is_kept(self, graph: Any) -> None:
        result = await self.go(graph)
        state = await graph.aget_state(THREAD)
        assert state.next == ()
        assert {name: state.values[name] for name in result} == result
        assert set(state.values) <= set(AnswerState.__annotations__)

    @pytest.mark.parametrize("model", [None, BY_CALLS], ids=["scripted", "by calls"])
    async def test_a_run_that_was_killed_between_tools_and_critique_goes_on(self, tmp_path: Path, model: Any) -> None:
        """By a process that knows nothing but the file."""
        backends = scripted()
        critic = Scripted(*backends["qa_critique"].outputs)

        def settings_of(part: int) -> Context:
            if model is None:
                return context({**backends, "qa_critique": critic})
            parts = [WRONG, searches(QUERIES[1])], [concludes(text=RIGHT), concludes(accepted=True)]
            return Context(model=FakeToolCaller(replies=list(parts[part])), search=found(), cache=False)

        file = str(tmp_path / "runs.sqlite")
        async with AsyncSqliteSaver.from_conn_string(file) as saver:
            graph: Any = critic_qa.build().compile(checkpointer=saver, interrupt_after=["tools"])
            await graph.ainvoke({"question": MEDAL}, THREAD, context=settings_of(0))
        async with AsyncSqliteSaver.from_conn_string(file) as saver:
            graph = critic_qa.build().compile(checkpointer=saver)
            state = await graph.aget_state(THREAD)
            assert state.next == ("critique",)
            asked, told = state.values["messages"]
            assert isinstance(asked, AIMessage)
            assert isinstance(told, ToolMessage)
            assert told.artifact["evidence"]["title"] == "Michael Seibert"
            result = await graph.ainvoke(None, THREAD, context=settings_of(1))
        assert (result["original"], result["answer"], result["stopped"]) == (WRONG, "Judy Blumberg, bronze", "accepted")
        assert result["verdicts"][0]["evidence"] == result["evidence"][0]["id"]
        assert len(result["evidence"]) == 1

    @pytest.mark.parametrize(
        "turns",
        [(), (DOWN,), (look(QUERIES[0]), DOWN), (conclude(so("Carol Heiss")), conclude(so("Carol Fox")))],
        ids=["accepted", "down", "down in the middle", "rounds"],
    )
    async def test_a_new_run_on_the_thread_starts_afresh(self, graph: Any, turns: Any) -> None:
        await self.go(graph, *turns)
        fresh = critic_qa.build().compile(checkpointer=InMemorySaver())
        assert untimed(await self.go(graph)) == untimed(await self.go(fresh))


class TestADraftByAnotherWay:
    """`draft` chooses how the answer is thought up that is then critiqued."""

    async def go(self, draft: Any, *replies: Any, **more: Any) -> tuple[Any, FakeToolCaller]:
        model = FakeToolCaller(replies=[*replies, concludes(accepted=True)])
        given = Context(model=model, search=found(), cache=False, draft=draft, **more)
        return await critic_qa.graph.ainvoke({"question": MEDAL}, context=given), model

    async def test_react(self) -> None:
        answer = concludes(text=so("Judy Blumberg"), answer="Judy Blumberg")
        result, model = await self.go("react", searches(QUERIES[1], "Who?"), answer)
        assert (result["original"], result["answer"], result["stopped"]) == (
            so("Judy Blumberg"),
            "Judy Blumberg",
            "accepted",
        )
        assert (len(model.asked), result["usage"]["llm_calls"], result["usage"]["searches"]) == (3, 3, 1)
        assert [piece["title"] for piece in result["evidence"]] == ["Michael Seibert"]
        assert len(model.asked[2]) == 2, "the critique does not go on with the conversation of the draft"
        assert result["verdicts"][0]["evidence"] == "", "what the draft found is not what the critique saw"

    async def test_react_of_which_a_search_is_down(self) -> None:
        model = FakeToolCaller(replies=[searches(QUERIES[1])])
        given = Context(model=model, search=Flaky(), cache=False, draft="react")
        result = await critic_qa.graph.ainvoke({"question": MEDAL}, context=given)
        assert (result["text"], result["stopped"], labels(result), len(model.asked)) == ("", "error", [], 1)
        assert "no route to host" in result["reason"]

    async def test_direct(self) -> None:
        result, _ = await self.go("direct", "Judy Blumberg.")
        assert (result["original"], result["answer"], result["stopped"]) == (
            "Judy Blumberg.",
            "Judy Blumberg",
            "accepted",
        )

    async def test_self_consistency(self) -> None:
        rivals = [so("Carol Fox"), so("Judy Blumberg"), so("judy blumberg")]
        result, model = await self.go("self_consistency", *rivals, samples=3)
        assert (result["original"], result["answer"]) == (so("Judy Blumberg"), "Judy Blumberg")
        assert len(model.asked) == 4

    async def test_the_papers_own_by_default(self) -> None:
        result, model = await self.go(None, WRONG)
        assert result["original"] == WRONG
        assert "Think in a few short sentences" in model.asked[0][0].text


class Together(FakeSearch):
    """Finds nothing before `together` searches are under way."""

    together: int
    _all_here: asyncio.Event = PrivateAttr(default_factory=asyncio.Event)

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        found = await super()._find(query, limit)
        if len(self.searched) == self.together:
            self._all_here.set()
        await self._all_here.wait()
        return found


async def test_searches_that_are_asked_for_at_once_are_carried_out_at_once() -> None:
    both = calls(("search", {"query": QUERIES[1]}), ("search", {"query": QUERIES[2]}))
    model = FakeToolCaller(replies=[WRONG, both, concludes(text=RIGHT), concludes(accepted=True)])
    search = Together(find=lambda query: PAGES.get(query, []), together=2)
    async with asyncio.timeout(10):
        result = await critic_qa.graph.ainvoke(
            {"question": MEDAL}, context=Context(model=model, search=search, cache=False)
        )
    assert result["answer"] == "Judy Blumberg, bronze"
    assert set(search.searched) == set(QUERIES[1:])
    conversation = model.asked[2]
    asked = [call["id"] for message in conversation for call in getattr(message, "tool_calls", [])]
    assert asked == [message.tool_call_id for message in conversation if isinstance(message, ToolMessage)]
    assert [message.text[:3] for message in conversation if isinstance(message, ToolMessage)] == ["[1]", "[2]"]
