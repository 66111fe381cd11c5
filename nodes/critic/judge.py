"""Judge: what a critic says of a program or a text."""

from typing import Any

from ...models import backend, task
from ...models.tasks.critic import Critique
from ...models.tasks.task import In, Task
from ...state import Context, Label, Verdict
from ...state.errors import RunError
from ...state.methods.critic import LoopState
from ..budget import calls_left
from ..quorum import had
from ..step import emit, failed


async def judged(
    state: LoopState,
    context: Context,
    critic: Task[In, Critique],
    given: In,
    asked: str,
    *,
    shown: str = "",
    fault: str = "",
    right: bool | None = None,
) -> dict[str, Any]:
    """Let the critic judge the candidate, unless it is known whether it is right.

    Args:
        state: The state of the loop.
        context: The settings of the run.
        critic: The task of judging.
        given: What the critic is given.
        asked: The question of the verdict, such as "Is the program right?"
        shown: Id of the evidence that the critic was shown; empty if none was.
        fault: What the tool found wrong with the candidate: with that it is not accepted, whatever the critic says.
        right: Whether the candidate is right, where that is known.
    """
    if right is not None:
        critique = Critique(plausibility="", correctness="" if right else "The answer is wrong.", accepted=right)
        by, bears_out = "oracle", True
    elif not calls_left(state, context, critic):
        return {"spent": True}
    else:
        try:
            critique = await task(context, critic).ainvoke(given)
        except RunError as error:
            return {**failed("critique", error), **had("critiques", 0)}
        judge = backend(context, critic)
        by, bears_out = judge.name, bool(shown) and judge.bears_out
    overruled = fault if critique.accepted else ""
    said = " ".join(filter(None, (critique.plausibility, critique.correctness, overruled))).strip()
    verdict: Verdict = {
        "question": asked,
        "label": "neutral" if overruled else _label(critique, bears_out),
        "reason": said,
        "evidence": shown,
        "backend": by,
    }
    emit("critique", verdict=verdict)
    accepted = critique.accepted and not overruled
    verdicts = [*state["verdicts"], verdict]
    return {"critique": said, "verdicts": verdicts, "accepted": accepted, **had("critiques", 1)}


def _label(critique: Critique, bears_out: bool) -> Label:
    """What a critique says of the candidate.

    Args:
        critique: Finds a fault, or none.
        bears_out: Whether finding none bears the candidate out. A critic must have compared it with what a tool says,
            and rules can find a fault, but not that there is none. A right answer is evidence by itself.
    """
    if not critique.accepted:
        return "contradiction"
    return "entailment" if bears_out else "neutral"
