"""What a state keeps of the settings of a run, and what it never holds."""

import json
from typing import Any

import pytest

from errata.state import Context, operator_fields
from errata.state.errors import ConfigurationError
from errata.state.runs.kept import kept, restored

from ...fakes import FakeChatModel, FakeSearch, Scripted, equal_rank

PLAIN: dict[str, Any] = {
    "review": True,
    "max_calls": 7,
    "rounds": 2,
    "backends": {"agreement": "rules"},
    "sources": "handbook",
}


def objects() -> dict[str, Any]:
    backends = {"agreement": "rules", "edit": Scripted("")}
    return {"model": FakeChatModel(replies=[""]), "search": FakeSearch(), "backends": backends, "review": True}


def test_settings_come_back_as_they_were() -> None:
    context = Context(**PLAIN)
    record = json.loads(json.dumps(kept(context)))
    assert restored(record, Context()) == context


def test_a_resume_changes_nothing() -> None:
    record = kept(Context(**PLAIN))
    assert restored(record, Context(review=False, max_calls=1000, python="cpython")) == Context(**PLAIN)
    assert restored(kept(Context()), Context(review=True)) == Context()


def test_objects_are_not_kept_and_are_taken_from_who_resumes() -> None:
    context = Context(**objects())
    record = json.loads(json.dumps(kept(context)))
    assert record["missing"] == {"model": "a FakeChatModel", "search": "a FakeSearch", "backends.edit": "a Scripted"}
    again = restored(record, context.model_copy(update={"review": False}))
    assert (again.model, again.search, again.backends) == (context.model, context.search, context.backends)
    assert again.review


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"model": "embedded"}, "`model`"),
        ({"search": "local"}, "`search`"),
        ({"backends": {}}, "`backends.edit`"),
        ({"backends": {"edit": equal_rank}}, "`backends.edit`"),
    ],
)
def test_another_model_or_search_is_refused(change: dict[str, Any], named: str) -> None:
    given = objects()
    record = kept(Context(**given))
    with pytest.raises(ConfigurationError, match=rf"this run began with {named} set to a \w+, .* pass it again"):
        restored(record, Context(**given).model_copy(update=change))


def test_what_is_a_server_s_own_stays_there() -> None:
    context = Context(sources="/srv/handbook", allow_cpython=True, pages=3)
    record = kept(context, private=operator_fields())
    assert "/srv" not in json.dumps(record)
    assert restored(record, Context(sources="/srv/handbook")) == context
    with pytest.raises(ConfigurationError, match="`sources` set to a value of the server's own"):
        restored(record, Context())


@pytest.mark.parametrize("field", ["base_url", "searxng_url"])
@pytest.mark.parametrize("address", ["https://me:hunter2@host/v1", "http://hunter2@[::1", "https://host?key=hunter2"])
def test_a_secret_never_lands_in_a_state(field: str, address: str) -> None:
    context = Context.model_validate({field: address})
    record = kept(context)
    assert "hunter2" not in json.dumps(record)
    assert restored(record, context) == context
    with pytest.raises(ConfigurationError, match=f"`{field}` set to an address with a secret"):
        restored(record, Context())
