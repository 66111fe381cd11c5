"""The task `queries`: rules write no questions, so each sentence that makes a claim is its own query."""

from ...state.text.questions import distinct
from ...state.text.segments import sentences_of
from ..tasks.correction import Queries, QueriesInput
from .language.clauses import Clause
from .language.tables import table
from .language.verbs import is_third

NOBODY = table("i you we my your our thanks")


def queries(task_input: QueriesInput) -> Queries:
    """The sentences of the text as they stand."""
    sentences = [" ".join(sentence.split()) for sentence in sentences_of(task_input["text"])]
    return Queries(queries=distinct([each for each in sentences if any(map(str.isalnum, each))]))


def checkable(clause: Clause) -> bool:
    """Whether a clause makes a claim that can be looked up: not a question, a greeting or a remark of the speaker's."""
    if clause.is_question:
        return False
    if clause.cjk:
        return len(clause.says) > 3 and bool(clause.facts or len(clause.says) > 6)
    if not clause.words or clause.words[0].lower in NOBODY:
        return False
    row = clause.words
    has_verb = clause.verb < len(row) or any(word.text.islower() and is_third(word.text) for word in row[1:-1])
    return len(clause.words) > 2 and (has_verb or any(fact.kind in ("date", "amount") for fact in clause.facts))
