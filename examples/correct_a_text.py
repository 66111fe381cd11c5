"""Correct a text, and see what was changed and why."""

import errata

result = errata.correct("The Eiffel Tower was completed in 1899 and stands in Lyon.")

print(result)
for change in result.changes:
    print(f"{change['before']} -> {change['after']}")

# Prints:
# The Eiffel Tower was completed in 1889 and stands in Paris.
# 1899 -> 1889
# Lyon -> Paris
