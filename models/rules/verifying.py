"""The tasks of Verify-and-Edit: a sentence is looked up as it is, and corrected if evidence contradicts it."""

import re
from contextlib import suppress

from ...state.text.rationale import ORDINALS, UNVERIFIED
from ...state.text.segments import sentences_of
from ..tasks.drafting import Answered
from ..tasks.verification import (
    ClaimAnswered,
    FinalAnswerInput,
    VerifyingAnswer,
    VerifyingAnswerInput,
    VerifyingQuestion,
    VerifyingQuestionInput,
)
from .agreeing import judge
from .editing import corrected
from .observed import Piece, parsed_result
from .reading import read_out

LABEL_OF = {"entailment": "SUPPORTS", "contradiction": "REFUTES", "neutral": "NOT ENOUGH INFO"}
_MARKER = re.compile(rf"\b(?:{'|'.join(ORDINALS)}|Next|Then|Finally|So|Thus|Therefore|Also), +(\w)")
"""How a step of a chain of thought begins, without meaning anything."""


def verifying_question(task_input: VerifyingQuestionInput) -> VerifyingQuestion:
    """The sentence itself: it has the words to search for."""
    return VerifyingQuestion(text=" ".join(task_input["sentence"].split()))


def verifying_answer(task_input: VerifyingAnswerInput) -> VerifyingAnswer:
    """The sentence in the form that the first deciding line of the evidence gives it, if there is one."""
    sentence = task_input["question"]
    for line in task_input["evidence"].splitlines():
        result = parsed_result(line)
        arguments = sentence, sentence, result["text"], result["title"] or ""
        with suppress(ValueError):  # what no rule can correct is not reported
            if judge(*arguments).label != "neutral":
                return VerifyingAnswer(text=corrected(*arguments))
    return VerifyingAnswer(answerable=False)


def final_answer(task_input: FinalAnswerInput) -> Answered:
    """The chain's answer, if one of its sentences gives it; otherwise `unknown`."""
    facts = _facts(task_input["rationale"].replace(f" {UNVERIFIED}", ""))
    reading = read_out(task_input["question"], [Piece("", facts)])
    answer = reading.answer if reading else "unknown"
    return Answered(text=f"The answer is {answer}.", answer=answer)


def claim_answer(task_input: FinalAnswerInput) -> ClaimAnswered:
    """Whether what was verified of the chain agrees with the claim."""
    claim = task_input["question"]
    chain = _facts(" ".join(fact for fact in sentences_of(task_input["rationale"]) if UNVERIFIED not in fact))
    answer = LABEL_OF[judge(claim, claim, chain).label]
    return ClaimAnswered(text=f"The answer is {answer}.", answer=answer)


def _facts(rationale: str) -> str:
    """A chain of thought without what its steps begin with."""
    return _MARKER.sub(lambda match: match[1].upper(), rationale)
