"""The outcome of a run: the status of each sentence, and of the whole."""

from collections import Counter
from collections.abc import Iterable, Sequence

from .methods.correction import Check
from .records import Attribution, Edit, Failure, SentenceStatus, Status, Unresolved, Verdict
from .text.answers import concludes, read_answer
from .text.segments import Span, counted, sentences, tokens
from .text.spans import segments

STATUSES: tuple[SentenceStatus, ...] = ("unresolved", "corrected", "not checked", "checked", "nothing found")
"""The precedence of the statuses of several checks of a sentence. A failed check could have been a contradiction, and
agreement counts more than undecided checks.
"""
SAID: tuple[SentenceStatus, ...] = ("corrected", "checked", "unresolved", "nothing found", "not checked")
"""The order in which statuses are reported."""


OF_LABEL: dict[str, SentenceStatus] = {"entailment": "checked", "neutral": "nothing found"}
"""The status for each label that finds nothing wrong."""


def status_of(original: str, text: str, attribution: Iterable[Attribution], unresolved: Sequence[Unresolved]) -> Status:
    """The status of a run."""
    statuses = {part["status"] for part in attribution}
    if unresolved:
        return "unresolved"
    if text != original:
        return "corrected"
    if "checked" not in statuses:
        return "not checked"
    return "checked" if statuses == {"checked"} else "unchanged"


def combined(statuses: Iterable[SentenceStatus]) -> SentenceStatus:
    """The status of a sentence with several checks; without any it is not checked."""
    present = set(statuses)
    return next((status for status in STATUSES if status in present), "not checked")


def check_status(check: Check) -> SentenceStatus:
    """The status of one check."""
    verdict = check["verdict"]
    if check.get("left"):
        return "unresolved"
    if verdict is None:
        return "corrected" if check.get("corrected") else "not checked"
    if verdict["label"] == "contradiction":
        return "corrected" if check.get("corrected") else "unresolved"
    return OF_LABEL.get(verdict["label"], "not checked")


def credit_answer(parts: Sequence[Attribution]) -> None:
    """Let a last line that only states the answer, `So the answer is: 1889.`, rest on the checked sentence with it."""
    if not parts or parts[-1]["status"] not in ("not checked", "nothing found") or not concludes(parts[-1]["sentence"]):
        return
    answer = set(tokens(read_answer(parts[-1]["sentence"])))
    for part in parts[:-1]:
        if part["status"] == "checked" and answer and answer <= set(tokens(part["sentence"])):
            parts[-1]["status"], parts[-1]["evidence"] = "checked", list(part["evidence"])


def undecided(verdicts: Iterable[Verdict], failures: Iterable[Failure]) -> list[Failure]:
    """Gates that could not be asked. Only current verdicts count: a gate asked ahead may have been asked again.

    Args:
        verdicts: The verdicts of the gates.
        failures: Failures that are already reported, such as that of a fused edit, which decides many checks at once.
    """
    reported = {failure["reason"] for failure in failures if failure["step"] == "fuse"}
    return [
        {"step": "gate", "reason": verdict["reason"], "unchecked": True}
        for verdict in verdicts
        if verdict["label"] == "error" and verdict["evidence"] and verdict["reason"] not in reported
    ]


def tally(statuses: Iterable[SentenceStatus], noun: str) -> str:
    """How many things have which status, as in `3 sentences: 2 checked, 1 not checked`. The numbers add up."""
    counts = Counter(statuses)
    listed = ", ".join(f"{counts[status]:,} {status}" for status in SAID if counts[status])
    return f"{counted(counts.total(), noun)}: {listed}" if listed else f"no {noun}s"


def changed(original: str, edits: list[Edit], spans: Iterable[Span]) -> list[bool]:
    """Whether an edit changed each of these spans of the final text."""
    places: list[Span] = []
    offset = 0
    for part in segments(original, edits):
        if part["edits"] and part["before"] != part["after"]:
            places.append((offset, offset + len(part["after"])))
        offset += len(part["after"])
    return [
        any((first < end and start < last) or start <= first == last <= end for first, last in places)
        for start, end in spans
    ]


def as_a_whole(
    original: str,
    text: str,
    status: SentenceStatus,
    rests_on: Sequence[str] = (),
    corrected_by: Sequence[str] = (),
    *,
    prose: bool = True,
) -> list[Attribution]:
    """The sentences of a text that was judged as a whole.

    Args:
        original: The text at the start; sentences that are in it were not corrected.
        text: The final text.
        status: The status from the judgement.
        rests_on: The ids of the evidence that it was judged by.
        corrected_by: The ids of the evidence that corrections were made from.
        prose: Whether the text has sentences; a program has none, and is one piece.

    Returns:
        A record for each sentence.
    """
    parts: list[Attribution] = []
    for start, end in sentences(text) if prose else [(0, len(text))] if text else []:
        is_new = status != "unresolved" and text[start:end] not in original
        parts.append(
            {
                "sentence": text[start:end],
                "start": start,
                "end": end,
                "evidence": list(dict.fromkeys([*(corrected_by if is_new else ()), *rests_on])),
                "status": "corrected" if is_new else status,
            }
        )
    return parts
