"""Whether what the gate said of a text and its evidence is borne out by their words."""

import re
import unicodedata

from ...models.declined import declined
from ...models.rules import agreement as by_rules
from ...models.rules.language.align import asks_whether
from ...models.rules.language.clauses import content
from ...models.tasks.correction import Agreement, AgreementInput
from ...state import Evidence
from ...state.text.amounts import comparable
from ...state.text.segments import language, sentences_of
from ...state.text.values import exclude, same_answer, value
from ..cite import UNTELLING
from ..facts import adds, has_facts, limits, news, says, stands
from ..following import FEWEST_SHARED, Vocabulary, names_of, occurrences, shared, units

MOST_SENTENCES = 2
"""Of an answer. What is longer answers no question: it is a copy of the evidence."""
LONGEST_SAID = 300
"""The most characters that are looked for in the text."""
_SILENT = re.compile(r"\b(?:not|doesn['’]t) (?:mention|say|state|specify|specified|stated|mentioned)\b", re.IGNORECASE)
_ACCENTS = re.compile(r"(?<=[A-Za-z])[\u0300-\u036f]+")
_CHOICE = re.compile(r"\b(?:or|vs|versus|between)\b", re.IGNORECASE)


def earned(said: Agreement, compared: AgreementInput, piece: Evidence) -> Agreement:
    """What was said, with the label that the words of the two sides bear out.

    Rules look as well. They decide little, but when they find a contradiction, there is one. Otherwise two values do
    not agree, and nothing agrees with words that the evidence does not have, or has about something else: a small
    model repeats the text as if the evidence said it.
    """
    if said.label == "neutral":
        return said
    ruled = by_rules(compared)
    if said.label == "contradiction" and (ruled.label == "contradiction" or _is_one(said, compared, piece)):
        return said
    if ruled.label == "contradiction":
        return ruled
    mine, theirs = said.text_says, said.evidence_says
    asked = f"{compared['query']} {compared['text']}"
    told = theirs if content(theirs) - content(" ".join(UNTELLING)) else compared["query"]  # "yes" says what was asked
    if said.label == "entailment" and not exclude(mine, theirs) and says(piece, told, asked):
        return said
    return said.model_copy(update={"label": "neutral"})


def _is_one(said: Agreement, compared: AgreementInput, piece: Evidence) -> bool:
    """Whether a contradiction is one: both sides say something of their own on the query, and not the same.

    A small model also finds them between the same words, with more beside them; between words that the text or the
    evidence does not have; with a copy of the evidence, or of the query, in place of what it says; between amounts of
    different kinds; and with evidence about something else.
    """
    mine, theirs = said.text_says, said.evidence_says
    if len(sentences_of(theirs)) > MOST_SENTENCES or declined(theirs) or _SILENT.search(theirs):
        return False
    if not exclude(mine, theirs) and (
        _are_same(mine, theirs) or adds(theirs, mine) or _is_said_too(theirs, mine, compared["text"])
    ):
        return False
    if _count_others(mine, theirs) or _repeats(compared["query"], theirs) or not _is_about(piece, compared):
        return False
    return _says_itself(mine, compared, piece) and (_is_foreign(piece, compared) or has_facts(theirs, "", [piece]))


def _are_same(mine: str, theirs: str) -> bool:
    """Whether two answers mean the same, with accents or without: Zoe is Zoë. Names that are only alike are two."""
    return same_answer(mine, theirs) or same_answer(_without_accents(mine), _without_accents(theirs))


def _without_accents(said: str) -> str:
    return _ACCENTS.sub("", unicodedata.normalize("NFD", said))


def _is_said_too(theirs: str, mine: str, text: str) -> bool:
    """Whether the text says what the evidence does, of which only a part was held against it."""
    if len(theirs) > LONGEST_SAID:
        return False
    inside = occurrences(units(mine), units(theirs)) and occurrences(units(theirs), units(text))
    return bool(inside) and not limits(theirs, text)


def _count_others(mine: str, theirs: str) -> bool:
    """Whether two answers are amounts of different kinds, so that both may be right."""
    amounts = value(mine).amount, value(theirs).amount
    return amounts[0] is not None and amounts[1] is not None and not comparable(amounts[0], amounts[1])


def _repeats(query: str, theirs: str) -> bool:
    """Whether an answer has only words of the question, which offers none to choose from."""
    is_open = query.rstrip().endswith(("?", "？")) and not asks_whether(query) and not _CHOICE.search(query)
    words = content(theirs)
    return is_open and bool(words) and words <= content(query) and not limits(theirs, query)


def _says_itself(mine: str, compared: AgreementInput, piece: Evidence) -> bool:
    """Whether the numbers that the text is to have said are its own, or the query's, and a word of each name."""
    text = f"{compared.get('question', '')}\n{compared.get('before', '')}\n{compared['text']}"
    facts, _ = news(mine, content(compared["query"]))
    own: Evidence = {**piece, "title": "", "text": text}
    numbers = [fact for fact in facts if any(map(str.isdigit, fact.text))]
    names = [fact for fact in facts if fact.kind == "name" and fact not in numbers]
    return stands(numbers, frozenset(), [own]) and all(fact.stems & content(text) for fact in names)


def _is_foreign(piece: Evidence, compared: AgreementInput) -> bool:
    """Whether evidence is in another language, which has other names."""
    return language(piece["text"]) != language(compared["text"])


def _is_about(piece: Evidence, compared: AgreementInput) -> bool:
    """Whether evidence has a name that is spoken of, or enough words of the text or the query.

    A single name may be what is wrong.
    """
    names = names_of(f"{compared.get('question', '')}\n{compared['text']}\n{compared['query']}")
    told = Vocabulary(f"{piece['title']}\n{piece['text']}")
    if len(names) < 2 or not names.isdisjoint(told.units) or _is_foreign(piece, compared):
        return True
    return any(shared(compared[name], told) >= FEWEST_SHARED for name in ("text", "query"))
