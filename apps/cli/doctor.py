"""What is configured, what is missing and how to get it. Everything is tried, not guessed."""

import asyncio
import importlib.util
import os
from collections.abc import Awaitable
from typing import Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text
from typing_extensions import TypedDict

from ...models import model_name, task
from ...models.local import servers
from ...models.local.catalogue import MODELS, first
from ...models.local.hub import is_here
from ...models.providers import embedded
from ...models.tasks.drafting import DRAFT
from ...state import EMBEDDED, Context, embedded_name
from ...state.errors import ConfigurationError, ErrataError
from ...state.runs.cache import cache_folder
from ...state.runs.chosen import chosen
from ...tools import scorer, search_tool
from .fetching import written
from .terminal import put

QUESTION = "What is the capital of France?"
Status = Literal["ok", "missing", "broken", "untried"]
REMOTE = {
    "tavily": "TAVILY_API_KEY",
    "google": "SERPER_API_KEY",
    "brave": "BRAVE_SEARCH_API_KEY",
    "duckduckgo": "",
    "wikipedia": "ERRATA_CONTACT",
    "searxng": "ERRATA_SEARXNG_URL",
    "arxiv": "",
    "pubmed": "",
}
"""Searches that use the network, and the variable that each needs."""
MARKS = {"ok": ("✓", "green"), "missing": ("–", "dim"), "broken": ("✗", "red"), "untried": ("?", "yellow")}
EXTRAS = {
    "local": ("xllamacpp", "language models in this process: GGUF files"),
    "serve": ("langserve", "errata serve"),
    "onnx": ("onnxruntime", "judges with an ONNX file: --set nli=DIR"),
    "nli": ("transformers", "judges with weights for torch: --set nli=DIR"),
    "evals": ("sacrebleu", "BLEU in `errata eval`"),
    "arxiv": ("arxiv", "--search arxiv"),
    "pubmed": ("xmltodict", "--search pubmed"),
    "duckduckgo": ("ddgs", "--search duckduckgo"),
    "office": ("docx2txt", ".docx, .pptx and .xlsx files in --sources"),
    "rank": ("sentence_transformers", "the cross_encoder backend of rank"),
    "seq2seq": ("transformers", "PURR's editor: --set editor_model=DIR"),
    "train": ("accelerate", "training that editor: `errata purr train`"),
    "mcp": ("mcp", "errata mcp"),
    "ray": ("ray", "errata batch --ray"),
}
"""The package that shows whether an extra is installed, and what it is for."""
Detail = tuple[Status, str]


class Checkup(TypedDict):
    """One thing that was examined.

    Its state is `missing` if it is not set up and nothing needs it by default, and `broken` if it is set up, or always
    needed, but does not work.
    """

    name: str
    status: Status
    detail: str


async def examine(*, offline: bool = False) -> list[Checkup]:
    """Examine every model, search and extra, all at once.

    Args:
        offline: Whether to try nothing that uses the network; what is configured for it is then `untried`.
    """
    return list(
        await asyncio.gather(
            _examined("chat model", _model(offline), needed=True),
            _examined("local models", _fetched(), needed=True),
            _examined("local servers", _servers(offline)),
            _examined("embedded model", _comes_along()),
            _examined("local search", _search(Context()), needed=True),
            _examined("drqa search", _search(Context(search="drqa"))),
            *(
                _examined(f"{name} search", _remote(name, variable, offline), set_up=bool(os.environ.get(variable)))
                for name, variable in REMOTE.items()
            ),
            _examined("moderation scorer", _score("moderation", "OPENAI_API_KEY", offline)),
            _examined("cache folder", _cache(), needed=True),
            *(_examined(f"extra `{extra}`", _extra(extra, *about)) for extra, about in EXTRAS.items()),
        )
    )


