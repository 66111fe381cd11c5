"""A batch as its user meets it: every row once, whatever happens on the way."""

import asyncio
import json
import os
import resource
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import TypedDict

from errata.apps.batch.engine import Batch, Summary, run_batch
from errata.apps.batch.journal import Journal
from errata.apps.batch.ledger import Ledger
from errata.apps.batch.output import DiskError, Output
from errata.apps.batch.rows import Schema, extent, lines
from errata.state.errors import ConfigurationError, ModelError


class Given(TypedDict, total=False):
    text: str


class Quiet:
    def begins(self, rows: int, ledger: Ledger) -> None:
        self.rows = rows

    def finished(self, ledger: Ledger) -> None: ...

    def says(self, message: str) -> None: ...


class Upper:
    """A method that takes a call a row, and does what a row's text tells it to."""

    def __init__(self, calls: int = 1) -> None:
        self.ran: list[str] = []
        self.calls = calls
        self.under_way = self.peak = 0

    async def __call__(self, asked: dict[str, Any]) -> dict[str, Any]:
        text = asked["text"]
        self.ran.append(text)
        self.under_way += 1
        self.peak = max(self.peak, self.under_way)
        await asyncio.sleep(0.001)
        self.under_way -= 1
        if text == "fail":
            raise ModelError("the model is down")
        usage = {"llm_calls": self.calls, "cost": 0.01 * self.calls, "input_tokens": 3}
        stopped = "error" if text == "unchecked" else "accepted"
        return {"text": text.upper(), "stopped": stopped, "reason": "a search is down", "usage": usage}


@pytest.fixture
def batch(tmp_path: Path) -> Batch:
    return Batch(tmp_path / "in.jsonl", tmp_path / "out.jsonl", "upper", {}, Schema(Given), workers=4)


def write(batch: Batch, *rows: Any) -> None:
    made = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    batch.source.write_text("\n".join(made) + "\n", encoding="utf-8")


def run(batch: Batch, one: Any) -> Summary:
    return asyncio.run(run_batch(batch, one, Quiet()))


def records(batch: Batch) -> list[dict[str, Any]]:
    return [json.loads(line) for line in batch.output.read_text(encoding="utf-8").splitlines()]


def texts(batch: Batch) -> dict[int, str]:
    found = {record["line"]: record["text"] for record in records(batch) if "text" in record}
    assert len(found) == len([record for record in records(batch) if "text" in record]), "a row is there twice"
    return found


def test_every_row_comes_out_once_with_all_that_it_carries(batch: Batch) -> None:
    write(batch, *({"text": f"row {number}", "id": f"r{number}", "note": {"kept": "ü"}} for number in range(20)))
    method = Upper()
    summary = run(batch, method)
    assert summary.complete
    assert texts(batch) == {number + 1: f"ROW {number}" for number in range(20)}
    assert {record["id"] for record in records(batch)} == {f"r{number}" for number in range(20)}
    assert all(record["row"]["note"] == {"kept": "ü"} for record in records(batch))
    assert method.peak == batch.workers
    assert summary.ledger.usage["llm_calls"] == 20


def test_a_malformed_row_is_recorded_with_line_and_reason_and_the_others_go_on(batch: Batch) -> None:
    write(
        batch, {"text": "one"}, "{torn", "", '["a list"]', {"text": 7}, {"other": 1}, '{"text": NaN}', {"text": "two"}
    )
    summary = run(batch, Upper())
    wrong = {record["line"]: record["error"] for record in records(batch) if record["outcome"] == "malformed"}
    assert texts(batch) == {1: "ONE", 8: "TWO"}
    assert wrong[2].startswith("not a JSON object")
    assert wrong[2].endswith("it begins: {torn")
    assert "it is a list" in wrong[4]
    assert wrong[5] == "`text`: input should be a valid string"
    assert wrong[6] == "it has only other and none of the fields text"
    assert "NaN" in wrong[7]
    assert (summary.rows, summary.left, summary.complete) == (7, 0, False)


def test_a_row_that_cannot_be_read_takes_no_id_of_another(batch: Batch) -> None:
    write(batch, '{"id": 7, "text": torn', {"id": 1, "text": "one"}, {"text": "two"})
    run(batch, Upper())
    assert {record["line"]: record["id"] for record in records(batch)} == {1: None, 2: 1, 3: 3}
    assert run(batch, Upper()).new == 0


