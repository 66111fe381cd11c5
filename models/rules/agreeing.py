"""The task `agreement`: fact by fact, in the clause that the query is about. Undecidable facts are neutral."""

import re
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ...state.errors import Undecided
from ...state.text.amounts import ORDINALS
from ...state.text.segments import Span
from ..tasks.correction import Agreement, AgreementInput
from .language import contrasts, twins, twins_of_characters
from .language.accounting import says_no_more, specified
from .language.align import (
    asked_about,
    asked_for,
    covered,
    evidence_clauses,
    in_its_section,
    is_turned_round,
    may_be_of_page,
    names,
    names_turned_round,
    of_others,
    patient,
    same_subject,
    topic_of,
)
from .language.clauses import PERSONAL, Clause, content, read, topic_before
from .language.facts import Fact
from .language.limits import is_state, modes, same_mode, same_scope, tense
from .language.looking_up import looked_up
from .language.pairing import own_pair, said_of_another
from .language.repeating import repeats
from .language.roles import Role, role
from .language.rows import Row, headings, rows, with_rows, without_rows
from .language.slots import (
    RECURRING,
    REPEATABLE,
    SINGLE_DOER,
    SINGLE_PLACE,
    Outcome,
    compare,
    same_slot,
    same_tense,
)
from .language.tables import table
from .language.words import is_verb_at, stems, words

Label = Literal["entailment", "neutral", "contradiction"]

ENOUGH_SHARED = 0.75
"""The share of the claim, besides the fact itself, that the evidence must repeat before its fact contradicts the claim.
"""
ENTAILED = 1.0
"""The same before an equal fact supports the claim: the missing part may be wrong."""
TURNED = ("before after", "over under", "for against", "more fewer", "more less", "most least", "with without")
"""Words that reverse a statement, and are otherwise too common to be compared."""
_TURNED = [pair for words in TURNED for pair in (tuple(words.split()), tuple(reversed(words.split())))]
RANKS = stems(" ".join(ORDINALS))
WORKS = {
    made: stems(works)
    for verb, works in {
        "write": "novel book play poem tragedy comedy drama story essay",
        "compose": "symphony opera concerto sonata ballet song",
        "paint": "painting portrait fresco",
        "sculpt": "sculpture statue",
    }.items()
    for made in stems(verb)
}
"""What somebody made, by the verb that says so."""
MOST_PAIRS = 10_000
"""The most pairs of sentences of text and evidence that are compared."""
NEGATION_REPEATED = 0.65
"""How much of a negated statement the claim must repeat; the rest may be what the negation is about."""


@dataclass(frozen=True)
class Finding:
    """A label and its basis: the claim and the evidence, and the two facts that were compared, if any."""

    label: Label
    claim: Clause | None = None
    evidence: Clause | None = None
    fact: Fact | None = None
    other: Fact | None = None
    editable: bool = True
    """Whether a contradiction without facts may be ended by turning the statement round."""


def agreement(task_input: AgreementInput) -> Agreement:
    """Compare the text with the evidence, as far as the query goes."""
    finding = judge(*judge_arguments(task_input))
    return Agreement(
        text_says=finding.claim.says if finding.claim else "",
        evidence_says=finding.evidence.sentence_text if finding.evidence else "",
        label=finding.label,
    )


def judge_arguments(task_input: AgreementInput) -> tuple[str, str, str, str, str, str]:
    """The input of a task, as `judge` takes it."""
    arguments = task_input["text"], task_input["query"], task_input["evidence"], task_input.get("title", "")
    return *arguments, task_input.get("question", ""), task_input.get("before", "")


