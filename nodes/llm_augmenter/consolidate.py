"""The knowledge consolidator (LLM-Augmenter): retriever, entity linker, evidence chainer."""

import asyncio
import re
from collections import Counter
from typing import Any

from ...models import task
from ...models.tasks.correction import RANK
from ...models.tasks.dialogue import CHAIN, SEARCH_QUERIES, ChainInput
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
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


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
    titles = {_plain_title(piece) for piece in raw}
    unknown = [name for name in names([piece["text"] for piece in raw], question) if normalise(name) not in titles]
    try:
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


def names(passages: list[str], question: str) -> list[str]:
    """The capitalised names in some passages: first those that the question has too, then the most frequent ones."""
    found = Counter(name for passage in passages for name in _capitalised(passage))
    return sorted(found, key=lambda name: (name not in question, -found[name]))


def _capitalised(passage: str) -> list[str]:
    """The runs of words with a capital in a passage, but for a single word that only begins a sentence."""
    found: list[str] = []
    for sentence in sentences_of(passage):
        run: list[re.Match[str]] = []
        for word in [*_WORD.finditer(sentence), None]:
            joins = word and run and sentence[run[-1].end() : word.start()] == " "
            if run and not (word and joins and word.group()[0].isupper()):
                if len(run) > 1 or run[0].start():
                    found.append(sentence[run[0].start() : run[-1].end()])
                run = []
            if word and word.group()[0].isupper():
                run.append(word)
    return found


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
            "evidence": _numbered(ranked_statements, links),
        }
        chosen = (await task(context, CHAIN).ainvoke(task_input)).paths
    except RunError as error:
        failures.append(_failure(error))
        return [[piece] for piece in statements[: context.paths]]
    paths = [[ranked_statements[number - 1] for number in dict.fromkeys(path)][:STEPS] for path in chosen if path]
    return paths[: context.paths]


def _numbered(statements: list[Evidence], links: list[Link]) -> str:
    """The statements with their numbers, and for descriptions the statements that name them."""
    numbers = {piece["id"]: number for number, piece in enumerate(statements, start=1)}
    lines = []
    for number, piece in enumerate(statements, start=1):
        naming = [numbers.get(link["evidence"]) for link in links if link["description"] == piece["id"]]
        named_in = ", ".join(str(each) for each in naming if each)
        lines.append(f"{number}. {titled(piece)}{f' (named in {named_in})' if named_in else ''}")
    return "\n".join(lines)


def _failure(error: RunError) -> Failure:
    """A failure that leaves the response unchecked: with other evidence, response and score would differ."""
    return {"step": "consolidate", "reason": str(error), "unchecked": True}
