"""Verification of a chain of thought, sentence by sentence (Verify-and-Edit)."""

import re

from pydantic import BaseModel, Field, model_validator
from typing_extensions import TypedDict

from ...state.text.answers import is_null, read_answer, read_label, short_answer
from .drafting import Answered, Draft
from .task import Task


class VerifyingQuestionInput(TypedDict):
    """A sentence of a chain of thought."""

    question: str
    sentence: str
    rationale: str


class VerifyingAnswerInput(TypedDict):
    """A verifying question, and what was found."""

    question: str
    evidence: str


class FinalAnswerInput(TypedDict):
    """A question, or a claim to judge, and the corrected chain of thought."""

    question: str
    rationale: str


class VerifyingQuestion(Draft):
    """What to look up to verify a sentence (Verify-and-Edit)."""


class VerifyingAnswer(BaseModel):
    """What the evidence says in answer to a verifying question."""

    answerable: bool = Field(default=True, description="true if the evidence tells the answer, false if it does not.")
    text: str = Field(default="", description="The answer in a sentence that stands alone; empty if there is none.")

    @property
    def tells(self) -> bool:
        """Whether it is an answer, and not the word that the evidence does not say."""
        return self.answerable and not is_null(self.text) and not _TELLS_NOTHING.search(self.text)


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


def _one_line(task_input: VerifyingQuestionInput, output: VerifyingQuestion) -> str | None:
    return None if "\n" not in output.text.strip() else "there is more than the one question"


def _has_its_answer(_: object, output: VerifyingAnswer) -> str | None:
    missing = output.answerable and not output.text.strip()
    return "`text` is empty; set `answerable` to false if the evidence does not say" if missing else None


def _comes_to_an_answer(task_input: FinalAnswerInput, output: Answered) -> str | None:
    parsed = output.answer != read_answer(output.text) or short_answer(output.text)
    return None if parsed else 'it does not say "The answer is " and the answer'


def _is_a_label(task_input: FinalAnswerInput, output: ClaimAnswered) -> str | None:
    return None if output.answer else "the answer is none of SUPPORTS, REFUTES and NOT ENOUGH INFO"


VERIFYING_QUESTION = Task("verifying_question", VerifyingQuestionInput, VerifyingQuestion, _one_line)
VERIFYING_ANSWER = Task("verifying_answer", VerifyingAnswerInput, VerifyingAnswer, _has_its_answer)
FINAL_ANSWER = Task("final_answer", FinalAnswerInput, Answered, _comes_to_an_answer)
CLAIM_ANSWER = Task("claim_answer", FinalAnswerInput, ClaimAnswered, _is_a_label)
