"""The gate: whether the evidence agrees with the text (RARR section 3.2, the agreement model)."""

import asyncio
from collections.abc import Iterable
from typing import Any

from ...models import backend, task
from ...models.tasks.correction import (
    AGREEMENT,
    AGREEMENTS,
    Agreement,
    AgreementInput,
    AgreementsInput,
    EditInput,
    Pair,
)
from ...state import Context, Evidence, Label, Verdict
from ...state.errors import RunError
from ...state.methods.correction import Check, CorrectionState
from ...state.text.segments import leading_to, tokens
from ..budget import calls_left
from ..step import emit


async def gate(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Ask about the next pairs of every passage, with the passage in its current form."""
    checks = [check.copy() for check in state["checks"]]
    passages = range(len(state["passages"]))
    budget = calls_left(state, context, AGREEMENT)
    groups = _groups(checks, passages, context)[:budget]
    budget -= len(groups)
    apart = [passage for passage in passages if passage not in {group[0]["passage"] for group in groups}]
    window = 1 if context.gating == "serial" else context.window
    due = [check for passage in apart for check in _next(checks, passage, window)]
    alone = (_ask(check, state, context) for check in due[:budget])
    await asyncio.gather(*(_ask_jointly(group, state, context) for group in groups), *alone)
    settle(checks)
    return {"checks": checks}


def open_check(checks: list[Check], passage: int, *, gated: bool = True) -> int | None:
    """The number of the passage's first unsettled check, if its gate is open.

    Args:
        checks: The checks of all passages.
        passage: The number of the passage.
        gated: Whether it takes a contradiction to open a gate. Otherwise, every unsettled check is open.

    Returns:
        The number of the check, or None if the gate is closed or was not asked.
    """
    for number, check in enumerate(checks):
        if check["passage"] == passage and not check["settled"]:
            verdict = check["verdict"]
            return number if not gated or (verdict and verdict["label"] == "contradiction") else None
    return None


def unasked(checks: list[Check]) -> bool:
    """Whether any check is still waiting for its verdict."""
    return any(check["verdict"] is None for check in checks)


def settle(checks: list[Check]) -> None:
    """Settle closed gates once all gates before them are settled.

    A gate asked ahead of an open one is not settled: the edit may change what it was asked about.
    """
    blocked: set[int] = set()
    for check in checks:
        verdict = check["verdict"]
        if check["settled"] or check["passage"] in blocked:
            continue
        if verdict and verdict["label"] != "contradiction":
            check["settled"] = True
        else:
            blocked.add(check["passage"])


def task_input(check: Check, state: CorrectionState) -> AgreementInput:
    """The input that `agreement` and `edit` share: one passage, one question, one piece of evidence."""
    piece = _evidence(state, check["evidence"])
    return {
        "text": state["passages"][check["passage"]],
        "question": state["question"],
        "before": leading_to("".join(state["passages"][: check["passage"]])),
        "query": check["question"],
        "evidence": piece["text"],
        "title": piece["title"],
    }


def edit_input(check: Check, state: CorrectionState, context: Context, refused: str = "") -> EditInput:
    """The input of `edit`: as `task_input`, with what the gate saw, the bound, and what was refused before."""
    difference = check["verdict"]["reason"] if check["verdict"] else ""
    given = task_input(check, state)
    return {**given, "difference": difference, "limit": limit(given["text"], context), "refused": refused}


def limit(passage: str, context: Context) -> str:
    """How much one edit of a passage may change, in words."""
    return f"{min(context.max_edit_chars, int(context.max_edit_share * len(passage)))} characters"


def place_of(check: Check, texts: list[str]) -> int | None:
    """The number of the sentence that a check is about: the one with most words of what the text says, by the gate.

    Without that, the one with most words of the question; None if no sentence has any.
    """
    said, asked = set(tokens(check.get("says", ""))), set(tokens(check["question"]))
    words = [set(tokens(text)) for text in texts]
    scores = [(len(said & own), len(asked & own)) for own in words]
    best = max(range(len(texts)), key=lambda number: scores[number], default=None)
    return None if best is None or not any(scores[best]) else best


def _groups(checks: list[Check], passages: Iterable[int], context: Context) -> list[list[Check]]:
    """The checks that are asked about together: those of a passage, if there are several.

    It takes a model that is paid for each request. If somebody else judges single pairs, it has to judge several, too.
    """
    chosen = [name in context.backends for name in (AGREEMENT.name, AGREEMENTS.name)]
    if context.gating != "joint" or chosen == [True, False] or not backend(context, AGREEMENTS).costs_calls:
        return []
    due = (_next(checks, passage, len(checks)) for passage in passages)
    return [group for group in due if len(group) > 1 and not any(check.get("alone") for check in group)]


async def _ask_jointly(group: list[Check], state: CorrectionState, context: Context) -> None:
    """Put the verdicts of one request into the checks. What it leaves out is asked about alone the next time."""
    gate_inputs = [task_input(check, state) for check in group]
    pairs: list[Pair] = [
        {"query": one["query"], "title": one.get("title", ""), "evidence": one["evidence"]} for one in gate_inputs
    ]
    passage = gate_inputs[0]
    joint: AgreementsInput = {
        "text": passage["text"],
        "question": passage.get("question", ""),
        "before": passage.get("before", ""),
        "pairs": pairs,
    }
    try:
        said = (await task(context, AGREEMENTS).ainvoke(joint)).of(len(group))
    except RunError:
        said = [None] * len(group)
    for check, each in zip(group, said, strict=True):
        if each is None:
            check["alone"] = True
        else:
            _said(check, each, context)


def _next(checks: list[Check], passage: int, window: int) -> list[Check]:
    """The next checks of a passage to ask about, at most `window`; none while its first gate is open."""
    if open_check(checks, passage) is not None:
        return []
    return [check for check in checks if check["passage"] == passage and check["verdict"] is None][:window]


async def _ask(check: Check, state: CorrectionState, context: Context) -> None:
    """Put the verdict into the check."""
    try:
        _said(check, await task(context, AGREEMENT).ainvoke(task_input(check, state)), context)
    except RunError as error:
        _decide(check, "error", str(error), context)


def _said(check: Check, agreement: Agreement, context: Context) -> None:
    """Put what was said into the check."""
    check["says"] = agreement.text_says
    _decide(check, agreement.label, _reason(agreement), context)


def _decide(check: Check, label: Label, reason: str, context: Context) -> None:
    """Put a verdict into the check."""
    verdict: Verdict = {
        "question": check["question"],
        "label": label,
        "reason": reason,
        "evidence": check["evidence"],
        "backend": backend(context, AGREEMENT).name,
    }
    check["verdict"] = verdict
    emit("gate", verdict=verdict)


def _reason(said: Agreement) -> str:
    return f"Text: {said.text_says or '(does not say)'}\nEvidence: {said.evidence_says or '(does not say)'}"


def _evidence(state: CorrectionState, number: str) -> Evidence:
    return next(piece for piece in state["evidence"] if piece["id"] == number)
