"""Checking: claims against references, many at once (RefChecker's checker)."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from typing_extensions import TypedDict

from ...models import Backend, backend, task
from ...models.tasks.claims import CHECK, CheckInput
from ...state import Context, Evidence, Label, Verdict
from ...state.errors import RunError
from ...state.methods.correction import Found, Question
from ...state.methods.refcheck import Checked, Job, RefCheckState, Reference, Statement
from ...state.text.segments import TOKEN_CHARS, language, passages, token_count
from ...tools import evidence
from ..budget import calls_left, why_spent
from ..cite import gathered
from ..research import in_order
from ..step import emit

LONGEST_PASSAGE = 40_000
"""The most characters of a reference that a chat model is shown at once."""


Opinion = tuple[Label, str]
"""A checker's label for a claim, and its reason."""


class Asked(TypedDict):
    """The input of one run of the check: claims, and the passage that they are checked against."""

    claims: list[Statement]
    passage: Evidence
    question: str


def checkers(context: Context) -> list[Context]:
    """The settings of each checker; those of the run if there is only one."""
    names = [name.strip() for name in (context.checkers or "").split(",") if name.strip()]
    each_set = [{**context.backends, CHECK.name: name} for name in names]
    return [context.model_copy(update={"backends": each}) for each in each_set] or [context]


def queries(state: RefCheckState, context: Context) -> list[Question]:
    """The searches if no references are given: each sentence that makes a claim, with its subject.

    The number of a query is that of its sentence.
    """
    questions: list[Question] = []
    for number in sorted({number for statement in state["statements"] for number in _searched(statement, context)}):
        start, end = state["sentences"][number - 1]
        sentence = state["text"][start:end]
        about = [
            state["question"],
            *(statement["subject"] for statement in state["statements"] if number in _searched(statement, context)),
        ]
        missing = dict.fromkeys(words for words in about if words and words.casefold() not in sentence.casefold())
        questions.append({"number": number, "text": " ".join([*missing, sentence]), "passage": 0})
    return questions


