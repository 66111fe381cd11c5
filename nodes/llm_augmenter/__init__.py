"""The steps of LLM-Augmenter."""

from .begin import begin
from .consolidate import consolidate
from .policy import policy
from .respond import prompt, send
from .utility import criticise, utility

__all__ = ["begin", "consolidate", "criticise", "policy", "prompt", "send", "utility"]
