"""What CRITIC's loops share: judging, replacing, and the result."""

from typing import Any

from ...models import Critique, backend, task
from ...state import Cites, Context, Edit, Label, SentenceStatus, Unresolved, Verdict, cited, cites
from ...state.critic import CriticState
from ...state.errors import RunError
from ...state.outcomes import OF_LABEL, as_a_whole, status_of
from ...state.running import RunState
from ...state.text import counted
from ...tools.search import describe
from ..budget import calls_left
from ..conclude import sums
from ..review import reviewed
from ..step import emit

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
        by, bears_out = "oracle", True
    elif not calls_left(state, context, task_name):
        return {"stopped": "budget"}
    else:
        try:
            critique = await task(context, task_name).ainvoke(given)
        except RunError as error:
            return failed("critique", error)
        critic = backend(context, task_name)
        by, bears_out = critic.name, bool(shown) and critic.bears_out
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
    update: dict[str, Any] = {"critique": said, "verdicts": [*state["verdicts"], verdict]}
    return update | ({"stopped": "accepted"} if critique.accepted and not overruled else {})


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
    reason = str(error) if isinstance(error, RunError) else describe(error)
    return {"failures": [{"step": step, "reason": reason, "unchecked": True}], "stopped": "error"}


async def conclude_critic(state: CriticState, context: Context) -> dict[str, Any]:
    """Say why the loop ended, and what came of the text."""
    failed = "error" if state["failures"] else None
    stable = "stable" if state["unchanged"] >= context.patience else "rounds"
    stopped = state["stopped"] or failed or stable
    wrong, verdict = _still_wrong(state), _judgement(state)
    after = f"after {counted(state['rounds'], 'round')} of correction"
    why = {
        "accepted": f"it passes {after}" if state["rounds"] else "it passes as it is",
        "stable": f"further corrections leave it as it is, {after}",
        "rounds": f"no further correction was allowed {after}" if state["rounds"] else "no correction was allowed",
        "budget": f"the budget of model calls is spent {after}; this is the best so far",
        "error": "".join(f"{failure['step']} failed: {failure['reason']}" for failure in state["failures"][:1]),
    }.get(stopped, "")
    told = ""
    if wrong and verdict:
        told = f"; {WRONG.get(verdict['question'], 'the answer is wrong')} still: {verdict['reason']}"
    elif state["rounds"] >= len(state["verdicts"]) and stopped == "rounds":
        told = "; the last correction was not critiqued any more"
    return {
        **came_of(state, verdict, wrong=wrong, left=why, prose=not _is_program(state)),
        "stopped": stopped,
        "reason": why + told,
        "usage": sums(state, context),
    }


def _is_program(state: CriticState) -> bool:
    """Whether the text is a program, which has no sentences."""
    return any(piece["source"].startswith("python:") and piece["query"] == state["text"] for piece in state["evidence"])


def _judgement(state: CriticState) -> Verdict | None:
    """The verdict on the text: the last one, or that on what the tool said of this very text."""
    made = {piece["id"] for piece in state["evidence"] if piece["query"] == state["text"]}
    last_first = list(reversed(state["verdicts"]))
    return next((verdict for verdict in last_first if verdict["evidence"] in made), next(iter(last_first), None))


def _still_wrong(state: CriticState) -> bool:
    """Whether the text was found wrong, and no correction has changed it since."""
    last = state["verdicts"][-1] if state["verdicts"] else None
    if not last or last["label"] != "contradiction" or state["stopped"] == "accepted":
        return False
    return len(state["verdicts"]) > state["rounds"] or bool(state["unchanged"])


def came_of(state: RunState, verdict: Verdict | None, *, wrong: bool, left: str, prose: bool = True) -> dict[str, Any]:
    """Attribution, contradictions left and status of a text that was judged as a whole.

    Args:
        state: The state at the end.
        verdict: The verdict on the text.
        wrong: Whether that finds the text wrong, and the text has stayed.
        left: Why the text was not put right then; what a person rejected was left for that.
        prose: Whether the text has sentences.

    Returns:
        The fields of the result.
    """
    original, text, edits = state["original"], state["text"], state["edits"]
    status: SentenceStatus = "unresolved" if wrong else OF_LABEL.get(verdict["label"] if verdict else "", "not checked")
    rests_on = cited(verdict) if verdict and status == "checked" else []
    corrected_by = next((cited(edit) for edit in reversed(edits) if edit["applied"]), [])
    attribution = as_a_whole(original, text, status, rests_on, corrected_by, prose=prose)
    unresolved: list[Unresolved] = []
    if verdict and wrong:
        rejected = edits[-1]["reason"].partition("\n")[0] if edits and not edits[-1]["applied"] else ""
        unresolved.append(
            {
                "sentence": text,
                "start": 0,
                "end": len(text),
                "question": verdict["question"],
                "evidence": verdict["evidence"],
                "reason": verdict["reason"],
                "left": rejected.removeprefix("Refused: ") or left,
            }
        )
    return {
        "attribution": attribution,
        "unresolved": unresolved,
        "status": status_of(original, text, attribution, unresolved),
    }
