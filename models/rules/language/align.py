"""Which clause of a text a query is about, and which clauses of the evidence speak of the same thing."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from ....state.text.sections import sections
from .clauses import (
    PERSON_STEMS,
    QUESTION_WORDS,
    RELATIVES,
    Clause,
    Part,
    content,
    has_name,
    is_anaphor,
    is_passive,
    read_parts,
    resolve,
)
from .contrasts import families, side_of
from .facts import NOT_NAMES, Fact, find
from .naming import in_another_order
from .numbered import numbered
from .places import lookup
from .tables import table
from .words import ARTICLES, PREPOSITIONS, Word, opens_phrase, stems, words

ENOUGH_SUBJECT = 0.5
"""Part of a subject's words that must be found again."""
ENOUGH_NAMES = 0.6
"""The same for names, if neither is a part of the other: `Eiffel Tower` is not `Tokyo Tower`."""
GENERIC_NOUNS = stems(
    """city town village country river lake island mountain building bridge tower company band film movie novel book
    series show game song album play work team club species language element planet animal group organization project"""
)
"""Nouns that only say of what kind the thing is that is named beside them."""

ASKING_WORDS = QUESTION_WORDS | table("date place city country")
ANSWERS = {
    "date": r"\b(?:when|(?:which|what) (?:year|date|day|century|decade))\b|哪一?年|何时|什么时候|언제|몇 년",
    "amount": r"\bhow (?:many|much|tall|long|high|deep|wide|far|old|large|big|heavy|fast|hot|cold|often)\b"
    r"|\bwhat (?:(?:is|was) the )?(?:percentage|population|height|length|speed|area|depth|width|weight|mass|temperature"
    r"|distance|diameter|age)\b|多少|几|몇|얼마",
    "place": r"\b(?:where|(?:which|what) (?:city|country|place|state|continent|town|river|region))\b"
    r"|哪里|哪个|何处|어디",
    "person": r"\b(?:who|whom|whose)\b|谁|누구|누가",
}
"""The kinds of fact, and the words of a question that ask for one. The first that fits counts."""


_WHETHER = re.compile(r"\s*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b", re.I)


def asks_whether(query: str) -> bool:
    """Whether a question asks for yes or no, so that it has what is asked for."""
    return bool(_WHETHER.match(query))


def asked_for(query: str) -> str:
    """The kind of fact that a question asks for; empty if its words do not say."""
    if not re.search(r"[?？]|^(?:who|whom|whose|when|where|how|which|what|in which|in what)\b", query.strip(), re.I):
        return ""
    if asks_whether(query):  # `did it begin when ...` does not ask when
        return ""
    return next((kind for kind, asking in ANSWERS.items() if re.search(asking, query, re.I)), "")


def asked_about(clauses: Sequence[Clause], query: str) -> list[Clause]:
    """The clauses of the text that the query is about: those that share most of its words; [] if none does."""
    query_words = content(query)
    if not query_words or not clauses:
        return []
    if kind := asked_for(query):
        query_words -= ASKING_WORDS
    scores = [len(query_words & clause.stems) / (len(query_words) or 1) + _answers(clause, kind) for clause in clauses]
    best = max(scores)
    shared = max(len(query_words & clause.stems) for clause in clauses)
    if best < 0.4 or not shared:
        return []
    likest = [clause for clause, score in zip(clauses, scores, strict=True) if score >= best - 1e-9]
    if kind:
        return likest[:1]
    return [
        clause for clause in clauses if clause.sentence == likest[0].sentence and len(query_words & clause.stems) > 0
    ]


def _answers(clause: Clause, kind: str) -> float:
    """A clause that has an answer to the question is preferred among equals."""
    kinds = {"place": "name", "person": "name"}
    return 0.1 if kind and any(fact.kind == kinds.get(kind, kind) for fact in clause.facts) else 0.0


def topic_of(title: str) -> str:
    """What a page is about: its title without what only tells it from others of the name."""
    return re.split(r"[(（|–:]|\s-\s", title, maxsplit=1)[0].strip()


def evidence_clauses(evidence: str, title: str) -> tuple[Clause, ...]:
    """The clauses of a piece of evidence, section by section, each read with its topic."""
    bodies = ((section.heading, evidence[slice(*section.body)].strip()) for section in sections(evidence))
    return read_parts(tuple(Part(body, _topic_of_section(heading, body, title), heading) for heading, body in bodies))


