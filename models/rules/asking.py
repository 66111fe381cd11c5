"""The task `queries`: a question for every claim, made from the clause's own words without the value in doubt."""

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from ...state.text.answers import concludes
from ...state.text.segments import Span, language
from ..tasks.correction import Queries, QueriesInput
from .language import contrasts
from .language.align import GENERIC_NOUNS
from .language.clauses import CJK_MEASURES, CJK_PRONOUNS, PERSON_ENDINGS, Clause, about, read, topic_before
from .language.facts import Fact
from .language.phrasing import ask, object_of, subject_of, verb_phrase, whether
from .language.roles import BE, DIMENSIONS, OFFSETS, Role, role
from .language.slots import SINGLE_DOER, SINGLE_PLACE
from .language.tables import table
from .language.verbs import AUXILIARIES, is_past, is_third, past
from .language.words import ADVERBS, CONJUNCTIONS, HEDGES, PREPOSITIONS, PRONOUNS, stems

MOST_PER_SENTENCE = 3
IN_FRONT = table("in for by with on into")
"""Prepositions that a question may begin with: `In how many volumes did it appear?`"""
NOBODY = table("i you we my your our thanks")
ORDER = ("date", "amount", "name", "contrast")
"""The kinds that are asked about first: those that can be compared most reliably."""

DIMENSION_OF = {
    "tall": "height", "high": "height", "long": "length", "wide": "width", "deep": "depth", "thick": "thickness",
    "heavy": "weight", "old": "age",
}  # fmt: skip
UNIT_QUESTIONS = {
    "degree_Celsius": "At what temperature", "degree_Fahrenheit": "At what temperature",
    "kelvin": "At what temperature",
    "year": "How many years", "month": "How many months", "week": "How many weeks", "day": "How many days",
    "hour": "How many hours", "minute": "How many minutes", "second": "How many seconds",
    "%": "What percentage",
}  # fmt: skip
CJK_QUESTIONS = {
    ("zh", "date"): "哪一年", ("zh", "amount"): "多少", ("zh", "name"): "哪里",
    ("ko", "date"): "몇 년", ("ko", "amount"): "몇 ", ("ko", "name"): "어디",
}  # fmt: skip


def queries(task_input: QueriesInput) -> Queries:
    """At most three questions per sentence, in the order of the text, without repetition. Each clause has its turn."""
    by_sentence: dict[Span, list[list[str]]] = {}
    for clause in read(task_input["text"], topic_before(task_input.get("question", ""), task_input.get("before", ""))):
        by_sentence.setdefault(clause.sentence, []).append(list(dict.fromkeys(questions(clause))))
    all_questions: dict[str, None] = {}
    text = task_input["text"]
    for (start, end), clauses in by_sentence.items():
        if start and concludes(text[start:end]):
            continue  # it only repeats the conclusion of the sentences before it
        in_turn = [question for turn in zip_longest(*clauses) for question in turn if question]
        all_questions |= dict.fromkeys(in_turn[:MOST_PER_SENTENCE])
    return Queries(queries=list(all_questions))


def questions(clause: Clause) -> Iterator[str]:
    """The questions that a clause answers; if its facts give none, whether the clause is true."""
    if not checkable(clause):
        return
    if clause.cjk:
        yield from _cjk_questions(clause)
        return
    has_question = False
    for fact in sorted(clause.facts, key=lambda fact: ORDER.index(fact.kind)):
        if question := _question(clause, fact):
            has_question = True
            yield _tidy(question)
    if not has_question:
        yield _tidy(whether(clause))


class Answered(NamedTuple):
    """A question with its answer, and the sentence that gives it."""

    question: str
    answer: str
    sentence: str


def answered(text: str) -> Iterator[Answered]:
    """The questions for a time or a name (`When ...?`, `Who ...?`) that a text answers, in order."""
    for clause in read(text, about("")):
        if checkable(clause) and not clause.cjk:
            for fact in clause.facts:
                if (question := _tidy(_question(clause, fact))).startswith(("When ", "Who ")):
                    yield Answered(question, fact.text, clause.sentence_text)


def checkable(clause: Clause) -> bool:
    """Whether a clause makes a claim that can be looked up: not a question, a greeting or a remark of the speaker's."""
    if clause.is_question:
        return False
    if clause.cjk:
        return len(clause.says) > 3 and bool(clause.facts or len(clause.says) > 6)
    if not clause.words or clause.words[0].lower in NOBODY:
        return False
    row = clause.words
    has_verb = clause.verb < len(row) or any(word.text.islower() and is_third(word.text) for word in row[1:-1])
    return len(clause.words) > 2 and (has_verb or any(fact.kind in ("date", "amount") for fact in clause.facts))