@lru_cache(maxsize=256)
def judge(text: str, query: str, evidence: str, title: str = "", question: str = "", before: str = "") -> Finding:
    """The finding on the clauses of a text that the query is about: contradicted if one is, entailed if all are.

    Args:
        text: The text that is judged.
        query: The question that selects the clauses.
        evidence: The evidence.
        title: The title of its page, which names its topic.
        question: The question that the text answers.
        before: The text before it, which its first pronoun may refer to.
    """
    evidence = with_rows(evidence)
    clauses, table_rows = _stated(evidence_clauses(without_rows(evidence), title)), rows(evidence)
    claims = asked_about(_stated(read(text, topic_before(question, before))), query)
    if not claims:
        return Finding("neutral")
    findings = [
        _with_rows(_of_prose(claim, clauses, title, asked_for(query)), claim, table_rows, evidence, title)
        for claim in claims
    ]
    contradicted = [finding for finding in findings if finding.label == "contradiction"]
    undecided = [finding for finding in findings if finding.label == "neutral"]
    if denied := _deny_each_other(claims, clauses, title):
        return denied
    return (contradicted or undecided or findings)[0]


def _stated(clauses: Sequence[Clause]) -> list[Clause]:
    """Those that are no part of a question."""
    return [clause for clause in clauses if not clause.is_question]


def _of_prose(claim: Clause, evidence: Sequence[Clause], title: str, answer_type: str) -> Finding:
    """What the sentences of the evidence say of a claim."""
    evidence = in_its_section(claim, evidence, title)
    finding = _judge_clause(claim, evidence, title, answer_type)
    repeated = _repeated(claim, evidence) if finding.label == "neutral" else None
    return Finding("entailment", claim, repeated) if repeated else finding


def _repeated(claim: Clause, evidence: Sequence[Clause]) -> Clause | None:
    """Where the evidence has the whole sentence of a claim, letter for letter, and about nothing else."""
    letters = _letters(claim.sentence_text)
    points_back = any(word.lower in PERSONAL for word in words(claim.sentence_text))
    for other in evidence:
        if _letters(other.sentence_text) != letters or of_others(claim, other):
            continue
        if content(claim.subject) == content(other.subject) or (claim.subject == claim.own_subject and not points_back):
            return other
    return None


def _letters(sentence: str) -> str:
    return " ".join(sentence.split()).replace("’", "'").rstrip(".! ")


def _with_rows(of_prose: Finding, claim: Clause, table_rows: Sequence[Row], evidence: str, title: str) -> Finding:
    """What prose and the rows of tables say of a claim together; neutral if they disagree."""
    told = looked_up(claim, table_rows, f"{title} {headings(evidence)}") if table_rows else None
    if not told:
        return of_prose
    key = told.row.key.value
    row = Clause(evidence, told.row.span, told.row.span, key, key)
    if of_prose.label == "neutral":
        return Finding(told.label, claim, row, told.fact, told.theirs)
    return of_prose if of_prose.label == told.label else Finding("neutral", claim, row)


def _deny_each_other(claims: Sequence[Clause], evidence: Sequence[Clause], title: str) -> Finding | None:
    """The contradiction between sentences that are the same but for one place, if there is one.

    What the evidence says word for word as well is none.
    """
    for claim, span in _statements(claims):
        statements = _statements(in_its_section(claim, evidence, title))
        text, compared = claim.text[slice(*span)], twins_of_characters if claim.cjk else twins
        alike = [
            (other, place, other.text[slice(*place)])
            for other, place in statements
            if other.cjk == claim.cjk and _points_alike(claim, other)
        ]
        if any(compared.is_same(text, their_text) for *_, their_text in alike):
            continue
        for other, place, their_text in alike:
            if found := compared.difference(text, their_text):
                fact, theirs = _told_there(found.mine, claim, span), _told_there(found.theirs, other, place)
                if fact and theirs and (_NONE.match(fact.text) or _NONE.match(theirs.text)):
                    fact, theirs = _with_article(fact, claim), _with_article(theirs, other)
                return Finding("contradiction", claim, other, fact, theirs, editable=False)
    return None


def _points_alike(claim: Clause, other: Clause) -> bool:
    """Whether the pronoun that a sentence begins with stands for the same in both."""
    own = claim.own_subject.split()[:1]
    return not own or own[0].lower() not in PERSONAL or content(claim.subject) == content(other.subject)


