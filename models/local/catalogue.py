"""Public models that are worth having on a machine, listed in `catalogue.yaml`: where they are, and their uses."""

from dataclasses import dataclass
from importlib import resources
from typing import Literal

import yaml

from ...state.errors import ConfigurationError, nearest

Kind = Literal["writes", "judges", "marks"]
KINDS: dict[Kind, str] = {
    "writes": "language models, which write and correct: --model embedded:NAME",
    "judges": "judges, which compare a claim with its evidence: --set nli=NAME",
    "marks": "detectors, which mark the words that the evidence does not support: --set nli=NAME",
}


@dataclass(frozen=True)
class Model:
    """A model of the list.

    Attributes:
        name: What it is called here.
        kind: What it does.
        repository: Where it is on the hub.
        revision: The commit of the repository.
        files: SHA-256 of each file by its path; empty where nobody has published it that could be asked.
        megabytes: About how much is fetched.
        licence: Of the weights.
        languages: Those that it was trained for.
        about: What it is good for.
        tried: Whether it was run with this program. The others should work.
    """

    name: str
    kind: Kind
    repository: str
    revision: str
    files: dict[str, str]
    megabytes: int
    licence: str
    languages: str
    about: str
    tried: bool = False
    labels: str = ""
    """What its classes mean, in their order, where its config does not say."""

    @property
    def size(self) -> str:
        """How much is fetched, for people."""
        return f"{self.megabytes / 1000:.1f} GB" if self.megabytes >= 1000 else f"{self.megabytes} MB"

    @property
    def weights(self) -> str:
        """The path of its largest file, which stands first."""
        return next(iter(self.files))


def _listed() -> dict[str, Model]:
    text = resources.files(__package__).joinpath("catalogue.yaml").read_text("utf-8")
    return {record["name"]: Model(**record) for record in yaml.safe_load(text)}


MODELS = _listed()
"""By name; of each kind, the first is the one to begin with."""


def first(kind: Kind) -> Model:
    """The model of a kind to begin with."""
    return next(each for each in MODELS.values() if each.kind == kind)


def model(name: str) -> Model:
    """The model of a name.

    Raises:
        ConfigurationError: If there is none.
    """
    if name not in MODELS:
        suggestion = nearest(name, MODELS, "`errata models list` lists them")
        raise ConfigurationError(f"there is no model `{name}`: {suggestion}")
    return MODELS[name]
