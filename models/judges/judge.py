"""A judge: a network, the notes beside it, and the verdict that they come to on a claim."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...state.errors import ConfigurationError
from ...state.methods.labels import merge
from ...state.text.segments import passages
from ..local import catalogue
from .network import CONFIG, MEANINGS, Classifier, Meaning, NetworkFiles, Scores, find, load, read_json

NOTES = "errata.json"
"""Our file in a judge's folder. Everything in it is optional."""
TITLE_CHARS = 200
"""How many characters of a page's title each window begins with."""

Decided = Literal["entailment", "contradiction"]
BEGINNINGS: dict[str, Meaning] = {
    "not_entail": "neutral",
    "non_entail": "neutral",
    "not_support": "neutral",
    "unsupport": "neutral",
    "not_enough": "neutral",
    "hallucinat": "neutral",
    "entail": "entailment",
    "contradict": "contradiction",
    "neutral": "neutral",
    "align": "entailment",
    "support": "entailment",
    "refute": "contradiction",
}
"""The meaning of a class by how its name begins."""


class Notes(BaseModel):
    """Our notes on a judge, in its folder."""

    model_config = ConfigDict(extra="forbid")

    labels: list[Meaning] | None = Field(default=None, min_length=2, max_length=3)
    """The meanings of its classes, in order, if its config.json does not say."""
    template: str = "{evidence}"
    """What the network reads before the claim; may contain `{question}`."""
    thresholds: dict[Decided, float | None] = {}
    """How probable a label must be before it is given; None for never. By default, more probable than `neutral`."""


class JudgedClaim(NamedTuple):
    """The label of a claim by a piece of evidence, and the window of the evidence that decided."""

    label: Meaning
    scores: Scores
    """The scores of that window."""
    window: str
    entailment: float
    """The probability that any window entails the claim."""


class Judge(NamedTuple):
    """A network, and the notes stored with it."""

    network: Classifier
    notes: Notes

    def judge(self, claims: Sequence[str], evidence: str, title: str = "", question: str = "") -> list[JudgedClaim]:
        """Judge each claim by the window of the evidence that says most about it.

        Raises:
            ModelError: If a claim is too long, or the network gives no result.
        """
        return [decided(windows, self.notes.thresholds) for windows in self.scores(claims, evidence, title, question)]

    def scores(
        self, claims: Sequence[str], evidence: str, title: str = "", question: str = ""
    ) -> list[list[tuple[str, Scores]]]:
        """For each claim, each window of the evidence with the network's scores. Raises as `judge` does."""
        for claim in claims:
            self.network.check(claim)
        before, _, after = self.notes.template.replace("{question}", question).partition("{evidence}")
        head = f"{title[:TITLE_CHARS]}\n" if title else ""
        longest = max(claims, key=len)

        def framed(window: str) -> str:
            return f"{before}{head}{window}{after}"

        def cut(text: str) -> list[str]:
            if len(text) < 2 or self.network.fits(framed(text), longest):
                return [text]
            return [window for half in passages(text, len(text) // 2 + 1) for window in cut(half)]

        windows = cut(evidence)
        all_scores = self.network.scores([(framed(window), claim) for claim, window in product(claims, windows)])
        rows = [all_scores[first : first + len(windows)] for first in range(0, len(all_scores), len(windows))]
        return [list(zip(windows, row, strict=True)) for row in rows]


def decided(windows: Sequence[tuple[str, Scores]], thresholds: Mapping[Decided, float | None]) -> JudgedClaim:
    """The verdict of the windows of a piece of evidence together: support first, then contradiction.

    Args:
        windows: At least one, with the network's scores.
        thresholds: The thresholds in the notes.
    """
    labels = [label_of(scores, thresholds) for _, scores in windows]
    label: Meaning = next(each for each in labels if each == merge(labels))
    window, scores = max(
        (pair for pair, each in zip(windows, labels, strict=True) if each == label),
        key=lambda pair: getattr(pair[1], label if label != "neutral" else "entailment"),
    )
    return JudgedClaim(label, scores, window, max(each.entailment for _, each in windows))


def label_of(scores: Scores, thresholds: Mapping[Decided, float | None]) -> Meaning:
    """The label of a window: the more probable of the two opposites, if it reaches its threshold."""
    likelier: Decided = "entailment" if scores.entailment >= scores.contradiction else "contradiction"
    probability = getattr(scores, likelier)
    if likelier not in thresholds:
        return likelier if probability > scores.neutral else "neutral"
    least = thresholds[likelier]
    return likelier if least is not None and probability >= least else "neutral"


def check_judge(name: str, labels: str | None) -> tuple[NetworkFiles, Notes, tuple[Meaning, ...]]:
    """The files of a judge, its notes, and the meanings of its classes. The network itself is not loaded.

    Args:
        name: Setting `nli`.
        labels: Setting `nli_labels`.

    Raises:
        ConfigurationError: If there is no such judge, it cannot be run, or the meaning of its classes is unknown.
    """
    files = find(name)
    notes = _read_notes(files.folder)
    if not labels and not Path(name).expanduser().exists():  # so it is a name of the list
        labels = catalogue.MODELS[name].labels
    classes = _listed(labels) if labels else notes.labels or _from_config(files.folder)
    if "entailment" not in classes:
        raise ConfigurationError(
            f"{files.folder} has no class for entailment: name what each class means in `nli_labels`"
        )
    return files, notes, tuple(classes)


def load_judge(name: str, labels: str | None) -> Judge:
    """The judge that the settings name; a network is loaded once. Arguments and errors as for `check_judge`."""
    files, notes, classes = check_judge(name, labels)
    return Judge(_network(files, classes), notes)


@lru_cache(maxsize=2)
def _network(files: NetworkFiles, classes: tuple[Meaning, ...]) -> Classifier:
    return load(files, classes)


def _read_notes(folder: Path) -> Notes:
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


def _listed(setting: str) -> list[Meaning]:
    by_name: dict[str, Meaning] = {meaning: meaning for meaning in MEANINGS}
    words = [word.strip() for word in setting.split(",")]
    if unknown := next((word for word in words if word not in by_name), None):
        raise ConfigurationError(f"setting `nli_labels`: `{unknown}` is none of {', '.join(MEANINGS)}")
    return [by_name[word] for word in words]


def _from_config(folder: Path) -> list[Meaning]:
    """The meanings of the class names in the network's own config. A class of unknown meaning is never guessed."""
    names = read_json(folder / CONFIG).get("id2label")
    advice = "say what each means, in their order, as in `nli_labels=neutral,entailment`"
    if not isinstance(names, dict) or not names or {*names} != {str(number) for number in range(len(names))}:
        raise ConfigurationError(f"{folder / CONFIG} does not name its classes: {advice}")
    ordered = [str(names[str(number)]) for number in range(len(names))]
    classes = [meaning for name in ordered if (meaning := meaning_of(name))]
    if len(classes) < len(ordered):
        raise ConfigurationError(
            f"the classes of {folder} are {', '.join(ordered)}, and not all of these are understood: {advice}"
        )
    return classes


def meaning_of(name: str) -> Meaning | None:
    """The meaning of the name of a class, or of a label; None if unknown."""
    plain = name.lower().replace("-", "_").replace(" ", "_")
    return next((meaning for beginning, meaning in BEGINNINGS.items() if plain.startswith(beginning)), None)
