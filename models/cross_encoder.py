"""The cross-encoder backend of `rank`: a small network that reads query and passage together (an extra: `rank`)."""

import asyncio
from functools import lru_cache
from typing import Any

from ..state import Context
from ..state.errors import ConfigurationError
from .networks import check_network
from .outputs import Ranking


async def rank(context: Context, task_input: dict[str, Any]) -> Ranking:
    """Score passages with the Context's cross-encoder.

    Raises ConfigurationError if none is named, if it cannot be loaded, or if sentence-transformers is not installed.
    """
    check_network("cross_encoder", context.cross_encoder, "cross_encoder")
    pairs = [(task_input["query"], passage) for passage in task_input["passages"]]
    if not pairs:
        return Ranking(scores=[])
    model = await asyncio.to_thread(_load, str(context.cross_encoder))
    scores = await asyncio.to_thread(model.predict, pairs, show_progress_bar=False)
    return Ranking(scores=[float(score) for score in scores])


@lru_cache(maxsize=2)
def _load(name: str) -> Any:
    from sentence_transformers import CrossEncoder

    try:
        return CrossEncoder(name, num_labels=1)
    except Exception as error:
        raise ConfigurationError(f"no cross-encoder at {name}: {' '.join(str(error).split())[:200]}") from error
