"""Questions and statements made from a user's documents or the bundled articles: evaluations that need no data set."""

from collections.abc import Iterator
from pathlib import Path

from ...models.rules.asking import answered
from ...models.rules.corrupting import corrupt
from ...models.rules.language.clauses import content
from ...models.tasks.correction import Corruption
from ...state.errors import ConfigurationError
from ...state.text.segments import sentences_of
from ...tools.reading.folder import read_all
from .item import Item

SEEDS = 8
"""How many corruptions of a sentence are tried until one is a single wrong fact."""
LENGTHS = range(40, 241)
"""How long the sentences are that are taken for statements, in characters."""


def documents(folder: Path) -> Iterator[Item]:
    """`When ...?` and `Who ...?` questions, with the answers that sentences of documents give. `kind` is the title.

    A question that several sentences answer has all their answers. Rules make the questions, not all in good English.

    Raises:
        ConfigurationError: If there is no such folder, or it has no such sentence.
    """
    items: dict[str, Item] = {}
    for document in read_all(folder):
        for question, answer, sentence in answered(document.text):
            new = Item(id=len(items), question=question, answers=[], paragraphs=[], kind=document.title)
            item = items.setdefault(question, new)
            item["answers"].append(answer)
            item["paragraphs"].append(sentence)
    if not items:
        raise ConfigurationError(f"{folder}: no sentence in its documents that answers `When ...?` or `Who ...?`")
    yield from items.values()


def corrupted(folder: Path) -> Iterator[Item]:
    """Sentences of documents that name what their document is about; in every other one, rules make one fact wrong.

    `answers` has the sentence as it stands there, and `kind` what is wrong with it: nothing for `true`.

    Raises:
        ConfigurationError: If there is no such folder, or it has no such sentence.
    """
    number = 0
    for document in read_all(folder):
        subject = content(document.title)
        for sentence in dict.fromkeys(sentences_of(document.text)):
            if len(sentence) not in LENGTHS or not subject & content(sentence):
                continue
            wrong = _with_one_error(sentence, document.text)
            if wrong is None:
                continue
            text, kind = (wrong.text, wrong.plan[0].kind) if number % 2 else (sentence, "true")
            yield Item(id=number, text=text, answers=[sentence], kind=kind)
            number += 1
    if not number:
        raise ConfigurationError(f"{folder}: no sentence in its documents has a fact that rules can make wrong")


def _with_one_error(sentence: str, document: str) -> Corruption | None:
    """A statement with one fact wrong; None if rules find no fact in it."""
    for seed in range(SEEDS):
        corruption = corrupt({"text": sentence, "passages": [document], "seed": seed})
        if [swap.kind == "grammar" for swap in corruption.plan] == [False]:
            return corruption
    return None
