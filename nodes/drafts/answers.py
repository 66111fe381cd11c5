"""A direct answer, or one with a chain of thought; the continuation of a text (CRITIC section 4.1)."""

from typing import Any

from ...models import Task, task
from ...models.tasks.drafting import ANSWER, CONTINUATION, COT, DRAFT, Answered, Asked, Draft
from ...state import Context
from ...state.errors import RunError
from ...state.methods.drafts import DraftState
from ...state.text.answers import short_answer
from ..step import emit, failed


async def direct(state: DraftState, context: Context) -> dict[str, Any]:
    """Answer directly."""
    return await _answer(state, context, DRAFT)


async def few_shot(state: DraftState, context: Context) -> dict[str, Any]:
    """Answer in a few words, after worked examples."""
    return await _answer(state, context, ANSWER)


async def cot(state: DraftState, context: Context) -> dict[str, Any]:
    """Answer with a chain of thought (Wei et al. 2022, arXiv 2201.11903)."""
    return await _answer(state, context, COT)


async def continuation(state: DraftState, context: Context) -> dict[str, Any]:
    """Continue a text from where it ends."""
    return {**await _answer(state, context, CONTINUATION), "answer": ""}


async def _answer(state: DraftState, context: Context, draft_task: Task[Asked, Any]) -> dict[str, Any]:
    try:
        draft: Draft = await task(context, draft_task).ainvoke({"question": state["question"]})
    except RunError as error:
        return failed("draft", error)
    return drafted(draft.text, draft.answer if isinstance(draft, Answered) else short_answer(draft.text))


def drafted(text: str, answer: str, reason: str = "") -> dict[str, Any]:
    """The update of a step that drafted something."""
    emit("draft", text=text)
    return {"text": text, "original": text, "answer": answer, "reason": reason}
