"""The task `queries`: a question for every claim, made from the clause's own words without the value in doubt."""

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from ...state.text import Span
from ..tasks import Queries
from . import contrasts
from .clauses import Clause, about, is_anaphor, read
from .facts import Fact
from .roles import DIMENSIONS, Role, role
from .words import ADVERBS, ARTICLES, AUXILIARIES, PREPOSITIONS, Word, base_form, is_past

MOST_PER_SENTENCE = 3
NOBODY = frozenset("i you we".split())
BE = frozenset("is are was were".split())
DIMENSION_QUESTIONS = {
    "height": "tall", "length": "long", "width": "wide", "depth": "deep", "thickness": "thick", "weight": "heavy",
    "age": "old",
}  # fmt: skip
CJK_QUESTIONS = {
    ("zh", "date"): "哪一年", ("zh", "amount"): "多少", ("zh", "name"): "哪里",
    ("ko", "date"): "언제", ("ko", "amount"): "얼마", ("ko", "name"): "어디",
}  # fmt: skip


def queries(task_input: dict[str, Any]) -> Queries:
    """At most three questions per sentence, in the order of the text, none twice."""
    by_sentence: dict[Span, list[list[str]]] = {}
    for clause in read(task_input["text"], about(task_input["question"])):
        by_sentence.setdefault(clause.sentence, []).append(list(dict.fromkeys(questions(clause))))
    asked: dict[str, None] = {}
    for clauses in by_sentence.values():
        in_turn = [question for turn in zip_longest(*clauses) for question in turn if question]
        asked |= dict.fromkeys(in_turn[:MOST_PER_SENTENCE])
    return Queries(queries=list(asked))


def questions(clause: Clause) -> Iterator[str]:
    """The questions that a clause answers, the one on its most definite fact first."""
    if not _checkable(clause):
        return
    if clause.cjk:
        yield from _cjk_questions(clause)
        return
    found = False
    order = {"date": 0, "amount": 1, "name": 2, "contrast": 3}
    for fact in sorted(clause.facts, key=lambda fact: order[fact.kind]):
        if question := _question(clause, fact):
            found = True
            yield _tidy(question)
    if not found:
        yield _tidy(_whether(clause))


def _checkable(clause: Clause) -> bool:
    """Questions, greetings and what the speaker says of himself claim nothing that could be looked up."""
    if clause.sentence_text.rstrip().endswith(("?", "？")):
        return False
    if clause.cjk:
        return len(clause.says) > 3 and bool(clause.facts or len(clause.says) > 6)
    if clause.facts and len(clause.words) > 1 and (clause.verb < len(clause.words) or clause.facts[0].kind != "name"):
        return clause.words[0].lower not in NOBODY
    return clause.verb < len(clause.words) and len(clause.words) > 2 and clause.words[0].lower not in NOBODY


def _question(clause: Clause, fact: Fact) -> str:
    """The question whose answer is the fact; empty if no form fits."""
    place = role(clause, fact)
    if fact.kind == "date":
        return _with_verb(clause, "When")
    if fact.kind == "amount":
        return _how_much(clause, fact, place)
    if fact.kind == "contrast":
        if "nationality" in contrasts.families(fact.text) and clause.words[clause.verb].lower in BE:
            return f"What nationality {clause.words[clause.verb].lower} {_subject(clause)}?"
        return ""
    return _who_or_where(clause, fact, place)


def _who_or_where(clause: Clause, fact: Fact, place: Role) -> str:
    if clause.verb >= len(clause.words):
        return ""
    verb = clause.words[clause.verb]
    if fact.end <= verb.start:
        if fact.text in clause.own_subject and place.way == "agent":
            asks = "What" if fact.meant else "Who"
            return f"{asks} {_until_date(clause, verb)}?" if _until_date(clause, verb).count(" ") else ""
        return ""
    if place.way == "agent" and place.relation != "be" and verb.lower in BE:
        if _verb_words(clause)[-1:] and is_past(_verb_words(clause)[-1].lower):
            return f"Who {_verb_words(clause)[-1].lower} {_subject(clause)}?"
        return f"{'What' if fact.meant else 'Who'} {verb.lower} {_subject(clause)}?"
    if place.way == "place" and (fact.meant or place.relation in ("locate", "born", "die", "live", "found")):
        return _with_verb(clause, "Where")
    return ""


