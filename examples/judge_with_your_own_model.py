"""Give one task to a function of yours: here `agreement`, which decides whether evidence contradicts the text."""

from typing import Any

from errata.graphs import rarr


def judge(given: dict[str, Any]) -> dict[str, str]:
    """Judge only by the year. A real judge would be an NLI model or a chat model."""
    wrong = "1899" in given["text"] and "1889" in given["evidence"]
    label = "contradiction" if wrong else "neutral"
    return {"text_says": "1899" if wrong else "", "evidence_says": "1889" if wrong else "", "label": label}


context = {"backends": {"agreement": judge}}
result = rarr.graph.invoke({"text": "The Eiffel Tower was completed in 1899 and stands in Lyon."}, context=context)
print(result["text"])

# Prints:
# The Eiffel Tower was completed in 1889 and stands in Lyon.
