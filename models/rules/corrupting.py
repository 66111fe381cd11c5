"""The tasks `summarise` and `corrupt`: a true statement from passages, and a statement made wrong on purpose."""

import random
import re
from collections.abc import Callable
from functools import lru_cache

from ...state.text import amounts
from ...state.text.dates import MONTHS
from ...state.text.segments import sentences_of
from ..tasks.correction import CorruptInput, Corruption, Statement, SummariseInput, Swap, SwapKind
from .language import contrasts, facts, places
from .language.clauses import LONGEST_SENTENCE, read
from .language.facts import Fact
from .language.negation import turned
from .language.styles import with_article
from .ranking import rank

MOST = 3
"""The most corruptions of one statement."""
COUNTS = (6, 3, 1)
"""How often a statement gets one, two and three of them."""
NEGATED = 0.12
"""The share of statements that are reversed instead."""
KNOWN_CITY = 1_000_000
"""The fewest inhabitants of a city that may replace another."""
KINDS: dict[str, SwapKind] = {"date": "date", "amount": "number", "name": "entity", "contrast": "relation"}
"""The name of the corruption of each kind of fact."""

Place = tuple[int, int, str]
"""Start and end in the text, and the replacement."""


def summarise(task_input: SummariseInput) -> Statement:
    """The sentence of the passages that answers the question best. Raises ValueError if there is none."""
    candidates = [sentence for passage in task_input["passages"] for sentence in sentences_of(passage)]
    if not candidates:
        raise ValueError("there is nothing to summarise")
    scores = rank({"query": task_input["question"], "passages": candidates}).scores
    return Statement(text=max(zip(scores, candidates, strict=True), key=lambda pair: pair[0])[1])


def corrupt(task_input: CorruptInput) -> Corruption:
    """Replace dates, numbers, names and opposites in the statement with others, or reverse it.

    The same statement and seed give the same corruption; names are borrowed from the passages.
    """
    text = task_input["text"]
    draw = random.Random(f"{task_input.get('seed', '')}\n{text}")
    if (draw.random() < NEGATED and (corruption := _turned(text))) or (
        corruption := _swapped(text, task_input["passages"], draw)
    ):
        return corruption
    return _turned(text) or _stammered(text, draw)


def _swapped(text: str, passages: list[str], draw: random.Random) -> Corruption | None:
    """Wrong facts in the place of right ones. What a text begins with names its subject, and stays."""
    own_facts = [fact for fact in facts.find(text, 0, min(len(text), LONGEST_SENTENCE)) if fact.start > len("The ")]
    other_facts = [fact for passage in passages for fact in facts.find(passage, 0, len(passage))]
    draw.shuffle(own_facts)
    count = draw.choices(range(1, MOST + 1), COUNTS)[0]
    swaps: list[tuple[Place, Swap]] = []
    for fact in own_facts:
        words = SWAPS[fact.kind](fact, other_facts, draw)
        used = (text, *(swap.after for _, swap in swaps))
        if words and len(swaps) < count and not any(words in words_used for words_used in used):
            place = with_article(text, fact.start, fact.end, words)
            before = text[place[0] : place[1]]
            swaps.append((place, Swap(kind=KINDS[fact.kind], before=before, after=place[2])))
    swaps.sort(key=lambda swap: swap[0])
    for (start, end, words), _ in reversed(swaps):
        text = text[:start] + words + text[end:]
    return Corruption(plan=[swap for _, swap in swaps], text=text) if swaps else None


def _turned(text: str) -> Corruption | None:
    for clause in read(text):
        try:
            turned_text = turned(text, clause)
        except ValueError:
            continue
        swap = Swap(kind="negation", before=clause.says, after=turned_text[clause.span[0] : len(turned_text)].strip())
        return Corruption(plan=[swap], text=turned_text)
    return None


