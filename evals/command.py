"""`errata eval`: measure methods on a data set, and compare two evaluations."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from ..apps.batch.command import again, batch_options, row_options
from ..apps.cli.options import FOLDER, Whole, optional_input_argument
from ..apps.cli.terminal import console, exact, say, tell
from ..apps.files import save
from ..state.errors import ConfigurationError
from .lines import json_lines

if TYPE_CHECKING:
    from .running import Ran
    from .scoring import Scored

MEASURED = {
    "agreement": "agreement",
    "annotations": "refchecker",
    "calibrate": "calibrate",
    "consistency": "consistency",
    "kf1": "kf1",
    "policy": "policy",
    "table": "table",
    "toxicity": "toxicity",
}
"""Commands that each measure one thing, and their modules in `programs`."""


class Evaluate(click.Group):
    """`errata eval METHOD DATASET` is short for `errata eval run METHOD DATASET`. Modules are imported on demand."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `run` before arguments that begin with no command."""
        if args and args[0] not in (*self.list_commands(ctx), *ctx.help_option_names):
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, sorted."""
        return sorted([*self.commands, *MEASURED])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now; None if there is none."""
        if cmd_name not in MEASURED:
            return super().get_command(ctx, cmd_name)
        program: click.Command = import_module(f".programs.{MEASURED[cmd_name]}", __package__).main
        return program


@click.group("eval", cls=Evaluate, short_help="Measure methods on a data set.")
def evaluation() -> None:
    """Measure methods on a data set: errata eval METHOD DATASET INPUT -o DIR.

    METHOD DATASET is short for run METHOD DATASET; `errata eval run --help` lists variants of methods, data sets and
    options. `errata eval compare A B` compares two runs row by row. The other commands measure one thing each: the
    rules' agreement, human annotations, consistency, KF1, toxicity scorers. `errata eval table` prints a paper's
    figures beside yours, `errata eval policy` learns LLM-Augmenter's policy, and `errata eval calibrate` sets a local
    judge's thresholds.
    """


