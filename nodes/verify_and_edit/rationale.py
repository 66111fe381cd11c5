"""A chain of thought as a whole: sampled, split, edited, and answered from again (Verify-and-Edit, section 3)."""

from typing import Any

from ...models import Task, task
from ...models.tasks.drafting import CHAINS, CLAIM_CHAINS, Answered, Sample
from ...models.tasks.verification import (
    CLAIM_ANSWER,
    FINAL_ANSWER,
    VERIFYING_ANSWER,
    VERIFYING_QUESTION,
    FinalAnswerInput,
)
from ...state import Context, Edit, cites
from ...state.errors import RunError
from ...state.methods.verification import Path, Sentence, VerifyState, consistency
from ...state.text.answers import is_null, read_answer, read_label, says_answer, through_answer
from ...state.text.rationale import cut, rebuild, unverified
from ...state.text.values import same_answer
from ..budget import UNBOUNDED, calls_left
from ..drafts.samples import Sampled, sampled
from ..quorum import received
from ..review import reviewed
from ..step import emit, failed


async def sample(state: VerifyState, context: Context) -> dict[str, Any]:
    """Sample chains of thought, or take the caller's; keep one with the majority answer."""
    paths: list[Path] = [_path(Sample(text=text), context) for text in state["samples"]]
    update: dict[str, Any] = received("samples", len(paths), state["asked"]) | {"asked": state["asked"], "failures": []}
    if not paths:
        sample_set = await sampled(state, context, CLAIM_CHAINS if context.claim else CHAINS)
        if not isinstance(sample_set, Sampled):
            return sample_set
        update = sample_set.update(decides=True) | {"asked": max(sample_set.asked, context.samples)}
        paths = [_path(each, context) for each in sample_set.samples]
    score, place, mode = consistency(paths, context.consistency)
    chosen = paths[place]
    emit("sample", consistency=score, paths=paths, text=chosen["text"])
    note = {"step": "consistency", "reason": "the model reports no probabilities: samples were counted"}
    return {
        **update,
        "paths": paths,
        "consistency": score,
        "mode": mode,
        "text": chosen["text"],
        "original": chosen["text"],
        "answer": chosen["answer"],
        "original_answer": chosen["answer"],
        "failures": [
            *update["failures"],
            *([{**note, "unchecked": False}] if context.consistency == "probability" != mode else []),
        ],
    }


async def split(state: VerifyState, context: Context) -> dict[str, Any]:
    """Split the chain of thought into the sentences that state facts."""
    text = state["text"]
    answer = state["answer"] or _path(Sample(text=text), context)["answer"]
    facts = [_sentence(number, text, start, end) for number, (start, end) in enumerate(cut(text).facts)]
    emit("split", sentences=[sentence["before"] for sentence in facts])
    return {"sentences": facts, "answer": answer, "original_answer": answer}


def affordable(state: VerifyState, context: Context) -> int:
    """How many sentences can be verified with the remaining model calls, keeping one for the answer."""
    budgets = [calls_left(state, context, verifying_task) for verifying_task in (VERIFYING_QUESTION, VERIFYING_ANSWER)]
    calls_each = sum(calls < UNBOUNDED for calls in budgets)
    reserve = calls_left(state, context, _answering(context)) < UNBOUNDED
    return max(min(budgets) - reserve, 0) // calls_each if calls_each else len(state["sentences"])


def corrected(sentences: list[Sentence]) -> str:
    """The sentences in their current form, joined. Those that no evidence decided are marked."""
    return rebuild(
        [
            sentence["after"] if sentence["label"] in ("entailment", "contradiction") else unverified(sentence["after"])
            for sentence in sentences
            if sentence["after"].strip()
        ]
    )


async def apply(state: VerifyState, context: Context) -> dict[str, Any]:
    """Replace the sentences with their corrections, in order, after review if requested."""
    checked = {sentence["number"]: sentence for sentence in state["checked"]}
    pieces = {piece["id"]: piece for piece in state["found"]}
    text, sentences, edits = state["text"], list(state["sentences"]), list(state["edits"])
    for sentence in state["sentences"]:
        if sentence["label"] or sentence["number"] not in checked:
            continue
        verified = checked[sentence["number"]]
        if verified["after"] != verified["before"]:
            record = _record(verified, verified["start"] + shift(sentences[: verified["number"]]))
            if context.review:
                piece = pieces[record["evidence"]]
                ahead = None if context.chain else _differing(checked, sentence["number"] + 1)
                record = reviewed(record, verified["question"], piece, state["original"], edits, ahead)
            if record["applied"]:
                text = text[: record["start"]] + record["after"] + text[record["end"] :]
            verified = {**verified, "after": record["after"] if record["applied"] else verified["before"]}
            edits.append(record)
        sentences[verified["number"]] = verified
        if context.chain and verified["label"] == "error":  # the others would rely on it
            why = f"a sentence before it could not be checked: {verified['reason']}"
            sentences = [
                {**each, "label": "error", "reason": why} if each["label"] is None else each for each in sentences
            ]
    for record in edits[len(state["edits"]) :]:
        emit("edit", edit=record)
    return {"text": text, "sentences": sentences, "edits": edits, "evidence": list(pieces.values())}