def _statements(clauses: Sequence[Clause]) -> list[tuple[Clause, Span]]:
    """Every sentence, and every clause that has a subject, with the span of either."""
    found = {clause.sentence: clause for clause in clauses}
    found |= {clause.span: clause for clause in clauses if clause.own_subject}
    return [(clause, span) for span, clause in found.items()]


_NONE = re.compile(r"no\b", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(?:an?|the) $", re.IGNORECASE)


def _told_there(part: Span | None, clause: Clause, span: Span) -> Fact | None:
    """A part of a statement as a fact; None if there is none."""
    if part is None:
        return None
    start, end = (span[0] + offset for offset in part)
    return Fact("contrast", clause.text[start:end], start, end)


def _with_article(fact: Fact, clause: Clause) -> Fact:
    """A fact with the article before it, whose place `no` takes."""
    article = _ARTICLE.search(clause.text[: fact.start])
    start = article.start() if article else fact.start
    return Fact(fact.kind, clause.text[start : fact.end], start, fact.end)


def check_size(claims: Sized, statements: Sized) -> None:
    """Raise Undecided if there are too many pairs of sentences of text and evidence to compare."""
    if len(claims) * len(statements) > MOST_PAIRS:
        raise Undecided("the text and its evidence are too long for rules, which compare each sentence with each")


def _judge_clause(claim: Clause, evidence: Sequence[Clause], title: str, answer_type: str) -> Finding:
    facts = [fact for fact in claim.facts if _is_asked(fact, answer_type) and not _is_subject(claim, fact)]
    if answer_type == "person" and (doers := [fact for fact in facts if role(claim, fact).way == "agent"]):
        facts = doers  # what they did is what the question is about
    related = [other for other in evidence if same_subject(claim, other, title)]
    findings = [_judge_fact(claim, fact, evidence, related, title) for fact in facts]
    negation = _judge_negation(claim, related, evidence, title)
    for finding in [*findings, negation]:
        if finding.label == "contradiction":
            return finding
    if findings and all(finding.label == "entailment" for finding in findings):
        return findings[0]
    if not facts and negation.label == "entailment":
        return negation
    return Finding("neutral", claim, related[0] if related else None)


def _is_asked(fact: Fact, answer_type: str) -> bool:
    """Whether a fact answers the kind of question; every fact does if the question does not say its kind."""
    if answer_type == "place" and fact.kind == "contrast":
        return bool({"direction", "ocean", "planet"} & contrasts.families(fact.text).keys())
    return not answer_type or fact.kind == {"person": "name", "place": "name"}.get(answer_type, answer_type)


def _is_subject(claim: Clause, fact: Fact) -> bool:
    """Whether a fact only names what the claim is about. `Bell invented ...` is a claim about Bell."""
    if claim.cjk:
        return fact.text in claim.subject
    verb = claim.words[claim.verb].start if claim.verb < len(claim.words) else fact.end
    if fact.text not in claim.own_subject or fact.start > verb:
        return False
    place = role(claim, fact)
    return (
        fact.kind != "amount" and place.way != "holder" and not (place.way == "agent" and place.relation in SINGLE_DOER)
    )


def _judge_fact(claim: Clause, fact: Fact, evidence: Sequence[Clause], related: list[Clause], title: str) -> Finding:
    """Entailed if the evidence has the fact in its place, contradicted if it has another one there and not this one."""
    conflicts: list[tuple[float, Clause, Fact]] = []
    seen_in: list[tuple[Clause, Fact]] = []
    for other in evidence:
        if _leads_elsewhere(claim, other) or (fact.kind != "contrast" and _holds_elsewhere(claim, other)):
            continue
        for theirs in other.facts:
            outcome = compare(fact, theirs)
            if not _may_be_told(outcome, fact, theirs) or other.denies(theirs):
                continue
            if fact.kind != "date" and len({claim.led_by(fact), other.led_by(theirs)} - {""}) > 1:
                continue  # `by 15` and `to 45` are of different things
            is_surely_it = _same_thing(claim, other, fact, theirs, related)
            if not is_surely_it and not _may_be_it(claim, other, fact, theirs, title):
                continue
            shared = covered(claim, other, title, fact)
            if outcome == "same":
                if (
                    is_surely_it
                    and _says_all(claim, other, fact, theirs, title)
                    and _supports(claim, other, fact, theirs, evidence, title)
                ):
                    return Finding("entailment", claim, other, fact, theirs)
                seen_in.append((other, theirs))
            elif _shares_enough(claim, other, fact, title) and _excludes(claim, other, fact, theirs, title):
                if outcome == "conflict":
                    conflicts.append((shared + _same_form(fact, theirs), other, theirs))
                else:  # the same amount, as far as one can tell
                    seen_in.append((other, theirs))
    for _, other, theirs in sorted(conflicts, key=lambda conflict: -conflict[0]):
        elsewhere = [clause for clause, own in seen_in if not _is_aside(claim, fact, clause, own, other, title)]
        if not any(_same_slot_again(clause, claim, fact, other) for clause in elsewhere):
            return Finding("contradiction", claim, other, fact, theirs)
    return Finding("neutral", claim)


def _leads_elsewhere(claim: Clause, other: Clause) -> bool:
    """Whether the same word stands after another preposition: `to Oslo`, `from Oslo`."""
    return _differ(claim.leads, other.leads)


def _holds_elsewhere(claim: Clause, other: Clause) -> bool:
    """Whether one holds inside of what the other holds outside of: `in towns`, `outside towns`."""
    return _differ(claim.bounds, other.bounds)


def _differ(mine: Mapping[str, str], theirs: Mapping[str, str]) -> bool:
    """Whether a word that both have has another value there."""
    return any(theirs.get(word, value) != value for word, value in mine.items())


def _may_be_it(claim: Clause, other: Clause, fact: Fact, theirs: Fact, title: str) -> bool:
    """Whether the clauses may be about the same subject: enough to exclude a value, too little to support one."""
    if fact.kind in ("date", "amount") and is_turned_round(claim, other, fact, theirs, title):
        return True
    return may_be_of_page(claim, other, fact, theirs, title)


def _says_all(claim: Clause, other: Clause, fact: Fact, theirs: Fact, title: str) -> bool:
    """Whether the evidence has all words of the claim. Ranks are compared apart, and what happened at a date."""
    if claim.cjk or other.cjk:
        return repeats(other, theirs, claim, fact, title)
    mine, yours = role(claim, fact), role(other, theirs)
    is_told = mine.relation == yours.relation if fact.kind == "date" else _is_work_of(mine, yours, other)
    aside = RANKS | ({mine.relation} if is_told else frozenset())
    return covered(claim, other, title, fact, aside) >= ENTAILED


def _is_work_of(mine: Role, yours: Role, other: Clause) -> bool:
    """Whether the claim says who made what the evidence calls a work by somebody: `wrote` beside `a novel by`."""
    return (
        mine.way == yours.way == "agent"
        and yours.relation == "by"
        and bool(WORKS.get(mine.relation, frozenset()) & other.stems)
    )


def _shares_enough(claim: Clause, other: Clause, fact: Fact, title: str) -> bool:
    """Whether the evidence speaks of enough of the claim. Of a date, what happened and where are compared apart."""
    aside: frozenset[str] = frozenset()
    if fact.kind == "date":
        aside = frozenset(part for each in claim.facts if each.meant for part in each.stems)
        aside = (aside | {role(claim, fact).relation}) - content(claim.subject)
    elif role(claim, fact) == Role("place", "locate", "in"):  # `in the centre of Rome` is located there
        aside = frozenset({"locate"})
    return covered(claim, other, title, fact, aside) >= ENOUGH_SHARED


def _may_be_told(outcome: Outcome, fact: Fact, theirs: Fact) -> bool:
    """Whether two facts can be told apart or together; amounts of one unit stand for each other even if not."""
    return outcome != "unknown" or bool(fact.amount and theirs.amount and fact.amount.unit == theirs.amount.unit)


def _is_aside(claim: Clause, fact: Fact, clause: Clause, own: Fact, conflicting: Clause, title: str) -> bool:
    """Whether the claim's value stands with another verb, where fewer of the claim's words are than by the other value.

    `It was started in 1861 ...; it became a daily in 1887` does not say that it became a daily in 1861.
    """
    if claim.cjk or clause is conflicting or fact.kind != "date":
        return False
    mine, theirs = role(claim, fact).relation, role(clause, own).relation
    shared = [covered(claim, each, title, fact) for each in (clause, conflicting)]
    return bool(mine and theirs) and mine != theirs and shared[0] < shared[1] == ENTAILED


def _same_slot_again(clause: Clause, claim: Clause, fact: Fact, conflicting: Clause) -> bool:
    """Whether the claim's value stands, in the evidence, where it may be as good an answer as the conflicting one."""
    if clause.sentence == conflicting.sentence:
        return True
    return any(compare(fact, theirs) == "same" and same_slot(claim, clause, fact, theirs) for theirs in clause.facts)


def _same_thing(claim: Clause, other: Clause, fact: Fact, theirs: Fact, related: list[Clause]) -> bool:
    """Whether the clauses are about the same subject, or tell the same relation from its other end."""
    if any(other is clause for clause in related):
        return True
    if fact.kind != "name" or claim.cjk or other.cjk or names_turned_round(claim.subject, other.subject):
        return False
    mine, yours = patient(claim, fact), patient(other, theirs)
    if compare(fact, theirs) == "same":
        return claim.stems <= other.stems and yours <= claim.stems | names(other.says)
    return bool(mine and yours) and (mine == yours or (mine < yours and yours - mine <= names(other.says)))


def _excludes(claim: Clause, other: Clause, fact: Fact, theirs: Fact, title: str) -> bool:
    """Whether two differing facts stand in the same place of statements about the same things."""
    if claim.negated or other.negated or modes(claim) != modes(other):
        return False
    if claim.is_beside(fact) != other.is_beside(theirs):
        return False
    if _may_be_another(claim, other, fact, title):
        return False
    if not claim.cjk and not _others_named(claim, fact) <= other.stems | content(title):
        return False
    if not same_scope(claim, other, fact, theirs, title) or said_of_another(claim, fact, theirs):
        return False
    if fact.kind == "date" and _may_recur(claim, fact, covered(claim, other, title, fact)):
        return False
    return same_slot(claim, other, fact, theirs) and own_pair(claim, other, fact, theirs)


def _may_be_another(claim: Clause, other: Clause, fact: Fact, title: str) -> bool:
    """Whether the claim may be about another thing or event: `a new bridge`, one of another day with another number."""
    if claim.cjk or other.cjk:
        return False
    own, theirs = ([word.lower for word in words(clause.own_subject)[:1]] for clause in (claim, other))
    if own in (["a"], ["an"]) and theirs not in (["a"], ["an"]) and tense(claim) == "past":
        return True
    if fact.kind == "amount" and not specified(claim, fact) <= other.stems | content(topic_of(title)):
        return True
    return any(
        outcomes and "same" not in outcomes and "conflict" in outcomes
        for each in claim.facts
        if each.kind in _TELLING.get(fact.kind, ()) and each is not fact
        for outcomes in [{compare(each, their_fact) for their_fact in other.facts}]
    )


_TELLING: Mapping[str, tuple[str, ...]] = {
    "date": ("date", "amount"),
    "amount": ("date", "amount", "contrast"),
    "contrast": ("amount",),
}
"""Which other value makes it another event or case: 8 euros after noon says nothing of 5 euros before noon."""


def _others_named(claim: Clause, fact: Fact) -> frozenset[str]:
    """The names in the claim beside its subject and the fact. The evidence has to be about them, too."""
    values = {part for each in claim.facts if each.kind in ("date", "amount") for part in each.stems}
    if (
        fact.kind == "date" and role(claim, fact).relation in SINGLE_PLACE - REPEATABLE
    ):  # what happened once, happened in one place
        values |= {part for each in claim.facts if each.meant for part in each.stems}
    return names(claim.says) - fact.stems - content(claim.subject) - values - RANKS  # which are compared apart


def _may_recur(claim: Clause, fact: Fact, shared: float) -> bool:
    """Whether the date is of something that happens again: `won in 1998`, but not `a 1998 film`."""
    if any(word.lower == "first" for word in claim.words):
        return False
    place = role(claim, fact)
    if place.relation == "declar" and "war" in claim.stems:
        return True
    if is_state(claim) and place.way in AT_A_TIME and not place.head and _says_what(claim, fact):
        return True
    return not place.head and (place.relation in RECURRING or (place.relation in REPEATABLE and shared < 1))


AT_A_TIME = table("in by after before list") | {"as of"}


def _says_what(claim: Clause, fact: Fact) -> bool:
    """Whether more than the date follows the verb, and no other verb: `had 12 members in 1965`, not `was in 1965`."""
    between = [i for i, word in enumerate(claim.words) if i > claim.verb and word.end <= fact.start]
    return any(claim.words[i].stem for i in between) and not any(is_verb_at(claim.words, i) for i in between)


def _supports(claim: Clause, other: Clause, fact: Fact, theirs: Fact, evidence: Sequence[Clause], title: str) -> bool:
    """Whether the other clause, which has the fact as well, says of it what the claim says, and of the same things."""
    mine, yours = role(claim, fact), role(other, theirs)
    if {mine.way, yours.way} == {"from", "to"}:
        return False
    if claim.negated != other.negated or claim.half_denied or other.half_denied or not same_tense(claim, other):
        return False
    if not _is_work_of(mine, yours, other) and not says_no_more(claim, other, theirs, title):
        return False
    return _all_told(claim, other, fact, theirs, evidence, title) and own_pair(claim, other, fact, theirs)


def _all_told(
    claim: Clause, other: Clause, fact: Fact | None, theirs: Fact | None, evidence: Sequence[Clause], title: str
) -> bool:
    """Whether the sentence of the other clause, or its title, has all names, numbers and conditions of the claim."""
    if claim.cjk or other.cjk:
        return True
    if (other.denied - claim.denied) & claim.stems or not same_mode(claim, other):
        return False
    own_words, their_words = ({word.lower for word in clause.words} for clause in (claim, other))
    if any(mine in own_words and mine not in their_words and yours in their_words for mine, yours in _TURNED):
        return False
    sentence = [clause for clause in evidence if clause.sentence == other.sentence]
    their_facts = [each for clause in sentence for each in clause.facts]
    other_facts = [value for value in claim.facts if value is not fact and not value.stems <= content(claim.subject)]
    values = (value for value in other_facts if value.kind in ("date", "amount"))
    if any(not any(compare(value, their_fact) == "same" for their_fact in their_facts) for value in values):
        return False
    return same_scope(claim, other, fact, theirs, title)


def _same_form(fact: Fact, theirs: Fact) -> float:
    """Among conflicts that are as good, the one in the same unit, or at the same level of place, reads best."""
    if fact.amount and theirs.amount:
        return 0.1 if fact.amount.unit == theirs.amount.unit else 0.0
    if fact.meant and theirs.meant:
        return 0.1 if fact.meant[0].level == theirs.meant[0].level else 0.0
    return 0.0


def _judge_negation(claim: Clause, related: list[Clause], evidence: Sequence[Clause], title: str) -> Finding:
    """Two clauses that say the same but for a `not` contradict each other; the same without one, entails."""
    for other in related:
        if claim.half_denied or other.half_denied or _holds_elsewhere(claim, other):
            continue
        if covered(claim, other, title) < ENTAILED or not _all_told(claim, other, None, None, evidence, title):
            continue
        if claim.negated == other.negated:
            same = (
                repeats(other, None, claim, None, title)
                if claim.cjk or other.cjk
                else says_no_more(claim, other, None, title)
            )
            return Finding("entailment" if same else "neutral", claim, other)
        if covered(other, claim, "") >= NEGATION_REPEATED:
            return Finding("contradiction", claim, other)
    return Finding("neutral", claim)
