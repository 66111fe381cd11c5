"""What CRITIC's loops share: judging, replacing, and the result."""

from typing import Any

from ..models import Critique, make_name, task
from ..state import Cites, Context, Edit, Label, Verdict, cited, cites
from ..state.critic import CriticState
from ..state.errors import ConfigurationError, ErrataError
from ..tools.search import describe
from .budget import calls_left
from .conclude import sums
from .review import reviewed
from .step import emit

WRONG = {"Is the program right?": "the program is wrong", "Is the text clean?": "the text is toxic"}
"""What it means that a question of a critique is answered with no."""


async def judged(
    state: CriticState,
    context: Context,
    task_name: str,
    given: dict[str, Any],
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
        task_name: Who judges.
        given: What the critic is given.
        asked: The question of the verdict, such as "Is the program right?"
        shown: Id of the evidence that the critic was shown; empty if none was.
        fault: What the tool found wrong with the candidate: with that it is not accepted, whatever the critic says.
        right: Whether the candidate is right, where that is known.
    """
    if right is not None:
        critique = Critique(plausibility="", correctness="" if right else "The answer is wrong.", accepted=right)
        make = "oracle"
    elif not calls_left(state, context, task_name):
        return {"stopped": "budget"}
    else:
        try:
            critique = await task(context, task_name).ainvoke(given)
        except ConfigurationError:
            raise
        except ErrataError as error:
            return failed("critique", error)
        make = make_name(context, task_name)
    overruled = fault if critique.accepted else ""
    said = " ".join(filter(None, (critique.plausibility, critique.correctness, overruled))).strip()
    verdict: Verdict = {
        "question": asked,
        "label": "neutral" if overruled else _label(critique, make, shown),
        "reason": said,
        "evidence": shown,
        "make": make,
    }
    emit("critique", verdict=verdict)
    update: dict[str, Any] = {"critique": said, "verdicts": [*state["verdicts"], verdict]}
    return update | ({"stopped": "accepted"} if critique.accepted and not overruled else {})


def _label(critique: Critique, make: str, shown: str) -> Label:
    """That a critic finds no fault bears the candidate out only if it compared it with what a tool says.

    Rules can find a fault; that they find none does not make a program right. A right answer is evidence by itself.
    """
    if not critique.accepted:
        return "contradiction"
    return "entailment" if make == "oracle" or (shown and make != "lexical") else "neutral"


def replaced(state: CriticState, text: str, evidence_id: str) -> dict[str, Any]:
    """Take a new text in place of the best so far, as one edit of the whole."""
    return taken(state, _replacing(state, text, {"evidence": evidence_id}))


def decided(state: CriticState, text: str, context: Context) -> Edit:
    """The edit that puts a text in the place of the best so far, after a person has seen it if the Context wants that.

    Until they answer, the step stands still, and begins anew when they have: one that calls this asks no model before.
    """
    verdict = state["verdicts"][-1]
    edit = _replacing(state, text, cites(cited(verdict)))
    if not context.review or edit["after"] == edit["before"]:
        return edit
    shown = next((piece for piece in state["evidence"] if piece["id"] == verdict["evidence"]), None)
    return reviewed(edit, verdict["question"], shown, state["original"], state["edits"])


def taken(state: CriticState, edit: Edit) -> dict[str, Any]:
    """Note an edit, if it is one, and carry it out if it is to be applied."""
    if edit["after"] == edit["before"]:
        return {}
    emit("edit", edit=edit)
    edits = [*state["edits"], edit]
    return {"text": edit["after"], "edits": edits} if edit["applied"] else {"edits": edits}


def _replacing(state: CriticState, text: str, rests_on: Cites) -> Edit:
    return {
        "before": state["text"],
        "after": text,
        "start": 0,
        "end": len(state["text"]),
        **rests_on,
        "reason": state["critique"],
        "applied": True,
    }


def failed(step: str, error: Exception) -> dict[str, Any]:
    """Stop for good, with the best so far."""
    reason = str(error) if isinstance(error, ErrataError) else describe(error)
    return {"failures": [{"step": step, "reason": reason, "unchecked": True}], "stopped": "error"}


async def conclude_critic(state: CriticState, context: Context) -> dict[str, Any]:
    """Say why the loop ended."""
    failed = "error" if state["failures"] else None
    unchanged = "unchanged" if state["unchanged"] >= context.patience else "rounds"
    stopped = state["stopped"] or failed or unchanged
    corrections = f"{state['rounds']} round{'' if state['rounds'] == 1 else 's'} of correction"
    last = state["verdicts"][-1] if state["verdicts"] else None
    found_wrong = last is not None and last["label"] == "contradiction"
    wrong = WRONG.get(last["question"], "the answer is wrong") if last and found_wrong else "nothing is settled"
    last_was_critiqued = len(state["verdicts"]) > state["rounds"]
    reason = {
        "accepted": f"nothing was found to correct, after {corrections}",
        "unchanged": f"correcting changes nothing more, after {corrections}: {state['critique']}",
        "rounds": f"after {corrections}, of which the last was not critiqued any more"
        if not last_was_critiqued
        else f"after {corrections}, {wrong} still: {state['critique']}"
        if state["rounds"]
        else f"{wrong}: {state['critique']}",
        "budget": f"the budget of model calls is spent after {corrections}; this is the best so far",
        "error": state["failures"][0]["step"] + " failed: " + state["failures"][0]["reason"]
        if state["failures"]
        else "",
    }[stopped]
    return {"stopped": stopped, "reason": reason, "usage": sums(state, context)}
