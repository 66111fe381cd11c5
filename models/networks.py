"""The backends that are small networks: what each needs before it can work."""

import importlib.util
from typing import NamedTuple

from ..state.errors import ConfigurationError


class Needs(NamedTuple):
    """Packages, and the extra that they come with."""

    packages: tuple[str, ...]
    extra: str


NEEDS = {
    "cross_encoder": Needs(("sentence_transformers",), "rank"),
    "nli": Needs(("torch", "transformers"), "nli"),
    "seq2seq": Needs(("torch", "transformers"), "seq2seq"),
}


def check_network(backend: str, named: str | None, setting: str) -> None:
    """Raise ConfigurationError if a backend could not work: no network is named, or a package is missing.

    named
        what `setting` holds
    """
    if not named:
        raise ConfigurationError(f"name a folder or an id in `{setting}` for the {backend} backend")
    packages, extra = NEEDS[backend]
    if not all(importlib.util.find_spec(package) for package in packages):
        raise ConfigurationError(
            f"the {backend} backend needs {' and '.join(packages)}: run `pip install 'errata[{extra}]'`"
        )
