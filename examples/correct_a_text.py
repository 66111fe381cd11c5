"""Correct a text, and see what was changed and why."""

from errata.graphs import rarr

result = rarr.graph.invoke({"text": "The Eiffel Tower was completed in 1899 and stands in Lyon."})

print(result["text"])
for edit in result["edits"]:
    print(f"{edit['before']} -> {edit['after']}")

# Prints:
# The Eiffel Tower was completed in 1889 and stands in Paris.
# 1899 -> 1889
# Lyon -> Paris
