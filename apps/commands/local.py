"""`errata models`: models for this machine, fetched when they are asked for, and chosen for good."""

import click
from rich.text import Text

from ...state.errors import ConfigurationError
from ..cli.terminal import exact, say, tell


@click.group(short_help="List, fetch and choose models for this machine.")
def models() -> None:
    """Models that run on this machine: list them, fetch them, choose one for good."""


@models.command("list", short_help="List public models, and what is on this machine.")
@click.option("--json", "as_json", is_flag=True, help="Print them as a JSON list.")
def list_models(as_json: bool) -> None:
    """List good public models, those that were fetched, and servers that run on this machine."""
    from ..cli.fetching import listed, show_models

    if as_json:
        say(exact(listed(), indent=2))
    else:
        show_models()


@models.command()
@click.argument("name")
def get(name: str) -> None:
    """Fetch the model NAME from the Hugging Face hub. If the download breaks off, the same command continues it."""
    from ...models.local import catalogue, hub
    from ..cli.fetching import fetch

    model = catalogue.model(name)
    fetch(model)
    say(str(hub.path_of(model)))
    tell(Text(f"To use it by default: errata models use {name}"))


@models.command()
@click.argument("name")
def path(name: str) -> None:
    """Print the file of the model NAME, or the folder of a judge."""
    from ...models.local import catalogue, hub

    say(str(hub.path_of(catalogue.model(name))))


@models.command(short_help="Fetch a model or judge, and use it by default.")
@click.argument("what", metavar="NAME | FILE.gguf | URL | none")
@click.option("--served", metavar="NAME", help="Which of a server's models.")
def use(what: str, served: str | None) -> None:
    """Set the model or judge that commands use by default; a listed one is fetched first.

    A server's URL is as in http://127.0.0.1:11434 (Ollama). `none` forgets what was chosen.
    """
    from ...state.runs.chosen import JUDGE, WRITER, choose
    from ..cli.fetching import selected, written

    if served and "://" not in what:
        raise ConfigurationError("--served goes with the URL of a server")
    if what == "none":
        choose(WRITER, {})
        tell(Text(f"No model is chosen now ({choose(JUDGE, {})})"))
        return
    kind, settings = selected(what, served)
    file = choose(kind, settings)
    tell(Text(f"From now on, where a command names nothing else: {written(settings)} ({file})"))
