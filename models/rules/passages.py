"""The sentences of the evidence, with the headings that they stand under, and those that a claim may stand beside."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ...state.text.segments import Span, sentences
from ...state.text.typography import plain
from .marks import language_of
from .units import JOINTS, PRONOUNS, Sentence, read

LONGEST = 2_000
"""In characters: what is longer is no sentence, and is not compared."""
MOST_RARE, MOST_POSTINGS, MOST_COMPARED = 8, 400, 24
"""How many of a claim's words are looked up, how many sentences with one are counted, and how many are compared."""
_BLOCK = re.compile(
    r"\n[^\S\n]*\n\s*|\n(?=[^\S\n]*(?:#{1,6}\s|[-*•–·]\s|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})\)\s|\d{1,2}\.\d?[\d.]*\s+\S))"
)
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+)?(?:\d{1,2}(?:\.\d{1,2})*\.?\s+)?[^\n]{1,120}$")
_ENDED = re.compile(r"[.!?:;,…。！？：；，។།][\"'”’)\]*]*\s*$")
_FURNITURE = re.compile(r"\n[^\S\n]*(?:\d{1,4}|(?:Page|Seite) \d+(?: (?:of|von) \d+)?)[^\S\n]*(?=\n)")
_PIECE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u2e80-\u2fdf]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")
_LINE = re.compile(r"^[^\n]{1,80}\n(?=\s*[A-Z\"“])")


@dataclass(frozen=True)
class ReadPassage:
    """A sentence of the evidence."""

    source: str
    context: str
    """The title and the heading that it stands under."""
    earlier: str
    """The sentence before it in its block with a subject, which its pronoun may refer to."""
    intro: str = ""
    """The line ending in a colon that it is an item of."""
    language: str = ""
    """That of the document."""

    @property
    def sentence(self) -> Sentence:
        """The sentence, read."""
        return read(self.source, self.language)

    @cached_property
    def before(self) -> str:
        """The subject of the sentence before it."""
        return subject_of(self.earlier)

    @cached_property
    def named(self) -> frozenset[str]:
        """The units that its title, its heading and the subject before it name."""
        return frozenset(
            unit.key
            for text in (self.context, self.before if points_back(self.source) else "")
            if text
            for unit in read(text[:300]).units
        )


class ReadDocument:
    """A document, cut into sentences and indexed by their words."""

    def __init__(self, title: str, text: str) -> None:
        self.passages = list(_passages(title, text))
        self._of_word: dict[str, list[int]] = defaultdict(list)
        for number, passage in enumerate(self.passages):
            for word in set(pieces(passage.source)):
                self._of_word[word].append(number)

    def beside(self, claim: str) -> list[ReadPassage]:
        """The sentences that share the most with a claim, the rare words counting most."""
        words = set(pieces(claim)) & self._of_word.keys()
        rarest = sorted(words, key=lambda word: (len(self._of_word[word]), word))[:MOST_RARE]
        if len(claim) > LONGEST:
            return []
        shared: dict[int, float] = defaultdict(float)
        for word in rarest:
            having = self._of_word[word]
            for number in having[:MOST_POSTINGS]:
                shared[number] += 1 / len(having)
        best = sorted(shared, key=lambda number: (-shared[number], len(self.passages[number].source)))
        return [self.passages[number] for number in best[:MOST_COMPARED]]


@lru_cache(maxsize=64)
def evidence(title: str, text: str) -> ReadDocument:
    """A document, read once."""
    return ReadDocument(title, text)


def pieces(text: str) -> list[str]:
    """The words, or in Chinese the characters, by which a sentence is looked up."""
    found = _PIECE.findall(plain(text).casefold())
    return [_loose(word) for word in found if word not in JOINTS] or found


def _loose(word: str) -> str:
    """A word without its ending, so that its other forms are found with it."""
    return word if not word.isalpha() or len(word) < 6 else word[:5]


