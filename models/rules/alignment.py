"""Two sentences side by side: the same, or the same but for one place in which both cannot be true."""

import re
from dataclasses import replace
from typing import NamedTuple

from .opposites import (
    CONTINENTS,
    COUNTRIES,
    EXCLUSIVE_IN_CHINESE,
    IN_CHINESE,
    OF_TIME,
    QUALITIES_IN_CHINESE,
    are_opposite,
    pairs,
)
from .units import ARTICLES, PRONOUNS, Sentence, Unit, exclude

Units = tuple[Unit, ...]


class Place(NamedTuple):
    """The one place in which two sentences differ: the units of either there. One of them may be empty."""

    mine: Units
    theirs: Units
    mine_around: Units = ()
    """What stands before and after it, where it is empty on one side."""
    theirs_around: Units = ()


DO = frozenset(("do", "does", "did"))
FEWEST_SHARED = 2
"""How many units besides the place two sentences must have in common."""
SINGLE_DOER = frozenset(
    "write design invent discover compose paint direct found build creat isol develop sculpt".split()
)
ONE_WAY = frozenset(
    """than cause lead led precede precedes succeed succeeded replace replaced kill killed eat eats inspire inspired
    contain contains own owns taught ruled found invented derived orbit orbits follows followed became produced
    produces governs governed before after hunted hunts predates outnumber outlived outweighs surpassed exceeds
    exceeded founded defeated bought sold acquired sued won lent gave sent built wrote designed painted hired
    employs""".split()
)
"""Words whose two sides are not true both ways."""
_OPPOSITES_ZH, _QUALITIES, _KINDS_ZH = map(pairs, (IN_CHINESE, QUALITIES_IN_CHINESE, EXCLUSIVE_IN_CHINESE))
_IS_SO = re.compile("[最更很较颇]$|比[^，。；]{1,12}$")
_DENYING_ZH = ("不", "未", "没", "没有", "并不", "并未")


def forms(sentence: Sentence, subject: Units = ()) -> list[Units]:
    """The ways to say a sentence with the same units.

    Without articles, as they stand; with a phrase in front moved to the end; with its subject for its pronoun.
    """
    plain = tuple(unit for unit in sentence.units if unit.kind != "mark" and unit.key not in ARTICLES)
    every = [plain]
    if (cut := _fronted(sentence, plain)) > 0:
        every.append(plain[cut:] + plain[:cut])
    every += [form for form in [_turned(sentence, plain)] if form]
    if subject:
        every += [tuple(subject) + form[1:] for form in list(every) if form and form[0].key in PRONOUNS]
    return every


def _fronted(sentence: Sentence, units: Units) -> int:
    """How many units stand before the subject: up to a comma, or a preposition with a date."""
    comma = re.search(r"[,，] ?", sentence.typed.text)
    if comma and comma.start() < 70 and sentence.typed.text.count(comma[0].strip()) == 1 and units:
        cut = sum(unit.span[1] <= comma.start() for unit in units)
        return cut if units[0].key in FRONTING else 0
    if len(units) > 2 and units[0].key in FRONTING and units[1].kind == "date":
        return 2
    return 0


FRONTING = frozenset(
    "in on at by since from until after before during with for under im am seit nach vor en dans".split()
)


def _turned(sentence: Sentence, units: Units) -> Units:
    """`The first president was Syngman Rhee` for `Syngman Rhee was the first president`."""
    place = next((n for n, unit in enumerate(units) if unit.key in ("is", "was")), 0)
    starts = [side for side in (units[:place], units[place + 1 :]) if side]
    if len(starts) < 2 or len([unit for unit in units if is_verb(unit)]) > 1 or len(units[:place]) > 4:
        return ()
    the = sentence.typed.text[max(starts[1][0].span[0] - 4, 0) : starts[1][0].span[0]]
    is_named = all(unit.text[:1].isupper() for unit in starts[0])
    named = tuple(replace(unit, kind="name") for unit in starts[0])
    return starts[1] + (units[place],) + named if the == "the " and is_named and sentence.language == "en" else ()


