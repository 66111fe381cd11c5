"""Extraction and check of a short response in one call (`checking=at_once`)."""

from typing import Any

from ...models import backend, task
from ...models.tasks.claims import CHECK, EXTRACT, EXTRACT_AND_CHECK
from ...state import Context, Evidence
from ...state.errors import RunError
from ...state.methods.refcheck import RefCheckState
from ...state.text.segments import sentences, token_count
from ..budget import calls_left
from ..cite import gathered
from ..quorum import received
from ..step import emit
from .checking import of_one, passages_of
from .claims import key, numbered, statement


def is_short(state: RefCheckState, context: Context) -> bool:
    """Whether one call can extract the response's claims and check them, and is asked to."""
    if context.checking != "at_once" or context.claim_format != "triplet" or state["own_claims"]:
        return False
    if context.checkers or not _does_all(context) or not calls_left(state, context, EXTRACT_AND_CHECK):
        return False
    is_short_enough = token_count(state["text"]) <= context.joint_tokens and len(state["references"]) == 1
    return is_short_enough and len(_passages(state, context)) == 1


async def extract_and_check(state: RefCheckState, context: Context) -> dict[str, Any]:
    """Find every claim of a short response and check it against the one reference. If that fails, nothing is known."""
    spans = sentences(state["text"])
    passage = _passages(state, context)[0]
    try:
        reply = await task(context, EXTRACT_AND_CHECK).ainvoke(
            {
                "sentences": [state["text"][start:end] for start, end in spans],
                "question": state["question"],
                "evidence": passage["text"],
                "title": passage["title"],
            }
        )
    except RunError:
        return {}
    statements = numbered([statement(claim) for claim in reply.claims])
    checker = backend(context, EXTRACT_AND_CHECK).name
    same = {key(each): each for each in statements}
    checked = [
        of_one(same[key(statement(claim))], claim.label, claim.reason, passage["id"], checker) for claim in reply.claims
    ]
    emit("check", verdicts=[record["verdict"] for record in checked])
    return {
        "statements": statements,
        "sentences": [list(span) for span in spans],
        "evidence": [passage],
        "checked": checked,
        **received("passages", 1, 1),
    }


def _does_all(context: Context) -> bool:
    """Whether one language model would extract, check, and do both."""
    both = backend(context, EXTRACT_AND_CHECK)
    return both.costs_calls and all(backend(context, each) is both for each in (EXTRACT, CHECK))


def _passages(state: RefCheckState, context: Context) -> list[Evidence]:
    return list(gathered(passages_of(state["references"], False, context)))
