"""Whether what the gate said of a text and its evidence is borne out by their words."""

from ...models.rules import agreement as by_rules
from ...models.rules.language.align import asks_whether
from ...models.rules.language.clauses import content
from ...models.tasks.correction import Agreement, AgreementInput
from ...state import Evidence
from ...state.text.segments import language, sentences_of
from ...state.text.values import exclude, same_answer
from ..facts import adds, has_facts, limits, says
from ..following import FEWEST_SHARED, Vocabulary, names_of, occurrences, shared, units

LONGEST_SAID = 2
"""In sentences. What is longer answers no question: it is a copy of the evidence."""


def earned(said: Agreement, compared: AgreementInput, piece: Evidence) -> Agreement:
    """What was said, with the label that the words of the two sides bear out.

    Rules look as well. They decide little, but when they find a contradiction, there is one. Otherwise two values do
    not agree, and nothing agrees with words that the evidence does not have, or has about something else: a small
    model repeats the text as if the evidence said it.
    """
    ruled = by_rules(compared)
    if said.label == "contradiction" and (ruled.label == "contradiction" or _is_one(said, compared, piece)):
        return said
    if ruled.label == "contradiction":
        return ruled
    mine, theirs = said.text_says, said.evidence_says
    asked = f"{compared['query']} {compared['text']}"
    if said.label == "entailment" and not exclude(mine, theirs) and says(piece, theirs, asked):
        return said
    return said.model_copy(update={"label": "neutral"})


def _is_one(said: Agreement, compared: AgreementInput, piece: Evidence) -> bool:
    """Whether a contradiction is one: both sides say something of their own on the query, and not the same.

    A small model also finds them between the same words, with more or less beside them; between the evidence and words
    that the text does not have; with a copy of the evidence, or of the query, in place of what it says; and with
    evidence about something else.
    """
    mine, theirs, text = said.text_says, said.evidence_says, compared["text"]
    if same_answer(mine, theirs) or adds(theirs, mine) or adds(mine, theirs) or _is_said_too(theirs, mine, text):
        return False
    if len(sentences_of(theirs)) > LONGEST_SAID or _repeats(compared["query"], theirs):
        return False
    return _says_itself(mine, compared, piece) and _is_about(piece, compared)


def _is_said_too(theirs: str, mine: str, text: str) -> bool:
    """Whether the text says what the evidence does, of which only a part was held against it."""
    inside = occurrences(units(mine), units(theirs)) and occurrences(units(theirs), units(text))
    return bool(inside) and not limits(theirs, text)


def _repeats(query: str, theirs: str) -> bool:
    """Whether an answer has only words of the question, which offers none to choose from."""
    words = content(theirs)
    return bool(words) and words <= content(query) and not asks_whether(query) and " or " not in query


def _says_itself(mine: str, compared: AgreementInput, piece: Evidence) -> bool:
    """Whether the names and numbers that the text is to have said are its own, or those of the query."""
    text = f"{compared.get('before', '')}\n{compared['text']}"
    own: Evidence = {**piece, "title": compared.get("question", ""), "text": text}
    return has_facts(mine, compared["query"], [own])


def _is_about(piece: Evidence, compared: AgreementInput) -> bool:
    """Whether evidence has one of the names that are spoken of, or enough of the words.

    A single name may be what is wrong, and another language has other names.
    """
    spoken = f"{compared.get('question', '')}\n{compared['text']}\n{compared['query']}"
    names, told = names_of(spoken), Vocabulary(f"{piece['title']}\n{piece['text']}")
    if len(names) < 2 or not names.isdisjoint(told.units) or language(piece["text"]) != language(spoken):
        return True
    return shared(compared["text"], told) >= FEWEST_SHARED