async def references(state: RefCheckState, context: Context) -> dict[str, Any]:
    """Decide what is checked against what: every claim against every given reference.

    References found by search are only for the claims of their sentence.
    """
    statements = {statement["id"]: statement for statement in state["statements"]}
    all_checkers = checkers(context)
    backends = [backend(each, CHECK) for each in all_checkers]
    checker = _named(backends)
    small = not all(each.reads_pages for each in backends)
    if state["references"]:
        pieces = [(piece, list(statements)) for piece in gathered(passages_of(state["references"], small, context))]
    else:
        pieces = [
            (piece, _made_by(result, state, context))
            for result in in_order(state["found"])
            for piece in result["evidence"]
        ]
    at_once = not any(each.reads_pages for each in backends)
    jobs: list[Job] = [
        {"evidence": piece["id"], "claims": job}
        for piece, claims in pieces
        for job in ([claims] if at_once else _in_calls([statements[claim] for claim in claims], context))
    ]
    costly = [each for each, its in zip(all_checkers, backends, strict=True) if its.costs_calls]
    due = jobs[: calls_left(state, (costly or all_checkers)[0], CHECK) // max(len(costly), 1)]
    failed = [result for result in state["found"] if result["failed"]]
    unchecked = [(claim, result["failed"], "") for result in failed for claim in _made_by(result, state, context)]
    unchecked += [
        (claim, why_spent(state, context)[1], job["evidence"]) for job in jobs[len(due) :] for claim in job["claims"]
    ]
    evidence_of = {piece["id"]: piece for piece, _ in pieces}
    emit("references", passages=len(evidence_of), checks=len(due))
    return {
        "evidence": list(evidence_of.values()),
        "jobs": due,
        "checked": [of_one(statements[claim], "error", reason, piece, checker) for claim, reason, piece in unchecked],
        "spent": state["spent"] or len(due) < len(jobs),
    }


def _in_calls(claims: list[Statement], context: Context) -> list[list[str]]:
    """The ids of the claims that one call checks together."""
    if context.checking == "single":
        return [[claim["id"]] for claim in claims]
    calls: list[list[str]] = []
    room = 0
    for claim in claims:
        tokens = token_count(claim["content"])
        if not calls or room < tokens or len(calls[-1]) == context.joint_size:
            calls.append([])
            room = context.joint_tokens
        calls[-1].append(claim["id"])
        room -= tokens
    return calls


def asked(state: RefCheckState) -> list[Asked]:
    """The inputs of all runs of the check."""
    statements = {statement["id"]: statement for statement in state["statements"]}
    pieces = {piece["id"]: piece for piece in state["evidence"]}
    return [
        {
            "claims": [statements[claim] for claim in job["claims"]],
            "passage": pieces[job["evidence"]],
            "question": state["question"],
        }
        for job in state["jobs"]
    ]


async def check(state: Asked, context: Context) -> dict[str, Any]:
    """Check some claims against one passage."""
    passage, claims = state["passage"], state["claims"]
    task_input: CheckInput = {
        "claims": [claim["content"] for claim in claims],
        "question": state["question"],
        "evidence": passage["text"],
        "title": passage["title"],
    }
    all_checkers = checkers(context)
    opinions = await asyncio.gather(*(_opinions(task_input, each) for each in all_checkers))
    checker = _named([backend(each, CHECK) for each in all_checkers])
    checked = [
        of_one(claim, *voted(of_claim), passage["id"], checker)
        for claim, *of_claim in zip(claims, *opinions, strict=True)
    ]
    emit("check", verdicts=[record["verdict"] for record in checked])
    return {"checked": checked}


async def _opinions(task_input: CheckInput, context: Context) -> list[Opinion]:
    """What one checker says of each claim, and why."""
    number = len(task_input["claims"])
    try:
        reply = await task(context, CHECK).ainvoke(task_input)
    except RunError as error:
        return [("error", str(error))] * number
    return [(judgement.label, judgement.reason) for judgement in reply.of(number)]


def voted(opinions: Sequence[Opinion]) -> Opinion:
    """The label of more than half of the checkers; without one `neutral`, or `error` if one failed."""
    counts = Counter(label for label, _ in opinions)
    label, number = counts.most_common(1)[0]
    if 2 * number > len(opinions):
        return label, next((reason for each, reason in opinions if each == label and reason), "")
    if counts["error"]:
        return "error", next(reason for each, reason in opinions if each == "error")
    return "neutral", "the checkers disagree: " + ", ".join(f"{number} {each}" for each, number in counts.items())


def _named(backends: Sequence[Backend]) -> str:
    return "+".join(each.name for each in backends)


def of_one(claim: Statement, label: Label, reason: str, evidence_id: str, checker: str) -> Checked:
    """The record of what one passage says about one claim."""
    verdict: Verdict = {
        "question": claim["content"],
        "label": label,
        "reason": reason,
        "evidence": evidence_id,
        "backend": checker,
    }
    return {"claim": claim["id"], "verdict": verdict}


def passages_of(values: list[str | Reference], small: bool, context: Context) -> Iterator[Evidence]:
    """The caller's references, cut into passages that the checker can read."""
    for number, value in enumerate(values, start=1):
        reference: Reference = {"text": value} if isinstance(value, str) else value
        source = reference.get("source") or f"reference {number}"
        pieces = _segments(reference["text"], small, context)
        for part, text in enumerate(pieces, start=1):
            place = f"{source}, part {part} of {len(pieces)}" if len(pieces) > 1 else source
            yield evidence(query="", text=text, title=reference.get("title", ""), source=place)


def _made_by(result: Found, state: RefCheckState, context: Context) -> list[str]:
    """The claims of the sentence that was searched for."""
    number = result["question"]["number"]
    return [statement["id"] for statement in state["statements"] if number in _searched(statement, context)]


def _searched(statement: Statement, context: Context) -> list[int]:
    """The sentences that are searched for a claim: its first, or all of a response that was not taken apart."""
    return statement["sentences"] if context.claim_format == "response" else statement["sentences"][:1]


def _segments(text: str, small: bool, context: Context) -> list[str]:
    """A reference in pieces, cut between sentences, without blank ones."""
    size = LONGEST_PASSAGE
    if small:
        size = context.segment_tokens * (TOKEN_CHARS if language(text) == "en" else 1)
    return [piece.strip() for piece in passages(text, size) if piece.strip()]