def _differing(checked: dict[int, Sentence], first: int) -> int:
    """How many sentences, from one on, were corrected."""
    return sum(sentence["after"] != sentence["before"] for number, sentence in checked.items() if number >= first)


async def answer_again(state: VerifyState, context: Context) -> dict[str, Any]:
    """Answer from the edited chain of thought."""
    answer_task = _answering(context)
    if not calls_left(state, context, answer_task):
        return {"spent": True}
    task_input: FinalAnswerInput = {"question": state["question"], "rationale": corrected(state["sentences"])}
    try:
        reply: Answered = await task(context, answer_task).ainvoke(task_input)
    except RunError as error:
        return failed("answer", error)
    answer = read_label(reply.answer) if context.claim else reply.answer
    emit("answer", answer=answer)
    if is_null(answer):  # which never takes the place of an answer
        reason = "no answer could be read from the corrected chain of thought, so the answer stays"
        return {"failures": [{"step": "answer", "reason": reason, "unchecked": False}]}
    if same_answer(answer, state["answer"]):
        return {}
    return {"answer": answer}


async def replace_answer(state: VerifyState, context: Context) -> dict[str, Any]:
    """Put a new answer into `The answer is ...`, if the chain of thought says that.

    A reviewer may keep the old answer, or give another.
    """
    conclusion = cut(state["original"]).conclusion
    if conclusion is None or same_answer(state["answer"], state["original_answer"]):
        return {}
    proposed = record = _concluding(conclusion, state)
    if context.review:
        record = reviewed(proposed, state["question"], None, state["original"], state["edits"])
    emit("edit", edit=record)
    edits = [*state["edits"], record]
    if not record["applied"]:
        return {"answer": state["original_answer"], "edits": edits}
    text = state["text"][: record["start"]] + record["after"] + state["text"][record["end"] :]
    answer = state["answer"] if record["after"] == proposed["after"] else _path(Sample(text=text), context)["answer"]
    return {"answer": answer, "text": text, "edits": edits}


def _answering(context: Context) -> Task[FinalAnswerInput, Any]:
    return CLAIM_ANSWER if context.claim else FINAL_ANSWER


def _path(sample: Sample, context: Context) -> Path:
    """A path with its answer: from `The answer is ...` or from the task model; otherwise none."""
    reported = sample.answer if sample.answer != read_answer(sample.text) else ""
    text = through_answer(sample.text)
    found = reported or (read_answer(text) if says_answer(text) else "")
    if context.claim:
        found = read_label(found)
    return {
        "text": text,
        "answer": "" if is_null(found) else found,
        "logprob": sample.logprob,
        "answer_logprob": sample.answer_logprob,
    }


def _sentence(number: int, text: str, start: int, end: int) -> Sentence:
    return {
        "number": number,
        "before": text[start:end],
        "start": start,
        "end": end,
        "question": "",
        "evidence": [],
        "after": text[start:end],
        "verified": False,
        "label": None,
        "reason": "",
    }


def shift(sentences: list[Sentence]) -> int:
    """How many characters these sentences have moved what follows by."""
    return sum(len(sentence["after"]) - len(sentence["before"]) for sentence in sentences)


def _record(sentence: Sentence, start: int) -> Edit:
    return {
        "before": sentence["before"],
        "after": sentence["after"],
        "start": start,
        "end": start + len(sentence["before"]),
        **cites(sentence["evidence"]),
        "reason": sentence["reason"],
        "applied": True,
    }


def _concluding(conclusion: tuple[int, int], state: VerifyState) -> Edit:
    """The edit of `The answer is ...`."""
    answer = state["answer"]
    start, end = (place + shift(state["sentences"]) for place in conclusion)
    before = state["text"][start:end]
    the = "the" if before[:1].islower() else "The"  # at the end of a sentence
    return {
        "before": before,
        "after": f"{the} answer is {answer}{'' if answer.endswith('.') else '.'}",
        "start": start,
        "end": end,
        "evidence": "",
        "reason": "answered again from the corrected chain of thought",
        "applied": True,
    }
