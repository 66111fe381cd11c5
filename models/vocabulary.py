"""From text to token ids and back: by a tokenizer of transformers, or word by word with slots for what is rare.

A network of a few million weights, trained on a few thousand sentences, cannot know names and numbers. With slots it
need not: every rare word of an item is given a slot of its own, at random while it learns, and the same one wherever
the word stands in claim and evidence. To copy a name is then to copy a token, whether the name was ever seen or not
(the anonymised entities of Hermann et al. 2015, arXiv 1506.03340, section 3.1.1, for all rare words).
"""

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

FILE = "words.json"
"""In a model's folder, says that its vocabulary is one of words."""


class Vocabulary(Protocol):
    """What stands between text and a network."""

    @property
    def padding(self) -> int:
        """Id of the token that fills up."""

    def read(self, passages: Sequence[str], draw: random.Random | None = None) -> tuple[list[list[int]], Any]:
        """Token ids of an item's passages, and what has to be known to read or write its answer."""

    def answer(self, text: str, known: Any) -> list[int]:
        """Token ids of the answer to an item."""

    def write(self, ids: Sequence[int], known: Any) -> str:
        """The answer in words."""

    def __len__(self) -> int: ...

    def save_pretrained(self, folder: str) -> Any: ...


@dataclass
class Tokenizer:
    """A tokenizer of transformers."""

    tokenizer: Any

    @property
    def padding(self) -> int:
        return int(self.tokenizer.pad_token_id)

    def read(self, passages: Sequence[str], draw: random.Random | None = None) -> tuple[list[list[int]], Any]:
        return self.tokenizer(list(passages), add_special_tokens=True)["input_ids"], None

    def answer(self, text: str, known: Any) -> list[int]:
        ids: list[int] = self.tokenizer(text_target=text)["input_ids"]
        return ids

    def write(self, ids: Sequence[int], known: Any) -> str:
        return str(self.tokenizer.decode(ids, skip_special_tokens=True)).strip()

    def __len__(self) -> int:
        return len(self.tokenizer)

    def save_pretrained(self, folder: str) -> Any:
        return self.tokenizer.save_pretrained(folder)


_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+(?:[.,'’\-][^\W_]+)*|\S")
_CLINGS = frozenset(".,;:!?)]}%’”")
"""Marks that stand without a space before them, unless it is said that there is one."""
PAD, END, GLUE, SPACE, UNKNOWN = "<pad>", "</s>", "<glue>", "<space>", "<unk>"
SPECIAL = (PAD, END, GLUE, SPACE, UNKNOWN)


@dataclass
class Words:
    """Common words by their own ids, every other word of an item by a slot.

    common
        lower-case words and marks
    slots
        how many rare words one item may have; the rest are unknown
    """

    common: list[str]
    slots: int = 96
    _ids: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self._ids = {word: number for number, word in enumerate([*SPECIAL, *self.common])}

    @classmethod
    def of(cls, answers: Iterable[str], passages: Iterable[str], slots: int = 96) -> "Words":
        """The vocabulary of a training set: words without a capital or a digit that stand in one of a hundred of its
        different answers, and in two at least; and the words of the form that every passage has.

        What is less common a network of this size would not come to know: it learns to copy it instead.
        """
        different = [_words(answer) for answer in set(answers)]
        counts = Counter(word for words in different for word in words)
        at_least = max(2, len(different) / 100)
        common = {word for word, count in counts.items() if count >= at_least}
        form = set.intersection(*map(_words, passages))
        return cls(sorted(word for word in common | form if word.islower() or not word[0].isalnum()), slots)

    @classmethod
    def from_pretrained(cls, folder: Path) -> "Words":
        kept = json.loads((folder / FILE).read_text("utf-8"))
        return cls(kept["common"], kept["slots"])

    def save_pretrained(self, folder: str) -> Any:
        (Path(folder) / FILE).write_text(json.dumps({"common": self.common, "slots": self.slots}), "utf-8")

    @property
    def padding(self) -> int:
        return self._ids[PAD]

    @property
    def end(self) -> int:
        """Id of the token that ends an answer."""
        return self._ids[END]

    def read(self, passages: Sequence[str], draw: random.Random | None = None) -> tuple[list[list[int]], Any]:
        free = list(range(len(self._ids), len(self)))
        (draw or random.Random("\n".join(passages))).shuffle(free)
        known: dict[str, int] = {}
        for passage in passages:
            for word, _ in _split(passage):
                if word not in self._ids and word not in known and free:
                    known[word] = free.pop()
        return [self.answer(passage, known) for passage in passages], known

    def answer(self, text: str, known: dict[str, int]) -> list[int]:
        ids: list[int] = []
        for place, (word, spaced) in enumerate(_split(text)):
            if place and spaced == (word in _CLINGS):
                ids.append(self._ids[SPACE if spaced else GLUE])
            ids.append(self._ids.get(word) or known.get(word) or self._ids[UNKNOWN])
        return [*ids, self._ids[END]]

    def write(self, ids: Sequence[int], known: dict[str, int]) -> str:
        words = {number: word for word, number in [*self._ids.items(), *known.items()]}
        text, joint = "", ""
        for number in ids:
            word = words.get(int(number), UNKNOWN)
            if word == END:
                break
            if word in (GLUE, SPACE):
                joint = word
            elif word not in (PAD, UNKNOWN):
                joined = joint == GLUE or (word in _CLINGS and joint != SPACE)
                text += word if joined or not text else f" {word}"
                joint = ""
        return text

    def __len__(self) -> int:
        return len(self._ids) + self.slots


def _words(text: str) -> set[str]:
    return {word for word, _ in _split(text)}


def _split(text: str) -> list[tuple[str, bool]]:
    """Words and marks, each with whether white space stands before it."""
    return [(found.group(), found.start() > 0 and text[found.start() - 1].isspace()) for found in _TOKEN.finditer(text)]
