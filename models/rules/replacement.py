"""The task `verify`: do the new words of a replacement stand in a passage in the place of the old ones?"""

import itertools
import re
from collections.abc import Iterator, Sequence

from ...state.text.segments import Span
from ...state.text.spans import Change, changes
from ..tasks.grounding import ReplacementInput, Support, Verification
from ..tasks.task import Stance
from .alignment import RECURRING, SINGLE_DOER, Units, is_verb, may_be_one
from .beside import agree, around, clauses
from .comparison import compare
from .opposites import are_opposite
from .passages import ReadPassage, evidence
from .units import Sentence, Unit, exclude, read

LEAST_SHARED = 0.5
"""The share of the sentence around the new words that the clause with them, its title and headings must have."""
NOT_SHOWN = "No passage has the new words in the place of the old ones."
ADDED = "The change only adds something or leaves something out."
REWORDED = "The new words say the same, or may be true beside the old ones."
_LONGEST_DIFFERENCE = 12


def verify(task_input: ReplacementInput) -> Verification:
    """Compare the words that each replacement changes with their places in the passages."""
    passages = [(passage["title"], passage["text"]) for passage in task_input["passages"]]
    verdicts: list[Support] = []
    for number, (old, new) in enumerate(task_input["replacements"], start=1):
        shown, why = _shown(old, new, passages)
        turned_round = 0 if shown else _shown(new, old, passages)[0]
        label: Stance = "entailment" if shown else "contradiction" if turned_round else "neutral"
        verdicts.append(Support(number=number, reason=why, evidence=shown or turned_round, label=label))
    return Verification(verdicts=verdicts)


def _shown(old: str, new: str, passages: Sequence[tuple[str, str]]) -> tuple[int, str]:
    """The number of the passage that shows all that a replacement changes, or 0 and the reason."""
    runs = changes(old, new)
    if not runs or len(runs) > _LONGEST_DIFFERENCE:
        return 0, REWORDED
    is_moved = sorted(unit.key for unit in read(old).units) == sorted(unit.key for unit in read(new).units)
    for number, passage in enumerate(passages if is_moved else (), start=1):
        labels = [compare(text, [passage]).label for text in (new, old)]
        if labels[0] == "supported" != labels[1]:
            return number, ""
    was, becomes = read(old), read(new)
    pairs = [
        (_within(was, (run.start, run.end)), _within(becomes, place))
        for run, place in zip(runs, _places(runs), strict=True)
    ]
    why = next(filter(None, (_problem(mine, theirs, becomes) for mine, theirs in pairs)), "")
    if why:
        return 0, why
    for number, passage in enumerate(passages, start=1):
        near = evidence(*passage).beside(new)
        if all(_stands(becomes, was, theirs, mine, near) for mine, theirs in pairs):
            return number, ""
    return 0, NOT_SHOWN


def _places(runs: Sequence[Change]) -> Iterator[Span]:
    """Where the new words stand after the replacement."""
    moved = 0
    for run in runs:
        start = run.start + moved
        yield start, start + len(run.after)
        moved += len(run.after) - (run.end - run.start)


def _within(sentence: Sentence, span: Span) -> Units:
    """The units of a sentence of which a part is in a span, marks and joints only where there is nothing else."""
    inside = tuple(
        unit
        for unit in sentence.units
        for start, end in [sentence.original((unit,))]
        if start < span[1] and span[0] < end and unit.kind != "mark"
    )
    return tuple(unit for unit in inside if unit.kind != "joint") or inside


def _problem(mine: Units, theirs: Units, becomes: Sentence) -> str:
    """What is wrong with a change, whatever the evidence says."""
    if any(unit.kind == "negation" for unit in (*mine, *theirs)):
        return ""
    if not mine or not theirs:
        return ADDED
    if [unit.key for unit in mine] == [unit.key for unit in theirs]:
        return REWORDED
    if _are_opposite(mine, theirs):
        return ""
    if all(unit.kind == "joint" for unit in mine):
        return REWORDED
    values = [[unit for unit in part if unit.is_value] for part in (mine, theirs)]
    if (
        all(len(each) == 1 for each in values)
        and values[0][0].kind == values[1][0].kind
        and not exclude(*values[0], *values[1])
    ):
        return REWORDED
    if [bool(each) for each in values] in ([True, False], [False, True]) and becomes.language != "zh":
        return REWORDED
    if any(unit.kind == "date" for unit in theirs) and {unit.key for unit in becomes.units} & RECURRING:
        return REWORDED
    if all(unit.kind == "name" for unit in (*mine, *theirs)) and may_be_one(mine, theirs):
        return REWORDED
    if any(values) or any(unit.kind == "name" for unit in theirs) or becomes.language == "zh":
        return ""
    # of plain words only one thing can be told: that a noun stands in the place of another
    is_noun = len(mine) == len(theirs) == 1 and not any(
        is_verb(unit) or unit.key.endswith("다") for unit in (*mine, *theirs)
    )
    return "" if is_noun else REWORDED


