"""Research: search, cut pages into windows, rank, and keep the best (RARR section 3.1). One run per question."""

import asyncio
from typing import Any

from typing_extensions import TypedDict

from ..models import task
from ..state import Context, Evidence, Failure
from ..state.correction import Check, CorrectionState, Found, Question
from ..state.errors import ConfigurationError, ErrataError, ToolError
from ..state.text import sentences
from ..tools import evidence, search_tool
from .step import emit

WINDOW_SENTENCES = 4
LONGEST_SENTENCE = 250
"""Characters; longer sentences are dropped, they are mostly menus and tables."""
WINDOWS_LOOKED_AT = 30
"""The first windows of a page (RARR's published code)."""


class Asked(TypedDict):
    """What is sent to one run of the step."""

    asked: Question


async def research(state: Asked, context: Context) -> dict[str, Any]:
    """Find the evidence for one question."""
    asked = state["asked"]
    try:
        kept = await best_windows(asked["text"], context)
        failed = ""
    except ConfigurationError:
        raise
    except ErrataError as error:
        kept, failed = [], str(error)
    emit("research", question=asked["text"], evidence=kept, failed=failed)
    found: Found = {"question": asked, "evidence": kept, "failed": failed}
    failures: list[Failure] = [{"step": "research", "reason": failed, "unchecked": True}] if failed else []
    return {"found": [found], "failures": failures}


async def pool(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Lay out what all questions found as one list of checks, in question order."""
    checks: list[Check] = []
    for found in sorted(state["found"], key=lambda found: found["question"]["number"]):
        checks += [_check(found, piece["id"]) for piece in found["evidence"]] or [_no_evidence(found)]
    pieces = {piece["id"]: piece for found in state["found"] for piece in found["evidence"]}
    wanted = dict.fromkeys(check["evidence"] for check in checks if check["evidence"])
    return {"checks": checks, "evidence": [pieces[number] for number in wanted]}


async def best_windows(query: str, context: Context) -> list[Evidence]:
    tool = await asyncio.to_thread(search_tool, context)
    pages = await tool.search(query, context.pages)
    if not tool.whole_pages:
        pages = list(await asyncio.gather(*(_whole_page(page, context) for page in pages)))
    # Equal windows of different pages are one.
    windows = {window: page for page in reversed(pages) for window in reversed(cut_windows(page["text"]))}
    texts = list(reversed(windows))
    titled = [f"{windows[text]['title']}\n{text}" for text in texts]
    ranking = await task(context, "rank").ainvoke({"query": query, "passages": titled})
    ranked = sorted(zip(ranking.scores, texts, strict=True), key=lambda pair: -pair[0])
    kept: list[Evidence] = []
    taken: dict[str, int] = {}
    for score, text in ranked:
        page = windows[text]
        if score > 0 and taken.get(page["id"], 0) < context.windows_per_page and len(kept) < context.max_evidence:
            taken[page["id"]] = taken.get(page["id"], 0) + 1
            kept.append(evidence(query=query, text=text, title=page["title"], source=page["source"], score=score))
    return kept


async def _whole_page(found: Evidence, context: Context) -> Evidence:
    """The page behind a snippet; the snippet itself where the page can't be had."""
    from ..tools import fetch_page  # with what reads HTML and PDF: no other search needs it

    try:
        page = await fetch_page(context, found["source"])
    except ToolError:
        return found
    return {**found, "title": page["title"] or found["title"], "text": page["text"]}


def cut_windows(page: str) -> list[str]:
    """Four sentences at a time, moving on by one; a shorter page is one window."""
    kept = [page[start:end] for start, end in sentences(page) if end - start <= LONGEST_SENTENCE]
    count = max(len(kept) - WINDOW_SENTENCES + 1, 1) if kept else 0
    return [" ".join(kept[first : first + WINDOW_SENTENCES]) for first in range(min(count, WINDOWS_LOOKED_AT))]


def _check(found: Found, evidence_id: str) -> Check:
    return {
        "question": found["question"]["text"],
        "passage": found["question"]["passage"],
        "evidence": evidence_id,
        "verdict": None,
        "settled": False,
        "replacement": None,
    }


def _no_evidence(found: Found) -> Check:
    """A question without evidence is settled: `neutral` where nothing was found, `error` where nobody could look."""
    check = _check(found, "")
    reason = found["failed"] or "the search found nothing"
    check["verdict"] = {
        "question": check["question"],
        "label": "error" if found["failed"] else "neutral",
        "reason": reason,
        "evidence": "",
        "make": "",
    }
    check["settled"] = True
    return check
