"""The steps: async functions from (state, context) to an update.

Each method has a folder; beside them is what methods share.
"""

from .conclude import so_far
from .research import research
from .step import of_run, settings, step

__all__ = ["of_run", "research", "settings", "so_far", "step"]
