"""What speaks for another answer: tool results of this run that say what is new in it."""

import re
from collections.abc import Sequence
from typing import Literal

from ...models.rules import agreement
from ...models.rules.language.align import asked_for
from ...models.rules.language.clauses import content
from ...models.rules.language.facts import find
from ...models.rules.observed import Piece
from ...models.rules.reading import read_out
from ...models.tasks.correction import AgreementInput
from ...models.tasks.critic import Conclusion
from ...state import Context, Evidence
from ...state.errors import Undecided
from ...state.methods.critic import AnswerState
from ...state.methods.grounding import Change
from ...state.runs.apart import apart
from ...state.text.answers import is_null, says_answer
from ...state.text.values import same_answer
from ..cite import UNTELLING
from ..facts import has_facts, news, stands
from ..ground import checked, made
from ..ground.excluding import has_number
from ..tooling import shown

QUANTITIES = ("date", "amount")

Correction = Literal["none", "unsupported", "restated", "supported"]
"""What a critique proposes: nothing new, something that no evidence speaks for, the short answer that the text gives
anyway, or something that evidence of this run speaks for.
"""


async def proposed(outcome: Conclusion, state: AnswerState, context: Context) -> tuple[Correction, str]:
    """What the conclusion of a critique proposes, and the text that is to take the answer's place.

    An answer may be another one. A text that answers no question is only corrected: it keeps all words that the
    evidence does not contradict, because a model that is shown evidence may write that instead.
    """
    told = [result["evidence"] for result in shown(state["messages"]) if result["bears"] and result["evidence"]]
    is_prose = not state["question"] and not any(_is_run_of(piece, state["text"]) for piece in told)
    if not is_prose or not needs_evidence(state, context) or not _is_another(outcome, state):
        return await apart(lambda: correction(outcome, state), outcome.text, told), outcome.text
    changes = await checked(state["text"], outcome.text, told, context)
    runs = [piece for piece in told if piece["source"].startswith(("python:", "tool:"))]
    text = made(state["text"], [{**each, "refused": ""} if _is_computed(each, runs) else each for each in changes])
    return ("unsupported", outcome.text) if text == state["text"] else ("supported", text)


def _is_computed(change: Change, runs: Sequence[Evidence]) -> bool:
    """Whether a change puts a number that a program or the caller's own tool gave in a number's place."""
    return has_number(change["before"]) and has_number(change["after"]) and has_facts(change["after"], "", runs)


def correction(outcome: Conclusion, state: AnswerState) -> Correction:
    """What the conclusion of a critique proposes in place of the answer.

    What stands for a short answer has to be in the evidence: its dates, numbers, names and other words. Of an answer in
    sentences, the new dates, numbers and names have to. Where there are none ("yes", a word left out), the critic has
    to name what it goes by. A program has to have been run, unless the one that it replaces has failed.
    """
    if not _is_another(outcome, state):
        return "none"
    results = shown(state["messages"])
    pieces = [result["evidence"] for result in results if result["bears"] and result["evidence"]]
    own = [result for result in results if result["evidence"] and _is_run_of(result["evidence"], state["text"])]
    if own:
        works = any(_is_run_of(piece, outcome.text) for piece in pieces) or not own[-1]["bears"]
        return "supported" if works else "unsupported"
    if state["question"] and outcome.answer:
        if _restates(outcome, state):
            return "restated"
        if not _could_answer(outcome.answer, state["question"], pieces):
            return "unsupported"
        asked = content(state["question"])
        known = frozenset() if content(outcome.answer) <= asked else asked
        facts, words = news(outcome.answer, known)
    else:
        known = content(state["text"]) | content(state["question"])
        facts, words = news(outcome.text, known)[0], frozenset()
    if not _is_a_version_of(outcome.text, state, pieces):
        return "unsupported"
    if not facts and not words:
        return "supported" if any(0 < number <= len(results) for number in outcome.evidence) else "unsupported"
    return "supported" if stands(facts, words, pieces) else "unsupported"


def quotes_line(critique: str, program: str) -> bool:
    """Whether a critique says where a program is wrong: a line's number, or code of it in backticks."""
    code = "".join(program.split())
    quoted = ("".join(quote.split()) for quote in re.findall(r"`([^`]{2,})`", critique))
    return any(quote in code for quote in quoted) or bool(re.search(r"\bline \d", critique, re.IGNORECASE))


def needs_evidence(state: AnswerState, context: Context) -> bool:
    """Whether only evidence may speak for another answer. Without tools there is none, and right answers need none."""
    return context.caution == "evidence" and context.use_tools and not state["gold"]


def _is_another(outcome: Conclusion, state: AnswerState) -> bool:
    """Whether a critique reached another answer. "There is no answer" does not count as one."""
    if not outcome.text.strip() or is_null(outcome.answer or outcome.text):
        return False
    if outcome.answer and state["answer"]:
        return not same_answer(outcome.answer, state["answer"])
    if state["answer"] and content(outcome.text) <= content(state["text"]):
        return False  # its closing line is left out
    return outcome.text.strip() != state["text"].strip()


def is_about(piece: Evidence, text: str) -> bool:
    """Whether a piece of evidence has a content word in common with a text, and does not plainly contradict it."""
    compared: AgreementInput = {
        "text": text,
        "question": "",
        "query": text,
        "evidence": piece["text"],
        "title": piece["title"],
    }
    if not content(text) & content(f"{piece['title']} {piece['text']}"):
        return False
    try:
        return agreement(compared).label != "contradiction"
    except Undecided:  # too much to compare
        return True


def _is_a_version_of(text: str, state: AnswerState, pieces: Sequence[Evidence]) -> bool:
    """Whether a text says something on the subject, and not about the text that it is to replace: "No change."."""
    told = (content(f"{piece['title']} {piece['text']}") for piece in pieces)
    known = content(state["text"]) | content(state["question"]) | frozenset[str]().union(*told)
    words = content(text) - content(" ".join(UNTELLING))
    return 2 * len(words & known) >= len(words)


def _could_answer(answer: str, question: str, pieces: Sequence[Evidence]) -> bool:
    """Whether an answer is of the kind that its question asks for, and what was found does not give another.

    If only pages tell, one has to have a word of the question.
    """
    if asked_for(question) in QUANTITIES and not any(fact.kind in QUANTITIES for fact in find(answer, 0, len(answer))):
        return False
    pages = [piece for piece in pieces if not piece["source"].startswith(("python:", "tool:"))]
    told = read_out(question, (Piece(page["title"], page["text"]) for page in pages))
    if told and not content(told.answer) & content(answer):
        return False
    asked = content(question)
    return len(pages) < len(pieces) or any(asked & content(f"{page['title']} {page['text']}") for page in pages)


def _is_run_of(piece: Evidence, program: str) -> bool:
    return piece["source"].startswith("python:") and piece["query"].strip() == program.strip()


def _restates(outcome: Conclusion, state: AnswerState) -> bool:
    """Whether the short answer is taken from a text that names none at its end, and nothing else is new."""
    known = content(state["text"])
    is_taken = not says_answer(state["text"]) and content(outcome.answer) <= known
    return is_taken and not news(outcome.text, known | content(state["question"]))[0]
