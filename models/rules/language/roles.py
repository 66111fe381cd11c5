"""Roles: what a fact is to its clause, so that only facts in the same role are compared."""

import re
from dataclasses import dataclass

from ....state.text.amounts import ORDINAL
from .clauses import Clause
from .contrasts import side_of
from .facts import Fact
from .tables import table
from .verbs import AUXILIARIES, is_past
from .words import ARTICLES, CONJUNCTIONS, PREPOSITIONS, Word, is_verb_at, stems

DIMENSIONS = table(
    """tall high long wide deep thick old heavy height length width depth thickness weight mass area population
    altitude elevation diameter circumference radius distance speed temperature age volume capacity span"""
)
MEASURING = table("weigh weight mass area rise cover melt boil freeze last cost")
PLACE_PREPOSITIONS = table("in at on near into from to")
TRANSPARENT = table("centre center city town village heart middle capital state suburb district region outskirts")
"""Nouns that add nothing to the place they lead to: `in the centre of Rome`."""
SOFT_MODIFIERS = stems("full total different main separate individual whole small large")
"""Adjectives before what is counted that change little; `original member states` are not all the member states."""
BE = table("is are was were")
HOLDING = BE | {"became"}

OFFSETS = table("after before later earlier ago apart")
"""Words after a stretch of time that make it a time: `five days later`."""


@dataclass(frozen=True)
class Role:
    """How a fact is tied to its clause.

    In `completed in 1899` the relation is `complete`; in `nine full seasons` the head is `season`.
    """

    way: str
    """`agent` for the doer, `holder` for who or what has a title or part, `place`, `object`, or a preposition."""
    relation: str
    """Stem of the verb or noun that governs the fact."""
    head: str = ""
    """Stem of what is counted, measured or described."""


def role(clause: Clause, fact: Fact) -> Role:
    """The role of a fact in its clause."""
    if clause.cjk:
        return _cjk_role(clause, fact)
    before = [word for word in clause.words if word.end <= fact.start]
    after = [word for word in clause.words if word.start >= fact.end]
    if fact.kind == "date":
        if before and before[-1].lower in ("a", "an") and (described := _described(after)):
            return Role("a", "be", described)
        if lifespan := _lifespan(clause, fact):
            return Role("in", lifespan)
        return Role(_when(clause, fact), _governor(clause, before, after))
    if fact.kind == "amount":
        return Role(_preposition(before), _governor(clause, before, after), _counted(clause, fact, before, after))
    if fact.kind == "contrast":
        way = "ranked" if before and ORDINAL.fullmatch(before[-1].text) else _preposition(before)
        return Role(way, _governor(clause, before, after), _described(after))
    if (larger := _place_before(clause, fact)) is not None:
        return role(clause, larger)
    return _name_role(clause, before, after)


def _place_before(clause: Clause, fact: Fact) -> Fact | None:
    """`Paris, France`: the country stands where the city stands."""
    names = [each for each in clause.facts if each.kind == "name" and each.end < fact.start]
    if fact.meant and names and re.fullmatch(r",\s*", clause.text[names[-1].end : fact.start]):
        return names[-1]
    return None


def _when(clause: Clause, fact: Fact) -> str:
    """Whether a date is a point, the start or end of a stretch, or one of a list, whose members are not told apart."""
    before, after = clause.text[clause.span[0] : fact.start].lower(), clause.text[fact.end : clause.span[1]].lower()
    if re.search(r"\b(?:from|since|between)(?: about| around)? $", before):
        return "from"
    if re.search(r"\b(?:to|until|till|through)(?: about| around)? $|\d ?[–-] ?$", before):
        return "to"
    if match := re.search(r"\b(after|before|by) $", before):
        return match[1]
    if re.search(r"\d(?:,| and|,? or) $", before) and any(
        each.kind == "date" and each.end < fact.start for each in clause.facts
    ):
        return "to" if re.search(r"\bbetween\b[^,]*$", before) else "list"
    if re.match(r"(?:,| and| or) (?:in )?\d", after):
        return "list"
    return "as of" if before.endswith("as of ") else "in"


def _preposition(before: list[Word]) -> str:
    """The preposition that leads to the fact, past articles and adjectives."""
    for index in range(len(before) - 1, max(len(before) - 5, -1), -1):
        word = before[index].lower
        if word in PREPOSITIONS and not (word == "of" and before[index - 1].lower in TRANSPARENT):
            return word
        if word in AUXILIARIES or is_past(word):
            return ""
    return ""


