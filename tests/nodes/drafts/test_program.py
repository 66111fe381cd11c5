"""A program that answers a question."""

from errata.nodes.drafts.program import run_program, write_program
from errata.state import Context
from errata.state.errors import ModelError

from ...fakes import Scripted
from ..states import state


async def test_the_program_is_the_text() -> None:
    writer = Scripted({"code": "answer = 12 - 5"})
    update = await write_program(state(question="How many?"), Context(backends={"program": writer}))
    assert update == {"text": "answer = 12 - 5", "original": "answer = 12 - 5"}


async def test_what_it_comes_to_is_the_answer() -> None:
    update = await run_program(state(text="answer = 12 - 5"), Context())
    assert (update["answer"], update["evidence"][0]["query"]) == ("7", "answer = 12 - 5")


async def test_a_program_that_fails_has_no_answer_and_says_why() -> None:
    update = await run_program(state(text="answer = 1 / 0"), Context())
    assert update["answer"] == ""
    assert "ZeroDivisionError" in update["evidence"][0]["text"]


async def test_a_writer_that_is_down_is_a_failure() -> None:
    down = Context(backends={"program": Scripted(ModelError("it is down"))})
    assert (await write_program(state(question="How many?"), down))["failures"][0]["reason"] == "it is down"
