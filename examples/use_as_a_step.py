"""Use a method as a step of a graph of your own."""

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from errata.graphs import rarr


class State(TypedDict):
    """What your graph carries."""

    text: str
    status: str


graph = StateGraph(State)
graph.add_node("write", lambda state: {"text": "The Eiffel Tower was completed in 1899."})
graph.add_node("correct", rarr.graph)  # reads `text`, writes `text`, `status` and what else your state has of a Result
graph.add_edge(START, "write")
graph.add_edge("write", "correct")
graph.add_edge("correct", END)
print(graph.compile().invoke({"text": "", "status": ""}))

# Prints:
# {'text': 'The Eiffel Tower was completed in 1889.', 'status': 'corrected'}
