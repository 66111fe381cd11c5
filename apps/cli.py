"""The command line. Exit codes: 0 done, 1 something failed, or a program was found wrong, 2 bad usage, 130 Ctrl-C."""

import asyncio
import shlex
import sys
from functools import cache
from importlib.metadata import EntryPoint, distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from rich.text import Text

from ..graphs import METHODS, check_method
from ..state.errors import ConfigurationError, ErrataError
from .options import FILE, model_options, search_options, together
from .purr.commands import purr
from .start import INTERRUPTED
from .terminal import console, exact, put, say, streams

if TYPE_CHECKING:
    from ..state import Result
    from ..state.refcheck import RefCheckResult
    from .run import Run

# Everything else is imported by the command that needs it: `errata --help` should not wait for LangGraph.

EPILOG = (
    "Exit codes: 0 done (or paused for review), 1 something failed and left text unchecked or a result unwritten, or a "
    "program was found wrong (`solve`), 2 bad usage, 130 ended by Ctrl-C."
)

result_options = together(
    click.option("--report", type=FILE, metavar="FILE.html", help="Write a report to look at in a browser."),
    click.option("--json", "as_json", is_flag=True, help="Print the whole result as one JSON object."),
)
"""What is done with a result."""

run_options = together(
    model_options,
    click.option("--max-calls", type=int, metavar="N", help="Stop after N model calls with the best text so far."),
    click.option("--make", "makes", metavar="TASK=MAKE", multiple=True, help="Who thinks, as in agreement=lexical."),
    click.option("--checkpoint", type=FILE, metavar="FILE.sqlite", help="Keep the run, for `errata resume`."),
    result_options,
)
"""How any method is run."""

consistency_options = together(
    click.option("--threshold", "consistency_threshold", type=float, metavar="X", help="Verify below X (default n/2)."),
    click.option("--consistency", metavar="HOW", help="How samples are weighed: count (default) or probability."),
    click.option("--chain", is_flag=True, default=None, help="Verify sentence after sentence instead of all at once."),
    click.option("--claim", is_flag=True, default=None, help="It is a claim to judge, and not a question."),
)
"""How a method that samples chains of thought is run."""

research_options = together(
    click.option("--method", default="rarr", show_default=True, help="The method; see `errata methods`."),
    search_options,
    click.option("--rounds", type=int, metavar="N", help="Corrections at most, for a method with rounds."),
    click.option("--no-tools", "use_tools", flag_value=False, default=None, help="Let the critic judge on its own."),
    click.option("--gating", metavar="HOW", help="serial or speculative (default); the text comes out the same."),
    click.option("--max-evidence", type=int, metavar="N", help="Pieces of evidence per question (default 1)."),
    click.option("--review", is_flag=True, default=None, help="Ask before each edit."),
    run_options,
)
"""How a method that researches is run."""

loop_options = together(
    click.option("--rounds", type=int, metavar="N", help="Corrections at most (default 4)."),
    click.option("--no-tools", "use_tools", flag_value=False, default=None, help="Let the critic judge on its own."),
    run_options,
)
"""How a method that corrects in rounds is run."""


