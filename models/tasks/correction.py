"""Corrections: ask about a text, rank what is found, compare, edit (RARR, PURR)."""

from typing import Annotated, Literal, NotRequired

from pydantic import BaseModel, Field, model_validator
from typing_extensions import TypedDict

from ...state.text.answers import is_null
from .task import AnyCase, Task


class QueriesInput(TypedDict):
    """A text to ask about."""

    text: str
    question: NotRequired[str]
    """What the text answers."""
    before: NotRequired[str]
    """What stands before the text: it tells what its words refer to."""


class RankInput(TypedDict):
    """A query, and the passages that may answer it."""

    query: str
    passages: list[str]


class AgreementInput(QueriesInput):
    """A text, a question that is put to the evidence, and a piece of evidence."""

    query: str
    evidence: str
    title: NotRequired[str]
    """Names the page that the evidence is from."""


class EditInput(AgreementInput):
    """A text that a piece of evidence contradicts."""

    difference: NotRequired[str]
    """What each of them says on the query, where that was asked before."""
    refused: NotRequired[str]
    """What was proposed before, and why it was refused."""


class Pair(TypedDict):
    """A question and what the evidence says to it."""

    query: str
    title: str
    evidence: str


class AgreementsInput(QueriesInput):
    """A text, and all that it is compared with at once."""

    pairs: list[Pair]


class EditAllInput(AgreementsInput):
    """A text that is corrected by all that it is compared with at once."""

    limit: NotRequired[str]
    """How much of the text an edit may change."""
    refused: NotRequired[str]


class SummariseInput(TypedDict):
    """Passages that answer a question."""

    question: str
    passages: list[str]


class CorruptInput(TypedDict):
    """A true statement, and passages on the same."""

    text: str
    passages: list[str]
    seed: NotRequired[int]


class Queries(BaseModel):
    """Questions to ask a search engine."""

    queries: list[str] = Field(description="Each a question whose answer verifies a part of the text.")


class Ranking(BaseModel):
    """How well each passage answers a query."""

    scores: list[float] = Field(description="One score per passage, in their order; higher is better.")


class Agreement(BaseModel):
    """What the evidence says about the text, as far as one question goes (RARR's agreement model).

    The order of the fields is the chain of thought.
    """

    text_says: str = Field(description="What the text says in answer to the question; empty if nothing.")
    evidence_says: str = Field(description="What the evidence says in answer to the question; empty if nothing.")
    label: Annotated[Literal["entailment", "neutral", "contradiction"], AnyCase] = Field(
        description="entailment if the evidence agrees with the text, contradiction if it disagrees, "
        "neutral if it does not say or is about something else."
    )

    @model_validator(mode="after")
    def _compares(self) -> "Agreement":
        """Where one of the two says nothing, they neither agree nor disagree."""
        if any(is_null(said.strip(" .…")) for said in (self.text_says, self.evidence_says)):
            self.label = "neutral"
        return self


class NumberedAgreement(Agreement):
    """An agreement, and the pair that it is about."""

    pair: int = Field(description="Number of the pair.")


class Agreements(BaseModel):
    """What each of several pieces of evidence says about the text."""

    agreements: list[NumberedAgreement]

    def of(self, pairs: int) -> list[NumberedAgreement | None]:
        """What was said of each of so many pairs, in their order; None if one was left out, or two things were said.

        What small models say of pairs that do not exist is left out.
        """
        said: dict[int, list[NumberedAgreement]] = {}
        for agreement in self.agreements:
            said.setdefault(agreement.pair, []).append(agreement)
        found = (said.get(number, []) for number in range(1, pairs + 1))
        return [each[0] if len(each) == 1 else None for each in found]


class Revision(BaseModel):
    """The text after one edit (RARR's edit model, which writes the whole of it: appendix D)."""

    text: str = Field(min_length=1, description="The whole text, changed only where the evidence contradicts it.")


class Sourced(BaseModel):
    """One change of a text, and the evidence that asks for it."""

    before: str = Field(default="", description="The words that were changed.")
    after: str = Field(default="", description="The words put in their place.")
    evidence: int = Field(description="Number of the evidence.")


class Edited(BaseModel):
    """The text after one edit over several pieces of evidence (PURR's editor)."""

    text: str = Field(min_length=1, description="The whole text, changed only where the evidence contradicts it.")
    changes: list[Sourced] = Field(default=[], description="Each change that was made; empty if there is none.")


class Statement(BaseModel):
    """What several passages say, in a sentence or two (PURR section 3.1)."""

    text: str = Field(min_length=1, description="A statement that the passages support, complete and by itself.")


SwapKind = Literal["entity", "number", "date", "relation", "negation", "grammar"]


class Swap(BaseModel):
    """One corruption of a statement."""

    kind: Annotated[SwapKind, AnyCase]
    before: str = Field(description="The words of the statement that are changed.")
    after: str = Field(description="What stands in their place.")


class Corruption(BaseModel):
    """A statement made wrong (PURR section 3.1). The order of the fields is the chain of thought."""

    plan: list[Swap] = Field(min_length=1, description="The planned corruptions, one after another.")
    text: str = Field(min_length=1, description="The statement with all of them carried out.")


def _one_score_each(task_input: RankInput, output: Ranking) -> str | None:
    expected, received = len(task_input["passages"]), len(output.scores)
    return None if expected == received else f"{received} scores for {expected} passages"


def _compares_any(task_input: AgreementsInput, output: Agreements) -> str | None:
    """One reply that leaves a pair out costs less than another that may: the pair can be asked about alone."""
    pairs = len(task_input["pairs"])
    return None if any(output.of(pairs)) else f"compare each of the pairs 1 to {pairs} once"


NO_TEXT = ("", "null", "{}", "[]")
"""What a model writes that gives no text. `None.` and `Unknown.` may be a text."""


def says_something(_: object, output: Statement | Edited | Revision) -> str | None:
    """What is wrong with an output that is no text."""
    return "`text` is empty" if output.text.strip().lower() in NO_TEXT else None


def _is_the_text(task_input: QueriesInput, output: Edited | Revision) -> str | None:
    before = task_input.get("before", "").strip()
    if before and before in output.text and before not in task_input["text"]:
        return "`text` begins with what stood before the text; leave that out"
    return says_something(task_input, output)


def _is_wrong_now(task_input: CorruptInput, output: Corruption) -> str | None:
    same = output.text.split() == task_input["text"].split()
    return "`text` is the statement as it was; carry the plan out" if same else None


QUERIES = Task("queries", QueriesInput, Queries)
RANK = Task("rank", RankInput, Ranking, _one_score_each)
AGREEMENT = Task("agreement", AgreementInput, Agreement)
AGREEMENTS = Task("agreements", AgreementsInput, Agreements, _compares_any)
EDIT = Task("edit", EditInput, Revision, _is_the_text)
EDIT_ALL = Task("edit_all", EditAllInput, Edited, _is_the_text)
SUMMARISE = Task("summarise", SummariseInput, Statement, says_something)
CORRUPT = Task("corrupt", CorruptInput, Corruption, _is_wrong_now)
