"""Score how much of an answer its documents bear out. The same function is an evaluator for LangSmith."""

from errata.evaluators import groundedness

evaluate = groundedness()
documents = ["The Eiffel Tower was completed in 1889. The Eiffel Tower stands in Paris."]
score = evaluate(outputs="The Eiffel Tower was completed in 1899 and stands in Paris.", context=documents)

print(score["score"])
print(score["comment"].splitlines()[-1])

# Prints:
# 0.5
# contradiction: The Eiffel Tower was completed in 1899
