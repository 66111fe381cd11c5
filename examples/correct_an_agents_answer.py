"""Check an agent's final answer against what its tools returned. The model is a stand-in that misreads them."""

import json
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from errata import CorrectFinalAnswer


class Misreading(GenericFakeChatModel):
    """Calls the tool, answers wrongly, and when it is asked to, corrects itself and judges both wordings."""

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


@tool
def look_up(name: str) -> str:
    """Look something up in the leaflets."""
    return "The Harbour Tower was completed in 1889."


call = {"name": "look_up", "args": {"name": "tower"}, "id": "1"}
quote = {"evidence": 1, "quote": "completed in 1889"}
change = {"why": "The leaflet has another year.", **quote, "before": "1899", "after": "1889"}
correction = {"sentences": [{"number": 1, "label": "contradicted", **quote}], "changes": [change]}
labels = enumerate(("contradicted", "supported"), start=1)
verdicts = [{"number": n, "reason": "See the leaflet.", "evidence": 1, "label": label} for n, label in labels]
says = ["The Harbour Tower was completed in 1899.", json.dumps(correction), json.dumps({"verdicts": verdicts})]
model = Misreading(messages=iter([AIMessage("", tool_calls=[call]), *map(AIMessage, says)]))
agent = create_agent(model, [look_up], middleware=[CorrectFinalAnswer()])
answer = agent.invoke({"messages": [("user", "When was the Harbour Tower completed?")]})["messages"][-1]

print(answer.text)
print(answer.response_metadata["errata"]["status"])

# Prints:
# The Harbour Tower was completed in 1889.
# corrected
