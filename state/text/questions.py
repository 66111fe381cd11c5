"""When two questions ask the same, as far as their words show."""

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


def canonical(question: str) -> str:
    """A canonical form of a question, the same for all that ask the same in nearly the same words.

    Case, punctuation, articles, endings, ways to ask for a year, and whether a phrase such as `in 1889` comes first or
    last do not count. All other words do, in their order: who did what to whom, numbers, names and `not`.
    """
    line = " ".join(plain(question).lower().split())
    if language(question) != "en":
        return "".join(char for char in line if char.isalnum())
    for form, replacement in _ASKS_ALIKE:
        line = form.sub(replacement, line)
    content_words = [word for word in _WORD.findall(line) if word not in _IDLE]
    words = [stemmed(word) for word in content_words]
    return " ".join(min(words[place:] + words[:place] for place in range(len(words)))) if words else line


def distinct(questions: list[str]) -> list[str]:
    """The questions without repetition, each in its first form."""
    by_form: dict[str, str] = {}
    for question in questions:
        by_form.setdefault(canonical(question), question)
    return list(by_form.values())
