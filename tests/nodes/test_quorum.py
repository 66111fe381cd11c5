"""How much of what was asked for was had, as a gate reads it."""

from errata.nodes.quorum import judged, received
from errata.state.methods.running import add_quorum

from .states import verdict


def test_an_error_is_no_verdict_and_neither_is_none() -> None:
    said = [verdict("entailment"), verdict("error"), None, verdict("neutral")]
    assert judged("checks", said, 5) == {"quorum": {"checks": {"asked": 5, "had": 2}}}


def test_steps_that_run_side_by_side_add_up() -> None:
    total = add_quorum(add_quorum(None, received("searches", 1)["quorum"]), received("searches", 0)["quorum"])
    assert add_quorum(total, received("rounds", 2, 3)["quorum"]) == {
        "searches": {"asked": 2, "had": 1},
        "rounds": {"asked": 3, "had": 2},
    }
