"""Idioms that models write and the small interpreter lacks, in words that it has.

Bound methods as keys, as in `max(ages, key=ages.get)`: it has none. The next of a generator, as in
`next(name for name in ages if ages[name] > 9)`: its generators are lists.

The program is only split into tokens here, never parsed: a parser can be made to overflow its stack.
"""

import io
import tokenize
from collections.abc import Iterator, Sequence

_KEYED = {"max", "min", "sort", "sorted"}
_ELEMENT = "_errata_element"
_OPENING, _CLOSING = {"(", "[", "{"}, {")", "]", "}"}

_Insertion = tuple[tuple[int, int], str]
"""Row, from 1, and column, and what is put there."""


def portable(code: str) -> str:
    """The program with `key=lambda element: ages.get(element)`, and with `next(iter(name for name in ages))`.

    In a call that takes a key, `ages` stays what it is, and a generator that has no name is asked once. So the two
    programs are the same. Lines keep their numbers.
    """
    lines = code.split("\n")
    tokens = _tokens(code)
    for (row, column), words in sorted([*_bound_keys(tokens), *_generators(tokens)], reverse=True):
        line = lines[row - 1]
        lines[row - 1] = f"{line[:column]}{words}{line[column:]}"
    return "\n".join(lines)


def _tokens(code: str) -> list[tokenize.TokenInfo]:
    """The tokens of a program; none if it is malformed."""
    passed_over = (tokenize.NL, tokenize.COMMENT)
    try:
        return [each for each in tokenize.generate_tokens(io.StringIO(code).readline) if each.type not in passed_over]
    except (tokenize.TokenError, SyntaxError):
        return []


def _bound_keys(tokens: list[tokenize.TokenInfo]) -> Iterator[_Insertion]:
    """What makes a lambda of every bound method that is a key."""
    callers: list[str] = []
    for number, token in enumerate(tokens):
        if token.string in _OPENING:
            callers.append(tokens[number - 1].string if token.string == "(" and number else "")
        elif token.string in _CLOSING and callers:
            callers.pop()
        elif token.string == "key" and callers and callers[-1] in _KEYED:
            equals, owner, dot, method, after = (*tokens[number + 1 :], *tokens[-1:] * 5)[:5]
            is_bound = (equals.string, dot.string) == ("=", ".") and after.string in (",", ")")
            if is_bound and owner.type == method.type == tokenize.NAME and owner.start[0] == method.end[0]:
                yield owner.start, f"lambda {_ELEMENT}: "
                yield method.end, f"({_ELEMENT})"


def _generators(tokens: list[tokenize.TokenInfo]) -> Iterator[_Insertion]:
    """What makes an iterator of every generator whose next element is asked for on the spot."""
    for before, name, opening, start in zip([None, *tokens], tokens, tokens[1:], range(2, len(tokens)), strict=False):
        if (name.string, opening.string) != ("next", "(") or (before and before.string in (".", "def")):
            continue
        depths = _depths(tokens[start:])
        argument = tokens[start : start + len(depths)]
        is_wrapped = bool(depths) and argument[0].string == "(" and 0 not in depths[1:-1]
        fors = {depth for depth, token in zip(depths, argument, strict=True) if token.string == "for"}
        if 0 in fors or (is_wrapped and 1 in fors):
            yield argument[0].start, "iter("
            yield argument[-1].end, ")"


def _depths(tokens: Sequence[tokenize.TokenInfo]) -> list[int]:
    """How many brackets each token of a call's first argument stands in; brackets stand in the one around them."""
    depths: list[int] = []
    depth, ends = 0, {",", *_CLOSING}
    for token in tokens:
        if depth == 0 and token.string in ends:
            return depths
        if depth == 0 and token.string == "for":
            ends = _CLOSING  # a comma would belong to its names
        depth -= token.string in _CLOSING
        depths.append(depth)
        depth += token.string in _OPENING
    return []
