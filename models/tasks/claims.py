"""Claims: take a text apart, check each part against a reference (RefChecker)."""

from collections import Counter
from typing import NotRequired

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from .task import Stance, Task


class ExtractInput(TypedDict):
    """The sentences of a text."""

    sentences: list[str]
    question: NotRequired[str]
    """What the text answers."""
    before: NotRequired[str]
    """What stands before the sentences."""


class CheckInput(TypedDict):
    """Claims, and the passage that they are checked against."""

    claims: list[str]
    evidence: str
    question: NotRequired[str]
    title: NotRequired[str]
    before: NotRequired[str]
    """The text before the claims, which a pronoun of theirs may refer to."""


class ExtractAndCheckInput(TypedDict):
    """The sentences of a text, and the passage that its claims are checked against."""

    sentences: list[str]
    evidence: str
    question: NotRequired[str]
    title: NotRequired[str]


class Triplet(BaseModel):
    """One claim, as a triplet (RefChecker)."""

    subject: str = Field(min_length=1, description="What the claim is about, by its full name.")
    predicate: str = Field(description="What is said of it.")
    object: str = Field(description="Whom or what the predicate relates it to; empty if it stands alone.")
    sentences: list[int] = Field(min_length=1, description="Numbers of the sentences that make the claim.")


class Triplets(BaseModel):
    """All claims of a text, as triplets."""

    claims: list[Triplet]


class CheckedTriplet(Triplet):
    """One claim, and what the evidence says about it."""

    label: Stance = Field(
        description="supported if the evidence supports the claim, contradicted if it says otherwise, "
        "not stated if it does not say."
    )
    reason: str = Field(description="What the evidence says about it, in a few words; empty if nothing.")


class CheckedTriplets(BaseModel):
    """All claims of a text, as triplets, each checked."""

    claims: list[CheckedTriplet]


class Subsentence(BaseModel):
    """One claim, as a short sentence."""

    content: str = Field(min_length=1, description="The claim, in a sentence that stands alone.")
    sentences: list[int] = Field(min_length=1, description="Numbers of the sentences that make the claim.")


class Subsentences(BaseModel):
    """All claims of a text, as short sentences."""

    claims: list[Subsentence]


class Judgement(BaseModel):
    """What the evidence says about one claim. The label comes first, as in the published checker's replies.

    With the reason before it, small models took the label that their reason was worded like in the examples.
    """

    claim: int = Field(description="Number of the claim.")
    label: Stance = Field(
        description="supported if the evidence supports the claim, contradicted if it says otherwise, "
        "not stated if it does not say."
    )
    reason: str = Field(description="What the evidence says about it, in a few words; empty if nothing.")


class Judgements(BaseModel):
    """What the evidence says about each of several claims (RefChecker's checker)."""

    judgements: list[Judgement]

    def of(self, claims: int) -> list[Judgement]:
        """The judgements of so many claims, in their order, without those of others, which small models add."""
        by_number = {judgement.claim: judgement for judgement in self.judgements}
        return [by_number[number] for number in range(1, claims + 1)]


def _sentences_exist(
    task_input: ExtractInput | ExtractAndCheckInput, output: Triplets | CheckedTriplets | Subsentences
) -> str | None:
    last = len(task_input["sentences"])
    unknown = {number for claim in output.claims for number in claim.sentences if not 1 <= number <= last}
    return f"there is no sentence {min(unknown)}: they are numbered from 1 to {last}" if unknown else None


def _one_judgement_each(task_input: CheckInput, output: Judgements) -> str | None:
    counts = Counter(judgement.claim for judgement in output.judgements)
    expected = range(1, len(task_input["claims"]) + 1)
    if all(counts[number] == 1 for number in expected):
        return None
    return f"judge each of the claims {list(expected)} once; claims {sorted(counts.elements())} were judged"


EXTRACT = Task("extract", ExtractInput, Triplets, _sentences_exist)
EXTRACT_SUBSENTENCES = Task("extract_subsentences", ExtractInput, Subsentences, _sentences_exist)
EXTRACT_AND_CHECK = Task("extract_and_check", ExtractAndCheckInput, CheckedTriplets, _sentences_exist)
CHECK = Task("check", CheckInput, Judgements, _one_judgement_each)
