"""Criticising an answer: is it of the right kind, does the evidence bear it out, and if not, what is right?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...state.amounts import same_amount
from ...state.answers import is_null, normalise, read_answer
from ..tasks.critic import Conclusion
from .agreeing import Finding, judge
from .asking import queries
from .clauses import content
from .editing import MOST_CHANGES, apply
from .facts import Fact, find
from .filling import bears_out, bears_out_sentence, bears_out_statement
from .plausible import LONG, asked_kind, polarity, unfit
from .reading import Piece, Reading, gist, missing, put, read_out
from .slots import compare
from .styles import in_style_of
from .wanted import Wanted, wanted
from .words import first_verb, words

SENTENCE = 4
"""Words from which an answer with a verb is a sentence."""
MOST_QUERIES = 6
"""Questions that a draft's own sentences are asked of each piece of evidence."""
_ENDING = re.compile(r"\banswer(?: is)?\s{0,3}:?\s", re.IGNORECASE)


@dataclass(frozen=True)
class Draft:
    """An answer to a question: its text, and the short answer that the text comes to."""

    question: str
    text: str
    answer: str

    @property
    def is_value(self) -> bool:
        """Whether the answer is a name, a date or the like, and not a sentence or more."""
        found = words(self.answer)
        return len(found) <= LONG and (len(found) < SENTENCE or first_verb(found) == len(found))

    @property
    def facts(self) -> list[Fact]:
        """What the answer says that the question does not."""
        known = content(self.question)
        return [fact for fact in find(self.answer, 0, len(self.answer)) if not fact.stems <= known]


def criticise(draft: Draft, pieces: Sequence[Piece]) -> Conclusion:
    """Accept the answer if the evidence bears it out; correct it where the evidence says what is right; or keep it."""
    wants = wanted(draft.question)
    if wants is None:
        return _claims_corrected(draft, pieces, "What kind of answer was asked for, rules cannot tell.")
    problem = unfit(wants, draft.answer)
    plausibility = problem or f"{_capital(asked_kind(wants))} was asked for and given."
    if wants.kind == "whether":
        return _whether(draft, wants, pieces, plausibility)
    reading = read_out(draft.question, wants, pieces)
    if not draft.is_value and not _ENDING.search(draft.text):
        mended = _claims_corrected(draft, pieces, plausibility)
        if mended.text != draft.text and (reading is None or _same(replace(draft, answer=mended.answer), reading.fact)):
            return mended
    if supported := _support(draft, wants, pieces, reading):
        return _borne_out(draft, pieces, plausibility, supported)
    if reading and (reading.sure or problem) and _differs(draft, reading):
        return _replaced(reading.answer, reading.sentence, plausibility)
    if finding := None if problem else _contradiction(draft, wants, pieces):
        return _mended(draft, finding, plausibility)
    return _claims_corrected(draft, pieces, plausibility)


def _support(draft: Draft, wants: Wanted, pieces: Sequence[Piece], reading: Reading | None) -> str:
    """The sentence that bears the answer out; empty if there is none."""
    if is_null(draft.answer):
        return ""
    if reading and _same(draft, reading.fact):
        return reading.sentence
    rule = bears_out if draft.is_value else bears_out_sentence
    return next(filter(None, (rule(wants, draft.answer, piece.text, piece.title) for piece in pieces)), "")


def _contradiction(draft: Draft, wants: Wanted, pieces: Sequence[Piece]) -> Finding | None:
    """What contradicts a short answer, if all that does says the same instead."""
    found: list[tuple[Finding, Fact]] = []
    for piece in pieces if draft.is_value else ():
        finding = put(draft.question, wants, draft.answer, piece)
        if finding.label == "contradiction" and finding.other and not missing(wants, finding, piece):
            found.append((finding, finding.other))
    agreed = all("same" in (compare(found[0][1], other), compare(other, found[0][1])) for _, other in found)
    return found[0][0] if found and agreed else None


def _same(draft: Draft, fact: Fact) -> bool:
    """Whether an answer says a fact, in its own words or among others."""
    said, meant = normalise(draft.answer).split(), normalise(fact.text).split()
    if said and meant and (_within(said, meant) or _within(meant, said)):
        return True
    return any("same" in (compare(each, fact), compare(fact, each)) or _equal(each, fact) for each in draft.facts)


def _within(part: list[str], whole: list[str]) -> bool:
    return any(whole[index : index + len(part)] == part for index in range(len(whole) - len(part) + 1))


def _equal(one: Fact, other: Fact) -> bool:
    """Whether two amounts are the same number, if one of them lacks its unit."""
    if one.amount is None or other.amount is None or (one.amount.unit and other.amount.unit):
        return False
    return same_amount(one.amount, other.amount)


def _differs(draft: Draft, reading: Reading) -> bool:
    """Whether an answer cannot mean what was read: nothing of it is in the sentence, or it is another value."""
    if is_null(draft.answer):
        return True
    mine = [each for each in draft.facts if each.kind == reading.fact.kind]
    if reading.fact.kind in ("date", "amount"):
        return all(compare(each, reading.fact) == compare(reading.fact, each) == "conflict" for each in mine)
    if places := [each for each in mine if each.meant and reading.fact.meant]:
        return all(compare(each, reading.fact) == compare(reading.fact, each) == "conflict" for each in places)
    said = content(draft.answer) - content(draft.question)
    return not (said and said <= content(reading.sentence))


