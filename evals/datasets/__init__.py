"""Data sets in the formats in which their authors publish them. None is part of this package."""

from .item import Item
from .loading import DATASETS, Dataset, load_items, sample

__all__ = ["DATASETS", "Dataset", "Item", "load_items", "sample"]
