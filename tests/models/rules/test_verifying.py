"""The answer of a chain of thought, by rules."""

from errata.models.rules.verifying import claim_answer


def test_only_what_was_verified_makes_a_claim_supported() -> None:
    claim, fact = "The tower was built in 1889.", "the tower was built in 1889"
    assert claim_answer({"question": claim, "rationale": f"First, {fact}."}).answer == "SUPPORTS"
    assert claim_answer({"question": claim, "rationale": f"First, {fact} (not verified)."}).answer == "NOT ENOUGH INFO"
