"""The knowledge consolidator (LLM-Augmenter): retriever, entity linker, evidence chainer."""

import asyncio
from typing import Any

from ...models import task
from ...models.tasks.correction import RANK
from ...models.tasks.dialogue import CHAIN, ENTITIES, SEARCH_QUERIES, ChainInput, EntitiesInput
from ...state import Context, Evidence, Failure
from ...state.errors import RunError
from ...state.methods.augmenter import AugmenterState, Link
from ...state.text.answers import normalise
from ...state.text.sections import prose
from ...state.text.segments import sentences, sentences_of
from ...tools import evidence
from ..quorum import received
from ..research import best_windows, searching
from ..step import emit
from .memory import dialogue, titled

QUERIES = 3
"""The most searches for one message."""
STATEMENTS = 20
"""The most statements that are chained: the highest-ranked ones."""
STEPS = 3
"""The most statements in one path."""
DESCRIBED_BY = 3
"""How many results are searched for the description of an entity."""
DESCRIPTION_SENTENCES = 2


async def consolidate(state: AugmenterState, context: Context) -> dict[str, Any]:
    """Find evidence for the message, look up its entities, and keep what leads to a response."""
    failures: list[Failure] = []
    queries = await _queries(state, context, failures)
    results = await asyncio.gather(*(best_windows(query, context) for query in queries), return_exceptions=True)
    raw = _retrieved(results, failures)
    described, links = await _linked(raw, state["question"], context, failures)
    chains = await _chained(queries, [*raw, *described], links, state, context, failures) if raw else []
    pieces = {piece["id"]: piece for piece in [*state["evidence"], *raw, *described]}
    all_chains = [*state["chains"], *([piece["id"] for piece in chain] for chain in chains)]
    ids = dict.fromkeys(evidence_id for chain in all_chains for evidence_id in chain)
    emit("consolidate", queries=queries, evidence=[pieces[evidence_id] for evidence_id in ids], failed=_first(failures))
    return {
        "evidence": [pieces[evidence_id] for evidence_id in ids],
        "chains": all_chains,
        "links": [*state["links"], *(link for link in links if {link["evidence"], link["description"]} <= ids.keys())],
        "failures": failures,
        **received("searches", sum(isinstance(pieces, list) for pieces in results), len(queries)),
        "tried": [*state["tried"], "consolidate"],
    }


def _first(failures: list[Failure]) -> str:
    return failures[0]["reason"] if failures else ""


async def _queries(state: AugmenterState, context: Context, failures: list[Failure]) -> list[str]:
    """The search queries; if they cannot be generated, the message itself."""
    try:
        reply = await task(context, SEARCH_QUERIES).ainvoke(dialogue(state))
    except RunError as error:
        failures.append(_failure(error))
        return [state["question"]]
    queries = dict.fromkeys(query.strip() for query in reply.queries if query.strip())
    return list(queries)[:QUERIES] or [state["question"]]


def _retrieved(results: list[list[Evidence] | BaseException], failures: list[Failure]) -> list[Evidence]:
    """The statements that all searches found, each once."""
    statements: dict[str, Evidence] = {}
    for pieces in results:
        if isinstance(pieces, RunError):
            failures.append(_failure(pieces))
        elif isinstance(pieces, BaseException):
            raise pieces
        else:
            for statement in (part for piece in pieces for part in _statements(piece)):
                statements.setdefault(statement["text"], statement)
    return list(statements.values())


def _statements(piece: Evidence) -> list[Evidence]:
    """A piece of evidence, one sentence at a time."""
    parts = sentences_of(prose(piece["text"]))
    return [_part(piece, piece["query"], part) for part in parts if any(letter.isalnum() for letter in part)]


def _part(page: Evidence, query: str, text: str) -> Evidence:
    return evidence(query=query, text=text, title=page["title"], source=page["source"], score=page["score"])