def _whether(draft: Draft, wants: Wanted, pieces: Sequence[Piece], plausibility: str) -> Conclusion:
    """Yes if the evidence says the statement behind the question, no if it contradicts it."""
    yes = [said for piece in pieces if (said := bears_out_statement(wants, piece.text, piece.title))]
    no: list[str] = []
    for piece in pieces:
        finding = gist(draft.question, wants, piece)
        if finding.evidence and not missing(wants, finding, piece):
            {"entailment": yes, "contradiction": no}.get(finding.label, []).append(finding.evidence.sentence_text)
    if bool(yes) == bool(no):
        return _claims_corrected(draft, pieces, plausibility)
    answer, sentence = ("yes", yes[0]) if yes else ("no", no[0])
    if polarity(draft.answer) == answer:
        return _borne_out(draft, pieces, plausibility, sentence)
    return _replaced(answer, sentence, plausibility)


def _borne_out(draft: Draft, pieces: Sequence[Piece], plausibility: str, sentence: str) -> Conclusion:
    """The answer stands; what else the text says is corrected around it."""
    text, _, wrong = corrected(draft, pieces, keep=draft.answer)
    said = f"The evidence bears the answer out: “{sentence}”"
    if text == draft.text:
        return Conclusion(
            plausibility=plausibility, correctness=said, accepted=True, text=draft.text, answer=draft.answer
        )
    return Conclusion(
        plausibility=plausibility,
        correctness=f"{said} The rest it contradicts: “{wrong}”",
        text=text,
        answer=draft.answer,
    )


def _replaced(answer: str, sentence: str, plausibility: str) -> Conclusion:
    return Conclusion(
        plausibility=plausibility,
        correctness=f"The evidence answers the question otherwise: “{sentence}”",
        text=f"{sentence} So the answer is: {answer}.",
        answer=answer,
    )


def _mended(draft: Draft, finding: Finding, plausibility: str) -> Conclusion:
    """The answer's fact takes the evidence's value, wherever the text has it."""
    assert finding.evidence is not None
    old, new = _values(finding)
    return _replaced(draft.answer.replace(old, new), finding.evidence.sentence_text, plausibility)


def _values(finding: Finding) -> tuple[str, str]:
    """The contradicted fact, and the evidence's in its style."""
    assert finding.fact is not None
    assert finding.other is not None
    old = finding.fact.text
    return old, in_style_of(old, replace(finding.fact, start=0, end=len(old)), finding.other)[2]


def _claims_corrected(draft: Draft, pieces: Sequence[Piece], plausibility: str) -> Conclusion:
    """Nothing decides the answer itself: correct what the text claims, and carry that into the answer."""
    text, answer, wrong = corrected(draft, pieces)
    correctness = f"The evidence says otherwise: “{wrong}”" if wrong else "Nothing that was found decides it."
    return Conclusion(plausibility=plausibility, correctness=correctness, text=text, answer=answer)


def corrected(draft: Draft, pieces: Sequence[Piece], keep: str = "") -> tuple[str, str, str]:
    """Text and answer without what the evidence contradicts, and the first sentence that contradicts; else nothing.

    keep
        an answer that is right, which no correction may touch
    """
    text, answer, wrong = draft.text, draft.answer, ""
    own = queries({"text": text, "question": draft.question}).queries[:MOST_QUERIES]
    asked = dict.fromkeys(filter(None, [draft.question, *own]))
    for piece in pieces:
        for query in asked:
            given = {"question": draft.question, "query": query, "evidence": piece.text, "title": piece.title}
            for _ in range(MOST_CHANGES):
                finding = judge({**given, "text": text})
                if draft.question and finding.fact is None:
                    break  # turned round, an answer is none any more
                changed = _apply(text, finding)
                if changed == text or (keep and _count(changed, keep) < _count(text, keep)):
                    break
                assert finding.evidence is not None
                answer = _carried(answer, text, changed, finding)
                wrong = wrong or finding.evidence.sentence_text
                text = changed
    return _ending_with(text, draft.answer, answer), answer, wrong


def _apply(text: str, finding: Finding) -> str:
    if finding.label != "contradiction":
        return text
    try:
        return apply(text, finding)
    except ValueError:  # no rule turns the statement round
        return text


def _count(text: str, answer: str) -> int:
    return normalise(text).count(normalise(answer))


def _carried(answer: str, before: str, after: str, finding: Finding) -> str:
    """The short answer after a correction of the text."""
    if answer == read_answer(before):
        answer_after = read_answer(after)
        if answer_after != answer:
            return answer_after
    if finding.fact is None or finding.other is None:
        return answer
    old, new = _values(finding)
    if re.search(rf"(?<!\w){re.escape(old)}(?!\w)", answer):
        return answer.replace(old, new)
    return new if answer and _within(normalise(answer).split(), normalise(old).split()) else answer


def _ending_with(text: str, before: str, after: str) -> str:
    """The text with the new answer in its last sentence, where it names the answer."""
    endings = list(_ENDING.finditer(text)) if before != after else []
    if not endings or before not in text[endings[-1].end() :]:
        return text
    place = text.index(before, endings[-1].end())
    return text[:place] + after + text[place + len(before) :]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
