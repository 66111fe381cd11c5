"""Making a training set: search, split the evidence, state what it says, corrupt the statement (PURR section 3.1)."""

import asyncio
import hashlib
import json
import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...models import task
from ...models.tasks.correction import CORRUPT, QUERIES, SUMMARISE, CorruptInput, Corruption, QueriesInput
from ...nodes.research import best_windows
from ...state import Context, Evidence
from ...state.errors import ConfigurationError, ModelError
from ...state.text.segments import sentences_of
from ...state.text.spans import changes
from ...tools.reading.folder import read_all
from ...tools.searches.local import CORPUS
from .rows import Corrupted, Piece, Row

AT_ONCE = 16
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
        return {"evidence": self.most, "threshold": self.threshold, "clean": self.clean, "idle": self.idle}


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


async def questions_about(folder: Path | None, context: Context) -> list[str]:
    """Questions on every sentence of the documents of a folder, or of the bundled corpus, in order."""
    texts = [sentence for document in read_all(folder or CORPUS) for sentence in sentences_of(document.text)]
    questions: dict[str, None] = {}
    for first in range(0, len(texts), AT_ONCE):
        batch: list[QueriesInput] = [{"text": sentence} for sentence in texts[first : first + AT_ONCE]]
        for reply in await asyncio.gather(*(task(context, QUERIES).ainvoke(task_input) for task_input in batch)):
            questions.update(dict.fromkeys(reply.queries))
    return list(questions)


def number(question: str, times: int, seed: int) -> str:
    """The id of a row: the same for the same question, repetition and seed."""
    return hashlib.sha256(json.dumps([question, times, seed]).encode()).hexdigest()[:12]


async def make_rows(seeds: Sequence[Seed], recipe: Recipe, context: Context) -> AsyncIterator[Row | str]:
    """A row per seed, in order, or a line that says why there is none."""
    for first in range(0, len(seeds), AT_ONCE):
        batch = seeds[first : first + AT_ONCE]
        for row in await asyncio.gather(*(make_row(*seed, recipe, context) for seed in batch)):
            yield row


async def make_row(question: str, times: int, recipe: Recipe, context: Context) -> Row | str:
    """One row, or why there is none: nothing was found, or no usable statement was made."""
    row_id = number(question, times, recipe.seed)
    draw = random.Random(f"{recipe.seed}:{row_id}")
    wide = context.model_copy(update={"max_evidence": CANDIDATES, "windows_per_page": 3, "whole_page_chars": 0})
    windows = await best_windows(question, wide, apart=True)
    if not windows:
        return f"nothing was found on: {question}"
    positive, negative = split(windows, recipe, draw)
    texts = [piece["text"] for piece in positive]
    try:
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
    except ModelError as error:
        return f"no row of `{question}`: {error}"
    silent = [piece for piece in windows if clean not in piece["text"]]
    if silent and draw.random() < recipe.idle:
        positive, negative = [], draw.sample(silent, min(recipe.most, len(silent)))
        clean, corruptions = text, []
    evidence = [_piece(piece, True) for piece in positive] + [_piece(piece, False) for piece in negative]
    draw.shuffle(evidence)
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


def _piece(window: Evidence, positive: bool) -> Piece:
    return {
        "query": window["query"],
        "title": window["title"],
        "text": window["text"],
        "source": window["source"],
        "positive": positive,
    }
