"""A caller's function, or a Runnable that is not a chat model, as a chat model."""

import inspect
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, get_buffer_string
from langchain_core.outputs import ChatGeneration, ChatResult

from ...state.parts import Called, Invokable, runnable


class FunctionModel(BaseChatModel):
    """Replies with the return value of a function: a text or a message.

    A function gets the conversation as one text, unless its first parameter is called `messages` or annotated as
    something other than `str`: then, like a Runnable, it gets LangChain's messages.
    """

    function: Any

    @property
    def _llm_type(self) -> str:
        return "function"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        function_runnable: Any = runnable(self.function)
        return _result(function_runnable.invoke(_function_input(self.function, messages)))

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return _result(await runnable(self.function).ainvoke(_function_input(self.function, messages)))


def _function_input(function: Called, messages: list[BaseMessage]) -> list[BaseMessage] | str:
    return get_buffer_string(messages) if _reads_text(function) else messages


def _reads_text(function: Called) -> bool:
    if isinstance(function, Invokable):
        return False
    try:
        first = next(iter(inspect.signature(function).parameters.values()))
    except (StopIteration, TypeError, ValueError):  # the parameters of a function in C are unknown
        return True
    return first.annotation in (str, "str") or (first.annotation is first.empty and first.name != "messages")


def _result(output: Any) -> ChatResult:
    if isinstance(output, str | BaseMessage):
        message = (
            output if isinstance(output, AIMessage) else AIMessage(output if isinstance(output, str) else output.text)
        )
        return ChatResult(generations=[ChatGeneration(message=message)])
    raise TypeError(f"the function that is the model returned {type(output).__name__}: it must return text")
