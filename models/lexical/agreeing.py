"""The task `agreement`: fact by fact, in the clause that the query is about. What cannot be decided is neutral."""

from dataclasses import dataclass
from typing import Any, Literal

from ..tasks import Agreement
from . import amounts, contrasts, dates, places
from .align import asked_about, asked_for, covered, evidence_clauses, same_subject
from .clauses import Clause, about, content, read
from .facts import Fact
from .naming import same_name
from .roles import Role, role

Outcome = Literal["same", "conflict", "unknown"]

ENOUGH_SHARED = {"date": 0.5, "amount": 0.5, "name": 0.7, "contrast": 0.8}
"""Part of the claim, beside the fact itself, that the evidence must repeat before its fact counts against the claim."""
ENTAILED = 0.65
REPEATED = 0.85
"""The same for a claim without a fact: as good as word for word."""

SINGLE = frozenset(
    ["design", "write", "compos", "compose", "paint", "direct", "invent", "discover", "capit", "capital", "author", "found", "sculpt",
     "born", "die", "locate", "situat", "headquart", "base", "buri", "held", "hold", "win", "name", "build", "complete", "held", "set", "premier", "star", "creat", "formula", "formul", "develop"]
)  # fmt: skip
"""Relations that have one holder, doer or place. Nobody has `played for` one club only."""


@dataclass(frozen=True)
class Finding:
    """What the judgement rests on."""

    label: Literal["entailment", "neutral", "contradiction"]
    claim: Clause | None = None
    evidence: Clause | None = None
    fact: Fact | None = None
    other: Fact | None = None


def agreement(task_input: dict[str, Any]) -> Agreement:
    """Compare the text with the evidence, as far as the query goes."""
    finding = judge(task_input)
    claim, evidence = finding.claim, finding.evidence
    return Agreement(
        text_says=claim.says if claim else "",
        evidence_says=evidence.sentence_text if evidence else "",
        label=finding.label,
    )


def judge(task_input: dict[str, Any]) -> Finding:
    """The finding on the first clause that is decided; a contradiction goes before an entailment."""
    title, query = task_input["title"], task_input["query"]
    evidence = evidence_clauses(task_input["evidence"], title)
    claims = asked_about(read(task_input["text"], about(task_input["question"])), query)
    if not claims or not evidence:
        return Finding("neutral", claims[0] if claims else None)
    findings = [_judge_clause(claim, evidence, title, asked_for(query)) for claim in claims]
    for label in ("contradiction", "entailment"):
        decided = [finding for finding in findings if finding.label == label]
        if decided and (label == "contradiction" or len(decided) == len(findings)):
            return decided[0]
    return Finding("neutral", claims[0], findings[0].evidence)


def _judge_clause(claim: Clause, evidence: list[Clause], title: str, wanted: str) -> Finding:
    asked = [fact for fact in claim.facts if _is_asked(fact, wanted) and not _is_subject(claim, fact)]
    related = [other for other in evidence if same_subject(claim, other, title)]
    verdicts = [_judge_fact(claim, fact, evidence, related, title) for fact in asked]
    for finding in verdicts:
        if finding.label == "contradiction":
            return finding
    if (negation := _judge_negation(claim, related, title)).label == "contradiction":
        return negation
    if verdicts and all(finding.label == "entailment" for finding in verdicts):
        return verdicts[0]
    if not asked and negation.label == "entailment":
        return negation
    return Finding("neutral", claim, related[0] if related else None)


def _is_asked(fact: Fact, wanted: str) -> bool:
    if not wanted:
        return True
    if wanted == "place":
        return fact.kind == "name" or (fact.kind == "contrast" and bool(set(contrasts.families(fact.text)) & {"direction", "ocean", "planet"}))
    return fact.kind == {"person": "name"}.get(wanted, wanted)


def _is_subject(claim: Clause, fact: Fact) -> bool:
    """Whether the fact is part of the subject's name, or all of it in a clause that says nothing of its role."""
    if fact.kind == "contrast":
        return fact.text in claim.own_subject
    return fact.kind == "name" and fact.text in claim.own_subject and role(claim, fact).relation not in SINGLE


