"""One row of a run, scored: what came out beside what is right."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import TypedDict

from ..apps.batch.ledger import Record, usage_of
from ..state.text.answers import exact_match, f1, is_null, number_in, read_answer, same_number
from .datasets.claims import NOT_ENOUGH, REFUTES, SUPPORTS
from .datasets.loading import Scoring
from .metrics import last_number, preservation, same_number_of_paper

ASKED = 300
"""Characters of a question that are kept to be shown."""


class Scored(TypedDict):
    """A row that was scored."""

    id: str | int
    status: str
    asked: str
    """The beginning of the question or text."""
    draft: str
    """The draft's answer, if there was one."""
    answer: str
    """The answer, or label, that came out; empty where there is none."""
    gold: list[str]
    right: bool | None
    """None where nothing is right or wrong."""
    before: bool | None
    """Whether the draft was right; None where there was none, or nobody can tell."""
    confidence: float | None
    """Log-probability of the answer; None where the method does not tell."""
    text: str
    """What came out, at length; empty where the row is not scored."""
    group: str | int
    """Which item of the data set it is of: the same for all continuations of one prompt."""
    scores: dict[str, float]
    usage: dict[str, float]


def score(record: Record, scoring: Scoring) -> Scored:
    """Score a row of a batch. A failure is neither right nor wrong: what came to no result has no scores.

    An unchecked row, in which a model or a tool failed on the way, is scored on the `answer` that it came to: that is
    the draft, or a correction of it, and it stands. One without an `answer` is not scored: verdicts that an error broke
    off say nothing of a claim, and a text that nobody corrected is not one that was preserved.
    """
    row, result = record["row"] or {}, record["result"]
    scored = Scored(
        id=record["id"],
        status=record["status"],
        asked=str(row.get("question") or row.get("claim") or row.get("text") or "")[:ASKED],
        draft="",
        answer="",
        gold=[],
        right=None,
        before=None,
        confidence=None,
        text="",
        group=row.get("item", record["id"]),
        scores={},
        usage=usage_of(record),
    )
    if result is None or (record["status"] == "unchecked" and not ("answer" in result and result["text"])):
        return scored
    scored["text"] = result["text"]
    scored["scores"] = {"preservation": preservation(result["original"], result["text"])} if result["original"] else {}
    scored["confidence"] = confidence(result)
    if scoring in ("answer", "number"):
        _answer(scored, row, result, numeric=scoring == "number")
    elif scoring == "label" or row.get("label"):
        _label(scored, row, result)
    elif scoring == "claims":
        _claims(scored, row, result)
    elif row.get("answers"):
        _answer(scored, row, result, numeric=False)
    return scored


def _answer(scored: Scored, row: Mapping[str, Any], result: Mapping[str, Any], *, numeric: bool) -> None:
    gold = scored["gold"] = row["answers"]
    given = result.get("answer") or ("" if executions(result) else read_answer(result["text"]))
    before = draft_answer(result)
    if numeric:
        given, before = as_number(given, gold), before and as_number(before, gold)
        scored["scores"]["paper"] = float(any(same_number_of_paper(given, right) for right in gold))
    else:
        given = "" if is_null(given) else given
        scored["scores"]["f1"] = f1(given, gold)

    def is_right(answer: str) -> bool:
        return any(same_number(answer, right) for right in gold) if numeric else exact_match(answer, gold)

    scored["draft"], scored["answer"] = before or "", given
    scored["before"] = None if before is None else is_right(before)
    _judge(scored, is_right(given))


def _judge(scored: Scored, right: bool) -> None:
    scored["right"] = right
    scored["scores"]["right"] = float(right)


def draft_answer(result: Mapping[str, Any]) -> str | None:
    """The short answer of the draft, empty if it came to none; None where the result holds no draft."""
    if "original_answer" in result:
        return str(result["original_answer"])
    if ran := executions(result):
        found = re.search(r"^Output: answer = (.*)", ran[0], re.MULTILINE)
        return found[1] if found else ""
    return read_answer(result["original"]) if result.get("original") else None


def executions(result: Mapping[str, Any]) -> list[str]:
    """What was said of each program that was run. Where one was, the text is a program: if it came to no answer, no
    number in its lines is one."""
    return [piece["text"] for piece in result.get("evidence", []) if piece["source"].startswith("python:")]


def as_number(answer: str, gold: Iterable[str]) -> str:
    """The last number of an answer, if a number is wanted: "18 dollars" is 18."""
    if any(number_in(right) is not None for right in gold) and number_in(answer) is None:
        return last_number(answer) or answer
    return answer


def _label(scored: Scored, row: Mapping[str, Any], result: Mapping[str, Any]) -> None:
    given = label_of(result)
    scored["answer"], scored["gold"] = given, [row["label"]]
    if "original_answer" in result:
        scored["draft"] = stated_label(str(result["original_answer"]))
        scored["before"] = scored["draft"] == row["label"]
    _judge(scored, given == row["label"])


def label_of(result: Mapping[str, Any]) -> str:
    """What a result says of a claim: by RefChecker's strict label, by its answer, or else by its verdicts.

    Of verdicts a contradiction counts most.
    """
    if "strict" in result:
        return {"entailment": SUPPORTS, "contradiction": REFUTES}.get(result["strict"], NOT_ENOUGH)
    if "answer" in result:
        return stated_label(result["answer"] or read_answer(result["text"]))
    labels = {verdict["label"] for verdict in result["verdicts"]}
    if "contradiction" in labels:
        return REFUTES
    return SUPPORTS if "entailment" in labels else NOT_ENOUGH


def stated_label(answer: str) -> str:
    """A label in an answer; empty if there is none."""
    words = answer.upper()
    for label in (NOT_ENOUGH, REFUTES, SUPPORTS):
        if label in words or label.removesuffix("S") in words:
            return label
    known = {"TRUE": SUPPORTS, "YES": SUPPORTS, "FALSE": REFUTES, "NO": REFUTES, "UNKNOWN": NOT_ENOUGH}
    return known.get(words.strip(" ."), "")


def _claims(scored: Scored, row: Mapping[str, Any], result: Mapping[str, Any]) -> None:
    given = [judged["label"] for judged in result.get("claims") or result["verdicts"]]
    if not given or not row["human"]:
        return  # nothing was claimed: the response abstains
    scored["scores"] |= {"unsupported": unsupported(given), "unsupported_human": unsupported(row["human"])}
    factual, human = not scored["scores"]["unsupported"], not scored["scores"]["unsupported_human"]
    scored["answer"], scored["gold"] = _factual(factual), [_factual(human)]
    _judge(scored, factual == human)


def unsupported(labels: Iterable[str]) -> float:
    """Share of labels other than entailment."""
    known = list(labels)
    return sum(label != "entailment" for label in known) / len(known)


def _factual(is_factual: bool) -> str:
    return "factual" if is_factual else "non-factual"


def confidence(result: Mapping[str, Any]) -> float | None:
    """Log-probability of the sampled path that the answer was kept from, where the result lists paths."""
    kept = result.get("original_answer")
    known = [path["logprob"] for path in result.get("paths", []) if path["answer"] == kept]
    return max((logprob for logprob in known if logprob is not None), default=None)
