"""Judging: what a critic says about a program or a text."""

from typing import Any

from ...models import backend, task
from ...models.tasks.critic import Critique
from ...models.tasks.task import In, Task
from ...state import Context, Label, Verdict
from ...state.errors import RunError
from ...state.methods.critic import LoopState
from ..budget import calls_left
from ..quorum import received
from ..step import emit, failed

WRONG = Critique(plausibility="", correctness="The answer is wrong.", accepted=False)
"""For the correction of a candidate that is known to be wrong, where the critic finds no fault."""


async def judged(
    state: LoopState,
    context: Context,
    critic: Task[In, Critique],
    task_input: In,
    question: str,
    *,
    evidence_id: str = "",
    fault: str = "",
    right: bool | None = None,
) -> dict[str, Any]:
    """Let the critic judge the candidate, unless it is known to be right. If it is known to be wrong, it says why.

    Args:
        state: The state of the loop.
        context: The settings of the run.
        critic: The task that judges.
        task_input: The critic's input.
        question: The question of the verdict, such as "Is the program right?"
        evidence_id: The id of the evidence that the critic was shown; empty if there was none.
        fault: A fault that the tool found; it rules out acceptance, whatever the critic says.
        right: Whether the candidate is right, if known.
    """
    if right:
        critique, by, bears_out = Critique(plausibility="", correctness="", accepted=True), "oracle", True
    elif not calls_left(state, context, critic):
        return {"spent": True}
    else:
        try:
            critique = await task(context, critic).ainvoke(task_input)
        except RunError as error:
            return {**failed("critique", error), **received("critiques", 0)}
        judge = backend(context, critic)
        by, bears_out = judge.name, bool(evidence_id) and judge.bears_out
        if right is False:
            by, bears_out = "oracle", True
            critique = WRONG if critique.accepted else critique
    overruled = fault if critique.accepted else ""
    reason = " ".join(filter(None, (critique.plausibility, critique.correctness, overruled))).strip()
    verdict: Verdict = {
        "question": question,
        "label": "neutral" if overruled else _label(critique, bears_out),
        "reason": reason,
        "evidence": evidence_id,
        "backend": by,
    }
    emit("critique", verdict=verdict)
    accepted = critique.accepted and not overruled
    verdicts = [*state["verdicts"], verdict]
    return {"critique": reason, "verdicts": verdicts, "accepted": accepted, **received("critiques", 1)}


def _label(critique: Critique, bears_out: bool) -> Label:
    """The label of a critique.

    Args:
        critique: The critique, which finds a fault or none.
        bears_out: Whether finding no fault supports the candidate. A critic must have compared it with a tool result,
            and rules can find a fault but cannot rule one out. A right answer is evidence in itself.
    """
    if not critique.accepted:
        return "contradiction"
    return "entailment" if bears_out else "neutral"
