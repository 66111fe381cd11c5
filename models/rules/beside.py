"""A short claim beside a longer sentence that has all of it but one value, name or opposite in the same place."""

import itertools
import re
from collections.abc import Iterator

from .alignment import (
    AUXILIARY,
    RECURRING,
    REPEATABLE,
    SINGLE_DOER,
    VERBS,
    Place,
    Units,
    excludes_here,
    first_verb,
    is_implied,
    is_verb,
    may_be_one,
)
from .opposites import OF_TIME, are_opposite, is_one_of_many
from .units import ARTICLES, PRONOUNS, Sentence, Unit, exclude

FEWEST = 2
"""How many units besides the place a claim must have in common with the sentence."""
_CUT = re.compile(
    r";|, (?=(?:and|but|while|whereas|which|who|where|when|although|though|so|after|before)\b)"
    r"| (?=(?:but|while|whereas|although)\b)"
    rf"|, (?=(?:{'|'.join(VERBS)})\b)"
    rf"| (?=and (?:\w+ed|it|he|she|they|{'|'.join(VERBS)}|(?:\w+ )?\w+ (?:is|was|are|were|has|had))\b)"
)
HEDGING = frozenset(
    """may might could would probably perhaps possibly allegedly reportedly legend according said believed claimed
    thought supposed planned expected originally formerly intended hoped nearly almost usually sometimes often
    partly only except unless if should must""".split()
)
"""Words that change how far a statement holds: they stand in both sentences, or in none."""
QUANTIFYING = frozenset("each every both all most some several half per total average more less than".split())


def places(claim: Sentence, other: Sentence, named: frozenset[str], subject: Units) -> Iterator[Place]:
    """The places in which a clause of the sentence cannot be true together with the claim.

    Args:
        claim: The claim.
        other: The sentence of the evidence.
        named: The units that its title and heading name, and the sentence before it.
        subject: What its pronoun stands for.
    """
    if claim.language == "ko":
        yield from _in_korean(claim, other, named)
        return
    known = {unit.key for unit in other.units} | named
    theirs = clauses(other, subject)
    for own in clauses(claim, ()):
        mine = told(own)
        if not FEWEST < len(mine) <= 30 or len({unit.key for unit in mine} & known) < len(mine) - 4:
            continue
        for clause in theirs:
            if _hedges(own) != _hedges(clause):
                continue
            if (place := _place(mine, own, told(clause), clause, named)) is not None:
                yield place


def _in_korean(claim: Sentence, other: Sentence, named: frozenset[str]) -> Iterator[Place]:
    """A value in a Korean sentence that has all other words of the claim, and the same one behind the value."""
    known = {unit.key[:2] for unit in other.units if not unit.is_value} | {key[:2] for key in named}
    values = [unit for unit in claim.units if unit.is_value and not any(agree(unit, each) for each in other.units)]
    words = [unit for unit in claim.units if not unit.is_value and unit.kind != "mark"]
    if len(values) != 1 or len(words) < FEWEST or any(unit.key[:2] not in known for unit in words):
        return
    if any(unit.kind == "negation" or unit.key == "다시" for unit in (*claim.units, *other.units)):
        return
    candidates = [unit for unit in other.units if unit.kind == values[0].kind and exclude(values[0], unit)]
    behind = [_behind(claim.units, values[0]), *(_behind(other.units, unit) for unit in candidates)]
    fitting = [unit for unit, after in zip(candidates, behind[1:], strict=True) if unit.date or after == behind[0]]
    if len(fitting) == 1:
        yield Place((values[0],), (fitting[0],))


def _behind(units: Units, value: Unit) -> str:
    return next((unit.key[:2] for unit in units[units.index(value) + 1 :]), "")


def told(units: Units) -> Units:
    """The units that are more than joints."""
    return tuple(unit for unit in units if unit.kind not in ("joint", "character", "mark") and unit.key not in NOT_TOLD)


NOT_TOLD = frozenset("locate call name consist way area length height age".split())


