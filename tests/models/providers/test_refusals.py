"""What a server refuses is told from what it says."""

from typing import Any

import pytest

from errata.models.providers.refusals import Refusal

ALL = {
    "temperature", "max_completion_tokens", "response_format", "strict", "n", "logprobs", "tools", "tool_choice",
    "reasoning_effort", "stream_options", "system", "max_tokens",
}  # fmt: skip


class ServerError(Exception):
    """An error as the client of the OpenAI interface raises it."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(f"Error code: {status} - {body}")
        self.status_code, self.body = status, body


def refused(status: int, body: Any, used: set[str] = ALL) -> list[str]:
    return list(Refusal(ServerError(status, body), used).features)


@pytest.mark.parametrize(
    ("status", "body", "features"),
    [
        (400, {"message": "Unsupported value", "param": "temperature", "code": "unsupported_value"}, ["temperature"]),
        (400, {"message": "Invalid schema for response_format 'A'", "param": "response_format"}, ["response_format"]),
        (422, {"detail": [{"loc": ["body", "tool_choice"], "msg": "Input should be 'auto'"}]}, ["tool_choice"]),
        (500, {"message": "tools param requires --jinja flag", "code": 500}, ["tools"]),
        (400, {"message": "System role not supported"}, ["system"]),
        (400, {"message": "Conversation roles must alternate user/assistant"}, ["system"]),
        (404, {"message": "No endpoints found that support tool use"}, ["tools"]),
        (400, {"message": "Unrecognized request argument supplied: logprobs"}, ["logprobs"]),
        (400, {"message": "n must be 1"}, ["n"]),
        (400, {"message": "Bad request"}, ["response_format"]),
        (500, {"message": "The server had an error"}, []),
        (404, {"message": "The model `gpt-9` does not exist"}, []),
        (401, {"message": "no temperature for you"}, []),
        (400, {"message": "The response was filtered by the content management policy", "param": "temperature"}, []),
        (400, {"message": "Invalid n value (currently only n = 1 is supported)"}, ["n"]),
        (500, {"message": "Only one completion choice is allowed", "type": "server_error"}, ["n"]),
        (403, {"message": "You are not allowed to request logprobs from this model"}, ["logprobs"]),
        (403, {"message": "Your country is not supported"}, []),
        (400, {"message": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'}, ["tools"]),
        (
            400,
            {"message": "Invalid schema: 'additionalProperties' is required", "param": "response_format"},
            ["strict"],
        ),
        (400, {"message": "This response_format type is unavailable now", "param": None}, ["response_format"]),
        (400, "'response_format.type' must be 'json_schema' or 'text'", ["response_format"]),
    ],
)
def test_the_feature_that_is_refused_is_told(status: int, body: Any, features: list[str]) -> None:
    assert refused(status, body) == features


def test_only_what_was_sent_can_have_been_refused() -> None:
    body = {
        "message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        "param": "max_tokens",
    }
    assert refused(400, body, {"max_tokens", "system"}) == ["max_tokens"]
    assert refused(500, body, {"system"}) == []


def test_a_request_that_an_error_repeats_is_no_complaint() -> None:
    body = {"detail": [{"loc": ["body", "n"], "msg": "not permitted", "input": "what temperature do tools have?"}]}
    assert refused(422, body, {"temperature", "tools", "n"}) == ["n"]


def test_all_that_is_refused_at_once_is_left_out_at_once() -> None:
    problems: list[dict[str, Any]] = [
        {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted", "input": given}
        for name, given in (("max_completion_tokens", 2_048), ("logprobs", False))
    ]
    named = ["max_completion_tokens", "logprobs"]
    assert refused(422, {"detail": problems}) == named
    assert refused(422, {"object": "error", "message": {"detail": problems}, "param": None}) == named
    written = str([{**problem, "loc": tuple(problem["loc"])} for problem in problems])
    assert refused(400, {"object": "error", "message": written, "param": None}) == named
    assert not Refusal(ServerError(400, {"message": written}), ALL).is_about_size


def test_a_request_that_is_repeated_in_a_message_is_no_complaint() -> None:
    sent = {"temperature": 0.0, "response_format": {"type": "json_schema"}, "messages": [{"content": "'body', 'n'"}]}
    problem = {"type": "value_error", "loc": ("body",), "msg": "`tool_choice` must be auto", "input": sent, "ctx": {}}
    assert refused(400, {"object": "error", "message": str([problem]), "param": None}) == ["tool_choice"]


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (max_tokens).",
        "max_tokens is too large: 8192. This model supports at most 4096 completion tokens",
        "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        "max_tokens must be at least 1, got -186.",
    ],
)
def test_a_request_that_is_too_large_says_nothing_of_others(message: str) -> None:
    assert Refusal(ServerError(400, {"message": message}), ALL).is_about_size


def test_a_server_may_say_that_the_reply_was_cut_off() -> None:
    message = "Could not finish the message because max_tokens or model output limit was reached. Please try again."
    refusal = Refusal(ServerError(400, {"message": message}), ALL)
    assert refusal.is_cut_off
    assert not refusal.is_about_size


def test_words_of_any_length_are_read_in_no_time() -> None:
    assert refused(400, {"message": "'input': " * 100_000}) == ["response_format"]
