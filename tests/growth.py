"""Whether work grows faster than what it is given, told by processor time; and texts that are written to make it so.

Nowhere else does a test look at a clock. Here it is the time that this thread computes, not that which passes, and what
counts is how it grows: what is quick at four times the size passes without being looked at twice.
"""

import gc
import re
import signal
import time
from collections.abc import Callable, Iterator
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

MOST = 4**1.3
"""How many times longer something four times as large may take."""
UNSEEN = 0.04
"""Seconds of computing that nobody notices, and no machine measures well."""
ENDLESS = 5.0
"""Seconds of computing after which something is taken to go on for ever."""

ROUNDS = 12
"""How often each size is tried, at most. The quickest try counts, as the others waited for something else."""

LETTERS = " a1A.,-\n\t('\"<[{_#*é中:;/=+$%\\"
KINDS = (
    *"a 1A\n.-([{<\"'*_#`é中&:/\\\t",
    *("a ", "1,", "1 ", "1.", "1/", "A. ", " \n", "\n\n", "<a ", "</", "<!--", "[a](", "**a ", '{"a":', "[[", '"a", '),
    *(
        "Aa",
        "Aa ",
        "a, ",
        "aA1 ",
        "1905 ",
        "In 1905 ",
        "not ",
        "and ",
        "of the ",
        "A and B, ",
        "(a) ",
        "“a” ",
        "5 km ",
        "$5 ",
    ),
    *("The ferry left Skorn in 1905. ", "the Ferry of Arn and the Bridge of Skorn, which opened in 1905, "),
    *(
        "# a\n",
        "- a\n",
        "```\n",
        "> a\n",
        "answer ",
        "the answer is ",
        "<think>",
        "x = 1\n",
        "def ",
        "Who left? ",
        "\x00",
    ),
)
"""What hostile texts are made of."""


class Endless(Exception):
    pass


def growth(make: Callable[[int], Any], work: Callable[[Any], object], size: int, unseen: float = UNSEEN) -> str:
    """What is wrong with how some work grows; empty if nothing is.

    Args:
        make: What is worked on, by its size.
        work: The work.
        size: The smallest size; the others are twice and four times as large.
        unseen: Seconds under which nothing is too much for the largest.
    """
    sizes = [make(size * times) for times in (1, 2, 4)]
    rounds: list[list[float]] = []
    try:
        if spent(work, sizes[-1]) < unseen:
            return ""
        for _ in range(ROUNDS):  # in turn, so that a busy spell of the machine does not fall on one size only
            rounds.append([spent(work, given) for given in sizes])
            once, twice, large = (min(tries) for tries in zip(*rounds, strict=True))
            if len(rounds) > 2 and large <= MOST * max(once, unseen / MOST):
                return ""
    except Endless:
        return f"it did not end within {ENDLESS:g} s"
    return f"{once:.3f}, {twice:.3f}, {large:.3f} s for {size:,} and twice and four times as much"


def spent(work: Callable[[Any], object], given: Any) -> float:
    """Seconds of computing. Raises Endless if it is too many."""

    def give_up(*_: object) -> None:
        raise Endless

    was_collecting = gc.isenabled()
    gc.disable()  # a collection goes through all that the tests before have left, and hits the largest size first
    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, ENDLESS)
    try:
        start = time.thread_time()
        work(given)
        return time.thread_time() - start
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        if was_collecting:
            gc.enable()


def repeated(text: str, head: str = "", tail: str = "") -> Callable[[int], str]:
    """A text of a size, made of the same words again and again."""
    return lambda size: head + text * (size // len(text) + 1) + tail


def against(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str]]:
    """Texts that a pattern may run wild on: what leads to a loop in it, and what goes round in the loop."""
    flags = pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    for head, loop in _loops(parser.parse(source, flags), ""):
        yield head, loop
        yield "", head + loop
    for kind in KINDS:
        yield "", kind


def _loops(parsed: Any, before: str) -> Iterator[tuple[str, str]]:
    for place, (code, given) in enumerate(parsed):
        head = before + _matched(parsed[:place])
        if code in (op.MAX_REPEAT, op.MIN_REPEAT):
            if given[1] > 100:
                yield head, _matched(given[2]) or "a"
                yield head, _matched(given[2], 1) or "a"
            yield from _loops(given[2], head)
        elif code is op.SUBPATTERN:
            yield from _loops(given[3], head)
        elif code is op.ASSERT:
            yield from _loops(given[1], head)
        elif code is op.BRANCH:
            for branch in given[1]:
                yield from _loops(branch, head)


def _matched(parsed: Any, choice: int = 0) -> str:
    """A text that part of a pattern matches; another one for another choice."""
    text = ""
    for code, given in parsed:
        if code is op.LITERAL:
            text += chr(given)
        elif code is op.IN:
            text += _member(given)
        elif code in (op.ANY, op.NOT_LITERAL):
            text += "b" if given == ord("a") else "a"
        elif code is op.BRANCH:
            text += _matched(given[1][min(choice, len(given[1]) - 1)], choice)
        elif code is op.SUBPATTERN:
            text += _matched(given[3], choice)
        elif code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            text += _matched(given[2], choice) * max(given[0], choice)
        elif code is op.ATOMIC_GROUP:
            text += _matched(given, choice)
    return text


CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}


def _member(members: Any) -> str:
    """A character of a class."""
    excluded = members[0][0] is op.NEGATE
    listed = [
        chr(given if code is op.LITERAL else given[0]) for code, given in members if code in (op.LITERAL, op.RANGE)
    ]
    letters: list[str] = [*LETTERS, *listed]
    for letter in letters:
        if any(_is(letter, code, given) for code, given in members) != excluded:
            return letter
    return "~"


def _is(letter: str, code: Any, given: Any) -> bool:
    match code:
        case op.LITERAL:
            return ord(letter) == int(given)
        case op.RANGE:
            return int(given[0]) <= ord(letter) <= int(given[1])
        case op.CATEGORY:
            return bool(re.match(CATEGORIES[given], letter))
    return False