def _hedges(units: Units) -> frozenset[str]:
    return frozenset(unit.text.lower() for unit in units if unit.text.lower() in HEDGING | QUANTIFYING)


def clauses(sentence: Sentence, subject: Units) -> list[Units]:
    """The clauses of a sentence; one without a subject of its own has that of the one before it."""
    text, cuts = sentence.typed.text, [0]
    cuts += [match.end() for match in _CUT.finditer(sentence.typed.text)] + [len(text)]
    parts = [
        tuple(unit for unit in sentence.units if start <= unit.span[0] < end) for start, end in itertools.pairwise(cuts)
    ]
    leading: Units = subject
    every: list[Units] = []
    for part in filter(None, parts):
        verb = first_verb(part)
        own = part[:verb]
        while own and own[0].key in (
            "and",
            "but",
            "while",
            "whereas",
            "which",
            "who",
            "when",
            "where",
            "so",
            ",",
            "although",
        ):
            own = own[1:]
        if not own or (own[0].key in PRONOUNS and len(own) == 1):
            every.append(leading + part[verb:])
        else:
            every.append(part)
            leading = own
    return every


def _place(mine: Units, claim: Units, theirs: Units, clause: Units, named: frozenset[str]) -> Place | None:
    their_keys = {unit.key for unit in theirs}
    apart = [unit for unit in mine if unit.key not in their_keys and unit.key not in named]
    apart = [unit for unit in apart if not unit.is_value or not any(agree(unit, other) for other in theirs)]
    apart = [unit for unit in apart if unit.key not in GENERIC] or apart
    if not apart or len(apart) > 4:
        return None
    if any(unit.kind == "negation" for unit in (*mine, *theirs)):
        return None
    shared = [unit for unit in mine if unit.key in their_keys]
    if not shared or len(shared) + sum(unit.key in named for unit in mine) < FEWEST:
        return None
    my_keys = {unit.key for unit in mine}
    if not _same_subject(claim, clause, my_keys, named, apart):
        return None
    if all(unit.kind == "name" for unit in apart) and _in_a_row(claim, apart):
        candidates = [
            run
            for run in names_in(clause)
            if not {unit.key for unit in run} & (my_keys | named) and not may_be_one(tuple(apart), run)
        ]
    elif len(apart) == 1 and apart[0].is_value:
        candidates = [
            (unit,)
            for unit in clause
            if unit.kind == apart[0].kind and unit.key not in my_keys and exclude(apart[0], unit)
        ]
        candidates = [each for each in candidates if not _is_converted(each[0], candidates, apart[0])]
    elif len(apart) == 1:
        if [unit.key for unit in mine if unit in shared] != [u.key for u in theirs if u.key in {v.key for v in shared}]:
            return None
        plain = tuple(unit for unit in claim if unit.kind != "mark" and unit.key not in ARTICLES)
        if not excludes_here(plain, plain.index(apart[0])):
            return None
        candidates = [(unit,) for unit in clause if unit.key not in my_keys and are_opposite(apart[0].text, unit.text)]
        if apart[0].text in OF_TIME:
            return None
    else:
        return None
    fitting = [each for each in candidates if _same_place(claim, tuple(apart), clause, each)]
    if len(fitting) != 1 or _qualified(claim, tuple(apart), clause, fitting[0], my_keys | named):
        return None
    place = Place(tuple(apart), tuple(fitting[0]))
    if not _one_tense(_tense(claim), _tense(clause)) and not _of_participle(clause, fitting[0]):
        return None
    return None if is_implied(claim, place) else place


def agree(unit: Unit, other: Unit) -> bool:
    """Whether two values of a kind may both be true."""
    if unit.kind != other.kind or exclude(unit, other):
        return False
    return not unit.amount or not other.amount or unit.amount.unit == other.amount.unit


def _is_converted(unit: Unit, candidates: list[Units], mine: Unit) -> bool:
    """Whether a value is one in another unit behind the one that the claim has: `828 metres (2,717 feet)`."""
    if not mine.amount or not unit.amount or mine.amount.unit == unit.amount.unit:
        return False
    return any(other.amount and other.amount.unit == mine.amount.unit for (other, *_) in candidates)