def same(mine: Units, theirs: Units) -> bool:
    """Whether two sentences have the same units in the same order."""
    return [unit.key for unit in mine] == [unit.key for unit in theirs] and bool(mine)


def one_place(mine: Units, theirs: Units, language: str) -> Place | None:
    """The one place in which two sentences exclude each other, if they are otherwise the same."""
    first, last = _ends(mine, theirs)
    if first + last < FEWEST_SHARED:
        return None
    my_part, their_part = mine[first : len(mine) - last], theirs[first : len(theirs) - last]
    around = (mine[max(first - 1, 0) : len(mine) - last + 1], theirs[max(first - 1, 0) : len(theirs) - last + 1])
    if _is_denial(my_part, their_part):
        return Place(my_part, their_part, *around)
    if language == "zh":
        return _in_characters(mine, theirs, first, last)
    if not my_part or not their_part:
        return None
    if found := _values(my_part, their_part):
        return None if mine_recurs(mine, found) or is_implied(mine, found) else found
    if not language:
        return None
    if found := _opposite(my_part, their_part):
        if language == "en" and not excludes_here(mine, first):
            return None
        is_time = first <= 1 and found.mine[0].text in OF_TIME
        return None if is_time else found
    if language == "en" and _are_names(my_part, their_part) and _may_stand_for(mine, theirs, first, last):
        return Place(my_part, their_part)
    return Place(my_part, their_part) if _changed_places(my_part, their_part) else None


def _ends(mine: Units, theirs: Units) -> tuple[int, int]:
    pairs_ = min(len(mine), len(theirs))
    first = next((i for i in range(pairs_) if mine[i].key != theirs[i].key), pairs_)
    last = next((i for i in range(pairs_ - first) if mine[-1 - i].key != theirs[-1 - i].key), pairs_ - first)
    return first, last


def _is_denial(mine: Units, theirs: Units) -> bool:
    """Whether one side has a negation more, and nothing else: `not`, `does not sail` beside `sails`, `ne ... pas`."""
    longer, shorter = (mine, theirs) if len(mine) > len(theirs) else (theirs, mine)
    denied = [unit for unit in longer if unit.kind == "negation"]
    if not denied or any(unit.kind == "negation" for unit in shorter) or len(denied) > 2:
        return False
    rest = [unit for unit in longer if unit.kind != "negation" and unit.key not in DO]
    if any(unit.key == "did" for unit in longer) and shorter and shorter[0].text.endswith("s"):
        return False
    if not rest and not shorter:
        return True
    return [_rough(unit.key) for unit in rest] == [_rough(unit.key) for unit in shorter]


def _rough(key: str) -> str:
    return key if key[:1].isdigit() or " " in key else key[:4] if len(key) > 4 else key.rstrip("s")


def _values(mine: Units, theirs: Units) -> Place | None:
    """Values of a kind in one place, whose unit or noun may change with them: `one day`, `two days`."""
    if any(one.is_value and exclude(one, other) for one, other in zip(mine[:1], theirs[:1], strict=True)) and (
        len(mine) == len(theirs) == 1
        or [_rough(unit.key) for unit in mine[1:]] == [_rough(unit.key) for unit in theirs[1:]]
    ):
        return Place(mine, theirs)
    mine, theirs = _without_bounds(mine), _without_bounds(theirs)
    if len(mine) == len(theirs) == 1 and mine[0].is_value and exclude(mine[0], theirs[0]):
        return Place(mine, theirs)
    return None


def _without_bounds(units: Units) -> Units:
    return tuple(unit for unit in units if unit.key not in ("about", "exact", "some", "over", "almost", "nearly"))


def _opposite(mine: Units, theirs: Units) -> Place | None:
    """One opposite, and the joints that go with it: `lent to`, `borrowed from`."""
    if len(mine) != len(theirs):
        return None
    apart = [(one, other) for one, other in zip(mine, theirs, strict=True) if one.key != other.key]
    telling = [pair for pair in apart if {unit.kind for unit in pair} != {"joint"}] if len(apart) > 1 else apart
    if len(telling) == 1 and are_opposite(telling[0][0].text, telling[0][1].text):
        return Place(mine, theirs)
    return None