def _how_much(clause: Clause, fact: Fact, place: Role) -> str:
    """`How tall is ...`, `What is the population of ...`, `How many seasons does ... have`."""
    assert fact.amount is not None
    verb = clause.words[clause.verb].lower if clause.verb < len(clause.words) else ""
    dimension = next((word.lower for word in clause.words if word.lower in DIMENSIONS), "")
    if fact.amount.unit == "ordinal" or not verb:
        return ""
    if fact.amount.unit and dimension and verb in BE:
        if dimension in DIMENSION_QUESTIONS or dimension in DIMENSION_QUESTIONS.values():
            return f"How {DIMENSION_QUESTIONS.get(dimension, dimension)} {verb} {_subject(clause)}?"
    if dimension:
        known = clause.own_subject and dimension in clause.own_subject
        return f"What {'is' if verb not in BE else verb} {'' if known else f'the {dimension} of '}{_subject(clause)}?"
    after = clause.text[fact.end : clause.span[1]]
    counted = re.match(r"\s*((?:[a-z][a-z\-]*\s*){1,3})", after)
    noun = _noun_phrase(counted[1]) if counted else ""
    if not fact.amount.unit and noun and fact.start >= clause.words[clause.verb].end:
        return _with_verb(clause, f"How many {noun}")
    if not fact.amount.unit and noun and fact.start < clause.words[clause.verb].start and clause.own_subject:
        rest = clause.text[clause.words[clause.verb].start : clause.span[1]].strip(" ,.;")
        return f"How many {noun} {_until_date(clause, clause.words[clause.verb]) or rest}?"
    return _with_verb(clause, "How much" if fact.amount.unit.isupper() else "How far or how long" if fact.amount.unit else "How many")


def _noun_phrase(text: str) -> str:
    found = []
    for word in text.split():
        if word in PREPOSITIONS or word in AUXILIARIES or word in ("and", "or", "that", "which", "the", "a", "but", "than") or (found and is_past(word)):
            break
        found.append(word)
    return " ".join(found)


def _with_verb(clause: Clause, asks: str) -> str:
    """Question word, helping verb, subject, verb: `When was the tower completed?`, `Where does it stand?`"""
    found = _verb_words(clause)
    if not found:
        return f"{asks}: {clause.says.rstrip('.')}?" if asks == "" else ""
    first = found[0].lower
    if first in AUXILIARIES and not (len(found) == 1 and first in ("has", "have", "had")):
        rest = " ".join(word.text for word in found[1:])
        return f"{asks} {first} {_subject(clause)} {rest}".rstrip() + _object(clause, found[-1]) + "?"
    helping = "did" if is_past(first) or first == "had" else "does" if first.endswith("s") else "do"
    base = {"has": "have", "had": "have", "have": "have"}.get(first) or base_form(first)
    rest = " ".join([base, *(word.text for word in found[1:])])
    return f"{asks} {helping} {_subject(clause)} {rest}" + _object(clause, found[-1]) + "?"


def _verb_words(clause: Clause) -> list[Word]:
    """The verb with its helpers and adverbs: `was first performed`."""
    found = clause.words[clause.verb : clause.verb + 1]
    if not found or found[0].lower not in AUXILIARIES:
        return found
    for word in clause.words[clause.verb + 1 : clause.verb + 4]:
        if word.lower in AUXILIARIES or word.lower in ADVERBS or is_past(word.lower):
            found.append(word)
        else:
            break
    while len(found) > 1 and found[-1].lower in ADVERBS:
        found.pop()
    return found