class Commands(click.Group):
    """The commands of this file, and those that pyproject.toml names as `errata.commands`, loaded when asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *_more_commands()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        more = _more_commands()
        return more[cmd_name].load() if cmd_name in more else super().get_command(ctx, cmd_name)


HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(cls=Commands, epilog=EPILOG, context_settings=HELP)
@click.version_option(package_name="errata")
def cli() -> None:
    """Check what a language model said, with tools, and correct it."""


cli.add_command(purr)


@cli.command()
@click.argument("text", required=False)
@click.option("--file", type=FILE, help="Read the text from a file.")
@click.option("--question", default="", help="The question that the text answers, for context.")
@research_options
def correct(text: str | None, file: Path | None, question: str, **options: Any) -> None:
    """Check TEXT (or - for standard input) against evidence, and correct what the evidence contradicts."""
    from .settings import check_program, read_text

    graph_input = {"text": read_text(text, file, sys.stdin.buffer), "question": question}
    if options["method"] == "critic_program":
        check_program(graph_input["text"])
    run(graph_input, **options)


@cli.command()
@click.argument("question")
@click.option("--draft", metavar="HOW", help="direct, cot, self_consistency or react; by default as the method does.")
@click.option("--samples", type=int, metavar="N", help="Chains of thought to vote or to compare (default 5).")
@click.option("--paragraphs", type=FILE, help="Search the paragraphs of this file, with blank lines between them.")
@consistency_options
@research_options
def ask(question: str, paragraphs: Path | None, **options: Any) -> None:
    """Draft an answer to QUESTION with the model, then check and correct it."""
    from .settings import read_paragraphs

    if not question.strip():
        raise ConfigurationError("the question is empty: ask something")
    graph_input: dict[str, Any] = {"question": question}
    if paragraphs:
        if options["method"] != "verify_and_edit":
            raise ConfigurationError("--paragraphs goes with --method verify_and_edit")
        graph_input["paragraphs"] = read_paragraphs(paragraphs)
        options["search"] = options["search"] or "dataset"
    run(graph_input, **options)


@cli.command()
@click.argument("response", required=False)
@click.option("--file", type=FILE, help="Read the response from a file.")
@click.option("--question", default="", help="The question that it answers; alone, an answer is drafted.")
@click.option("--reference", "references", type=FILE, multiple=True, help="Check against this file. Without, search.")
@click.option("--input", "rows", type=FILE, metavar="FILE.jsonl", help="Check many: a JSON object a line; - for stdin.")
@click.option("--output", type=FILE, metavar="FILE.jsonl", help="Where their results go (default: standard output).")
@click.option("--picture", type=FILE, metavar="FILE.svg", help="Draw what each group of them comes to.")
@search_options
@run_options
def check(
    response: str | None,
    file: Path | None,
    question: str,
    references: tuple[Path, ...],
    rows: Path | None,
    output: Path | None,
    picture: Path | None,
    **options: Any,
) -> None:
    """Take RESPONSE (or - for standard input) apart into claims, and check each against the references.

    With --input, many responses: {"id", "response", "question", "references", "group"}, all but response optional.
    """
    from .settings import read_reference, read_text

    if rows:
        if response or file or question or references or options["report"] or options["checkpoint"]:
            raise ConfigurationError("--input takes everything from its rows: leave out what is for one response")
        check_many(rows, output, picture, **options)
    if output or picture:
        raise ConfigurationError("--output and --picture go with --input FILE.jsonl")
    graph_input: dict[str, Any] = {"question": question, "references": [read_reference(file) for file in references]}
    if response is not None or file or not question.strip():
        graph_input["text"] = read_text(response, file, sys.stdin.buffer)
    run(graph_input, method="refchecker", **options)


@cli.command()
@click.argument("problem", default="")
@click.option("--program", type=FILE, help="Check this program instead of writing one.")
@loop_options
def solve(problem: str, program: Path | None, **options: Any) -> None:
    """Solve PROBLEM with a program: write it, run it, critique it, correct it.

    With --program and no --model, the program is run and checked, and not changed. It puts its result into the
    variable `answer`. The exit code is 1 if there is no answer, or if the last critique found the program wrong.
    """
    from .settings import read_text

    graph_input = {"question": problem}
    if program:
        graph_input["text"] = read_text(None, program, sys.stdin.buffer)
        if options["model"] is None and options["rounds"] is None:
            options["rounds"] = 0
    elif not problem.strip():
        raise ConfigurationError("give a problem to solve, or --program FILE to check")
    run(graph_input, method="critic_program", **options)


@cli.command()
@click.argument("text", required=False)
@click.option("--file", type=FILE, help="Read the text from a file.")
@click.option("--scorer", "toxicity", metavar="NAME", help="profanity (default), perspective, moderation or detoxify.")
@loop_options
def detoxify(text: str | None, file: Path | None, **options: Any) -> None:
    """Score how toxic TEXT is (or - for standard input), and rewrite it until it is clean."""
    from .settings import read_text

    run({"text": read_text(text, file, sys.stdin.buffer)}, method="critic_toxicity", **options)


@cli.command()
@search_options
@model_options
@click.option("--rounds", type=int, metavar="N", help="Further tries after a response that scores low (default 1).")
@click.option("--max-calls", type=int, metavar="N", help="Model calls at most for one response.")
@click.option("--make", "makes", metavar="TASK=MAKE", multiple=True, help="Who thinks, as in respond=lexical.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each response.")
def chat(makes: tuple[str, ...], more: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Talk with the model about your sources: each response is written from evidence and scored.

    Reads one message per line where standard input is no terminal.
    """
    from .settings import make_context

    context = make_context(options, makes, more)
    from .chat import chat as converse

    sys.exit(0 if converse(context, as_json=as_json) else 1)