@pytest.mark.parametrize("levels", [600, 968, 985, 3_000, 100_000])
def test_a_row_that_is_nested_too_deep_to_be_written_is_malformed(batch: Batch, levels: int) -> None:
    deep = '{"text": "one", "deep": ' + "[" * levels + "]" * levels + "}"
    write(batch, deep, {"text": "two", "deep": [[{"a": [1]}]]})
    assert run(batch, Upper()).left == 0
    assert [record["outcome"] for record in records(batch)] == ["malformed", "done"]
    assert records(batch)[0]["error"].startswith("not a JSON object: ")
    assert run(batch, Upper()).new == 0


def test_a_finished_batch_runs_nothing_again(batch: Batch) -> None:
    write(batch, {"text": "one"}, {"text": "fail"})
    run(batch, Upper())
    again = Upper()
    assert run(batch, again).new == 0
    assert again.ran == []


def test_failed_rows_keep_their_error_and_are_retried_on_request(batch: Batch) -> None:
    write(batch, {"text": "one"}, {"text": "fail"}, {"text": "unchecked"}, {"text": "two"})
    run(batch, Upper())
    assert {record["line"]: (record["outcome"], record["error"]) for record in records(batch)} == {
        1: ("done", ""),
        2: ("failed", "the model is down"),
        3: ("unchecked", "a search is down"),
        4: ("done", ""),
    }
    again = Upper()

    async def mended(asked: dict[str, Any]) -> Mapping[str, Any]:
        return {**await again({"text": "mended"}), "text": asked["text"]}

    summary = run(replace(batch, retry_failed=True), mended)
    assert texts(batch) == {1: "ONE", 2: "fail", 3: "unchecked", 4: "TWO"}
    assert len(again.ran) == 2
    assert summary.complete
    assert summary.ledger.usage["llm_calls"] == 5  # the unchecked row was paid for twice, and that is known


def test_a_batch_goes_on_after_a_torn_line(batch: Batch) -> None:
    write(batch, *({"text": f"row {number}"} for number in range(6)))
    run(batch, Upper())
    whole = batch.output.read_bytes()
    batch.output.write_bytes(whole[:-10])
    again = Upper()
    assert run(batch, again).complete
    assert len(again.ran) == 1
    assert texts(batch) == {number + 1: f"ROW {number}" for number in range(6)}