def _judge_fact(claim: Clause, fact: Fact, evidence: list[Clause], related: list[Clause], title: str) -> Finding:
    mine = role(claim, fact)
    conflict: Finding | None = None
    same_elsewhere = False
    for other in evidence:
        for theirs in other.facts:
            outcome = compare(fact, theirs)
            if outcome == "same":
                same_elsewhere = True
                if _same_thing(claim, other, fact, theirs, related, title) and covered(claim, other, title, fact.stems) >= ENTAILED and claim.negated == other.negated:
                    return Finding("entailment", claim, other, fact, theirs)
            elif outcome == "conflict" and conflict is None and _same_thing(claim, other, fact, theirs, related, title):
                if _in_conflict(claim, other, fact, theirs, mine, title):
                    conflict = Finding("contradiction", claim, other, fact, theirs)
    if conflict and not same_elsewhere:
        return conflict
    return Finding("neutral", claim)


def _same_thing(claim: Clause, other: Clause, fact: Fact, theirs: Fact, related: list[Clause], title: str) -> bool:
    """Whether the clauses are about the same subject, or tell the same relation from its other end."""
    if any(other is clause for clause in related):
        return True
    if fact.kind != "name":
        return False
    rest = content(claim.subject) - fact.stems or claim.stems - fact.stems
    return bool(rest) and rest <= other.stems and not any(theirs.stems & content(title) for _ in (0,))


def _in_conflict(claim: Clause, other: Clause, fact: Fact, theirs: Fact, mine: Role, title: str) -> bool:
    if claim.negated != other.negated or claim.negated:
        return False
    shared = covered(claim, other, title, fact.stems)
    if shared < ENOUGH_SHARED[fact.kind]:
        return False
    return same_role(claim, other, fact, theirs, mine, role(other, theirs))


def same_role(claim: Clause, other: Clause, fact: Fact, theirs: Fact, mine: Role, yours: Role) -> bool:
    """Whether two facts fill the same slot of two clauses about one subject."""
    if claim.cjk:
        return mine.head == yours.head or bool(mine.head and mine.head in other.says)
    if fact.kind == "date":
        return bool(mine.relation) and mine.relation == yours.relation
    if fact.kind == "amount":
        assert fact.amount is not None
        if fact.amount.unit and fact.amount.unit != "ordinal":
            return mine.head == yours.head and (bool(mine.head) or mine.relation == yours.relation)
        return bool(mine.head) and mine.head == yours.head
    if fact.kind == "contrast":
        return mine.head == yours.head and (bool(mine.head) or mine.relation == yours.relation)
    return mine.way == yours.way and mine.relation == yours.relation and mine.relation in SINGLE


def compare(fact: Fact, other: Fact) -> Outcome:
    """Whether the text's fact is true, false or undecided, if the evidence's is true and means the same thing."""
    if fact.kind != other.kind:
        return "unknown"
    if fact.date and other.date:
        same, conflict = dates.contains(fact.date, other.date), dates.exclude(fact.date, other.date)
    elif fact.amount and other.amount:
        same, conflict = amounts.agree(fact.amount, other.amount), amounts.exclude(fact.amount, other.amount)
    elif fact.kind == "contrast":
        same = fact.text == other.text or contrasts.alike(fact.text, other.text)
        conflict = contrasts.opposed(fact.text, other.text) and not same
    elif same_name(fact.text, other.text):
        return "same"
    elif fact.meant and other.meant:
        same, conflict = places.agree(fact.meant, other.meant), places.exclude(fact.meant, other.meant)
    else:
        same, conflict = False, not fact.meant and not other.meant
    return "same" if same else "conflict" if conflict else "unknown"


def _judge_negation(claim: Clause, related: list[Clause], title: str) -> Finding:
    """Two clauses that say the same but for a `not` contradict each other; the same without one, entails."""
    for other in related:
        there, back = covered(claim, other, title, frozenset()), covered(other, claim, "", frozenset())
        if there >= REPEATED and back >= REPEATED and claim.negated != other.negated:
            return Finding("contradiction", claim, other)
        if there >= REPEATED and claim.negated == other.negated:
            return Finding("entailment", claim, other)
    return Finding("neutral", claim)