@cli.command()
@click.option("--checkpoint", type=FILE, required=True, metavar="FILE.sqlite", help="What --checkpoint named.")
@click.option("--thread", default="", metavar="NAME", help="Which run of the file (default: the last).")
@result_options
def resume(checkpoint: Path, thread: str, report: Path | None, as_json: bool) -> None:
    """Go on with a run that was paused for review, or that was killed."""
    from .progress import Progress
    from .run import Run, last_thread

    check_writable(report)
    thread, method, context = asyncio.run(last_thread(checkpoint, thread))
    with Progress(console(stderr=True)) as progress:
        going_on = Run(method, context, progress, reviewer(), checkpoint, thread)
        result = asyncio.run(going_on.resume())
    finish(going_on, result, report, as_json)


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print them as a JSON object.")
def methods(as_json: bool) -> None:
    """List the methods."""
    if as_json:
        say(exact(METHODS, indent=2))
        return
    for name, line in METHODS.items():
        put(console(), Text.assemble((name, "bold"), f"  {line}"))


@cli.command()
@click.argument("method")
def graph(method: str) -> None:
    """Print a METHOD's state machine as Mermaid."""
    from ..graphs import load

    say(load(method).get_graph().draw_mermaid())


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print them as a JSON schema.")
def settings(as_json: bool) -> None:
    """List every setting of a run, for --set and for `context={...}` in Python."""
    from ..state import Context

    if as_json:
        say(exact(Context.model_json_schema(), indent=2))
        return
    for name, field in Context.model_fields.items():
        default = field.get_default(call_default_factory=True)
        put(console(), Text.assemble((name, "bold"), f" = {default}\n    {field.description}"))


@cli.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Other than loopback only with a key.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535))
@click.option("--api-key", envvar="ERRATA_API_KEY", help="Require this key on every route.")
@search_options
@model_options
def serve(host: str, port: int, api_key: str | None, more: tuple[str, ...], **options: Any) -> None:
    """Serve every method with LangServe, with these settings as defaults."""
    from .run import check
    from .server import serve as run_server
    from .settings import make_context

    context = make_context(options, (), more)
    check("rarr", context, drafting=False)  # what other methods need beside, requests are told
    run_server(host=host, port=port, defaults=context, api_key=api_key)


@cli.command()
@click.option("--offline", is_flag=True, help="Try nothing that costs money or needs the network.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as a JSON list.")
def doctor(offline: bool, as_json: bool) -> None:
    """Say what is configured, what is missing and how to get it; try each."""
    from .doctor import examine, show_findings

    findings = asyncio.run(examine(offline=offline))
    if as_json:
        say(exact(findings, indent=2))
    else:
        show_findings(console(), findings)
    if any(finding["status"] == "broken" for finding in findings):
        sys.exit(1)


@cache
def _more_commands() -> dict[str, EntryPoint]:
    """Commands that stand in files, or in rooms above this one, of their own."""
    ours = distribution("errata").entry_points.select(group="errata.commands")
    return {command.name: command for command in ours}


def main() -> None:
    """Run the command line. What a person can mend is one line on standard error, and exit code 2."""
    with streams():
        sys.exit(_exit_code())


def _exit_code() -> int:
    try:
        code: int | None = cli(standalone_mode=False)
        return code or 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        used = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "errata"
        complain(f"{error.format_message()} Try '{used} --help' for help.")
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except ErrataError as error:
        complain(str(error))
        return 2 if isinstance(error, ConfigurationError) else 1


def complain(problem: str) -> None:
    """Say in one line what went wrong."""
    tell(Text.assemble(("errata: ", "red"), " ".join(problem.split())))


def tell(line: Text) -> None:
    """Say a line beside the result, which has standard output to itself."""
    console(stderr=True).print(line, soft_wrap=True)


