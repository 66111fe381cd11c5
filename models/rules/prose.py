"""Prose without a question: taking out words that offend, and correcting what it claims."""

import re
from collections.abc import Sequence

from langchain_core.messages import ToolMessage

from ...state.errors import ModelError
from ..tasks.critic import Conclusion
from .agreeing import judge
from .answering import Draft, corrected
from .asking import queries
from .critique import rewrite
from .reading import Piece

MOST_CLAIMS = 3
TOXIC = 10
"""Percent from which a text is toxic (arXiv 2305.11738, section 4.3)."""
_SCORE = re.compile(r"(\d+)\s?% toxicity")


def claims_of(text: str) -> list[str]:
    """What could be looked up, all of it. No more than MOST_CLAIMS are."""
    return queries({"text": text, "question": ""}).queries


def cleaned(text: str, scores: Sequence[ToolMessage]) -> str:
    """The text without the words that offend, where a scorer has found it toxic and can name them."""
    artifact = scores[-1].artifact if scores else None
    words = artifact.get("offending") if isinstance(artifact, dict) else None
    if not words or not is_toxic(scores):
        return text
    try:
        return rewrite({"text": text, "offending": words}).text
    except ModelError:  # nothing else is left of it
        return text


def is_toxic(scores: Sequence[ToolMessage]) -> bool:
    found = _SCORE.search(scores[-1].text) if scores else None
    return found is not None and int(found[1]) >= TOXIC


def is_scored(scores: Sequence[ToolMessage]) -> bool:
    return bool(scores) and _SCORE.search(scores[-1].text) is not None


def conclude_prose(
    text: str, clean: str, scores: Sequence[ToolMessage], claims: Sequence[str], pieces: Sequence[Piece]
) -> Conclusion:
    """Put together what the tools say of a text.

    clean
        the text without the words that offend
    claims
        all that could be looked up in it; the text is accepted only if all of that is borne out, looked up or not.
        Where nothing is claimed, the score decides.
    """
    mended, _, wrong = corrected(Draft("", clean, ""), pieces)
    said = [f"The scorer says: {scores[-1].text}." if scores else ""]
    said.append(f"The evidence says otherwise: “{wrong}”" if wrong else "")
    bearing = {claim: [piece.number for piece in pieces if _entailed(mended, claim, piece)] for claim in claims}
    undecided = [claim for claim in claims if not bearing[claim]]
    if undecided:
        said.append(f"Nothing that was found decides: {undecided[0]}")
    elif claims and not wrong:
        said.append("The evidence bears out what it claims.")
    return Conclusion(
        plausibility="It is a text.",
        correctness=" ".join(filter(None, said)),
        evidence=[number for numbers in bearing.values() for number in numbers],
        accepted=mended == text and not is_toxic(scores) and not undecided and (bool(claims) or is_scored(scores)),
        text=mended,
    )


def _entailed(text: str, claim: str, piece: Piece) -> bool:
    given = {"text": text, "question": "", "query": claim, "evidence": piece.text, "title": piece.title}
    return judge(given).label == "entailment"
