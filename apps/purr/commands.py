"""`errata purr`: make a training set, train an editor on it, and measure it."""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from ...state.errors import ConfigurationError, RunError
from ...state.text.segments import counted
from ..cli.options import FILE, FOLDER, Number, Whole, backend_option, input_argument, model_options, search_options
from ..cli.terminal import console, exact, say, tell
from .bar import bar, training_bar

if TYPE_CHECKING:
    from ...models.networks.training import Example
    from .rows import Row


@click.group()
def purr() -> None:
    """Make training pairs for PURR's editor, train it, evaluate it."""


@purr.command(short_help="Make rows to train an editor on.")
@click.option("--questions", type=FILE, metavar="FILE", help="Take these questions, one per line.")
@click.option("-o", "--output", type=FILE, required=True, metavar="OUT.jsonl", help="The file that rows are added to.")
@click.option("--limit", type=Whole(min=1), metavar="N", help="The most rows; by default one per question.")
@click.option("--seed", default=0, show_default=True, help="Another seed gives other corruptions.")
@click.option("--evidence", default=4, show_default=True, type=Whole(1, 12), help="Pieces of evidence per row.")
@click.option("--held-out", type=FILE, metavar="FILE.jsonl", help="Put the rows of every fifth document here instead.")
@backend_option
@search_options
@model_options
def corpus(
    questions: Path | None,
    output: Path,
    limit: int | None,
    seed: int,
    evidence: int,
    held_out: Path | None,
    backends: tuple[str, ...],
    more: tuple[str, ...],
    **options: Any,
) -> None:
    """Search, summarise the results, and corrupt the summaries: rows to train an editor on.

    Questions come from a file, or are asked about every sentence of --sources, or of the bundled corpus. Run it again
    to continue after a kill, or with a larger --limit: OUT.jsonl.replies keeps what a model has replied, so that no
    stage of a row is paid for twice. OUT.jsonl.recipe keeps rows that are made in another way out of OUT.jsonl.
    """
    from ...models import check_backends
    from ...state.runs.kept import written
    from ...tools import search_tool
    from ..batch.journal import binding
    from ..settings import make_context
    from .corpus import Recipe
    from .rows import Rows

    if held_out and held_out.resolve() == output.resolve():
        raise ConfigurationError(f"{output} gets all rows except the held-out ones: name another file for --held-out")
    context = make_context(options, backends, more)
    check_backends(context, ("queries", "rank", "summarise", "corrupt"))
    search_tool(context)
    recipe = Recipe(seed=seed, most=evidence)
    made_with = recipe.settings() | binding(written(context))
    targets = (
        Rows(output, {**made_with, "held_out": "elsewhere" if held_out else "none"}),
        Rows(held_out, {**made_with, "held_out": "here"}) if held_out else None,
    )
    documents = Path(context.sources) if context.sources else None
    new, missed = asyncio.run(_corpus(documents, questions, limit, recipe, targets, context))
    holds = f"{output} holds {len(targets[0].done)}"
    tell(Text(f"{counted(new, 'row')} made, {counted(missed.total(), 'question')} without one; {holds}"))
    for reason, times in missed.most_common(3):
        tell(Text(f"  {times} × {reason:.120}"))


