"""Let a fact checker read what another agent has written: a graph from messages to messages."""

from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph

from errata import as_agent


def writer(state: MessagesState) -> dict[str, list[AIMessage]]:
    """Write something wrong. A real one would be an agent."""
    return {"messages": [AIMessage("The Eiffel Tower was completed in 1899.", name="writer")]}


team = StateGraph(MessagesState)
team.add_node("writer", writer)
team.add_node("checker", as_agent("rarr", name="fact_checker"))
team.add_edge(START, "writer")
team.add_edge("writer", "checker")
reply = team.compile().invoke({"messages": [("user", "When was the Eiffel Tower completed?")]})["messages"][-1]

print(reply.name, "|", reply.text.splitlines()[0])

# Prints:
# fact_checker | The Eiffel Tower was completed in 1889.
