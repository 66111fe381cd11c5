"""Sentences that are turned round, or that say more than their source with the same words."""

import pytest

from benchmarks.relations import SETS, Relation, relations
from errata.models.rules.agreeing import judge

EVERY = [(name, each) for name in SETS for each in relations(name)]
PARAPHRASED = [each for _, each in EVERY if each.true]
MOST_MISSED = 0.2


def label(text: str, source: str) -> str:
    return judge(text, text, source).label


@pytest.mark.parametrize("each", [each for _, each in EVERY], ids=lambda each: each.false)
def test_none_is_called_supported(each: Relation) -> None:
    assert label(each.false, each.source) != "entailment"


@pytest.mark.parametrize("each", PARAPHRASED, ids=lambda each: each.true)
def test_the_same_in_other_words_is_no_contradiction(each: Relation) -> None:
    assert label(each.true, each.source) != "contradiction"
    assert label(each.source, each.source) != "contradiction"


@pytest.mark.parametrize("name", ["first", "later"])
def test_most_turned_sentences_are_seen(name: str) -> None:
    missed = [each.false for each in relations(name) if label(each.false, each.source) != "contradiction"]
    assert len(missed) <= MOST_MISSED * len(relations(name))
