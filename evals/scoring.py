"""Scoring one row of a run: the result compared with the right answer."""

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
"""How many characters of a question are stored to be shown."""


class Scored(TypedDict):
    """A scored row."""

    id: str | int
    status: str
    asked: str
    """The beginning of the question or text."""
    draft: str
    """The draft's answer, if there was one."""
    answer: str
    """The final answer or label; empty if there is none."""
    gold: list[str]
    right: bool | None
    """None if nothing is right or wrong."""
    before: bool | None
    """Whether the draft was right; None if there was none, or if it is unknown."""
    rounds: list[bool]
    """Whether the answer was right after 0, 1, 2, ... rounds of correction; empty for methods without rounds."""
    confidence: float | None
    """The log-probability of the answer; None if the method does not report it."""
    text: str
    """The whole result; empty if the row is not scored."""
    group: str | int
    """The item of the data set: the same for all continuations of one prompt."""
    scores: dict[str, float]
    usage: dict[str, float]


def score(record: Record, scoring: Scoring) -> Scored:
    """Score a row of a batch. A failure is neither right nor wrong: a row without a result has no scores.

    An unchecked row, in which a model or a tool failed, is scored on its `answer`: the draft, or a correction of it,
    which stands. A row without an `answer` is not scored: verdicts cut short by an error say nothing about a claim, and
    a text that was not corrected is not one that was preserved.
    """
    row, result = record["row"] or {}, record["result"]
    name = record["line"] if record["id"] is None else record["id"]
    scored = Scored(
        id=name,
        status=record["status"],
        asked=str(row.get("question") or row.get("claim") or row.get("text") or "")[:ASKED],
        draft="",
        answer="",
        gold=[],
        right=None,
        before=None,
        rounds=[],
        confidence=None,
        text="",
        group=row.get("item", name),
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
    elif scoring == "correction":
        _correction(scored, row, result)
    elif row.get("answers"):
        _answer(scored, row, result, numeric=False)
    return scored


def _answer(scored: Scored, row: Mapping[str, Any], result: Mapping[str, Any], *, numeric: bool) -> None:
    gold = scored["gold"] = row["answers"]
    reply = result.get("answer") or ("" if executions(result) else read_answer(result["text"]))
    before = draft_answer(result)
    if numeric:
        reply, before = as_number(reply, gold), before and as_number(before, gold)
        scored["scores"]["paper"] = float(any(same_number_of_paper(reply, right) for right in gold))
    else:
        reply = "" if is_null(reply) else reply
        scored["scores"]["f1"] = f1(reply, gold)

    def is_right(answer: str) -> bool:
        if numeric:
            return any(same_number(as_number(answer, gold), right) for right in gold)
        return exact_match(answer, gold)

    scored["draft"], scored["answer"] = before or "", reply
    if before is not None:
        scored["before"] = is_right(before)
        if "answers" in result:
            scored["rounds"] = [is_right(answer) for answer in (before, *result["answers"])]
    _judge(scored, is_right(reply))


def _correction(scored: Scored, row: Mapping[str, Any], result: Mapping[str, Any]) -> None:
    gold = scored["gold"] = row["answers"]
    scored["draft"], scored["answer"] = result["original"], result["text"]
    scored["before"] = result["original"] in gold
    _judge(scored, result["text"] in gold)


def _judge(scored: Scored, right: bool) -> None:
    scored["right"] = right
    scored["scores"]["right"] = float(right)


def draft_answer(result: Mapping[str, Any]) -> str | None:
    """The short answer of the draft, empty if it has none; None if the result holds no draft."""
    if "original_answer" in result:
        return str(result["original_answer"])
    if ran := executions(result):
        output = re.search(r"^Output: answer = (.*)", ran[0], re.MULTILINE)
        return output[1] if output else ""
    return read_answer(result["original"]) if result.get("original") else None


def executions(result: Mapping[str, Any]) -> list[str]:
    """The results of all programs that were run.

    If there are any, the text is a program, whose numbers are not answers.
    """
    return [piece["text"] for piece in result.get("evidence", []) if piece["source"].startswith("python:")]


def as_number(answer: str, gold: Iterable[str]) -> str:
    """The last number of an answer, if a number is expected: "18 dollars" is 18."""
    if any(number_in(right) is not None for right in gold) and number_in(answer) is None:
        return last_number(answer) or answer
    return answer


def _label(scored: Scored, row: Mapping[str, Any], result: Mapping[str, Any]) -> None:
    label = label_of(result)
    scored["answer"], scored["gold"] = label, [row["label"]]
    if "original_answer" in result:
        scored["draft"] = stated_label(str(result["original_answer"]))
        scored["before"] = scored["draft"] == row["label"]
    _judge(scored, label == row["label"])


def label_of(result: Mapping[str, Any]) -> str:
    """The label that a result gives a claim: RefChecker's strict label, its answer, or otherwise its verdicts.

    Of several verdicts a contradiction counts most.
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
    """The label in an answer; empty if there is none."""
    words = answer.upper()
    for label in (NOT_ENOUGH, REFUTES, SUPPORTS):
        if label in words or label.removesuffix("S") in words:
            return label
    other_words = {"TRUE": SUPPORTS, "YES": SUPPORTS, "FALSE": REFUTES, "NO": REFUTES, "UNKNOWN": NOT_ENOUGH}
    return other_words.get(words.strip(" ."), "")


def _claims(scored: Scored, row: Mapping[str, Any], result: Mapping[str, Any]) -> None:
    labels = [judged["label"] for judged in result.get("claims") or result["verdicts"]]
    if not labels or not row["human"]:
        return  # nothing was claimed: the response abstains
    scored["scores"] |= {"unsupported": unsupported(labels), "unsupported_human": unsupported(row["human"])}
    factual, human = not scored["scores"]["unsupported"], not scored["scores"]["unsupported_human"]
    scored["answer"], scored["gold"] = _factual(factual), [_factual(human)]
    _judge(scored, factual == human)


def unsupported(labels: Iterable[str]) -> float:
    """The share of labels other than entailment."""
    label_list = list(labels)
    return sum(label != "entailment" for label in label_list) / len(label_list)


def _factual(is_factual: bool) -> str:
    return "factual" if is_factual else "non-factual"


def confidence(result: Mapping[str, Any]) -> float | None:
    """The log-probability of the answer in the path where it is highest, if the result lists paths."""
    answer = result.get("original_answer")
    logprobs = [path.get("answer_logprob") for path in result.get("paths", []) if path["answer"] == answer]
    return max((logprob for logprob in logprobs if logprob is not None), default=None)
