"""The tasks of Verify-and-Edit by rules: what to ask of a sentence, what a sentence answers, what a chain comes to."""

import re
from typing import Any

from ...state.answers import normalise
from ...state.errors import ModelError
from ..tasks.drafting import Answered
from ..tasks.verification import ClaimAnswered, VerifyingAnswer, VerifyingQuestion
from . import facts
from .agreeing import agreement
from .asking import queries
from .clauses import PERSONAL, content
from .facts import Fact
from .tables import table
from .words import words

COVERED = 0.85
"""The share of a question's content words that a sentence has to have, with its title, to be its answer."""
ASKING = table("what which who whom whose when where why how many much year old long tall high far do does did name")
LABEL_OF = {"entailment": "SUPPORTS", "contradiction": "REFUTES", "neutral": "NOT ENOUGH INFO"}
_LINE = re.compile(r"^\[([^\]]*)\] (.*)$")
_YES_NO = re.compile(r"^(?:is|are|was|were|does|do|did|has|have|had|can|could)\b", re.IGNORECASE)
_KINDS = (
    (
        "date",
        re.compile(r"^(?:when|(?:in |on )?(?:what|which) (?:year|date|day))\b", re.IGNORECASE),
    ),
    ("amount", re.compile(r"\bhow (?:many|much|tall|high|long|far|old|deep|wide|heavy|large|big)\b", re.IGNORECASE)),
    ("contrast", re.compile(r"^(?:what|which) nationality\b|\bthe nationality of\b", re.IGNORECASE)),
    ("name", re.compile(r"^(?:\w+ )?(?:who|whom|whose|where|which|what)\b", re.IGNORECASE)),
)


def verifying_question(task_input: dict[str, Any]) -> VerifyingQuestion:
    """The first question that the sentence answers, made from its own words without the value in doubt.

    Where no such form fits, the overall question: better than one that repeats what may be wrong.
    """
    asked = queries({"text": task_input["sentence"], "question": task_input["question"]}).queries
    open_ones = [question for question in asked if not _YES_NO.match(question)]
    overall = " ".join(task_input["question"].split())
    for question in filter(None, (*open_ones, overall, *asked)):
        return VerifyingQuestion(text=question)
    raise ModelError("no rule makes a question of the sentence: use a chat model")


def verifying_answer(task_input: dict[str, Any]) -> VerifyingAnswer:
    """The sentence of the evidence that covers the question best; `unknown` if none has nearly all of its words.

    It has to have a fact of the kind that is asked for, too, which the question does not name.
    """
    question = task_input["question"]
    asked = content(question) - {stem for word in ASKING for stem in content(word)}
    best, share = "", 0.0
    for line in task_input["evidence"].splitlines():
        found = _LINE.match(line)
        title, said = found.groups() if found else ("", line)
        covered = len(asked & content(f"{title} {said}")) / len(asked) if asked else 0.0
        if covered > share and _answers(question, said):
            best, share = _standing_alone(said, title), covered
    return VerifyingAnswer(text=best if share >= COVERED else "unknown")


def final_answer(task_input: dict[str, Any]) -> Answered:
    """The last fact of the chain of the kind that is asked for, which the question does not name itself.

    `unknown` for what rules cannot read off: yes or no, and everything that is no date, number or name.
    """
    question, rationale = task_input["question"], task_input["rationale"]
    found = [] if _YES_NO.match(question) else _of_kind(question, rationale)
    answer = found[-1].text if found else "unknown"
    return Answered(text=f"The answer is {answer}.", answer=answer)


def claim_answer(task_input: dict[str, Any]) -> ClaimAnswered:
    """Whether the facts of the chain agree with the claim, by the rules of `agreement`."""
    claim = task_input["question"]
    evidence = task_input["rationale"]
    judged = agreement({"text": claim, "question": "", "query": claim, "evidence": evidence, "title": ""})
    answer = LABEL_OF[judged.label]
    return ClaimAnswered(text=f"The answer is {answer}.", answer=answer)


def _answers(question: str, said: str) -> bool:
    return bool(_YES_NO.match(question)) or bool(_of_kind(question, said)) or not _kind(question)


def _of_kind(question: str, said: str) -> list[Fact]:
    kind, named = _kind(question), content(question)
    found = [fact for fact in facts.find(said, 0, len(said)) if fact.kind == kind]
    return [fact for fact in found if not fact.stems <= named and normalise(fact.text) not in normalise(question)]


def _kind(question: str) -> str:
    return next((kind for kind, form in _KINDS if form.search(question.strip())), "")


def _standing_alone(said: str, title: str) -> str:
    """A sentence that begins with a pronoun, with the title of its page in the pronoun's place."""
    found = words(said)
    alone = found and found[0].lower in PERSONAL - {"its", "his", "her", "their", "this", "these", "that", "those"}
    return f"{title}{said[found[0].end :]}" if alone and title else said
