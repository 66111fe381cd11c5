"""Finding the value of a program whose last line is an expression, as a notebook does.

The program is only split into tokens here, never parsed or compiled: a parser can be made to overflow its stack.
"""

import io
import keyword
import tokenize
from tokenize import TokenInfo

_OPENING_KEYWORDS = {"None", "True", "False", "not", "lambda", "await"}
"""Keywords that an expression can begin with."""
_COMPARISONS = {"==", "!=", "<=", ">="}
_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def keep_last(code: str, name: str) -> str:
    """The program with its last statement assigned to `name`, if that looks like an expression; otherwise unchanged.

    It can be wrong about odd syntax, but then the result does not compile, and the original can be run instead.
    """
    statement = _last_statement(code)
    if not statement or not _looks_like_expression(statement):
        return code
    lines = code.split("\n")
    (row, column), (end_row, end_column) = statement[0].start, statement[-1].end
    lines[end_row - 1] = f"{lines[end_row - 1][:end_column]}){lines[end_row - 1][end_column:]}"
    lines[row - 1] = f"{lines[row - 1][:column]}{name} = ({lines[row - 1][column:]}"
    return "\n".join(lines)


def _last_statement(code: str) -> list[TokenInfo]:
    """The tokens of the last statement; none if it is inside a block or the program is malformed."""
    line: list[TokenInfo] = []
    ended, block, block_of_line = True, 0, 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.ERRORTOKEN:
                return []
            block += (token.type == tokenize.INDENT) - (token.type == tokenize.DEDENT)
            if token.type == tokenize.NEWLINE:
                ended = True
            elif token.type not in _LAYOUT:
                if ended:
                    line, ended, block_of_line = [], False, block
                line.append(token)
    except (tokenize.TokenError, SyntaxError):
        return []
    return [] if block_of_line or not line or _begins_otherwise(line[0]) else _after_semicolons(line)


def _begins_otherwise(first: TokenInfo) -> bool:
    """Whether a line begins as no expression does."""
    return first.string == "@" or (keyword.iskeyword(first.string) and first.string not in _OPENING_KEYWORDS)


def _after_semicolons(line: list[TokenInfo]) -> list[TokenInfo]:
    """The last of the statements on a line."""
    parts: list[list[TokenInfo]] = [[]]
    for token in line:
        if token.string == ";":
            parts.append([])
        else:
            parts[-1].append(token)
    return next((part for part in reversed(parts) if part), [])


def _looks_like_expression(statement: list[TokenInfo]) -> bool:
    """Whether nothing is assigned outside of brackets."""
    if _begins_otherwise(statement[0]):
        return False
    depth = 0
    for token in statement:
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
            if depth == 0 and token.string.endswith("=") and token.string not in _COMPARISONS | {":="}:
                return False
    return True
