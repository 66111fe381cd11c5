"""Ground: one revision of each passage, of which only what follows from the evidence reaches the text."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from errata.graphs import ground
from errata.state import Context, replay
from errata.state.errors import ModelError

from ..fakes import FakeSearch, Scripted, always, context
from ..reviewing import REJECT, proposed

TITLE = "Harbour Tower"
BUILT = "The tower was completed in 1889 by Ada Morrow."
STANDS = "It stands in Linden and is 120 metres high."
SOURCE = f"{BUILT} {STANDS} Only members may enter it."
REFERENCE = {"title": TITLE, "text": SOURCE, "source": "tower.txt"}
TEXT = "The Harbour Tower was completed in 1899. It stands in Corvo."
RIGHT = "The Harbour Tower was completed in 1889. It stands in Linden."


def rewriting(*texts: Any, **more: Any) -> Context:
    return context(revise=Scripted(*({"text": text} if isinstance(text, str) else text for text in texts)), **more)


async def grounded(text: str, revised: str, source: str = SOURCE, title: str = TITLE, **more: Any) -> dict[str, Any]:
    given = {"text": text, "references": [{"title": title, "text": source}]}
    return await ground.graph.ainvoke(given, context=rewriting(revised, **more))


async def test_the_worked_example() -> None:
    editor = Scripted({"text": RIGHT})
    result = await ground.graph.ainvoke({"text": TEXT, "references": [REFERENCE]}, context=context(revise=editor))
    assert result["text"] == RIGHT
    assert replay(TEXT, result["edits"]) == RIGHT
    assert [(edit["before"], edit["after"]) for edit in result["edits"]] == [("1899", "1889"), ("Corvo", "Linden")]
    assert result["status"] == "corrected"
    assert [part["status"] for part in result["attribution"]] == ["corrected", "corrected"]
    assert [part["quote"] for part in result["attribution"]] == [
        "The tower was completed in 1889 by Ada Morrow.",
        "It stands in Linden and is 120 metres high.",
    ]
    assert result["cited"] == (
        "The Harbour Tower was completed in 1889. [1] It stands in Linden. [1]\n\n[1] Harbour Tower · tower.txt"
    )
    (asked,) = editor.asked
    assert asked["evidence"] == [{"title": TITLE, "text": SOURCE}]


@pytest.mark.parametrize(
    ("text", "revised", "why"),
    [
        ("The Harbour Tower was completed.", "The Harbour Tower was completed in 1889.", "adds"),
        ("The Harbour Tower was completed in 1889.", "The Harbour Tower was finished in 1889.", "nothing"),
        ("The Harbour Tower was completed in 1889.", "The Harbour Tower was completed in 1901.", "no evidence"),
        ("The tower in Linden was completed in 1889.", "The tower in Harbour was completed in 1889.", "no evidence"),
        ("The Harbour Tower is 120 metres high.", "The Harbour Tower is 1889 metres high.", "no evidence"),
        ("Only members may enter the Harbour Tower.", "Members may enter the Harbour Tower.", "nothing"),
        ("The Harbour Tower is high.", SOURCE, "another text"),
    ],
)
async def test_what_does_not_follow_from_the_evidence_is_refused(text: str, revised: str, why: str) -> None:
    result = await grounded(text, revised)
    assert result["text"] == text
    assert any(why in edit["reason"] for edit in result["edits"])
    assert result["status"] in ("checked", "unchanged", "not checked")


async def test_a_long_reference_is_read_to_its_end() -> None:
    source = "The quay is empty in winter. " * 3_000 + SOURCE
    result = await grounded(TEXT, RIGHT, source)
    assert result["text"] == RIGHT
    assert result["attribution"][0]["quote"] == BUILT


async def test_a_refusal_in_the_place_of_the_text_is_an_error() -> None:
    result = await grounded(TEXT, "I'm sorry, but I can't help with that.")
    assert (result["text"], result["stopped"], result["status"]) == (TEXT, "error", "not checked")


@pytest.mark.parametrize(
    ("text", "revised", "source"),
    [
        (
            "The male is larger than the female.",
            "The female is larger than the male.",
            "The female is larger than the male.",
        ),
        ("The wall is 30 feet long.", "The wall is 30 metres long.", "The wall is 30 metres long and very old."),
        ("The price fell in May.", "The price rose in May.", "In May the price rose by a tenth. It fell in June."),
        ("Moths can fly in rain.", "Moths cannot fly in rain.", "Moths cannot fly in rain."),
        ("这座塔高120米。", "这座塔高210米。", "这座塔建于1889年，高210米。"),
        ("东门通向河边。", "西门通向河边。", "东门通向市场，西门通向河边。"),
        ("탑은 서울에 있다.", "탑은 부산에 있다.", "탑은 부산에 있으며 1889년에 완공되었다."),
        ("남문에는 시장이 있다.", "북문에는 시장이 있다.", "북문에는 시장이 있고 남문에는 학교가 있다."),
    ],
)
async def test_what_follows_is_applied_in_any_language(text: str, revised: str, source: str) -> None:
    result = await grounded(text, revised, source, title="")
    assert result["text"] == revised
    assert all(edit["applied"] and edit["evidence"] for edit in result["edits"])


async def test_a_model_that_goes_on_with_the_evidence_has_its_corrections_read() -> None:
    text, source = (
        "The Orne flows to the west.",
        "The Orne flows to the east. It is 140 kilometres long and rises in a marsh.",
    )
    result = await grounded(text, source, source, "Orne")
    assert result["text"] == "The Orne flows to the east."


async def test_evidence_says_it_for_what_its_title_names() -> None:
    text, revised = (f"The engineer who designed Orne Light was {name}." for name in ("Ada Morrow", "Tobias Greve"))
    source = "The engineer Tobias Greve designed it in 1861. Ada Morrow, its last keeper, left in 1987."
    assert (await grounded(text, revised, source, "Orne Light"))["text"] == revised
    assert (await grounded(revised, text, source, "Orne Light"))["text"] == revised


async def test_units_are_spelled_as_the_evidence_spells_them() -> None:
    text, source = "The wall is 30 feet long.", "The wall is 30 metres long and very old."
    result = await grounded(text, "The wall is 30 meters long.", source, title="")
    assert result["text"] == "The wall is 30 metres long."


async def test_a_denial_follows_from_evidence_that_names_its_subject_in_the_title_only() -> None:
    text, revised = (
        "The hut on the Orne Glacier can be reached by road.",
        "The hut on the Orne Glacier cannot be reached by road.",
    )
    result = await grounded(
        text, revised, "A hut on it is open all year, but cannot be reached by road.", "Orne Glacier"
    )
    assert result["text"] == revised
    assert (await grounded(text, revised, "A hut on it cannot be reached by train.", "Orne Glacier"))["text"] == text


@pytest.mark.parametrize(
    ("text", "revised", "source"),
    [
        (
            "The female is larger than the male.",
            "The male is larger than the female.",
            "The female is larger than the male.",
        ),
        ("西门通向河边。", "东门通向河边。", "东门通向市场，西门通向河边。"),
        ("북문에는 시장이 있다.", "남문에는 시장이 있다.", "북문에는 시장이 있고 남문에는 학교가 있다."),
        ("The price rose in May.", "The price fell in May.", "In May the price rose by a tenth. It fell in June."),
    ],
)
async def test_a_true_sentence_is_not_turned_round(text: str, revised: str, source: str) -> None:
    assert (await grounded(text, revised, source, title=""))["text"] == text


@pytest.mark.parametrize(
    ("text", "revised", "source"),
    [
        ("A round takes less than a week.", "A round takes less than a day.", "One round takes 6.4 days."),
        ("The wall is 9 feet long.", "The wall is 9 metres long.", "The wall is 412 metres long."),
    ],
)
async def test_a_unit_without_its_number_is_no_correction(text: str, revised: str, source: str) -> None:
    assert (await grounded(text, revised, source, title=""))["text"] == text


@pytest.mark.parametrize(
    ("text", "revised", "source"),
    [
        ("The moon was found in 1904.", "The moon was discovered in 1904.", "The moon was discovered in May 1904."),
        ("She won a prize two years after it opened.", "She won a prize in 1959.", "She won a prize in 1959."),
        ("시장은 금요일 저녁에 열린다.", "시장은 토요일 저녁에 열린다.", "시장은 금요일과 토요일 저녁에 열린다."),
        (
            "A violin is tuned higher than a velling.",
            "A violin is tuned lower than a velling.",
            "The velling is tuned lower than a violin.",
        ),
        ("It has room for more than 3,500.", "It has room for more than 3,400.", "It has room for 3,400 people."),
        (
            "They have been national champions six times.",
            "They have won the national league six times.",
            "They have won the national league six times.",
        ),
        ("图书馆每周五闭馆。", "图书馆每周六闭馆。", "图书馆共有六层。图书馆每周一闭馆。"),
        ("Pupils learn French.", "Pupils learn German.", "In the last year, pupils learn French or German."),
        (
            "한서윤은 1968년에 문학상을 탔다.",
            "한서윤은 1968년에 문학상을 받았다.",
            "한서윤은 1968년에 문학상을 받았다.",
        ),
    ],
)
async def test_what_may_be_true_beside_the_evidence_stays(text: str, revised: str, source: str) -> None:
    result = await grounded(text, revised, source, title="")
    assert result["text"] == text
    assert result["status"] != "unresolved"


@pytest.mark.parametrize(
    ("text", "revised", "source"),
    [
        (
            "It was the first ship to sail there.",
            "It was the second ship to sail there.",
            "It was the second to sail there.",
        ),
        (
            "치즈는 1988년의 대회에서 금상을 받았다.",
            "치즈는 1994년의 대회에서 금상을 받았다.",
            "치즈는 1994년에 대회에서 금상을 받았다.",
        ),
        ("He was the first keeper.", "He was the last keeper.", "The last keeper left in 1991: he was the last one."),
        ("It flashes every fifteen minutes.", "It flashes every fifteen seconds.", "It flashes every fifteen seconds."),
        ("The market opened at eleven.", "The market closed at eleven.", "The market closed at eleven."),
        ("시장은 밤 11시에 시작한다.", "시장은 밤 11시에 끝난다.", "시장은 저녁 6시에 시작하여 밤 11시에 끝난다."),
    ],
)
async def test_what_says_the_opposite_is_put_right(text: str, revised: str, source: str) -> None:
    assert (await grounded(text, revised, source, title=""))["text"] == revised


async def test_a_good_change_is_kept_beside_a_bad_one() -> None:
    result = await grounded(TEXT, "The famous Harbour Tower was completed in 1889. It stands in Corvo.")
    assert result["text"] == "The Harbour Tower was completed in 1889. It stands in Corvo."
    assert [edit["applied"] for edit in result["edits"]] == [False, True]


async def test_evidence_about_something_else_is_not_shown() -> None:
    editor = Scripted({"text": "A beetle lives in marshes."})
    given = {"text": TEXT, "references": ["The lantern beetle lives in marshes and glows with a yellow light."]}
    result = await ground.graph.ainvoke(given, context=context(revise=editor))
    assert not editor.asked
    assert result["text"] == TEXT
    assert (result["status"], result["evidence"]) == ("not checked", [])
    assert {part["status"] for part in result["attribution"]} == {"nothing found"}


async def test_without_references_it_asks_once_and_searches() -> None:
    queries = Scripted({"queries": ["When was the Harbour Tower completed?"]})
    search = FakeSearch(find=lambda _: [(TITLE, SOURCE)])
    more = {"queries": queries, "rank": always({"scores": [1.0]}), "search": search}
    result = await ground.graph.ainvoke({"text": TEXT}, context=rewriting(RIGHT, **more))
    assert result["text"] == RIGHT
    assert len(queries.asked) == len(search.searched) == 1


async def test_documents_of_langchain_are_references() -> None:
    reference = Document(SOURCE, metadata={"title": TITLE, "source": "tower.pdf", "page": 3})
    result = await ground.graph.ainvoke({"text": TEXT, "references": [reference]}, context=rewriting(RIGHT))
    assert result["text"] == RIGHT
    assert [(piece["title"], piece["source"]) for piece in result["evidence"]] == [(TITLE, "tower.pdf")]


async def test_a_long_reference_is_cut_down_to_what_is_said_of_the_text() -> None:
    editor = Scripted({"text": RIGHT})
    filler = " ".join(f"Room {n} of the house was painted in spring by people of the town." for n in range(200))
    given = {"text": TEXT, "references": [{"title": TITLE, "text": f"{filler} {SOURCE} {filler}"}]}
    result = await ground.graph.ainvoke(given, context=context(revise=editor, evidence_tokens=200))
    assert result["text"] == RIGHT
    assert len(editor.asked[0]["evidence"][0]["text"]) <= 800


async def test_annotating_changes_nothing_and_says_what_is_wrong() -> None:
    result = await grounded(TEXT, RIGHT, mode="annotate")
    assert result["text"] == TEXT
    assert result["status"] == "unresolved"
    assert [each["left"] for each in result["unresolved"]] == ["the text was annotated, not corrected"] * 2


async def test_passages_are_revised_at_once_and_their_places_kept() -> None:
    many = " ".join(f"Hall {n} of the Harbour Tower was completed in 1899." for n in range(12))
    source = " ".join(f"Hall {n} of the Harbour Tower was completed in {1900 + n}." for n in range(12))

    class Editor:
        async def ainvoke(self, asked: Any, config: Any = None) -> Any:
            number = int(asked["text"].split()[1])
            out = asked["text"]
            for n in range(number, 12):
                out = out.replace(
                    f"Hall {n} of the Harbour Tower was completed in 1899",
                    f"Hall {n} of the Harbour Tower was completed in {1900 + n}",
                )
            return {"text": out}

    result = await ground.graph.ainvoke(
        {"text": many, "references": [source]}, context=context(revise=Editor(), passage_chars=200)
    )
    assert result["text"] == source
    assert replay(many, result["edits"]) == source
    assert [part["sentence"] for part in result["attribution"]] == [f"{each}." for each in source[:-1].split(". ")]


async def test_a_model_that_fails_is_an_error_and_no_verdict() -> None:
    result = await ground.graph.ainvoke(
        {"text": TEXT, "references": [REFERENCE]}, context=context(revise=Scripted(ModelError("it is down")))
    )
    assert (result["text"], result["stopped"], result["status"]) == (TEXT, "error", "not checked")
    assert {(verdict["label"], verdict["reason"]) for verdict in result["verdicts"]} == {("error", "it is down")}
    assert [failure["reason"] for failure in result["failures"]] == ["it is down"]


@pytest.mark.parametrize(
    ("reference", "label"), [(REFERENCE, "entailment"), ("The Harbour Tower stands in Linden.", "error")]
)
async def test_a_reply_that_is_no_revision_is_no_verdict_of_the_model(reference: str, label: str) -> None:
    garbage = Scripted({"text": "%%% blah ]]}} and so on and so forth, about nothing of all this in particular."})
    text = "The Harbour Tower was completed in 1889."
    result = await ground.graph.ainvoke(
        {"text": text, "references": [reference]}, context=context(revise=garbage, form="rewrite")
    )
    (verdict,) = result["verdicts"]
    assert verdict["label"] == label
    assert verdict["backend"] == "rules" if label == "entailment" else "is another text" in verdict["reason"]


@pytest.mark.parametrize("other", ["Dogs are fun.", "The weather in Paris was lovely.", "Nothing else matters."])
async def test_a_sentence_about_something_else_does_not_keep_evidence_from_the_others(other: str) -> None:
    wrong, right = (f"Meridol contains {dose} mg of meridoline." for dose in (500, 50))
    for text, wanted in ((f"{wrong} {other}", f"{right} {other}"), (f"{other} {wrong}", f"{other} {right}")):
        result = await ground.graph.ainvoke({"text": text, "references": [right]}, context=Context())
        assert result["text"] == wanted


def structured(*replies: Any, **more: Any) -> tuple[Context, Scripted]:
    model = Scripted(*replies)
    return context(ground=model, revise=Scripted(ModelError("not to be asked")), form="structured", **more), model


def change(before: str, after: str, quote: str, evidence: int = 1) -> dict[str, Any]:
    return {"why": "", "before": before, "after": after, "quote": quote, "evidence": evidence}


def says(number: int, label: str, quote: str = "", evidence: int = 1) -> dict[str, Any]:
    return {"number": number, "label": label, "quote": quote, "evidence": evidence}


async def test_a_strong_model_names_its_changes_and_labels_each_sentence() -> None:
    text = "The Harbour Tower was completed in 1899. It is 120 metres high. Its clock is blue."
    reply = {
        "sentences": [says(1, "contradicted", BUILT), says(2, "Supported", STANDS), says(3, "not stated", "", 0)],
        "changes": [change("1899", "1889", "completed in 1889")],
    }
    run, model = structured(reply)
    result = await ground.graph.ainvoke({"text": text, "references": [REFERENCE]}, context=run)
    assert result["text"] == text.replace("1899", "1889")
    assert [part["status"] for part in result["attribution"]] == ["corrected", "checked", "nothing found"]
    assert result["attribution"][1]["quote"] == STANDS
    assert model.asked[0]["sentences"] == [text[:40], text[41:63], text[64:]]
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (change("1899", "1889", "The tower was finished in 1889."), "quote"),
        (change("1899", "1889", "completed in 1889", 7), "no such evidence"),
        (change("1898", "1889", "completed in 1889"), "are not in the passage"),
        (change("1899", "1905", "completed in 1889"), "no evidence"),
    ],
)
async def test_what_is_refused_goes_back_once_with_the_reason(wrong: dict[str, Any], why: str) -> None:
    labels = [says(1, "contradicted", BUILT), says(2, "contradicted", STANDS)]
    good = change("Corvo", "Linden", "It stands in Linden")
    run, model = structured(
        {"sentences": labels, "changes": [wrong, good]},
        {"sentences": labels, "changes": [change("1899", "1889", "completed in 1889")]},
    )
    result = await ground.graph.ainvoke({"text": TEXT, "references": [REFERENCE]}, context=run)
    assert result["text"] == RIGHT
    assert len(model.asked) == 2
    assert why in model.asked[1]["refused"]
    assert "Linden" not in model.asked[1]["refused"]


async def test_a_contradiction_without_a_correction_is_said() -> None:
    labels = [says(1, "contradicted", BUILT), says(2, "contradicted", "It stands in Paris.")]
    run, _ = structured({"sentences": labels, "changes": []})
    result = await ground.graph.ainvoke({"text": TEXT, "references": [REFERENCE]}, context=run)
    assert result["text"] == TEXT
    assert result["status"] == "unresolved"
    assert [each["sentence"] for each in result["unresolved"]] == [TEXT[:40]]  # the other's quote stands nowhere


async def test_where_no_structure_can_be_read_it_has_the_text_written_again() -> None:
    run = context(ground=Scripted(ModelError("no object")), revise=Scripted({"text": RIGHT}), form="structured")
    result = await ground.graph.ainvoke({"text": TEXT, "references": [REFERENCE]}, context=run)
    assert result["text"] == RIGHT


WORDS = st.sampled_from(
    [*TEXT.replace(".", "").split(), *SOURCE.replace(".", "").split(), "", "1890", "not", TEXT, SOURCE, "<b>"]
)
CHANGES = st.builds(
    change, WORDS.filter(bool), WORDS, st.one_of(WORDS, st.sampled_from([BUILT, STANDS])), st.integers(-1, 3)
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(CHANGES, max_size=5))
async def test_no_reply_puts_into_the_text_what_the_evidence_does_not_say(changes: list[dict[str, Any]]) -> None:
    reply = {"sentences": [says(1, "supported", "made up"), says(2, "supported", "It", 9)], "changes": changes}
    run, _ = structured(reply)
    result = await ground.graph.ainvoke({"text": TEXT, "references": [REFERENCE]}, context=run)
    assert replay(TEXT, result["edits"]) == result["text"]
    for edit in result["edits"]:
        if edit["applied"]:
            assert edit["evidence"] == result["evidence"][0]["id"]
            assert all(word.strip(".") in SOURCE.replace(".", "").split() for word in edit["after"].split())
    assert all(part.get("quote", "") in SOURCE for part in result["attribution"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(revised=st.lists(WORDS, max_size=20).map(" ".join))
async def test_whatever_a_model_writes_numbers_and_names_come_from_the_evidence(revised: str) -> None:
    result = await grounded(TEXT, revised or "x")
    assert replay(TEXT, result["edits"]) == result["text"]
    known = {*TEXT.replace(".", "").split(), *SOURCE.replace(".", "").split()}
    assert {word.strip(".") for word in result["text"].split()} <= known


async def test_a_person_can_reject_a_change() -> None:
    graph = ground.build().compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    run = rewriting(RIGHT, review=True)
    given: Any = {"text": TEXT, "references": [REFERENCE]}
    paused = await graph.ainvoke(given, config, context=run)
    assert proposed(paused)[:2] == ("1899", "1889")
    await graph.ainvoke(Command(resume=REJECT), config, context=run)
    result = await graph.ainvoke(Command(resume={"decisions": [{"type": "approve"}]}), config, context=run)
    assert result["text"] == TEXT.replace("Corvo", "Linden")
    assert result["status"] == "unresolved"


async def test_by_rules_it_corrects_what_rules_can() -> None:
    result = await ground.graph.ainvoke({"text": TEXT, "references": [REFERENCE]}, context=Context())
    assert "1889" in result["text"]
    assert result["usage"]["llm_calls"] == 0
