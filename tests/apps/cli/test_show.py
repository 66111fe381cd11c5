"""A result in the terminal: what a critic looked at, what it came to, and what the answer is now."""

import re
from io import StringIO
from typing import Any

from langchain_core.runnables import RunnableLambda
from rich.console import Console

from errata.apps.cli.show import LONGEST_QUOTE, show
from errata.graphs import critic, critic_qa, load, rarr
from errata.state import Context

from ...fakes import FakeChatModel, FakeSearch, Rewriting, Scripted, always
from ...fakes import context as world

QUESTION = "Which river flows through the city where Brahms was born?"
WRONG = "Brahms was born in Vienna. So the answer is: the Danube."
RIGHT = "Brahms was born in Hamburg. So the answer is: the Elbe."
PAGES = {"Brahms birthplace": [("Brahms", "He was born in Hamburg.")], "Hamburg": [("Hamburg", "It lies on the Elbe.")]}


def look(query: str) -> dict[str, Any]:
    return {"tool": "search", "argument": query}


def conclude(**conclusion: Any) -> dict[str, Any]:
    return {"tool": "conclude", "conclusion": conclusion}


async def shown(*turns: Any, text: str = "", **more: Any) -> str:
    """What is printed of a run whose critic takes these turns; without a text, one is drafted."""
    backends = {"cot": Scripted({"text": WRONG}), "qa_critique": Scripted(*turns)}
    search = FakeSearch(find=lambda query: PAGES.get(query, []))
    context = Context(**{"backends": backends, "search": search, "cache": False, **more})
    result: Any = await critic_qa.graph.ainvoke({"question": QUESTION, "text": text}, context=context)
    return printed(result, drafted=not text)


def printed(result: Any, *, drafted: bool = False) -> str:
    console = Console(file=StringIO(), width=200)
    show(console, result, drafted=drafted)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


async def test_each_critique_with_what_it_goes_by_and_came_to() -> None:
    out = await shown(
        look("Brahms birthplace"),
        look("Hamburg"),
        conclude(correctness="It was Hamburg.", text=RIGHT, answer="the Elbe", evidence=[1, 2]),
        look("Hamburg"),
        conclude(correctness="It holds.", accepted=True),
    )
    lines = [line.strip() for line in out.partition("Critiques\n")[2].splitlines()]
    assert lines[:9] == [
        "1. Is the answer right?",
        "→ Brahms birthplace",
        "[Brahms] He was born in Hamburg.",
        "→ Hamburg",
        "[Hamburg] It lies on the Elbe.",
        "= contradiction (Scripted): It was Hamburg.",
        "2. Is the answer right?",
        "→ Hamburg",
        "[Hamburg] It lies on the Elbe.",
    ]
    assert lines[9] == "= entailment (Scripted): It holds."
    assert f"Draft\n  {WRONG}" in out
    assert "Brahms was born in [-Vienna-]{+Hamburg+}. So the answer is: the [-Danube-]{+Elbe+}." in out
    assert "Answer\n  the Elbe\n" in out
    assert "Stopped  accepted: it passes after 1 round of correction" in out
    assert "2 searches" in out, "what was found before is not searched for again"
    assert "Edits" not in out, "there is one edit, of the whole text, and it is shown above"


async def test_a_critique_that_goes_by_nothing_does_not_show_what_the_next_one_goes_by() -> None:
    out = await shown(
        look("nothing"),
        conclude(correctness="I cannot tell."),
        look("Hamburg"),
        conclude(correctness="Nor now.", evidence=[1]),
    )
    first, second = out.partition("2. Is the answer right?")[::2]
    assert "= neutral (Scripted): I cannot tell." in first
    assert "→" not in first
    assert "→ Hamburg" in second
    assert f"Not checked\n  {WRONG}" in out
    assert "Stopped  stable: further corrections do not change it after 2 rounds of correction" in out


async def test_a_long_piece_of_evidence_is_one_short_line() -> None:
    page = "A sentence of a page.\n" * 40
    backends: Any = {"qa_critique": Scripted(look("q"), conclude(accepted=True, correctness="long " * 200))}
    context = Context(backends=backends, search=FakeSearch(find=lambda query: [page]), cache=False)
    result: Any = await critic_qa.graph.ainvoke({"text": RIGHT}, context=context)
    console = Console(file=StringIO(), width=1_000)
    show(console, result)
    assert max(map(len, console.file.getvalue().splitlines())) < LONGEST_QUOTE + 60  # type: ignore[attr-defined]


async def test_a_run_that_failed_says_what_failed_and_keeps_the_answer() -> None:
    def down(query: str) -> Any:
        raise OSError("no route to host")

    out = await shown(look("Hamburg"), search=FakeSearch(find=down))
    assert f"Draft\n  {WRONG}" in out
    assert "Answer\n  the Danube" in out
    assert "Failures\n  search: fake failed: OSError: no route to host" in out
    assert "Stopped  error: search failed: fake failed" in out
    assert "Critiques" not in out


async def test_a_text_of_ones_own_and_evidence_are_no_markup() -> None:
    page = "[bold]Not bold[/bold] [/]"
    backends: Any = {"critique": Scripted(look("[red]q"), conclude(correctness="[/] [x]", accepted=True, evidence=[1]))}
    context = Context(backends=backends, search=FakeSearch(find=lambda query: [page]), cache=False)
    result: Any = await critic.graph.ainvoke({"text": "[red]A text[/red]"}, context=context)
    out = printed(result)
    assert all(said in out for said in (page, "[red]q", "[/] [x]", "[red]A text[/red]"))


