"""When two facts fill the same place of two clauses about one subject, and what their values say of each other."""

from typing import Literal

from . import amounts, contrasts, dates, places
from .clauses import Clause
from .facts import Fact
from .naming import opposed_names, same_name, share_a_part
from .roles import role
from .words import stem

Outcome = Literal["same", "conflict", "unknown"]

SINGLE_DOER = frozenset(
    map(
        stem,
        """design write compose paint direct invent discover found sculpt lead command isolate create develop formulate
        sign kill assassinate coin plan""".split(),
    )
) | {"by"}
"""Relations that have one doer. Nobody has `played for` one club only."""
SINGLE_PLACE = frozenset(
    map(
        stem,
        """born die buried locate headquartered based hold set flow publish premiere perform sign adopt baptised invent
        discover found sculpt isolate""".split(),
    )
)
"""Relations that have one place. A film is shot in many."""
RECURRING = frozenset(
    map(stem, "win lose host play release publish hold elect visit appear beat score record tour sell give meet have be".split())
)
"""Relations in which the same subject stands again and again, at different times."""
OFFICES = frozenset(
    map(stem, "president minister king queen mayor champion director chairman governor manager coach".split())
)
"""Titles that many hold in turn, so that another holder is no contradiction, unless it is the first or the like."""


def compare(fact: Fact, other: Fact) -> Outcome:
    """Whether the text's fact is true, false or undecided, if the evidence's is true and means the same thing."""
    if fact.kind != other.kind:
        return "unknown"
    if fact.date and other.date:
        same, conflict = dates.contains(fact.date, other.date), dates.exclude(fact.date, other.date)
    elif fact.amount and other.amount:
        same, conflict = amounts.agree(fact.amount, other.amount), amounts.exclude(fact.amount, other.amount)
    elif fact.kind == "contrast":
        same, conflict = contrasts.alike(fact.text, other.text), contrasts.opposed(fact.text, other.text)
    else:
        return _compare_names(fact, other)
    return "same" if same else "conflict" if conflict else "unknown"


def _compare_names(fact: Fact, other: Fact) -> Outcome:
    if opposed_names(fact.text, other.text):
        return "conflict"
    if same_name(fact.text, other.text):
        return "same"
    if fact.meant and other.meant:
        if places.agree(fact.meant, other.meant):
            return "same"
        return "conflict" if places.exclude(fact.meant, other.meant) else "unknown"
    return "unknown" if fact.meant or other.meant else "conflict"


def same_slot(claim: Clause, other: Clause, fact: Fact, theirs: Fact) -> bool:
    """Whether two facts have the same role, and it is one that only one value can fill."""
    mine, yours = role(claim, fact), role(other, theirs)
    if claim.cjk:
        return mine.head == yours.head or bool(mine.head and mine.head in other.says)
    if fact.kind == "date":
        return bool(mine.relation) and mine.relation == yours.relation
    if fact.kind == "amount":
        measured = fact.amount is not None and fact.amount.unit not in ("", "ordinal")
        return mine.head == yours.head and (bool(mine.head) or (measured and mine.relation == yours.relation))
    if fact.kind == "contrast":
        return mine.head == yours.head and (bool(mine.head) or mine.relation == yours.relation)
    if opposed_names(fact.text, theirs.text):
        return mine.way == yours.way
    if mine.way != yours.way or mine.relation != yours.relation or share_a_part(fact.text, theirs.text):
        return False
    if mine.way == "holder":
        return same_tense(claim, other) and (mine.relation not in OFFICES or _has_ordinal(claim))
    single = {"agent": SINGLE_DOER, "place": SINGLE_PLACE, "after": {"name"}}
    return mine.relation in single.get(mine.way, ())


def same_tense(claim: Clause, other: Clause) -> bool:
    """False if the claim is about now and the evidence about the past: `is the capital`, `was the capital`."""
    return not (_verb(claim) in ("is", "are") and _verb(other) in ("was", "were"))


def _verb(clause: Clause) -> str:
    return clause.words[clause.verb].lower if clause.verb < len(clause.words) else ""


def _has_ordinal(clause: Clause) -> bool:
    return any(fact.amount and fact.amount.unit == "ordinal" for fact in clause.facts)
