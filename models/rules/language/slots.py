"""When two facts fill the same place of two clauses about one subject, and what their values say of each other."""

import re
from typing import Literal

from ....state.text import amounts, dates
from . import contrasts, places
from .clauses import Clause
from .facts import Fact
from .naming import opposed_names, same_name, share_a_part
from .roles import Role, role
from .tables import table
from .verbs import AUXILIARIES, is_past
from .words import stem, stems

Outcome = Literal["same", "conflict", "unknown"]

SINGLE_DOER = stems(
    """design write compose paint direct invent discover found sculpt lead command isolate create develop formulate
    sign kill assassinate coin plan"""
) | {"by"}
"""Relations that have one doer. Nobody has `played for` one club only."""
SINGLE_PLACE = stems(
    """born die buried locate headquartered headquarters seat based hold set flow publish premiere perform sign adopt
    baptised invent discover found sculpt isolate build complete meet"""
)
"""Relations that have one place. A film is shot in many."""
MADE_BY = stems("write compose paint sculpt")
RECURRING = stems(
    """win lose host play elect visit appear beat score tour meet compete champion final have be attack invade fight
    bomb besiege capture defeat erupt organise organize vote"""
)
"""What the same subject does again and again, so that another date is another time."""
REPEATABLE = stems("release publish hold open perform give sell record show marry enter join travel go come climb")
"""What may be done again: another date counts only if everything else is repeated."""
TIMES = frozenset({"season", "weekday", "month"})
"""Families of words for when something is so. It may be so at another of these times as well."""
WON = stem("win")
OFFICES = stems("president minister king queen mayor champion director chairman governor manager coach")
"""Titles that many hold in turn, so that another holder is no contradiction, unless it is the first or the like."""


CJK_EVENTS = {
    "complete": "建成 竣工 完工 落成 完成 완공 완성 준공",
    "begin": "动工 开工 始建 开始 착공 시작",
    "born": "出生 生于 诞生 태어 출생",
    "die": "去世 逝世 死于 죽 사망 별세",
    "found": "成立 创立 建立 设立 설립 창립 건국",
    "write": "写 著 썼 저술 집필",
    "publish": "出版 发表 출판 출간 발표",
    "discover": "发现 발견",
    "invent": "发明 발명",
    "design": "设计 설계",
    "open": "开放 开业 开馆 开通 개장 개관 개통",
    "locate": "位于 坐落 在 있다 위치",
    "win": "获得 赢得 수상 우승",
    "capital": "首都 수도",
}
"""Events and relations, with their words in Chinese and Korean."""


def compare(fact: Fact, other: Fact) -> Outcome:
    """Whether the text's fact is true, false or undecided, if the evidence's is true and means the same thing."""
    if fact.kind != other.kind:
        return "unknown"
    if fact.date and other.date:
        same, conflict = dates.contains(fact.date, other.date), dates.exclude(fact.date, other.date)
    elif fact.amount and other.amount:
        same, conflict = _agree(fact.amount, other.amount), amounts.exclude(fact.amount, other.amount)
    elif fact.kind == "contrast":
        same, conflict = contrasts.alike(fact.text, other.text), contrasts.opposed(fact.text, other.text)
    else:
        return _compare_names(fact, other)
    return "same" if same else "conflict" if conflict else "unknown"


