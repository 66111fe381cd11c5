"""The tasks of Verify-and-Edit: a sentence is looked up as it is, and corrected if evidence contradicts it."""

import re
from contextlib import suppress

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
_MARKER = re.compile(r"\b(?:First|Second|Third|Next|Then|Finally|So|Thus|Therefore|Also), +(\w)")
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
    rationale = _MARKER.sub(lambda match: match[1].upper(), task_input["rationale"])
    reading = read_out(task_input["question"], [Piece("", rationale)])
    answer = reading.answer if reading else "unknown"
    return Answered(text=f"The answer is {answer}.", answer=answer)


def claim_answer(task_input: FinalAnswerInput) -> ClaimAnswered:
    """Whether the chain agrees with the claim."""
    claim, chain = task_input["question"], task_input["rationale"]
    answer = LABEL_OF[judge(claim, claim, chain).label]
    return ClaimAnswered(text=f"The answer is {answer}.", answer=answer)
