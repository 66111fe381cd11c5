"""Character spans of edits: replaying them, and finding them in the original and in the final text."""

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise, product
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein
from typing_extensions import TypedDict

from ..records import Edit
from .segments import Span
from .typography import reading, typed_as
from .values import same_quantity


class Segment(TypedDict):
    """A stretch of text that is either untouched (no edits) or replaced."""

    before: str
    after: str
    edits: list[int]
    """The positions, in the list of edits, of the edits that made this replacement; empty if the text is untouched."""


class Change(NamedTuple):
    """A replacement for text[start:end]."""

    start: int
    end: int
    after: str


Placed = tuple[str, int, int]
"""A normalised token, and where it begins and ends in the text."""

_CJK = r"\u3040-\u30ff\u3400-\u9fff"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+(?:[.,'’\-][^\W_{_CJK}]+)*|\S")
JOINTS = frozenset("of de la van von der den du da di al bin ibn".split())
"""A single one of these words between two changes, as in `Jan van Eyck`, is included in them."""


_IN_NUMBER = ".,:/"
_CONTRACTED = re.compile(r"(?:t|re|ve|ll|d|m)\b", re.IGNORECASE)
_NO_SPACES = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]"
)
"""Letters of scripts without spaces between words, or (Korean) between a word and its particle."""


def find(text: str, words: str) -> list[Span]:
    """Where words occur in a text, whatever quotes, dashes, spaces and line breaks either uses."""
    in_text, sought = reading(text), reading(words.strip()).text
    spans: list[Span] = []
    place = in_text.text.find(sought) if sought else -1
    while place >= 0:
        end = place + len(sought)
        # One sign may be read as several, such as the dots of an ellipsis: it is found whole or not at all.
        if (
            in_text.starts[place - 1 : place] != [in_text.starts[place]]
            and in_text.ends[end - 1] not in in_text.ends[end : end + 1]
        ):
            spans.append((in_text.starts[place], in_text.ends[end - 1]))
        place = in_text.text.find(sought, place + len(sought))
    return spans


def whole(text: str, words: str) -> list[Span]:
    """As `find`, but only where no token is cut: `400` is not in `2,400`."""
    return [(start, end) for start, end in find(text, words) if not cuts(text, start, end)]


def cuts(text: str, start: int, end: int) -> bool:
    """Whether a span cuts a token of the text at either end."""
    return inside_token(text, start) or inside_token(text, end)


def inside_token(text: str, offset: int) -> bool:
    """Whether an offset is inside a word, a number or a contraction. A number includes its sign and its separators.

    In scripts without spaces this cannot be known, so any place between two letters counts as an end.
    """
    if not 0 < offset < len(text):
        return False
    left, right = text[offset - 1], text[offset]
    before, after = text[offset - 2 : offset - 1] if offset > 1 else "", text[offset + 1 : offset + 2]
    if unicodedata.category(right).startswith("M"):
        return True
    if _in_word(left) and _in_word(right):
        return not (_NO_SPACES.match(left) or _NO_SPACES.match(right))
    if left.isdigit() and right in _IN_NUMBER:
        return after.isdigit()
    if right.isdigit() and left in _IN_NUMBER:
        return before.isdigit()
    if right.isdigit() and left in "-−":  # a sign, or a name such as B-52; between numbers it joins a range
        return not before or before.isalpha() or before.isspace() or before in "([$£€¥₩"
    if left.isalpha() and right == "-":
        return after.isdigit()
    if right in "'’":
        return left.isalpha() and bool(_CONTRACTED.match(text, offset + 1))
    return left in "'’" and before.isalpha() and bool(_CONTRACTED.match(text, offset))


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_" or unicodedata.category(char).startswith("M")


def changes(before: str, after: str) -> list[Change]:
    """The fewest words to replace so that one text becomes the other, from left to right; offsets are of `before`.

    White space, quotes and dashes that are only typed differently are left alone, and so are numbers and dates that are
    only written differently.
    """
    mine, theirs = _placed(before), _placed(after)
    codes = Levenshtein.opcodes([token for token, *_ in mine], [token for token, *_ in theirs])
    runs: list[list[int]] = []
    for code in codes:
        if code.tag == "equal":
            continue
        if runs and _is_joint(mine[runs[-1][1] : code.src_start]):
            runs[-1][1], runs[-1][3] = code.src_end, code.dest_end
        else:
            runs.append([code.src_start, code.src_end, code.dest_start, code.dest_end])
    differing = _without_same_quantities(runs, before, after, mine, theirs)
    return [
        _change(before, after, _cut(before, mine, *run[:2]), _cut(after, theirs, *run[2:]), run) for run in differing
    ]


