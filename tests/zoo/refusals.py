"""How servers say no: the status and body that each was reported to answer with."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.stub import Reply

from .reading import Body, text

Refuse = Callable[[Body], Reply | None]


def unsupported(name: str, instead: str = "") -> Refuse:
    """OpenAI's reasoning models: the parameter is named in the message and in `param`."""
    message = f"Unsupported parameter: '{name}' is not supported with this model. {instead}".strip()
    return lambda body: _openai(message, name, "unsupported_parameter") if name in body else None


def unrecognized(name: str) -> Refuse:
    """OpenAI-compatible servers that do not know a parameter: named in the message alone."""
    return lambda body: _openai(f"Unrecognized request argument supplied: {name}", None) if name in body else None


def other_temperature(body: Body) -> Reply | None:
    """gpt-5: any temperature but 1."""
    given = body.get("temperature")
    if given in (None, 1):
        return None
    only = "Only the default (1) value is supported."
    message = f"Unsupported value: 'temperature' does not support {given} with this model. {only}"
    return _openai(message, "temperature", "unsupported_value")


def temperature_of_o_series(body: Body) -> Reply | None:
    """o-series: any temperature at all."""
    return unsupported("temperature")(body)


def forbidden_logprobs(body: Body) -> Reply | None:
    """o4-mini: status 403, and no field that names the parameter."""
    if not body.get("logprobs"):
        return None
    return _openai("You are not allowed to request logprobs from this model", None, status=403)


def nothing_but_thoughts(body: Body) -> Reply | None:
    """o-series and gpt-5, at times, instead of an empty reply that was cut off."""
    message = (
        "Could not finish the message because max_tokens or model output limit was reached. "
        "Please try again with higher max_tokens."
    )
    return _openai(message, None)


def lax_schema(body: Body) -> Reply | None:
    """OpenAI: a strict schema must close its objects and require all of their properties."""
    wanted = body.get("response_format") or {}
    schema = wanted.get("json_schema", {})
    if not schema.get("strict"):
        return None
    for place, part in _objects(schema["schema"]):
        required = set(part.get("required", ()))
        missing = [name for name in part.get("properties", {}) if name not in required]
        problem = ""
        if part.get("additionalProperties") is not False:
            problem = "'additionalProperties' is required to be supplied and to be false."
        elif missing:
            problem = (
                "'required' is required to be supplied and to be an array including every key in properties. "
                f"Missing '{missing[0]}'."
            )
        if problem:
            message = f"Invalid schema for response_format '{schema['name']}': In context={place}, {problem}"
            return _openai(message, "response_format")
    return None


def json_without_the_word(body: Body) -> Reply | None:
    """OpenAI and those that follow it: the messages must hold the word."""
    if (body.get("response_format") or {}).get("type") != "json_object":
        return None
    if any("json" in text(message).lower() for message in body["messages"]):
        return None
    message = "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
    return _openai(message, "messages")


def deepseek_schema(body: Body) -> Reply | None:
    """DeepSeek: schemas, with no field that names the parameter."""
    if (body.get("response_format") or {}).get("type") != "json_schema":
        return None
    return _openai("This response_format type is unavailable now", None, "invalid_request_error")


def deepseek_format(body: Body) -> Reply | None:
    """DeepSeek's reasoner: any structured output."""
    if (body.get("response_format") or {}).get("type", "text") == "text":
        return None
    return _openai("This response_format type is unavailable now", None, "invalid_request_error")


def deepseek_tools(body: Body) -> Reply | None:
    if not body.get("tools"):
        return None
    return _openai("deepseek-reasoner does not support Function Calling", None, "invalid_request_error")


def deepseek_logprobs(body: Body) -> Reply | None:
    """Its manual says that they are an error, and not in which words."""
    if not body.get("logprobs"):
        return None
    return _openai("deepseek-reasoner does not support logprobs", None, "invalid_request_error")


def deepseek_cap(body: Body) -> Reply | None:
    """A cap is called max_tokens, whatever name it was sent under."""
    if (body.get("max_completion_tokens") or body.get("max_tokens") or 1) <= 8_192:
        return None
    message = "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"
    return _openai(message, None, "invalid_request_error")


def deepseek_n(body: Body) -> Reply | None:
    if body.get("n", 1) == 1:
        return None
    message = "Invalid n value (currently only n = 1 is supported)"
    return _openai(message, None, "invalid_request_error")


def system_role(body: Body) -> Reply | None:
    """Gemma's chat template, through vLLM."""
    roles = [message["role"] for message in body["messages"]]
    return _vllm("System role not supported") if "system" in roles else None