def _stammered(text: str, draw: random.Random) -> Corruption:
    """The last resort, which works on any text: a word said twice. Raises ValueError for a text without any."""
    words = list(re.finditer(r"\w+", text))
    if not words:
        raise ValueError("there is nothing to corrupt")
    word = draw.choice(words)
    stammered = f"{text[: word.end()]} {word.group()}{text[word.end() :]}"
    swap = Swap(kind="grammar", before=word.group(), after=f"{word.group()} {word.group()}")
    return Corruption(plan=[swap], text=stammered)


def _date(fact: Fact, others: list[Fact], draw: random.Random) -> str:
    """Another year; where there is none, another month or day."""
    if year := re.search(r"\d{3,4}", fact.text):
        step = draw.choice([-1, 1]) * draw.choice([1, 2, 3, 5, 7, 10, 12, 20, 50])
        ten = 10 if fact.date and fact.date.span == 10 else 1
        return f"{fact.text[: year.start()]}{max(int(year.group()) + step * ten, 1)}{fact.text[year.end() :]}"
    if month := next((month for month in MONTHS if month in fact.text), ""):
        return fact.text.replace(month, draw.choice([other for other in MONTHS if other != month]))
    return re.sub(r"\d+", lambda match: str(int(match.group()) + draw.choice([1, 2, 3])), fact.text, count=1)


def _amount(fact: Fact, others: list[Fact], draw: random.Random) -> str:
    """Another number in the same form and unit; none for a rank in digits, whose ending would be wrong."""
    if match := re.search(r"\d[\d,]*(?:\.\d+)?", fact.text):
        number = float(match.group().replace(",", ""))
        near = [number + 1, number + 2, number + 3, max(number - 1, 1)]
        far = [] if number < 20 else [number * 2, number * 1.5, number / 2, number * 1.1]
        new, decimals = draw.choice([*near, *far]), len(match.group().partition(".")[2])
        formatted = f"{new:,.{decimals}f}" if "," in match.group() else f"{new:.{decimals}f}"
        ranks = bool(fact.amount and fact.amount.unit == "ordinal")
        return "" if ranks else fact.text[: match.start()] + formatted + fact.text[match.end() :]
    for words in (amounts.SMALL_NUMBERS[2:], amounts.ORDINALS[1:], amounts.TENS):
        if (mine := fact.text.split()[0].lower()) in words:
            other = draw.choice([word for word in words[:12] if word != mine])
            return (other.capitalize() if fact.text[0].isupper() else other) + fact.text[len(mine) :]
    return ""


def _name(fact: Fact, others: list[Fact], draw: random.Random) -> str:
    """Another place of the same kind; for any other name one of as many words out of the passages."""
    if fact.meant:
        pool = _known_places()[fact.meant[0].level]
        return draw.choice([name for name in pool if name != fact.text] or [""])
    return draw.choice(list(dict.fromkeys(each.text for each in others if _is_like(each, fact))) or [""])


def _is_like(other: Fact, fact: Fact) -> bool:
    return (
        other.kind == "name"
        and not other.meant
        and len(other.text) > 2
        and not re.search(r"[.\n]", other.text)
        and len(other.text.split()) == len(fact.text.split())
        and not set(other.text.split()) & set(fact.text.split())
    )


def _contrast(fact: Fact, others: list[Fact], draw: random.Random) -> str:
    other = draw.choice(contrasts.others(fact.text) or [""])
    return other[:1].upper() + other[1:] if fact.text[0].isupper() else other


SWAPS: dict[str, Callable[[Fact, list[Fact], random.Random], str]] = {
    "date": _date,
    "amount": _amount,
    "name": _name,
    "contrast": _contrast,
}
"""What stands in the place of a fact; empty if nothing can."""


@lru_cache
def _known_places() -> dict[str, list[str]]:
    """Places that a reader has heard of, in Latin letters, by their kind."""
    by_kind: dict[str, list[str]] = {"city": [], "state": [], "country": [], "continent": []}
    for name in filter(str.isascii, places.names()):
        greatest = places.named(name)[0]
        if greatest.level != "city" or greatest.population >= KNOWN_CITY:
            by_kind[greatest.level].append(name)
    return by_kind