def show_checkups(console: Console, checkups: list[Checkup]) -> None:
    """Print what was examined as a table."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for checkup in checkups:
        mark, style = MARKS[checkup["status"]]
        table.add_row(Text(mark, style=style), Text(checkup["name"], style="bold"), Text(checkup["detail"]))
    put(console, table)
    put(console, Text("✓ works, – is not set up, ✗ is broken, ? was not tried. Only what is broken needs mending."))


async def _examined(name: str, attempt: Awaitable[Detail], *, needed: bool = False, set_up: bool = True) -> Checkup:
    """Try something.

    Args:
        name: The name of what is tried.
        attempt: Tries it.
        needed: Whether it is needed in every installation.
        set_up: Whether somebody has set it up, if it can be tried at all.
    """
    try:
        status, detail = await attempt
    except ConfigurationError as error:
        status, detail = "broken" if needed else "missing", str(error)
    except ErrataError as error:
        status, detail = "broken" if set_up else "missing", str(error)
    return {"name": name, "status": status, "detail": detail}


async def _draft(context: Context) -> Detail:
    answer = await task(context, DRAFT).ainvoke({"question": QUESTION})
    return "ok", f"{model_name(context)} answers: {' '.join(answer.text.split())[:80]}"


async def _comes_along() -> Detail:
    """The model that ships with errata, which is not the user's own: its answer is tried, but tells nobody anything."""
    context = Context(model=EMBEDDED)
    await task(context, DRAFT).ainvoke({"question": QUESTION})
    about = "it comes with errata, is tiny, and only drafts where no other model is given"
    return "ok", f"{model_name(context)} works: {about}"


async def _search(context: Context) -> Detail:
    tool = await asyncio.to_thread(search_tool, context)
    pages = await tool.search("When was the Eiffel Tower completed?", 1)
    return "ok", f"finds: {pages[0]['title']} ({pages[0]['source']})" if pages else "works, but found nothing"


async def _model(offline: bool) -> Detail:
    name = os.environ.get("ERRATA_MODEL") or ("openai:gpt-5-mini" if os.environ.get("OPENAI_API_KEY") else "")
    settings = {"model": name, "base_url": os.environ.get("ERRATA_BASE_URL")} if name else chosen()
    name = settings.get("model") or EMBEDDED
    if name == EMBEDDED:
        advice = "set OPENAI_API_KEY and give --model openai:gpt-5-mini, or --base-url for a server of your own"
        return "missing", f"none, so rules do the checking: {advice}"
    if (file := embedded_name(name)) is not None:
        await asyncio.to_thread(embedded.check, file)
        able = await asyncio.to_thread(embedded.is_able, file)
        return "ok", f"{embedded.title(file)}, in this process, {'drafts and corrects' if able else 'drafts only'}"
    if offline:
        return "untried", f"{name} is configured"
    return await _draft(Context(**{**settings, "retries": 0, "timeout": 30}))


async def _fetched() -> Detail:
    """Models of the list that are here. None has to be."""
    names = await asyncio.to_thread(lambda: [each.name for each in MODELS.values() if is_here(each)])
    if names:
        used = f"used by default: {written(settings)}" if (settings := chosen()) else "none is used by default"
        return "ok", f"{', '.join(names)}; {used}: choose one with `errata models use NAME`"
    writer, judge = first("writes"), first("judges")
    return "missing", (
        f"none. `errata models use {judge.name}` gets a judge, which decides more ({judge.size}), and "
        f"`errata models use {writer.name}` a model that corrects ({writer.size})"
    )


async def _servers(offline: bool) -> Detail:
    """Servers of language models on this machine, asked only here and by `errata models`."""
    if offline:
        return "untried", f"{' and '.join(servers.USUAL)} are not asked"
    if running := await asyncio.to_thread(servers.running):
        listed = "; ".join(f"{url} has {', '.join(names) or 'no model'}" for url, names in running.items())
        return "ok", f"{listed}: choose one with `errata models use URL`"
    return "missing", f"neither {' nor '.join(servers.USUAL)} answers"


async def _remote(search: str, variable: str, offline: bool) -> Detail:
    context = Context(search=search, retries=0, timeout=30, cache=False)
    if not offline:
        return await _search(context)
    await asyncio.to_thread(search_tool, context)
    return "untried", f"{variable} is set" if variable else "installed"


async def _score(name: str, variable: str, offline: bool) -> Detail:
    if offline and os.environ.get(variable):
        return "untried", f"{variable} is set"
    tool = await asyncio.to_thread(scorer, Context(toxicity=name, retries=0, timeout=30))
    toxicity = await tool.score("You are a fool.")
    return "ok", f"scores `You are a fool.` {toxicity['overall']:.2f}"


async def _cache() -> Detail:
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"{folder} cannot be created ({error.strerror}), so indexes and results are rebuilt every time: "
            "set ERRATA_CACHE_DIR to a writable folder"
        ) from None
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return "ok", f"{folder} ({size / 1_000_000:.1f} MB)"


async def _extra(extra: str, package: str, purpose: str) -> Detail:
    if importlib.util.find_spec(package):
        return "ok", f"installed, for {purpose}"
    return "missing", f"pip install 'langgraph-errata[{extra}]' adds it, for {purpose}"