def roles_that_do_not_alternate(body: Body) -> Reply | None:
    """The same template."""
    roles = [message["role"] for message in body["messages"]]
    if all(role == ("user", "assistant")[place % 2] for place, role in enumerate(roles)):
        return None
    return _vllm("Conversation roles must alternate user/assistant/user/assistant/...")


def vllm_tools(body: Body) -> Reply | None:
    """vLLM started without a parser for calls."""
    if not body.get("tools") or body.get("tool_choice") == "none":
        return None
    return _vllm('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')


def vllm_required_tool(body: Body) -> Reply | None:
    """An earlier vLLM, whose validation repeats all of the request, other parameters included."""
    if body.get("tool_choice") != "required":
        return None
    problem = {
        "type": "value_error",
        "loc": ("body",),
        "msg": 'Value error, `tool_choice` must either be a named tool, "auto", or "none".',
        "input": dict(body),
        "ctx": {"error": "ValueError()"},
    }
    return _vllm(str([problem]))


def past_the_context(limit: int) -> Refuse:
    """vLLM: request and cap together are longer than the model's context."""

    def refuse(body: Body) -> Reply | None:
        cap = body.get("max_completion_tokens") or body.get("max_tokens") or 0
        read = tokens("".join(text(message) for message in body["messages"]))
        if read + cap <= limit:
            return None
        return _vllm(
            f"This model's maximum context length is {limit} tokens. However, you requested {read + cap} tokens "
            f"({read} in the messages, {cap} in the completion). Please reduce the length of the messages or "
            "completion."
        )

    return refuse


def old_vllm_extra(*names: str) -> Refuse:
    """What pydantic says of unknown fields, written as Python into a message."""

    def refuse(body: Body) -> Reply | None:
        problems = [_extra(("body", name), body[name]) for name in names if name in body]
        return _vllm(str(problems)) if problems else None

    return refuse


def llama_cpp_tools(body: Body) -> Reply | None:
    """llama.cpp without --jinja: what it cannot do is an error of the server."""
    given = next((name for name in ("tools", "tool_choice") if body.get(name)), None)
    return _llama_cpp(f"{given} param requires --jinja flag") if given else None


def llama_cpp_n(body: Body) -> Reply | None:
    return _llama_cpp("Only one completion choice is allowed") if body.get("n", 1) != 1 else None


def lm_studio_format(body: Body) -> Reply | None:
    if (body.get("response_format") or {}).get("type", "text") in ("text", "json_schema"):
        return None
    return _reply(400, {"error": "'response_format.type' must be 'json_schema' or 'text'"})


def lm_studio_tool_choice(body: Body) -> Reply | None:
    if not isinstance(body.get("tool_choice", ""), dict):
        return None
    return _reply(400, {"error": "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"})


def ollama_tools(body: Body) -> Reply | None:
    if not body.get("tools"):
        return None
    message = f"registry.ollama.ai/library/{body['model']} does not support tools"
    return _reply(400, {"error": {"message": message, "type": "api_error", "param": None, "code": None}})


def extra(*names: str) -> Refuse:
    """Mistral: what pydantic says of fields that it does not know, all of them at once."""

    def refuse(body: Body) -> Reply | None:
        problems = [_extra(["body", name], body[name]) for name in names if name in body]
        error = {"object": "error", "message": {"detail": problems}, "type": "invalid_request_error", "param": None}
        return _reply(422, {**error, "code": None}) if problems else None

    return refuse


def tokens(words: str) -> int:
    """About how many tokens a text has."""
    return len(words) // 4 + 1


def _extra(place: Sequence[str], given: Any) -> dict[str, Any]:
    return {"type": "extra_forbidden", "loc": place, "msg": "Extra inputs are not permitted", "input": given}


def _objects(
    schema: Mapping[str, Any], place: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    if schema.get("type") == "object":
        yield place, schema
    for key in ("properties", "$defs"):
        for name, part in schema.get(key, {}).items():
            yield from _objects(part, (*place, key, name))
    if isinstance(items := schema.get("items"), dict):
        yield from _objects(items, (*place, "items"))


def _openai(message: str, param: str | None, code: str | None = None, status: int = 400) -> Reply:
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return _reply(status, {"error": error})


def _vllm(message: str) -> Reply:
    return _reply(400, {"object": "error", "message": message, "type": "BadRequestError", "param": None, "code": 400})


def _llama_cpp(message: str) -> Reply:
    return _reply(500, {"error": {"code": 500, "message": message, "type": "server_error"}})


def _reply(status: int, body: Mapping[str, Any]) -> Reply:
    return Reply(status=status, body=json.dumps(body).encode())