TURNING = frozenset(
    """for against with without before after more fewer less most least over under above below no none nobody nothing
    neither all every everyone everything each many both half some several few never always rarely seldom often
    majority minority minimum maximum must shall may can inside outside up down on off in out taller shorter larger
    smaller older younger higher lower longer heavier lighter first last earlier later not everybody someone
    somebody""".split()
)
"""Words that turn a statement round wherever they stand in it."""
BEING = frozenset("is are was were be been remains remained stays stayed becomes became".split())
_PLACING = frozenset("of in into on from to".split())


def excludes_here(units: Units, place: int) -> bool:
    """Whether the opposite of a word cannot be true as well where it stands: as a verb, or as what something is.

    The north tower and the south tower may both be old, and the house bought may be blue where another is red.
    """
    unit = units[place]
    after = units[place + 1] if place + 1 < len(units) else None
    if unit.key in TURNING or unit.text.lower() in TURNING or unit.is_value or unit.text.endswith("ly"):
        is_told_apart = unit.text.lower() in ("first", "last", "later", "earlier")
        return not is_told_apart or any(each.key in BEING for each in units[:place])
    if (place == 0 and unit.span[0] == 0) or is_verb(unit) or is_verb_form(units, place):
        return True
    if after is not None and after.kind in ("word", "name") and not is_verb(after) and not after.text[:1].isupper():
        return False
    lead = units[place - 1].key
    being = max((n for n, each in enumerate(units[:place]) if each.key in BEING), default=None)
    is_predicate = being is not None and not any(each.key in _PLACING for each in units[being:place])
    return is_predicate or lead in _PLACING


def is_verb_form(units: Units, place: int) -> bool:
    """Whether a word in -s is the only one that can be the verb: `the firm imports timber`."""
    word = units[place].text
    return word.islower() and word.endswith("s") and not word.endswith("ss") and not any(map(is_verb, units))


def mine_recurs(mine: Units, place: Place) -> bool:
    """Whether a date is of something that happens again: who won in 1998 may have won in 2002."""
    return place.mine[0].kind == "date" and bool({unit.key for unit in mine} & RECURRING)


def is_implied(mine: Units, place: Place) -> bool:
    """Whether `over 70` follows from `over 60` of those that something holds for, or the reverse of an amount."""
    one, other = place.mine[0].amount, place.theirs[0].amount
    if not one or not other or one.bound != other.bound or one.bound not in ("over", "under"):
        return False
    if place.mine[0] not in mine or any(unit.kind == "negation" for unit in mine):
        return False
    is_of_subject = mine.index(place.mine[0]) < first_verb(mine)
    return ((one.number > other.number) == (one.bound == "over")) == is_of_subject


RECURRING = frozenset(
    """win host visit play attend tour perform champion award receive rank meet celebrate sell travel declar invade
    attack elect move return""".split()
)
"""Things that happen again: another year excludes nothing."""
REPEATABLE = RECURRING | frozenset("work live studi teach serv speak star appear publish employ trade occupi".split())
"""What is done in several places, and with several people."""
VERBS = frozenset(
    """is are was were be been has have had do does did can could will would shall should may might must began begun
    born wrote written won lost led left met sold bought built made took taken gave given held became came went fell
    rose grew grown ran set put sent kept told known drew drawn shot sank struck hit cut let paid laid lies lie
    stands stand sits flows contains costs cost takes weighs carries opens closes begins ends runs gives needs makes
    covers measures lives eats serves holds lasts starts uses employs sells offers plays produces includes consists
    travel travels pay pays go goes applies apply works flashes employ reads gives leaves died lived""".split()
)
AUXILIARY = frozenset("is are was were be been being has have had do does did".split())


def first_verb(units: Units) -> int:
    """Index of the first unit that looks like a verb; their number if none does."""
    return next((n for n, unit in enumerate(units) if is_verb(unit) or _follows_name(units, n)), len(units))


def _follows_name(units: Units, place: int) -> bool:
    """`Green Energy supplies fewer`: a word in -s behind a name."""
    word = units[place].text
    is_like_one = word.islower() and word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3
    return place > 0 and is_like_one and units[place].kind == "word" and units[place - 1].text[:1].isupper()


