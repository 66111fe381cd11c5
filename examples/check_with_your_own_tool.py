"""Give a critic a tool of yours, beside search and Python. The model is a stand-in: it asks for it, then corrects."""

from typing import Any

from langchain_core.runnables import RunnableLambda

from errata.graphs import critic


def price_of(product: str) -> str:
    """Look up what a product costs."""
    return f"{product}: 42 euros"


def think(given: dict[str, Any]) -> dict[str, Any]:
    if not given["messages"]:
        return {"tool": "price_of", "arguments": {"product": "Model 7"}}
    return {"tool": "conclude", "conclusion": {"evidence": [1], "text": "The Model 7 costs 42 euros."}}


context = {"backends": {"critique": RunnableLambda(think)}, "rounds": 1}
result = critic.build(tools=[price_of]).compile().invoke({"text": "The Model 7 costs 40 euros."}, context=context)
print(result["text"], "|", result["evidence"][0]["source"])

# Prints:
# The Model 7 costs 42 euros. | tool:price_of