def in_its_section(claim: Clause, evidence: Sequence[Clause], title: str) -> Sequence[Clause]:
    """The clauses that may be about what a claim is about, where one of their headings names that.

    `The entry costs 5 euros.` under `Library` is not about the museum if there is a heading `Museum` as well.
    """
    known = content(claim.subject) | content(claim.topic)
    headings = {clause.heading for clause in evidence} - {""}
    own = {each for each in headings if content(each) <= known and not content(each) <= content(topic_of(title))}
    if not own:
        return evidence
    return [clause for clause in evidence if clause.heading in own or not is_anaphor(clause.own_subject)]


def _topic_of_section(heading: str, body: str, title: str) -> str:
    """What a section is about: what its heading names, if that surely is a name; otherwise what the page is about."""
    page = topic_of(title)
    named = topic_of(heading)
    if not named or content(named) <= content(page) or _OF_PERSONS.match(body):
        return page
    is_name = lookup(named) or re.search(rf"[a-z,] (?:the )?{re.escape(named)}\b", body)
    return named if is_name and named[0].isupper() else page or named


_OF_PERSONS = re.compile(r"(?:he|she|they|his|her|their)\b", re.IGNORECASE)
"""How a section begins that goes on about somebody: `He lived in Oslo.` under `Oslo`."""


@lru_cache(maxsize=4_000)
def names(text: str) -> frozenset[str]:
    """Stems of the capitalised words, lower-cased."""
    row = words(text)
    row = row[1:] if opens_phrase(row) else row
    return frozenset(word.stem for word in row if (_is_name(word) or word.text[0].isdigit()) and word.stem)


def same_subject(claim: Clause, other: Clause, title: str) -> bool:
    """Whether two clauses are about the same thing: by name where there is one, otherwise by the head noun."""
    if claim.cjk or other.cjk:
        return _same_cjk_subject(claim, other, title)
    alias = other.alias
    return _same_subject(claim, other, title) or (
        bool(alias) and _same_subject(claim, replace(other, subject=alias), title)
    )


def _same_subject(claim: Clause, other: Clause, title: str) -> bool:
    mine, theirs = content(claim.subject), content(other.subject)
    # `the first prizes were awarded` and `the prizes were first awarded` are about the same ones
    first = {"first"} if all("first" in (word.lower for word in clause.words) for clause in (claim, other)) else set()
    if of_others(claim, other):
        return False
    if not mine or not theirs or _qualifiers(claim.subject) - first != _qualifiers(other.subject) - first:
        return False
    my_names, their_names = names(claim.subject), names(other.subject)
    if not (
        _adds_nothing(mine - theirs - my_names, other, title)
        and _adds_nothing(theirs - mine - their_names, claim, title)
    ):
        return False
    if my_names and their_names:
        if not _may_be_one(claim.subject, other.subject):
            return False
        shared = my_names & their_names
        if my_names > their_names and not my_names - their_names <= content(title) | other.stems | GENERIC_NOUNS:
            return False  # `Meridol Forte` is not `Meridol`
        if my_names < their_names and _names_another(claim.subject, other.subject, title):
            return False
        nearly = len(shared) >= ENOUGH_NAMES * len(my_names | their_names)
        return bool(shared) and (shared in (my_names, their_names) or nearly)
    if their_names - content(title) - claim.stems:  # `the MOSFET transistor` is one of the transistors
        return False
    on_the_page = bool(my_names) and my_names <= content(title)
    return len(mine & theirs) >= ENOUGH_SUBJECT * max(len(mine), len(theirs)) or on_the_page


def of_others(claim: Clause, other: Clause) -> bool:
    """Whether something without a name is told of different things: the entry to a museum, and to a gallery."""
    topics = content(claim.topic), content(other.topic)
    if not all(topics) or has_name(claim.subject) or not topics[0].isdisjoint(topics[1]):
        return False
    if has_name(other.subject):  # that of the page; under another heading it may be of something else
        is_elsewhere = bool(other.heading) and is_anaphor(other.own_subject)
        return is_elsewhere and topics[0].isdisjoint(content(other.heading) | content(other.own_subject))
    return not (topics[0] | topics[1]) & content(claim.subject)


