"""Rules write no questions: a sentence is its own query."""

from errata.models.rules import queries


def test_each_sentence_is_its_own_query_once() -> None:
    text = "The Eiffel Tower opened in 1889.\nIt stands in\nParis. The Eiffel Tower opened in 1889!  …"
    assert queries({"text": text}).queries == ["The Eiffel Tower opened in 1889.", "It stands in Paris."]


def test_where_nothing_is_said_nothing_is_looked_up() -> None:
    assert queries({"text": "… — !"}).queries == []
