"""Short answers: reading one out of a chain of thought, and comparing it with others."""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable

_ANSWER = re.compile(r"\banswer(?: is)?\s*:\s*(.+)|\banswer is\s+(.+)", re.IGNORECASE)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_UNIT = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+")
SHORT = 100
"""Characters: a text of one line up to this length may be an answer as it stands."""
NULL_ANSWERS = frozenset(
    """|none|no answer|unknown|not known|na|null|nothing|unclear|not given|not stated|i dont know|
    not enough information|cannot be determined|cant be determined|there is no answer""".replace("\n    ", "").split(
        "|"
    )
)
"""What says that there is no answer, normalised."""


def read_answer(text: str) -> str:
    """The short answer of a chain of thought that ends with `So the answer is: X.`; without such an end, all of it."""
    found = _ANSWER.findall(text)
    answer = next(filter(None, found[-1])) if found else text
    return answer.strip().strip("*\"“”'` ").removesuffix(".").strip()


def short_answer(text: str) -> str:
    """As `read_answer`, but empty for a text without such an end, unless it is a short answer itself."""
    is_short = len(text) <= SHORT and "\n" not in text.strip()
    return read_answer(text) if is_short or _ANSWER.search(text) else ""


def normalise(answer: str) -> str:
    """Lower case, without punctuation, articles and extra white space (the comparison of SQuAD and HotpotQA)."""
    plain = answer.lower().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", plain).split())


def same_answer(one: str, other: str) -> bool:
    """Whether two answers are equal once normalised; where nothing is left of both, as they were written."""
    mine, theirs = normalise(one), normalise(other)
    return mine == theirs if mine or theirs else one.strip() == other.strip()


def is_null(answer: str) -> bool:
    """Whether an answer says that there is none. A punctuation mark may be an answer; white space is not."""
    return not answer.strip() or (normalise(answer) in NULL_ANSWERS and any(map(str.isalnum, answer)))


def exact_match(answer: str, gold: Iterable[str]) -> bool:
    """Whether an answer equals one of the right ones (EM)."""
    return any(same_answer(answer, right) for right in gold)


def f1(answer: str, gold: Iterable[str]) -> float:
    """The best overlap in words with one of the right answers, from 0 to 1."""
    return max((_overlap(normalise(answer).split(), normalise(right).split()) for right in gold), default=0.0)


def kf1(response: str, evidence: str) -> float:
    """Knowledge F1: the overlap in words of a response with the evidence, from 0 to 1 (arXiv 2302.12813).

    Words are compared as in `normalise`. Typographic punctuation counts as little as the plain one, and in Chinese,
    Japanese and Korean every character is a word.
    """
    return _overlap(_units(response), _units(evidence))


def majority(answers: Iterable[str]) -> int | None:
    """Place of the first answer of the kind that is given most often; None if all are null. Ties go to the earlier."""
    known = [(place, normalise(answer)) for place, answer in enumerate(answers) if not is_null(answer)]
    if not known:
        return None
    (most, _), *_ = Counter(answer for _, answer in known).most_common(1)
    return next(place for place, answer in known if answer == most)


def _units(text: str) -> list[str]:
    plain = "".join(char for char in text if not unicodedata.category(char).startswith("P"))
    return _UNIT.findall(normalise(plain))


def _overlap(mine: list[str], theirs: list[str]) -> float:
    if not mine or not theirs:
        return float(mine == theirs)
    shared = (Counter(mine) & Counter(theirs)).total()
    return 2 * shared / (len(mine) + len(theirs))
