"""The journal of a batch, also one that somebody else wrote."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.apps.batch.account import OutOfBudget
from errata.apps.batch.journal import Journal
from errata.state.errors import ConfigurationError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
EVENTS = st.sampled_from(["batch", "run", "grown", "dropping", "dropped", "call", "cost", "paid", "usage", "input"])


@pytest.fixture
def output(tmp_path: Path) -> Path:
    (tmp_path / "in").write_text('{"text": "one"}\n')
    return tmp_path / "out"


def begun(output: Path) -> Journal:
    journal = Journal(output)
    journal.begin("upper", {}, output.with_name("in"))
    return journal


@pytest.mark.parametrize("event", [{"batch": 5}, {"run": 5}, {"grown": "x"}, {"dropped": [1]}, 5, [], {}, {"x": 1}])
def test_a_journal_that_is_none_is_named(output: Path, event: Any) -> None:
    output.with_name("out.journal").write_text(json.dumps(event) + "\n")
    with pytest.raises(ConfigurationError, match="not part of a batch's journal"):
        begun(output)
    assert output.with_name("out.journal").read_text() == json.dumps(event) + "\n"


@given(st.lists(st.dictionaries(EVENTS, JSON, max_size=3) | JSON, max_size=4))
def test_whatever_stands_in_a_journal_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, events: list[Any]
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    (folder / "in").write_text('{"text": "one"}\n')
    (folder / "out.journal").write_text("".join(json.dumps(event) + "\n" for event in events))
    with suppress(ConfigurationError):
        begun(folder / "out").close()


async def test_what_was_under_way_when_a_run_ended_counts_as_paid(output: Path) -> None:
    first = begun(output)
    done, refused = await first.account.reserve(10), await first.account.reserve(10)
    await first.account.reserve(10)
    await first.account.settle(done, {"llm_calls": 1, "input_tokens": 7})
    await first.account.settle(refused, {})
    first.close()
    again = begun(output)
    assert again.account.spent == {"llm_calls": 2, "input_tokens": 7, "cost": 0}
    again.account.budgets = {"llm_calls": 3}
    await again.account.reserve(10)
    with pytest.raises(OutOfBudget):
        await again.account.reserve(10)
    again.close()


async def test_a_line_that_another_process_is_writing_is_left_for_later(output: Path) -> None:
    journal = begun(output)
    await journal.account.settle(await journal.account.reserve(10), {"llm_calls": 1})
    with output.with_name("out.journal").open("ab") as file:
        file.write(b'{"run": {"pid')
    assert journal.recounted().spent["llm_calls"] == 1
    with pytest.raises(ConfigurationError, match="is being written by process"):
        Journal(output)
    journal.close()


async def test_a_torn_line_is_no_call(output: Path) -> None:
    first = begun(output)
    await first.account.reserve(10)
    first.close()
    with output.with_name("out.journal").open("ab") as file:
        file.write(b'{"call": 2, "co')
    again = begun(output)
    assert again.account.spent["llm_calls"] == 1
    again.close()
    third = begun(output)
    assert third.account.spent["llm_calls"] == 1
    third.close()