def run(
    graph_input: dict[str, Any],
    *,
    method: str,
    makes: tuple[str, ...],
    more: tuple[str, ...],
    checkpoint: Path | None,
    report: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Run a method on an input, and finish with its result. `options` are fields of the Context."""
    check_method(method)
    check_writable(report)
    from .progress import Progress
    from .settings import check_words, make_context

    check_words(graph_input)

    context = make_context(options, makes, more)
    if context.review and not reviewer() and not checkpoint:
        raise ConfigurationError("--review asks in a terminal: run it in one, or add --checkpoint FILE to resume later")
    with Progress(console(stderr=True)) as progress:
        from .run import Run  # and with it LangGraph, which takes a second: under the eyes of the progress line

        this = Run(method, context, progress, reviewer(), checkpoint)
        result = asyncio.run(this.start(graph_input))
    finish(this, result, report, as_json)


def check_many(
    rows: Path,
    output: Path | None,
    picture: Path | None,
    *,
    makes: tuple[str, ...],
    more: tuple[str, ...],
    as_json: bool,
    report: None,
    checkpoint: None,
    **options: Any,
) -> None:
    """Check every row of a file, and leave with the exit code. The results go to standard output or to a file."""
    for option, path in (("--output", output), ("--picture", picture)):
        check_writable(path, option)
        if path and path.exists() and rows.exists() and path.samefile(rows):
            raise ConfigurationError(f"{path} is the input: name another file to write to")
    from .many import check_all, opened, write_rows
    from .progress import Progress
    from .settings import make_context

    context = make_context(options, makes, more)
    with opened(rows) as lines, Progress(console(stderr=True)) as progress:
        from .macro import draw_to, table
        from .run import check as check_settings

        check_settings("refchecker", context, drafting=False)
        with write_rows(output) as emit:
            groups = asyncio.run(check_all(lines, context, emit, progress))
    beside = console(stderr=output is None)  # of the rows, if they went to standard output
    if as_json:
        beside.print(Text(exact(groups, indent=2)), soft_wrap=True)
    else:
        put(beside, table(groups))
    if picture:
        draw_to(picture, groups)
    sys.exit(1 if any(average["errors"] for average in groups.values()) else 0)


def finish(run: "Run", result: "Result | None", report: Path | None, as_json: bool) -> None:
    """Show or print the result, write the report, and leave with the exit code."""
    go_on = f"errata resume --checkpoint {shlex.quote(str(run.checkpoint))} --thread {run.thread}"
    if result is None:
        tell(Text(f"The run waits for review. Go on with: {go_on}"))
        return
    try:
        print_result(run, result, as_json)
    finally:  # each has to come out even if the other cannot
        if report:
            from .report import write

            write(result, report, method=run.method, question=run.question, settings=run.changed_settings())
            tell(Text(f"Report: {report}"))
    if run.interrupted:
        if run.checkpoint:
            tell(Text(f"The run was broken off. Go on with: {go_on}"))
        sys.exit(INTERRUPTED)
    sys.exit(1 if result["stopped"] == "error" or found_wrong(run, result) else 0)


def print_result(run: "Run", result: "Result", as_json: bool) -> None:
    """Print the result on standard output."""
    if as_json:
        say(exact(result, indent=2))
    elif "claims" in result:
        from .claims import show_claims

        show_claims(console(), cast("RefCheckResult", result), drafted=run.drafted)
    else:
        from .show import show

        show(console(), result, drafted=run.drafted)


def found_wrong(run: "Run", result: "Result") -> bool:
    """Whether a program comes to no answer, or to one that the last critique found wrong."""
    if run.method != "critic_program":
        return False
    last = result["verdicts"][-1]["label"] if result["verdicts"] else ""
    return not result.get("answer") or last == "contradiction"


def reviewer() -> Any:
    """Who reviews edits: the person at the terminal, if there is one."""
    from .review import ask_person

    return ask_person if sys.stdin.isatty() and sys.stderr.isatty() else None


def check_writable(file: Path | None, option: str = "--report") -> None:
    """Raise ConfigurationError before the work if a file could not be written after it."""
    if file and (file.is_dir() or not file.parent.is_dir()):
        raise ConfigurationError(f"{option} {file}: name a file in a folder that exists")