def is_verb(unit: Unit) -> bool:
    """Whether a unit looks like a verb."""
    word = unit.text
    return word in VERBS or (unit.kind == "word" and word.islower() and word.endswith("ed") and len(word) > 4)


def _are_names(mine: Units, theirs: Units) -> bool:
    """Whether two names stand in one place, of which neither is a part of the other."""
    if any(unit.kind != "name" for unit in (*mine, *theirs)) or max(len(mine), len(theirs)) > 4:
        return False
    ours, yours = ({key for unit in part for key in unit.key.split("-")} for part in (mine, theirs))
    return not (ours <= yours or yours <= ours) and not may_be_one(mine, theirs)


def may_be_one(mine: Units, theirs: Units) -> bool:
    """Whether one name may stand for the other: `US` for `United States`, or lies in what it names: a country."""
    texts = ["".join(unit.text for unit in part).replace(".", "") for part in (mine, theirs)]
    initials = ["".join(unit.text[0] for unit in part) for part in (mine, theirs)]
    words = [{unit.text for unit in part} for part in (mine, theirs)]
    levels = [2 * bool(each & CONTINENTS) or bool(each & COUNTRIES) for each in words]
    return texts[0] == initials[1] or texts[1] == initials[0] or levels[0] != levels[1]


def _may_stand_for(mine: Units, theirs: Units, first: int, last: int) -> bool:
    """Whether a name can be there only once: after a preposition or a verb; as subject only of what has one doer."""
    rest = mine[len(mine) - last :]
    if not any(is_verb(unit) for unit in mine[:first]) and first < 3:
        return bool(rest) and rest[0].key in SINGLE_DOER
    if rest and rest[0].key in ("and", "or"):
        return False
    if {unit.key for unit in mine} & REPEATABLE:
        return False
    return mine[first - 1].key not in ("and", "or")


def _changed_places(mine: Units, theirs: Units) -> bool:
    """Whether two things have changed places around a word that is not true both ways, or two values theirs."""
    if len(mine) != len(theirs) or not 3 <= len(mine) <= 24:
        return False
    ours, yours = ([unit.key for unit in part] for part in (mine, theirs))
    for size in range(1, len(mine) // 2 + 1):
        for other in range(1, len(mine) - size):
            between = ours[size : len(mine) - other]
            if yours == ours[len(mine) - other :] + between + ours[:size]:
                texts = {unit.text.lower() for unit in mine[size : len(mine) - other]}
                numbers = size == other == 1 and mine[0].is_value and mine[-1].is_value
                return numbers or bool(texts & ONE_WAY)
    return False


def _in_characters(mine: Units, theirs: Units, first: int, last: int) -> Place | None:
    """The place in which Chinese sentences differ. No dictionary says where a word ends: pairs are tried around it."""
    my_part, their_part = mine[first : len(mine) - last], theirs[first : len(theirs) - last]
    if found := _values(my_part, their_part) if my_part and their_part else None:
        return found
    if any(unit.is_value for unit in (*my_part, *their_part)):
        return None
    if {"".join(unit.text for unit in part) for part in (my_part, their_part)} in ({"", no} for no in _DENYING_ZH):
        return Place(
            my_part,
            their_part,
            mine[max(first - 1, 0) : len(mine) - last + 1],
            theirs[max(first - 1, 0) : len(theirs) - last + 1],
        )
    for table in (_OPPOSITES_ZH, _KINDS_ZH, _QUALITIES):
        for one, other in table:
            if len(one) - len(other) != len(my_part) - len(their_part):
                continue
            for start in range(max(first - len(one), 0), first + 1):
                left, right = mine[start : start + len(one)], theirs[start : start + len(other)]
                if "".join(u.text for u in left) != one or "".join(u.text for u in right) != other:
                    continue
                if len(mine) - start - len(one) <= last and len(mine) - len(one) >= FEWEST_SHARED:
                    before = "".join(unit.text for unit in mine[:start])
                    if table is not _QUALITIES or _IS_SO.search(before):
                        return Place(left, right)
    return None
