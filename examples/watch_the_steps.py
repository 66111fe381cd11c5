"""Watch a run while it works: questions, verdicts and edits as they happen."""

from errata.graphs import rarr

for event in rarr.graph.stream({"text": "The Eiffel Tower was completed in 1899."}, stream_mode="custom"):
    print(event["step"])

# Prints:
# questions
# research
# gate
# edit
# attribute
