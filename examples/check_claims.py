"""Check a response claim by claim against a reference of your own; nothing is corrected."""

from errata.graphs import refchecker

reference = "The Eiffel Tower was completed in 1889. The Eiffel Tower stands in Paris."
response = "The Eiffel Tower was completed in 1899 and stands in Paris."
result = refchecker.graph.invoke({"text": response, "references": [reference]})

for claim in result["claims"]:
    print(f"{claim['label']}: {claim['content']}")

# Prints:
# contradiction: The Eiffel Tower was completed in 1899
# entailment: The Eiffel Tower stands in Paris
