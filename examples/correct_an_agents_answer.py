"""Correct the final answer of a LangChain agent before it is returned. The model is a stand-in that is always wrong."""

from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from errata.apps.middleware import CorrectFinalAnswer

model = GenericFakeChatModel(messages=iter([AIMessage("The Eiffel Tower was completed in 1899.")]))
agent = create_agent(model, tools=[], middleware=[CorrectFinalAnswer()])
answer = agent.invoke({"messages": [("user", "When was the Eiffel Tower completed?")]})["messages"][-1]

print(answer.text)
print(answer.response_metadata["errata"]["status"])

# Prints:
# The Eiffel Tower was completed in 1889.
# corrected
