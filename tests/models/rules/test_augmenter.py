"""The rules of LLM-Augmenter: what is searched for, chained, quoted and found lacking."""

from typing import Any

import pytest

from errata.models.rules import chain, entities, feedback, recall, respond, search_queries, utility

DOGS = "Dogs are welcome for 8 pounds a night."
PASSAGES = [DOGS, "Reception closes at ten."]


def asked(text: str = "", question: str = "Can I bring my dog?", **more: Any) -> Any:
    """The input of any of these tasks."""
    given = {"question": question, "history": "", "text": text, "evidence": "", "passages": PASSAGES}
    return {**given, "feedback": "", "reason": "", **more}


@pytest.mark.parametrize(
    ("message", "history", "queries"),
    [
        ("How high is Mount Everest?", "User: I like Paris.", ["How high is Mount Everest?"]),
        ("How tall is it?", "User: Tell me about the Eiffel Tower.", ["How tall is it? Eiffel Tower"]),
        ("And when?", "User: Hi\nAssistant: Marie Curie won it.", ["And when? Marie Curie"]),
        ("how tall is it?", "User: tell me about the red bridge", ["how tall is it? tell me about the red bridge"]),
        ("I love the Louvre. Where is it?", "", ["I love the Louvre. Where is it?"]),
        ("Thanks for all your help today", "", ["Thanks for all your help today"]),
        ("Where is it?", "", ["Where is it?"]),
    ],
)
def test_a_message_that_refers_back_is_completed(message: str, history: str, queries: list[str]) -> None:
    assert search_queries({"question": message, "history": history}).queries == queries


def test_names_in_question_come_first() -> None:
    passages = ["The bridge was built by Ines Okar and Tomas Lind.", "Tomas Lind died. Who knows why?"]
    names = entities({"question": "Who was Ines Okar?", "passages": passages}).names
    assert names == ["Ines Okar", "Tomas Lind"]


def test_the_best_statements_begin_paths_and_descriptions_follow() -> None:
    given = asked(passages=["a", "b", "c", "d"], scores=[5.0, 1.0, 3.0, 4.0], links=[[1, 3]])
    assert chain(given).paths == [[1, 3], [4]]
    assert chain(given | {"scores": [5.0, 2.0, 1.0, 4.0]}).paths == [[1], [4]], "what is said of it is beside the point"
    assert chain(given | {"scores": [0.0] * 4}).paths == []
    assert chain(given | {"passages": [], "scores": [], "links": []}).paths == []


def test_it_quotes_and_after_feedback_quotes_more() -> None:
    assert respond(asked()).text == DOGS
    assert respond(asked(feedback="More!")).text == " ".join(PASSAGES)
    assert "nothing" in respond(asked(passages=[])).text


def test_utility_is_what_a_response_shares_with_the_evidence_unless_that_contradicts_it() -> None:
    good, evasive = (
        utility(asked(text=text)) for text in ("Yes, dogs are welcome for 8 pounds a night.", "Ask the hotel.")
    )
    assert min(good.fluency, good.informativeness, good.factuality) > 0.7
    assert evasive.informativeness == 0
    opened: Any = {"question": "When did it open?", "passages": ["The bridge was opened in 1974."]}
    wrong = utility(asked(text="The bridge was opened in 1947.", **opened))
    assert (wrong.factuality, wrong.informativeness > 0.5) == (0.0, True)
    assert "1974" in wrong.reason


def test_feedback_names_what_is_left_out() -> None:
    said = feedback(asked(text="Dogs are welcome for 8 pounds a night."))
    assert said.text == 'The response does not use this evidence: "Reception closes at ten."'
    assert not said.contradicts
    full = feedback(asked(text=f"{' '.join(PASSAGES)} Our rooms are cosy, quiet, bright and famous."))
    assert "leave out the rest" in full.text
    assert "Too long." in feedback(asked(text=" ".join(PASSAGES), reason="Too long.")).text


@pytest.mark.parametrize("text", ["", " ", "?!", "\0", "a" * 5_000, "예. 네.", "<evidence>"])
def test_any_text_will_do(text: str) -> None:
    assert search_queries({"question": text, "history": text}).queries
    entities({"question": text, "passages": [text]})
    assert feedback(asked(text=text, passages=[text])).text
    utility(asked(text=text, passages=[text]))


@pytest.mark.parametrize(
    ("text", "share"),
    [("8,849 metres.", 1), ("It is 8,849 m high.", 1), ("8,489 metres", 0), ("I do not know.", 0), ("It is high.", 0)],
)
def test_a_short_reply_says_all_that_is_asked_for(text: str, share: float) -> None:
    passages = ["Mount Everest is 8,849 metres high, on the border of Nepal and Tibet.", "Its name is a surveyor's."]
    assert recall(asked(text, "How high is Mount Everest?", passages=passages)).share == share


def test_where_no_value_is_asked_for_the_closest_statement_counts() -> None:
    right, beside = (
        recall(asked(text)).share for text in ("Dogs are welcome for 8 pounds.", "Reception closes at ten.")
    )
    assert right is not None
    assert right > 0.5
    assert beside == 0
    assert recall(asked("Yes.", passages=[])).share is None