def _governor(clause: Clause, before: list[Word], after: list[Word]) -> str:
    """The nearest verb before the fact, or the first after it if the fact opens the clause.

    Where there is only a form of `be`, it is the noun before the fact.
    """
    clause_words = clause.words
    for index in range(len(before) - 1, -1, -1):
        if before[index].lower not in AUXILIARIES and is_verb_at(clause_words, index):
            return before[index].stem
    if any(word.lower in AUXILIARIES for word in before):
        return _noun_before(before) or "be"
    for index in range(len(clause_words) - len(after), len(clause_words)):
        if clause_words[index].lower not in AUXILIARIES and is_verb_at(clause_words, index):
            return clause_words[index].stem
    return _noun_before(before)


def _noun_before(before: list[Word]) -> str:
    return next((word.stem for word in reversed(before) if word.text.islower() and word.stem), "")


def _counted(clause: Clause, fact: Fact, before: list[Word], after: list[Word]) -> str:
    """What an amount counts or measures: `330 m tall`, `a height of 330 m`, `nine full seasons`, `fourth peak`."""
    assert fact.amount is not None
    end, after = _past_parenthesis(clause, fact, after)
    if after and after[0].lower in DIMENSIONS and fact.amount.unit != "ordinal":
        return after[0].stem
    if len(after) > 1 and after[0].lower == "in" and after[1].lower in DIMENSIONS:  # `30 metres in length`
        return after[1].stem
    if after and after[0].lower in OFFSETS:  # `three hours after the collision`
        return " ".join([after[0].lower, *(word.stem for word in after[1:4] if word.stem)])
    if fact.amount.unit not in ("", "ordinal"):
        return next(
            (word.stem for word in reversed(before[-8:]) if word.lower in DIMENSIONS or word.stem in MEASURING), ""
        )
    if nouns := _noun_phrase(clause.text, end, after):
        if nouns[-1] == "time":  # `11 times the diameter`, `60 times per minute`
            rest = [word.stem for word in after[len(nouns) :] if word.stem and word.lower not in PREPOSITIONS]
            return " ".join(["time", *rest[:1]])
        return " ".join(noun for noun in nouns if noun not in SOFT_MODIFIERS) or nouns[-1]
    if before and (before[-1].text.islower() and before[-1].stem and before[-1].lower not in PREPOSITIONS):
        return before[-1].stem
    return _noun_before(before) if _preposition(before) == "of" else ""


def _past_parenthesis(clause: Clause, fact: Fact, after: list[Word]) -> tuple[int, list[Word]]:
    """Skip the same amount in another unit: `330 metres (1,083 feet) tall`. Both amounts belong to `tall`."""
    match = re.match(r"[^(),;]{0,3}\([^()]{1,40}\)|\)", clause.text[fact.end : clause.span[1]])
    if not match:
        return fact.end, after
    end = fact.end + match.end()
    return end, [word for word in after if word.start >= end]


def _noun_phrase(text: str, end: int, after: list[Word]) -> list[str]:
    """Stems of the words after the fact, up to the end of its phrase."""
    stems: list[str] = []
    for word in after[:4]:
        if re.search(r"[^\s\-]", text[end : word.start]):
            break
        if word.lower in PREPOSITIONS | CONJUNCTIONS | AUXILIARIES | ARTICLES or (stems and is_past(word.lower)):
            break
        stems.append(side_of(word.text) or word.stem or word.lower)
        end = word.end
    return stems


def _described(after: list[Word]) -> str:
    for word in after[:3]:
        if word.lower in PREPOSITIONS | AUXILIARIES:
            break
        if word.stem:
            return word.stem
    return ""


def _lifespan(clause: Clause, fact: Fact) -> str:
    """The dates in `(14 March 1879 – 18 April 1955)` after a name are those of birth and death."""
    text, (start, end) = clause.text, clause.span
    opening = text.rfind("(", start, fact.start)
    if opening < 0 or ")" in text[opening : fact.start]:
        return ""
    closing = text.find(")", fact.end, end)
    inside = text[opening : closing if closing > 0 else end]
    if re.search(r"\d\s*[–—-]\s*\w", inside):
        return "born" if re.match(r"\s*[–—-]", text[fact.end : fact.end + 4]) else "die"
    return "born" if re.search(r"\bborn\b|\bb\.", inside) else ""


