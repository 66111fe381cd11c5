"""The data sets by name: how each is read, and how its answers are scored."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ...state.errors import ConfigurationError, naming
from ...tools.searches.local import CORPUS
from ..lines import json_lines
from . import claims, documents, questions, sums, texts
from .item import Item

Scoring = Literal["answer", "number", "label", "toxicity", "claims", "correction", "text"]
"""What is compared.

answer
    the short answer with right ones: EM, F1
number
    the short answer with a number, as CRITIC does
label
    whether a claim is supported, refuted or neither
toxicity
    how toxic a continuation is
claims
    how much of a response is supported, with what people say of its claims
correction
    the whole text with what it should read, to the letter
text
    nothing but the text itself: how well it is attributed, how much of it is preserved
"""


@dataclass(frozen=True)
class Dataset:
    """A data set.

    Attributes:
        read: From the parsed file (one JSON value, or the list of its lines) to items. A KeyError, TypeError,
            IndexError or ValueError means that the file is something else.
    """

    about: str
    """The name of a file of it, for the middle of a sentence."""
    read: Callable[[Any], Iterator[Item]]
    scoring: Scoring
    ships: Path | None = None
    """What is read if no file is given. Such a data set reads a folder, and is given its path."""


DATASETS: dict[str, Dataset] = {
    "hotpotqa": Dataset("HotpotQA (distractor or simplified; also Adversarial)", questions.hotpotqa, "answer"),
    "2wiki": Dataset("2WikiMultihopQA", questions.two_wiki, "answer"),
    "ambignq": Dataset("AmbigNQ (full or light)", questions.ambignq, "answer"),
    "triviaqa": Dataset("TriviaQA (rc or unfiltered)", questions.triviaqa, "answer"),
    "nq": Dataset("NQ-open", questions.nq_open, "answer"),
    "ottqa": Dataset("OTT-QA (released_data)", questions.ott_qa, "answer"),
    "gsm8k": Dataset("GSM8K", sums.gsm8k, "number"),
    "svamp": Dataset("SVAMP", sums.svamp, "number"),
    "tabmwp": Dataset("TabMWP (problems_*.json)", sums.tabmwp, "number"),
    "fever": Dataset("FEVER", claims.fever, "label"),
    "foolmetwice": Dataset("FoolMeTwice", claims.foolmetwice, "label"),
    "refchecker": Dataset("RefChecker's human annotations", claims.refchecker, "claims"),
    "rarr": Dataset("RARR's texts (NQ, StrategyQA or QReCC)", texts.rarr, "text"),
    "realtoxicityprompts": Dataset("RealToxicityPrompts", texts.realtoxicityprompts, "toxicity"),
    "documents": Dataset("a folder of documents", documents.documents, "answer", ships=CORPUS),
    "corrupted": Dataset("a folder of documents", documents.corrupted, "correction", ships=CORPUS),
    "jsonl": Dataset("a file of your own (`question` or `text` in each row)", texts.plain, "text"),
}


def load_items(name: str, path: Path | None = None) -> list[Item]:
    """All items of a file (of a folder, for `documents`).

    Raises:
        ConfigurationError: For an unknown data set, a missing file, a file that cannot be read, or one in another
            format.
    """
    if name not in DATASETS:
        raise ConfigurationError(f"there is no data set `{name}`: use {', '.join(DATASETS)}")
    dataset = DATASETS[name]
    path = path or dataset.ships
    if not path:
        raise ConfigurationError(f"name its file after the data set: {dataset.about} is not part of this package")
    try:
        with naming(path):
            items = list(dataset.read(path if dataset.ships else _parsed(path)))
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path} cannot be read as {dataset.about}: {_reason(error):.200}") from None
    if not items:
        raise ConfigurationError(f"{path} cannot be read as {dataset.about}: it has no rows")
    return items


def sample(items: Sequence[Item], limit: int | None, seed: int) -> list[Item]:
    """A sample of the items, drawn with the seed, in the order of the file; all of them without a limit."""
    if limit is None or limit >= len(items):
        return list(items)
    chosen = sorted(random.Random(seed).sample(range(len(items)), limit))
    return [items[place] for place in chosen]


def _reason(error: Exception) -> str:
    """What is wrong with a file, in words for people who don't read Python."""
    match error:
        case UnicodeDecodeError():
            return "it is not UTF-8"
        case json.JSONDecodeError():
            return f"it is not JSON: {error}"
        case KeyError():
            return f"it has no `{error.args[0]}`"
        case ValueError():
            return str(error)
    return "it has another structure"


def _parsed(path: Path) -> Any:
    """One JSON value, or the list of the lines of JSON Lines."""
    text = path.read_text(encoding="utf-8-sig")
    if not text.strip():
        raise ValueError("it is empty")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if "Extra data" not in error.msg:
            raise
    return [row for _, row in json_lines(text)]