@evaluation.command(short_help="Run methods on a data set, and score the results.")
@click.argument("method")
@click.argument("dataset")
@optional_input_argument
@click.option("-o", "--output", "folder", type=FOLDER, required=True, metavar="DIR", help="The folder to write to.")
@click.option("--limit", type=Whole(min=1), metavar="N", help="Draw N items (default: all).")
@click.option("--seed", default=0, show_default=True, help="Random seed for drawing them.")
@click.option("--baseline", "baselines", default="", metavar="A,B", help="Other methods to run on the same rows.")
@click.option(
    "--repeat", type=Whole(min=1), default=1, show_default=True, help="Run each item N times (continuations)."
)
@click.option(
    "--ask",
    type=click.Choice(["auto", "question", "text"]),
    default="auto",
    help="How to present a claim to the method.",
)
@click.option("--measure", "measures", default="", metavar="A,B", help="attribution, kf1, toxicity, perplexity, bleu.")
@click.option(
    "--judge", default="", metavar="NAME", help="Who judges attribution: a model, a network's folder, or rules."
)
@click.option("--judge-url", default="", metavar="URL", help="An OpenAI-compatible server with that model.")
@batch_options
@row_options
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def run(
    method: str,
    dataset: str,
    source: Path | None,
    folder: Path,
    limit: int | None,
    seed: int,
    baselines: str,
    repeat: int,
    ask: Any,
    measures: str,
    judge: str,
    judge_url: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Run METHOD, and any baselines, on DATASET, score the results, and write a report.

    INPUT is the data set's published file; for `documents`, a folder, or nothing for the bundled articles.

    The name of a method may end in :no-tools (the critic judges on its own) or :oracle (right answers decide); rarr in
    :no-gate, :sentences (each is its own query) or :efec (one edit from all evidence, of any size); of one
    that takes references in :zero (none: it searches), :noisy (with those of four other rows) or :accurate.
    The same command continues an interrupted run.

    Data sets: hotpotqa, 2wiki, ambignq, triviaqa, nq, ottqa, gsm8k, svamp, tabmwp, fever, foolmetwice, refchecker,
    rarr, realtoxicityprompts, jsonl; and from a folder or the bundled articles, documents: questions about them, and
    corrupted: sentences of them, every other one with a fact made wrong.
    """
    from ..apps.batch.progress import BatchProgress
    from ..apps.batch.start import BATCH_FIELDS
    from ..apps.settings import check_read, make_context
    from .measuring import chosen, judging
    from .report import render
    from .running import Evaluation, evaluate, variant
    from .tables import show

    bounds = {name: options.pop(name) for name in BATCH_FIELDS if name in options}
    context = make_context(options, options.pop("backends"), options.pop("more"))
    names = list(dict.fromkeys([method, *_names(baselines)]))
    variants = [variant(name, context) for name in names]
    check_read(context, *(each.method for each in variants))
    measure_names = _names(measures)
    if (judge and "attribution" not in measure_names) or (judge_url and not judge):
        raise click.UsageError("--judge judges what --measure attribution asks, and --judge-url is its address")
    evaluation_asked = Evaluation(
        dataset=dataset,
        data=source,
        folder=folder,
        variants=variants,
        limit=limit,
        seed=seed,
        repeat=repeat,
        ask=ask,
        measures=chosen(measure_names),
        with_bleu="bleu" in measure_names,
        judge=judging(judge, judge_url, context) if judge else None,
    )
    with BatchProgress(console(stderr=True)) as progress:
        ran = evaluate(evaluation_asked, progress, **bounds)
    save(folder / "report.html", render(ran))
    _tell_ends(ran)
    _tell_unmeasured(ran, measure_names)
    if as_json:
        say(exact(ran.figures))
    else:
        show(console(), ran.figures, title=f"{dataset}, {ran.figures[0]['rows']:,} rows, {ran.settings['model']}")
    tell(Text(f"Report: {folder / 'report.html'}"))
    sys.exit(0 if ran.complete else 1)


@evaluation.command(short_help="Compare two runs on the same rows.")
@click.argument("first", metavar="A", type=click.Path(path_type=Path))
@click.argument("second", metavar="B", type=click.Path(path_type=Path))
@click.option("--seed", default=0, show_default=True, help="Random seed of the intervals.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def compare(first: Path, second: Path, seed: int, as_json: bool) -> None:
    """Compare two runs on the same rows: mean differences with 95 % intervals, and changed answers.

    A and B are DIR/scores/METHOD.jsonl, or a DIR, which means the main method of that evaluation.
    """
    from .summary import compare as compare_runs
    from .tables import show_comparison

    comparison = compare_runs(_scores(first), _scores(second), seed)
    if not comparison["rows"]:
        raise ConfigurationError(f"{first} and {second} have no row in common: compare runs over the same items")
    if as_json:
        say(exact(comparison))
    else:
        show_comparison(console(), comparison, str(first), str(second))


def _tell_ends(ran: "Ran") -> None:
    """Report how the methods ended if some rows are not done, as `errata batch` does."""
    from ..apps.batch.progress import show

    for figures, summary in zip(ran.figures, ran.summaries, strict=True):
        if not summary.complete or summary.stopped:
            tell(Text(f"{figures['method']}:"))
            show(console(stderr=True), summary, again(summary))


def _tell_unmeasured(ran: "Ran", measure_names: list[str]) -> None:
    """Report which measures no row has, although some rows are done."""
    from .measuring import UNMEASURED

    measured = {name.lower() for figures in ran.figures for name in (*figures["means"], *figures["more"])}
    if any("done" in figures["statuses"] for figures in ran.figures):
        for name in measure_names:
            if name not in measured:
                tell(Text(f"--measure {name} does not apply: {UNMEASURED[name]}"))


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",") if name.strip()]


def _scores(path: Path) -> "list[Scored]":
    """The scores of a run. Raises ConfigurationError if there are none."""
    if path.is_dir() and not (path / "settings.json").is_file():
        raise ConfigurationError(f"{path} holds no evaluation of `errata eval`")
    try:
        if path.is_dir():
            method = json.loads((path / "settings.json").read_text("utf-8"))["methods"][0]
            path = path / "scores" / f"{method.replace(':', '-')}.jsonl"
        rows = [row for _, row in json_lines(path.read_text("utf-8"))]
        if not all(row.keys() >= {"id", "right", "scores"} for row in rows):
            raise ValueError
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror or error}") from None
    except (ValueError, KeyError, AttributeError):
        raise ConfigurationError(f"{path} holds no scores of `errata eval`") from None
    return rows
