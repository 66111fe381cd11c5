"""Turns with tools: what a model says is read as a tool to use or as a conclusion, by native calls or in plain text."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage

from errata.models import task
from errata.models.tasks import TASKS
from errata.models.tasks.critic import Turn
from errata.state import Context
from errata.state.errors import ModelError

from ..fakes import FakeChatModel, FakeToolCaller, calls, concludes, searches

GIVEN = {
    "question": "Which river flows through the city where Brahms was born?",
    "text": "Brahms was born in Vienna. So the answer is: the Danube.",
    "answer": "the Danube",
    "messages": [],
    "tools": ["search"],
    "last": False,
}
EVERY = ["search", "run_python", "score_toxicity"]
CORRECTED = "Brahms was born in Hamburg. So the answer is: the Elbe."
PROGRAM = "x = 4\n\nanswer = x // 2"


async def take(model: FakeChatModel, name: str = "critique", *, given: Any = None, **settings: Any) -> Turn:
    turn = await task(Context(model=model, **settings), TASKS[name]).ainvoke({**GIVEN, "tools": EVERY, **(given or {})})
    assert isinstance(turn, Turn)
    return turn


async def read(*replies: str, name: str = "critique", **given: Any) -> Turn:
    """What is read from replies in plain text."""
    return await take(FakeChatModel(replies=list(replies)), name, given=given)


class TestInPlainText:
    @pytest.mark.parametrize(
        ("reply", "tool", "argument"),
        [
            ("> Search Query: Where was Brahms born?", "search", "Where was Brahms born?"),
            ("I look it up.\n> Search Query: Brahms", "search", "Brahms"),
            ("I look it up.\n\n  >  Search Query : Brahms  \n", "search", "Brahms"),
            ("> Search Query: Brahms\nThat should tell.", "search", "Brahms"),
            ("> Toxicity Of: You fool.", "score_toxicity", "You fool."),
            (f"> Program:\n```python\n{PROGRAM}\n```", "run_python", PROGRAM),
            (f"> Program:\n```\n{PROGRAM}\n```\nNow I wait.", "run_python", PROGRAM),
            (f"> Program:\n```python\n{PROGRAM}", "run_python", PROGRAM),
            (f"> Program: {PROGRAM}", "run_python", PROGRAM),
            (f"> Program:\n{PROGRAM}\n> Execution: Done", "run_python", PROGRAM),
        ],
    )
    async def test_a_line_asks_for_a_tool(self, reply: str, tool: str, argument: str) -> None:
        turn = await read(reply)
        assert (turn.tool, turn.argument, turn.conclusion) == (tool, argument, None)

    async def test_what_it_thinks_comes_before_the_line(self) -> None:
        assert (await read("A river is plausible.\nBut born where?\n> Search Query: Brahms")).thought == (
            "A river is plausible.\nBut born where?"
        )

    @pytest.mark.parametrize(
        "after", ["> Evidence: [Brahms] He was born in Bonn.", "> Accepted", "> Search Query: Bonn"]
    )
    async def test_what_it_invents_after_asking_is_dropped(self, after: str) -> None:
        turn = await read(
            f"I look.\n> Search Query: Brahms\n{after}\nSo Bonn it is.\n> Corrected: the answer is: the Rhine"
        )
        assert turn.model_dump(exclude={"message"}) == {
            "thought": "I look.",
            "tool": "search",
            "argument": "Brahms",
            "arguments": {},
            "conclusion": None,
            "also": [],
        }

    @pytest.mark.parametrize(
        "reply",
        [
            "The evidence says 1889.\n> Accepted? No, the date is wrong.",
            "The date is wrong.\n> Accepted: no",
            "> Accepted [1]: no, the evidence says 1887",
            "> Accepted only if the tower were in Lyon.",
            "I found nothing. So the answer is not supported by the evidence.",
            "It was said: So the answer is: 5. That is wrong.",
            "So the answer is: 5.\nBut that is wrong, it should be checked.",
        ],
    )
    async def test_a_denial_or_a_quotation_decides_nothing(self, reply: str) -> None:
        with pytest.raises(ModelError, match="no line begins with"):
            await read(reply)

    async def test_a_quotation_before_the_line_that_decides_is_passed_over(self) -> None:
        conclusion = (await read("It says:\n> Accepted practice is to round.\nNo.\n> Corrected: 6")).conclusion
        assert conclusion
        assert (conclusion.accepted, conclusion.text) == (False, "6")

    @pytest.mark.parametrize("reply", ["It holds.\n> Accepted", "It holds.\n> Accepted.", "It holds.\n> Accepted: yes"])
    async def test_accepted(self, reply: str) -> None:
        conclusion = (await read(reply)).conclusion
        assert conclusion
        assert (conclusion.accepted, conclusion.correctness, conclusion.text) == (True, "It holds.", "")

    @pytest.mark.parametrize(
        ("text", "answer"),
        [
            (CORRECTED, "the Elbe"),
            ("the Elbe", "the Elbe"),
            ("He was born in Hamburg.\nSo the answer is: the Elbe.", "the Elbe"),
            ("The Elbe is a river that flows through the city in which the composer came to the world. " * 2, ""),
        ],
    )
    async def test_corrected(self, text: str, answer: str) -> None:
        conclusion = (await read(f"Not Vienna.\n> Corrected: {text}")).conclusion
        assert conclusion
        assert (conclusion.accepted, conclusion.correctness) == (False, "Not Vienna.")
        assert (conclusion.text, conclusion.answer) == (text.strip(), answer)

    async def test_a_corrected_program_is_taken_out_of_its_fence(self) -> None:
        conclusion = (await read(f"Halve it.\n> Corrected:\n```python\n{PROGRAM}\n```")).conclusion
        assert conclusion
        assert conclusion.text == PROGRAM

    async def test_without_a_line_an_answer_is_a_conclusion(self) -> None:
        turn = await read(CORRECTED)
        assert turn.conclusion
        assert (turn.tool, turn.conclusion.text, turn.conclusion.answer) == ("conclude", CORRECTED, "the Elbe")
        assert not turn.conclusion.accepted

    async def test_what_asks_for_a_tool_may_lack_its_mark(self) -> None:
        assert (await read("Who was he?\nSearch Query: Brahms")).argument == "Brahms"

    @pytest.mark.parametrize("reply", ["Search Query: is it so?\n> Accepted", "Search Query: x\nSo the answer is: 5."])
    async def test_what_decides_goes_before_what_lacks_its_mark(self, reply: str) -> None:
        assert (await read(reply)).tool == "conclude"

    async def test_the_request_repeated_is_no_part_of_the_reply(self) -> None:
        repeated = f"<question>\nHow high?\n</question>\n<text>\n12 m\n> Accepted\n</text>\n\n{CORRECTED}"
        conclusion = (await read(repeated)).conclusion
        assert conclusion
        assert (conclusion.accepted, conclusion.text) == (False, CORRECTED)

    @pytest.mark.parametrize(
        ("bad", "complaint"),
        [
            ("> Search Query:", "`search` was given nothing"),
            ("> Program:\n```python\n```", "`run_python` was given nothing"),
        ],
    )
    async def test_a_bad_reply_is_complained_of_and_repaired(self, bad: str, complaint: str) -> None:
        model = FakeChatModel(replies=[bad, "> Search Query: Brahms"])
        assert (await take(model)).argument == "Brahms"
        first, second = model.asked
        assert second[: len(first)] == first
        assert complaint in second[-1].text

    @pytest.mark.parametrize("bad", ["I would rather not say.", "", "Accepted", "Corrected: the Elbe"])
    async def test_one_without_a_line_is_forgotten_once_and_then_complained_of(self, bad: str) -> None:
        model = FakeChatModel(replies=[bad, bad, "> Search Query: Brahms"])
        assert (await take(model)).argument == "Brahms"
        first, second, third = model.asked
        assert [*second[:-1], second[-1].text] == [
            *first[:-1],
            f"{first[-1].text}\n\nWrite the line that begins with `> `.",
        ]
        assert third[: len(second)] == second
        assert "no line begins with `> `" in third[-1].text

    async def test_a_tool_that_is_not_there_is_complained_of(self) -> None:
        model = FakeChatModel(replies=["> Program: answer = 1", "> Accepted"])
        assert (await take(model, "qa_critique", given={"tools": ["search"]})).tool == "conclude"
        assert "there is no tool `run_python`; use search or conclude" in model.asked[1][-1].text

    @pytest.mark.parametrize("repairs", [0, 2])
    async def test_repairs_are_bounded(self, repairs: int) -> None:
        model = FakeChatModel(replies=["I would rather not say."])
        with pytest.raises(ModelError, match=rf"`critique` in {repairs + 1} tries: no line begins"):
            await take(model, repairs=repairs)
        assert len(model.asked) == repairs + 1

    async def test_the_last_turn_is_said_to_be_the_last(self) -> None:
        for given, told in (({"last": True}, True), ({"last": False}, False), ({"tools": [], "last": True}, True)):
            model = FakeChatModel(replies=["> Accepted"])
            await take(model, given=given)
            assert ("your last turn" in model.asked[0][-1].text) is told

    async def test_a_question_is_concluded_by_its_answer_on_the_last_turn(self) -> None:
        model = FakeChatModel(replies=["It sank in 1912. So the answer is: 1912."])
        turn = await take(model, "qa_critique", given={"last": True})
        assert 'end with "So the answer is: "' in model.asked[0][-1].text
        assert turn.conclusion
        assert turn.conclusion.text == "It sank in 1912. So the answer is: 1912."

    async def test_a_text_is_shown_once_more_on_the_last_turn(self) -> None:
        model = FakeChatModel(replies=["> Accepted"])
        await take(model, given={"last": True, "text": "It sank in </text> 1912."})
        before, _, after = model.asked[0][-1].text.partition("This is your last turn")
        assert "It sank in ‹/text> 1912." in before
        assert "<text>\nIt sank in ‹/text> 1912.\n</text>" in after

    @pytest.mark.parametrize(
        ("reply", "text", "answer"),
        [
            ("He was born there.\n> Finish: Hamburg", "He was born there. So the answer is: Hamburg", "Hamburg"),
            ("> Finish: So the answer is: Hamburg.", "So the answer is: Hamburg.", "Hamburg"),
            ("He was. So the answer is: Hamburg.", "He was. So the answer is: Hamburg.", "Hamburg"),
            ("> Corrected: So the answer is: Hamburg.", "So the answer is: Hamburg.", "Hamburg"),
        ],
    )
    async def test_a_draft_finishes_with_its_answer(self, reply: str, text: str, answer: str) -> None:
        model = FakeChatModel(replies=[reply])
        turn = await take(model, "react", given={"text": "", "tools": ["search"]})
        assert turn.conclusion
        assert (turn.conclusion.text, turn.conclusion.answer) == (text, answer)
        asked = "\n".join(message.text for message in model.asked[0])
        assert "> Finish: the reasoning" in asked
        assert "> Accepted" not in asked
        assert "> Corrected" not in asked

    async def test_a_line_that_was_only_copied_is_no_conclusion(self) -> None:
        model = FakeChatModel(replies=["> Corrected [1]: the whole answer, corrected", "> Accepted"])
        turn = await take(model)
        assert "write the answer itself" in model.asked[1][-1].text
        assert turn.conclusion
        assert turn.conclusion.accepted

    async def test_only_the_tools_at_hand_are_spoken_of(self) -> None:
        model = FakeChatModel(replies=["> Accepted"])
        await take(model, "qa_critique", given={"tools": ["search"]})
        assert "> Search Query: What to look for" in model.asked[0][0].text
        assert "> Program: The program" not in model.asked[0][0].text

    async def test_the_conversation_goes_on_after_the_request(self) -> None:
        said = [searches("Brahms", "Born where?"), told("[Brahms] Born in Hamburg.\n> Accepted")]
        model = FakeChatModel(replies=["> Accepted"])
        await take(model, given={"messages": said})
        _, turn, told_by_tool = model.asked[0][-3:]
        assert (turn.type, turn.text) == ("ai", "Born where?\n> Search Query: Brahms")
        assert (told_by_tool.type, told_by_tool.text) == ("human", "> Evidence: [Brahms] Born in Hamburg. > Accepted")


def told(text: str) -> ToolMessage:
    return ToolMessage(text, name="search", tool_call_id="call-0")


BROKEN_ARGUMENTS = AIMessage(
    "",
    invalid_tool_calls=[
        {"name": "search", "args": '{"query": ', "id": "1", "error": "cut off", "type": "invalid_tool_call"}
    ],
)


class TestByCalls:
    async def test_a_call_asks_for_a_tool(self) -> None:
        model = FakeToolCaller(replies=[searches("Brahms", "Born where?")])
        turn = await take(model)
        assert (turn.thought, turn.tool, turn.argument) == ("Born where?", "search", "Brahms")
        assert model.offered == [[*EVERY, "conclude"]]

    async def test_a_call_concludes(self) -> None:
        conclusion = (await take(FakeToolCaller(replies=[concludes(correctness="No.", text=CORRECTED)]))).conclusion
        assert conclusion
        assert (conclusion.correctness, conclusion.text, conclusion.answer) == ("No.", CORRECTED, "the Elbe")

    async def test_of_several_calls_the_first_counts(self) -> None:
        reply = calls(
            ("search", {"query": "Brahms"}), ("search", {"query": "Hamburg"}), ("conclude", {"accepted": True})
        )
        turn = await take(FakeToolCaller(replies=[reply]))
        assert (turn.tool, turn.argument) == ("search", "Brahms")
        assert turn.message is None, "a call that is not answered must not stay in the conversation"

    async def test_a_broken_call_beside_a_good_one_does_not_stay_in_the_conversation(self) -> None:
        reply = searches("Brahms").model_copy(update={"invalid_tool_calls": BROKEN_ARGUMENTS.invalid_tool_calls})
        turn = await take(FakeToolCaller(replies=[reply]))
        assert (turn.argument, turn.message) == ("Brahms", None)

    @pytest.mark.parametrize(
        ("bad", "complaint"),
        [
            (BROKEN_ARGUMENTS, "the arguments are no JSON: cut off"),
            (calls(("google", {"query": "Brahms"})), "there is no tool `google`; use search or run_python or"),
            (calls(("search", {"q": "Brahms"})), "`search` was given nothing"),
            (calls(("search", {})), "`search` was given nothing"),
            (calls(("conclude", {"accepted": "perhaps"})), "accepted"),
        ],
        ids=["broken arguments", "unknown tool", "unknown argument", "no argument", "no conclusion"],
    )
    async def test_a_bad_call_is_complained_of_and_repaired(self, bad: AIMessage, complaint: str) -> None:
        model = FakeToolCaller(replies=[bad, searches("Brahms")])
        assert (await take(model)).argument == "Brahms"
        first, second = model.asked
        assert second[: len(first)] == first
        assert complaint in second[-1].text

    async def test_repairs_are_bounded(self) -> None:
        model = FakeToolCaller(replies=[searches("Brahms"), AIMessage("The Elbe, surely.")])
        await take(model, "qa_critique")
        with pytest.raises(ModelError, match="`qa_critique` in 3 tries: no tool was called"):
            await take(model, "qa_critique")
        assert len(model.asked) == 4

    async def test_a_model_that_only_ever_talks_goes_on_in_plain_text(self) -> None:
        model = FakeToolCaller(replies=[AIMessage("The Elbe, surely."), "Where?\n> Search Query: Brahms"])
        assert (await take(model)).argument == "Brahms"
        assert (await take(model)).argument == "Brahms"
        assert len(model.offered) == 1

    @pytest.mark.parametrize(
        "written",
        [
            '<tool_call>{"name": "search", "arguments": {"query": "Brahms"}}</tool_call>',
            "```json\n{'name': 'search', 'parameters': {'query': 'Brahms'}}\n```",
        ],
    )
    async def test_a_call_that_is_written_down_is_read(self, written: str) -> None:
        model = FakeToolCaller(replies=[AIMessage("Let me see."), written])
        assert (await take(model)).argument == "Brahms"

    @pytest.mark.parametrize("given", [{"last": True}, {"last": True, "tools": []}])
    async def test_on_the_last_turn_there_is_nothing_but_to_conclude(self, given: dict[str, Any]) -> None:
        model = FakeToolCaller(replies=[concludes(accepted=True)])
        await take(model, given=given)
        assert model.offered == [["conclude"]]

    async def test_the_conversation_goes_on_in_messages(self) -> None:
        said = [searches("Brahms"), told("[Brahms] Born in Hamburg.")]
        model = FakeToolCaller(replies=[concludes(accepted=True)])
        await take(model, given={"messages": said})
        assert model.asked[0][2:] == said


@pytest.mark.parametrize("tools", [[], ["search"]])
@pytest.mark.parametrize(
    "model",
    [FakeChatModel(replies=["> Search Query: Brahms"]), FakeToolCaller(replies=[searches("Brahms")])],
    ids=["plain", "calls"],
)
async def test_a_last_turn_that_asks_for_a_tool_is_read_all_the_same(model: FakeChatModel, tools: list[str]) -> None:
    asked = len(model.asked)
    turn = await take(model, given={"tools": tools, "last": True})
    assert (turn.tool, len(model.asked)) == ("search", asked + 1), "asking again would cost a call that is not there"


class Unwilling(FakeToolCaller):
    """Binds tools, and refuses a request with them."""

    status: int = 400

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        self.offered.append([])
        return FakeChatModel(replies=[StatusError(self.status)])


class StatusError(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status_code = status


class TestWhoCallsNoTools:
    async def test_is_known_by_the_profile(self) -> None:
        model = FakeToolCaller(replies=["> Accepted"], profile={"tool_calling": False})
        assert (await take(model)).tool == "conclude"
        assert model.offered == []

    async def test_is_known_by_lacking_the_method(self) -> None:
        assert (await take(FakeChatModel(replies=["> Accepted"]))).tool == "conclude"

    @pytest.mark.parametrize("status", [400, 422, 501])
    async def test_is_found_out_by_asking_once(self, status: int) -> None:
        model = Unwilling(replies=["> Accepted"], status=status)
        for _ in range(3):
            assert (await take(model)).tool == "conclude"
        assert len(model.offered) == 1
        assert len(model.asked) == 3

    async def test_a_refusal_of_anything_is_not_held_against_the_tools(self) -> None:
        """Such as a conversation that is too long for the model, with tools or without."""
        model = Unwilling(replies=[StatusError(400), StatusError(400), StatusError(400), "> Accepted"])
        with pytest.raises(ModelError, match="status 400"):
            await take(model)
        assert (await take(model)).tool == "conclude"
        assert len(model.offered) == 2

    async def test_another_fault_is_no_sign_of_it(self) -> None:
        model = Unwilling(replies=["> Accepted"], status=401)
        with pytest.raises(ModelError, match="status 401"):
            await take(model)
        assert model.asked == []


@pytest.mark.parametrize(
    ("line", "named", "text"),
    [
        ("> Accepted [1]", [1], ""),
        ("> Accepted: [2], [3]", [2, 3], ""),
        ("> Accepted", [], ""),
        ("> Corrected [1] [2]: It is the Elbe.", [1, 2], "It is the Elbe."),
        ("> Corrected: [2] It is the Elbe.", [2], "It is the Elbe."),
        ("> Corrected: It is the Elbe [1].", [], "It is the Elbe [1]."),
    ],
)
async def test_the_evidence_that_the_last_line_names(line: str, named: list[int], text: str) -> None:
    conclusion = (await read(f"I have looked.\n{line}")).conclusion
    assert conclusion is not None
    assert (conclusion.evidence, conclusion.text) == (named, text)


class TestNothingButItsLineDecides:
    """Talk about an answer is none."""

    @pytest.mark.parametrize(
        "said",
        [
            "The proposed answer is correct.",
            "The answer is plausible, and the answer is right.",
            "I would say the answer is: the Elbe.",
            "**Accepted**",
        ],
    )
    async def test_talk_is_asked_for_again(self, said: str) -> None:
        model = Unwilling(replies=[said, "> Accepted"], status=400)
        turn = await take(model)
        assert turn.conclusion
        assert turn.conclusion.accepted
        assert "Write the line that begins with `> `" in model.asked[-1][-1].text

    @pytest.mark.parametrize("answer", ["correct", "Plausible.", "The proposed answer", "right"])
    @pytest.mark.parametrize("form", ["> Corrected: So the answer is: {}", "So the answer is: {}"])
    async def test_a_judgement_never_stands_in_the_place_of_an_answer(self, form: str, answer: str) -> None:
        model = Unwilling(replies=[form.format(answer), "> Corrected: So the answer is: the Elbe."], status=400)
        turn = await take(model)
        assert turn.conclusion
        assert turn.conclusion.answer == "the Elbe"

    async def test_the_sentence_that_says_the_answer_decides_without_a_line(self) -> None:
        model = Unwilling(replies=["He was born in Hamburg. So the answer is: the Elbe."], status=400)
        turn = await take(model)
        assert turn.conclusion
        assert turn.conclusion.answer == "the Elbe"
