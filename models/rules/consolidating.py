"""Consolidating knowledge by rules: what to search for, which names to look up, which statements lead to an answer."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ...state.text import sentences, tokens
from ..tasks.dialogue import Chains, Entities, Searches
from . import facts
from .clauses import QUESTION_WORDS
from .tables import table
from .verbs import AUXILIARIES, is_verb
from .words import CONJUNCTIONS, PREPOSITIONS, PRONOUNS, words

REFERRING = table("it its he him his she her hers they them their theirs this that these those there one ones")
ENOUGH_WORDS = 2
"""A question of fewer words that could be searched for, without a name, goes on from what was said before."""
TOPICS = 3
"""Names that a message which refers back is completed with, at most."""
RELEVANT = 0.5
"""Of the best statement's rank: a statement that ranks lower is dropped."""
_ROLE = re.compile(r"^(?:User|Assistant): ")


def search_queries(task_input: dict[str, Any]) -> Searches:
    """Every question of the message; one that refers back to the dialogue, with the names that it is about."""
    message = task_input["question"]
    parts = [message[start:end] for start, end in sentences(message)] or [message]
    asked = [part for part in parts if part.rstrip().endswith(("?", "？"))] or [message]
    found = []
    for part in asked:
        topic = _topic(message, task_input["history"]) if _refers_back(part) else ""
        found.append(f"{part} {topic}".strip())
    return Searches(queries=found)


def entities(task_input: dict[str, Any]) -> Entities:
    """The names in the passages: first those that the question names too, then those that occur most often."""
    counts = Counter(name for passage in task_input["passages"] for name in names(passage))
    asked = set(names(task_input["question"], typed=True))
    return Entities(names=sorted(counts, key=lambda name: (name not in asked, -counts[name])))


def chain(task_input: dict[str, Any]) -> Chains:
    """The statements that rank best, each followed by what describes a name in it, if that ranks as well."""
    scores, links = task_input["scores"], task_input["links"]
    descriptions = {other for _, other in links}
    order = sorted(range(1, len(scores) + 1), key=lambda number: -scores[number - 1])
    least = RELEVANT * max(scores, default=0.0)
    starts = [number for number in order if scores[number - 1] >= least and number not in descriptions]
    paths: list[list[int]] = []
    for number in (start for start in starts if scores[start - 1] > 0):
        told = [other for one, other in links if one == number and scores[other - 1] >= least]
        paths.append([number, *sorted(told, key=lambda other: -scores[other - 1])[:1]])
    return Chains(paths=paths)


def names(text: str, *, typed: bool = False) -> Iterator[str]:
    """The names in a text, without words that have a capital only because a sentence begins with them.

    typed
        The text is a message: a single word that begins a sentence of it is a name only if it is that of a place.
    """
    for start, end in sentences(text):
        for fact in facts.find(text, start, end):
            begins = fact.start == start and " " not in fact.text
            if fact.kind == "name" and not (begins and (_is_common(fact.text) or (typed and not fact.meant))):
                yield fact.text


def _is_common(name: str) -> bool:
    lower = name.lower()
    return lower in QUESTION_WORDS | AUXILIARIES | PRONOUNS | PREPOSITIONS | CONJUNCTIONS or is_verb(lower)


def _refers_back(part: str) -> bool:
    said = {word.lower for word in words(part)}
    return bool(said & REFERRING) or (len(tokens(part)) <= ENOUGH_WORDS and not list(names(part, typed=True)))


def _topic(message: str, history: str) -> str:
    """What `it` is: the names of the message itself, or of the last turn that has any, or else that turn's words."""
    lines = [_ROLE.sub("", line) for line in history.splitlines()]
    for text in (message, *reversed(lines)):
        if found := list(dict.fromkeys(names(text, typed=True))):
            return " ".join(found[:TOPICS])
    said = [_ROLE.sub("", line) for line in history.splitlines() if line.startswith("User: ")]
    return said[-1] if said else ""
