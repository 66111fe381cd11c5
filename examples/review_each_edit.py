"""Pause before each edit and let a person decide. Here the person approves."""

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from errata.graphs import rarr

graph = rarr.build().compile(checkpointer=InMemorySaver())
thread = {"configurable": {"thread_id": "1"}}

paused = graph.invoke({"text": "The Eiffel Tower was completed in 1899."}, thread, context={"review": True})
print(paused["__interrupt__"][0].value["action_requests"][0]["args"])
result = graph.invoke(Command(resume={"decisions": [{"type": "approve"}]}), thread)
print(result["text"])

# Prints:
# {'before': '1899', 'after': '1889'}
# The Eiffel Tower was completed in 1889.
