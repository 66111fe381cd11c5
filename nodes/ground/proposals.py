"""Proposals: the changes that a model's reply asks for, each as one stretch of the passage.

A model may name them, with more words around them than differ, or write the passage again, with more around it than
the passage.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from rapidfuzz.distance import Indel

from ...models.tasks.grounding import GroundedChange
from ...state import Evidence
from ...state.methods.grounding import Change, Judged
from ...state.text.segments import Span, sentences, tokens
from ...state.text.spans import Change as Replacement
from ...state.text.spans import put, stretch, whole
from ..cite import quoted

NOT_THERE = "The passage does not have these words."
ANOTHER_TEXT = "It is another text, and not a correction of this one."
_BLANK = re.compile(r"\n[ \t]*\n")
_STRUCK = re.compile(r"~~[^~\n]*~~ ?")
_BOLD = re.compile(r"\*\*|(?<!\w)__(?=\w)|(?<=\w)__(?!\w)")
_FENCE = re.compile(r"```[^\n`]*\n(.*?)\n?```", re.DOTALL)
_ENDS = tuple(".!?。！？")
_QUOTES = "\"“„«»”'"
ALIKE = 0.6
"""How much of a reply one line of it has to share with the passage to be all that counts."""


LEAST_ALIKE = 0.15
"""How much of a reply and the passage has to be the same for the reply to be a revision."""
LOST = 0.4
"""What a character costs that was left out or added."""
BAND = 20
"""How many sentences a revision may be ahead or behind."""
_MOVES = ((1, 1), (2, 1), (1, 2), (3, 1), (1, 0), (0, 1))
"""How many sentences of the passage stand beside how many of its revision."""


class Group(NamedTuple):
    """Changes in the same sentences, which are verified together."""

    start: int
    """Where the first sentence begins in the passage."""
    end: int
    sentences: range
    changes: list[Change]

    def after(self, text: str) -> str:
        """The sentences with the changes made."""
        made = [
            Replacement(each["start"] - self.start, each["start"] - self.start + len(each["before"]), each["after"])
            for each in self.changes
        ]
        return put(text[self.start : self.end], made)


def is_placed(change: Change) -> bool:
    """Whether the passage has the words of a change."""
    return change["refused"] != NOT_THERE


def grouped(text: str, proposed: Iterable[Change]) -> list[Group]:
    """The changes by the sentences that they touch, in their order."""
    spans = sentences(text)
    groups: list[Group] = []
    for change in sorted(proposed, key=lambda each: each["start"]):
        touched = _touched(spans, change["start"], change["start"] + len(change["before"]))
        mine = [change]
        if groups and groups[-1].sentences.stop > touched.start:
            last = groups.pop()
            touched, mine = range(last.sentences.start, max(last.sentences.stop, touched.stop)), [*last.changes, change]
        groups.append(Group(spans[touched.start][0], spans[touched.stop - 1][1], touched, mine))
    return groups


def _touched(spans: Sequence[Span], start: int, end: int) -> range:
    """The numbers of the sentences that a stretch touches; for one between two sentences, the one before it."""
    first = min(bisect_right(spans, start, key=lambda span: span[1] - 1), len(spans) - 1)
    stop = bisect_left(spans, end, key=lambda span: span[0])
    return range(first, stop) if stop > first else range(max(first - 1, 0), max(first, 1))


def limit(text: str, share: float) -> int:
    """The most characters of a passage that one change may replace: a share of it, or as much as a sentence has."""
    return max(int(share * len(text)), *(end - start for start, end in sentences(text)), 1)


def named(
    text: str, proposed: Iterable[GroundedChange], shown: Sequence[Evidence], labels: Sequence[Judged], most: int
) -> list[Change]:
    """The changes that a model named, where they belong in the passage.

    Args:
        text: The passage.
        proposed: The changes.
        shown: The evidence, as it was numbered.
        labels: What the model said of the sentences: a change belongs in one that it called contradicted.
        most: How many characters one may replace.
    """
    wrong = [sentences(text)[label["sentence"]] for label in labels if label["status"] == "unresolved"]
    placed: list[Change] = []
    for each in proposed:
        before, after = _bare(each.before, each.after, text)
        spans = whole(text, before)
        spans = [span for span in spans if any(_meet(span, other) for other in wrong)] or spans
        evidence, quote = found(shown, each.evidence, each.quote)
        rests_on = {"why": each.why.strip(), "evidence": evidence, "quote": quote}
        if not spans:
            placed.append(_change(0, before, after, NOT_THERE, **rests_on))
        for start, end in spans:
            if part := stretch(text[start:end], _ended(after, before, text[end : end + 1])):
                old = text[start + part.start : start + part.end]
                placed.append(
                    _change(start + part.start, old, part.after, _too_long(old, part.after, most), **rests_on)
                )
    return _disjoint(placed)


def found(shown: Sequence[Evidence], number: int, quote: str) -> tuple[str, str]:
    """The evidence that has a quote, first that of the number, and the quote as it stands there; no id without one."""
    cited = shown[number - 1 : number] if number > 0 else []
    for piece in [*cited, *shown] if tokens(quote) else ():
        if span := quoted(piece["text"], quote):
            return piece["id"], piece["text"][slice(*span)]
    return "", quote


def rewritten(text: str, reply: str, most: int) -> list[Change]:
    """The changes in a passage that a model wrote again: all that it changed in a sentence is one.

    Sentences that it joined or split are one change as well. Those that it left out stay, and those that it added go.
    """
    reply = written(reply, text)
    refused = ANOTHER_TEXT if _alike(reply, text) < LEAST_ALIKE else ""
    proposed: list[Change] = []
    for (start, end), (first, last) in _aligned(text, reply):
        if part := stretch(text[start:end], reply[first:last]):
            before = text[start + part.start : start + part.end]
            problem = refused or _too_long(before, part.after, most)
            # What a small model writes another way is not therefore wrong.
            proposed.append({**_change(start + part.start, before, part.after, problem), "status": "nothing found"})
    return proposed


def _aligned(text: str, reply: str) -> list[tuple[Span, Span]]:
    """The sentences of a passage beside those of its revision, each one beside one or two.

    The cheapest way from one to the other: what differs costs as many characters, and what is left out or added most of
    its own.
    """
    mine, theirs = sentences(text), sentences(reply)
    best: dict[tuple[int, int], tuple[float, list[tuple[Span, Span]]]] = {(0, 0): (0.0, [])}
    for place in (
        (i, j) for i in range(len(mine) + 1) for j in range(max(i - BAND, 0), min(i + BAND, len(theirs)) + 1)
    ):
        for taken, given in _MOVES:
            before = place[0] - taken, place[1] - given
            if before not in best:
                continue
            cost, pairs = best[before]
            if not taken or not given:
                left = mine[before[0] : place[0]] + theirs[before[1] : place[1]]
                cost += LOST * sum(end - start for start, end in left)
            else:
                old = mine[before[0]][0], mine[place[0] - 1][1]
                new = theirs[before[1]][0], theirs[place[1] - 1][1]
                cost += Indel.distance(text[slice(*old)], reply[slice(*new)]) / 2
                pairs = [*pairs, (old, new)]
            if place not in best or cost < best[place][0]:
                best[place] = cost, pairs
    return best.get((len(mine), len(theirs)), (0.0, []))[1]


def written(reply: str, text: str) -> str:
    """The passage in a reply, without fences, bold, and what was written before or after it."""
    if "```" not in text and (fenced := _FENCE.search(reply)):
        reply = fenced[1]
    reply = reply if "~~" in text else _STRUCK.sub("", reply)
    reply = (reply if "**" in text or "__" in text else _BOLD.sub("", reply)).strip()
    blocks, parts = _BLANK.split(reply), _BLANK.split(text.strip())
    firsts = range(max(len(blocks) - len(parts), 0) + 1)
    first = max(firsts, key=lambda place: _alike("\n\n".join(blocks[place : place + len(parts)]), text))
    pairs = zip_longest(blocks[first : first + len(parts)], parts[: len(blocks)], fillvalue="")
    return "\n\n".join(_line(block, part) for block, part in pairs)


def _line(block: str, part: str) -> str:
    """The line of a block that is a paragraph of the passage, if the paragraph is one line; otherwise all of it."""
    if "\n" in part or "\n" not in block:
        return block
    line = max(block.splitlines(), key=lambda each: _alike(each, part))
    return line.strip() if _alike(line, part) >= ALIKE else " ".join(block.split())


def _alike(part: str, text: str) -> float:
    mine, theirs = set(tokens(part)), set(tokens(text))
    return len(mine & theirs) / (len(mine | theirs) or 1)


def _change(start: int, before: str, after: str, refused: str = "", **rests_on: str) -> Change:
    known: Change = {
        "start": start, "before": before, "after": after, "why": "", "evidence": "", "quote": "", "refused": refused,
        "status": "unresolved",
    }  # fmt: skip
    return {**known, **rests_on}  # type: ignore[typeddict-item]


def _bare(before: str, after: str, text: str) -> tuple[str, str]:
    """The words of a change without the quotation marks that a model put around both."""
    both = before.strip(), after.strip()
    are_quoted = all(len(each) > 2 and each[0] in _QUOTES and each[-1] in _QUOTES for each in both)
    return (both[0][1:-1], both[1][1:-1]) if are_quoted and not whole(text, before) else (before, after)


def _ended(after: str, before: str, following: str) -> str:
    """The new words with a full stop at the end if the old ones have one, and without if the passage has it anyway."""
    after, before = after.rstrip(), before.rstrip()
    if before.endswith(_ENDS) and after and not after.endswith(_ENDS):
        return after + before[-1]
    doubled = after.endswith(_ENDS) and not before.endswith(_ENDS) and following == after[-1]
    return after[:-1] if doubled else after


def _too_long(before: str, after: str, most: int) -> str:
    if len(before) <= most and len(after) <= 2 * most:
        return ""
    return f"It replaces {len(before)} characters by {len(after)}, and a change may replace at most {most}."


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _disjoint(placed: Iterable[Change]) -> list[Change]:
    """The changes, of those that overlap the one that replaces most."""
    kept: list[Change] = []
    for change in sorted(placed, key=lambda each: (bool(each["refused"]), -len(each["before"]))):
        span = change["start"], change["start"] + len(change["before"])
        if change["refused"] == NOT_THERE or not any(
            _meet(span, (each["start"], each["start"] + len(each["before"]))) for each in kept
        ):
            kept.append(change)
    return sorted(kept, key=lambda each: each["start"])