TELLING_APART = stems(
    """new old great little big small upper lower north south east west northern southern eastern western saint st young
    royal central"""
)
"""Words before a name that make it the name of something else: `New Arlen`, `Little Lake Orm`."""


OF_PRODUCTS = stems("max plus pro lite mini maxi ultra air jr sr junior senior ii iii iv")
"""Words after a name that make it the name of something else."""


def _names_another(mine: str, theirs: str, title: str) -> bool:
    """Whether a longer name is of something else: `Trio Max`, `New Arlen`, but not `Gustave Eiffel` for `Eiffel`.

    On the page of Galileo Galilei, Galileo is he.
    """
    named = [word.stem for word in words(mine) if _is_name(word)]
    row = words(theirs)
    length = len(named)
    stemmed = [word.stem for word in row]
    starts = (start for start in range(len(row) - length + 1) if stemmed[start : start + length] == named)
    first = next(starts, None)
    if first is None or not named:
        return False
    after = row[first + length : first + length + 1]
    is_longer = bool(after) and _is_name(after[0]) and after[0].stem not in GENERIC_NOUNS
    if is_longer and length == 1 and after[0].stem in content(title) - OF_PRODUCTS:
        is_longer = False
    return is_longer or (first > 0 and row[first - 1].capital and row[first - 1].stem in TELLING_APART)


def may_be_of_page(claim: Clause, other: Clause, fact: Fact, theirs: Fact, title: str) -> bool:
    """Whether two clauses may be about the same part of what the page is about: `its white beam`, `the last section`.

    What was named in between may be what the words point back to, unless it is a name of its own. The two facts are
    compared apart, as in `the remaining 16`.
    """
    own = words(other.own_subject)
    if claim.cjk or other.cjk or not title or not own or not content(other.own_subject):
        return False
    named = {word.stem for word in words(other.subject) if _is_name(word)}
    if own[0].lower not in ARTICLES | {"each", "every"} or own[0].lower in ("a", "an") or named - content(title):
        return False
    mine = replace(claim, subject=_without(claim.subject, fact))
    subjects = other.subject, resolve(other.own_subject, topic_of(title))
    return any(same_subject(mine, replace(other, subject=_without(subject, theirs)), title) for subject in subjects)


def is_turned_round(claim: Clause, other: Clause, fact: Fact, theirs: Fact, title: str) -> bool:
    """Whether one clause is the other in the passive: `the board closed the school`, `the school was closed`.

    What is said of the first school is said of another than the school.
    """
    if claim.cjk or other.cjk:
        return False
    passives = [clause for clause in (claim, other) if is_passive(clause)]
    if len(passives) != 1:
        return False
    passive, active = (claim, other) if passives[0] is claim else (other, claim)
    aside = fact.stems | theirs.stems  # which are compared apart
    undergoes, done = content(passive.subject) - aside, _object(active) - aside
    is_same = bool(undergoes) and undergoes <= done and done - undergoes <= passive.stems | content(title)
    return is_same and (active is other or content(claim.subject) - aside <= other.stems)


def _without(subject: str, fact: Fact) -> str:
    return re.sub(rf"\b{re.escape(fact.text)}\b", "", subject) if fact.amount else subject


def _adds_nothing(extra: frozenset[str], clause: Clause, title: str) -> bool:
    """Whether common nouns that only one subject has are told by the other clause somewhere, or tell nothing.

    `The height of the tower is` and `The tower is ... high` are about the same thing, `The core of the Sun` and `The
    surface of the Sun` are not.
    """
    common = clause.stems | content(title) | GENERIC_NOUNS
    return all(word in common or word.endswith(PERSON_STEMS) for word in extra)


PARTS_OF_NAMES = stems(
    """day prize council wall war street company institute foundation museum society school university college award
    medal committee court commission assembly bank party theatre stadium airport station treaty battle house library"""
)
"""Nouns that make of a name the name of something else: `United Nations Day`, the `Python Software Foundation`."""


