"""The verification of one sentence: a question, evidence, an answer (Verify-and-Edit, sections 3.2 and 3.3)."""

from collections.abc import Iterator
from typing import Any

from ...models import backend, task
from ...models.rules.language.clauses import points_back
from ...models.tasks.correction import RANK
from ...models.tasks.verification import VERIFYING_ANSWER, VERIFYING_QUESTION, VerifyingQuestionInput
from ...state import Context, Evidence, Label
from ...state.errors import RunError
from ...state.methods.verification import Checking, Sentence
from ...state.text.rationale import denies, fitted, says_no_more
from ...state.text.sections import sections
from ...state.text.segments import sentences, tokens
from ...tools import evidence
from ..cite import closest_sentence, covering
from ..research import LONGEST_SENTENCE, find_pages, searching
from ..step import emit

MOST_IN_CONTEXT = 2 * LONGEST_SENTENCE
"""The most characters of a sentence with those before it that it points back to."""


async def ask(state: Checking, context: Context) -> dict[str, Any]:
    """Ask the question that the sentence answers."""
    sentence = state["sentence"]
    task_input: VerifyingQuestionInput = {
        "question": state["question"],
        "sentence": sentence["before"],
        "rationale": state["rationale"],
    }
    try:
        question = await task(context, VERIFYING_QUESTION).ainvoke(task_input)
    except RunError as error:
        return _failed("verifying question", sentence, error)
    emit("ask", question=question.text)
    return {"sentence": {**sentence, "question": question.text.strip()}}


async def look_up(state: Checking, context: Context) -> dict[str, Any]:
    """Find the sentences that are most similar to the verifying question."""
    sentence = state["sentence"]
    try:
        pieces = await best_sentences(sentence["question"], context, state["paragraphs"])
    except RunError as error:
        emit("research", question=sentence["question"], evidence=[], failed=str(error))
        return _failed("research", sentence, error)
    emit("research", question=sentence["question"], evidence=pieces, failed="")
    if not pieces:
        return {"checked": [{**sentence, "label": "neutral", "reason": "the search found nothing"}]}
    return {"found": pieces, "sentence": {**sentence, "evidence": [piece["id"] for piece in pieces]}}


async def tell(state: Checking, context: Context) -> dict[str, Any]:
    """Answer the verifying question from the evidence. If the answer adds nothing, the sentence stays."""
    sentence = state["sentence"]
    lines = "\n".join(_line(piece) for piece in state["found"])
    try:
        answer = await task(context, VERIFYING_ANSWER).ainvoke({"question": sentence["question"], "evidence": lines})
    except RunError as error:
        return _failed("verifying answer", sentence, error)
    if not answer.tells:
        return {"checked": [{**sentence, "label": "neutral", "reason": "the evidence does not say"}]}
    before, after = sentence["before"], fitted(answer.text, sentence["before"])
    label = compared(before, after, sentence["question"])
    agrees = label != "contradiction" and says_no_more(after, before)
    pieces = _behind(before, after, state["found"])
    verified: Sentence = {
        **sentence,
        "evidence": [piece["id"] for piece in pieces],
        "after": before if agrees else after,
        "verified": True,
        "label": label,
        "reason": f"Text: {before}\nEvidence: {closest_sentence(set(tokens(after)), pieces)}",
    }
    emit("tell", sentence=verified, backend=backend(context, VERIFYING_ANSWER).name)
    return {"checked": [verified]}


def _behind(before: str, after: str, found: list[Evidence]) -> list[Evidence]:
    """The evidence with all words of an answer, or else with those that it adds to the sentence, or else all of it."""
    words = tokens(after)
    added = set(words) - set(tokens(before))
    return covering(words, found) or covering(added, found) or found


def compared(before: str, after: str, question: str) -> Label:
    """The verdict on the sentence `before` of evidence that answers a question with `after`.

    Evidence supports the sentence only if question and answer together have all that it says: an answer that is part of
    the sentence says nothing about the rest.
    """
    if denies(before) != denies(after) or not (says_no_more(after, before) or says_no_more(before, after)):
        return "contradiction"
    return "entailment" if set(tokens(before)) <= set(tokens(f"{question} {after}")) else "neutral"


async def best_sentences(query: str, context: Context, paragraphs: list[str]) -> list[Evidence]:
    """The sentences of the found pages that rank best for a query. Raises RunError if the search failed."""
    if context.snippets and not (search := await searching(context, paragraphs)).whole_pages:
        results = await search.search(query, context.pages)
        return [result for result in results if result["text"]][: context.evidence_sentences]
    pages = await find_pages(query, context, paragraphs)
    cut = {sentence: page for page in reversed(pages) for sentence in reversed(_sentences(page["text"]))}
    texts = list(reversed(cut))
    titled = [f"{cut[text]['title']}\n{text}" for text in texts]
    ranking = await task(context, RANK).ainvoke({"query": query, "passages": titled})
    ranked = sorted(zip(ranking.scores, texts, strict=True), key=lambda pair: -pair[0])
    return [
        evidence(query=query, text=text, title=cut[text]["title"], source=cut[text]["source"], score=score)
        for score, text in ranked[: context.evidence_sentences]
        if score > 0
    ]


def _sentences(page: str) -> list[str]:
    """The sentences of a page, each word for word, behind those before it if it points back to one of them."""
    return [text for section in sections(page) for text in _in_context(page[slice(*section.body)])]


def _in_context(section: str) -> Iterator[str]:
    start = 0
    for first, end in sentences(section):
        if end - first > LONGEST_SENTENCE:
            start = end
            continue
        if not points_back(section[first:end]) or end - start > MOST_IN_CONTEXT:
            start = first
        yield section[start:end].strip()


def _line(piece: Evidence) -> str:
    """A sentence with its title on one line, so that no page can pose as another."""
    title = piece["title"].replace("[", "(").replace("]", ")")
    return f"[{title}] {' '.join(piece['text'].split())}"


def _failed(step: str, sentence: Sentence, error: RunError) -> dict[str, Any]:
    """The sentence unchanged, with nothing known about whether it is right."""
    return {
        "checked": [{**sentence, "label": "error", "reason": f"{step} failed: {error}"}],
        "failures": [{"step": step, "reason": str(error), "unchecked": True}],
    }
