"""Localisation: where the response makes a claim, and where the references decide it."""

import re
from collections.abc import Sequence
from typing import Any

from ...state import Attribution, Context, Failure, Label, SentenceStatus, Stopped, Unresolved
from ...state.methods.refcheck import Claim, RefCheckState, Statement
from ...state.outcomes import OF_LABEL, combined, status_of
from ...state.text.segments import Span, counted, sentences_of, tokens
from ..budget import why_spent
from ..conclude import sums, why_unchecked
from ..quorum import judged

GAP = 0.3
"""The penalty for a word in the span that is not in the claim; a word of the claim counts 1."""
LONGEST_SPAN = 60
"""The longest span, in words."""

_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+(?:['’][^\W_{_CJK}]+)*")


async def localise(state: RefCheckState, context: Context) -> dict[str, Any]:
    """Locate every claim, and sum up the run."""
    claims = [_claim(statement, state) for statement in state["statements"]]
    reasons = dict.fromkeys(claim["reason"] for claim in claims if claim["label"] == "error")
    reported = {failure["reason"] for failure in state["failures"]} | {why_spent(state, context)[1]}
    failures: list[Failure] = [
        {"step": "check", "reason": reason, "unchecked": True} for reason in reasons if reason not in reported
    ]
    attribution, unresolved = _attribution(state, claims), _contradicted(state, claims)
    stopped, reason = _stop_reason(state, context, claims, [*state["failures"], *failures])
    return {
        "claims": claims,
        "verdicts": [state["verdict_of"][claim["id"]] for claim in claims],
        "attribution": attribution,
        "unresolved": unresolved,
        "status": status_of(state["text"], state["text"], attribution, unresolved),
        "failures": failures,
        **judged("claims", state["verdict_of"].values(), len(claims)),
        "stopped": stopped,
        "reason": reason,
        "usage": sums(state, context),
    }


def _claim(statement: Statement, state: RefCheckState) -> Claim:
    verdict = state["verdict_of"][statement["id"]]
    passage = next((piece["text"] for piece in state["evidence"] if piece["id"] == verdict["evidence"]), "")
    quote = _quote(f"{statement['content']} {verdict['reason']}", passage)
    start, end = _place(statement, state, quote if verdict["label"] == "contradiction" else "")
    return {
        **statement,
        "start": start,
        "end": end,
        "label": verdict["label"],
        "reason": verdict["reason"],
        "evidence": verdict["evidence"],
        "quote": quote,
        "backend": verdict["backend"],
    }


def _place(statement: Statement, state: RefCheckState, against: str) -> Span:
    """The words that state a claim where it is made: a triplet's object, what is wrong of it, or all of its words."""
    spans = [(start, end) for start, end in (state["sentences"][number - 1] for number in statement["sentences"])]
    whole = spans[0][0], spans[-1][1]
    if statement["content"] == " ".join(state["text"][slice(*whole)].split()):
        return whole
    for words in (_wrong(statement, against), statement["content"]):
        found = [span for sentence in spans if (span := best_span(words, state["text"], sentence))]
        if found:
            return max(found, key=lambda span: span[0])[1:]
    return spans[0]


def _wrong(statement: Statement, against: str) -> str:
    """The part of a triplet that a sentence contradicts: its object, unless the sentence says the same of that."""
    said = set(tokens(against))
    if not against or not set(tokens(statement["object"])) <= said:
        return statement["object"]
    other_subject = set(tokens(statement["predicate"])) <= said and not set(tokens(statement["subject"])) <= said
    return statement["content"] if other_subject else f"{statement['predicate']} {statement['object']}"


def _quote(claimed: str, passage: str) -> str:
    """The sentence of a passage that best matches the words of claim and reason; the first of equals."""
    words = set(tokens(claimed))
    return max(sentences_of(passage), key=lambda sentence: len(words & set(tokens(sentence))), default="")


def best_span(words: str, text: str, within: Span) -> tuple[float, int, int] | None:
    """The shortest stretch of text[within] that holds most of some words; the first of equals.

    Returns its score and its character offsets, or None if none of the words occurs.
    """
    sought = {_comparable(match.group()) for match in _WORD.finditer(words)} - {""}
    in_text = [(_comparable(match.group()), *match.span()) for match in _WORD.finditer(text, *within)]
    best: tuple[float, int, int] | None = None
    for first, (word, start, _) in enumerate(in_text):
        if word not in sought:
            continue
        words_seen: set[str] = set()
        for length, (other, _, end) in enumerate(in_text[first : first + LONGEST_SPAN], start=1):
            if other not in sought:
                continue
            words_seen.add(other)
            score = len(words_seen) - GAP * (length - len(words_seen))
            if best is None or score > best[0]:
                best = score, start, end
    return best


def _comparable(word: str) -> str:
    """The form of a word for comparison; empty for a word that only joins others."""
    return "".join(tokens(word))


def _attribution(state: RefCheckState, claims: Sequence[Claim]) -> list[Attribution]:
    """Each sentence of the response with the passages that support one of its claims, and its status."""
    parts: list[Attribution] = []
    for number, (start, end) in enumerate(state["sentences"], start=1):
        mine = [claim for claim in claims if number in claim["sentences"]]
        labels = {claim["label"] for claim in mine}
        supporting = [claim["evidence"] for claim in mine if claim["label"] == "entailment"]
        parts.append(
            {
                "sentence": state["text"][start:end],
                "start": start,
                "end": end,
                "evidence": list(dict.fromkeys(supporting)),
                "status": "nothing found" if labels == {"entailment", "neutral"} else combined(map(_status, labels)),
            }
        )
    return parts


def _status(label: Label) -> SentenceStatus:
    return "unresolved" if label == "contradiction" else OF_LABEL.get(label, "not checked")


def _contradicted(state: RefCheckState, claims: Sequence[Claim]) -> list[Unresolved]:
    """The claims that the references contradict. They are reported, and the text is not changed."""
    return [
        {
            "sentence": state["text"][start:end],
            "start": start,
            "end": end,
            "question": claim["content"],
            "evidence": claim["evidence"],
            "reason": claim["reason"],
            "left": "claims are checked and not corrected",
        }
        for claim in claims
        if claim["label"] == "contradiction"
        for start, end in [state["sentences"][claim["sentences"][0] - 1]]
    ]


def _stop_reason(
    state: RefCheckState, context: Context, claims: list[Claim], failures: list[Failure]
) -> tuple[Stopped, str]:
    """Why the run stopped, as a value of `stopped` and in words."""
    if why := why_unchecked(state["text"], failures):
        return "error", why
    if state["spent"] or not state["text"]:
        stopped, why = why_spent(state, context)
        return stopped, f"{why}; {_tally(claims)}"
    if not claims:
        return "finished", "the response makes no claim"
    return "finished", _tally(claims)


def _tally(claims: list[Claim]) -> str:
    labels = [claim["label"] for claim in claims]
    counts = {
        "supported": labels.count("entailment"),
        "contradicted": labels.count("contradiction"),
        "undecided": labels.count("neutral"),
        "unchecked": labels.count("error"),
    }
    listed = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
    return f"{counted(len(claims), 'claim')}: {listed}" if claims else "no claim was extracted"