def _may_be_one(subject: str, other: str) -> bool:
    """Whether two subjects with names may be the same, going by what is named first.

    `The Security Council of the United Nations` is not `The United Nations`, and the `Nobel Peace Prize` is only one
    of the Nobel Prizes; but `Einstein` is `Albert Einstein`, and `the Amazon` the `Amazon River`.
    """
    mine, theirs = _head_names(subject), _head_names(other)
    if not mine or not theirs:
        return True
    if names_turned_round(subject, other):
        return False
    short, long = sorted((mine, theirs), key=len)
    if not set(short) & set(long):
        return False
    if len(short) == len(long) or not set(short) < set(long):
        return True
    if long[-len(short) :] == short:
        return True
    return long[: len(short)] == short and not set(long[len(short) :]) & PARTS_OF_NAMES


@lru_cache(maxsize=4_000)
def names_turned_round(subject: str, other: str) -> bool:
    """Whether a name in one subject has the words of one in the other in another order."""
    mine, theirs = _names_in(subject), _names_in(other)
    return any(in_another_order(name, their_name) for name in mine for their_name in theirs)


def _names_in(subject: str) -> list[str]:
    return [fact.text for fact in find(subject, 0, len(subject)) if fact.kind == "name"]


def _head_names(subject: str) -> list[str]:
    """Stems of the capitalised words before the first `of`, or of all if there are none."""
    subject_words = words(subject)
    cut = next((index for index, word in enumerate(subject_words) if word.lower == "of"), len(subject_words))
    return next(
        filter(None, ([word.stem for word in part if _is_name(word)] for part in (subject_words[:cut], subject_words))),
        [],
    )


def _is_name(word: Word) -> bool:
    return word.capital and bool(word.stem) and word.text not in NOT_NAMES


OTHERS = table("other others another rest remaining former")
"""Words that set a thing apart from the one of the name: `The other Nobel Prizes`."""


@lru_cache(maxsize=4_000)
def _qualifiers(subject: str) -> frozenset[str]:
    """Numbers, ordinals and words with opposites, which tell one season, war or version from another."""
    subject_facts = find(subject, 0, len(subject))
    ranks = {(" ".join(each)) for each in numbered(subject)}
    numbers = {
        fact.text.lower() for fact in subject_facts if fact.amount and not (ranks and fact.amount.unit == "ordinal")
    }
    subject_words = words(subject)
    aside = {"nationality", "profession"} if any(fact.kind == "name" for fact in subject_facts) else {"nationality"}
    telling = [word for word in subject_words if not aside & families(word.text).keys()]
    sides = {side_of(word.lower.removesuffix("'s")) for word in telling} - {""}
    other_words = {word.lower for word in subject_words} & OTHERS
    return frozenset(numbers | sides | other_words | ranks)


def _same_cjk_subject(claim: Clause, other: Clause, title: str) -> bool:
    subject = claim.subject
    if not subject:
        return False
    return (
        subject in other.sentence_text
        or subject in title
        or subject in other.subject
        or (bool(other.subject) and other.subject in subject)
    )


def patient(clause: Clause, fact: Fact) -> frozenset[str]:
    """What was done, made or held: what follows the verb if the fact is the doer, otherwise the subject."""
    if fact.start >= (clause.words[clause.verb].start if clause.verb < len(clause.words) else 0):
        return content(clause.subject)
    return _object(clause)


def _object(clause: Clause) -> frozenset[str]:
    """What follows the verb, up to a preposition."""
    object_words: list[str] = []
    for word in clause.words[clause.verb + 1 :]:
        if (word.lower in PREPOSITIONS and word.lower != "of") or word.lower in RELATIVES:
            break
        object_words.append(word.text)
    return content(" ".join(object_words))


JOINING = stems(" ".join(PREPOSITIONS))


def covered(
    claim: Clause, other: Clause, title: str, fact: Fact | None = None, aside: frozenset[str] = frozenset()
) -> float:
    """Part of what the claim says that the other clause says as well, dates and amounts aside, which are compared.

    Args:
        claim: The clause whose words count.
        other: The clause of the evidence.
        title: The title of its page.
        fact: A fact of the claim whose words do not count.
        aside: Further stems that do not count.
    """
    aside |= {part for each in claim.facts if each is fact or each.kind in ("date", "amount") for part in each.stems}
    claim_stems = claim.stems - aside - JOINING
    if not claim_stems:
        return 0.0
    return len(claim_stems & (other.stems | content(topic_of(title)))) / len(claim_stems)
