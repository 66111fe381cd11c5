"""The settings of a run: bounds are kept, typing mistakes are found, and a form can be made of them."""

import copy
import json
import re
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda
from pydantic import BaseModel, ValidationError

from errata.state import Context, operator_fields
from errata.state.errors import ConfigurationError

OFFERED = Context.model_json_schema()["properties"]


def test_the_defaults_are_settings() -> None:
    assert Context.model_validate({}) == Context()
    assert Context.model_validate_json(Context().model_dump_json()) == Context()


@pytest.mark.parametrize(
    "settings",
    [
        {"window": 0},
        {"window": 65},
        {"question_rounds": 0},
        {"pages": 0},
        {"max_edit_share": 0},
        {"max_edit_share": 1.5},
        {"passage_chars": 10},
        {"max_calls": 0},
        {"max_concurrency": 0},
        {"requests_per_second": 0},
        {"timeout": 0},
        {"retries": -1},
        {"repairs": 99},
        {"input_price": -1},
        {"gating": "sometimes"},
        {"backends": {"agreement": "telepathy"}},
        {"backends": {"agreement": 7}},
        {"search": 7},
        {"model": None},
        {"widnow": 4},
    ],
    ids=json.dumps,
)
def test_what_cannot_be_set_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError) as raised:
        Context(**settings)
    assert next(iter(settings)) in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"page": 3}, "there is no setting `page`: did you mean `pages`? `errata settings` lists them"),
        ({"gating": "never"}, "`gating`: input should be 'serial', 'speculative' or 'joint', got 'never'"),
        ({"pages": 99}, "setting `pages`: input should be less than or equal to "),
        ("fast", "settings are a Context or a dict, got 'fast'"),
    ],
)
def test_a_refusal_says_in_one_line_what_is_allowed(settings: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(said)):
        Context.model_validate(settings)


def test_settings_do_not_change_during_a_run() -> None:
    with pytest.raises(ValidationError):
        Context().window = 5


def test_objects_are_accepted_where_names_are() -> None:
    thing = RunnableLambda(lambda x: x)
    context = Context(model=thing, search=thing, backends={"edit": thing})
    assert context.model is context.search is context.backends["edit"] is thing


@pytest.mark.parametrize("name", sorted(Context.model_fields))
def test_a_form_can_say_what_a_setting_is(name: str) -> None:
    assert len(OFFERED[name]["description"]) > 20
    assert OFFERED[name]["description"].endswith((".", ")"))


def test_a_form_can_offer_choices_and_bounds() -> None:
    assert OFFERED["gating"]["enum"] == ["serial", "speculative", "joint"]
    assert OFFERED["gating"]["default"] == "speculative"
    assert (OFFERED["window"]["minimum"], OFFERED["window"]["maximum"]) == (1, 64)
    assert OFFERED["model"]["type"] == "string"
    json.dumps(OFFERED)


def test_who_calls_a_server_names_no_path_and_no_address_of_its_machine() -> None:
    named = {"base_url", "cross_encoder", "sources", "contact", "searxng_url", "allow_private_addresses"}
    assert named <= operator_fields() < set(Context.model_fields)
    assert all(OFFERED[name].get("operator") for name in operator_fields())


@pytest.mark.parametrize("name", ["backends", "instructions"])
def test_a_setting_with_parts_shows_how_it_is_written(name: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        Context.model_validate({name: "hello"})
    said = str(raised.value)
    written = re.search(r"as in (\{.*\}), got 'hello'$", said)
    assert written, said
    assert Context.model_validate({name: json.loads(written[1])})


def test_inside_a_model_of_an_app_a_wrong_setting_is_an_error_like_any_other() -> None:
    class Body(BaseModel):
        settings: Context | str
        number: int

    assert Body.model_validate({"settings": "as usual", "number": 1}).settings == "as usual"
    with pytest.raises(ValidationError) as raised:
        Body.model_validate({"settings": {"rounds": "bad"}, "number": "bad"})
    assert {error["loc"][0] for error in raised.value.errors()} == {"settings", "number"}


def test_a_name_that_is_no_setting_is_shown_in_one_short_line() -> None:
    given: Any = {"a\x1b[31m\nb" + "x" * 10_000: 1}
    with pytest.raises(ConfigurationError) as raised:
        Context(**given)
    assert len(str(raised.value)) < 200
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("name", ["backends", "instructions", "prompts"])
def test_what_a_setting_holds_does_not_change(name: str) -> None:
    given: dict[str, Any] = {"draft": "rules" if name == "backends" else "Answer."}
    settings: dict[str, Any] = {name: given}
    context = Context(**settings)
    held: Any = getattr(context, name)
    with pytest.raises(TypeError, match="settings do not change"):
        held["cot"] = "rules"
    with pytest.raises(TypeError, match="settings do not change"):
        held.update(cot="rules")
    with pytest.raises(TypeError, match="settings do not change"):
        held.pop("draft")
    given["cot"] = "rules"
    assert all(getattr(each, name) == {"draft": given["draft"]} for each in (context, copy.deepcopy(context)))
    with pytest.raises(TypeError, match="settings do not change"):
        Context().backends["draft"] = "rules"  # type: ignore[index]  # which type checkers refuse, too