@given(cut=st.floats(0, 1))
def test_wherever_the_output_is_cut_every_row_comes_out_once(
    tmp_path_factory: pytest.TempPathFactory, cut: float
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    batch = Batch(folder / "in", folder / "out", "upper", {}, Schema(Given), workers=3)
    write(batch, *({"text": f"row {number} é"} for number in range(5)))
    run(batch, Upper())
    whole = batch.output.read_bytes()
    batch.output.write_bytes(whole[: int(cut * len(whole))])
    kept = batch.output.read_bytes().count(b"\n")
    again = Upper()
    assert run(batch, again).complete
    assert texts(batch) == {number + 1: f"ROW {number} É" for number in range(5)}
    assert len(again.ran) == 5 - kept


def test_an_output_that_is_no_batch_is_left_alone(batch: Batch) -> None:
    write(batch, {"text": "one"})
    batch.output.write_text("my diary\n")
    with pytest.raises(ConfigurationError, match="no journal says what made it"):
        run(batch, Upper())
    assert batch.output.read_text() == "my diary\n"


def test_a_foreign_line_in_the_output_is_named(batch: Batch) -> None:
    write(batch, {"text": "one"}, {"text": "two"})
    run(batch, Upper())
    batch.output.write_text("my diary\n" + batch.output.read_text())
    with pytest.raises(ConfigurationError, match="line 1 is not a record"):
        run(batch, Upper())


@pytest.mark.parametrize(
    ("change", "said"),
    [({"method": "other"}, "with the method upper"), ({"settings": {"samples": 3}}, r"other settings \(samples\)")],
)
def test_an_output_is_continued_with_the_same_only(batch: Batch, change: dict[str, Any], said: str) -> None:
    write(batch, {"text": "one"})
    run(batch, Upper())
    with pytest.raises(ConfigurationError, match=said):
        run(replace(batch, **change), Upper())


def test_settings_that_change_no_result_may_differ(batch: Batch) -> None:
    write(batch, {"text": "one"})
    run(batch, Upper())
    assert run(replace(batch, settings={"requests_per_second": 1.0}), Upper()).complete


def test_rows_may_be_added_at_the_end_of_the_input_and_no_others_changed(batch: Batch) -> None:
    write(batch, {"text": "one"}, {"text": "two"})
    run(batch, Upper())
    write(batch, {"text": "one"}, {"text": "two"}, {"text": "three"})
    more = Upper()
    assert run(batch, more).complete
    assert more.ran == ["three"]
    write(batch, {"text": "one"}, {"text": "two"}, {"text": "THREE"})
    with pytest.raises(ConfigurationError, match="is not what"):
        run(batch, Upper())


def test_a_second_run_on_the_same_output_is_refused_while_the_first_runs(batch: Batch) -> None:
    write(batch, {"text": "one"})
    first = Journal(batch.output)
    first.begin("upper", {}, batch.source)
    with pytest.raises(ConfigurationError, match=f"written by process {os.getpid()} on"):
        run(batch, Upper())
    first.close()
    assert run(batch, Upper()).complete


def test_a_budget_of_calls_is_kept_and_a_larger_one_goes_on(batch: Batch) -> None:
    write(batch, *({"text": f"row {number}"} for number in range(10)))
    summary = run(replace(batch, max_calls=12), Upper(calls=3))
    assert (summary.stopped, summary.ledger.usage["llm_calls"], summary.left) == ("budget", 12, 6)
    nothing = run(replace(batch, max_calls=12), Upper(calls=3))
    assert (nothing.stopped, nothing.new) == ("budget", 0)
    summary = run(replace(batch, max_calls=31), Upper(calls=3))
    assert summary.complete
    assert summary.ledger.usage["llm_calls"] == 30


def test_a_budget_of_dollars_is_kept(batch: Batch) -> None:
    write(batch, *({"text": f"row {number}"} for number in range(10)))
    summary = run(replace(batch, max_cost=0.055), Upper())
    assert summary.stopped == "budget"
    assert summary.ledger.usage["cost"] == pytest.approx(0.05)


def test_until_a_price_is_known_one_row_runs_alone(batch: Batch) -> None:
    async def unpriced(asked: dict[str, Any]) -> dict[str, Any]:
        return {"text": asked["text"].upper(), "usage": {"llm_calls": 1}}

    write(batch, {"text": "free"})
    run(batch, unpriced)
    write(batch, {"text": "free"}, *({"text": f"row {number}"} for number in range(9)))
    method = Upper()
    summary = run(replace(batch, max_cost=0.015), method)
    assert (summary.stopped, method.ran) == ("budget", ["row 0"])


def test_a_budget_counts_what_retried_rows_used_before(batch: Batch) -> None:
    write(batch, {"text": "unchecked"}, {"text": "one"}, {"text": "two"})
    run(replace(batch, max_calls=1), Upper())
    summary = run(replace(batch, max_calls=2, retry_failed=True), Upper())
    assert summary.ledger.usage["llm_calls"] == 2
    assert summary.stopped == "budget"


def test_failed_rows_that_the_budget_has_no_room_for_stay_as_they_are(batch: Batch) -> None:
    write(batch, {"text": "unchecked"}, {"text": "fail"})
    run(batch, Upper(calls=3))
    before = batch.output.read_bytes()
    summary = run(replace(batch, max_calls=5, retry_failed=True), Upper(calls=3))
    assert (summary.stopped, summary.new, summary.left, summary.failed) == ("budget", 0, 0, 2)
    assert batch.output.read_bytes() == before
    summary = run(replace(batch, max_calls=6, retry_failed=True), Upper(calls=3))
    assert (summary.new, summary.ledger.usage["llm_calls"]) == (1, 6)


def test_a_retry_that_cannot_write_the_output_counts_nothing_again(batch: Batch) -> None:
    write(batch, *({"text": "unchecked"} for _ in range(4)))
    run(batch, Upper())
    in_the_way = batch.output.with_name(batch.output.name + ".new")
    in_the_way.mkdir()
    for _ in range(3):
        with pytest.raises(DiskError):
            run(replace(batch, retry_failed=True), Upper())
    in_the_way.rmdir()
    assert run(batch, Upper()).ledger.usage["llm_calls"] == 4
    summary = run(replace(batch, retry_failed=True, max_calls=8), Upper())
    assert (summary.new, summary.ledger.usage["llm_calls"]) == (4, 8)


@pytest.mark.parametrize("killed", ["before the rewrite", "after it"])
def test_a_retry_that_is_killed_while_it_removes_rows_counts_them_once(
    batch: Batch, killed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewrite = Output.rewrite

    def dies(output: Output, *how: Any, **more: Any) -> None:
        if killed == "after it":
            rewrite(output, *how, **more)
        raise KeyboardInterrupt

    write(batch, {"text": "unchecked"}, {"text": "one"})
    run(batch, Upper())
    with monkeypatch.context() as patch:
        patch.setattr(Output, "rewrite", dies)
        with pytest.raises(KeyboardInterrupt):
            run(replace(batch, retry_failed=True), Upper())
    summary = run(replace(batch, retry_failed=True), Upper())
    assert summary.ledger.usage["llm_calls"] == 3
    assert run(batch, Upper()).ledger.usage["llm_calls"] == 3


def test_when_nothing_goes_any_more_the_batch_stops(batch: Batch) -> None:
    write(batch, *({"text": "fail"} for _ in range(50)))
    method = Upper()
    summary = run(replace(batch, max_failures=5), method)
    assert summary.stopped == "failures"
    assert len(method.ran) < 5 + batch.workers


def test_the_order_of_the_input_on_request(batch: Batch) -> None:
    async def slow_first(asked: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(0.03 if asked["text"] == "row 0" else 0)
        return asked

    write(batch, *({"text": f"row {number}"} for number in range(12)))
    run(batch, slow_first)
    assert [record["line"] for record in records(batch)] != list(range(1, 13))
    assert run(replace(batch, ordered=True), slow_first).new == 0
    assert [record["line"] for record in records(batch)] == list(range(1, 13))


@pytest.fixture
def small_disk() -> Iterator[Any]:
    """Lets no file grow beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_one_clear_line_and_the_batch_goes_on_after_it(batch: Batch, small_disk: Any) -> None:
    write(batch, *({"text": f"row {number} " + "x" * 300} for number in range(20)))
    small_disk(5_000)
    with pytest.raises(DiskError, match="make room, then run the same command again"):
        run(batch, Upper())
    small_disk(resource.RLIM_INFINITY)
    whole = batch.output.read_bytes()
    assert 3_000 < len(whole) < 5_000
    assert whole.endswith(b"}\n")
    assert run(batch, Upper()).complete
    assert len(texts(batch)) == 20


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("suffix", ["", ".journal"])
def test_a_file_that_is_taken_away_meanwhile_is_no_success(batch: Batch, suffix: str, ordered: bool) -> None:
    taken = batch.output.with_name(batch.output.name + suffix)

    async def takes(asked: dict[str, Any]) -> dict[str, Any]:
        if asked["text"] == "row 3":
            taken.unlink()
        return asked

    write(batch, *({"text": f"row {number}"} for number in range(12)))
    with pytest.raises(DiskError, match="deleted or replaced while it was written"):
        run(replace(batch, ordered=ordered), takes)


def test_an_output_that_is_replaced_meanwhile_is_no_success_and_left_alone(batch: Batch) -> None:
    async def replaces(asked: dict[str, Any]) -> dict[str, Any]:
        batch.output.unlink()
        batch.output.write_text("my diary\n")
        return asked

    write(batch, {"text": "one"})
    with pytest.raises(DiskError, match="deleted or replaced while it was written"):
        run(replace(batch, ordered=True), replaces)
    assert batch.output.read_text() == "my diary\n"


def test_what_json_cannot_hold_does_not_break_the_output(batch: Batch) -> None:
    async def odd(asked: dict[str, Any]) -> dict[str, Any]:
        return {"text": "\ud800", "path": Path("there")}

    write(batch, {"text": "one"})
    assert run(batch, odd).complete
    assert {name: records(batch)[0][name] for name in ("text", "path")} == {"text": "\ud800", "path": "there"}


@pytest.mark.parametrize("content", ["", "\n\n", "a", "a\n", "a\n\nb", "\n a \n", "a\r\nb\r\n"])
def test_rows_are_counted_as_they_are_read(tmp_path: Path, content: str) -> None:
    file = tmp_path / "rows"
    file.write_bytes(content.encode())
    with file.open("rb") as opened:
        assert extent(file).rows == len(list(lines(opened)))


def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    """200,000 rows, in the memory of 20,000 and a byte for each."""

    async def trivial(asked: dict[str, Any]) -> dict[str, Any]:
        return {"text": asked["text"]}

    class Weigher(Quiet):
        most = 0

        def finished(self, ledger: Ledger) -> None:
            if ledger.finished % 5_000 == 0:
                self.most = max(self.most, int(Path("/proc/self/statm").read_text().split()[1]))

    def peak(rows: int) -> int:
        """Megabytes."""
        batch = Batch(tmp_path / f"in{rows}", tmp_path / f"out{rows}", "trivial", {}, Schema(Given))
        with batch.source.open("w") as file:
            file.writelines(json.dumps({"text": f"row {number} {'x' * 80}"}) + "\n" for number in range(rows))
        weigher = Weigher()
        assert asyncio.run(run_batch(batch, trivial, weigher)).complete
        return weigher.most * os.sysconf("SC_PAGE_SIZE") // 1_000_000

    few, many = peak(20_000), peak(200_000)
    assert many - few <= 4
