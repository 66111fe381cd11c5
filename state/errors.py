"""What can go wrong, by whose hands it can be mended."""

from collections.abc import Iterable
from difflib import get_close_matches


class ErrataError(Exception):
    """Base of all errors raised here. The message is one line that says what to do next."""


class ConfigurationError(ErrataError, RuntimeError):
    """Settings or input that cannot work: an unknown name, a missing key or folder. The caller can mend it.

    Not a ValueError, which pydantic wraps when a tool's constructor raises it; a RuntimeError, whose message the
    server of LangGraph passes on to the caller.
    """


class RunError(ErrataError):
    """What may fail in a run though its settings are right: a step notes it as a failure, and the run goes on."""


class ModelError(RunError):
    """A model that is down, too slow, or whose replies do not parse."""


class Undecided(ModelError, ValueError):
    """What is beyond rules, though nothing failed: a chat model could."""


class ToolError(RunError):
    """A tool that is down, too slow, or that refuses."""


def nearest(name: str, known: Iterable[str], lists: str) -> str:
    """What to say of a name that is not known: which are like it, and what lists those that are.

    Args:
        name: What somebody wrote.
        known: What they could have written.
        lists: The end of the message, as in "`errata methods` lists them".
    """
    like = " or ".join(f"`{each}`" for each in get_close_matches(name, known))
    return f"did you mean {like}? {lists[:1].upper() + lists[1:]}" if like else lists
