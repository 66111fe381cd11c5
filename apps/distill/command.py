"""`errata distill`: teach a small judge what a strong model decided, and measure it on pages that it has not seen."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table
from rich.text import Text

from ...state.errors import ConfigurationError
from ...state.text.segments import counted
from ..cli.options import FILE, FOLDER, Number, Whole
from ..cli.terminal import console, exact, say, tell
from ..files import write_whole
from ..purr.bar import bar, training_bar

if TYPE_CHECKING:
    from .pairs import Pair

TAUGHT, UNSEEN = "taught.jsonl", "held_out.jsonl"
WEIGHTS = "weights"
"""In the judge's folder: what is trained, and what it takes to go on. It may be deleted once all is done."""
FEWEST = 50
"""Pairs to teach that are worth it."""


@click.command(short_help="Teach a small judge what a strong model decided.")
@click.argument("results", metavar="RESULTS...", nargs=-1, required=True, type=FILE)
@click.option("-o", "--output", type=FOLDER, required=True, metavar="DIR", help="Where the judge goes.")
@click.option(
    "--encoder", required=True, metavar="DIR", help="The small encoder to teach, or a judge to teach further."
)
@click.option("--precision", type=Number(0.5, 1), default=0.97, show_default=True, help="What each label must reach.")
@click.option("--epochs", type=Whole(min=1), default=3, show_default=True, help="Times through all pairs.")
@click.option("--batch", type=Whole(min=1), default=32, show_default=True, help="Pairs in a step.")
@click.option("--rate", type=Number(min=0, min_open=True), default=5e-5, show_default="5e-5", help="Learning rate.")
@click.option("--save-every", type=Whole(min=1), default=100, show_default=True, help="Save after this many steps.")
@click.option("--seed", default=0, show_default=True, help="Random seed.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one line of JSON.")
def distill(
    results: tuple[Path, ...],
    output: Path,
    encoder: str,
    precision: float,
    epochs: int,
    batch: int,
    rate: float,
    save_every: int,
    seed: int,
    as_json: bool,
) -> None:
    """Teach a small judge what a strong model decided in RESULTS, the outputs of `errata batch`.

    Verdicts, edits and people's reviews become claims with their evidence. To these are added claims with evidence that
    says nothing about them, and claims in which a value was swapped. Every fifth page is held out to set the judge's
    thresholds and to measure its precision. If the command is interrupted, the same command continues it.
    """
    from ...models.judges.place import located
    from ...models.judges.teaching import NETWORK, check_packages, export, pupil
    from ...models.networks.training import Recipe, check, is_done, teach

    encoder_path = str(located(encoder))
    taught, unseen = _split(results, seed)
    check_packages()
    output.mkdir(parents=True, exist_ok=True)
    _keep(output / TAUGHT, taught)
    _keep(output / UNSEEN, unseen)
    tell(Text(f"{counted(len(taught), 'claim')} to teach, {counted(len(unseen), 'claim')} of other pages held out"))
    steps = max(epochs * -(-len(taught) // batch), 1)
    recipe = Recipe(
        steps=steps,
        batch=batch,
        rate=rate,
        warmup=min(50, steps // 10),
        save_every=save_every,
        seed=seed,
    )
    weights = output / WEIGHTS
    if not is_done(weights):
        check(weights, recipe, len(taught))
        with training_bar(recipe.steps) as show:
            teach(pupil(encoder_path), taught, unseen, weights, recipe, show)
    if not (output / NETWORK).is_file():
        tell(Text("writing it as int8 ONNX"))
        export(weights, output)
    outcome = _measured(output, unseen, precision)
    from .card import card

    write_whole(
        output / "README.md", card(output.name, Path(encoder_path).name, results, taught, unseen, recipe, outcome)
    )
    if as_json:
        say(exact(outcome))
    else:
        console().print(figures_table(outcome))
    tell(Text(f"use it with --set nli={output}"))


def _split(results: Sequence[Path], seed: int) -> "tuple[list[Pair], list[Pair]]":
    """The pairs that results give: those to teach, and those of held-out pages."""
    from ..batch.output import read_records
    from ..purr.rows import is_held_out
    from .pairs import pairs_of

    records = (record["result"] for path in results for record in read_records(path))
    pairs = pairs_of((result for result in records if result), seed)
    if not pairs:
        raise ConfigurationError(
            "no row was decided by a model with evidence: run `errata batch ground` or `errata batch refchecker` with "
            "--model on some rows first"
        )
    taught = [pair for pair in pairs if not is_held_out(pair["source"])]
    unseen = [pair for pair in pairs if is_held_out(pair["source"])]
    if len(taught) < FEWEST or not unseen:
        raise ConfigurationError(
            f"{counted(len(taught), 'claim')} to teach and {len(unseen)} of other pages to measure with are too few: "
            f"give results of more rows (at least {FEWEST} claims, of pages enough that every fifth can be held out)"
        )
    return taught, unseen


def _keep(path: Path, pairs: "Sequence[Pair]") -> None:
    """Write pairs down, or see that they are those with which the judge was begun."""
    text = "".join(json.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs)
    if not path.is_file():
        write_whole(path, text)
    elif path.read_text("utf-8") != text:
        raise ConfigurationError(f"{path} is of other results, or of another seed: name another folder")


def _measured(folder: Path, unseen: "Sequence[Pair]", precision: float) -> dict[str, Any]:
    """Set the judge's thresholds by what was held out, and say how good it is."""
    from ...models.judges import load_judge
    from ...models.judges.calibrating import calibrate

    with bar("claims", len(unseen)) as advance:
        return calibrate(load_judge(str(folder), None), folder, unseen, precision, UNSEEN, advance)


def figures_table(outcome: dict[str, Any]) -> Table:
    """A judge's thresholds and what they come to, for people."""
    table = Table(
        "", *outcome["labels"], title=f"{counted(outcome['rows'], 'claim')}, {outcome['precision']:.0%} to be right"
    )
    for row in figure_rows(outcome):
        table.add_row(*row)
    return table


def figure_rows(outcome: dict[str, Any]) -> list[list[str]]:
    """A judge's thresholds and what they come to: the name of each figure, and its value for each label."""
    columns = list(outcome["labels"].values())
    return [[name.replace("_", " "), *(_cell(each[name]) for each in columns)] for name in columns[0]]


def _cell(value: Any) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
