"""The peers of the benchmarks: they come to the same results, in the calls that follow from the papers."""

from itertools import pairwise

import pytest

from benchmarks import peers
from benchmarks.cases import cases
from benchmarks.peers import Pair, Peer, critic_program, rarr, reached, refchecker
from benchmarks.stub import Stub


@pytest.mark.parametrize(
    ("method", "peer", "calls"),
    [("rarr", rarr, 3 + 4 + 2), ("critic_program", critic_program, 9), ("refchecker", refchecker, 7)],
)
def test_a_peer_comes_to_the_right_result_in_its_own_order(
    method: str, peer: Peer, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "LATENCY", 0.0)
    items = cases(method)[0].items
    with Stub(items.world.brain, pages=items.world.pages) as stub, reached(stub.origin) as web:
        got = peer(web, items.given(1))
        assert items.right(1, got)
        assert len(stub.asks) == calls
        times = [(visit.began, visit.ended) for visit in stub.visits if visit.ask]
    assert all(ended <= began for (_, ended), (began, _) in pairwise(times)), "one after another"


def test_a_wrong_result_of_a_peer_is_no_figure() -> None:
    case = cases("refchecker")[0]
    pair = Pair(case, lambda web, given: {"claims": []}, ratio=1.0)
    with (
        reached("http://127.0.0.1:9") as web,
        pytest.raises(RuntimeError, match="a wrong result came out of the peer"),
    ):
        peers._one(pair, web, 1)


def test_what_is_compared_with_a_peer_is_the_same_work() -> None:
    compared = [(pair.case.method, pair.case.what, pair.items) for pair in peers._pairs()]
    assert ("rarr", "12 questions, 3 edits", 1) in compared
    assert len(set(compared)) == len(compared) == 8
