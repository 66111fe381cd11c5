"""What a message asks, as far as its words show: the same as another, or nothing at all."""

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
_COURTESY = (  # longer phrases first: what was matched is not matched again
    r"good (?:morning|afternoon|evening|night|day)|how are you(?: doing)?(?: today)?|how do you do|nice to meet you|"
    r"have a (?:nice|good|great) (?:day|evening|weekend)|see you(?: later| soon)?|take care|you(?:'re| are) welcome|"
    r"(?:good)?bye|hello|hey|hi(?:ya)?|greetings|welcome|thank you|thanks|thx|cheers|sorry"
)
_COURTESY_CJK = (
    "你好|您好|大家好|早上好|早安|下午好|晚上好|晚安|非常感[谢謝]|感[谢謝]|多[谢謝]|[谢謝]{1,2}|再[见見]|拜拜|不客[气氣]|"
    "안녕하세요|안녕하십니까|안녕히 (?:계세요|가세요)|안녕|감사합니다|감사해요|고맙습니다|고마워요?|반갑습니다|"
    "수고하세요|수고하셨습니다"
)
_FILLERS = (
    "there|you|so|very|much|a lot|again|all|everyone|to you|today|too|"
    "for (?:all )?(?:that|this|everything|(?:your|the) help)"
)
_FILLERS_CJK = "你们?|您|了|啊|吗|很|정말|너무"
_POLITE = re.compile(rf"\b(?:{_COURTESY})\b|{_COURTESY_CJK}")
_ONLY_POLITE = re.compile(
    rf"\W*(?>(?:(?:{_COURTESY}|{_FILLERS}|ok(?:ay)?|great|perfect|please|and)\b|{_COURTESY_CJK}|{_FILLERS_CJK})\W*)++"
)


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


def is_small_talk(message: str) -> bool:
    """Whether a message only greets, thanks or takes leave, in English, Chinese or Korean, so that it asks nothing."""
    line = " ".join(plain(message).lower().split())
    return bool(_POLITE.search(line) and _ONLY_POLITE.fullmatch(line))
