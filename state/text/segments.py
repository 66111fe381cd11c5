"""Reading text: sentences, passages and search tokens, with character offsets, in English, Chinese and Korean."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

import sentencex
import Stemmer

from ..errors import ConfigurationError

Span = tuple[int, int]
"""Character offsets [start, end) in the text they were read from."""

_SCRIPTS = {  # sentencex needs a language; the script is enough to know how its sentences end
    "ko": re.compile(r"[\uac00-\ud7a3\u1100-\u11ff]"),
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "zh": re.compile(r"[\u4e00-\u9fff]"),
}
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_WORD = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:['’][^\W_{_CJK}]+)*")
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")
_NO_SPACES = re.compile(rf"[{_CJK}]")
_HALF = re.compile("[\ud800-\udfff]")

AT_ONCE = 4_000
"""How many characters are searched for sentences at once: with very many quotes the time grows faster than the length.
"""
BEFORE_CHARS = 600
"""How many characters before a passage are shown with it."""

STOP_WORDS = frozenset(
    """a an and are as at be been being but by can could did do does for from had has have he her hers him his how i if
    in into is it its itself me my of on or our she should so such than that the their them then there these they this
    those to too was we were what when where which while who whom whose why will with would you your""".split()
)


def checked(words: Any, name: str) -> str:
    """The words, if they are text. Raises ConfigurationError, with their name, if they are not.

    Half a surrogate pair is not a character: it stands for a byte that was not UTF-8, and no file or request can hold
    it.
    """
    if not isinstance(words, str):
        raise ConfigurationError(f"{name} must be a string, not {type(words).__name__}")
    if half := _HALF.search(words):
        raise ConfigurationError(f"{name} is not valid UTF-8 at character {half.start() + 1}: decode it first")
    return words


def counted(number: float, noun: str) -> str:
    """A number of things, in the plural unless it is one."""
    if number != 1:
        noun = f"{noun}es" if noun.endswith("ch") else f"{noun[:-1]}ies" if noun.endswith("ly") else f"{noun}s"
    return f"{number:,.0f} {noun}"


def language(text: str) -> str:
    """Guess the language from the script: `ko`, `ja`, `zh`, or `en` for everything else."""
    sample = text[:2_000]
    for code, letters in _SCRIPTS.items():
        if len(letters.findall(sample)) * 5 > len(sample):
            return code
    return "en"


def sentences(text: str) -> list[Span]:
    """The spans of the sentences, without the white space around them."""
    spans = (_strip(text, *part) for span in _boundaries(text) for part in _after_units(text, *span))
    return [(start, end) for start, end in spans if start < end]


_UNIT_ENDS = re.compile(r"\d\s?[ghlmst]\.(?=\s+[A-Z\"“(])")
"""A unit of one letter at the end of a sentence, which sentencex takes for an abbreviation: `It weighs 250 g. The lid`.
"""


def _after_units(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _UNIT_ENDS.finditer(text, start, end):
        yield start, match.end()
        start = match.end()
    yield start, end


def _boundaries(text: str) -> Iterator[Span]:
    """Where sentences begin and end. A sentence that extends beyond the searched part is searched for again."""
    language_code, first = language(text), 0
    while first < len(text):
        piece = text[first : first + AT_ONCE]
        spans = [
            (each["start_index"], each["end_index"]) for each in sentencex.get_sentence_boundaries(language_code, piece)
        ]
        goes_on = first + AT_ONCE < len(text)
        if goes_on and len(spans) > 1:
            last = spans.pop()[0]
        elif goes_on:  # no sentence is as long as that: it is cut between words
            last = piece.rfind(" ", AT_ONCE // 2) + 1 or AT_ONCE
            spans = [(0, last)]
        else:
            last = len(piece)
        yield from ((first + start, first + end) for start, end in spans)
        first += last


def sentences_of(text: str) -> list[str]:
    """The sentences, without the white space around them."""
    return [text[start:end] for start, end in sentences(text)]


def passages(text: str, size: int) -> list[str]:
    """Cut a text between sentences into pieces of at most `size` characters; joined, they are the text.

    A sentence longer than that is cut inside.
    """
    if len(text) <= size:
        return [text]
    cuts = [0]
    ends = [start for start, _ in sentences(text)[1:]] + [len(text)]
    last = 0
    for end in ends:
        if end - cuts[-1] > size and last > cuts[-1]:
            cuts.append(last)
        while end - cuts[-1] > size:
            cuts.append(cuts[-1] + size)
        last = end
    if cuts[-1] < len(text):
        cuts.append(len(text))
    return [text[start:end] for start, end in pairwise(cuts)]


TOKEN_CHARS = 4
"""The average number of characters of an English token; a token of Chinese, Japanese or Korean is a character or two.
"""


def token_count(text: str) -> int:
    """The approximate number of tokens that a text has for a model."""
    return -(-len(text) // (TOKEN_CHARS if language(text) == "en" else 1))


def leading_to(text: str) -> str:
    """What a reader of the next sentence has to know: the end of the text before it, and its first sentence.

    Args:
        text: The text before the sentence.

    Returns:
        Its last whole sentences, at most `BEFORE_CHARS` characters, after its first one.
    """
    if len(text) <= BEFORE_CHARS:
        return text.strip()
    tail = text[-BEFORE_CHARS:]
    spans = sentences(tail)
    last = tail[spans[1][0] :] if len(spans) > 1 else tail
    opening = sentences(text[:BEFORE_CHARS])
    first = text[slice(*opening[0])] if opening else ""
    return f"{first} … {last.strip()}"


def tokens(text: str) -> list[str]:
    """Search tokens: stemmed words without stop words; pairs of characters in scripts without spaces."""
    if text.isascii():  # as most texts are that are indexed: a third of the time
        return list(filter(None, map(_TOKENS.__getitem__, _ASCII_WORD.findall(text.lower()))))
    all_tokens: list[str] = []
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        if not word.isascii() and _NO_SPACES.match(word):
            all_tokens.extend(word[i : i + 2] for i in range(max(len(word) - 1, 1)))
        elif word not in STOP_WORDS:
            all_tokens.append(stemmed(word))
    return all_tokens


class _Tokens(dict[str, str]):
    """The token of each word that was seen of late; empty for a stop word."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _MOST_TOKENS:
            self.clear()
        self[word] = token = "" if word in STOP_WORDS else stemmed(word)
        return token


_MOST_TOKENS = 50_000
_TOKENS = _Tokens()


@lru_cache(maxsize=50_000)
def stemmed(word: str) -> str:
    """An English word without its ending."""
    return str(_stemmer().stemWord(word))


@lru_cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


def _strip(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
