"""The tasks that rules do: compare, check, correct, and take a text apart into its sentences."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple

from ...state.errors import Undecided
from ...state.text.questions import distinct
from ...state.text.segments import Span, sentences, sentences_of
from ...state.text.spans import changes
from ..tasks.claims import (
    CheckInput,
    ExtractInput,
    Judgement,
    Judgements,
    Subsentence,
    Subsentences,
    Triplet,
    Triplets,
)
from ..tasks.correction import (
    Agreement,
    AgreementInput,
    EditAllInput,
    Edited,
    EditInput,
    Fix,
    Queries,
    QueriesInput,
    Revision,
    Sourced,
)
from ..tasks.grounding import ReviseInput
from .comparison import Finding, compare
from .passages import pieces, starts_with_pronoun, subject_of

MOST_CHANGES = 6
"""The most places of a sentence that are put right."""
MOST_SENTENCES = 2_000
"""The most sentences of a text that are compared."""
LABELS: dict[str, Literal["entailment", "neutral", "contradiction"]] = {
    "supported": "entailment", "contradicted": "contradiction", "undecided": "neutral"
}  # fmt: skip


class ComparedSentence(NamedTuple):
    """A sentence of a text, where it stands, and what the evidence says of it."""

    span: Span
    finding: Finding


def queries(task_input: QueriesInput) -> Queries:
    """The sentences of the text as they stand: rules write no questions."""
    every = [" ".join(sentence.split()) for sentence in sentences_of(task_input["text"])]
    return Queries(queries=distinct([each for each in every if any(map(str.isalnum, each))]))


def agreement(task_input: AgreementInput) -> Agreement:
    """Compare the sentences of the text that the query is about with the evidence."""
    documents = [(task_input.get("title", ""), task_input["evidence"])]
    found = list(_compared(task_input["text"], documents, task_input.get("before", ""), task_input["query"]))
    order = {"contradicted": 0, "undecided": 1, "supported": 2}
    if not found:
        return Agreement(text_says="", evidence_says="", label="neutral")
    first = min(found, key=lambda each: order[each.finding.label])
    return Agreement(
        text_says=task_input["text"][slice(*first.span)],
        evidence_says=first.finding.quote,
        label=LABELS[first.finding.label],
    )


def check(task_input: CheckInput) -> Judgements:
    """Compare every claim with the evidence."""
    documents = [(task_input.get("title", ""), task_input["evidence"])]
    found = [_claim(claim, documents, task_input.get("before", "")) for claim in task_input["claims"]]
    return Judgements(
        judgements=[
            Judgement(claim=number, reason=finding.quote, label=LABELS[finding.label])
            for number, finding in enumerate(found, start=1)
        ]
    )


def _claim(claim: str, documents: Sequence[tuple[str, str]], before: str) -> Finding:
    """What the evidence says of a claim: of several sentences, supported only if each of them is."""
    found = [each.finding for each in _compared(claim, documents, before)]
    decided = [each for each in found if each.label == "contradicted"] + [
        each for each in found if each.label == "undecided"
    ]
    return (decided or found or [Finding("undecided", claim)])[0]


def edit(task_input: EditInput) -> Fix:
    """The text with what the evidence has in the places that it contradicts; as it is if rules see none.

    Raises:
        Undecided: If rules see a contradiction and know no correction.
    """
    documents = [(task_input.get("title", ""), task_input["evidence"])]
    text = task_input["text"]
    return Fix(text=corrected(text, documents, task_input.get("before", ""), task_input["query"]))


def edit_all(task_input: EditAllInput) -> Edited:
    """Every decided edit, pair by pair, each on the text as the previous ones left it."""
    text, edits = task_input["text"], []
    for number, pair in enumerate(task_input["pairs"], start=1):
        with suppress(Undecided):  # what rules cannot correct stays as it is
            documents = [(pair["title"], pair["evidence"])]
            new = corrected(text, documents, task_input.get("before", ""), pair["query"])
            if new != text:  # finding how two texts differ takes longer than seeing that they don't
                edits += [
                    Sourced(before=text[change.start : change.end], after=change.after, evidence=number)
                    for change in changes(text, new)
                ]
            text = new
    return Edited(text=text, changes=edits)


def revise(task_input: ReviseInput) -> Revision:
    """Every decided edit of a passage, all evidence taken together.

    Raises:
        Undecided: If there is too much to compare.
    """
    documents = [(piece["title"], piece["text"]) for piece in task_input["evidence"]]
    return Revision(text=corrected(task_input["text"], documents, task_input.get("before", "")))


def corrected(text: str, documents: Sequence[tuple[str, str]], before: str = "", query: str = "") -> str:
    """The text with all that can be put right in its sentences.

    Raises:
        Undecided: If a sentence is contradicted, and none can be put right.
    """
    new = text
    for _ in range(MOST_CHANGES):  # a sentence may be wrong in several places
        following = _put_right(new, documents, before, query)
        if following == new:
            break
        new, query = following, query if query != text else following
    if new == text and any(f.finding.label == "contradicted" for f in _compared(text, documents, before, query)):
        raise Undecided("no rule knows how to write it")
    return new


def _put_right(text: str, documents: Sequence[tuple[str, str]], before: str, query: str) -> str:
    pieces_of, done = list[str](), 0
    for (start, end), finding in _compared(text, documents, before, query):
        pieces_of += [text[done:start], finding.text]
        done = end
    return "".join([*pieces_of, text[done:]])


def _compared(
    text: str, documents: Sequence[tuple[str, str]], before: str, query: str = ""
) -> Iterator[ComparedSentence]:
    """The sentences of a text that a query is about, each compared with the evidence.

    Raises:
        Undecided: If there are too many.
    """
    spans = sentences(text)
    if len(spans) > MOST_SENTENCES:
        raise Undecided(f"rules compare at most {MOST_SENTENCES:,} sentences")
    for start, end in _about(text, spans, query):
        earlier = f"{before}\n{text[max(start - 1_000, 0) : start]}".strip()
        yield ComparedSentence((start, end), compare(text[start:end], documents, earlier[-1_000:]))


def _about(text: str, spans: Sequence[Span], query: str) -> Sequence[Span]:
    """The sentence that a query repeats, or else those that share a word with it."""
    wanted = " ".join(query.split())
    if not wanted or wanted == " ".join(text.split()):
        return spans
    repeated = [(start, end) for start, end in spans if " ".join(text[start:end].split()) == wanted]
    asked = set(pieces(wanted))
    return repeated or [(start, end) for start, end in spans if asked & set(pieces(text[start:end]))]


def extract(task_input: ExtractInput) -> Triplets:
    """Every sentence that states something, kept whole, as what is said of nothing else."""
    claims = [
        Triplet(subject=sentence, predicate="", object="", sentences=[number])
        for number, sentence in _stating(task_input["sentences"])
    ]
    return Triplets(claims=claims)


def extract_subsentences(task_input: ExtractInput) -> Subsentences:
    """Every sentence that states something."""
    claims = [
        Subsentence(content=sentence, sentences=[number]) for number, sentence in _stating(task_input["sentences"])
    ]
    return Subsentences(claims=claims)


def _stating(every: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The sentences, with their numbers, that are no questions and more than a greeting; a pronoun gets its subject."""
    subject = ""
    for number, sentence in enumerate(every, start=1):
        claim = " ".join(sentence.split())
        first, _, rest = claim.partition(" ")
        if first.lower() in ("it", "he", "she", "they") and subject and rest:
            claim = f"{subject} {rest}"
        elif not starts_with_pronoun(claim):
            subject = subject_of(claim)
        if not claim.endswith(("?", "？")) and len(pieces(claim)) > 1:
            yield number, claim
