"""ReAct: alternate between thinking and searching, then answer (Yao et al. 2023, arXiv 2210.03629)."""

from typing import Any

from langchain_core.messages import AIMessage

from ...models import backend
from ...models.tasks.critic import REACT
from ...state import Context
from ...state.errors import ModelError
from ...state.methods.drafts import DraftState
from ..step import failed
from ..turns import asks_for_tool, conclusion, next_turn
from .answers import drafted

NO_ANSWER = (
    "no answer was found: rephrase the question, search elsewhere (`sources`, `search`), or name another `model`"
)
NOTHING_TO_QUOTE = (
    "no answer was found, and without a model only a sentence that gives it can be quoted: rephrase the question, "
    "search elsewhere (`sources`, `search`), or name a chat `model`, as in openai:gpt-5-mini"
)


async def react(state: DraftState, context: Context) -> dict[str, Any]:
    """Take one turn towards an answer."""
    turn = await next_turn(state, context, REACT, ("search",))
    if not isinstance(turn, AIMessage):
        return turn
    if asks_for_tool(turn):
        return {"messages": [turn]}
    answer = conclusion(turn)
    if not answer.text.strip():
        reason = NO_ANSWER if backend(context, REACT).knows else NOTHING_TO_QUOTE
        return {"messages": [turn], **failed("draft", ModelError(reason))}
    return {"messages": [turn], **drafted(answer.text, answer.answer)}
