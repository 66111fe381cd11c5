"""The tasks `edit` and `edit_all`: replace the text's fact with the evidence's, in the text's own style."""

from contextlib import suppress

from ...state.errors import Undecided
from ...state.text.segments import sentences
from ...state.text.spans import changes
from ..tasks.correction import EditAllInput, Edited, EditInput, Pair, Revision, Sourced
from ..tasks.grounding import ReviseInput
from .agreeing import Finding, check_size, judge, judge_arguments
from .language.negation import turned
from .language.styles import in_style_of

MOST_CHANGES = 6
"""The most facts corrected in one edit."""


def edit(task_input: EditInput) -> Revision:
    """The text after the smallest change that ends the contradiction; the text as it is if rules see none.

    Raises:
        Undecided: If no rule can correct it.
    """
    return Revision(text=corrected(*judge_arguments(task_input)))


def edit_all(task_input: EditAllInput) -> Edited:
    """Every decided edit, pair by pair, each on the text as the previous ones left it."""
    text, edits = task_input["text"], []
    question, before = task_input.get("question", ""), task_input.get("before", "")
    for number, pair in enumerate(task_input["pairs"], start=1):
        with suppress(ValueError):  # what no rule can correct stays as it is
            new = corrected(text, pair["query"], pair["evidence"], pair["title"], question, before)
            if new != text:  # finding how two texts differ takes longer than seeing that they don't
                edits += [
                    Sourced(before=text[change.start : change.end], after=change.after, evidence=number)
                    for change in changes(text, new)
                ]
            text = new
    return Edited(text=text, changes=edits)


def revise(task_input: ReviseInput) -> Revision:
    """Every decided edit, sentence by sentence and evidence by evidence.

    Raises:
        Undecided: If there is too much to compare.
    """
    text = task_input["text"]
    check_size(sentences(text), [span for piece in task_input["evidence"] for span in sentences(piece["text"])])
    pairs: list[Pair] = [
        {"query": text[start:end], "title": piece["title"], "evidence": piece["text"]}
        for start, end in sentences(text)
        for piece in task_input["evidence"]
    ]
    edit_input: EditAllInput = {
        "text": text,
        "question": task_input.get("question", ""),
        "before": task_input.get("before", ""),
        "pairs": pairs,
    }
    return Revision(text=edit_all(edit_input).text)


def corrected(text: str, query: str, evidence: str, title: str = "", question: str = "", before: str = "") -> str:
    """The text, corrected until the evidence no longer contradicts it. Arguments as for `judge`.

    Raises:
        Undecided: If no rule can correct it.
    """
    for _ in range(MOST_CHANGES):
        finding = judge(text, query, evidence, title, question, before)
        if finding.label != "contradiction":
            return text
        text = apply(text, finding)
    raise Undecided("the evidence still contradicts the text after every correction that the rules know")


def apply(text: str, finding: Finding) -> str:
    """The text with the contradicted fact replaced, or the contradicted statement reversed.

    Raises ValueError if no rule can do it.
    """
    if finding.fact is None or finding.other is None:
        if not finding.editable:
            raise Undecided("no rule knows how to write it")
        return turned(text, finding.claim) if finding.claim else text
    evidence = finding.evidence.text if finding.evidence else ""
    return _wherever_it_stands(text, *in_style_of(text, finding.fact, finding.other, evidence))


def _wherever_it_stands(text: str, start: int, end: int, words: str) -> str:
    """The text with a span replaced, in every sentence that reads like the span's."""
    spans = sentences(text)
    around = next((span for span in spans if span[0] <= start and end <= span[1]), (start, end))
    wrong = text[slice(*around)]
    right = text[around[0] : start] + words + text[end : around[1]]
    edited, done = "", 0
    for first, last in spans if around in spans else [around]:
        edited += text[done:first] + (right if text[first:last] == wrong else text[first:last])
        done = last
    return edited + text[done:]
