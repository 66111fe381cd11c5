"""Making a training set: search, split the evidence, state what it says, corrupt the statement (PURR section 3.1)."""

import asyncio
import hashlib
import json
import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...models import task
from ...models.tasks.correction import CORRUPT, QUERIES, RANK, SUMMARISE, CorruptInput, Corruption
from ...nodes.research import best_windows
from ...state import Context, Evidence
from ...state.errors import ConfigurationError, ModelError, RunError
from ...state.runs.cache import Shelf
from ...state.runs.spending import Spending, spending_from
from ...state.text.segments import sentences_of
from ...state.text.spans import changes
from ...tools.reading.folder import read_all
from ...tools.searches.local import CORPUS
from .rows import Corrupted, Piece, Row

AT_ONCE = 16
MOST_MISSED = 32
"""After so many questions in a row without a row, something is down."""
VERSION = 2
"""Changes when rows are made in another way, so that those of both do not meet in one file."""
CANDIDATES = 12
"""How many windows are looked at per question."""


@dataclass(frozen=True)
class Recipe:
    """How rows are made."""

    seed: int = 0
    threshold: float = 0.7
    """The share of the best window's score from which on a window is positive evidence. BM25 scores of different
    questions cannot be compared, so the threshold is relative (ours; PURR uses an unpublished threshold on a
    similarity).
    """
    most: int = 4
    """The pieces of evidence per row, positive and negative (PURR section 3.1: 4)."""
    clean: float = 0.1
    """The share of rows with nothing to correct (ours: so that the editor learns to leave correct texts alone)."""
    idle: float = 0.15
    """The share of rows with unrelated evidence, in which the text stays as it is, right or wrong (ours: an editor that
    always found the right words in its evidence would take others if they are missing).
    """

    def settings(self) -> dict[str, float]:
        """What all rows of a file have in common: not the seed, because rows of another may be added."""
        made = {"evidence": self.most, "threshold": self.threshold, "clean": self.clean, "idle": self.idle}
        return {**made, "version": VERSION}


Seed = tuple[str, int]
"""A question, and its repetition: each repetition gives another corruption."""


def questions_of(path: Path) -> list[str]:
    """The questions of a file, one per line.

    Raises:
        ConfigurationError: If the file has no questions.
    """
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: {getattr(error, 'strerror', '') or 'it is not UTF-8 text'}") from None
    questions = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not questions:
        raise ConfigurationError(f"{path} holds no questions: write one per line")
    return questions


def texts_of(folder: Path | None) -> list[str]:
    """The sentences of the documents of a folder, or of the bundled corpus."""
    return [sentence for document in read_all(folder or CORPUS) for sentence in sentences_of(document.text)]


async def questions_about(
    texts: Sequence[str], wanted: int | None, seed: int, context: Context, replies: Shelf | None = None
) -> list[str]:
    """Questions about texts, taken in random order.

    Args:
        texts: The texts.
        wanted: About how many; all, if None. With more, the list goes on as it began.
        seed: Another seed gives another order.
        context: The settings.
        replies: Where the model's replies are stored, so that none is paid for twice.

    Returns:
        The questions, without those of texts about which none could be asked.
    """
    order, questions = random.Random(seed).sample(texts, len(texts)), dict[str, None]()
    for first in range(0, len(order), AT_ONCE):
        if wanted is not None and len(questions) >= wanted:
            break
        asked = await asyncio.gather(*(_questions(text, context, replies) for text in order[first : first + AT_ONCE]))
        batch = [question for listed in asked for question in listed]
        questions.update(dict.fromkeys(random.Random(f"{seed}:{first}").sample(batch, len(batch))))
    return list(questions)


async def _questions(text: str, context: Context, replies: Shelf | None) -> list[str]:
    try:
        with spending_from(Spending(replies=replies, run=text)):
            return (await task(context, QUERIES).ainvoke({"text": text})).queries
    except ModelError:
        return []


def number(question: str, times: int, seed: int) -> str:
    """The id of a row: the same for the same question, repetition and seed."""
    return hashlib.sha256(json.dumps([question, times, seed]).encode()).hexdigest()[:12]


async def make_rows(
    seeds: Sequence[Seed], others: Sequence[str], recipe: Recipe, context: Context, replies: Shelf | None = None
) -> AsyncIterator[Row | str]:
    """A row per seed, in order, or a line that says why there is none.

    Args:
        seeds: The questions.
        others: What else may be searched for, to find evidence that has nothing to do with a row.
        recipe: How rows are made.
        context: The settings.
        replies: Where the model's replies to each stage of a row are stored, so that none is paid for twice.

    Yields:
        Rows, and reasons in the place of those that could not be made.
    """
    for first in range(0, len(seeds), AT_ONCE):
        batch = seeds[first : first + AT_ONCE]
        made = (_row_or_reason(seed, others, recipe, context, replies) for seed in batch)
        for row in await asyncio.gather(*made):
            yield row