def _name_role(clause: Clause, before: list[Word], after: list[Word]) -> Role:
    number_places = [index for index, word in enumerate(before) if word.text[0].isdigit()]
    after_number = before[number_places[-1] + 1 if number_places else 0 :]
    preposition = _preposition(after_number[-4:])  # `born in 1642, and Leibniz` is not in Leibniz
    verb = clause.verb
    if len(before) <= verb < len(clause.words) and not preposition:
        return subject_role(clause, before)
    if preposition == "by":
        return Role("agent", "by" if _is_description(clause, before) else _governor(clause, before, after))
    if not preposition and verb < len(clause.words) and clause.words[verb].lower in BE and len(before) - verb <= 2:
        holder = _holder_before(clause.words[:verb])
        return Role("holder", holder) if holder else Role("is", "be")
    if preposition == "in" and (seat := _seat(clause, before)):
        return Role("place", seat, preposition)
    if preposition in PLACE_PREPOSITIONS:
        return Role("place", "locate" if _is_located(clause, before) else _governor(clause, before, after), preposition)
    return Role(preposition or "object", _governor(clause, before, after))


SEATS = stems("headquarters seat")


def _seat(clause: Clause, before: list[Word]) -> str:
    """`has its headquarters in` and `the headquarters of ... is in` place the same thing. Empty for anything else."""
    verb = clause.words[clause.verb].lower if clause.verb < len(before) else ""
    after = before[clause.verb + 1 :]
    if verb in ("has", "have", "had") and len(after) == 3 and after[0].lower in ("its", "their"):
        return after[1].stem if after[1].stem in SEATS else ""
    holder = _holder_before(before[: clause.verb]) if verb in HOLDING and len(after) == 1 else ""
    return holder if holder in SEATS else ""


def _is_description(clause: Clause, before: list[Word]) -> bool:
    """`is a tragedy by`: between `be` and the preposition there is no verb, only a noun."""
    if clause.verb >= len(before) or before[clause.verb].lower not in BE:
        return False
    return not any(is_verb_at(before, index) for index in range(clause.verb + 1, len(before)))


def _is_located(clause: Clause, before: list[Word]) -> bool:
    """`is a skyscraper in Dubai`; in the past tense it may have been somewhere else later."""
    return _is_description(clause, before) and before[clause.verb].lower in ("is", "are")


def subject_role(clause: Clause, before: list[Word]) -> Role:
    """`Canberra is the capital` holds the capital, `Bell invented` is the doer; `Hamlet was written` is the object."""
    if any(word.text.islower() and word.stem for word in before):
        return Role("part of subject", before[-1].stem)
    verb, rest = clause.words[clause.verb], clause.words[clause.verb + 1 :]
    if verb.lower not in AUXILIARIES:
        return Role("agent", verb.stem)
    if verb.lower in HOLDING and rest and rest[0].lower == "the":
        return Role("holder", _holder_after(clause.text, rest[1:]))
    main = next((word for word in rest[:3] if word.lower not in AUXILIARIES and word.stem), None)
    if main is None or not is_past(main.lower):
        return Role("is", "be")
    return Role("object" if verb.lower in BE else "agent", main.stem)


def _holder_before(subject: list[Word]) -> str:
    """`the captain of the Titanic` is about the captain."""
    owners = [index for index, word in enumerate(subject) if word.lower.endswith("'s")]
    if owners:  # `Iceland's capital`
        subject = subject[owners[-1] + 1 :]
    elif not subject or subject[0].lower not in ("the", "its", "his", "her", "their"):
        return ""
    cut = next((index for index, word in enumerate(subject) if word.lower == "of"), len(subject))
    return next((word.stem for word in reversed(subject[:cut]) if word.text.islower() and word.stem), "")


def _holder_after(text: str, rest: list[Word]) -> str:
    nouns = _noun_phrase(text, rest[0].start, rest) if rest else []
    return nouns[-1] if nouns else ""


CJK_DIMENSIONS = {
    "tall": "高 높이", "long": "长 길이", "wide": "宽 너비 폭", "deep": "深 깊이",
    "weigh": "重 무게", "area": "面积 면적", "people": "人口 인구",
}  # fmt: skip


def _cjk_role(clause: Clause, fact: Fact) -> Role:
    """The dimension that stands nearest before an amount, and the character after it, which is what it counts."""
    before = clause.text[clause.span[0] : fact.start]
    dimensions = [
        (before.rfind(form), name) for name, forms in CJK_DIMENSIONS.items() for form in forms.split() if form in before
    ]
    after = clause.text[fact.end : clause.span[1]].strip(" ，。,.")
    return Role("", max(dimensions)[1] if dimensions else "", "" if dimensions else after[:1])
