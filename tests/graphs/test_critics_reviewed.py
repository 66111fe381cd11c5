"""The critics with a person who decides on each correction: nothing is paid for twice; what they reject stays out."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from errata.graphs import critic, critic_program, critic_qa, critic_toxicity
from errata.state import Context, replay

from ..fakes import FakeScorer, FakeSearch, Scripted
from ..reviewing import APPROVE, REJECT, edited, proposed

THREAD: Any = {"configurable": {"thread_id": "1"}}

SAID, BETTER = "The Spree flows there. So the answer is: Spree.", "The Havel flows there. So the answer is: Havel."
LOOK = {"tool": "search", "argument": "Which river flows through Potsdam?"}
FOUND = "The Havel flows through Potsdam."
ASKED = {"question": "Which river flows through Potsdam?", "text": SAID}

WRONG, RIGHT = "answer = 2 - 4", "answer = 2 + 4"
REFUSED = {"plausibility": "", "correctness": "It subtracts.", "accepted": False}
STANDS = {"plausibility": "", "correctness": "It adds.", "accepted": True}


def concludes(text: str = "", accepted: bool = False) -> dict[str, Any]:
    conclusion = {"correctness": "It is the Havel.", "accepted": accepted, "text": text}
    return {"tool": "conclude", "conclusion": conclusion}


async def go(method: Any, graph_input: Any, context: Context, *answers: Any) -> tuple[Any, list[Any]]:
    """Run with a person who gives these answers. Returns the result, and what they were shown."""
    graph = method.build().compile(checkpointer=InMemorySaver())
    shown = []
    result = await graph.ainvoke(graph_input, THREAD, context=context)
    for answer in answers:
        shown.append(proposed(result))
        result = await graph.ainvoke(Command(resume=answer), THREAD, context=context)
    assert "__interrupt__" not in result
    assert replay(result["original"], result["edits"]) == result["text"]
    return result, shown


@pytest.mark.parametrize(("method", "task"), [(critic_qa, "qa_critique"), (critic, "critique")])
class TestAnswers:
    def context(self, task: str, *turns: Any) -> tuple[Context, Scripted]:
        critique = Scripted(*turns)
        search = FakeSearch(find=lambda query: [("Havel", FOUND)])
        return Context(backends={task: critique}, search=search, review=True, cache=False), critique

    async def test_what_is_accepted_takes_the_place_of_the_answer(self, method: Any, task: str) -> None:
        context, critique = self.context(task, LOOK, concludes(BETTER), concludes(accepted=True))
        result, (shown,) = await go(method, ASKED, context, APPROVE)
        assert (shown.before, shown.after) == (SAID, BETTER)
        assert "[-Spree-]{+Havel+} flows there." in shown.lines
        assert all(each in shown.lines for each in ("Is the answer right?", FOUND, "It is the Havel."))
        assert (result["text"], result["answer"], result["stopped"]) == (BETTER, "Havel", "accepted")
        assert len(critique.asked) == 3, "as often as without a person"

    async def test_what_is_rejected_stays_out_and_is_not_shown_again(self, method: Any, task: str) -> None:
        context, critique = self.context(task, concludes(BETTER))
        result, (shown,) = await go(method, ASKED, context, REJECT)
        assert "Evidence" not in shown.lines
        assert (result["text"], result["answer"], result["stopped"]) == (SAID, "Spree", "stable")
        assert [edit["applied"] for edit in result["edits"]] == [False, False]
        assert result["edits"][0]["reason"].startswith("Refused: a person rejected it")
        assert len(critique.asked) == 2, "the critic may try again, within its patience"

    async def test_what_a_person_writes_is_what_is_critiqued_next(self, method: Any, task: str) -> None:
        context, critique = self.context(task, concludes(BETTER), concludes(accepted=True))
        theirs = "Both do. So the answer is: Havel and Nuthe."
        result, shown = await go(method, ASKED, context, edited(" "), "yes", edited(theirs))
        assert "nothing of the text" in shown[1].lines
        assert "answer could not be used" in shown[2].lines
        assert (result["text"], result["answer"]) == (theirs, "Havel and Nuthe")
        assert result["edits"][0]["reason"].startswith("Rewritten by a person")
        assert critique.asked[1]["text"] == theirs
        assert len(critique.asked) == 2


async def test_a_run_that_waits_for_a_person_outlives_its_process(tmp_path: Path) -> None:
    critique = Scripted(LOOK, concludes(BETTER), concludes(accepted=True))
    search = FakeSearch(find=lambda query: [("Havel", FOUND)])
    context = Context(backends={"qa_critique": critique}, search=search, review=True, cache=False)
    asked: list[Any] = [ASKED, Command(resume=APPROVE)]
    for given in asked:
        async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "run.sqlite")) as saver:
            graph = critic_qa.build().compile(checkpointer=saver)
            result = await graph.ainvoke(given, THREAD, context=context)
    assert (result["text"], len(critique.asked), len(search.searched)) == (BETTER, 3, 1)


class TestPrograms:
    async def go(self, critiques: list[Any], programs: list[str], *answers: Any) -> tuple[Any, list[Any], Scripted]:
        writes = Scripted(*({"code": program} for program in programs))
        backends: Any = {"program_critique": Scripted(*critiques), "program_correction": writes}
        given = {"question": "What is 2 and 4?", "text": WRONG}
        return *await go(critic_program, given, Context(backends=backends, review=True), *answers), writes

    async def test_a_program_is_run_after_a_person_has_seen_it(self) -> None:
        result, (shown,), writes = await self.go([REFUSED, STANDS], [RIGHT], APPROVE)
        assert (shown.before, shown.after) == (WRONG, RIGHT)
        assert "answer = -2" in shown.lines
        assert (result["text"], result["answer"], result["stopped"]) == (RIGHT, "6", "accepted")
        assert (result["usage"]["tool_runs"], len(writes.asked)) == (2, 1)

    async def test_a_program_that_is_rejected_is_never_run(self) -> None:
        result, shown, writes = await self.go([REFUSED], [RIGHT, "answer = 0", RIGHT], REJECT, REJECT)
        assert [each.after for each in shown] == [RIGHT, "answer = 0"]
        assert (result["text"], result["answer"], result["stopped"]) == (WRONG, "-2", "stable")
        assert (result["usage"]["tool_runs"], len(writes.asked)) == (1, 2)

    async def test_a_program_of_the_person_s_own_is_run(self) -> None:
        theirs = "answer = 4 + 2"
        result, _, writes = await self.go([REFUSED, STANDS], [RIGHT], edited(theirs))
        assert (result["text"], result["answer"]) == (theirs, "6")
        assert result["edits"][0]["reason"].startswith("Rewritten by a person")
        assert len(writes.asked) == 1


class TestTexts:
    RUDE, BETTER, POLITE = "You fool.", "You erred, fool.", "You erred."

    async def go(self, *answers: Any, **more: Any) -> tuple[Any, list[Any], Scripted, FakeScorer]:
        writes = Scripted({"text": self.BETTER}, {"text": self.POLITE})
        scorer = FakeScorer(judge={self.RUDE: 0.8, self.BETTER: 0.4, self.POLITE: 0.0, "I disagree.": 0.0}.__getitem__)
        context = Context(backends={"rewrite": writes}, toxicity=scorer, review=True, **more)
        return *await go(critic_toxicity, {"text": self.RUDE}, context, *answers), writes, scorer

    async def test_a_person_decides_on_every_rewrite(self) -> None:
        result, shown, writes, scorer = await self.go(APPROVE, APPROVE)
        assert [each.after for each in shown] == [self.BETTER, self.POLITE]
        assert all(each in shown[0].lines for each in ("Is the text clean?", "80%"))
        assert (result["text"], result["stopped"]) == (self.POLITE, "accepted")
        assert (len(writes.asked), scorer.scored) == (2, [self.RUDE, self.BETTER, self.POLITE])

    async def test_what_is_rejected_is_not_scored_and_the_loop_goes_on(self) -> None:
        result, _, writes, scorer = await self.go(REJECT, APPROVE)
        assert (result["text"], result["stopped"]) == (self.POLITE, "accepted")
        assert [edit["applied"] for edit in result["edits"]] == [False, True]
        assert writes.asked[1]["text"] == self.RUDE
        assert scorer.scored == [self.RUDE, self.POLITE]

    async def test_who_rejects_all_keeps_the_text(self) -> None:
        result, _, writes, scorer = await self.go(REJECT, REJECT)
        assert (result["text"], result["stopped"]) == (self.RUDE, "stable")
        assert (len(writes.asked), scorer.scored) == (2, [self.RUDE])

    async def test_words_of_the_person_s_own_are_scored(self) -> None:
        result, _, _, scorer = await self.go(edited("I disagree."))
        assert (result["text"], result["stopped"]) == ("I disagree.", "accepted")
        assert scorer.scored == [self.RUDE, "I disagree."]
