"""What a request may set in a server, what the environment sets there, and whose context a graph reads."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel

from errata.state import Context, operator_fields
from errata.state.errors import ConfigurationError
from errata.state.runs.given import of_caller, schema
from errata.state.runs.hosts import (
    ALLOWING,
    CEILINGS,
    SHIPPED,
    ceilings,
    from_environment,
    guarded,
    of_request,
    trusted,
)

OPERATORS: dict[str, Any] = {
    "base_url": "http://127.0.0.1:9/v1",
    "send_key": False,
    "cross_encoder": "/srv/model",
    "nli": "/srv/model",
    "nli_labels": "neutral,entailment",
    "editor_model": "/srv/model",
    "question_model": "/srv/model",
    "policy_file": "/srv/policy.json",
    "log": "/srv/log.jsonl",
    "prompts": "/srv/prompts",
    "keep_replies": True,
    "sources": "/etc",
    "contact": "me@example.org",
    "searxng_url": "http://127.0.0.1:9",
    "allow_private_addresses": True,
    "allow_cpython": True,
    "input_price": 0.25,
    "output_price": 2.0,
}


Given: Any = schema("one_method", {"model", "pages", "max_calls"})


@pytest.fixture(autouse=True)
def _no_settings_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*Context.model_fields, "allow_request_settings", "ceilings"]:
        monkeypatch.delenv(f"ERRATA_{name.upper()}", raising=False)


def chosen(context: Context) -> dict[str, Any]:
    """The settings that are not the default, but for the bounds of a server."""
    bounds = {name for name, most in SHIPPED.items() if getattr(context, name) == most}
    return {name: value for name, value in context if value != getattr(Context(), name) and name not in bounds}


def hosted(given: Any) -> Context:
    return of_caller(given, hosted=True)


def here(given: Any) -> Context:
    return of_caller(given, hosted=False)


def test_every_operator_setting_is_tried_here() -> None:
    assert OPERATORS.keys() == operator_fields()


@pytest.mark.parametrize("name", OPERATORS)
def test_a_request_sets_none_of_the_operator_s(name: str) -> None:
    given = {name: OPERATORS[name]}
    refusals: list[Callable[[], Context]] = [
        lambda: of_request(given, Context()),
        lambda: hosted(given),
        lambda: hosted(Context(**given)),
        lambda: hosted({"errata": given, "user": "me"}),
        lambda: hosted(App(errata=Context(**given))),
    ]
    for refuse in refusals:
        with pytest.raises(ConfigurationError, match=f"may not set `{name}`.*ERRATA_{name.upper()}"):
            refuse()


@pytest.mark.parametrize("name", OPERATORS)
def test_the_operator_may_let_requests_set_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ALLOWING, f"gating, {name}")
    assert getattr(hosted({name: OPERATORS[name]}), name) == OPERATORS[name]
    with pytest.raises(ConfigurationError, match="may not set"):
        hosted({**OPERATORS})


def test_an_allowance_for_something_that_is_no_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ALLOWING, "source")
    with pytest.raises(ConfigurationError, match="no setting `source`"):
        hosted({})


@pytest.mark.parametrize("name", OPERATORS)
def test_a_form_may_send_what_nobody_touched(name: str) -> None:
    untouched = {name: Context.model_fields[name].default}
    theirs = Context(**OPERATORS)
    assert chosen(of_request(untouched, theirs)) == chosen(of_request({name: OPERATORS[name]}, theirs)) == OPERATORS


def test_the_key_stays_away_from_an_address_of_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ALLOWING, "base_url,send_key")
    assert not of_request({"base_url": "http://127.0.0.1:9", "send_key": True}, Context()).send_key
    assert of_request({"pages": 3}, Context(base_url="http://127.0.0.1:9")).send_key


@pytest.mark.parametrize(
    "model",
    [
        "http://evil.example/v1",
        "openai:http://evil.example/v1",
        "litellm:huggingface/https://evil.example",
        "litellm:huggingface/https:evil.example",
        "ollama:llama3@//evil.example",
        "openai:../../etc/passwd",
        "vllm:/srv/models/x",
        "huggingface:someone/model",
        "HuggingFace:someone/model",
        "openai:gpt\nhost",
        "ollama:~/model",
        "ollama:\\\\evil\\share",
        "embedded:/srv/models/x.gguf",
        "embedded:models/x.gguf",
        "Embedded:x.gguf",
        "embedded:qwen3-4b-instruct-2507",
    ],
)
def test_a_request_s_model_is_a_name(model: str) -> None:
    with pytest.raises(ConfigurationError, match="without address or path"):
        hosted({"model": model})


@pytest.mark.parametrize(
    "model",
    [
        "embedded",
        "openai:gpt-5-mini",
        "openai:ft:gpt-4o-mini:acme::a1B2",
        "anthropic:claude-x@20260101",
        "fireworks:accounts/fireworks/models/llama-v3p1-8b",
        "ollama:qwen3:0.6b",
        "bedrock:arn:aws:bedrock:eu-west-1:1234:inference-profile/eu.model-v1:0",
    ],
)
def test_names_of_models_pass(model: str) -> None:
    assert hosted({"model": model}).model == model


def test_the_server_s_own_model_passes_whatever_it_is() -> None:
    for model in ("huggingface:/srv/model", "embedded:/srv/model.gguf"):
        own = Context(model=model)
        assert of_request({"model": model}, own).model == own.model


def test_makes_of_a_request_add_to_the_server_s() -> None:
    backends = of_request({"backends": {"edit": "chat"}}, Context(backends={"agreement": "rules"})).backends
    assert backends == {"agreement": "rules", "edit": "chat"}


def test_a_request_s_instructions_come_on_top_of_the_operator_s() -> None:
    found = of_request({"instructions": {"edit": "Mine."}}, Context(instructions={"edit": "x", "draft": "Ours."}))
    assert found.instructions == {"edit": "Mine.", "draft": "Ours."}


def test_a_server_is_set_by_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"SOURCES": "/srv/handbook", "PAGES": "3", "ALLOW_CPYTHON": "true", "BACKENDS": '{"agreement": "rules"}'}
    for name, value in values.items():
        monkeypatch.setenv(f"ERRATA_{name}", value)
    read = {"sources": "/srv/handbook", "pages": 3, "allow_cpython": True, "backends": {"agreement": "rules"}}
    assert from_environment() == read
    assert chosen(hosted({"window": 2})) == {**read, "window": 2}
    assert chosen(hosted(None)) == read
    assert here({"window": 2}) == Context(window=2), "a program is set by whoever wrote it"


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("PAGES", "99", "setting `pages`: .*less than or equal to 20"),
        ("BACKENDS", "chat", "ERRATA_BACKENDS is not JSON"),
    ],
)
def test_a_bad_environment_is_named(name: str, value: str, complaint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"ERRATA_{name}", value)
    with pytest.raises(ConfigurationError, match=complaint):
        hosted({})


def test_what_the_server_s_own_code_trusts_is_taken_as_it_is() -> None:
    assert dict(hosted(trusted(Context(**OPERATORS)))) == dict(Context(**OPERATORS))


@dataclass
class User:
    name: str = "me"
    model: str = "their own"


@dataclass
class App:
    errata: Any = field(default_factory=dict)
    model: str = "their own"


class Model(BaseModel):
    user: str = "me"
    errata: Context = Context(pages=3)


@pytest.mark.parametrize("given", [None, {}, User(), {"user": "me"}, {"user": "me", "model": "x"}, App(), 5, "text"])
def test_a_context_of_somebody_else_s_means_the_defaults(given: Any) -> None:
    assert here(given) == Context()
    assert not chosen(hosted(given))


@pytest.mark.parametrize(
    "given", [{"errata": {"pages": 3}, "user": "me"}, App({"pages": 3}), App(Context(pages=3)), Model(), {"pages": 3}]
)
def test_what_it_has_for_errata_is_ours(given: Any) -> None:
    assert here(given) == Context(pages=3)
    assert chosen(hosted(given)) == {"pages": 3}


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"pages": 99}, "`pages`: input should be less than or equal to 20, got 99"),
        ({"errata": {"pages": 99}}, "`pages`"),
        ({"errata": {"page": 3, "pages": 3}}, "there is no setting `page`"),
        (App(errata={"page": 3}), "there is no setting `page`"),
        (App(errata="fast"), "`errata` of the context is a str"),
    ],
)
def test_settings_that_are_meant_for_us_have_to_be_right(given: Any, complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        here(given)


def test_what_is_written_into_the_state_of_a_run_changes_none_of_the_operator_s(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = Context(sources="/srv/handbook")
    found = guarded(Context(**OPERATORS, pages=3), given)
    assert {name: getattr(found, name) for name in OPERATORS} == {name: getattr(given, name) for name in OPERATORS}
    assert found.pages == 3
    with pytest.raises(ConfigurationError, match="may not use the model"):
        guarded(Context(model="huggingface:/etc"), given)
    monkeypatch.setenv(ALLOWING, "base_url")
    found = guarded(Context(base_url="http://127.0.0.1:9"), given)
    assert (found.base_url, found.send_key) == ("http://127.0.0.1:9", False)


@pytest.mark.parametrize(
    "given", [{}, {"user": "me"}, {"errata": {}}, {"errata": Context()}, {"errata": {}, "user": 1}]
)
def test_a_dict_that_a_graph_is_called_with_may_be_somebody_else_s(given: dict[str, Any]) -> None:
    assert here(Given(**given)).model_dump() == Context().model_dump()


def test_a_dict_that_a_graph_is_called_with_may_hold_ours() -> None:
    for given in ({"pages": 3}, {"errata": {"pages": 3}, "user": "me"}, {"errata": Context(pages=3)}):
        assert here(Given(**given)).pages == 3


@pytest.mark.parametrize(
    "given", [{"page": 3}, {"pages": 3, "user": "me"}, {"max_cals": 3}, {"errata": {"page": 3}}, {"errata": "fast"}]
)
def test_a_dict_with_a_mistake_in_it_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=r"page|user|max_cals|dict"):
        Given(**given)


def test_a_setting_that_a_method_does_not_read_is_refused_by_name() -> None:
    for given in ({"window": 3}, {"window": 3, "pages": 3}, {"errata": {"window": 3}}):
        with pytest.raises(
            ConfigurationError, match="`one_method` does not read the setting `window`: `errata settings one_method`"
        ):
            Given(**given)


def test_the_whole_context_serves_every_method() -> None:
    whole = Context(window=3, pages=3)
    assert here(whole) == whole
    assert here(Given(errata=whole)) == Context(pages=3)


def test_a_server_bounds_what_requests_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    bounded = hosted({})
    assert (bounded.max_calls, bounded.deadline, bounded.max_chars) == (500, 600, 200_000)
    assert (bounded.rounds, bounded.max_output_tokens) == (None, None), "which follow the paper, and the model"
    assert here({}).max_calls is None
    monkeypatch.setenv(CEILINGS, "rounds = 2, pages=4")
    assert (hosted({}).rounds, hosted({}).pages) == (2, 4)


@pytest.mark.parametrize("name", [name for name, most in SHIPPED.items() if most])
def test_no_request_goes_beyond_what_ships(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    most = SHIPPED[name] or 0
    assert getattr(Context(), name) is None or getattr(Context(), name) <= most
    assert getattr(of_request({name: most}, Context()), name) == most
    said = f"`{name}`: (this server allows at most {most:g}|.*less than)"
    with pytest.raises(ConfigurationError, match=said):
        of_request({name: most + 1}, Context())
    with pytest.raises(ConfigurationError, match=said):
        hosted({name: most + 1})


@pytest.mark.parametrize(
    ("own", "named", "most"),
    [({}, "", 500), ({"max_calls": 50}, "", 50), ({"max_calls": 50}, "max_calls=80", 80), ({}, "max_calls=900", 900)],
)
def test_what_the_operator_sets_is_the_ceiling_unless_another_is_named(
    own: dict[str, Any], named: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CEILINGS, named)
    theirs = Context(**own)
    assert ceilings(theirs)["max_calls"] == most
    assert of_request({"max_calls": most}, theirs).max_calls == most
    assert of_request({}, theirs).max_calls == own.get("max_calls", most)
    assert of_request({"max_calls": None}, theirs).max_calls == own.get("max_calls", most)
    with pytest.raises(ConfigurationError, match=f"`max_calls`: this server allows at most {most}, got {most + 1}"):
        of_request({"max_calls": most + 1}, theirs)


@pytest.mark.parametrize(
    ("named", "complaint"),
    [
        ("colour=3", "no ceiling for `colour`"),
        ("rounds", "in ERRATA_CEILINGS, setting `rounds`"),
        ("rounds=x", "`rounds`"),
    ],
)
def test_a_ceiling_that_is_none_is_named(named: str, complaint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CEILINGS, named)
    with pytest.raises(ConfigurationError, match=complaint):
        hosted({})


def test_what_is_written_into_the_state_of_a_run_raises_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_MAX_CALLS", "50")
    assert guarded(Context(max_calls=40, timeout=9), hosted({})).max_calls == 40
    forged = guarded(Context(max_calls=999, timeout=3000, rounds=20), hosted({}))
    assert (forged.max_calls, forged.timeout, forged.rounds) == (50, 300, 10)
    own = trusted(Context(max_calls=999))
    assert guarded(Context(max_calls=5_000), own).max_calls == 999
    assert guarded(Context(max_calls=999), own).deadline is None
