"""Extraction and check of a short response in one call (`checking=at_once`).

A model that sees the reference takes claims from it as well, which it supports. So a claim counts only if its words are
the response's, and if what is left of the claims leaves something of the response out, two calls are made.
"""

import re
from typing import Any

from ...models import backend, task
from ...models.tasks.claims import CHECK, EXTRACT, EXTRACT_AND_CHECK, CheckedTriplet
from ...state import Context, Evidence
from ...state.errors import RunError
from ...state.methods.refcheck import RefCheckState
from ...state.text.segments import sentences, token_count, tokens
from ..budget import calls_left
from ..cite import gathered
from ..quorum import received
from ..step import emit
from .checking import of_one, passages_of
from .claims import key, numbered, statement

MOST_LEFT_OUT = 0.2
"""The share of a response's words that may be in no claim (ours): opinions, and what introduces a sentence."""
_WORD = re.compile(r"\w+")


def is_short(state: RefCheckState, context: Context) -> bool:
    """Whether one call can extract the response's claims and check them, and is asked to."""
    if context.checking != "at_once" or context.claim_format != "triplet" or state["own_claims"]:
        return False
    if context.checkers or not _does_all(context) or not calls_left(state, context, EXTRACT_AND_CHECK):
        return False
    is_short_enough = token_count(state["text"]) <= context.joint_tokens and len(state["references"]) == 1
    return is_short_enough and len(_passages(state, context)) == 1


async def extract_and_check(state: RefCheckState, context: Context) -> dict[str, Any]:
    """Find every claim of a short response and check it against the one reference.

    Nothing is known if that fails, or if something of the response is in no claim.
    """
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
    claims = [claim for claim in reply.claims if _is_said(claim, state["text"])]
    if _leaves_out(claims, state["text"]) and (claims or reply.claims):
        return {}
    statements = numbered([statement(claim) for claim in claims])
    checker = backend(context, EXTRACT_AND_CHECK).name
    same = {key(each): each for each in statements}
    checked = [
        of_one(same[key(statement(claim))], claim.label, claim.reason, passage["id"], checker) for claim in claims
    ]
    emit("check", verdicts=[record["verdict"] for record in checked])
    return {
        "statements": statements,
        "sentences": [list(span) for span in spans],
        "evidence": [passage],
        "checked": checked,
        **received("passages", 1, 1),
    }


def _is_said(claim: CheckedTriplet, text: str) -> bool:
    """Whether the response has all words of a claim's object."""
    return set(tokens(claim.object or claim.predicate)) <= set(tokens(text))


def _leaves_out(claims: list[CheckedTriplet], text: str) -> bool:
    """Whether a name, a number, or much else of a response is in no claim."""
    claimed = {word for claim in claims for word in tokens(f"{claim.subject} {claim.predicate} {claim.object}")}
    words = set(tokens(text))
    telling = [word for word in _WORD.findall(text) if word[0].isupper() or not word.isalpha()]
    if not set(tokens(" ".join(telling))) <= claimed:
        return True
    return len(words - claimed) > MOST_LEFT_OUT * len(words)


def _does_all(context: Context) -> bool:
    """Whether one language model would extract, check, and do both."""
    both = backend(context, EXTRACT_AND_CHECK)
    return both.costs_calls and all(backend(context, each) is both for each in (EXTRACT, CHECK))


def _passages(state: RefCheckState, context: Context) -> list[Evidence]:
    return list(gathered(passages_of(state["references"], False, context)))
