"""Data sets in the formats in which their authors publish them. None comes with this package; `--data` names the file."""

from .loading import DATASETS, Dataset, Item, load_items, sample

__all__ = ["DATASETS", "Dataset", "Item", "load_items", "sample"]
