"""What is configured, what is missing and how to get it. Everything is tried, not guessed."""

import asyncio
import importlib.util
import os
from collections.abc import Awaitable, Callable
from typing import Any, Literal

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


class Finding(TypedDict):
    """One thing that was examined.

    Its state is `missing` if it is not set up and nothing needs it by default, and `broken` if it is set up, or always
    needed, but does not work.
    """

    name: str
    status: Status
    detail: str


async def examine(*, offline: bool = False) -> list[Finding]:
    """Examine every model, search and extra, all at once.

    Args:
        offline: Whether to try nothing that uses the network; what is configured for it is then `untried`.
    """
    return list(
        await asyncio.gather(
            _chosen("chat model", _model(offline)),
            _chosen("local models", _fetched()),
            _servers(offline),
            _try("embedded model", _comes_along, needed=False),
            _try("local search", _search, Context(), needed=True),
            _try("drqa search", _search, Context(search="drqa"), needed=False),
            *(_remote(name, variable, offline) for name, variable in REMOTE.items()),
            _scorer("perspective", "PERSPECTIVE_API_KEY", offline),
            _scorer("moderation", "OPENAI_API_KEY", offline),
            _try("cache folder", _cache, needed=True),
            _extra("local", "xllamacpp", "language models in this process: GGUF files"),
            _extra("serve", "langserve", "errata serve"),
            _extra("onnx", "onnxruntime", "judges with an ONNX file: --set nli=DIR"),
            _extra("nli", "transformers", "judges with weights for torch: --set nli=DIR"),
            _extra("distill", "onnxscript", "errata distill"),
            _extra("evals", "sacrebleu", "BLEU in `errata eval`"),
            _extra("arxiv", "arxiv", "--search arxiv"),
            _extra("pubmed", "xmltodict", "--search pubmed"),
            _extra("duckduckgo", "ddgs", "--search duckduckgo"),
            _extra("office", "docx2txt", ".docx, .pptx and .xlsx files in --sources"),
            _extra("rank", "sentence_transformers", "the cross_encoder backend of rank"),
            _extra("seq2seq", "accelerate", "PURR's editor: `errata purr train`, --set editor_model=DIR"),
            _extra("detoxify", "detoxify", "--scorer detoxify"),
            _extra("mcp", "mcp", "errata mcp"),
            _extra("ray", "ray", "errata batch --engine ray"),
        )
    )


def show_findings(console: Console, findings: list[Finding]) -> None:
    """Print the findings as a table."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for finding in findings:
        mark, style = MARKS[finding["status"]]
        table.add_row(Text(mark, style=style), Text(finding["name"], style="bold"), Text(finding["detail"]))
    put(console, table)
    put(console, Text("✓ works, – is not set up, ✗ is broken, ? was not tried. Only what is broken needs mending."))


async def _try(
    name: str, attempt: Callable[..., Awaitable[str]], *given: Any, needed: bool, set_up: bool = True
) -> Finding:
    """What comes of an attempt, which is a function of what is given.

    Args:
        name: The name of what is tried.
        attempt: How it is tried.
        given: What the attempt is given.
        needed: Whether it is needed in every installation.
        set_up: Whether somebody has set it up, if it can be tried at all.
    """
    try:
        return {"name": name, "status": "ok", "detail": await attempt(*given)}
    except ConfigurationError as error:
        return {"name": name, "status": "broken" if needed else "missing", "detail": str(error)}
    except ErrataError as error:
        return {"name": name, "status": "broken" if set_up else "missing", "detail": str(error)}


async def _chosen(name: str, finding: Awaitable[Finding]) -> Finding:
    """A finding on what was chosen for good, which may be unreadable."""
    try:
        return await finding
    except ConfigurationError as error:
        return {"name": name, "status": "broken", "detail": str(error)}


async def _draft(context: Context) -> str:
    answer = await task(context, DRAFT).ainvoke({"question": QUESTION})
    return f"{model_name(context)} answers: {' '.join(answer.text.split())[:80]}"


async def _comes_along() -> str:
    """The model that ships with errata, which is not the user's own: its answer is tried, but tells nobody anything."""
    context = Context(model=EMBEDDED)
    await task(context, DRAFT).ainvoke({"question": QUESTION})
    return f"{model_name(context)} works: it comes with errata, is tiny, and only drafts where no other model is given"