def _agree(mine: amounts.Amount, theirs: amounts.Amount) -> bool:
    """Whether an amount is true. Bounds agree only if they are the same: what is free under 6 is not free under 12."""
    if {mine.bound, theirs.bound} <= {"over", "under"}:
        return mine.bound == theirs.bound and amounts.same_amount(mine, theirs)
    return amounts.agree(mine, theirs)


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
    if claim.cjk or other.cjk:
        return _same_cjk_slot(claim, other, fact, mine, yours)
    if fact.kind == "date":
        same_way = mine.way == yours.way != "list"
        return bool(mine.relation) and mine.relation == yours.relation and mine.head == yours.head and same_way
    if fact.kind == "amount":
        measured = fact.amount is not None and fact.amount.unit not in ("", "ordinal")
        return mine.head == yours.head and (bool(mine.head) or (measured and mine.relation == yours.relation))
    if fact.kind == "contrast":
        if _is_noun(claim, fact, mine) or _is_noun(other, theirs, yours) or _is_done_to(claim, fact, mine):
            return False
        if mine.relation not in SINGLE_PLACE and TIMES & contrasts.families(fact.text).keys():
            return False
        ranked = (mine.way == "ranked") != (yours.way == "ranked")
        return not ranked and mine.head == yours.head and (bool(mine.head) or mine.relation == yours.relation)
    if opposed_names(fact.text, theirs.text):
        return mine.way == yours.way
    if (
        mine.way != yours.way
        or not _same_relation(mine.relation, yours.relation)
        or share_a_part(fact.text, theirs.text)
    ):
        return False
    if mine.way == "holder":
        return same_tense(claim, other) and (mine.relation not in OFFICES or _has_ordinal(claim))
    if (
        mine.way == "place"
        and not (fact.meant and theirs.meant)
        and (mine.head != yours.head or mine.relation == "locate")
    ):
        return False
    if mine.way == "agent" and mine.relation == WON and _has_ordinal(claim) and _has_ordinal(other):
        return True  # the first one was won by one
    if mine.way == "agent" and (_one_of_several(claim, fact) or _one_of_several(other, theirs)):
        return False
    single = {"agent": SINGLE_DOER, "place": SINGLE_PLACE, "after": {"name"}}
    return mine.relation in single.get(mine.way, ())


_FIRM = re.compile(r"\b(?:firm|company|partnership|practice|agency|studio|office|team|group|committee)\b[^,;]*$")
_BEFORE = re.compile(
    r"[A-Z][\w.’'-]{0,60},? (?:and|&|with) (?:the )?(?:[a-z]+ ){0,2}$|[A-Z][\w.’'-]{0,60}, (?:the )?(?:[a-z]+ ){0,2}$"
)
_AFTER = re.compile(r",? (?:and|&|with) (?:the )?(?:[a-z]+ ){0,2}[A-Z]|, (?:the )?[A-Z][^,;]*,? (?:and|&) ")


def _one_of_several(clause: Clause, fact: Fact) -> bool:
    """Whether a doer is one of a list, or a firm: then another one may have had a part in it as well."""
    before = clause.text[clause.span[0] : fact.start]
    after = clause.text[fact.end : clause.span[1]]
    several = " and " in fact.text or "&" in fact.text or _FIRM.search(before[-40:])
    return bool(several or _BEFORE.search(before) or _AFTER.match(after))


def _is_noun(clause: Clause, fact: Fact, place: Role) -> bool:
    """`a Norwegian` describes somebody; what contradicts it would have to be put into other words."""
    article = re.search(r"\b(?:an?|the) $", clause.text[clause.span[0] : fact.start], re.I)
    return bool(article) and not place.head


BECOMING = table("became remained stayed turned grew")
"""Past forms that say what their subject is, not what it did."""


def _is_done_to(clause: Clause, fact: Fact, place: Role) -> bool:
    """Whether it tells apart what the subject did something to: who bought the blue house may have bought a red one."""
    verb = _verb(clause)
    is_deed = is_past(verb) and verb not in AUXILIARIES | BECOMING
    return is_deed and not place.way and fact.start > clause.words[clause.verb].start


def _same_cjk_slot(claim: Clause, other: Clause, fact: Fact, mine: Role, yours: Role) -> bool:
    """Dates and places need the same event in both clauses; amounts, what they count or the word before them."""
    if fact.kind in ("date", "name"):
        return cjk_events(claim.says) == cjk_events(other.says)
    return mine.head == yours.head and mine.relation == yours.relation


def cjk_events(clause: str) -> frozenset[str]:
    """The events of CJK_EVENTS that a Chinese, Japanese or Korean clause names."""
    return frozenset(event for event, forms in CJK_EVENTS.items() if any(form in clause for form in forms.split()))


def _same_relation(one: str, other: str) -> bool:
    """`written by` and `a novel by` are one relation."""
    return one == other or (one == "by" and other in MADE_BY) or (other == "by" and one in MADE_BY)


def same_tense(claim: Clause, other: Clause) -> bool:
    """False if the claim is about now and the evidence about the past: `is the capital`, `was the capital`."""
    return not (_verb(claim) in ("is", "are") and _verb(other) in ("was", "were"))


def _verb(clause: Clause) -> str:
    return clause.words[clause.verb].lower if clause.verb < len(clause.words) else ""


def _has_ordinal(clause: Clause) -> bool:
    return any(fact.amount and fact.amount.unit == "ordinal" for fact in clause.facts)
