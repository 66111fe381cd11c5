"""The steps of RefChecker."""

from .aggregate import aggregate
from .at_once import extract_and_check, is_short
from .begin import begin
from .checking import asked, check, queries, references
from .claims import extract
from .localise import localise

__all__ = [
    "aggregate",
    "asked",
    "begin",
    "check",
    "extract",
    "extract_and_check",
    "is_short",
    "localise",
    "queries",
    "references",
]