async def _search(context: Context) -> str:
    tool = await asyncio.to_thread(search_tool, context)
    pages = await tool.search("When was the Eiffel Tower completed?", 1)
    return f"finds: {pages[0]['title']} ({pages[0]['source']})" if pages else "works, but found nothing"


async def _model(offline: bool) -> Finding:
    name = os.environ.get("ERRATA_MODEL") or ("openai:gpt-5-mini" if os.environ.get("OPENAI_API_KEY") else "")
    settings = {"model": name, "base_url": os.environ.get("ERRATA_BASE_URL")} if name else chosen()
    name = settings.get("model") or EMBEDDED
    if name == EMBEDDED:
        advice = "set OPENAI_API_KEY and give --model openai:gpt-5-mini, or --base-url for a server of your own"
        return {"name": "chat model", "status": "missing", "detail": f"none, so rules do the checking: {advice}"}
    if (file := embedded_name(name)) is not None:
        return await _try("chat model", _loads, file, needed=True)
    if offline:
        return {"name": "chat model", "status": "untried", "detail": f"{name} is configured"}
    return await _try("chat model", _draft, Context(**{**settings, "retries": 0, "timeout": 30}), needed=True)


async def _loads(name: str) -> str:
    await asyncio.to_thread(embedded.check, name)
    able = await asyncio.to_thread(embedded.is_able, name)
    return f"{embedded.title(name)}, in this process, {'drafts and corrects' if able else 'drafts only'}"


async def _fetched() -> Finding:
    """Models of the list that are here. None has to be."""
    names = await asyncio.to_thread(lambda: [each.name for each in MODELS.values() if is_here(each)])
    if names:
        used = f"used by default: {written(settings)}" if (settings := chosen()) else "none is used by default"
        detail = f"{', '.join(names)}; {used}: choose one with `errata models use NAME`"
        return {"name": "local models", "status": "ok", "detail": detail}
    writer, judge = first("writes"), first("judges")
    advice = (
        f"`errata models use {judge.name}` gets a judge, which decides more ({judge.size}), and "
        f"`errata models use {writer.name}` a model that corrects ({writer.size})"
    )
    return {"name": "local models", "status": "missing", "detail": f"none. {advice}"}


async def _servers(offline: bool) -> Finding:
    """Servers of language models on this machine, asked only here and by `errata models`."""
    name = "local servers"
    if offline:
        return {"name": name, "status": "untried", "detail": f"{' and '.join(servers.USUAL)} are not asked"}
    if running := await asyncio.to_thread(servers.running):
        listed = "; ".join(f"{url} has {', '.join(names) or 'no model'}" for url, names in running.items())
        return {"name": name, "status": "ok", "detail": f"{listed}: choose one with `errata models use URL`"}
    return {"name": name, "status": "missing", "detail": f"neither {' nor '.join(servers.USUAL)} answers"}


async def _remote(search: str, variable: str, offline: bool) -> Finding:
    name = f"{search} search"
    context = Context(search=search, retries=0, timeout=30, cache=False)
    if not offline:
        return await _try(name, _search, context, needed=False, set_up=bool(os.environ.get(variable)))
    try:
        await asyncio.to_thread(search_tool, context)
    except ConfigurationError as error:
        return {"name": name, "status": "missing", "detail": str(error)}
    return {"name": name, "status": "untried", "detail": f"{variable} is set" if variable else "installed"}


async def _scorer(name: str, variable: str, offline: bool) -> Finding:
    if offline and os.environ.get(variable):
        return {"name": f"{name} scorer", "status": "untried", "detail": f"{variable} is set"}
    return await _try(f"{name} scorer", _score, Context(toxicity=name, retries=0, timeout=30), needed=False)


async def _score(context: Context) -> str:
    tool = await asyncio.to_thread(scorer, context)
    toxicity = await tool.score("You are a fool.")
    return f"scores `You are a fool.` {toxicity['overall']:.2f}"


async def _cache() -> str:
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"{folder} cannot be created ({error.strerror}), so indexes and results are rebuilt every time: "
            "set ERRATA_CACHE_DIR to a writable folder"
        ) from None
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return f"{folder} ({size / 1_000_000:.1f} MB)"


async def _extra(extra: str, package: str, purpose: str) -> Finding:
    name = f"extra `{extra}`"
    if importlib.util.find_spec(package):
        return {"name": name, "status": "ok", "detail": f"installed, for {purpose}"}
    return {"name": name, "status": "missing", "detail": f"pip install 'errata[{extra}]' adds it, for {purpose}"}
