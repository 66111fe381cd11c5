"""Research: search, cut long pages into windows, rank, and keep the best (RARR section 3.1). One run per question."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from typing_extensions import TypedDict

from ..models import backend, task
from ..models.tasks.claims import CHECK
from ..models.tasks.correction import AGREEMENT, EDIT_ALL, RANK
from ..state import Context, Evidence, Failure
from ..state.errors import RunError
from ..state.methods.correction import Found, Question
from ..state.text.sections import sections
from ..state.text.segments import sentences_of
from ..state.text.tables import is_row
from ..tools import SearchTool, evidence, search_tool
from ..tools.reading.workers import in_thread
from .quorum import received
from .step import emit

WINDOW_SENTENCES = 4
LONGEST_SENTENCE = 250
LONGEST_ROW = 1_000
"""In characters; longer sentences are dropped, because they are mostly menus, and longer rows of tables."""
WINDOWS_LOOKED_AT = 30
"""The number of windows taken from the start of a page (RARR's published code)."""
WINDOWS_FOR_RULES = 2
GAP = "\n\n[…]\n\n"
"""What stands between windows of a page that are kept together."""


class Asked(TypedDict):
    """The input of one run of the step."""

    asked: Question


async def research(state: Asked, context: Context) -> dict[str, Any]:
    """Find the evidence for one question."""
    question = state["asked"]
    try:
        pieces = await best_windows(question["text"], context)
        failed = ""
    except RunError as error:
        pieces, failed = [], str(error)
    emit("research", question=question["text"], evidence=pieces, failed=failed)
    result: Found = {"question": question, "evidence": pieces, "failed": failed}
    failures: list[Failure] = [{"step": "research", "reason": failed, "unchecked": True}] if failed else []
    return {"found": [result], "failures": failures, **received("searches", int(not failed))}


def in_order(results: Iterable[Found]) -> list[Found]:
    """The results of searches that ran at once, in the order of their questions."""
    return sorted(results, key=lambda result: result["question"]["number"])


async def best_windows(query: str, context: Context, *, apart: bool = False) -> list[Evidence]:
    """Search, and keep what ranks best for the query: whole pages, or windows of longer ones.

    Several windows of a page are one piece of evidence, so that what they say is read together.

    Args:
        query: What to look for.
        context: The settings of the run.
        apart: Whether each window is a separate piece, as trained editors expect.

    Returns:
        At most `max_evidence` pieces, best first.

    Raises:
        ToolError: If the search failed.
        ModelError: If ranking failed.
    """
    pages = await find_pages(query, context)
    windows: dict[str, tuple[Window, Evidence]] = {}
    whole = whole_chars(context)
    for page in pages:
        for window in cut_page(page["text"], whole):
            windows.setdefault(window.text, (window, page))  # equal windows of different pages count once
    titled = [f"{page['title']}\n{window.text}" for window, page in windows.values()]
    ranking = await task(context, RANK).ainvoke({"query": query, "passages": titled})
    best: dict[str, list[tuple[float, Window]]] = {}
    for score, (window, page) in sorted(zip(ranking.scores, windows.values(), strict=True), key=lambda pair: -pair[0]):
        windows_kept = best.setdefault(page["id"], []) if score > 0 else None
        if windows_kept is None or any(window.overlaps(other) for _, other in windows_kept):
            continue
        if len(windows_kept) < most_windows(context):
            windows_kept.append((score, window))
    page_of = {page["id"]: page for page in pages}
    chosen = list(best.items())
    if apart:
        chosen = sorted(
            ((page, [scored]) for page, windows_kept in chosen for scored in windows_kept),
            key=lambda each: -each[1][0][0],
        )
    return [
        evidence(
            query=query,
            text=GAP.join(window.text for _, window in sorted(windows_kept, key=lambda each: each[1].place)),
            title=page_of[page]["title"],
            source=page_of[page]["source"],
            score=windows_kept[0][0],
        )
        for page, windows_kept in chosen[: context.max_evidence]
    ]


async def searching(context: Context, paragraphs: Sequence[str] = ()) -> SearchTool:
    """The search of a run. A name, alone or in a list, may stand for a folder that has to be read: that takes a thread.

    Raises:
        ConfigurationError: As `search_tool`.
    """
    may_read = isinstance(context.search, str | list | tuple)
    return await in_thread(search_tool, context, paragraphs) if may_read else search_tool(context, paragraphs)


async def find_pages(query: str, context: Context, paragraphs: Sequence[str] = ()) -> list[Evidence]:
    """The pages that a search finds, with all their text if available.

    Args:
        query: What to look for.
        context: The settings of the run.
        paragraphs: What the `dataset` search searches; all of them are looked at.
    """
    tool = await searching(context, paragraphs)
    pages = await tool.search(query, max(context.pages, len(paragraphs)))
    if not tool.whole_pages:
        from ..tools.pages import whole_pages  # this module reads HTML and PDF, which no other search needs

        pages = await whole_pages(pages, context)
    return pages


class Window(NamedTuple):
    """A stretch of a page."""

    text: str
    section: int
    first: int
    """The number of its first sentence in the section."""

    @property
    def place(self) -> tuple[int, int]:
        """Where it begins: the section, and the number of its first sentence there."""
        return self.section, self.first

    def overlaps(self, other: "Window") -> bool:
        """Whether two windows of a page share a sentence."""
        return self.section == other.section and abs(self.first - other.first) < WINDOW_SENTENCES


@lru_cache(maxsize=100)
def cut_page(page: str, whole: int, most: int | None = WINDOWS_LOOKED_AT) -> Sequence[Window]:
    """The whole page if it has at most `whole` characters, otherwise windows of four sentences, one sentence apart.

    No window crosses a heading; each begins with the heading of its section.
    """
    if len(page) <= whole:
        return (Window(page.strip(), 0, 0),) if page.strip() else ()
    windows: list[Window] = []
    for number, section in enumerate(sections(page)):
        body = page[slice(*section.body)]
        usable = [sentence for sentence in sentences_of(body) if _is_usable(sentence)]
        for first in range(max(len(usable) - WINDOW_SENTENCES + 1, 1) if usable else 0):
            text = " ".join(usable[first : first + WINDOW_SENTENCES])
            windows.append(Window(f"{section.heading}\n\n{text}" if section.heading else text, number, first))
    return tuple(windows[:most])


def _is_usable(sentence: str) -> bool:
    return len(sentence) <= (LONGEST_ROW if is_row(sentence) else LONGEST_SENTENCE)


def most_windows(context: Context) -> int:
    """How many windows of a page are read together. Rules read a second one for nothing."""
    by_rules = backend(context, AGREEMENT).name == "rules"
    return max(context.windows_per_page, WINDOWS_FOR_RULES if by_rules else 1)


def whole_chars(context: Context) -> int:
    """The most characters of a page that is shown whole. Rules and small networks read short passages better."""
    readers = [backend(context, reading_task) for reading_task in (AGREEMENT, EDIT_ALL, CHECK)]
    return context.whole_page_chars if all(reader.reads_pages for reader in readers) else 0
