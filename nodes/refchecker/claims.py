"""Claims: split a response into claims (RefChecker's extractor)."""

import asyncio
from typing import Any

from ...models import Task, task
from ...models.tasks.claims import (
    EXTRACT,
    EXTRACT_SUBSENTENCES,
    ExtractInput,
    Subsentence,
    Subsentences,
    Triplet,
    Triplets,
)
from ...state import Context, Failure
from ...state.errors import RunError
from ...state.methods.refcheck import RefCheckState, Statement
from ...state.text.segments import Span, leading_to, passages, sentences, tokens
from ..budget import calls_left
from ..quorum import received
from ..step import emit

EXTRACTORS: dict[str, Task[ExtractInput, Any]] = {"triplet": EXTRACT, "subsentence": EXTRACT_SUBSENTENCES}
"""The task that extracts claims in a format."""


async def extract(state: RefCheckState, context: Context) -> dict[str, Any]:
    """Find every claim of every passage, all passages at once; keep each claim once, in the order of the text."""
    text = state["text"]
    all_spans = _sentences(passages(text, context.passage_chars))
    sentence_spans = [span for spans in all_spans for span in spans]
    if (ready := _ready(state, sentence_spans, context)) is not None:
        return {"statements": numbered(ready), "sentences": [list(span) for span in sentence_spans]}
    name = EXTRACTORS[context.claim_format]
    due_spans = [spans for spans in all_spans if spans]
    due = due_spans[: calls_left(state, context, name)]
    replies = await asyncio.gather(
        *(
            _claims(
                name,
                {
                    "sentences": [text[start:end] for start, end in spans],
                    "question": state["question"],
                    "before": leading_to(text[: spans[0][0]]),
                },
                context,
            )
            for spans in due
        )
    )
    statements: list[Statement] = []
    failures: list[Failure] = []
    first = 0
    for spans, reply in zip(due, replies, strict=True):
        if isinstance(reply, RunError):
            failures.append({"step": "extract", "reason": str(reply), "unchecked": True})
        else:
            statements += [statement(claim, first) for claim in reply]
        first += len(spans)
    return {
        "statements": numbered(statements),
        "sentences": [list(span) for span in sentence_spans],
        "failures": failures,
        **received("passages", len(due) - len(failures), len(due_spans)),
        "spent": len(due) < len(due_spans),
    }


def _ready(state: RefCheckState, spans: list[Span], context: Context) -> list[Statement] | None:
    """The claims that no model extracts: the caller's own, the sentences, or the response as a whole."""
    texts = [state["text"][start:end] for start, end in spans]
    if state["own_claims"] and spans:
        return [_own(claim, texts) for claim in state["own_claims"]]
    if context.claim_format == "sentence":
        return [statement(Subsentence(content=text, sentences=[n]), 0) for n, text in enumerate(texts, start=1)]
    if context.claim_format == "response":
        content, numbers = state["text"], list(range(1, len(spans) + 1))
        return [statement(Subsentence(content=content, sentences=numbers), 0)] if spans else []
    return None


def _own(claim: str | list[str], texts: list[str]) -> Statement:
    """The record of a caller's claim, which is about the sentence that has most of its words."""
    words = set(tokens(claim if isinstance(claim, str) else " ".join(claim)))
    shared = [len(words & set(tokens(text))) for text in texts]
    numbers = [shared.index(max(shared)) + 1]
    if isinstance(claim, str) or len(claim) == 1:
        return statement(Subsentence(content="".join(claim), sentences=numbers), 0)
    subject, predicate, object_ = claim
    return statement(Triplet(subject=subject, predicate=predicate, object=object_, sentences=numbers), 0)


def numbered(all_statements: list[Statement]) -> list[Statement]:
    """Each claim once, with its number."""
    statements: dict[str, Statement] = {}
    for each in all_statements:
        _keep(each, statements)
    found: list[Statement] = [{**each, "id": f"c{number}"} for number, each in enumerate(statements.values(), start=1)]
    emit("extract", claims=[each["content"] for each in found])
    return found


def _sentences(parts: list[str]) -> list[list[Span]]:
    """The sentences of each passage, as spans of the text that the passages make up."""
    all_spans: list[list[Span]] = []
    offset = 0
    for passage in parts:
        all_spans.append([(offset + start, offset + end) for start, end in sentences(passage)])
        offset += len(passage)
    return all_spans


async def _claims(
    extractor: Task[ExtractInput, Any], task_input: ExtractInput, context: Context
) -> list[Triplet | Subsentence] | RunError:
    """The claims of a passage, or why there are none."""
    try:
        reply: Triplets | Subsentences = await task(context, extractor).ainvoke(task_input)
    except RunError as error:
        return error
    return [claim for claim in reply.claims if _is_of(claim, task_input)]


def _is_of(claim: Triplet | Subsentence, task_input: ExtractInput) -> bool:
    """Whether a claim is from these sentences and not from those before them."""
    claimed = (claim.object or claim.predicate) if isinstance(claim, Triplet) else claim.content
    words = set(tokens(claimed))
    return not task_input.get("before") or not words or bool(words & set(tokens(" ".join(task_input["sentences"]))))


def statement(claim: Triplet | Subsentence, first: int = 0) -> Statement:
    """The record of a claim, given the number of the first sentence of its passage."""
    parts = (claim.subject, claim.predicate, claim.object) if isinstance(claim, Triplet) else ("", "", "")
    subject, predicate, object_ = (" ".join(part.split()) for part in parts)
    content = f"{subject} {predicate} {object_}" if isinstance(claim, Triplet) else " ".join(claim.content.split())
    numbers = sorted({first + number for number in claim.sentences})
    return {
        "id": "",
        "content": content,
        "subject": subject,
        "predicate": predicate,
        "object": object_,
        "sentences": numbers,
    }


def key(claim: Statement) -> str:
    """What is the same for claims that are the same."""
    return claim["content"].casefold().rstrip(".")


def _keep(claim: Statement, statements: dict[str, Statement]) -> None:
    """Keep a claim; if it is known, only add the sentences that make it."""
    same = statements.setdefault(key(claim), claim)
    same["sentences"] = sorted({*same["sentences"], *claim["sentences"]})
