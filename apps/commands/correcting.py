"""Commands that run a method on one input, and the one that continues a run."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import click

from ...graphs import default_method
from ...state.errors import ConfigurationError
from ..cli.delivery import Delivery
from ..cli.options import (
    FILE,
    consistency_options,
    fail_on_option,
    in_place_option,
    loop_options,
    many_sources_option,
    research_options,
    result_options,
    sources_option,
    text_options,
)
from ..cli.terminal import console
from .running import finish, run


@click.command(short_help="Check a text, and correct it.")
@click.argument("text", required=False)
@click.option("--file", type=FILE, help="Read the text from a file of any kind that --sources reads.")
@in_place_option
@click.option("--question", default="", help="The question that the text answers, for context.")
@many_sources_option
@click.option(
    "--method",
    metavar="NAME",
    help="rarr (default), ground (default with --sources FILE), or another of `errata methods`.",
)
@research_options
def correct(
    text: str | None, file: Path | None, question: str, sources: tuple[str, ...], method: str | None, **options: Any
) -> None:
    """Check TEXT (or - for standard input) against evidence, and correct what the evidence contradicts."""
    from ..settings import named_sources, read_text

    references, folder = named_sources(sources, method)
    graph_input: dict[str, Any] = {"text": read_text(text, file, sys.stdin.buffer), "question": question}
    if references:
        graph_input["references"] = references
    method = method or default_method(bool(references) or _corrects(options["model"]))
    run(graph_input, method=method, file=file, sources=folder, **options)


def _corrects(model: str | None) -> bool:
    """Whether the model, or the one that was chosen for good, is one in this process that puts texts right."""
    from ...state import embedded_name
    from ...state.runs.chosen import with_chosen

    name = embedded_name(with_chosen({"model": model} if model else {}).get("model"))
    if not name:
        return False
    from ...models.providers.embedded import is_able

    return is_able(name)


@click.command(short_help="Answer a question, then check and correct the answer.")
@click.argument("question")
@click.option(
    "--draft", metavar="HOW", help="direct, cot, self_consistency or react; the default depends on the method."
)
@click.option("--samples", type=int, metavar="N", help="Chains of thought to vote or to compare (default 5).")
@sources_option
@consistency_options
@click.option("--method", metavar="NAME", help="rarr (default), or another of `errata methods`.")
@research_options
def ask(question: str, method: str | None, **options: Any) -> None:
    """Draft an answer to QUESTION with the model, then check and correct it."""
    if not question.strip():
        raise ConfigurationError("the question is empty: ask something")
    run({"question": question}, method=method or "rarr", **options)


@click.command(short_help="Write, run and correct a program, or check yours.")
@click.argument("problem", required=False)
@click.option("--program", type=FILE, help="Check this program instead of writing one.")
@loop_options
def solve(problem: str | None, program: Path | None, **options: Any) -> None:
    """Solve PROBLEM with a program: write it, run it, critique it, correct it.

    Writing needs a model. With --program and no --model, the program is run and checked but not changed. It must put
    its result into the variable `answer`. The exit code is 1 if there is no answer, or if the last critique found the
    program wrong.
    """
    from ..settings import read_text

    if problem is None and not program:
        raise ConfigurationError("give a problem to solve, or --program FILE to check")
    if problem is not None and not problem.strip():
        raise ConfigurationError("the problem is empty: say what to solve")
    graph_input = {"question": problem or ""}
    if program:
        graph_input["text"] = read_text(None, program, sys.stdin.buffer)
        if options["model"] is None and options["rounds"] is None:
            options["rounds"] = 0
    run(graph_input, method="critic_program", file=program, **options)


@click.command(short_help="Rewrite a text until it is no longer toxic.")
@click.argument("text", required=False)
@click.option("--file", type=FILE, help="Read the text from a file of any kind that --sources reads.")
@in_place_option
@click.option("--scorer", "toxicity", metavar="NAME", help="profanity (default), perspective, moderation or detoxify.")
@loop_options
def detoxify(text: str | None, file: Path | None, **options: Any) -> None:
    """Score how toxic TEXT is (or - for standard input), and rewrite it until it is clean."""
    from ..settings import read_text

    run({"text": read_text(text, file, sys.stdin.buffer)}, method="critic_toxicity", file=file, **options)


@click.command()
@click.option("--checkpoint", type=FILE, required=True, metavar="FILE.sqlite", help="The file given with --checkpoint.")
@click.option("--thread", default="", metavar="NAME", help="Which run of the file (default: the last).")
@click.option("--set", "more", metavar="FIELD=VALUE", multiple=True, help="A setting that the file does not store.")
@fail_on_option("unresolved", "contradiction", "unsupported", "never")
@text_options
@result_options
def resume(checkpoint: Path, thread: str, more: tuple[str, ...], **delivery_options: Any) -> None:
    """Continue a run that was paused for review or killed.

    It keeps its original settings, except addresses that contain a password or a key: give those again.
    """
    from ..checkpoint import last_thread
    from ..cli.review import reviewer
    from ..progress import Progress
    from ..run import Run
    from ..settings import make_context

    delivery = Delivery(**delivery_options)
    delivery.check()
    thread, method, context = asyncio.run(last_thread(checkpoint, thread, make_context({}, (), more)))
    with Progress(console(stderr=True, quiet=delivery.quiet)) as progress:
        going_on = Run(method, context, progress, reviewer(), checkpoint, thread)
        result = asyncio.run(going_on.resume())
    finish(going_on, result, delivery)
