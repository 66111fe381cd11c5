"""The errors, by who can fix them."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches

LIKE = 0.7
"""How much of two names must be the same for one to be suggested for the other."""


class ErrataError(Exception):
    """The base of all errors raised here. The message is one line that says what to do next."""


class ConfigurationError(ErrataError, RuntimeError):
    """Settings or input that cannot work: an unknown name, a missing key or folder. The caller can fix it.

    It is not a ValueError, which pydantic wraps when a tool's constructor raises it, but a RuntimeError, whose message
    the LangGraph server passes on to the caller.
    """


class RunError(ErrataError):
    """Something that may fail in a run with correct settings: a step records it as a failure, and the run continues."""


class ModelError(RunError):
    """A model is down, too slow, or its replies cannot be parsed."""


class Undecided(ModelError, ValueError):
    """The rules cannot decide, although nothing failed: a chat model could."""


class ToolError(RunError):
    """A tool is down, too slow, or refuses."""


def absent(path: object, advice: str = "", what: str = "file") -> str:
    """The message that something that was named is not there.

    Args:
        path: What was named.
        advice: What to do about it.
        what: What was expected there.
    """
    return f"there is no {what} {path}" + (f": {advice}" if advice else "")


@contextmanager
def naming(file: object, kind: type[ErrataError] = ConfigurationError) -> Iterator[None]:
    """Turn what the operating system refuses in the block into an error that names the file."""
    try:
        yield
    except IsADirectoryError:
        raise kind(f"{file} is a folder: name a file") from None
    except OSError as error:
        is_input = isinstance(error, FileNotFoundError) and kind is ConfigurationError  # of an output, it is the folder
        raise kind(absent(file) if is_input else f"{file}: {error.strerror or error}") from None


def similar(name: str, names: Iterable[str]) -> list[str]:
    """The names for which somebody may have written another one; the most similar first."""
    return get_close_matches(name, names, cutoff=LIKE)


def nearest(name: str, names: Iterable[str], lists: str) -> str:
    """The end of a message about an unknown name: similar names, and how to list all of them.

    Args:
        name: What somebody wrote.
        names: What they could have written.
        lists: The end of the message, as in "`errata methods` lists them".
    """
    like = " or ".join(f"`{each}`" for each in similar(name, names))
    return f"did you mean {like}? {lists[:1].upper() + lists[1:]}" if like else lists
