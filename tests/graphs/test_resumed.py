"""Runs that are resumed by nothing but an answer: they keep the settings that they began with, and what a person said.

Every method that proposes edits goes through all of it, with checkpointers in memory and in a file.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send
from typing_extensions import TypedDict

from errata.graphs import build, critic_program, llm_augmenter, rarr, reading
from errata.state import Context, replay
from errata.state.errors import ConfigurationError

from ..fakes import FakeChatModel, FakeScorer, FakeSearch, Scripted, equal_rank
from ..reviewing import APPROVE, BY_RULES, REJECT, Proposed, changes, edited, proposed, rejected

THREAD: Any = {"configurable": {"thread_id": "1"}}
WRONG = {"Aberdeen": "Berlin", "Cologne": "Dresden", "Essen": "Frankfurt", "Genoa": "Hanover"}
"""What is wrong in the text, and what is right."""
PADDING = "which is a long way from where the two of them had met for the very first time in that year"
TEXT = "".join(f"In {wrong} she bought a map of the town, {PADDING}. " for wrong in WRONG).strip()
CHAIN = " ".join(f"The team is from {wrong}." for wrong in WRONG) + " The answer is Genoa."


class World(NamedTuple):
    """A method with an input, and settings under which it has edits to propose."""

    method: str
    given: Any
    context: Context


def makes(**functions: Any) -> dict[str, Any]:
    return {name: RunnableLambda(function) for name, function in functions.items()}


async def queries(asked: dict[str, Any]) -> dict[str, Any]:
    """Each mistake is asked about twice."""
    found = [word for word in WRONG if word in asked["text"]]
    return {"queries": [f"{how} {word}?" for how in ("Was it", "Surely not") for word in found]}


def mistake(asked: dict[str, Any]) -> str:
    return next(word for word in WRONG if word in asked["query"])


async def agreement(asked: dict[str, Any]) -> dict[str, Any]:
    wrong = mistake(asked) in asked["text"]
    return {"text_says": "one", "evidence_says": "other", "label": "contradiction" if wrong else "entailment"}


async def edit(asked: dict[str, Any]) -> dict[str, Any]:
    """The second question about a mistake proposes the same change, in more words."""
    word = mistake(asked)
    more = "In " if "Surely" in asked["query"] else ""
    return {"text": asked["text"].replace(more + word, more + WRONG[word], 1)}


async def edit_all(asked: dict[str, Any]) -> dict[str, Any]:
    text = asked["text"]
    for wrong, right in WRONG.items():
        text = text.replace(wrong, right)
    return {"text": text}


def correcting(method: str, **more: Any) -> World:
    tasks = makes(queries=queries, rank=equal_rank, agreement=agreement, edit=edit, edit_all=edit_all)
    search = FakeSearch(
        find=lambda query: [f"It was {WRONG[mistake({'query': query})]}, not {mistake({'query': query})}."]
    )
    context = {"backends": tasks, "search": search, "review": True, "cache": False, "max_edit_share": 1, **more}
    return World(method, {"text": TEXT}, Context(**context))


def grounding(**more: Any) -> World:
    """Somebody has a name here: evidence counts that shares one."""
    text = right = TEXT.replace(" she ", " Mary ")
    for wrong, true in WRONG.items():
        right = right.replace(wrong, true)
    context = Context(backends=makes(revise=edit_all), review=True, cache=False, max_edit_share=1, **more)
    return World("ground", {"text": text, "references": [right]}, context)


def verifying(**more: Any) -> World:
    async def verifying_question(asked: dict[str, Any]) -> dict[str, Any]:
        return {"text": f"Which team? {asked['sentence']}"}

    async def verifying_answer(asked: dict[str, Any]) -> dict[str, Any]:
        wrong = next(word for word in WRONG if word in asked["question"])
        return {"text": f"The team is from {WRONG[wrong]}."}

    async def final_answer(asked: dict[str, Any]) -> dict[str, Any]:
        return {"text": f"The answer is {WRONG['Genoa']}."}

    tasks = makes(
        verifying_question=verifying_question,
        verifying_answer=verifying_answer,
        final_answer=final_answer,
        rank=equal_rank,
    )
    search = FakeSearch(find=lambda query: ["A page about the team."])
    context = Context(backends=tasks, search=search, review=True, cache=False, **more)
    return World("verify_and_edit", {"question": "From where is the team?", "text": CHAIN}, context)


def critic(method: str, task: str) -> World:
    def concludes(word: str) -> dict[str, Any]:
        said = f"It is {word}. So the answer is: {word}."
        return {"tool": "conclude", "conclusion": {"correctness": f"{word}!", "accepted": False, "text": said}}

    critique = Scripted(*map(concludes, ("Berlin", "Dresden", "Berlin", "Essen")))
    given = {"question": "Where is it?", "text": "It is Aachen. So the answer is: Aachen."}
    bounds: Any = {"rounds": 4, "patience": 4, "caution": "paper"}
    return World(method, given, Context(backends={task: critique}, search=FakeSearch(), review=True, **bounds))


def programming() -> World:
    writes = Scripted(*({"code": f"answer = {number}"} for number in (2, 3, 2, 4)))
    wrong = {"plausibility": "", "correctness": "It is wrong.", "accepted": False}
    tasks: Any = {"program_critique": Scripted(wrong), "program_correction": writes}
    context = Context(backends=tasks, review=True, rounds=4, patience=4, caution="paper")
    return World("critic_program", {"question": "What?", "text": "answer = 1"}, context)


def cleaning() -> World:
    writes = Scripted(*({"text": text} for text in ("You are a fool.", "You fool.", "You are a fool.", "You err.")))
    scores = {"You damned fool.": 0.9, "You are a fool.": 0.7, "You fool.": 0.6, "You err.": 0.3}
    scorer = FakeScorer(judge=lambda text: scores.get(text, 0.2))
    context = Context(backends={"rewrite": writes}, toxicity=scorer, review=True, rounds=4, patience=4)
    return World("critic_toxicity", {"text": "You damned fool."}, context)


WORLDS: dict[str, Callable[[], World]] = {
    "rarr": lambda: correcting("rarr"),
    "rarr, serial": lambda: correcting("rarr", gating="serial", passage_chars=200),
    "rarr, passages": lambda: correcting("rarr", passage_chars=200),
    "rarr, fused": lambda: correcting("rarr", editor="fused", passage_chars=300),
    "purr": lambda: correcting("purr"),
    "purr, passages": lambda: correcting("purr", passage_chars=200),
    "ground": grounding,
    "ground, passages": lambda: grounding(passage_chars=200),
    "verify_and_edit": verifying,
    "verify_and_edit, chain": lambda: verifying(chain=True),
    "critic_qa": lambda: critic("critic_qa", "qa_critique"),
    "critic": lambda: critic("critic", "critique"),
    "critic_program": programming,
    "critic_toxicity": cleaning,
}


def test_every_method_with_edits_is_tried() -> None:
    assert {make().method for make in WORLDS.values()} == set(reading("review"))


@contextmanager
def saver(kind: str, folder: Path) -> Iterator[Any]:
    if kind == "memory":
        yield InMemorySaver()
        return
    with SqliteSaver.from_conn_string(str(folder / "runs.sqlite")) as found:
        yield found


def loosened(context: Context) -> Context:
    """Settings of somebody who wants no review and no bounds."""
    return context.model_copy(update={"review": False, "max_calls": None, "rounds": 20, "patience": 20})


def drive(world: World, kept: Any, decide: Callable[[Proposed], Any]) -> tuple[Any, list[Proposed]]:
    """Run to the end, resuming with other settings than at the beginning. Returns the result, and what was shown."""
    graph = build(world.method).compile(checkpointer=kept)
    result = graph.invoke(world.given, THREAD, context=world.context)
    shown: list[Proposed] = []
    while "__interrupt__" in result:
        shown.append(proposed(result))
        assert len(shown) < 60, "it has to end"
        answer: Command[Any] = Command(resume=decide(shown[-1]))
        result = graph.invoke(answer, THREAD, context=loosened(world.context))
    return result, shown


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@pytest.mark.parametrize("name", WORLDS)
def test_what_is_rejected_stays_out_and_is_not_asked_again(name: str, kind: str, tmp_path: Path) -> None:
    world = WORLDS[name]()
    with saver(kind, tmp_path) as kept:
        result, shown = drive(world, kept, lambda edit: rejected("I was there"))
    assert result["text"] == world.given["text"]
    assert not any(edit["applied"] for edit in result["edits"])
    assert "a person rejected it: I was there" in result["edits"][0]["reason"]
    assert len(set(changes(shown))) == len(shown) > 1


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@pytest.mark.parametrize("name", WORLDS)
def test_a_resume_neither_skips_the_review_nor_loosens_bounds(name: str, kind: str, tmp_path: Path) -> None:
    world = WORLDS[name]()
    approving = world.context.model_copy(update={"review": False})
    alone = build(world.method).compile().invoke(world.given, context=approving)
    world = WORLDS[name]()
    with saver(kind, tmp_path) as kept:
        result, shown = drive(world, kept, lambda edit: APPROVE)
    applied = [(edit["before"], edit["after"]) for edit in result["edits"] if edit["applied"]]
    assert (result["text"], result["stopped"]) == (alone["text"], alone["stopped"])
    assert result["usage"]["searches"] == alone["usage"]["searches"]
    if world.method not in ("critic_program", "critic_toxicity"):  # which note an edit once its text has proved better
        assert applied == changes(shown)


DECISIONS = st.lists(st.sampled_from(["approve", "reject", "rewrite", "nonsense"]), max_size=12)


@pytest.mark.parametrize("name", WORLDS)
@settings(max_examples=12)
@given(decisions=DECISIONS)
def test_the_text_has_what_a_person_wants_and_nothing_else(name: str, decisions: list[str]) -> None:
    world, plan = WORLDS[name](), iter(decisions)
    wanted: list[tuple[str, str]] = []
    unwanted: list[tuple[str, str]] = []

    def decide(edit: Proposed) -> Any:
        match next(plan, "reject"):
            case "approve":
                wanted.append((edit.before, edit.after))
                return APPROVE
            case "rewrite":
                own = f"answer = {9 + len(wanted)}"
                words = own if world.method == "critic_program" else f"{edit.before}{edit.after}"
                wanted.append((edit.before, words))
                return edited(words, before=edit.before)
            case "nonsense":
                return {"action": "accept"}
        assert (edit.before, edit.after) not in unwanted
        unwanted.append((edit.before, edit.after))
        return REJECT

    result, _ = drive(world, InMemorySaver(), decide)
    applied = [(edit["before"], edit["after"]) for edit in result["edits"] if edit["applied"]]
    assert replay(result["original"], result["edits"]) == result["text"]
    if world.method in ("critic_program", "critic_toxicity"):
        assert set(applied) <= set(wanted), "what a person approved is kept where it proves better"
    else:
        assert applied == wanted


class TestObjects:
    """A model or search that was given as an object has to be given again."""

    @pytest.mark.parametrize("name", WORLDS)
    def test_a_resume_without_them_is_refused_and_the_run_still_waits(self, name: str) -> None:
        world = WORLDS[name]()
        graph = build(world.method).compile(checkpointer=InMemorySaver())
        paused = graph.invoke(world.given, THREAD, context=world.context)
        first = changes([proposed(paused)])
        with pytest.raises(ConfigurationError, match="pass it again to resume the run"):
            graph.invoke(Command(resume=REJECT), THREAD)
        result = graph.invoke(Command(resume=REJECT), THREAD, context=world.context)
        while "__interrupt__" in result:
            assert changes([proposed(result)]) != first, "it was decided on once"
            result = graph.invoke(Command(resume=REJECT), THREAD, context=world.context)
        assert result["text"] == world.given["text"]


class TestOfPlainSettings:
    """Without objects nothing but the answer is needed, as Studio and other clients send it."""

    WRONG = "The Eiffel Tower was completed in 1899 and stands in Lyon."

    @pytest.mark.parametrize(("answer", "wanted"), [(APPROVE, True), (REJECT, False)])
    @pytest.mark.parametrize("kind", ["memory", "sqlite"])
    @pytest.mark.parametrize("method", BY_RULES)
    def test_an_answer_is_enough(
        self, method: str, kind: str, answer: dict[str, Any], wanted: bool, tmp_path: Path
    ) -> None:
        text, corrected = BY_RULES[method]
        with saver(kind, tmp_path) as kept:
            graph = build(method).compile(checkpointer=kept)
            result = graph.invoke(text, THREAD, context=Context(review=True, cache=False))
            assert "__interrupt__" in result
            while "__interrupt__" in result:
                if kind == "sqlite":  # what follows could happen in another process
                    graph = build(method).compile(checkpointer=SqliteSaver(kept.conn))
                result = graph.invoke(Command(resume=answer), THREAD)
        assert result["text"] == (corrected if wanted else text["text"])

    def test_the_next_run_of_a_thread_has_settings_of_its_own(self) -> None:
        graph = rarr.build().compile(checkpointer=InMemorySaver())
        graph.invoke({"text": self.WRONG}, THREAD, context=Context(review=True, max_edit_chars=1))
        result = graph.invoke({"text": self.WRONG}, THREAD)
        assert result["text"] == "The Eiffel Tower was completed in 1889 and stands in Paris."
        assert graph.get_state(THREAD).values["settings"] == {"values": {}, "missing": {}}

    def test_settings_are_neither_input_nor_output(self) -> None:
        graph = rarr.build().compile(checkpointer=InMemorySaver())
        intruding: Any = {"text": self.WRONG, "settings": {"values": {"max_edit_chars": 1}, "missing": {}}}
        result = graph.invoke(intruding, THREAD)
        assert "settings" not in result
        assert result["text"] == "The Eiffel Tower was completed in 1889 and stands in Paris."


def test_a_resume_does_not_raise_the_budget() -> None:
    wrong, right = next(iter(WRONG.items()))
    model = FakeChatModel(replies=[TEXT.replace(wrong, right)])
    world = correcting("rarr", model=model, max_calls=1)
    tasks = {name: make for name, make in world.context.backends.items() if name != "edit"}
    world = world._replace(context=world.context.model_copy(update={"backends": tasks}))
    result, shown = drive(world, InMemorySaver(), lambda edit: APPROVE)
    assert (result["stopped"], len(model.asked), len(shown)) == ("budget", 1, 1)
    assert result["text"] == TEXT.replace("Aberdeen", "Berlin")


class One(TypedDict):
    text: str


class Many(TypedDict):
    texts: list[str]


async def test_several_runs_wait_at_once_and_get_each_its_own_answer() -> None:
    """Two runs inside a graph of somebody's own."""
    done: dict[str, str] = {}

    async def one(state: One) -> dict[str, Any]:
        result = await rarr.graph.ainvoke({"text": state["text"]}, context=Context(review=True, cache=False))
        done[state["text"]] = result["text"]
        return {}

    outer = StateGraph(Many)
    outer.add_node("one", one, input_schema=One)
    outer.add_conditional_edges(START, lambda state: [Send("one", {"text": text}) for text in state["texts"]], ["one"])
    outer.add_edge("one", END)
    graph = outer.compile(checkpointer=InMemorySaver())
    texts = ["The Eiffel Tower was completed in 1899.", "The Eiffel Tower stands in Lyon."]
    paused = await graph.ainvoke({"texts": texts}, THREAD)
    pauses = paused["__interrupt__"]
    assert len(pauses) == 2
    answers = {each.id: REJECT if proposed({"__interrupt__": [each]}).before == "Lyon" else APPROVE for each in pauses}
    await graph.ainvoke(Command(resume=answers), THREAD)
    assert done == {texts[0]: "The Eiffel Tower was completed in 1889.", texts[1]: texts[1]}