def _object(clause: Clause, verb: Word) -> str:
    """What follows the verb up to the first fact or preposition: ` the telephone`."""
    end = min([fact.start for fact in clause.facts if fact.start >= verb.end and fact.kind in ("date", "amount")] or [clause.span[1]])
    kept: list[str] = []
    for word in clause.words:
        if word.start < verb.end or word.end > end:
            continue
        if (word.lower in PREPOSITIONS and word.lower != "of") or re.search(r"[,;(]", clause.text[verb.end : word.start]):
            break
        kept.append(word.text)
    while kept and (kept[-1].lower in ARTICLES | ADVERBS | PREPOSITIONS or kept[-1] in ("more", "less", "than", "and")):
        kept.pop()
    return " " + " ".join(kept) if kept else ""


def _until_date(clause: Clause, verb: Word) -> str:
    """From the verb on, without dates and amounts, which may be wrong."""
    ends = [fact.start for fact in clause.facts if fact.kind in ("date", "amount") and fact.start > verb.start]
    said = clause.text[verb.start : min([*ends, clause.span[1]])]
    said = re.split(r"[,;(]", said)[0].strip(" .!")
    while said and said.split()[-1].lower() in PREPOSITIONS | ARTICLES | {"about", "and", "over"}:
        said = said.rpartition(" ")[0]
    return said


def _whether(clause: Clause) -> str:
    """The clause turned into a question that is answered with yes or no."""
    rest = clause.words[clause.verb + 1 :]
    if clause.verb >= len(clause.words) or not _subject(clause):
        return clause.says.rstrip(".!") + "?"
    verb = clause.words[clause.verb].lower
    after = clause.text[rest[0].start : clause.span[1]].strip(" ,;:.!") if rest else ""
    if verb in AUXILIARIES and verb not in ("has", "have", "had") or (rest and verb in AUXILIARIES and is_past(rest[0].lower)):
        return f"{verb.capitalize()} {_subject(clause)} {after}?"
    helping = "Did" if is_past(verb) or verb == "had" else "Does" if verb.endswith("s") else "Do"
    base = {"has": "have", "had": "have"}.get(verb) or base_form(verb)
    return f"{helping} {_subject(clause)} {base} {after}?"


def _subject(clause: Clause) -> str:
    """The subject as it reads inside a question."""
    subject = clause.subject
    first, _, rest = subject.partition(" ")
    return f"{first.lower()} {rest}".strip() if first.lower() in ARTICLES or (first in ("Construction", "Work", "Each", "Every", "All", "Most", "Some", "Many")) else subject


def _tidy(question: str) -> str:
    return re.sub(r"\s+", " ", question).replace(" ?", "?").strip()


def _cjk_questions(clause: Clause) -> Iterator[str]:
    """The clause with a question word where the fact was."""
    code = "ko" if re.search(r"[가-힣]", clause.says) else "zh"
    lead = "" if clause.own_subject or not clause.subject else clause.subject + ("" if code == "zh" else " ")
    said = clause.says.rstrip("。.!！")
    for fact in clause.facts:
        asks = CJK_QUESTIONS.get((code, fact.kind))
        first = fact.start - clause.span[0] - (len(clause.text[clause.span[0] : clause.span[1]]) - len(clause.text[clause.span[0] : clause.span[1]].lstrip(" ,;:")))
        if asks and 0 <= first and said[first : first + len(fact.text)] == fact.text:
            unit = re.sub(r"^[\d.,]+[百千万萬亿億만억천조]*", "", fact.text) if fact.kind == "amount" else ""
            yield f"{lead}{said[:first]}{asks}{unit}{said[first + len(fact.text) :]}" + ("？" if code == "zh" else "?")
    if not clause.facts:
        yield f"{lead}{said}" + ("吗？" if code == "zh" else "?")


__all__ = ["is_anaphor", "queries"]