def _are_opposite(mine: Units, theirs: Units) -> bool:
    return len(mine) == len(theirs) and any(are_opposite(a.text, b.text) for a, b in zip(mine, theirs, strict=True))


def _stands(becomes: Sentence, was: Sentence, new: Units, old: Units, near: Sequence[ReadPassage]) -> bool:
    """Whether a clause has the new words among those around them, and none has the old ones among as many."""
    best, other = 0.0, 0.0
    rest = [unit.key for unit in becomes.units if unit not in new]
    if all(unit.key in rest for unit in new):  # said twice: `The Tower Tower`
        return False
    for passage in near:
        if old and all(unit.key in passage.named for unit in old):  # what the page is about
            return False
        for clause in _clauses(passage):
            has_new, has_old = _has(clause, new, old), _has(clause, old, new)
            if (
                has_new
                and _is_place(becomes, new, clause)
                and (not _are_opposite(old, new) or _in_order(becomes, clause))
            ):
                best = max(best, _share(becomes, new, clause, passage))
            if has_old:
                other = max(other, _share(was, old, clause, passage))
    least = 1.0 if any(unit.kind == "negation" for unit in (*new, *old)) else LEAST_SHARED
    return least <= best > other


def _is_place(sentence: Sentence, new: Units, clause: Units) -> bool:
    """Whether a word stands beside the new words in both, before or behind them."""
    theirs = next((unit for unit in clause if any(_is(each, unit) for each in new)), None)
    if theirs is None or sentence.language == "zh":
        return True
    mine, yours = around(sentence.units, new), around(clause, (theirs,))
    is_done = bool(SINGLE_DOER & {unit.key for unit in sentence.units} & {unit.key for unit in clause})
    return is_done or any(one and one == other for one, other in zip(mine, yours, strict=True))


def _in_order(sentence: Sentence, clause: Units) -> bool:
    """Whether the words that a clause shares with a sentence stand in the same order."""
    keys = [unit.key for unit in sentence.units if unit.kind not in ("joint", "mark")]
    theirs = [unit.key for unit in clause if unit.key in keys]
    return [key for key in keys if key in theirs] == theirs


def _clauses(passage: ReadPassage) -> list[Units]:
    sentence = passage.sentence
    if sentence.language != "zh":
        return clauses(sentence, read(passage.before).units if passage.before else ())
    cuts = [0, *(match.end() for match in re.finditer("[,;]", sentence.typed.text)), len(sentence.typed.text)]
    return [
        tuple(unit for unit in sentence.units if start <= unit.span[0] < end) for start, end in itertools.pairwise(cuts)
    ]


def _has(clause: Units, words: Units, instead_of: Units) -> bool:
    """Whether a clause has words; negations only if it has as many of them."""
    denied = [sum(unit.kind == "negation" for unit in units) for units in (clause, words, instead_of)]
    if denied[1] != denied[2] and denied[0] != denied[1]:
        return False
    sought = [unit for unit in words if unit.kind != "negation"]
    return all(any(_is(unit, other) for other in clause) for unit in sought) and (
        bool(sought) or denied[1] != denied[2]
    )


def _is(unit: Unit, other: Unit) -> bool:
    bounds = {each.amount.bound for each in (unit, other) if each.amount}
    if len(bounds) > 1 and bounds & {"over", "under"}:
        return False
    return unit.key == other.key or (unit.is_value and agree(unit, other) and unit.kind == "date")


def _share(sentence: Sentence, words: Units, clause: Units, passage: ReadPassage) -> float:
    """How much of a sentence, some words aside, a clause has, or its title and heading name."""
    around = [unit for unit in sentence.units if unit not in words and unit.kind not in ("joint", "mark", "negation")]
    told = [any(_is(unit, other) for other in clause) or unit.key in passage.named for unit in around]
    in_clause = any(any(_is(unit, other) for other in clause) for unit in around)
    return sum(told) / len(told) if told and (in_clause or sum(told) == len(told)) else 0.0