async def test_a_draft_is_shown_once_with_its_answer() -> None:
    model = FakeChatModel(replies=[WRONG])
    result = await load("cot").ainvoke({"question": QUESTION}, context=Context(model=model))
    out = printed(result, drafted=True)
    assert out.count(WRONG) == 1
    assert "Answer\n  the Danube" in out
    assert "Stopped  finished: a draft: it was not checked" in out


async def test_a_correction_that_nobody_critiqued_any_more_is_not_called_wrong() -> None:
    out = await shown(look("Hamburg"), conclude(correctness="It was Hamburg.", text=RIGHT), rounds=1)
    assert (
        "Stopped  rounds: no further correction was allowed after 1 round of correction; the last correction was not"
        in out
    )


async def test_what_is_found_wrong_and_may_not_be_corrected_is_called_wrong() -> None:
    found = look("Brahms birthplace"), look("Hamburg")
    out = await shown(*found, conclude(correctness="It was Hamburg.", text=RIGHT), rounds=0, text=WRONG)
    assert "Stopped  rounds: no correction was allowed; the answer is still wrong: It was Hamburg." in out


async def test_the_same_failure_many_times_is_one_line() -> None:
    result = await load("cot").ainvoke({"question": QUESTION}, context=Context(model=FakeChatModel(replies=[WRONG])))
    failure = {"step": "gate", "reason": "no answer within 60 seconds", "unchecked": True}
    assert "Failures\n  gate: no answer within 60 seconds (3 times)\n" in printed({**result, "failures": [failure] * 3})


TWO = "The tower was completed in 1899, by all accounts there are. It is painted brown by many hands in many years."


async def left_wrong() -> Any:
    """A run that knows of a contradiction, and whose model proposes no edit that may be made."""
    backends: Any = {
        "queries": always({"queries": ["When was the tower completed?"]}),
        "agreement": always({"text_says": "1899", "evidence_says": "1889", "label": "contradiction"}),
        "edit": Rewriting("1899", "1899"),
        "rank": RunnableLambda(lambda asked: {"scores": [float("completed" in each) for each in asked["passages"]]}),
    }
    find = FakeSearch(find=lambda query: ["It was completed in 1889."])
    return await rarr.graph.ainvoke({"text": TWO}, context=world(**backends, search=find))


async def test_a_contradiction_that_is_left_is_shown_with_its_evidence_and_why() -> None:
    result = await left_wrong()
    out = printed(result)
    assert "Unresolved\n  ! The tower was completed in 1899, by all accounts there are." in out
    assert "Text: 1899\n      Evidence: 1889\n" in out
    assert "Source: Page 0 · fake:0" in out
    assert "Not corrected: it changes nothing" in out
    assert "Status   unresolved (2 sentences: 1 unresolved, 1 not checked)" in out
    assert "Stopped  finished: 1 check: 1 unresolved" in out


async def test_sentences_that_nobody_checked_are_marked() -> None:
    out = printed(await left_wrong())
    assert "Not checked\n  · It is painted brown by many hands in many years.  (not checked)" in out


async def test_what_matters_comes_first_and_the_neutral_is_folded() -> None:
    labels = ["neutral", "entailment", "neutral", "contradiction", "neutral"]
    result = await left_wrong()
    verdict = result["verdicts"][0]
    result["verdicts"] = [
        {**verdict, "question": f"Question {number}?", "label": label} for number, label in enumerate(labels)
    ]
    listed = printed(result).partition("Verdicts\n")[2]
    assert re.findall(r"Question (\d)", listed) == ["3", "1", "0", "2", "4"]
    result["verdicts"] += [{**verdict, "question": "Question 5?", "label": "neutral"}]
    silent = {**result["attribution"][1], "status": "nothing found"}
    result["attribution"] = [result["attribution"][0], *[silent] * 7]
    out = printed(result)
    assert re.findall(r"Question (\d)", out.partition("Verdicts\n")[2]) == ["3", "1"]
    assert "  and 4 questions for which nothing was found\n" in out
    assert "Not checked\n  and 7 sentences for which nothing was found\n" in out
    assert out.index("Unresolved") < out.index("Verdicts")


async def test_what_is_missing_of_what_was_asked_for_is_told() -> None:
    given = {"text": "It opened in 1885."}
    search = FakeSearch(find=lambda query: 1 / 0 if "one" in query else [])
    down = await rarr.graph.ainvoke(given, context=world(search=search))
    assert "Missing  1 of 2 searches, 1 of 2 verdicts" in printed(down)
    well = await rarr.graph.ainvoke(given, context=world())
    assert "Missing" not in printed(well)


async def test_without_an_answer_the_closest_passage_is_shown_and_the_reason_once() -> None:
    backends = {"react": Scripted(look("Brahms birthplace"), conclude(correctness="It does not say."))}
    search = FakeSearch(find=lambda query: PAGES.get(query, []))
    context = Context(backends=backends, search=search, cache=False, draft="react")
    out = printed(await rarr.graph.ainvoke({"question": QUESTION}, context=context), drafted=True)
    assert "Closest passage\n  He was born in Hamburg.\n  Source: Brahms" in out
    assert out.count("no answer was found") == 1
    assert "react" not in out


async def test_what_only_quotes_says_what_would_do_more() -> None:
    context = Context(search=FakeSearch(find=lambda query: ["Nothing of the kind."]), cache=False, draft="react")
    out = printed(await rarr.graph.ainvoke({"question": QUESTION}, context=context), drafted=True)
    assert "only a sentence that gives it can be quoted" in out
    assert "name a chat `model`" in out
