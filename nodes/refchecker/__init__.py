"""The steps of RefChecker."""

from .aggregate import aggregate
from .begin import begin
from .checking import asked, check, queries, references
from .claims import extract
from .localise import localise

__all__ = ["aggregate", "asked", "begin", "check", "extract", "localise", "queries", "references"]
