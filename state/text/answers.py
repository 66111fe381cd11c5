"""Short answers: reading one from a chain of thought, voting, and the published scores."""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from .values import agreeing

_MARK = re.compile(r"\banswer(?: is)?\s*:|\banswer is\b", re.IGNORECASE)
_CONCLUDES = re.compile(
    r"(?:^|[.!?][ \t])[ \t*]*so the answer is\s*+:[ \t*]*+[^\s*][^\n]*\s*\Z", re.IGNORECASE | re.MULTILINE
)
_ANSWER_LINE = re.compile(rf"(?:{_MARK.pattern})\s*[^\n]+", re.IGNORECASE)
_AROUND = "*\"“”'` \t\n"
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_UNIT = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+")
SHORT = 100
"""In characters: a one-line text of at most this length may be an answer as it is."""
NULL_ANSWERS = frozenset(
    """none|no answer|unknown|not known|null|nothing|unclear|not given|not stated|i dont know|
    it does not say|does not say|it doesnt say|not mentioned|not specified|
    not enough information|cannot be determined|cant be determined|there is no answer""".replace("\n    ", "").split(
        "|"
    )
)
"""Phrases that say there is no answer, normalised. `N/A` also counts; `Na`, the symbol of sodium, does not."""

JUDGEMENTS = frozenset(
    """correct|incorrect|right|wrong|plausible|implausible|accepted|rejected|not correct|not right|not plausible|
    plausible and correct|correct and plausible|proposed answer|same|unchanged""".replace("\n    ", "").split("|")
)
"""Words that judge an answer and are not answers themselves, normalised."""

LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
"""The labels for a claim (FEVER)."""
_MEANS = {
    "NOT ENOUGH INFO": r"no(?:t)? enough|insufficient|nei\b|un(?:known|verifiable)|can ?not |cant |not verifiable",
    "SUPPORTS": r"(?:supports?|supported|true|yes|correct|right)\b",
    "REFUTES": r"(?:refutes?|refuted|contradict(?:s|ed)?|false|no|incorrect|wrong|not (?:true|correct|right))\b",
}
"""How the forms of each label begin, normalised; tried in this order."""


def read_answer(text: str) -> str:
    """The short answer of a chain of thought that ends with `So the answer is: X.`; without such an end, all of it."""
    ends = [mark.end() for mark in _MARK.finditer(text)]
    answer = text[ends[-1] :].strip(_AROUND).partition("\n")[0] if ends else text
    return answer.strip(_AROUND).removesuffix(".").strip(_AROUND)


def through_answer(text: str) -> str:
    """A chain of thought up to the line that states the answer: a model may go on with questions of its own."""
    match = _ANSWER_LINE.search(text)
    return text[: match.end()] if match else text


def says_answer(text: str) -> bool:
    """Whether a text states an answer, as the end of a chain of thought does."""
    return bool(_ANSWER_LINE.search(text))


def concludes(text: str) -> bool:
    """Whether the last line of a text states an answer, in a sentence that begins with "So the answer is:"."""
    return bool(_CONCLUDES.search(text))


def is_judgement(answer: str) -> bool:
    """Whether an answer only judges another: "correct", "plausible". It never replaces an answer."""
    return normalise(answer) in JUDGEMENTS


def short_answer(text: str) -> str:
    """As `read_answer`, but empty for a text without such an end, unless it is a short answer itself."""
    is_short = len(text) <= SHORT and "\n" not in text.strip()
    return read_answer(text) if is_short or _MARK.search(text) else ""


def read_label(answer: str) -> str:
    """The label that an answer to a claim means (one of `LABELS`, those of FEVER); empty if it is none of them."""
    plain = normalise(answer)
    return next((label for label, forms in _MEANS.items() if re.match(forms, plain)), "")


def normalise(answer: str) -> str:
    """Lower case, without punctuation, articles and extra white space (the comparison of SQuAD and HotpotQA)."""
    plain = answer.lower().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", plain).split())


def is_null(answer: str) -> bool:
    """Whether an answer says that there is none. A punctuation mark may be an answer; white space is not."""
    plain = answer.strip().lower()
    return not plain or plain.removesuffix(".") == "n/a" or normalise(plain) in NULL_ANSWERS


def exact_match(answer: str, gold: Iterable[str]) -> bool:
    """Whether an answer equals a right one after normalisation (EM); if that leaves nothing, as written."""
    return any(_squad(answer) == _squad(right) for right in gold)


def f1(answer: str, gold: Iterable[str]) -> float:
    """The best word overlap with one of the right answers, from 0 to 1."""
    return max((_overlap(normalise(answer).split(), normalise(right).split()) for right in gold), default=0.0)


def kf1(response: str, evidence: str) -> float:
    """Knowledge F1: the word overlap of a response with the evidence, from 0 to 1 (arXiv 2302.12813).

    Words are compared as in `normalise`. Typographic punctuation is ignored like plain punctuation, and in Chinese,
    Japanese and Korean every character is a word.
    """
    return _overlap(_units(response), _units(evidence))


def number_in(text: str) -> str | None:
    """A number as a plain decimal, without thousands separators, currency and percent signs; None if it is not one."""
    plain = text.strip().removesuffix(".").replace(",", "").replace("$", "").replace("%", "").strip()
    return plain if re.fullmatch(r"[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?", plain, re.IGNORECASE) else None


def same_number(answer: str, gold: str) -> bool:
    """CRITIC's strict equality of answers: numbers are rounded to the fewer decimals, otherwise text is compared.

    True and False are yes and no.
    """
    mine, right = number_in(answer), number_in(gold)
    if mine is None or right is None:
        return _as_text(answer) == _as_text(gold)
    return equal_numbers(mine, right)


def equal_numbers(answer: str, gold: str) -> bool:
    """Whether two plain decimals are equal after rounding both to the fewer decimals."""
    decimals = min(len(number.lower().partition("e")[0].partition(".")[2]) for number in (answer, gold))
    return abs(round(float(answer), decimals) - round(float(gold), decimals)) < 1e-9


def _as_text(answer: str) -> str:
    word = answer.strip().lower()
    return {"true": "yes", "false": "no"}.get(word, word)


def majority(answers: Sequence[str]) -> int | None:
    """The index of the first answer that agrees with the most answers; None if all are null. Ties go to the earlier."""
    places = [place for place, answer in enumerate(answers) if not is_null(answer)]
    votes = [len(alike) for alike in agreeing([answers[place] for place in places])]
    return places[votes.index(max(votes))] if votes else None


def _squad(answer: str) -> str:
    """What EM compares. An article or a punctuation mark alone may be an answer, as the blood group A is."""
    return normalise(answer) or answer.strip().lower()


def _units(text: str) -> list[str]:
    plain = "".join(char for char in text if not unicodedata.category(char).startswith("P"))
    return _UNIT.findall(normalise(plain))


def _overlap(mine: list[str], theirs: list[str]) -> float:
    if not mine or not theirs:
        return float(mine == theirs)
    shared = (Counter(mine) & Counter(theirs)).total()
    return 2 * shared / (len(mine) + len(theirs))
