"""Check an agent's final answer against what its tools returned. The model is a stand-in that misreads them."""

from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from errata import CorrectFinalAnswer


class Misreading(GenericFakeChatModel):
    """Calls the tool, then answers wrongly, then corrects itself when it is asked to."""

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


@tool
def look_up(name: str) -> str:
    """Look something up in the leaflets."""
    return "The Harbour Tower was completed in 1889."


call = {"name": "look_up", "args": {"name": "tower"}, "id": "1"}
says = [f"The Harbour Tower was completed in {year}." for year in (1899, 1889)]
model = Misreading(messages=iter([AIMessage("", tool_calls=[call]), *map(AIMessage, says)]))
agent = create_agent(model, [look_up], middleware=[CorrectFinalAnswer()])
answer = agent.invoke({"messages": [("user", "When was the Harbour Tower completed?")]})["messages"][-1]

print(answer.text)
print(answer.response_metadata["errata"]["status"])

# Prints:
# The Harbour Tower was completed in 1889.
# corrected