async def test_an_edit_that_gets_no_usable_answer_is_left_out() -> None:
    world = correcting("rarr")
    graph = build("rarr").compile(checkpointer=InMemorySaver())
    paused = await graph.ainvoke(world.given, THREAD, context=world.context)
    first = proposed(paused)
    for _ in range(5):
        assert changes([proposed(paused)]) == changes([first])
        paused = await graph.ainvoke(Command(resume="yes"), THREAD, context=world.context)
    assert changes([proposed(paused)]) != changes([first])
    while "__interrupt__" in paused:
        paused = await graph.ainvoke(Command(resume=REJECT), THREAD, context=world.context)
    assert "5 answers contained no decision" in paused["edits"][0]["reason"]


def test_responses_are_not_reviewed_and_say_so() -> None:
    with pytest.raises(ConfigurationError, match="`review` is for methods that propose edits"):
        llm_augmenter.graph.invoke({"question": "Hello?"}, context=Context(review=True))


def test_a_rejected_program_is_never_run_after_a_resume() -> None:
    world = programming()
    graph = critic_program.build().compile(checkpointer=InMemorySaver())
    graph.invoke(world.given, THREAD, context=world.context)
    result = asyncio.run(graph.ainvoke(Command(resume=REJECT), THREAD, context=loosened(world.context)))
    while "__interrupt__" in result:
        result = graph.invoke(Command(resume=REJECT), THREAD, context=loosened(world.context))
    assert result["usage"]["tool_runs"] == 1


