"""Everyday documents: rules do no more harm than they are known to do, and decide no less."""

from collections import Counter
from pathlib import Path

from benchmarks.everyday import outcomes, statements


def test_rules_do_no_more_harm_to_everyday_statements(tmp_path: Path) -> None:
    found = Counter((each.truth, outcome) for each in statements(tmp_path) for outcome in set(outcomes(each)))
    assert found["true", "changed"] + found["true", "contradicted"] <= 2
    assert found["false", "supported"] <= 4
    assert found["not said", "supported"] <= 2
    assert found["true", "supported"] >= 180
    assert found["false", "contradicted"] >= 200
