"""Replies that are not answers: refusals, and error pages and rate-limit messages that servers send instead.

A plain-text reply could be anything, so such words would pass for an answer, a draft, or a corrected text. They are
recognised by their beginning. A wrongly recognised reply is not lost: it becomes an error that quotes it.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from textwrap import shorten
from typing import Any

LOOKED_AT = 400
"""How many characters at the beginning of a reply are checked."""
_QUOTES = str.maketrans("’‘“”", "''\"\"")

_SORRY = (
    r"(?:(?:i'm|i am|we're|we are) (?:\w{1,12} )?(?:sorry|afraid)|sorry|(?:my |our )?apologies"
    r"|i apologi[sz]e|unfortunately)"
    r"[\s,.!;:–—-]{1,4}(?:but |that )?"
)
_CANNOT = (
    r"(?:i|we)(?:'m| am|'re| are)? (?:really |simply )?(?:can't|cannot|can not|couldn't|won't(?: be able to)?|will not"
    r"|(?:not able|unable|not (?:allowed|permitted|designed|programmed)) to|must (?:\w{1,12} )?decline|have to decline"
    r"|(?:don't|do not) feel comfortable)\b(?: to| \w{1,12}ly)?,? ?"
)
_SERVE = (
    r"(?:(?:help|assist)(?= you\b| with\b| that\b| further|\s{0,9}[.,;!]|\s{0,9}$)|comply|fulfill?|answer|respond|reply"
    r"|provide|process|complete|continue|engage|participate|discuss|generate|create|write|produce|share|proceed|support"
    r"|access|browse|do (?:that|this|so))\b"
)
_AS_AI = r".{0,60}\bas an? (?:(?:ai|artificial intelligence|large|language)\b ?){1,3}(?:model|assistant)?,? i\b"
_OTHER_LANGUAGES = (
    r"(?:es tut mir leid|je suis désolée?|lo siento|mi dispiace),? ?(?:aber|mais|pero|ma) "
    r"|(?:(?:非常)?(?:抱歉|对不起|很遗憾)[,，。 ]{0,2}(?:但是?)?|作为一?[个名款]?(?:ai|人工智能)[^,，。]{0,12}[,，]?)"
    r"我(?:不能|无法|没有办法)"
    r"|(?:申し訳(?:ありません|ございません)|すみません)が?[、,。 ]{0,2}[^。]{0,40}(?:お?答え|お手伝い|対応|提供)"
    r"[^。]{0,8}(?:できません|できかねます|いたしかねます)"
    r"|(?:죄송(?:하지만|합니다만|합니다)|미안하지만)[,. ]{0,2}[^.]{0,40}(?:도와|도움|답변|제공)[^.]{0,16}(?:없|못)"
)
_REFUSES = rf"\W{{0,8}}(?:(?:{_SORRY})?{_CANNOT}{_SERVE}|{_OTHER_LANGUAGES})|{_AS_AI}"
_FAILS = (
    r"\W{0,8}(?:(?:http|status|code|error)[\s:/]{1,3}){0,3}(?:[45]\d\d\b[\s:–—-]{0,3})?(?:error[\s:]{1,3})?(?:"
    r"(?:the )?(?:api )?(?:rate|usage|request) limit (?:was |has been |is )?(?:exceeded|reached|hit)|too many requests"
    r"|you(?:'ve| have)? (?:exceeded|reached|hit) (?:your|the) [\w ]{0,30}(?:quota|limit)"
    r"|(?:insufficient )?quota exceeded|(?:the |this )?(?:server|service|model|engine)(?: is| has)? ?"
    r"(?:currently |temporarily )?(?:overloaded|unavailable|busy)"
    r"|internal server error|bad gateway|gateway time-?out|(?:the )?request timed out|no healthy upstream"
    r"|upstream (?:connect error|request timeout)|access denied|unauthori[sz]ed|(?:invalid|incorrect) api key"
    r"|authentication (?:failed|required)|context length exceeded"
    r")(?=[^\S\n]{0,9}(?:$|[\n.:;!,(\[{–—-]|(?:for|with|please|try|retry|error)\b))"
)
_PAGE = r"\A\s*(?:<!doctype\s|<(?:html|head|body)[\s>]|<\?xml\s|\{\s{0,9}\"(?:errors?|detail)\"\s{0,9}:)"


@lru_cache
def _kinds() -> list[tuple[re.Pattern[str], str]]:
    """What is no answer, and its name. Compiled for the first reply: nothing else needs the 70 ms that it takes."""
    kinds = {_REFUSES: "a refusal", _FAILS: "a message of a server that failed", _PAGE: "an error page"}
    return [(re.compile(pattern, re.IGNORECASE), kind) for pattern, kind in kinds.items()]


def declined(reply: str, repeatable: Iterable[str] = ()) -> str:
    """Why a reply is not an answer: its kind and its beginning. Empty for an answer.

    Args:
        reply: The reply.
        repeatable: Texts that the reply may repeat: words from one of them are not a refusal.
    """
    head = reply[:LOOKED_AT].translate(_QUOTES)
    for pattern, kind in _kinds():
        if match := pattern.match(head):
            words = " ".join(match.group().casefold().split())
            if not any(words in " ".join(text.translate(_QUOTES).casefold().split()) for text in repeatable):
                return f"it is {kind}: {shorten(reply, 100, placeholder=' …')!r}"
    return ""


REPEATABLE = ("text", "question", "sentence", "rationale")
"""The input fields whose words may appear in the output."""


def declining(task_input: Mapping[str, Any], output: Any) -> str:
    """The same for the text that a task's output shows to users; empty if it can be used."""
    repeatable = [words for name in REPEATABLE if isinstance(words := task_input.get(name), str)]
    conclusion = getattr(output, "conclusion", None)
    shown = [getattr(output, "text", ""), getattr(conclusion, "text", ""), *getattr(output, "queries", [])]
    return next(filter(None, (declined(words, repeatable) for words in shown if words)), "")
