"""The tasks `summarise` and `corrupt`: a true statement from passages, and a statement made wrong on purpose."""

import random
import re
from collections.abc import Sequence

from ...state.text.amounts import ORDINALS, SMALL_NUMBERS
from ...state.text.dates import MONTHS
from ...state.text.segments import sentences_of
from ..tasks.correction import CorruptInput, Corruption, Statement, SummariseInput, Swap, SwapKind
from .alignment import Units
from .beside import names_in
from .opposites import COUNTRIES, others
from .ranking import rank
from .units import Unit, read

MOST = 3
"""The most corruptions of one statement."""
COUNTS = (6, 3, 1)
"""How often a statement gets one, two and three of them."""
NEGATED = 0.12
"""The share of statements that are reversed instead."""
_DENIABLE = re.compile(r"\b(?:is|are|was|were|can|will|has|had|must|may|should)\b(?! not\b)")
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
    if draw.random() < NEGATED and (corruption := _denied(text)):
        return corruption
    return _swapped(text, task_input["passages"], draw) or _denied(text) or _stammered(text, draw)


def _swapped(text: str, passages: Sequence[str], draw: random.Random) -> Corruption | None:
    """Wrong values in the place of right ones. What a text begins with names its subject, and stays."""
    sentence = read(text)
    borrowed = [run for passage in passages for each in sentences_of(passage) for run in names_in(read(each).units)]
    runs: list[Units] = [*names_in(sentence.units), *((unit,) for unit in sentence.units if unit.kind != "name")]
    runs = [run for run in runs if sentence.original(run)[0] > len("The ")]
    draw.shuffle(runs)
    swaps: list[tuple[Place, Swap]] = []
    count = draw.choices(range(1, MOST + 1), COUNTS)[0]
    for run in runs:
        start, end = sentence.original(run)
        kind, words = _another(run, text[start:end], borrowed, draw)
        free = all(end <= place[0] or place[1] <= start for place, _ in swaps)
        if words and free and len(swaps) < count and words not in text:
            swaps.append(((start, end, words), Swap(kind=kind, before=text[start:end], after=words)))
    swaps.sort(key=lambda swap: swap[0])
    for (start, end, words), _ in reversed(swaps):
        text = text[:start] + words + text[end:]
    return Corruption(plan=[swap for _, swap in swaps], text=text) if swaps else None


def _another(run: Units, text: str, borrowed: Sequence[Units], draw: random.Random) -> tuple[SwapKind, str]:
    """What could stand in the place of a unit and be wrong; empty if nothing is known."""
    unit = run[0]
    if unit.kind == "name":
        if text in COUNTRIES:
            return "entity", draw.choice(sorted(COUNTRIES - {text}))
        names = dict.fromkeys(" ".join(each.text for each in other) for other in borrowed if len(other) == len(run))
        return "entity", draw.choice([name for name in names if not set(name.split()) & set(text.split())] or [""])
    if unit.is_value:
        return ("date" if unit.kind == "date" else "number"), _value(unit, text, draw)
    if unit.kind != "word":
        return "relation", ""
    return "relation", draw.choice([other for other in others(text) if other != text] or [""])


def _value(unit: Unit, text: str, draw: random.Random) -> str:
    """Another year, month or number in the same form."""
    if year := re.search(r"\d{4}", text) if unit.date else None:
        step = draw.choice([-1, 1]) * draw.choice([1, 2, 3, 5, 7, 10, 12, 20, 50])
        return f"{text[: year.start()]}{int(year[0]) + step}{text[year.end() :]}"
    if month := next((month for month in MONTHS if unit.date and month in text), ""):
        return text.replace(month, draw.choice([other for other in MONTHS if other != month]))
    if match := re.search(r"\d[\d,]*(?:\.\d+)?", text):
        number = float(match[0].replace(",", ""))
        near, far = [number + 1, number + 2, number + 3], [number * 2, number * 1.5] if number >= 20 else []
        decimals = len(match[0].partition(".")[2])
        new = f"{draw.choice([*near, *far]):{',' if ',' in match[0] else ''}.{decimals}f}"
        is_rank = bool(unit.amount and unit.amount.unit == "ordinal")
        return "" if is_rank else text[: match.start()] + new + text[match.end() :]
    for words in (SMALL_NUMBERS[2:13], ORDINALS[1:13]):
        if (mine := text.split()[0].lower()) in words:
            return draw.choice([word for word in words if word != mine]) + text[len(mine) :]
    return ""


def _denied(text: str) -> Corruption | None:
    """The statement with a `not` behind its first auxiliary."""
    match = _DENIABLE.search(text)
    if not match:
        return None
    swap = Swap(kind="negation", before=match[0], after=f"{match[0]} not")
    return Corruption(plan=[swap], text=f"{text[: match.end()]} not{text[match.end() :]}")


def _stammered(text: str, draw: random.Random) -> Corruption:
    """The last resort, which works on any text: a word said twice. Raises ValueError for a text without any."""
    words = list(re.finditer(r"\w+", text))
    if not words:
        raise ValueError("there is nothing to corrupt")
    word = draw.choice(words)
    swap = Swap(kind="grammar", before=word[0], after=f"{word[0]} {word[0]}")
    return Corruption(plan=[swap], text=f"{text[: word.end()]} {word[0]}{text[word.end() :]}")
