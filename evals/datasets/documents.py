"""Questions made from documents, a user's or those that ship: an evaluation that needs no data set."""

from collections.abc import Iterator
from pathlib import Path

from ...models.rules.asking import answered
from ...state.errors import ConfigurationError
from ...tools.reading.folder import read_all
from .item import Item


def documents(folder: Path) -> Iterator[Item]:
    """`When ...?` and `Who ...?` with the answer that a sentence of a document gives; `kind` is the document's title.

    A question that several sentences answer has all their answers. Rules make the questions: not all are good English.

    Raises:
        ConfigurationError: If there is no such folder, or no such sentence in it.
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
