"""What stands behind `errata models`: the list for people, fetching with a progress bar, and what a choice sets."""

from pathlib import Path
from typing import Any

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.text import Text

from ...models.local import catalogue, hub, servers
from ...models.local.catalogue import Model
from ...models.providers import embedded
from ...state.errors import ConfigurationError
from ...state.runs.chosen import JUDGE, WRITER, chosen
from .terminal import console, put

FIELDS = ("name", "kind", "repository", "revision", "files", "megabytes", "licence", "languages", "about", "tried")


def show_models() -> None:
    """Print the list, the servers that run here, and what is chosen."""
    out = console()
    for kind, about in catalogue.KINDS.items():
        put(out, Text(about[:1].upper() + about[1:], style="bold"))
        for each in catalogue.MODELS.values():
            if each.kind == kind:
                put(out, _line(each))
    for base_url, names in servers.running().items():
        put(out, Text.assemble(("Running  ", "bold"), f"{base_url}: {', '.join(names) or 'no model'}"))
    if settings := chosen():
        put(out, Text.assemble(("Chosen   ", "bold"), written(settings)))
    put(out, Text("✓ marks those on this machine. Of each kind, begin with the first."))
    put(out, Text("To fetch a model and use it by default: errata models use NAME"))


def listed() -> list[dict[str, Any]]:
    """The models of the list, JSON-like."""
    models = catalogue.MODELS.values()
    return [{name: getattr(each, name) for name in FIELDS} | {"here": hub.is_here(each)} for each in models]


def written(settings: dict[str, Any]) -> str:
    """Settings in a line."""
    return ", ".join(f"{name}={value}" for name, value in settings.items())


def _line(model: Model) -> Text:
    mark = ("✓ ", "green") if hub.is_here(model) else "  "
    about = model.about if model.tried else f"{model.about} (not tried with errata)"
    facts = f"  {model.size}, {model.licence}, {model.languages}\n    {about}"
    return Text.assemble(mark, (model.name, "bold"), facts)


def fetch(model: Model) -> None:
    """Fetch what is missing of a model, under a progress bar."""
    beside = console(stderr=True)
    if not hub.is_here(model):
        description = f"{model.repository} ({model.size}, {model.licence})"
        beside.print(Text(f"Fetching {description} to {hub.folder(model)}"), soft_wrap=True)
    bar = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*bar, TimeRemainingColumn(), console=beside, disable=not beside.is_terminal) as progress:
        for path, pinned in model.files.items():
            job = progress.add_task(path, total=None)

            def advance(received: int, size: int, job: Any = job) -> None:
                progress.update(job, advance=received, total=size)

            checksum = hub.fetch(model, path, advance)
            progress.update(job, visible=False)
            if checksum and not pinned:
                beside.print(Text(f"{path}: SHA-256 {checksum}", style="dim"), soft_wrap=True)


def selected(choice: str, served: str | None) -> tuple[tuple[str, ...], dict[str, Any]]:
    """What choosing a model sets, and of which kind that is.

    Args:
        choice: A name of the list, which is fetched if need be; a GGUF file; or the URL of a server.
        served: Which of the server's models.

    Raises:
        ConfigurationError: If there is no such model.
    """
    if "://" in choice:
        return WRITER, _of_server(choice, served)
    path = Path(choice).expanduser()
    if path.is_file() or path.suffix == ".gguf":
        name = str(path.resolve())
    else:
        name = choice
        model = catalogue.model(choice)
        if model.kind == "writes":
            embedded.check_runtime()  # before a gigabyte is fetched
        fetch(model)
        if model.kind != "writes":
            labels = {"nli_labels": model.labels} if model.labels else {}
            return JUDGE, {"nli": str(hub.path_of(model)), **labels}
    embedded.check(name)
    return WRITER, {"model": f"embedded:{name}"}


def _of_server(address: str, name: str | None) -> dict[str, Any]:
    base_url = servers.endpoint(address)
    names = servers.served(base_url)
    if name is None and len(names) == 1:
        (name,) = names
    if name not in names:
        wrong = f"serves {', '.join(names)}: choose one with --served NAME" if names else "serves no model"
        raise ConfigurationError(f"{base_url} {wrong}")
    return {"model": f"openai:{name}", "base_url": base_url, "send_key": False}
