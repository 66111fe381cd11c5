"""When two questions ask the same, as far as words can tell."""

import re

from .segments import language, stemmed
from .typography import plain

_WORD = re.compile(r"[^\W_]+(?:[.,'][^\W_]+)*")
_ASKS_ALIKE = (  # in this order
    (re.compile(r"^(?:in|during) (?:what|which) year\b|^what year\b"), "which year"),
    (re.compile(r"^(?:on|at) (?:what|which) date\b|^what date\b"), "which date"),
    (re.compile(r"^(?:in|at) (?:what|which) place\b"), "where"),
    (re.compile(r"^(?:can|could|please|do) (?:you )?tell me\b"), ""),
)
_IDLE = frozenset("a an the exactly precisely please".split())


def asked(question: str) -> str:
    """What a question asks, in one form for all that ask it in nearly the same words.

    Case, punctuation, articles, endings and ways to ask for a year do not count, nor whether a phrase such as
    `in 1889` comes first or last. All other words do, in their order: who did it to whom, numbers, names and `not`.
    """
    line = " ".join(plain(question).lower().split())
    if language(question) != "en":
        return "".join(char for char in line if char.isalnum())
    for form, same in _ASKS_ALIKE:
        line = form.sub(same, line)
    found = [word for word in _WORD.findall(line) if word not in _IDLE]
    words = [stemmed(word) for word in found]
    return " ".join(min(words[place:] + words[:place] for place in range(len(words)))) if words else line


def distinct(questions: list[str]) -> list[str]:
    """The questions, each once, as it was asked first."""
    kept: dict[str, str] = {}
    for question in questions:
        kept.setdefault(asked(question), question)
    return list(kept.values())