async def _linked(
    raw: list[Evidence], question: str, context: Context, failures: list[Failure]
) -> tuple[list[Evidence], list[Link]]:
    """Descriptions of the entities in the raw evidence, and which statement names which: the evidence graph."""
    if not raw or not context.entities:
        return [], []
    try:
        task_input: EntitiesInput = {"question": question, "passages": [piece["text"] for piece in raw]}
        names = (await task(context, ENTITIES).ainvoke(task_input)).names
        titles = {_plain_title(piece) for piece in raw}
        unknown = [name for name in dict.fromkeys(names) if name.strip() and normalise(name) not in titles]
        descriptions = await asyncio.gather(*(_description(name, context) for name in unknown[: context.entities]))
    except RunError as error:
        failures.append(_failure(error))
        return [], []
    statements = {piece["text"] for piece in raw}
    described = {
        name: piece
        for name, piece in zip(unknown, descriptions, strict=False)
        if piece and not _repeats(piece, statements)
    }
    links: list[Link] = [
        {"name": name, "evidence": piece["id"], "description": description["id"]}
        for name, description in described.items()
        for piece in raw
        if name in piece["text"]
    ]
    return list({piece["id"]: piece for piece in described.values()}.values()), links


async def _description(name: str, context: Context) -> Evidence | None:
    """The first sentences of the page about an entity, if the search finds one.

    Pages about something else don't count.
    """
    tool = await searching(context)
    for page in await tool.search(name, DESCRIBED_BY):
        if _plain_title(page) == normalise(name) or normalise(page["text"]).startswith(f"{normalise(name)} "):
            ends = [end for _, end in sentences(page["text"])[:DESCRIPTION_SENTENCES]]
            return _part(page, name, page["text"][: ends[-1]] if ends else page["text"])
    return None


def _repeats(description: Evidence, statements: set[str]) -> bool:
    """Whether a description begins with a statement that is already there."""
    return any(description["text"].startswith(text) for text in statements)


def _plain_title(piece: Evidence) -> str:
    """A title without the name of its site."""
    return normalise(piece["title"].partition(" - ")[0].partition(" | ")[0])


async def _chained(
    queries: list[str],
    statements: list[Evidence],
    links: list[Link],
    state: AugmenterState,
    context: Context,
    failures: list[Failure],
) -> list[list[Evidence]]:
    """The paths that lead to a response; if chaining fails, the first statements as found."""
    try:
        passages = [titled(piece) for piece in statements]
        ranking = await task(context, RANK).ainvoke({"query": " ".join(queries), "passages": passages})
        ranked = sorted(range(len(statements)), key=lambda place: -ranking.scores[place])
        places = sorted(ranked[:STATEMENTS])
        ranked_statements = [statements[place] for place in places]
        task_input: ChainInput = {
            **dialogue(state),
            "passages": [passages[place] for place in places],
            "scores": [ranking.scores[place] for place in places],
            "links": _pairs(ranked_statements, links),
            "evidence": _numbered(ranked_statements, links),
        }
        chosen = (await task(context, CHAIN).ainvoke(task_input)).paths
    except RunError as error:
        failures.append(_failure(error))
        return [[piece] for piece in statements[: context.paths]]
    paths = [[ranked_statements[number - 1] for number in dict.fromkeys(path)][:STEPS] for path in chosen if path]
    return paths[: context.paths]


def _pairs(statements: list[Evidence], links: list[Link]) -> list[list[int]]:
    """The links between statements, by their numbers."""
    numbers = {piece["id"]: number for number, piece in enumerate(statements, start=1)}
    pairs = [(numbers.get(link["evidence"]), numbers.get(link["description"])) for link in links]
    return [[statement, description] for statement, description in pairs if statement and description]


def _numbered(statements: list[Evidence], links: list[Link]) -> str:
    """The statements with their numbers, and for descriptions the statements that name them."""
    named_in: dict[int, list[int]] = {}
    for statement, description in _pairs(statements, links):
        named_in.setdefault(description, []).append(statement)
    lines = []
    for number, piece in enumerate(statements, start=1):
        naming = f" (named in {', '.join(map(str, named_in[number]))})" if number in named_in else ""
        lines.append(f"{number}. {titled(piece)}{naming}")
    return "\n".join(lines)


def _failure(error: RunError) -> Failure:
    """A failure that leaves the response unchecked: with other evidence, response and score would differ."""
    return {"step": "consolidate", "reason": str(error), "unchecked": True}
