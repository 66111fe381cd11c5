"""The gate: whether the evidence agrees with the text (RARR section 3.2, the agreement model)."""

import asyncio
from collections.abc import Iterable
from typing import Any

from ...models import backend, task
from ...models.tasks.correction import (
    AGREEMENT,
    AGREEMENTS,
    EDIT,
    Agreement,
    AgreementInput,
    AgreementsInput,
    EditInput,
    Pair,
)
from ...state import Context, Evidence, Label, Verdict
from ...state.errors import RunError
from ...state.methods.correction import Check, CorrectionState
from ...state.runs.apart import apart
from ...state.text.segments import counted, leading_to
from ..budget import calls_left
from ..step import emit
from .bearing import earned


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
    # An edit asked for alongside is a call, too.
    ahead = context.speculate_edits and budget > 1
    due = due[: budget // 2 if ahead else budget]
    alone = (_ask(check, state, context, ahead=ahead) for check in due)
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


def edit_input(check: Check, state: CorrectionState, refused: str = "") -> EditInput:
    """The input of `edit`: as `task_input`, with what the gate saw and what was refused before."""
    difference = check["verdict"]["reason"] if check["verdict"] else ""
    return {**task_input(check, state), "difference": difference, "refused": refused}


def limit(passage: str, context: Context) -> str:
    """How much one edit of a passage may change, in words."""
    most = min(context.max_edit_chars, int(context.max_edit_share * len(passage)))
    return f"{counted(most, 'character')} changed in one place"


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
    for check, gate_input, each in zip(group, gate_inputs, said, strict=True):
        if each is None:
            check["alone"] = True
        else:
            await _borne_out(each, check, gate_input, state, context)


def _next(checks: list[Check], passage: int, window: int) -> list[Check]:
    """The next checks of a passage to ask about, at most `window`; none while its first gate is open."""
    if open_check(checks, passage) is not None:
        return []
    return [check for check in checks if check["passage"] == passage and check["verdict"] is None][:window]


async def _ask(check: Check, state: CorrectionState, context: Context, *, ahead: bool) -> None:
    """Put the verdict into the check, and the edit if one is asked for ahead."""
    gate_input = task_input(check, state)
    speculated = asyncio.ensure_future(_edit_ahead(edit_input(check, state), context)) if ahead else None
    label: Label = "error"
    try:
        said = await task(context, AGREEMENT).ainvoke(gate_input)
        label = await _borne_out(said, check, gate_input, state, context)
    except RunError as error:
        _decide(check, label, str(error), context)
    finally:
        if speculated and label != "contradiction":
            speculated.cancel()
    check["replacement"] = await speculated if speculated and label == "contradiction" else None


async def _borne_out(
    said: Agreement, check: Check, gate_input: AgreementInput, state: CorrectionState, context: Context
) -> Label:
    """Put what was said into the check, with the label that it has earned."""
    piece = _evidence(state, check["evidence"])
    agreement = await apart(lambda: earned(said, gate_input, piece), gate_input)
    return _decide(check, agreement.label, _reason(agreement), context)


def _decide(check: Check, label: Label, reason: str, context: Context) -> Label:
    """Put a verdict into the check."""
    verdict: Verdict = {
        "question": check["question"],
        "label": label,
        "reason": reason,
        "evidence": check["evidence"],
        "backend": backend(context, AGREEMENT).name,
    }
    check["verdict"] = verdict
    if check.get("corrected") and verdict["label"] in ("entailment", "neutral"):
        # Words that are still there are not wrong there: report the contradiction that was corrected.
        check["verdict"], check["settled"] = check["corrected"], True
    emit("gate", verdict=verdict)
    return verdict["label"]


async def _edit_ahead(request: EditInput, context: Context) -> str | None:
    """An edit asked for before the gate is known to be open. If it fails, it is asked for again when needed."""
    try:
        return (await task(context, EDIT).ainvoke(request)).text
    except RunError:
        return None


def _reason(said: Agreement) -> str:
    return f"Text: {said.text_says or '(does not say)'}\nEvidence: {said.evidence_says or '(does not say)'}"


def _evidence(state: CorrectionState, number: str) -> Evidence:
    return next(piece for piece in state["evidence"] if piece["id"] == number)