class Outer(TypedDict):
    question: str
    text: str
    settings: str
    """A field of theirs that is called like one of ours."""


@pytest.mark.parametrize("context", [{"errata": {"review": True}}, {"errata": Context(review=True)}])
def test_a_graph_inside_another_keeps_its_review(context: Any) -> None:
    outer = StateGraph(Outer)
    outer.add_node("correct", rarr.graph)
    outer.add_edge(START, "correct")
    outer.add_edge("correct", END)
    graph = outer.compile(checkpointer=InMemorySaver())
    text = "The Eiffel Tower was completed in 1899 and stands in Lyon."
    given: Any = {"question": "", "text": text, "settings": "theirs"}
    graph.invoke(given, THREAD, context=context)
    assert proposed(graph.invoke(Command(resume=REJECT), THREAD)).before == "Lyon"
    result = graph.invoke(Command(resume=APPROVE), THREAD)
    assert (result["text"], result["settings"]) == (text.replace("Lyon", "Paris"), "theirs")


class _Failing:
    """Fails the first time, as where a process is killed."""

    def __init__(self, then: dict[str, Any]) -> None:
        self.then: list[Any] = [ConfigurationError("killed"), then]

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        found = self.then.pop(0) if len(self.then) > 1 else self.then[0]
        if isinstance(found, Exception):
            raise found
        return found


@pytest.mark.parametrize("where", ["draft", "queries", "agreement"])
def test_a_run_that_was_killed_goes_on_with_its_own_settings(where: str) -> None:
    outputs: dict[str, dict[str, Any]] = {
        "draft": {"text": TEXT},
        "queries": {"queries": ["Was it Essen?"]},
        "agreement": {"text_says": "one", "evidence_says": "other", "label": "contradiction"},
    }
    world = correcting("rarr", draft="direct")
    tasks: Any = {**world.context.backends, "draft": Scripted(outputs["draft"]), where: _Failing(outputs[where])}
    context = world.context.model_copy(update={"backends": tasks})
    graph = rarr.build().compile(checkpointer=InMemorySaver())
    with pytest.raises(ConfigurationError, match="killed"):
        graph.invoke({"question": "Where did she buy maps?"}, THREAD, context=context)
    assert proposed(graph.invoke(None, THREAD, context=loosened(context))).before in WRONG
