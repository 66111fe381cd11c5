"""What thinking comes to: the output of each task, whoever does the thinking.

The order of the fields is the order in which a chat model writes them, so the thinking stands before what it comes to.
"""

import re
from typing import Annotated, Any, Literal

from langchain_core.messages import AIMessage
from pydantic import BaseModel, BeforeValidator, Field, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema

from ..state.answers import is_null, read_answer, read_label, short_answer


def _bare(label: Any) -> Any:
    """A label as models write it, with a capital or in bold, as we do."""
    return label.strip(" \n\t.*_`\"'").lower() if isinstance(label, str) else label


AnyCase = BeforeValidator(_bare)


class Draft(BaseModel):
    """A first answer."""

    text: str = Field(min_length=1, description="The answer.")


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
        if not (self.text_says.strip() and self.evidence_says.strip()):
            self.label = "neutral"
        return self


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


class Swap(BaseModel):
    """One corruption of a statement."""

    kind: Annotated[Literal["entity", "number", "date", "relation", "negation", "grammar"], AnyCase]
    before: str = Field(description="The words of the statement that are changed.")
    after: str = Field(description="What stands in their place.")


class Corruption(BaseModel):
    """A statement made wrong (PURR section 3.1). The order of the fields is the chain of thought."""

    plan: list[Swap] = Field(min_length=1, description="The planned corruptions, one after another.")
    text: str = Field(min_length=1, description="The statement with all of them carried out.")


class Program(BaseModel):
    """A Python program that solves a problem (program of thought)."""

    code: str = Field(min_length=1, description="Python that leaves the result in the variable `answer`.")


class Critique(BaseModel):
    """What a critic says of a draft (CRITIC): first whether it can be an answer at all, then whether it is right."""

    plausibility: str = Field(description="Is it the right kind of answer: sign, whole or not, unit, order of size?")
    correctness: str = Field(description="Is it right, going by what the tools say? What exactly is wrong?")
    accepted: bool = Field(description="true if nothing is to be corrected.")


class Answered(Draft):
    """A chain of thought and the short answer that it comes to."""

    answer: str = Field(default="", description="The short answer, without its reasoning.")

    @model_validator(mode="after")
    def _read(self) -> "Answered":
        self.answer = self.answer or read_answer(self.text)
        return self


class Sample(Answered):
    """One of several chains of thought that a model came to."""

    logprob: float | None = Field(default=None, description="Mean log-probability of its tokens, where that is known.")


class Samples(BaseModel):
    """Several chains of thought, sampled independently."""

    samples: list[Sample] = Field(min_length=1)


class VerifyingQuestion(Draft):
    """What to look up to verify a sentence (Verify-and-Edit)."""


class VerifyingAnswer(Draft):
    """What the evidence says in answer to a verifying question, in a sentence; `unknown` if it does not tell."""

    @property
    def tells(self) -> bool:
        """Whether it is an answer, and not the word that the evidence does not tell."""
        return not is_null(self.text) and not _TELLS_NOTHING.search(self.text)


_TELLS_NOTHING = re.compile(
    r"\b(?:context|evidence|texts?|passages?|information)\b[^.]*\b(?:do(?:es)? not|doesn't|don't)\s+"
    r"(?:say|tell|state|mention|specify|provide|give|contain|answer)\b|\b(?:is|are) (?:not|un) ?known\b",
    re.IGNORECASE,
)


class ClaimAnswered(Answered):
    """A judgement on a claim: `answer` is SUPPORTS, REFUTES or NOT ENOUGH INFO (FEVER), or empty."""

    @model_validator(mode="after")
    def _read_label(self) -> "ClaimAnswered":
        self.answer = read_label(self.answer)
        return self


