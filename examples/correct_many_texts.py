"""Correct many texts at once, without a file. For long runs that can be resumed there is `errata batch`."""

from errata.graphs import rarr

texts = ["The Eiffel Tower was completed in 1899.", "Mount Everest is 8,648 metres high."]
results = rarr.graph.batch([{"text": text} for text in texts], {"max_concurrency": 8})

for result in results:
    print(result["status"], "|", result["text"])

# Prints:
# corrected | The Eiffel Tower was completed in 1889.
# corrected | Mount Everest is 8,848.86 metres high.
