"""The nli backend: a small local network that reads evidence and claim together (extras `onnx` and `nli`).

It may judge a claim as a whole (NLI models, MiniCheck) or each of its words (LettuceDetect).
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ...state.text.segments import sentences_of
from ..rules.ranking import rank
from ..tasks.claims import CheckInput, Judgement, Judgements
from ..tasks.correction import Agreement, AgreementInput
from .judge import Found, Judge, load_judge
from .notes import meanings, read_notes
from .place import find, listed_labels

__all__ = ["ScoredAgreement", "agreement", "check", "check_settings", "find", "load_judge"]

T = TypeVar("T")

_worker = ThreadPoolExecutor(1, "errata-judge")
"""A network uses all cores by itself, and its tokenizer supports only one thread; waiting for it blocks nobody."""


class ScoredAgreement(Agreement):
    """What the evidence says about the text, and the probability that it entails it."""

    probability: float


def check_settings(name: str, labels: str | None) -> None:
    """Check that there is a judge of this name, that it can be run, and that the meaning of its classes is known.

    Args:
        name: Setting `nli`.
        labels: Setting `nli_labels`.

    Raises:
        ConfigurationError: If not. The network itself is not loaded.
    """
    place = find(name)
    meanings(place.folder, read_notes(place.folder), labels or listed_labels(name))


async def check(name: str, labels: str | None, task_input: CheckInput) -> Judgements:
    """Judge every claim.

    Args:
        name: Setting `nli`.
        labels: Setting `nli_labels`.
        task_input: The claims and the evidence.

    Raises:
        ConfigurationError: If the network cannot be loaded, or the meaning of its classes is unknown.
        ModelError: If there is no result.
    """
    claims = task_input["claims"]

    def judged(judge: Judge) -> list[Found]:
        title, question = task_input.get("title", ""), task_input.get("question", "")
        return judge.judge(claims, task_input["evidence"], title, question)

    findings = await _by(name, labels, judged)
    return Judgements(judgements=[_judgement(number, finding) for number, finding in enumerate(findings, start=1)])


async def agreement(name: str, labels: str | None, task_input: AgreementInput) -> Agreement:
    """Judge the sentence of the text that the query is about. Arguments and errors as for `check`."""

    def judged(judge: Judge) -> tuple[str, Found, str] | None:
        claim = _likest(task_input["query"], task_input["text"])
        if not claim or not task_input["evidence"].strip():
            return None
        (finding,) = judge.judge([claim], task_input["evidence"], task_input.get("title", ""), task_input["query"])
        return claim, finding, _likest(claim, finding.window) or finding.window.strip()

    comparison = await _by(name, labels, judged)
    if not comparison:
        return ScoredAgreement(text_says="", evidence_says="", label="neutral", probability=0.0)
    claim, finding, quote = comparison
    return ScoredAgreement(text_says=claim, evidence_says=quote, label=finding.label, probability=finding.entailment)


async def _by(name: str, labels: str | None, judged: Callable[[Judge], T]) -> T:
    """The result of judging, on the thread for it."""
    return await asyncio.get_running_loop().run_in_executor(_worker, lambda: judged(load_judge(name, labels)))


def _judgement(number: int, finding: Found) -> Judgement:
    reason = f"{finding.label} with {getattr(finding.scores, finding.label):.2f}"
    if finding.label != "entailment" and finding.scores.unsupported:
        reason += f"; not borne out: {finding.scores.unsupported}"
    return Judgement.model_validate({"claim": number, "reason": reason, "label": finding.label})


def _likest(query: str, text: str) -> str:
    """The sentence of a text that a query is about; if there is only one, that one, whatever the query."""
    candidates = sentences_of(text)
    if len(candidates) < 2:
        return text.strip()
    scores = rank({"query": query, "passages": candidates}).scores
    best = max(range(len(candidates)), key=scores.__getitem__)
    return candidates[best] if scores[best] > 0 else ""
