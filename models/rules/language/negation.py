"""Reversing a statement with `not`, and back."""

import re

from ....state.errors import Undecided
from .clauses import Clause
from .verbs import AUXILIARIES

CONTRACTIONS = {"can't": "can", "cannot": "can", "won't": "will", "shan't": "shall"}
_NOT = re.compile(r"(?<!\s)\s+(?:not|never)\b")


def turned(text: str, claim: Clause) -> str:
    """The text with the claim negated, or its negation removed. Raises Undecided if no rule fits."""
    start, end = claim.span
    clause = text[start:end]
    new = _without_not(clause) if claim.negated else _with_not(clause, claim)
    if new == clause:
        raise Undecided("no rule reverses this statement")
    return text[:start] + new + text[end:]


def _without_not(clause: str) -> str:
    for word in re.findall(r"[\w'’]+", clause):
        lowered = word.replace("’", "'").lower()
        if lowered in CONTRACTIONS:
            return clause.replace(word, CONTRACTIONS[lowered], 1)
        if lowered.endswith("n't"):
            return clause.replace(word, word[:-3], 1)
    if re.search(r"\bno longer\b", clause):
        return re.sub(r"\bno longer\b", "still", clause, count=1)
    return _NOT.sub("", clause, count=1)


def _with_not(clause: str, claim: Clause) -> str:
    for word in claim.words:
        if word.lower in AUXILIARIES:
            offset = word.end - claim.span[0]
            return clause[:offset] + ("not" if word.lower == "can" else " not") + clause[offset:]
    return clause
