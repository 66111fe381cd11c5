"""What runs come to, also those that were broken off."""

from errata.nodes.conclude import first_unchecked, outcome_of, so_far, sums
from errata.state import Context
from errata.tools import evidence

from .states import edit, failure, loop, state, used, verdict

PIECE = evidence(query="q", text="It was built in 1889.", title="Tower")
TEXT = "The tower was built in 1899. It is tall."


def test_a_run_that_had_hardly_begun_has_a_whole_result() -> None:
    result = so_far({"text": TEXT}, Context(), "interrupted")
    assert (result["text"], result["original"], result["status"]) == (TEXT, TEXT, "not checked")
    assert (result["stopped"], result["reason"], result["edits"]) == ("error", "interrupted", [])
    assert result["usage"]["llm_calls"] == 0


def test_of_a_run_that_was_broken_off_what_was_done_stays() -> None:
    right = TEXT.replace("1899", "1889")
    checks = [{"verdict": verdict("error", PIECE["id"], "the model is down")}, {"verdict": None}]
    seen = state(text=right, original=TEXT, checks=checks, edits=[edit("1899", "1889", 23)], usage=used(llm_calls=3))
    result = so_far(seen, Context(), "the process ends")
    assert (result["text"], result["status"], result["usage"]["llm_calls"]) == (right, "corrected", 3)
    assert [each["label"] for each in result["verdicts"]] == ["error"]
    assert [each["reason"] for each in result["failures"]] == ["the model is down"]


def test_dollars_are_named_only_where_prices_are() -> None:
    seen = state(usage=used(input_tokens=2_000_000), worked=[[0.0, 2.0], [5.0, 6.0]])
    assert sums(seen, Context()) == {"seconds": 3.0}
    assert sums(seen, Context(input_price=1.5, output_price=1.0)) == {"seconds": 3.0, "cost": 3.0}


def test_the_first_failure_that_matters_is_told_with_the_number_of_the_others() -> None:
    harmless = failure("no probabilities", "consistency", unchecked=False)
    assert first_unchecked([]) == first_unchecked([harmless]) == ""  # type: ignore[list-item]
    failures = [harmless, failure("down"), failure("slow"), failure("gone")]
    assert first_unchecked(failures) == "research failed (2 more): down"  # type: ignore[arg-type]


def test_a_text_that_is_borne_out_rests_on_the_evidence_of_its_verdict() -> None:
    came = outcome_of(loop(text=TEXT), verdict("entailment", PIECE["id"]), wrong=False, left="")
    assert (came["status"], came["unresolved"]) == ("checked", [])
    assert [part["evidence"] for part in came["attribution"]] == [[PIECE["id"]]] * 2


def test_a_text_that_is_wrong_says_why_it_was_left() -> None:
    judged = verdict("contradiction", PIECE["id"], "built in 1889")
    (left,) = outcome_of(loop(text=TEXT), judged, wrong=True, left="no round is left")["unresolved"]
    assert (left["sentence"], left["reason"], left["left"]) == (TEXT, "built in 1889", "no round is left")
    rejected = edit(TEXT, "It is tall.", applied=False, reason="Refused: a person rejected it\nwrong")
    came = outcome_of(loop(text=TEXT, edits=[rejected]), judged, wrong=True, left="no round is left")
    assert (came["status"], came["unresolved"][0]["left"]) == ("unresolved", "a person rejected it")


def test_without_a_verdict_nothing_is_checked() -> None:
    assert outcome_of(loop(text=TEXT), None, wrong=False, left="")["status"] == "not checked"
