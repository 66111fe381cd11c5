"""Whether the new words of a change exclude the old ones. If both may be true, the evidence shows no error.

This uses no model, so it is cautious: wrongly refusing a change leaves the text as it is.
"""

import re

from ...models.rules.language.contrasts import are_opposite_verbs, opposed
from ...models.rules.language.facts import find
from ...models.rules.language.verbs import is_past
from ...state.text.amounts import CJK_DIGITS, ORDINALS, SCALES, SMALL_NUMBERS, TENS, UNITS
from ...state.text.segments import Span
from ..following import Unit, crosses, is_korean, occurrences, place_of, places_of, units

OTHER_NUMBERS = "half quarter twice thrice once double triple dozen 半 두 세 네 다섯 여섯 일곱 여덟 아홉 열 스무 절반"
NUMBERS = frozenset([*SMALL_NUMBERS, *TENS, *ORDINALS, *SCALES, *CJK_DIGITS, *OTHER_NUMBERS.split()])
_WORD = re.compile(r"\d+|[^\W\d\u3040-\u30ff\u3400-\u9fff]+|[\u3400-\u9fff]")
_KOREAN_VERB = re.compile(r"[\uac00-\ud7a3]*(?<![이였])다")
_POLITE = re.compile("습니다$")
_AND = re.compile(
    r"\s*(?:(?:[,、，&/和与及或]|以及|및|and\b|or\b|as well as\b)\s*)+(?:(?:the|an?|in|on|at|by|of|to|from)\s+){0,2}",
    re.IGNORECASE,
)
_KOREAN_AND = re.compile(r"[\uac00-\ud7a3](?:과|와|이나|나|하고|이랑|랑)$")


BOUNDS = re.compile(
    r"\b(?:more|fewer|less|greater|higher|lower|longer|shorter) than"
    r"|\b(?:over|under|above|below|at least|at most|up to)\b"
    r"|至少|至多|最多|最少|超过|不足|不到|以上|以下|이상|이하|초과|미만|최소|최대",
    re.IGNORECASE,
)
"""What makes another amount true as well."""
BESIDE = 24
"""The number of characters before and after an amount in which its bound is looked for."""
_COMPARES = re.compile(r"\s*(?:than|of|from|to)\b", re.IGNORECASE)


def may_both_be_true(old: str, new: str) -> bool:
    """Whether the new words may mean the same as the old ones, or be true as well.

    This holds for facts of different kinds (a year and a period), and for verbs that are not opposites: they may be two
    words for one thing.
    """
    if opposed(old.strip(), new.strip()):  # `first` and `last`
        return False
    kinds = _kinds(old), _kinds(new)
    if has_number(old) != has_number(new) or (all(kinds) and kinds[0].isdisjoint(kinds[1])):
        return True
    if is_korean(old) and is_korean(new) and len(units(old)) != len(units(new)):
        return True  # the same in another form: particles and endings hide it
    return _is_verb(old) and _is_verb(new) and not are_opposite_verbs(old, new)


def is_value(words: str) -> bool:
    """Whether words are a number or begin with a capital: values that can be replaced whatever else a sentence says."""
    return has_number(words) or any(unit.is_name for unit in units(words))


def is_bound_otherwise(sentence: str, place: Span, evidence: str) -> bool:
    """Whether an amount in a sentence has a bound that the evidence does not have, such as `more than 3,400`."""
    start, end = place
    if not has_number(sentence[start:end]):
        return False
    beside = sentence[max(start - BESIDE, 0) : start], sentence[end : end + BESIDE]
    mine = {bound.lower() for words in beside for bound in BOUNDS.findall(words)}
    return not mine <= {bound.lower() for bound in BOUNDS.findall(evidence)}


def are_turned(old: str, new: str, sentence: str, place: Span, evidence: str) -> bool:
    """Whether the evidence relates two things the other way round, with a word such as `higher than`."""
    if not opposed(old.strip(), new.strip()) or not _COMPARES.match(sentence, place[1]):
        return False
    mine = place_of(sentence, *place)
    return any(crosses(mine, other) for other in places_of(new, evidence))


def are_listed(old: str, new: str, evidence: str) -> bool:
    """Whether a sentence of the evidence lists both side by side, as in `on Friday and Saturday`."""
    if has_number(old):  # `from 1931 to 1934` is not a list
        return False
    all_units = units(evidence)
    mine, theirs = occurrences(units(old), all_units), occurrences(units(new), all_units)
    borders = {last for _, last in mine} & {first for first, _ in theirs} | {last for _, last in theirs} & {
        first for first, _ in mine
    }
    return any(
        _joins(evidence[all_units[border - 1].start : all_units[border].start], all_units[border - 1])
        for border in borders
    )


def measured(sentence: str, start: int, words: str) -> str:
    """Words as the evidence must have them: a unit of measure counts only with the number before it.

    Returns:
        The words; a unit together with the number right before it, or nothing if there is no number.
    """
    if has_number(words) or {unit.text for unit in units(words)} - set(UNITS):
        return words
    before = [sentence[unit.start : unit.end] for unit in units(sentence) if unit.end <= start][-1:]
    return f"{before[0]} {words}" if before and has_number(before[0]) else ""


def has_number(words: str) -> bool:
    """Whether words contain a number, in digits or spelled out."""
    return any(word[0].isdigit() or word.lower() in NUMBERS for word in _WORD.findall(words))


def _kinds(words: str) -> set[str]:
    """The kinds of dates and amounts among the words. A bare number may be either."""
    facts = [] if words.strip().isdigit() else find(words, 0, len(words))
    return {fact.kind for fact in facts if fact.kind in ("date", "amount")}


def _is_verb(words: str) -> bool:
    """Whether words begin with a verb in the past tense, or end with a Korean verb."""
    first, last = words.split()[0].lower(), words.split()[-1]
    return is_past(first) or bool(_KOREAN_VERB.fullmatch(_POLITE.sub("다", last)))


def _joins(words: str, unit: Unit) -> bool:
    """Whether words lead from one member of a list to the next, starting after the last unit of the first."""
    size = unit.end - unit.start
    return bool(_AND.fullmatch(words[size:]) or (_KOREAN_AND.search(words[:size]) and not words[size:].strip()))
