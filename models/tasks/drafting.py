"""Drafts: a first answer, chains of thought, programs."""

from pydantic import BaseModel, Field, model_validator
from typing_extensions import TypedDict

from ...state.text.answers import read_answer
from .task import Task


class Asked(TypedDict):
    """What is to be answered, or gone on with."""

    question: str


class Sampling(Asked):
    """What is to be answered several times."""

    n: int


class Draft(BaseModel):
    """A first answer."""

    text: str = Field(min_length=1, description="The answer.")


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
    answer_logprob: float | None = Field(default=None, description="Log-probability of its answer, the same.")


class Samples(BaseModel):
    """Several chains of thought, sampled independently."""

    samples: list[Sample] = Field(min_length=1)
    missing: list[str] = Field(default=[], description="Why others could not be had.")


class Program(BaseModel):
    """A Python program that solves a problem (program of thought)."""

    code: str = Field(min_length=1, description="Python that leaves the result in the variable `answer`.")


DRAFT = Task("draft", Asked, Draft, streams=True)
ANSWER = Task("answer", Asked, Draft, streams=True)
COT = Task("cot", Asked, Answered, streams=True)
SAMPLES = Task("samples", Sampling, Samples, prompt="cot", example=Answered)
CHAINS = Task("chains", Sampling, Samples, example=Answered)
CLAIM_CHAINS = Task("claim_chains", Sampling, Samples, example=Answered)
CONTINUATION = Task("continuation", Asked, Draft, streams=True)
PROGRAM = Task("program", Asked, Program)
