"""Putting a clause's words into the order of a question."""

import re

from .clauses import Clause
from .tables import table
from .verbs import AUXILIARIES, base_form, is_past
from .words import ADVERBS, ARTICLES, HEDGES, PREPOSITIONS, PRONOUNS, Word

HAVE = {"has": "have", "had": "have", "have": "have"}
LOWER_IN_QUESTIONS = ARTICLES | PRONOUNS | PREPOSITIONS | HEDGES | table("construction work each every all many both")


def subject_of(clause: Clause) -> str:
    """The subject as it reads inside a question."""
    first, space, rest = clause.subject.partition(" ")
    return (first.lower() if first.lower() in LOWER_IN_QUESTIONS else first) + space + rest


def verb_words(clause: Clause) -> list[Word]:
    """The verb with its helpers and adverbs: `was first performed`."""
    verbs = clause.words[clause.verb : clause.verb + 1]
    if not verbs or verbs[0].lower not in AUXILIARIES:
        return verbs
    for word in clause.words[clause.verb + 1 : clause.verb + 4]:
        if word.lower not in AUXILIARIES and word.lower not in ADVERBS and not is_past(word.lower):
            break
        verbs.append(word)
    while len(verbs) > 1 and verbs[-1].lower in ADVERBS:
        verbs.pop()
    return verbs


def ask(clause: Clause, question_word: str) -> str:
    """Question word, helping verb, subject, verb: `When was the tower completed?`, and so on.

    Empty where too little is left of the clause to ask anything: `When was Marie Curie?`
    """
    verbs = verb_words(clause)
    if not verbs or not clause.subject:
        return ""
    first, rest = verbs[0].lower, verbs[1:]
    last = _what_happened(clause, verbs[-1]) if question_word == "When" else object_of(clause, verbs[-1])
    if question_word == "When" and not last and verbs[-1].lower in EMPTY_VERBS:
        return ""
    if _is_left_passive(clause):  # `and developed by a team`
        middle = ["was", subject_of(clause), first]
    elif first in AUXILIARIES and (rest or first not in HAVE):
        middle = [first, subject_of(clause), *(word.text for word in rest)]
    else:
        middle = [helper(first), subject_of(clause), HAVE.get(first) or base_form(first)]
    return " ".join(filter(None, [question_word, *middle, last])) + "?"


def _is_left_passive(clause: Clause) -> bool:
    """Whether a clause is a passive whose `was` stands in the clause before."""
    after = [word.lower for word in clause.words[clause.verb + 1 : clause.verb + 3]]
    return is_past(clause.words[clause.verb].lower) and "by" in after and not clause.own_subject


EMPTY_VERBS = table("is are was were has have had did does do made make took take became become gave give won lost")
"""Verbs that ask nothing by themselves."""
LEADING_ON = table("of on to with against into as over for")
"""Prepositions of what belongs to a verb: `declare war on Germany`, but not `in 1917` or `at Runnymede`."""


def _what_happened(clause: Clause, verb: Word) -> str:
    """All that follows the verb up to its date, without where it was: `declare war on Germany`, `have 51 members`."""
    dates = [fact.start for fact in clause.facts if fact.start >= verb.end and fact.kind == "date"]
    phrase = re.split(r"[,;:()]", clause.text[verb.end : min([*dates, clause.span[1]])])[0].strip(" .!")
    phrase_words: list[str] = []
    for word in phrase.split():
        if word.lower() in PREPOSITIONS - LEADING_ON:
            break
        phrase_words.append(word)
    return _without_loose_end(" ".join(phrase_words))


def helper(verb: str) -> str:
    """The form of `do` for a question about a verb: `did`, `does` or `do`."""
    if is_past(verb) or verb == "had":
        return "did"
    return "does" if verb.endswith("s") else "do"


def object_of(clause: Clause, verb: Word) -> str:
    """What follows the verb up to the first date, amount or preposition: `the telephone`."""
    ends = [fact.start for fact in clause.facts if fact.start >= verb.end and fact.kind in ("date", "amount")]
    end = min([*ends, clause.span[1]])
    object_words: list[str] = []
    for word in clause.words:
        if word.start < verb.end or word.end > end:
            continue
        if (word.lower in PREPOSITIONS and word.lower != "of") or re.search(
            r"[,;(]", clause.text[verb.end : word.start]
        ):
            break
        object_words.append(word.text)
    return _without_loose_end(" ".join(object_words))


def verb_phrase(clause: Clause) -> str:
    """From the verb on, up to a date or an amount, which may be wrong."""
    verb = clause.words[clause.verb]
    ends = [fact.start for fact in clause.facts if fact.kind in ("date", "amount") and fact.start > verb.start]
    if len(clause.text[verb.end : min([*ends, clause.span[1]])].split()) < 2:
        ends = []
    phrase = clause.text[verb.start : min([*ends, clause.span[1]])]
    return _without_loose_end(re.split(r"[,;(]", phrase)[0].strip(" .!"))


LOOSE = (ARTICLES | PREPOSITIONS | ADVERBS | HEDGES | {"and", "than"}) - {"up"}


def _without_loose_end(phrase: str) -> str:
    """Without the articles and prepositions that led to what was cut off."""
    phrase_words = phrase.split()
    while phrase_words and phrase_words[-1].lower() in LOOSE:
        phrase_words.pop()
    return " ".join(phrase_words)


def whether(clause: Clause) -> str:
    """The clause turned into a question that is answered with yes or no."""
    if clause.verb >= len(clause.words) or not clause.subject:
        return clause.says.rstrip(".!") + "?"
    verb, rest = clause.words[clause.verb].lower, clause.words[clause.verb + 1 :]
    after = clause.text[rest[0].start : clause.span[1]].strip(" ,;:.!") if rest else ""
    if _is_left_passive(clause):
        return f"was {subject_of(clause)} {verb} {after}?"
    if verb in AUXILIARIES and (verb not in HAVE or (rest and is_past(rest[0].lower))):
        return f"{verb} {subject_of(clause)} {after}?"
    return f"{helper(verb)} {subject_of(clause)} {HAVE.get(verb) or base_form(verb)} {after}?"
