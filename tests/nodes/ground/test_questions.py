"""Every passage is asked about in one round, whatever other methods ask."""

from errata.nodes.ground.questions import questions
from errata.state import Context

from ...fakes import Scripted
from .states import grounding


async def test_one_round_is_asked() -> None:
    model = Scripted({"queries": ["When was it opened?"]})
    update = await questions(grounding(), Context(backends={"queries": model}, question_rounds=3))
    assert [each["text"] for each in update["questions"]] == ["When was it opened?"]
    assert (len(model.asked), update["quorum"]["rounds"]["asked"]) == (1, 1)