def _passages(title: str, text: str) -> Iterator[ReadPassage]:
    heading, intro = "", ""
    text = _FURNITURE.sub("", text)
    last = len(text.rstrip())
    for start, end in _blocks(text):
        block = text[start:end]
        is_heading = end < last and _is_heading(block)
        if is_heading:
            heading = block.strip().lstrip("#").strip()
            intro = ""
            continue
        context = f"{title}\n{heading}" if heading else title
        is_item = bool(re.match(r"\s*(?:[-*•–·]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s", block))
        yield from _of_block(block, context, intro if is_item else "")
        if not is_item:
            intro = block.strip().rpartition("\n")[2] if block.rstrip().endswith((":", "：")) else ""


def _of_block(block: str, context: str, intro: str) -> Iterator[ReadPassage]:
    before, language = "", language_of(block[:1_000])
    doubt = _DOUBTFUL.search(block)
    for first, last in sentences(block):
        for cut in _lines(block, first, last):
            source = block[slice(*cut)].strip()
            if not source or len(source) > LONGEST:
                before = ""
                continue
            lead = intro or (doubt[0] if doubt and doubt.start() < cut[1] else "")
            yield ReadPassage(source, context, before, lead, language)
            lead_in = block[max(cut[0] - 20, 0) : cut[0]].rstrip(" ")
            is_first = (not lead_in and cut[0] <= 20) or lead_in.endswith("\n")
            if line := _LINE.match(source) if is_first else None:
                head, rest = line[0].strip(), source[line.end() :].strip()
                last_word = head.rpartition(" ")[2].lower().strip("()")
                if not _ENDED.search(head) and last_word not in JOINTS and (head[:1].isupper() or head[:1].isdigit()):
                    yield ReadPassage(rest, f"{context}\n{head}", before, lead, language)
            if not starts_with_pronoun(source):
                before = source


def _lines(block: str, start: int, end: int) -> Iterator[Span]:
    """The parts of a stretch, cut where a line ends like a sentence, and at Chinese semicolons."""
    place = start
    for match in _LINE_END.finditer(block, start, end):
        yield place, match.start()
        place = match.end()
    yield place, end


_LINE_END = re.compile(r"(?:(?<=[.!?:])|(?<=[.!?:][\"”’)\]]))\s{0,9}\n\s{0,9}(?=[A-Z\d\"“(])|；")


def _blocks(text: str) -> Iterator[Span]:
    place = 0
    for match in _BLOCK.finditer(text):
        yield place, match.start()
        place = match.end()
    yield place, len(text)


def _is_heading(block: str) -> bool:
    """Whether a block is one short line that does not end like a sentence."""
    line = block.strip()
    if not _HEADING.match(line):
        return False
    return line.startswith("#") or (len(line.split()) <= 12 and not _ENDED.search(line) and line[0] not in "-*•–·")


def starts_with_pronoun(source: str) -> bool:
    """Whether a sentence is about the subject of the one before it."""
    first = re.match(r"\W*(\w+)", source)
    return bool(first and first[1].lower() in PRONOUNS)


def points_back(source: str) -> bool:
    """Whether a sentence may be about what the one before it names."""
    return (
        starts_with_pronoun(source)
        or source[:4].lower() == "the "
        or bool(re.match(r"In [^,]{4,20},? (?:it|she|he|they) ", source))
    )


_DOUBTFUL = re.compile(
    r"\b(?:avoid|mistakes?|myths?|false|wrong|untrue|question|true)\b[^.\n]{0,40}[:?]"
    r"|\b(?:not|never|don't)\b[^.\n]{0,60}:(?=[^\S\n]{0,9}\n?\s{0,9}(?:[-*•–·]|\(?\w{1,2}[.)]|(?-i:[a-z])))"
    r"|^\W*(?:claim|myth|statement|question|false|rumou?r)\s*:",
    re.IGNORECASE,
)
"""Before what is no statement of the document: `Mistakes to avoid:`, `Which of these is true?`."""


@lru_cache(maxsize=4_000)
def subject_of(source: str) -> str:
    """What a sentence begins with, up to its first verb that we know as one."""
    units = read(source).units
    for place, unit in enumerate(units):
        if place and (unit.text in VERBAL or (unit.kind == "word" and unit.text.endswith("ed"))):
            return source[slice(*read(source).original(units[:place]))]
        if place > 8 or (place and unit.key == ","):
            break
    return ""


VERBAL = frozenset("is are was were has have had can could will would may must should does do did stands lies".split())
