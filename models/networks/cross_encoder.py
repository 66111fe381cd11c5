"""The cross-encoder backend of `rank`: a small network that reads query and passage together (an extra: `rank`)."""

import asyncio
from functools import lru_cache
from typing import Any

from ...state.errors import ConfigurationError
from ..tasks.correction import Ranking, RankInput


async def rank(name: str, task_input: RankInput) -> Ranking:
    """Score passages with a cross-encoder.

    Raises:
        ConfigurationError: If it cannot be loaded.
    """
    pairs = [(task_input["query"], passage) for passage in task_input["passages"]]
    if not pairs:
        return Ranking(scores=[])
    model = await asyncio.to_thread(_load, name)
    scores = await asyncio.to_thread(model.predict, pairs, show_progress_bar=False)
    return Ranking(scores=[float(score) for score in scores])


@lru_cache(maxsize=2)
def _load(name: str) -> Any:
    from sentence_transformers import CrossEncoder

    try:
        return CrossEncoder(name, num_labels=1)
    except Exception as error:
        raise ConfigurationError(f"no cross-encoder at {name}: {' '.join(str(error).split())[:200]}") from error