def _without_same_quantities(
    runs: list[list[int]], before: str, after: str, mine: list[Placed], theirs: list[Placed]
) -> list[list[int]]:
    """The runs except those that only write a number or a date differently: `508 m`, `July 20, 1969`.

    Up to three runs are compared together with what is between them, and the word before, which may be the number.
    """
    differing: list[list[int]] = []
    while runs:
        for count, word_before in product(range(min(3, len(runs)), 0, -1), (0, 1)):
            joined = runs[:count]
            first, last = max(joined[0][0] - word_before, 0), joined[-1][1]
            new_first, new_last = max(joined[0][2] - word_before, 0), joined[-1][3]
            if first < last and new_first < new_last:
                old = before[mine[first][1] : mine[last - 1][2]]
                new = after[theirs[new_first][1] : theirs[new_last - 1][2]]
                as_typed = _quotes(mine[first:last]) == _quotes(theirs[new_first:new_last])
                if as_typed and old.endswith(".") == new.endswith(".") and same_quantity(old, new):
                    runs = runs[count:]
                    break
        else:
            differing.append(runs[0])
            runs = runs[1:]
    return differing


def _quotes(tokens: list[Placed]) -> int:
    """How many quotation marks: to a quantity they mean nothing, to the text they do."""
    return sum(token == '"' for token, *_ in tokens)


def _placed(text: str) -> list[Placed]:
    """The normalised tokens of a text, and where they are in it."""
    as_read = reading(text)
    matches = _TOKEN.finditer(as_read.text)
    return [(match.group(), as_read.starts[match.start()], as_read.ends[match.end() - 1]) for match in matches]


def _is_joint(between: list[Placed]) -> bool:
    return not between or (len(between) == 1 and between[0][0] in JOINTS)


def _cut(text: str, tokens: list[Placed], first: int, last: int) -> tuple[int, int]:
    """The offsets of tokens[first:last] with the white space on both sides."""
    return (tokens[first - 1][2] if first else 0), (tokens[last][1] if last < len(tokens) else len(text))


def _change(before: str, after: str, mine: tuple[int, int], theirs: tuple[int, int], run: list[int]) -> Change:
    """One change, without what both sides have in common at their ends: white space, if words remain words."""
    old, new = before[slice(*mine)], after[slice(*theirs)]
    heads = len(old) - len(old.lstrip()), len(new) - len(new.lstrip())
    tails = len(old) - len(old.rstrip()), len(new) - len(new.rstrip())
    if run[0] < run[1] and run[2] < run[3]:  # words for words: the white space around them stays that of the text
        return Change(mine[0] + heads[0], mine[1] - tails[0], typed_as(new.strip(), old))
    if all(heads):
        return Change(mine[0] + heads[0], mine[1], new[heads[1] :])
    if all(tails):
        return Change(mine[0], mine[1] - tails[0], new[: len(new) - tails[1]])
    return Change(*mine, new)


def replay(original: str, edits: Iterable[Edit]) -> str:
    """Apply the applied edits in order.

    Raises:
        ValueError: If an edit's span does not select its `before`.
    """
    text = original
    for edit in edits:
        if not edit["applied"]:
            continue
        if text[edit["start"] : edit["end"]] != edit["before"]:
            raise ValueError(f"span {edit['start']}:{edit['end']} does not select {edit['before']!r}")
        text = text[: edit["start"]] + edit["after"] + text[edit["end"] :]
    return text


def segments(original: str, edits: list[Edit]) -> list[Segment]:
    """Cut the original and the final text into matching segments.

    All `before` joined give the original, all `after` the final text. Edits in the same place merge into one segment,
    so that the original shows what was replaced, however often it was.
    """
    parts = [untouched(original)]
    for position, edit in enumerate(edits):
        if edit["applied"]:
            parts = _apply(parts, position, edit)
    return [part for part in parts if part["before"] or part["after"]]


def _apply(parts: list[Segment], position: int, edit: Edit) -> list[Segment]:
    before: list[Segment] = []
    after: list[Segment] = []
    merged: Segment = {"before": "", "after": edit["after"], "edits": [position]}
    offset = 0
    for part in parts:
        text = part["after"]
        start, end = edit["start"] - offset, edit["end"] - offset
        offset += len(text)
        if start >= len(text):
            before.append(part)
        elif end <= 0:
            after.append(part)
        else:
            head, tail = text[: max(start, 0)], text[end:]
            if part["edits"]:
                # A part of an earlier replacement is replaced again: it is included as a whole.
                merged["before"] += part["before"]
                merged["after"] = head + merged["after"] + tail
                merged["edits"] = sorted({*merged["edits"], *part["edits"]})
            else:
                merged["before"] += text[max(start, 0) : end]
                before += [untouched(head)] if head else []
                after += [untouched(tail)] if tail else []
    return [*before, merged, *after]


def untouched(text: str) -> Segment:
    """The segment of a text that no edit changes."""
    return {"before": text, "after": text, "edits": []}


def marked(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[str, list[int]]]:
    """Cut a text where spans begin and end: each stretch with the positions of the spans that it lies in.

    The stretches joined are the text. Spans may overlap; empty ones mark nothing.
    """
    span_list = list(spans)
    cuts = sorted({0, len(text), *(min(max(cut, 0), len(text)) for span in span_list for cut in span)})
    return [
        (text[first:last], [number for number, (start, end) in enumerate(span_list) if start <= first and last <= end])
        for first, last in pairwise(cuts)
    ]
