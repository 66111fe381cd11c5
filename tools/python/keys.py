"""Bound methods as keys, as in `max(ages, key=ages.get)`: models write them, and the small interpreter has none.

The program is only split into tokens here, never parsed: a parser can be made to overflow its stack.
"""

import io
import tokenize

_KEYED = {"max", "min", "sort", "sorted"}
_ELEMENT = "_errata_element"


def with_lambdas(code: str) -> str:
    """The program with `key=ages.get` as `key=lambda element: ages.get(element)` in calls that take a key.

    Within such a call `ages` stays what it is, so the two are the same. Lines keep their numbers.
    """
    lines = code.split("\n")
    for row, start, end in reversed(_bound_keys(code)):
        line = lines[row - 1]
        lines[row - 1] = f"{line[:start]}lambda {_ELEMENT}: {line[start:end]}({_ELEMENT}){line[end:]}"
    return "\n".join(lines)


def _bound_keys(code: str) -> list[tuple[int, int, int]]:
    """Row, first column and end of every bound method that is a key; none if the program is malformed."""
    try:
        tokens = [each for each in tokenize.generate_tokens(io.StringIO(code).readline) if each.type != tokenize.NL]
    except (tokenize.TokenError, SyntaxError):
        return []
    found: list[tuple[int, int, int]] = []
    callers: list[str] = []
    for number, token in enumerate(tokens):
        if token.string in ("(", "[", "{"):
            callers.append(tokens[number - 1].string if token.string == "(" and number else "")
        elif token.string in (")", "]", "}") and callers:
            callers.pop()
        elif token.string == "key" and callers and callers[-1] in _KEYED:
            equals, owner, dot, method, after = (tokens[number + 1 :] + tokens[-1:] * 5)[:5]
            is_bound = (equals.string, dot.string) == ("=", ".") and after.string in (",", ")")
            if is_bound and owner.type == method.type == tokenize.NAME and owner.start[0] == method.end[0]:
                found.append((owner.start[0], owner.start[1], method.end[1]))
    return found
