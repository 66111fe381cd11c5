"""Checking: claims against references, many at once (RefChecker's checker)."""

from collections.abc import Iterator
from typing import Any

from typing_extensions import TypedDict

from ...models import backend, task
from ...models.tasks.claims import CHECK, CheckInput
from ...state import Context, Evidence, Label, Verdict
from ...state.errors import RunError
from ...state.methods.correction import Found, Question
from ...state.methods.refcheck import Checked, Job, RefCheckState, Reference, Statement
from ...state.text.segments import TOKEN_CHARS, language, passages
from ...tools import evidence
from ..budget import calls_left, why_spent
from ..cite import gathered
from ..research import in_order
from ..step import emit

LONGEST_PASSAGE = 40_000
"""The most characters of a reference that a chat model is shown at once."""


class Asked(TypedDict):
    """The input of one run of the check: claims, and the passage that they are checked against."""

    claims: list[Statement]
    passage: Evidence
    question: str


def queries(state: RefCheckState) -> list[Question]:
    """The searches if no references are given: each sentence that makes a claim, with its subject.

    The number of a query is that of its sentence.
    """
    questions: list[Question] = []
    for number in sorted({statement["sentences"][0] for statement in state["statements"]}):
        start, end = state["sentences"][number - 1]
        sentence = state["text"][start:end]
        about = [
            state["question"],
            *(statement["subject"] for statement in state["statements"] if statement["sentences"][0] == number),
        ]
        missing = dict.fromkeys(words for words in about if words and words.casefold() not in sentence.casefold())
        questions.append({"number": number, "text": " ".join([*missing, sentence]), "passage": 0})
    return questions


async def references(state: RefCheckState, context: Context) -> dict[str, Any]:
    """Decide what is checked against what: every claim against every given reference.

    References found by search are only for the claims of their sentence.
    """
    statements = {statement["id"]: statement for statement in state["statements"]}
    checker = backend(context, CHECK)
    small = not checker.reads_pages
    if state["references"]:
        pieces = [(piece, list(statements)) for piece in gathered(_passages(state["references"], small, context))]
    else:
        pieces = [
            (piece, _made_by(result, state)) for result in in_order(state["found"]) for piece in result["evidence"]
        ]
    size = len(statements) if small else context.joint_size if context.checking == "joint" else 1
    jobs: list[Job] = [
        {"evidence": piece["id"], "claims": claims[first : first + size]}
        for piece, claims in pieces
        for first in range(0, len(claims), size)
    ]
    due = jobs[: calls_left(state, context, CHECK)]
    failed = [result for result in state["found"] if result["failed"]]
    unchecked = [(claim, result["failed"], "") for result in failed for claim in _made_by(result, state)]
    unchecked += [
        (claim, why_spent(state, context)[1], job["evidence"]) for job in jobs[len(due) :] for claim in job["claims"]
    ]
    evidence_of = {piece["id"]: piece for piece, _ in pieces}
    emit("references", passages=len(evidence_of), checks=len(due))
    return {
        "evidence": list(evidence_of.values()),
        "jobs": due,
        "checked": [
            _checked(statements[claim], "error", reason, piece, checker.name) for claim, reason, piece in unchecked
        ],
        "spent": state["spent"] or len(due) < len(jobs),
    }


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
    checker = backend(context, CHECK).name
    checked: list[Checked]
    try:
        reply = await task(context, CHECK).ainvoke(task_input)
        checked = [
            _checked(claim, judgement.label, judgement.reason, passage["id"], checker)
            for claim, judgement in zip(claims, reply.of(len(claims)), strict=True)
        ]
    except RunError as error:
        checked = [_checked(claim, "error", str(error), passage["id"], checker) for claim in claims]
    emit("check", verdicts=[record["verdict"] for record in checked])
    return {"checked": checked}


def _checked(claim: Statement, label: Label, reason: str, evidence_id: str, checker: str) -> Checked:
    verdict: Verdict = {
        "question": claim["content"],
        "label": label,
        "reason": reason,
        "evidence": evidence_id,
        "backend": checker,
    }
    return {"claim": claim["id"], "verdict": verdict}


def _passages(values: list[str | Reference], small: bool, context: Context) -> Iterator[Evidence]:
    """The caller's references, cut into passages that the checker can read."""
    for number, value in enumerate(values, start=1):
        reference: Reference = {"text": value} if isinstance(value, str) else value
        source = reference.get("source") or f"reference {number}"
        pieces = _segments(reference["text"], small, context)
        for part, text in enumerate(pieces, start=1):
            place = f"{source}, part {part} of {len(pieces)}" if len(pieces) > 1 else source
            yield evidence(query="", text=text, title=reference.get("title", ""), source=place)


def _made_by(result: Found, state: RefCheckState) -> list[str]:
    """The claims of the sentence that was searched for."""
    return [
        statement["id"]
        for statement in state["statements"]
        if statement["sentences"][0] == result["question"]["number"]
    ]


def _segments(text: str, small: bool, context: Context) -> list[str]:
    """A reference in pieces, cut between sentences, without blank ones."""
    size = LONGEST_PASSAGE
    if small:
        size = context.segment_tokens * (TOKEN_CHARS if language(text) == "en" else 1)
    return [piece.strip() for piece in passages(text, size) if piece.strip()]