async def _corpus(documents: Any, questions: Any, limit: int | None, recipe: Any, targets: Any, context: Any) -> Any:
    from ...state.runs.cache import Shelf
    from .corpus import MOST_MISSED, make_rows, number, questions_about, questions_of, texts_of
    from .rows import is_held_out

    rows, held_out = targets
    replies = Shelf(rows.path.with_name(f"{rows.path.name}.replies"))
    if questions:
        listed = questions_of(questions)
        random.Random(recipe.seed).shuffle(listed)
        others = listed
    else:
        others = texts_of(documents)
        listed = await questions_about(others, limit, recipe.seed, context, replies)
    seeds = (
        [(listed[place % len(listed)], place // len(listed)) for place in range(limit or len(listed))] if listed else []
    )
    done = rows.done | (held_out.done if held_out else set())
    remaining = [each for each in seeds if number(*each, recipe.seed) not in done]
    missed, in_a_row = Counter[str](), 0
    growing = held_out.growing() if held_out else nullcontext()
    with rows.growing(), growing, bar("rows", len(seeds), len(seeds) - len(remaining)) as advance:
        async for row in make_rows(remaining, others, recipe, context, replies):
            advance()
            if isinstance(row, str):
                missed[row] += 1
                in_a_row += 1
                if in_a_row >= MOST_MISSED:
                    raise RunError(f"{in_a_row} questions in a row gave no row; run it again to go on ({row})")
                continue
            in_a_row = 0
            target = held_out if held_out and is_held_out(row["source"]) else rows
            target.add(row)
    return len(remaining) - missed.total(), missed


@purr.command(short_help="Train an editor, or a question generator.")
@input_argument
@click.option("--held-out", type=FILE, metavar="FILE.jsonl", help="Rows to measure the loss on during training.")
@click.option("--model", required=True, metavar="DIR", help="Folder or id of an encoder-decoder to fine-tune.")
@click.option("-o", "--output", type=FOLDER, required=True, metavar="DIR", help="Where the trained model goes.")
@click.option(
    "--task", type=click.Choice(["edit", "questions"]), default="edit", show_default=True, help="What to train."
)
@click.option("--steps", type=Whole(min=1), default=1000, show_default=True, help="Training steps.")
@click.option("--batch", type=Whole(min=1), default=32, show_default=True, help="Rows in a batch.")
@click.option("--accumulate", type=Whole(min=1), default=1, show_default=True, help="Batches per step.")
@click.option(
    "--rate", type=Number(min=0, min_open=True), default=5e-5, show_default="5e-5, as FiD", help="Learning rate."
)
@click.option("--save-every", type=Whole(min=1), default=100, show_default=True, help="Save after this many steps.")
@click.option("--seed", default=0, show_default=True)
@click.option("--gradient-checkpointing", is_flag=True, help="Less memory, more time.")
def train(
    source: Path,
    held_out: Path | None,
    model: str,
    output: Path,
    task: str,
    save_every: int,
    **options: Any,
) -> None:
    """Train an editor (or a question generator) with Fusion-in-Decoder on the rows of INPUT (`errata purr corpus`).

    If it is interrupted, the same command continues it. For several GPUs:
    torchrun --nproc-per-node 2 --no-python errata purr train
    """
    from ...models.backends import SEQ2SEQ
    from ...models.networks import seq2seq, training
    from .rows import read_rows

    examples = _examples(read_rows(source), task)
    unseen = _examples(read_rows(held_out), task) if held_out else []
    recipe = training.Recipe(save_every=save_every, **options)
    if training.is_first():
        training.check(output, recipe, len(examples))
    SEQ2SEQ.check_network(model, "model")
    network = seq2seq.load(model)
    if not training.is_first():
        training.train(network, examples, unseen, output, recipe, lambda *figures: None)
        return
    weights = sum(part.numel() for part in network.model.parameters())
    tell(Text(f"{weights:,} weights, {counted(len(examples), 'example')}"))
    with training_bar(recipe.steps) as show:
        history = training.train(network, examples, unseen, output, recipe, show)
    if best := training.best_step(history):
        tell(Text(f"kept: step {best}, with the lowest held-out loss"))
    field = "editor_model" if task == "edit" else "question_model"
    tell(Text(f"trained; use it with --method purr --set {field}={output}"))


def _examples(rows: "Sequence[Row]", task: str) -> "list[Example]":
    from ...models.networks.seq2seq import SEPARATOR, asked_of, passages
    from ...models.networks.training import Example
    from .rows import pairs

    if task == "edit":
        return [Example(passages(row["text"], pairs(row)), row["clean"]) for row in rows]
    asking = [row for row in rows if row["queries"]]
    if not asking:
        raise ConfigurationError("no row has queries to learn from")
    return [Example([asked_of(row["text"], "")], f" {SEPARATOR} ".join(row["queries"])) for row in asking]


@purr.command(short_help="Measure an editor on rows that it has not seen.")
@input_argument
@click.option("--editor-model", metavar="DIR", help="Folder or id of the editor; without it, the rules only.")
@click.option("--limit", type=Whole(min=1), metavar="N", help="Use only the first rows.")
@click.option(
    "--model", metavar="NAME", help="A chat model for RARR's edits, as in openai:gpt-5-mini; otherwise the rules."
)
@click.option("--base-url", metavar="URL", help="The address of an OpenAI-compatible server.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one line of JSON.")
def evaluate(
    source: Path, editor_model: str | None, limit: int | None, model: str | None, base_url: str | None, as_json: bool
) -> None:
    """Measure an editor on rows that it has not seen (INPUT), next to RARR's serial edits and the rules."""
    from ...models import check_backends
    from ..settings import make_context
    from .evaluate import editors, measure, show_figures
    from .rows import read_rows

    rows = read_rows(source, limit)
    context = make_context({"editor_model": editor_model, "model": model, "base_url": base_url}, (), ())
    check_backends(context, ("agreement", "edit", *(["edit_all"] if editor_model else [])))
    with bar("items", 0) as advance:
        figures = asyncio.run(measure(rows, editors(context), context, advance))
    if as_json:
        say(exact(figures))
    else:
        show_figures(console(), figures)
