"""What a server refuses is told from what it says, and left out from then on."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from errata.models.habits import Habits, Refusal, folded, strict_schema
from errata.models.outputs import Agreement, Conclusion, Judgements

ALL = {
    "temperature", "max_completion_tokens", "response_format", "strict", "n", "logprobs", "tools", "tool_choice",
    "parallel_tool_calls", "reasoning_effort", "stream_options", "system",
}  # fmt: skip


class ServerError(Exception):
    """An error as the client of the OpenAI interface raises it."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(f"Error code: {status} - {body}")
        self.status_code, self.body = status, body


def refused(status: int, body: Any, used: set[str] = ALL) -> str:
    return Refusal(ServerError(status, body)).of(used)


@pytest.mark.parametrize(
    ("status", "body", "feature"),
    [
        (400, {"message": "Unsupported value", "param": "temperature", "code": "unsupported_value"}, "temperature"),
        (400, {"message": "Invalid schema for response_format 'A'", "param": "response_format"}, "response_format"),
        (422, {"detail": [{"loc": ["body", "tool_choice"], "msg": "Input should be 'auto'"}]}, "tool_choice"),
        (500, {"message": "tools param requires --jinja flag", "code": 500}, "tools"),
        (400, {"message": "System role not supported"}, "system"),
        (400, {"message": "Conversation roles must alternate user/assistant"}, "system"),
        (404, {"message": "No endpoints found that support tool use"}, "tools"),
        (400, {"message": "Unrecognized request argument supplied: parallel_tool_calls"}, "parallel_tool_calls"),
        (400, {"message": "n must be 1"}, "n"),
        (400, {"message": "Bad request"}, "response_format"),
        (500, {"message": "The server had an error"}, ""),
        (404, {"message": "The model `gpt-9` does not exist"}, ""),
        (401, {"message": "no temperature for you"}, ""),
        (400, {"message": "The response was filtered by the content management policy", "param": "temperature"}, ""),
    ],
)
def test_the_feature_that_is_refused_is_told(status: int, body: Any, feature: str) -> None:
    assert refused(status, body) == feature


def test_only_what_was_sent_can_have_been_refused() -> None:
    body = {
        "message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        "param": "max_tokens",
    }
    assert refused(400, body, {"max_tokens", "system"}) == "max_tokens"
    assert refused(500, body, {"system"}) == ""


def test_a_request_that_an_error_repeats_is_no_complaint() -> None:
    body = {"detail": [{"loc": ["body", "n"], "msg": "not permitted", "input": "what temperature do tools have?"}]}
    assert refused(422, body, {"temperature", "tools", "n"}) == "n"


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (max_tokens).",
        "max_tokens is too large: 8192. This model supports at most 4096 completion tokens",
    ],
)
def test_a_request_that_is_too_large_says_nothing_of_others(message: str) -> None:
    refusal = Refusal(ServerError(400, {"message": message}))
    assert refusal.is_about_size
    assert refusal.of({"max_tokens", "temperature", "response_format"}) == "max_tokens"


def test_objects_are_asked_for_in_one_form_after_the_other_whoever_finds_out() -> None:
    habits = Habits()
    habits.refuse("response_format", "schema")
    habits.refuse("response_format", "schema")  # of another request, sent at the same time
    assert habits.form == "object"
    habits.refuse("response_format", "object")
    assert habits.form == "text"


def test_a_model_without_a_system_role_reads_its_words_in_the_first_message() -> None:
    messages = folded([SystemMessage("Judge."), HumanMessage("It rains."), AIMessage("So?")])
    assert [message.text for message in messages] == ["Judge.\n\nIt rains.", "So?"]
    assert [message.type for message in messages] == ["human", "ai"]


@pytest.mark.parametrize("output", [Agreement, Judgements, Conclusion])
def test_a_strict_schema_is_closed_complete_and_without_our_docstrings(output: Any) -> None:
    def check(schema: Any) -> None:
        if isinstance(schema, dict):
            if schema.get("type") == "object":
                assert schema["additionalProperties"] is False
                assert schema["required"] == list(schema["properties"])
                assert "description" not in schema
            assert not schema.keys() & {"default", "minLength"} or "properties" not in schema
            for value in schema.values():
                check(value)
        elif isinstance(schema, list):
            for value in schema:
                check(value)

    schema = strict_schema(output.model_json_schema())
    check(schema)
    assert (output.__doc__ or "").strip() not in str(schema)
