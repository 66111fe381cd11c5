"""What a server refuses is left out from then on, and asked for in another way."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from errata.models.providers.habits import Habits, folded, strict_schema
from errata.models.tasks.claims import Judgements
from errata.models.tasks.correction import Agreement
from errata.models.tasks.critic import Conclusion


def test_objects_are_asked_for_in_one_form_after_the_other_whoever_finds_out() -> None:
    habits = Habits()
    habits.refuse("response_format", "schema")
    habits.refuse("response_format", "schema")  # of another request, sent at the same time
    after_schema: str = habits.form
    habits.refuse("response_format", "object")
    assert (after_schema, habits.form) == ("object", "text")


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
