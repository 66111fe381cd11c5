"""The files beside a judge's network: what its classes mean, how it is asked, and how confident it must be."""

import json
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...state.errors import ConfigurationError

NOTES = "errata.json"
"""Our file in a judge's folder. Everything in it is optional."""
CONFIG = "config.json"
"""The network's own file."""

Meaning = Literal["entailment", "neutral", "contradiction"]
MEANINGS: tuple[Meaning, ...] = get_args(Meaning)
Decided = Literal["entailment", "contradiction"]

BEGINNINGS: tuple[tuple[str, Meaning], ...] = (
    ("not_entail", "neutral"),
    ("non_entail", "neutral"),
    ("not_support", "neutral"),
    ("unsupport", "neutral"),
    ("not_enough", "neutral"),
    ("hallucinat", "neutral"),
    ("entail", "entailment"),
    ("contradict", "contradiction"),
    ("neutral", "neutral"),
    ("align", "entailment"),
    ("support", "entailment"),
    ("refute", "contradiction"),
)
"""How the names of classes begin, and what they mean."""


class Notes(BaseModel):
    """Our notes on a judge, in its folder."""

    model_config = ConfigDict(extra="forbid")

    labels: list[Meaning] | None = Field(default=None, min_length=2, max_length=3)
    """What its classes mean, in order, if its config.json does not say."""
    template: str = "{evidence}"
    """What the network reads before the claim; may contain `{question}`."""
    thresholds: dict[Decided, float | None] = {}
    """How probable a label must be before it is given; None for never. By default, more probable than `neutral`."""
    calibration: dict[str, Any] = {}
    """Where the thresholds are from."""


def read_notes(folder: Path) -> Notes:
    """The notes in a folder; the defaults if there are none.

    Raises:
        ConfigurationError: If there are some that cannot be read.
    """
    path = folder / NOTES
    if not path.is_file():
        return Notes()
    try:
        notes = Notes.model_validate(read_json(path))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ConfigurationError(f"{path}: `{place}`: {first['msg'][:1].lower()}{first['msg'][1:]}") from None
    if "{evidence}" not in notes.template:
        raise ConfigurationError(f"{path}: put {{evidence}} into `template`, where the evidence is to stand")
    return notes


def write_notes(folder: Path, notes: Notes) -> None:
    """Write the notes to a folder; the old ones stay until the new ones are complete."""
    beside = folder / f"{NOTES}.new"
    beside.write_text(json.dumps(notes.model_dump(exclude_defaults=True), indent=1) + "\n", "utf-8")
    beside.replace(folder / NOTES)


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object.

    Raises:
        ConfigurationError: If the file holds none.
    """
    try:
        content = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise ConfigurationError(f"{path} cannot be read as JSON: get the model's folder again") from None
    if not isinstance(content, dict):
        raise ConfigurationError(f"{path} holds no JSON object: get the model's folder again")
    return content


def meanings(folder: Path, notes: Notes, listed: str | None) -> list[Meaning]:
    """What the classes of a network mean, in order: as set, as in the notes, or by their names.

    Args:
        folder: The network's.
        notes: Those in its folder.
        listed: The setting `nli_labels`.

    Raises:
        ConfigurationError: If nobody says it. It is never guessed.
    """
    classes = _listed(listed) if listed else notes.labels or _from_config(folder)
    if "entailment" not in classes:
        raise ConfigurationError(f"{folder} has no class for entailment: name what each class means in `nli_labels`")
    return classes


def _listed(setting: str) -> list[Meaning]:
    names: dict[str, Meaning] = {meaning: meaning for meaning in MEANINGS}
    words = [word.strip() for word in setting.split(",")]
    if unknown := next((word for word in words if word not in names), None):
        raise ConfigurationError(f"setting `nli_labels`: `{unknown}` is none of {', '.join(names)}")
    return [names[word] for word in words]


def _from_config(folder: Path) -> list[Meaning]:
    """The meanings of the class names in the network's own config."""
    names = read_json(folder / CONFIG).get("id2label")
    advice = "say what each means, in their order, as in `nli_labels=neutral,entailment`"
    if not isinstance(names, dict) or not names or {*names} != {str(number) for number in range(len(names))}:
        raise ConfigurationError(f"{folder / CONFIG} does not name its classes: {advice}")
    classes = [meaning_of(str(names[str(number)])) for number in range(len(names))]
    if None in classes:
        listed = ", ".join(str(names[str(number)]) for number in range(len(names)))
        raise ConfigurationError(f"the classes of {folder} are {listed}, and none of them means entailment: {advice}")
    return [meaning for meaning in classes if meaning]


def meaning_of(name: str) -> Meaning | None:
    """What the name of a class, or of a label, means; None if unknown."""
    plain = name.lower().replace("-", "_").replace(" ", "_")
    return next((meaning for beginning, meaning in BEGINNINGS if plain.startswith(beginning)), None)
