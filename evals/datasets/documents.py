"""Questions made from a user's documents or the bundled articles: an evaluation that needs no data set."""

from collections.abc import Iterator
from pathlib import Path

from ...models.rules.asking import answered
from ...state.errors import ConfigurationError
from ...tools.reading.folder import read_all
from .item import Item


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