async def _row_or_reason(
    seed: Seed, others: Sequence[str], recipe: Recipe, context: Context, replies: Shelf | None
) -> Row | str:
    try:
        with spending_from(Spending(replies=replies, run=number(*seed, recipe.seed))):
            return await make_row(*seed, others, recipe, context)
    except RunError as error:
        return str(error)


async def make_row(question: str, times: int, others: Sequence[str], recipe: Recipe, context: Context) -> Row | str:
    """One row, or a line that says why there is none.

    As when a text is corrected, each piece of evidence stands with a question about the text, corrupted as it is: the
    question that it was searched with may give the right words away.

    Raises:
        RunError: If the search failed, or no usable statement was made.
    """
    row_id = number(question, times, recipe.seed)
    draw = random.Random(f"{recipe.seed}:{row_id}")
    wide = context.model_copy(update={"max_evidence": CANDIDATES, "windows_per_page": 3, "whole_page_chars": 0})
    windows = await best_windows(question, wide, apart=True)
    if not windows:
        return "nothing was found"
    positive, negative = split(windows, recipe, draw)
    texts = [piece["text"] for piece in positive]
    clean = (await task(context, SUMMARISE).ainvoke({"question": question, "passages": texts})).text
    text, corruptions = clean, list[Corrupted]()
    if draw.random() >= recipe.clean:
        task_input: CorruptInput = {
            "text": clean,
            "passages": [piece["text"] for piece in windows],
            "seed": draw.randrange(2**31),
        }
        text, corruptions = recorded(clean, await task(context, CORRUPT).ainvoke(task_input))
    queries = (await task(context, QUERIES).ainvoke({"text": text})).queries
    if draw.random() < recipe.idle and (idle := await _unrelated(draw.choice(others), windows, clean, wide)):
        positive, negative = [], draw.sample(idle, min(recipe.most, len(idle)))
        clean, corruptions = text, []
    told = [(piece, True) for piece in positive] + [(piece, False) for piece in negative]
    draw.shuffle(told)
    asked = await _asked([piece for piece, _ in told], queries or [text], context)
    evidence = [_piece(piece, query, is_positive) for (piece, is_positive), query in zip(told, asked, strict=True)]
    return {
        "id": row_id,
        "question": question,
        "text": text,
        "clean": clean,
        "corruptions": corruptions,
        "source": windows[0]["source"],
        "evidence": evidence,
        "queries": queries,
    }


async def _unrelated(query: str, windows: Sequence[Evidence], clean: str, context: Context) -> list[Evidence]:
    """What is found with another query, on pages that were not found for this row."""
    known = {piece["source"] for piece in windows}
    found = await best_windows(query, context, apart=True)
    return [piece for piece in found if piece["source"] not in known and clean not in piece["text"]]


async def _asked(pieces: Sequence[Evidence], queries: Sequence[str], context: Context) -> list[str]:
    """For each piece, the question for which it ranks best."""
    titled = [f"{piece['title']}\n{piece['text']}" for piece in pieces]
    rankings = await asyncio.gather(
        *(task(context, RANK).ainvoke({"query": query, "passages": titled}) for query in queries)
    )
    return [
        max(zip(queries, rankings, strict=True), key=lambda asked: asked[1].scores[place])[0]
        for place in range(len(pieces))
    ]


def split(windows: list[Evidence], recipe: Recipe, draw: random.Random) -> tuple[list[Evidence], list[Evidence]]:
    """E+, the windows that score nearly as well as the best, and E-, a sample of the others to fill up with."""
    bound = windows[0]["score"] * recipe.threshold
    positive = [piece for piece in windows if piece["score"] >= bound][: recipe.most]
    others = [piece for piece in windows if piece["score"] < bound]
    return positive, draw.sample(others, min(recipe.most - len(positive), len(others)))


def recorded(clean: str, corruption: Corruption) -> tuple[str, list[Corrupted]]:
    """The corrupted statement with the white space of the clean one, and its corruptions, change by change.

    Raises:
        ModelError: If nothing was changed.
    """
    text = clean
    planted: list[Corrupted] = []
    for change in changes(clean, corruption.text):
        before, start = clean[change.start : change.end], change.start + len(text) - len(clean)
        text = text[:start] + change.after + text[start + len(before) :]
        kind = _kind(before, change.after, corruption)
        planted.append({"kind": kind, "before": before, "after": change.after, "start": start})
    if not planted:
        raise ModelError("the corruption changes nothing")
    return text, planted


def _kind(before: str, after: str, corruption: Corruption) -> str:
    """The kind of the planned corruption that shares most words with a change."""
    words = {*before.split(), *after.split()}
    return max(corruption.plan, key=lambda swap: len(words & {*swap.before.split(), *swap.after.split()})).kind


def _piece(window: Evidence, query: str, positive: bool) -> Piece:
    return {
        "query": query,
        "title": window["title"],
        "text": window["text"],
        "source": window["source"],
        "positive": positive,
    }
