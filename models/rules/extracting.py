"""The tasks `extract` and `extract_subsentences`: clause by clause, in the words of the text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from ..tasks.claims import ExtractInput, Subsentence, Subsentences, Triplet, Triplets
from .asking import checkable
from .language.clauses import RELATIVE_PRONOUNS, Clause, read, topic_before
from .language.tables import table
from .language.verbs import AUXILIARIES
from .language.words import ADVERBS, CONJUNCTIONS, PREPOSITIONS, Word, is_verb_at, words

MOST_WORDS_OF_ITEM = 4
"""Longer parts between commas are no items of a list, but phrases of their own."""
HELPERS = table("help helps helped to begin began start started continue continues continued")
"""Verbs that another verb follows without a change of subject: `helps reduce`."""
SPEAKER = table("i i'm i've i'll i'd we we're you")
"""Who speaks claims nothing that could be looked up: `I do not know`."""
JOINED = table("between both among either neither")
"""What stands before a list whose items cannot be told apart: `between Paris and Lyon`."""


@dataclass(frozen=True)
class Said:
    """One fact of a clause, with the number of its sentence."""

    subject: str
    predicate: str
    object: str
    sentence: int

    @property
    def content(self) -> str:
        """Its parts in one line."""
        return " ".join(filter(None, (self.subject, self.predicate, self.object)))


def extract(task_input: ExtractInput) -> Triplets:
    """The triplets of all clauses. One whose parts cannot be read is kept whole, as what is said of nothing else."""
    found = {said.content: said for said in _said(task_input)}
    return Triplets(
        claims=[
            Triplet(subject=said.subject, predicate=said.predicate, object=said.object, sentences=[said.sentence])
            for said in found.values()
        ]
    )


def extract_subsentences(task_input: ExtractInput) -> Subsentences:
    """All clauses as sentences, their subject filled in."""
    found = {said.content: said for said in _said(task_input)}
    return Subsentences(
        claims=[Subsentence(content=f"{content}.", sentences=[said.sentence]) for content, said in found.items()]
    )


def _said(task_input: ExtractInput) -> Iterator[Said]:
    sentences, question = task_input["sentences"], task_input.get("question", "")
    starts = [0]
    for sentence in sentences:
        starts.append(starts[-1] + len(sentence) + 1)
    before: Said | None = None
    # Read together, so that a pronoun finds its name in the sentence before.
    for clause in read(" ".join(sentences), topic_before(question, task_input.get("before", ""))):
        if not _claims(clause, answering=bool(question)):
            continue
        number = sum(start <= clause.span[0] for start in starts[:-1])
        for said in _facts(clause, number, _subject(clause, before)):
            before = said
            yield said


def _claims(clause: Clause, *, answering: bool) -> bool:
    """Whether a clause claims anything. As an answer to a question, a bare name or number does."""
    if any(word.lower in SPEAKER for word in clause.words[: clause.verb + 1]):
        return False
    return checkable(clause) or (answering and clause.verb >= len(clause.words) and bool(clause.facts))


def _subject(clause: Clause, before: Said | None) -> str:
    """What a clause is about; for `, which ...` behind no name, what the clause before ends with."""
    if before and clause.words and clause.words[0].lower in RELATIVE_PRONOUNS and clause.subject == before.subject:
        return before.object
    return clause.subject or clause.own_subject


def _facts(clause: Clause, sentence: int, subject: str) -> Iterator[Said]:
    """A clause as one fact; an item of a list, and what a `that` adds, is a fact of its own."""
    found = clause.words
    if clause.cjk or clause.verb >= len(found) or not subject:
        yield Said(clause.says.rstrip(" 。.!！，,；;"), "", "", sentence)
        return
    cuts = [clause.verb, *_that(found, clause.verb), len(found)]
    for first, last in pairwise(cuts):
        begin = first if first == clause.verb else first + 1
        yield from _predicate(clause.text, found[begin:last], subject, sentence)


def _that(found: list[Word], verb: int) -> list[int]:
    """Where a `that` leads to another verb: `a drug that reduces fever`."""
    return [
        index
        for index in range(verb + 2, len(found) - 2)
        if found[index].lower == "that" and is_verb_at(found, index + 1) and not is_verb_at(found, index - 1)
    ]


def _predicate(text: str, found: list[Word], subject: str, sentence: int) -> Iterator[Said]:
    """What verb and object say of a subject, once for each item of the object."""
    cut = _end_of_verb(found)
    if cut >= len(found):
        yield Said(subject, _between(text, found), "", sentence)
        return
    predicate = _between(text, found[:cut])
    listed = not any(word.lower in JOINED for word in found)
    for item in _items(text, found[cut:]) if listed else [_between(text, found[cut:])]:
        yield Said(subject, predicate, item, sentence)


def _end_of_verb(found: list[Word]) -> int:
    """Index of the first word after verbs, adverbs and a preposition: `was completed in | 1889`."""
    index = 0
    while index < len(found) and (
        index == 0
        or found[index].lower in AUXILIARIES | ADVERBS | HELPERS | {"not"}
        or is_verb_at(found, index)
        or found[index - 1].lower in HELPERS
    ):
        index += 1
    if index < len(found) - 1 and found[index].lower in PREPOSITIONS:
        index += 1
    return index


def _items(text: str, found: list[Word]) -> list[str]:
    """The items of a list of three or more, or of two names; anything else is one item."""
    whole = _between(text, found)
    items = [item.strip() for item in re.split(r",\s*(?:and|or)\s+|,\s*|(?<!\s)\s+(?:and|or)\s+", whole)]
    parts = [words(item) for item in items]
    if not re.search(r"\b(?:and|or)\b", whole) or any(not _is_item(part) for part in parts):
        return [whole]
    names = len(parts) == 2 and all(part[0].capital for part in parts)
    return items if len(parts) > 2 or names else [whole]


def _is_item(part: list[Word]) -> bool:
    """Whether words can be an item of a list: a few of them, without a verb, a number or a preposition."""
    return 0 < len(part) <= MOST_WORDS_OF_ITEM and not any(
        is_verb_at(part, index) or word.text[0].isdigit() or word.lower in PREPOSITIONS | CONJUNCTIONS
        for index, word in enumerate(part)
    )


def _between(text: str, found: list[Word]) -> str:
    return " ".join(text[found[0].start : found[-1].end].split()) if found else ""