class Conclusion(BaseModel):
    """How a critique ends: is the answer right, and if not, what is? In the order of the chain of thought."""

    plausibility: str = Field(default="", description="Is it the right kind of answer to what was asked?")
    correctness: str = Field(default="", description="Is it right, going by what the tools say? What is wrong?")
    evidence: list[int] = Field(default=[], description="Numbers of what the tools gave that this rests on: 1 for [1].")
    accepted: bool = Field(default=False, description="true if nothing is to be corrected.")
    text: str = Field(default="", description="The whole answer, corrected where it was wrong.")
    answer: str = Field(default="", description="The short answer that `text` comes to; empty for prose.")

    @field_validator("evidence", mode="before")
    @classmethod
    def _numbers(cls, given: Any) -> Any:
        """Numbers, however they are written: 1, "[1]", "1 and 2"."""
        each = given if isinstance(given, list) else [given]
        return [int(number) for one in each for number in re.findall(r"\d{1,3}", str(one))]

    @model_validator(mode="after")
    def _read(self) -> "Conclusion":
        self.answer = self.answer or short_answer(self.text)
        return self


CONCLUDE = "conclude"


class Turn(BaseModel):
    """One turn of a model that may use tools: the tool that it wants to use next, or its conclusion."""

    thought: str = Field(default="", description="Why.")
    tool: str = Field(description="Name of a tool, or `conclude`.")
    argument: str = Field(default="", description="What the tool is given.")
    conclusion: Conclusion | None = Field(default=None, description="With `conclude`.")
    message: SkipJsonSchema[AIMessage | None] = Field(default=None, description="As the model's provider gave it.")


class Triplet(BaseModel):
    """One claim, as a triplet (RefChecker)."""

    subject: str = Field(min_length=1, description="What the claim is about, by its full name.")
    predicate: str = Field(description="What is said of it.")
    object: str = Field(description="Whom or what the predicate relates it to; empty if it stands alone.")
    sentences: list[int] = Field(min_length=1, description="Numbers of the sentences that make the claim.")


class Triplets(BaseModel):
    """All claims of a text, as triplets."""

    claims: list[Triplet]


class Subsentence(BaseModel):
    """One claim, as a short sentence."""

    content: str = Field(min_length=1, description="The claim, in a sentence that stands alone.")
    sentences: list[int] = Field(min_length=1, description="Numbers of the sentences that make the claim.")


class Subsentences(BaseModel):
    """All claims of a text, as short sentences."""

    claims: list[Subsentence]


class Judgement(BaseModel):
    """What the evidence says about one claim. First the thinking, then the label."""

    claim: int = Field(description="Number of the claim.")
    reason: str = Field(description="What the evidence says about it, in a few words; empty if nothing.")
    label: Annotated[Literal["entailment", "neutral", "contradiction"], AnyCase] = Field(
        description="entailment if the evidence supports the claim, contradiction if it contradicts it, "
        "neutral if it does not say."
    )


class Judgements(BaseModel):
    """What the evidence says about each of several claims (RefChecker's checker)."""

    judgements: list[Judgement]


class Choice(BaseModel):
    """What to do next for a response (LLM-Augmenter's policy)."""

    reason: str = Field(default="", description="What is known, and what is missing.")
    action: Annotated[Literal["consolidate", "prompt", "send"], AnyCase] = Field(
        description="consolidate to look up evidence, prompt to write a response, send to send the one there is."
    )


class Searches(BaseModel):
    """What to search for before a message is responded to."""

    queries: list[str] = Field(min_length=1, description="Each a search query that stands alone; three at most.")


class Entities(BaseModel):
    """Names that a text mentions."""

    names: list[str] = Field(description="The names, the most telling first.")


class Chains(BaseModel):
    """Numbered statements, chained into evidence paths; those that no path holds are dropped."""

    paths: list[list[int]] = Field(
        description="Each the numbers of statements that lead from one to the next; mostly one or two."
    )


class Utility(BaseModel):
    """How good a response is. The order of the fields is the chain of thought; the numbers are from 0 to 1."""

    reason: str = Field(default="", description="What is good and what is bad about it.")
    fluency: float = Field(ge=0, le=1, description="Does it read as a natural, complete reply to the message?")
    informativeness: float = Field(ge=0, le=1, description="Does it tell what was asked for?")
    factuality: float = Field(ge=0, le=1, description="Is all that it states borne out by the evidence?")


class Feedback(BaseModel):
    """What is to be done better about a response."""

    text: str = Field(min_length=1, description="What to change, naming the evidence, in a few sentences.")
    contradicts: bool = Field(default=False, description="true if the evidence contradicts the response.")
