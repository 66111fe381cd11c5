"""Rows in several processes: what they share, and what happens when one of them is lost."""

import json
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, NoReturn

import pytest

from errata.apps.batch.processes import Gone, Link, share
from errata.state import Context
from errata.state.errors import ConfigurationError, ErrataError

from ...conftest import Errata


class Unreadable:
    def __reduce__(self) -> tuple[Any, ...]:
        return refuse, ()


def refuse() -> NoReturn:
    raise ValueError("this cannot be unpickled")


async def echo(question: Any) -> Any:
    return question


async def fail(question: Any) -> NoReturn:
    raise question


def test_together_they_keep_to_the_limits_of_all() -> None:
    each = share(Context(max_concurrency=9, requests_per_second=3), 4)
    assert (each.max_concurrency, each.requests_per_second) == (2, 0.75)
    assert share(Context(), 4).requests_per_second is None


@pytest.mark.parametrize(
    ("context", "said"),
    [(Context(max_concurrency=3), "raise `max_concurrency`"), (Context(toxicity="perspective"), "Perspective")],
)
def test_a_limit_that_cannot_be_shared_is_refused(context: Context, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        share(context, 4)


async def test_questions_are_answered_in_both_directions() -> None:
    ours, theirs = Pipe()
    here, there = Link(ours, echo), Link(theirs, echo)
    assert (await here.ask("to there"), await there.ask("to here")) == ("to there", "to here")
    here.end()
    await there.gone.wait()
    with pytest.raises(Gone):
        await there.ask("anybody?")
    theirs.close()


async def test_an_error_of_the_other_side_is_raised_and_says_what_it_was() -> None:
    ours, theirs = Pipe()
    here, there = Link(ours, echo), Link(theirs, fail)
    for error, said in (ErrataError("the disk is full"), "the disk is full"), (KeyError("name"), "KeyError: 'name'"):
        with pytest.raises(ErrataError, match=said):
            await here.ask(error)
    there.end()
    ours.close()


async def test_who_says_what_cannot_be_read_is_gone() -> None:
    ours, theirs = Pipe()
    told: list[str] = []
    here = Link(ours, echo, lost=lambda: told.append("lost"))
    theirs.send(("answer", 0, Unreadable()))
    with pytest.raises(Gone):
        await here.ask("what?")
    assert told == ["lost"]
    theirs.close()


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    texts = ["The Eiffel Tower was completed in 1899.", "Mount Everest is 8,849 metres high."] * 4
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps({"text": text, "note": "kept"}) + "\n" for text in texts) + "not json\n")
    return path


def test_the_output_is_that_of_one_process(errata: Errata, rows: Path) -> None:
    outputs = {number: rows.with_name(f"{number}.jsonl") for number in (1, 2)}
    for number, output in outputs.items():
        code, _, err = errata("batch", "rarr", str(rows), "-o", str(output), "--ordered", "--processes", str(number))
        assert (code, "9 rows: 8 done" in err) == (1, True), err
        assert ("starting 2 processes" in err) == (number == 2)
    alone, together = ([plain(line) for line in output.read_text().splitlines()] for output in outputs.values())
    assert alone == together


def plain(line: str) -> dict[str, Any]:
    """A record without how long it took."""
    record: dict[str, Any] = json.loads(line)
    return {name: value for name, value in record.items() if name != "usage"}
