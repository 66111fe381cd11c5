"""The tasks `extract` and `extract_subsentences`: clause by clause, in the words of the text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from ..tasks.claims import ExtractInput, Subsentence, Subsentences, Triplet, Triplets
from .asking import checkable
from .language.clauses import RELATIVE_PRONOUNS, RELATIVES, Clause, read, topic_before
from .language.tables import table
from .language.verbs import AUXILIARIES
from .language.words import ADVERBS, CONJUNCTIONS, NEGATIONS, PREPOSITIONS, Word, is_verb_at, words

MOST_WORDS_OF_ITEM = 4
"""Longer parts between commas are no items of a list, but phrases of their own."""
HELPERS = table("help helps helped to begin began start started continue continues continued")
"""Verbs that another verb follows without a change of subject: `helps reduce`."""
SPEAKER = table("i i'm i've i'll i'd we we're you")
"""Who speaks claims nothing that could be looked up: `I do not know`."""
JOINED = table("between both among either neither")
"""What stands before a list whose items cannot be told apart: `between Paris and Lyon`."""


_APART = "\n\n"
"""Between sentences: a heading ends without a full stop."""


@dataclass(frozen=True)
class ParsedFact:
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
    facts = {fact.content: fact for fact in _parsed_facts(task_input)}
    return Triplets(
        claims=[
            Triplet(subject=fact.subject, predicate=fact.predicate, object=fact.object, sentences=[fact.sentence])
            for fact in facts.values()
        ]
    )


def extract_subsentences(task_input: ExtractInput) -> Subsentences:
    """All clauses as sentences, their subject filled in."""
    facts = {fact.content: fact for fact in _parsed_facts(task_input)}
    return Subsentences(
        claims=[Subsentence(content=f"{content}.", sentences=[fact.sentence]) for content, fact in facts.items()]
    )


def _parsed_facts(task_input: ExtractInput) -> Iterator[ParsedFact]:
    sentences, question = task_input["sentences"], task_input.get("question", "")
    starts = [0]
    for sentence in sentences:
        starts.append(starts[-1] + len(sentence) + len(_APART))
    previous: ParsedFact | None = None
    # Read together, so that a pronoun finds its name in the sentence before.
    for clause in read(_APART.join(sentences), topic_before(question, task_input.get("before", ""))):
        if not _claims(clause, answering=bool(question)):
            continue
        number = sum(start <= clause.span[0] for start in starts[:-1])
        for fact in _facts(clause, number, _subject(clause, previous)):
            previous = fact
            yield fact


def _claims(clause: Clause, *, answering: bool) -> bool:
    """Whether a clause claims anything. As an answer to a question, a bare name or number does."""
    if any(word.lower in SPEAKER for word in clause.words[: clause.verb + 1]):
        return False
    return checkable(clause) or (answering and clause.verb >= len(clause.words) and bool(clause.facts))


def _subject(clause: Clause, previous: ParsedFact | None) -> str:
    """What a clause is about; for `, which ...` behind no name, what the clause before ends with."""
    if previous and clause.words and clause.words[0].lower in RELATIVE_PRONOUNS and clause.subject == previous.subject:
        return previous.object
    return clause.subject or clause.own_subject


def _facts(clause: Clause, sentence: int, subject: str) -> Iterator[ParsedFact]:
    """A clause as one fact; an item of a list, and what a `that` adds, is a fact of its own."""
    clause_words = clause.words
    if clause.cjk or clause.verb >= len(clause_words) or not subject:
        yield ParsedFact(clause.says.rstrip(" 。.!！，,；;"), "", "", sentence)
        return
    cuts = [clause.verb, *_that(clause_words, clause.verb), len(clause_words)]
    opening = _opening(clause)
    for first, last in pairwise(cuts):
        begin = _begin_of_verb(clause) if first == clause.verb else first + 1
        for fact in _predicate(clause.text, clause_words[begin:last], subject, sentence):
            yield replace(fact, object=f"{fact.object} {opening}".strip()) if first == clause.verb else fact


def _begin_of_verb(clause: Clause) -> int:
    """Index of the verb, or of the adverbs and the `not` before it: `never won`, `only visited`."""
    row, begin = clause.words, clause.verb
    while begin > 1 and row[begin - 1].lower in ADVERBS | NEGATIONS and row[begin - 1].text not in clause.own_subject:
        begin -= 1
    return begin


def _opening(clause: Clause) -> str:
    """The phrase before the subject, without which a clause claims more: `In Sweden, smoking is banned`."""
    row = clause.words
    first = 0
    while first < clause.verb and row[first].lower in CONJUNCTIONS | RELATIVES:
        first += 1
    start = row[first].start
    end = clause.text.find(clause.own_subject, start) if clause.own_subject else start
    if end <= start or row[first].lower not in PREPOSITIONS:
        return ""
    phrase = " ".join(clause.text[start:end].strip(" ,").split())
    return phrase[0].lower() + phrase[1:]


def _that(clause_words: list[Word], verb: int) -> list[int]:
    """Where a `that` leads to another verb: `a drug that reduces fever`."""
    return [
        index
        for index in range(verb + 2, len(clause_words) - 2)
        if clause_words[index].lower == "that"
        and is_verb_at(clause_words, index + 1)
        and not is_verb_at(clause_words, index - 1)
    ]


def _predicate(text: str, predicate_words: list[Word], subject: str, sentence: int) -> Iterator[ParsedFact]:
    """What verb and object say of a subject, once for each item of the object."""
    cut = _end_of_verb(predicate_words)
    if cut >= len(predicate_words):
        yield ParsedFact(subject, _between(text, predicate_words), "", sentence)
        return
    predicate = _between(text, predicate_words[:cut])
    listed = not any(word.lower in JOINED for word in predicate_words)
    for item in _items(text, predicate_words[cut:]) if listed else [_between(text, predicate_words[cut:])]:
        yield ParsedFact(subject, predicate, item, sentence)


def _end_of_verb(predicate_words: list[Word]) -> int:
    """Index of the first word after verbs, adverbs and a preposition: `was completed in | 1889`."""
    index = 0
    while index < len(predicate_words) and (
        index == 0
        or predicate_words[index].lower in AUXILIARIES | ADVERBS | HELPERS | {"not"}
        or is_verb_at(predicate_words, index)
        or (predicate_words[index - 1].lower in HELPERS and predicate_words[index].text.islower())  # no name or number
    ):
        index += 1
    if index < len(predicate_words) - 1 and predicate_words[index].lower in PREPOSITIONS:
        index += 1
    return index


def _items(text: str, item_words: list[Word]) -> list[str]:
    """The items of a list of three or more, or of two names; anything else is one item."""
    joined = _between(text, item_words)
    items = [item.strip() for item in re.split(r",\s*(?:and|or)\s+|,\s*|(?<!\s)\s+(?:and|or)\s+", joined)]
    parts = [words(item) for item in items]
    if not re.search(r"\b(?:and|or)\b", joined) or any(not _is_item(part) for part in parts):
        return [joined]
    names = len(parts) == 2 and all(part[0].capital for part in parts)
    return items if len(parts) > 2 or names else [joined]


def _is_item(part: list[Word]) -> bool:
    """Whether words can be an item of a list: a few of them, without a verb, a number or a preposition."""
    return 0 < len(part) <= MOST_WORDS_OF_ITEM and not any(
        is_verb_at(part, index) or word.text[0].isdigit() or word.lower in PREPOSITIONS | CONJUNCTIONS
        for index, word in enumerate(part)
    )


_SIGN = re.compile(r"(?:(?<!\w)[-\u2212+±~≈<>]\s?)?(?:[$£€¥₩]\s?)?$")
_SYMBOL = re.compile(r"(?:\s?[%‰€£$¥₩²³]|\s?°(?:\s?[CFK]\b)?)?")


def _between(text: str, span_words: list[Word]) -> str:
    """The text of some words, with the signs and symbols of their numbers."""
    if not span_words:
        return ""
    start, end = span_words[0].start, span_words[-1].end
    sign, symbol = _SIGN.search(text, max(0, start - 4), start), _SYMBOL.match(text, end)
    start = sign.start() if sign and text[start].isdigit() else start
    end = symbol.end() if symbol and text[end - 1].isdigit() else end
    return " ".join(text[start:end].split())