def _question(clause: Clause, fact: Fact) -> str:
    """The question whose answer is the fact; empty if no form fits."""
    if clause.verb >= len(clause.words) or not clause.subject:
        return ""
    if fact.kind == "date":
        reckoned = role(clause, fact).way in OFFSETS | {"as of"}  # `28 years after 1961`
        question = "" if reckoned or _is_aside(clause, fact) else ask(clause, "When")
        return whether(clause) if not question or question.endswith(" been?") else question  # `has been in force since`
    if fact.kind == "amount":
        return _how_much(clause, fact)
    if fact.kind == "contrast":
        return _which(clause, fact)
    return _who_or_where(clause, fact, role(clause, fact))


def _how_much(clause: Clause, fact: Fact) -> str:
    """`How tall is ...`, `What is the population of ...`, `How many seasons does ... have`."""
    assert fact.amount is not None
    verb, way = clause.words[clause.verb], role(clause, fact).way
    subject, unit = subject_of(clause), fact.amount.unit
    if unit == "ordinal":
        return _which_in_order(clause, fact) or whether(clause)
    clock = ":" in clause.text[max(fact.start - 1, 0) : fact.end + 1]
    owned = _leading_word(clause, fact).endswith("'s")
    if (
        clock
        or owned
        or fact.amount.number == 1
        or way not in IN_FRONT | HEDGES | {"", "of", "at"}
        or _is_aside(clause, fact)
    ):
        return whether(clause)
    dimension = next((word.lower for word in clause.words if word.lower in DIMENSIONS), "")
    if dimension and subject in PRONOUNS:
        return whether(clause)
    if unit and dimension in DIMENSION_OF and verb.lower in BE:
        return f"How {dimension} {verb.lower} {subject}?"
    if dimension:
        measured = "" if dimension in clause.own_subject else f"the {DIMENSION_OF.get(dimension, dimension)} of "
        return f"What {verb.lower if verb.lower in BE else 'is'} {measured}{subject}?"
    if role(clause, fact).head.split(" ")[0] in OFFSETS:
        return whether(clause)
    if unit == "%" and fact.end <= verb.start:
        return f"What percentage {clause.text[fact.end : verb.start]} {verb_phrase(clause)}?"
    if unit:
        opening = UNIT_QUESTIONS.get(unit) or (
            "How fast" if "/" in unit else "What area" if "**2" in unit else "How much"
        )
        is_led = opening.startswith(("At", "How fast"))
        return ask(clause, opening if is_led else _led(opening, way)) if is_led or way != "at" else whether(clause)
    noun = _counted_noun(clause, fact)
    if noun and fact.start < verb.start:
        return f"How many {noun} {verb_phrase(clause)}?"
    if noun and noun != object_of(clause, verb):
        return ask(clause, _led(f"How many {noun}", way))
    return whether(clause)


def _led(opening: str, preposition: str) -> str:
    """A question word behind its preposition: `For how many years`, `By what percentage`."""
    return f"{preposition.capitalize()} {opening[0].lower()}{opening[1:]}" if preposition in IN_FRONT else opening


def _is_aside(clause: Clause, fact: Fact) -> bool:
    """Whether a value stands in the subject's own words, or in a clause of its own: `a ship that sank in 1912`."""
    verb, before = clause.words[clause.verb], clause.text[: fact.start]
    subject = fact.kind == "date" and fact.end <= verb.start and fact.text in clause.own_subject
    return subject or bool(re.search(r"\b(?:that|who|which|where|when)\b", before[verb.end :]))


def _which_in_order(clause: Clause, fact: Fact) -> str:
    """`Which planet from the Sun is Mars?`, so that the search does not look for the fifth; empty for other ranks."""
    verb = clause.words[clause.verb]
    after = re.match(r" ([a-z]+ from (?:(?! and )[^,;.()])+)", clause.text[fact.end : clause.span[1]])
    if verb.lower not in BE or not after or not re.fullmatch(r" the ", clause.text[verb.end : fact.start]):
        return ""
    return f"Which {after[1].strip()} {verb.lower} {subject_of(clause)}?"


def _counted_noun(clause: Clause, fact: Fact) -> str:
    noun_words: list[str] = []
    verb = clause.words[clause.verb]
    end = verb.start if fact.end <= verb.start else clause.span[1]
    phrase = re.split(r"[^a-z\s\-]", clause.text[fact.end : end])[0]
    for word in re.findall(r"[a-z][a-z\-]*", phrase)[:3]:
        if word in PREPOSITIONS | AUXILIARIES | CONJUNCTIONS | ADVERBS or (noun_words and is_past(word)):
            break
        noun_words.append(word)
    return " ".join(noun_words)


def _which(clause: Clause, fact: Fact) -> str:
    """The question on a nationality or the like; for any other opposite but the verb, whether the clause is so."""
    if fact.start == clause.words[clause.verb].start:
        return ""
    verb, kinds = clause.words[clause.verb], contrasts.families(fact.text)
    between = re.fullmatch(r" (?:an? |the )?", clause.text[verb.end : fact.start]) and verb.lower in BE
    subject, described = subject_of(clause), role(clause, fact).head
    stands_alone = re.match(r"(?: ([a-z]+))?(?:[,.]| and\b|$)", clause.text[fact.end : clause.span[1]])
    if "nationality" in kinds and between and stands_alone and subject not in PRONOUNS:
        noun = stands_alone[1] or ""
        return f"What nationality {verb.lower} {'the ' if noun else ''}{noun} {subject}?"
    if "colour" in kinds and between and not described:
        return f"What colour {verb.lower} {subject}?"
    if "language" in kinds and _leading_word(clause, fact) == "in":
        return ask(clause, "In which language")
    return whether(clause)


