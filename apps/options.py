"""Options that several commands take."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


class FileName(click.Path):
    """A path to a file. An empty one, which a shell makes of an unset variable, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("it is empty: name a file", param, ctx)
        return super().convert(value, param, ctx)


FILE = FileName(path_type=Path, dir_okay=False)

Command = Callable[..., None]


def together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Options that several commands take, as one decorator."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


search_options = together(
    click.option("--sources", metavar="DIR", help="Search this folder of .txt, .md, .html and .pdf files."),
    click.option(
        "--search",
        metavar="NAME",
        envvar="ERRATA_SEARCH",
        help="local (default), drqa, tavily, google, wikipedia, searxng.",
    ),
)
"""Where evidence comes from."""

model_options = together(
    click.option(
        "--model", metavar="NAME", envvar="ERRATA_MODEL", help="embedded (default), or as in openai:gpt-5-mini."
    ),
    click.option("--base-url", metavar="URL", envvar="ERRATA_BASE_URL", help="An OpenAI-compatible server."),
    click.option("--set", "more", metavar="FIELD=VALUE", multiple=True, help="Any setting; see `errata settings`."),
)
"""Who thinks, and how."""
