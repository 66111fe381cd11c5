"""What a question wants, and the statement that an answer makes of it: `The tower was completed in` 1889."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from . import contrasts
from .clauses import content
from .roles import BE, DIMENSIONS
from .tables import table
from .verbs import AUXILIARIES, IRREGULAR_PASTS, PRESENT_VERBS, is_past
from .words import ADVERBS, ARTICLES, CONJUNCTIONS, PREPOSITIONS, PRONOUNS, Word, is_verb_at, words

Kind = Literal["date", "amount", "place", "name", "member", "whether"]
"""A `member` is one of a family such as the colours or the planets; `whether` is answered with yes or no."""

LONGEST_QUESTION = 400
"""Characters. What is longer is a task and not a question."""
DO = table("do does did")
TIMES = table("year date day month decade century time")
PLACES = table("city country town continent state place location village region island")
NUMBERS = DIMENSIONS | table("number percentage percent share")
FAMILIES = {
    "planet": "planet", "ocean": "ocean", "element": "element", "metal": "metal", "colour": "colour",
    "color": "colour", "season": "season", "nationality": "nationality", "instrument": "instrument",
    "month": "month", "weekday": "weekday",
}  # fmt: skip
_WANTS = re.compile(
    r"(?:(?P<first>in|on|at|by|from|to|for|with|of|during|into|through) )?"
    r"(?P<asks>who|whom|when|where|which|what|how)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Wanted:
    """What is asked for, and the words around its place in a statement."""

    kind: Kind
    noun: str
    """What the question calls the answer, as in `which river` or `how tall`; may be empty."""
    before: str
    after: str
    described: str = ""
    """What else the question says of the answer: `Dutch` in `which Dutch artist`."""

    def with_answer(self, answer: str) -> str:
        said = " ".join(f"{self.before} {answer} {self.after}".split()).rstrip(" .?!,")
        return said[:1].upper() + said[1:] + "."

    @property
    def frame(self) -> frozenset[str]:
        """What the statement speaks of beside the answer."""
        return content(f"{self.before} {self.after} {self.described}")


def wanted(question: str) -> Wanted | None:
    """What a question wants; None if no rule reads it, as where it offers a choice."""
    asked = _last_question(question)
    found = words(asked)
    if not found or len(asked) > LONGEST_QUESTION or re.search(r"\bor\b|[;:]", asked):
        return None
    if found[0].lower in AUXILIARIES:
        return _whether(found)
    opening = _WANTS.match(asked)
    if opening is None:
        return None
    rest = [word for word in found if word.start >= opening.end()]
    return _of_asking(opening["asks"].lower(), (opening["first"] or "").lower(), rest)


def _last_question(question: str) -> str:
    """The last sentence, without the mark."""
    plain = " ".join(question.split()).rstrip(" ?")
    return re.split(r"(?<=[.!?]) (?=[A-Z])", plain)[-1]


def _of_asking(asks: str, first: str, rest: list[Word]) -> Wanted | None:
    if asks == "how":
        return _how(rest)
    if asks in ("when", "where"):
        return _inverted(rest, "date" if asks == "when" else "place", "", "in")
    cut = next((index for index in range(len(rest)) if _is_verb(rest, index)), len(rest))
    named, rest = rest[:cut], rest[cut:]
    if asks in ("who", "whom") and all(word.lower in ADVERBS for word in named):
        named, rest = [], named + rest  # `who first climbed it`
    if (
        not rest
        or any(word.text.endswith(("'s", "’s")) for word in named)
        or (asks in ("who", "whom", "whose") and named)
    ):
        return None
    noun = next((word.lower for word in reversed(named) if word.text.islower()), "")
    described = _text([word for word in named if word.lower != noun])
    kind = _kind_of(noun)
    if kind == "date" or first:
        found = _inverted(rest, kind, noun, "in" if kind == "date" else first)
    elif not named and asks == "what":
        found = _what_is(rest)
    else:
        found = _subject_or_object(rest, kind, noun, "")
    return found and replace(found, described=described)


def _kind_of(noun: str) -> Kind:
    if noun in TIMES:
        return "date"
    if noun in PLACES:
        return "place"
    if noun in NUMBERS:
        return "amount"
    return "member" if noun in FAMILIES else "name"


def _how(rest: list[Word]) -> Wanted | None:
    """`How many moons does Mars have`, `How tall is the tower`."""
    if len(rest) < 3:
        return None
    if rest[0].lower not in ("many", "much"):
        if rest[0].lower not in DIMENSIONS | table("far fast large big hot cold"):
            return None
        return _inverted(rest[1:], "amount", rest[0].lower, "", rest[0].text)
    cut = next((index for index in range(1, len(rest)) if _is_verb(rest, index)), len(rest))
    counted, rest = _text(rest[1:cut]), rest[cut:]
    if len(rest) > 1 and rest[0].lower in BE and rest[1].lower == "there":
        return Wanted("amount", counted, f"There {rest[0].text}", f"{counted} {_text(rest[2:])}")
    return _subject_or_object(rest, "amount", counted, counted) if rest else None


def _what_is(rest: list[Word]) -> Wanted | None:
    """`What is the capital of Australia`, `What is the height of the tower`."""
    if rest[0].lower not in BE or len(rest) < 3 or rest[1].lower not in ("the", "its", "his", "her"):
        return None
    cut = next((index for index, word in enumerate(rest) if word.lower == "of"), len(rest))
    noun = next((word.lower for word in reversed(rest[:cut]) if word.text.islower()), "")
    if _is_trailing(rest) or noun in ("name", "meaning", "purpose", "difference"):
        return None
    kind = _kind_of(noun)
    if kind == "amount":
        return Wanted(kind, noun, f"{_text(rest[1:])} {rest[0].text}", "")
    return Wanted("name" if kind == "place" else kind, noun, "", _text(rest))


def _subject_or_object(rest: list[Word], kind: Kind, noun: str, counted: str) -> Wanted | None:
    """`Who painted it`, `Who was it painted by`, `Whom did she marry`."""
    if rest[0].lower in DO or (rest[0].lower in AUXILIARIES and _is_trailing(rest)):
        return _inverted(rest, kind, noun, "", counted)
    return Wanted(kind, noun, "", f"{counted} {_text(rest)}".strip())


def _is_trailing(rest: list[Word]) -> bool:
    """Whether the question ends with the preposition that belongs to its first word."""
    return rest[-1].lower in PREPOSITIONS


def _whether(found: list[Word]) -> Wanted | None:
    parts = _split(found)
    return Wanted("whether", "", *parts) if parts else None


def _inverted(rest: list[Word], kind: Kind, noun: str, preposition: str, counted: str = "") -> Wanted | None:
    """The statement behind `did the ship sink`: the answer follows its verb, or ends it where a preposition leads."""
    parts = _split(rest)
    if parts is None:
        return None
    before, after = parts
    if preposition and not after.endswith(f" {preposition}") and after != preposition:
        return Wanted(kind, noun, f"{before} {after} {preposition}", counted)
    if preposition or (after and after.split()[-1].lower() in PREPOSITIONS):
        return Wanted(kind, noun, f"{before} {after}", counted)
    return Wanted(kind, noun, before, f"{counted} {after}".strip())


def _split(found: list[Word]) -> tuple[str, str] | None:
    """Subject with verb, and the rest, of words that begin with a helping verb; None if they cannot be told apart."""
    if len(found) < 2 or found[0].lower not in AUXILIARIES:
        return None
    helper, rest = found[0].lower, found[1:]
    if any(word.lower in ("when", "while", "if", "because") for word in rest):
        return None
    if helper in DO:
        verb = _base_verb(rest)
        return (
            None if verb is None else (f"{_text(rest[:verb])} {_finite(rest[verb], helper)}", _text(rest[verb + 1 :]))
        )
    verb = _participle(rest) if helper in BE or helper in ("has", "have", "had") else _base_verb(rest)
    if verb is None:
        verb = _end_of_subject(rest) if helper in BE else None
        if verb is None:
            return None
        return f"{_text(rest[:verb])} {helper}", _text(rest[verb:])
    first = verb
    while first > 1 and rest[first - 1].lower in ADVERBS:
        first -= 1
    return f"{_text(rest[:first])} {helper} {_text(rest[first : verb + 1])}", _text(rest[verb + 1 :])


def _participle(rest: list[Word]) -> int | None:
    return next(
        (
            index
            for index in range(1, len(rest))
            if rest[index].text.islower() and is_past(rest[index].lower) and rest[index - 1].lower not in ARTICLES
        ),
        None,
    )


def _end_of_subject(rest: list[Word]) -> int:
    """Where a subject of names ends: `Sydney | the capital of Australia`, `the tower | in Paris`; else at the end."""
    for index in range(1, len(rest)):
        before, word = rest[index - 1], rest[index]
        leads = word.lower in ARTICLES or (word.lower in PREPOSITIONS and word.lower != "of")
        if leads and (before.capital or before.text.islower()) and before.lower not in PREPOSITIONS:
            return index
    return len(rest)


def _base_verb(rest: list[Word]) -> int | None:
    """Index of the verb after `did`: the first known one that no article leads, or the first word after a name."""
    known = [i for i in range(1, len(rest)) if rest[i].lower in BASES and rest[i - 1].lower not in LEADING]
    after_name = [
        i
        for i in range(1, len(rest))
        if rest[i - 1].capital and rest[i].text.islower() and rest[i].lower not in NO_VERBS
    ]
    return next(iter([*known, *after_name]), None)


LEADING = ARTICLES | PREPOSITIONS
NO_VERBS = (
    LEADING | ADVERBS | PRONOUNS | CONJUNCTIONS | AUXILIARIES | table("van von de la le der den du da del di al bin")
)
BASES = frozenset(IRREGULAR_PASTS.values()) | PRESENT_VERBS | {"have"}
_PAST_OF = {base: past for past, base in reversed(IRREGULAR_PASTS.items())}


def _finite(verb: Word, helper: str) -> str:
    """The verb as it reads without its helper: `did sink` is `sank`."""
    base = verb.lower
    if helper == "did":
        return _PAST_OF.get(base) or re.sub("ee?d$", "ed", re.sub("(?<![aeou])y$", "i", base) + "ed")
    if helper == "does":
        return "has" if base == "have" else base + ("es" if base.endswith(("s", "sh", "ch", "x", "o")) else "s")
    return base


def _is_verb(rest: list[Word], index: int) -> bool:
    word = rest[index].text
    return word.lower() in AUXILIARIES if index == 0 and word in AUXILIARIES else _known_verb(rest, index)


def _known_verb(rest: list[Word], index: int) -> bool:
    if index == 0:
        word = rest[0].lower
        return is_past(word) or (word.removesuffix("s") in PRESENT_VERBS and word.endswith("s"))
    return is_verb_at(rest, index) and not (
        contrasts.families(rest[index].text) and rest[index].lower not in AUXILIARIES
    )


def _text(found: list[Word]) -> str:
    return " ".join(word.text for word in found)
