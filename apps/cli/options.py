"""Options that several commands take."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


class FileName(click.Path):
    """A path to a file. An empty path, which a shell makes from an unset variable, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert the path as usual, unless it is empty."""
        if value == "":
            self.fail("it is empty: name a file", param, ctx)
        return super().convert(value, param, ctx)


class Whole(click.IntRange):
    """A whole number in a range."""

    name = "integer"


class Number(click.FloatRange):
    """A number in a range."""

    name = "number"


FILE = FileName(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)

Command = Callable[..., None]


def together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Combine options that several commands take into one decorator."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


rounds_option = click.option(
    "--rounds", type=int, metavar="N", help="Maximum number of corrections, for methods with rounds."
)
no_tools_option = click.option(
    "--no-tools", "use_tools", flag_value=False, default=None, help="Let the critic judge without tools."
)
backend_option = click.option(
    "--backend",
    "backends",
    metavar="TASK=BACKEND",
    multiple=True,
    help="Choose a task's backend, as in agreement=rules.",
)

KINDS = ".txt, .md, .html, .pdf, .csv, .tsv, .docx, .pptx or .xlsx"

sources_option = click.option("--sources", metavar="PATH", help=f"Search this folder, or this file: {KINDS}.")
many_sources_option = click.option(
    "--sources",
    metavar="PATH",
    multiple=True,
    help=f"Compare with this file (repeatable), or search this folder: {KINDS}.",
)
search_option = click.option(
    "--search",
    metavar="NAME",
    envvar="ERRATA_SEARCH",
    help="Where to search: local (default), drqa, tavily, google, brave, duckduckgo, wikipedia, searxng, arxiv or "
    "pubmed.",
)
search_options = together(sources_option, search_option)
"""Where evidence comes from."""

input_argument = click.argument("source", metavar="INPUT", type=FILE)
optional_input_argument = click.argument("source", metavar="[INPUT]", required=False, type=FileName(path_type=Path))

model_options = together(
    click.option(
        "--model",
        metavar="NAME",
        envvar="ERRATA_MODEL",
        help="A chat model, as in openai:gpt-5-mini; embedded:FILE.gguf; or embedded (default).",
    ),
    click.option(
        "--base-url", metavar="URL", envvar="ERRATA_BASE_URL", help="The address of an OpenAI-compatible server."
    ),
    click.option("--set", "more", metavar="FIELD=VALUE", multiple=True, help="Any setting; see `errata settings`."),
)
"""Which model to use, and how."""

result_options = together(
    click.option("--report", type=FILE, metavar="FILE.html", help="Write an HTML report."),
    click.option("--json", "as_json", is_flag=True, help="Print the whole result as one JSON object."),
)
"""What to do with a result."""

text_options = together(
    click.option("-q", "--quiet", is_flag=True, help="Print only the text; with -o or --in-place, nothing."),
    click.option("-o", "--output", type=FILE, metavar="FILE", help="Write the text to a file."),
    click.option("--diff", is_flag=True, help="Print the changes as a unified diff."),
)
"""What to do with the text of a result."""

in_place_option = click.option("--in-place", is_flag=True, help="Write the text back to the --file it came from.")


def fail_on_option(*choices: str) -> Callable[[Command], Command]:
    """Make the option that decides when the exit code is 3. The first choice is the default."""
    return click.option(
        "--fail-on",
        type=click.Choice(choices),
        default=choices[0],
        show_default=True,
        help="When to end with exit code 3.",
    )


run_options = together(
    model_options,
    click.option("--max-calls", type=int, metavar="N", help="Stop after N model calls with the best text so far."),
    backend_option,
    click.option("--checkpoint", type=FILE, metavar="FILE.sqlite", help="Store the run, for `errata resume`."),
    result_options,
)
"""How any method is run."""

consistency_options = together(
    click.option(
        "--consistency-threshold",
        type=float,
        metavar="X",
        help="Verify an answer whose consistency is below X (default n/2).",
    ),
    click.option("--consistency", metavar="HOW", help="How samples are weighed: auto (default), count or probability."),
    click.option("--chain/--no-chain", default=None, help="Verify sentences one by one (default), or all at once."),
    click.option("--claim", is_flag=True, default=None, help="QUESTION is a claim to judge."),
)
"""How methods that sample chains of thought are run."""

research_options = together(
    search_option,
    rounds_option,
    no_tools_option,
    click.option("--gating", metavar="HOW", help="How checks are scheduled: speculative (default), serial or joint."),
    click.option("--max-evidence", type=int, metavar="N", help="Pieces of evidence per question (default 1)."),
    click.option("--review", is_flag=True, default=None, help="Ask before each edit."),
    fail_on_option("unresolved", "contradiction", "unsupported", "never"),
    text_options,
    run_options,
)
"""How methods that research are run."""

loop_options = together(
    click.option("--rounds", type=int, metavar="N", help="Maximum number of corrections (default 4)."),
    no_tools_option,
    click.option("--review", is_flag=True, default=None, help="Ask before each correction."),
    text_options,
    run_options,
)
"""How methods that correct in rounds are run."""
