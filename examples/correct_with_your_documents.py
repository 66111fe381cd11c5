"""Compare a text with documents of your own. The model is a function that stands in for one."""

from langchain_core.documents import Document

import errata

handbook = Document("The office opened in 2019. It closes at 18:00.", metadata={"title": "Handbook"})


def model(prompt: str) -> str:
    """Repeat the statement with its wrong words changed. A real one would call a provider."""
    return "The office opened in 2019."


result = errata.correct("The office opened in 2017.", sources=[handbook], model=model)
print(result, "|", result.status)
for citation in result.citations:
    print(citation["title"], "|", citation["cited_text"])

# Prints:
# The office opened in 2019. | corrected
# Handbook | The office opened in 2019.