def _leading_word(clause: Clause, fact: Fact) -> str:
    return next((word.lower for word in reversed(clause.words) if word.end <= fact.start), "")


def _who_or_where(clause: Clause, fact: Fact, place: Role) -> str:
    verb = clause.words[clause.verb]
    is_person = _is_person(place.relation) or bool(PERSONS & set(_ranked(clause)))
    pronoun = "What" if fact.meant or (place.way == "holder" and not is_person) else "Who"
    if fact.end <= verb.start:
        is_subject = place.way == "holder" or (place.way == "agent" and place.relation in SINGLE_DOER)
        following = [word.lower for word in clause.words[clause.verb + 1 : clause.verb + 2]]
        if place.relation in DEVELOPING and following in (["from"], ["into"], ["out"]):
            pronoun = "What"
        return f"{pronoun} {verb_phrase(clause)}?" if is_subject and fact.text in clause.own_subject else ""
    if place.way == "holder":
        return f"{pronoun} {verb.lower} {subject_of(clause)}?"
    if place.way == "agent" and place.relation == "by":
        noun = next((w.text for w in clause.words if w.start > verb.end and w.stem and w.text.islower()), "")
        return f"Who {verb.lower} the {noun} {subject_of(clause)} by?"
    if place.way == "agent":
        after = clause.words[clause.verb :]  # the verb itself, and not the noun in `designed by the architect ...`
        doing = next((w.lower for w in after if w.end < fact.start and w.stem == place.relation), "")
        return f"Who {past(doing)} {subject_of(clause)}?" if doing else ""
    if place.way == "place" and place.relation == "locate" and verb.lower in BE:
        if not fact.meant or any(fact.kind == "contrast" for fact in clause.facts):
            return ""
        return f"Where {verb.lower} {subject_of(clause)}?"
    if place.way == "place" and (place.head != "on" if fact.meant else place.relation in SINGLE_PLACE):
        return ask(clause, "Where")
    return ""


DEVELOPING = stems("develop")
"""What things do, `from` or `into` something; people develop something."""
_PERSONS = """
    king queen president captain wife husband son woman person people hero heroine pope chief head prince princess
    god lady lord knight child boy girl friend saint architect patient student assassin inventor founder publisher
    designer writer composer painter director winner human man"""
PERSONS = table(_PERSONS) | stems(_PERSONS)


def _is_person(noun: str) -> bool:
    """Whether a noun, as a stem, is what people are called: `captain`, `founder`, `physicist`."""
    return noun in PERSONS | {"male", "female"} or (noun.endswith(PERSON_ENDINGS) and noun not in GENERIC_NOUNS)


def _ranked(clause: Clause) -> list[str]:
    """What the subject is the first or the last of: `human` in `The first human to walk on the Moon`."""
    return re.findall(r"^the (?:first|second|third|last|only) (\w+)", clause.own_subject.lower())


def _tidy(question: str) -> str:
    tidied = re.sub(r"\s+", " ", question).replace(" ?", "?").strip()
    return tidied[:1].upper() + tidied[1:]


def _cjk_questions(clause: Clause) -> Iterator[str]:
    """The clause with a question word where the fact was."""
    code = "ko" if language(clause.says) == "ko" else "zh"
    names_itself = clause.own_subject and clause.own_subject not in CJK_MEASURES
    topic = clause.subject.removesuffix(clause.own_subject)
    lead = "" if names_itself or not topic else topic + ("" if code == "zh" else " ")
    mark = "？" if code == "zh" else "?"
    start = clause.span[0] + len(clause.text[slice(*clause.span)]) - len(clause.text[slice(*clause.span)].lstrip())
    statement = clause.text[start : clause.span[1]].rstrip(" 。.，,；;!！")
    if lead and (pronoun := next((p for p in sorted(CJK_PRONOUNS) if statement.startswith(p)), "")):
        lead, statement, start = lead.strip(), statement[len(pronoun) :], start + len(pronoun)
    has_question = False
    for fact in clause.facts:
        first, last = fact.start - start, fact.end - start
        if first < 0 or last > len(statement) or fact.text in clause.subject or fact.kind == "contrast":
            continue
        has_question = True
        unit = re.sub(r"^[\d.,]+[百千万萬亿億만억천조]*\s*", "", fact.text) if fact.kind == "amount" else ""
        yield f"{lead}{statement[:first]}{CJK_QUESTIONS[code, fact.kind]}{unit}{statement[last:]}{mark}"
    if not has_question:
        yield f"{lead}{statement}{'吗' if code == 'zh' else ''}{mark}"