def _of_participle(clause: Units, theirs: Units) -> bool:
    """Whether a value belongs to a participle, which has no tense: `a language created by Guido`."""
    first, verb = clause.index(theirs[0]), first_verb(clause)
    return any(is_verb(unit) and unit.key not in AUXILIARY for unit in clause[verb + 2 : first])


def _one_tense(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    return not mine or not theirs or bool(mine & theirs)


def _tense(units: Units) -> frozenset[str]:
    """`is` beside `was`: what was so may be so no longer."""
    every = {unit.key for unit in units}
    return frozenset(tense for tense, forms in _TENSES.items() if every & forms)


_TENSES = {"present": frozenset(("is", "are", "has", "have")), "past": frozenset(("was", "were", "had"))}


def _same_subject(claim: Units, clause: Units, mine: set[str], named: frozenset[str], apart: list[Unit]) -> bool:
    """Whether the clause names nothing before its verb that the claim, the title or the heading does not."""
    verb = first_verb(clause)
    own = [unit for unit in clause[:verb] if unit.kind not in ("joint", "mark") and not unit.is_value]
    strange = [unit for unit in own if unit.key not in mine and unit.key not in named]
    if strange and not any(are_opposite(unit.text, other.text) for unit in strange for other in apart):
        aside = [unit for unit in strange if _in_apposition(unit, clause[:verb])]
        if any(
            unit.kind == "name" and clause[clause.index(unit) - 1].key not in ("in", "near") for unit in aside
        ):  # `Ann Lee, sister of Bo Ek, born in 1866`
            return False
        strange = [unit for unit in strange if unit not in aside]
        my_names = {unit.key for unit in claim[: first_verb(claim)] if unit.kind == "name"}
        names = [unit for unit in apart if unit.kind == "name"]
        is_title = (
            own[-1].kind == "name"
            and own[-1].key in mine
            and my_names <= {unit.key for unit in own}
            and not any(unit.key in ("of", "by", "at", "in", "for") for unit in clause[:verb])
            and all(map(_describes, strange))
        )
        is_generic = len(own) == 1 and own[0].key in GENERIC and clause[0].key in ("the", "its", "his", "her")
        is_turned = _is_passive_of(claim, clause)
        if strange and not (names and len(strange) <= len(names)) and not (is_title or is_generic or is_turned):
            return False
    if not _led_alike(claim, clause) or not _names_in_order(claim, clause[:verb]):
        return False
    my_verb = first_verb(claim)
    my_subject = [unit for unit in claim[:my_verb] if unit.kind != "joint"]
    known = {unit.key for unit in clause} | named
    return any(unit.key in known for unit in my_subject) or not my_subject or unit_is_apart(my_subject, apart)


def _led_alike(claim: Units, clause: Units) -> bool:
    """Whether no word that both have stands behind opposite joints: `in towns` and `outside towns`."""
    leads = [{row[n].key: row[n - 1].key for n in range(1, len(row))} for row in (claim, clause)]
    return not any(
        are_opposite(lead, leads[1].get(key, "")) or {lead, leads[1].get(key, "")} == {"in", "outside"}
        for key, lead in leads[0].items()
    )


def _names_in_order(claim: Units, subject: Units) -> bool:
    """Whether the names that a subject shares with the claim stand in one order: Ann Lee is not Lee Ann."""
    mine = [unit.key for unit in claim[: first_verb(claim)] if unit.kind == "name"]
    theirs = [unit.key for unit in subject if unit.key in mine]
    return [key for key in mine if key in theirs] == theirs


def _is_passive_of(claim: Units, clause: Units) -> bool:
    """Whether what the claim is about stands right behind the clause's verb: `X was adopted`, `The board adopted X`."""
    verb = first_verb(claim)
    if verb + 1 >= len(claim) or claim[verb].key not in ("was", "were", "is", "are"):
        return False
    subject = [unit.key for unit in told(claim[:verb])]
    place = next((n for n, unit in enumerate(clause) if unit.key == claim[verb + 1].key), len(clause))
    after = [unit.key for unit in told(clause[place + 1 :])]
    is_active = place > 0 and clause[place - 1].key not in AUXILIARY
    return bool(subject) and is_active and after[: len(subject)] == subject


def _in_apposition(unit: Unit, subject: Units) -> bool:
    """Whether a word stands between two commas: `the Comet, a smaller boat, ...`."""
    commas = [other.span[0] for other in subject if other.key == ","]
    return len(commas) > 1 and commas[0] < unit.span[0] < commas[-1]


GENERIC = frozenset(
    """tower bridge museum bank school company city town village river mountain lake ship novel book film play law team
    club orchestra festival building house church castle palace theatre library hotel airport station canal island
    glacier newspaper game bird animal species drug medicine device machine lighthouse compani citi villag medicin
    librari speci machin theatr festiv orchestra museum""".split()
)
"""Nouns with `the` that stand for what the page is about."""


def _describes(unit: Unit) -> bool:
    """Whether a word before a name only says who it is: `the Russian chemist Dmitri`."""
    return unit.text[:1].isupper() or is_one_of_many(unit.text) or unit.text.endswith(("ist", "er", "or", "ian", "ect"))


def unit_is_apart(subject: list[Unit], apart: list[Unit]) -> bool:
    """Whether the subject is what differs."""
    return all(unit in apart for unit in subject)


def _in_a_row(units: Units, part: list[Unit]) -> bool:
    first = units.index(part[0])
    return units[first : first + len(part)] == tuple(part)


def names_in(units: Units) -> Iterator[Units]:
    """The runs of names."""
    run: list[Unit] = []
    for unit in (*units, None):
        if unit is not None and unit.kind == "name" and (not run or unit.span[0] - run[-1].span[1] <= 1):
            run.append(unit)
        else:
            if run:
                yield tuple(run)
            run = [unit] if unit is not None and unit.kind == "name" else []


def around(units: Units, part: Units) -> tuple[str, str, str]:
    """What leads to a place, the relation before that, and what follows it."""
    first = units.index(part[0])
    last = first + len(part)
    before = [
        unit
        for unit in units[:first]
        if unit.key not in ARTICLES and unit.key not in APPROXIMATE and unit.kind != "mark"
    ]
    while part[0].kind == "name" and before and before[-1].kind != "joint" and _describes(before[-1]):
        before = before[:-1]
    before = [unit for unit in before if unit.key not in ARTICLES]
    lead = before[-1].key if before else ""
    relation = next(
        (u.key for u in reversed(before) if u.kind in ("word", "negation") and u.key not in APPROXIMATE), ""
    )
    if part[0].kind == "date":
        relation = next((u.key for u in reversed(before) if is_verb(u) and u.key not in AUXILIARY), relation)
    if not relation:
        relation = next((u.key for u in reversed(before) if u.key in AUXILIARY), "")
    after = next((u.key for u in units[last:] if u.key not in ARTICLES), "")
    return lead, relation, after


APPROXIMATE = frozenset(
    "about some over nearly almost just only exactly around roughly approximately more less than".split()
)


def _same_place(claim: Units, mine: Units, clause: Units, theirs: Units) -> bool:
    lead, relation, after = around(claim, mine)
    their_lead, their_relation, their_after = around(clause, theirs)
    if mine[0].kind == "number" and mine[0].amount and theirs[0].amount:
        if lead != their_lead and {lead, their_lead} & {"by", "to", "from"}:
            return False
        same_unit = mine[0].amount.unit == theirs[0].amount.unit
        if mine[0].amount.unit and theirs[0].amount.unit:
            from ...state.text.amounts import comparable

            return comparable(mine[0].amount, theirs[0].amount) and (relation == their_relation or lead == their_lead)
        if not same_unit:
            return False
        return bool(after) and after == their_after and (relation == their_relation or lead == their_lead)
    if mine[0].is_value:
        return relation == their_relation and (lead == their_lead or {lead, their_lead} <= IN_TIME)
    if mine[0].kind == "name":
        if {unit.key for unit in claim} & REPEATABLE or _follows_article(claim, mine):
            return False
        if claim.index(mine[0]) < first_verb(claim):
            is_active = not {unit.key for unit in (*claim, *clause)} & AUXILIARY
            return after == their_after and is_active and bool({unit.key for unit in claim} & SINGLE_DOER)
        agents = (_agent(claim, mine), _agent(clause, theirs))
        return (relation == their_relation and lead == their_lead) or (agents[0] == agents[1] != "")
    return relation == their_relation or after == their_after or lead == their_lead


def _follows_article(units: Units, part: Units) -> bool:
    """Whether a name only describes: `by a Dane`."""
    first = units.index(part[0])
    return first > 0 and units[first - 1].key in ("a", "an")


def _agent(units: Units, part: Units) -> str:
    """What a name did that only one can have done: `isolated by Miescher`, `Miescher first isolated`."""
    first = units.index(part[0])
    before = [unit for unit in units[:first] if unit.kind in ("word", "joint") and unit.key not in ARTICLES]
    if len(before) > 1 and before[-1].key == "by" and before[-2].key in SINGLE_DOER:
        return before[-2].key
    after = [unit for unit in units[first + len(part) :] if unit.kind == "word"]
    return after[0].key if not before and after and after[0].key in SINGLE_DOER else ""


IN_TIME = frozenset(("in", "on", "at", "of", "(", ""))


def _qualified(claim: Units, mine: Units, clause: Units, theirs: Units, known: set[str] | frozenset[str]) -> bool:
    """Whether the sentence says something more of its value: another of the kind, or a condition."""
    first = clause.index(theirs[0])
    last = first + len(theirs)
    following = clause[last:]
    for place, unit in enumerate(following):
        if unit.kind == theirs[0].kind and not (
            unit.amount and theirs[0].amount and unit.amount.unit != theirs[0].amount.unit
        ):
            break
        after = following[place + 1 : place + 3]
        if unit.key in ("and", "or", "-", "to") and _another(theirs[0], after):
            is_told_apart = len(after) > 1 and after[1].kind == "word" and after[1].key != following[0].key
            if not (is_told_apart and following[0].key in known):
                return True
    strange = [
        unit
        for unit in told(clause)
        if unit.key not in known
        and unit not in theirs
        and unit.kind != "name"
        and not unit.is_value
        and unit.text.isalpha()
        and not unit.text[:1].isupper()
    ]
    if theirs[0].kind == "number" or theirs[0].kind == "word":
        ends = (
            u.span[0] for u in following if u.kind == "mark" or (u.key in known and (u.is_value or u.kind == "name"))
        )
        stop = next(ends, 10**6)
        tail = [unit for unit in strange if theirs[-1].span[1] < unit.span[0] < stop]
        return bool(tail) and not _is_noun_after(following, tail)
    if theirs[0].kind == "date":
        verb = max((n for n, unit in enumerate(clause[:first]) if is_verb(unit)), default=first)
        between = [unit for n, unit in enumerate(clause[:first]) if n > verb and unit in strange]
        return bool({u.key for u in claim} & RECURRING) or any(not _is_of_name(unit, clause, known) for unit in between)
    return False


def _is_of_name(unit: Unit, clause: Units, known: set[str] | frozenset[str]) -> bool:
    """Whether a word belongs to a name that the claim has as well: `the British computer scientist Tim Berners-Lee`."""
    after = clause[clause.index(unit) + 1 :]
    head = next((other for other in after if other.kind != "word" or other.key in known), None)
    return head is not None and head.kind == "name" and head.key in known


def _another(value: Unit, following: Units) -> bool:
    """Whether another value of the same unit follows at once: `12 euros for adults and 8 for children`."""
    for unit in following:
        if unit.kind == value.kind:
            return not value.amount or not unit.amount or unit.amount.unit in ("", value.amount.unit)
    return any(unit.text == "one" for unit in following[:1])


def _is_noun_after(following: Units, tail: list[Unit]) -> bool:
    return len(tail) == 1 and following[0] is tail[0]
