"""The tasks of LLM-Augmenter: the message is the search, and a response is compared with what was found."""

import re
from collections import Counter
from collections.abc import Iterator

from ...state.text.answers import kf1
from ...state.text.segments import sentences, sentences_of, tokens
from ..tasks.dialogue import (
    ChainInput,
    Chains,
    Dialogue,
    Entities,
    EntitiesInput,
    Feedback,
    FeedbackInput,
    Recall,
    RespondInput,
    ResponseInput,
    Searches,
    Utility,
)
from ..tasks.drafting import Draft
from .agreeing import check_size, judge
from .language import facts
from .language.clauses import PERSONAL, QUESTION_WORDS
from .language.verbs import AUXILIARIES, is_verb
from .language.words import CONJUNCTIONS, PREPOSITIONS, PRONOUNS, words
from .observed import Piece
from .ranking import rank
from .reading import read_out, same

REFERRING = PERSONAL | {"him", "hers", "theirs", "there", "one", "ones"}
TOPICS = 3
"""The most names that complete a message which refers back."""
USED = 0.5
"""The share of a statement's words from which on a response uses it."""
RELEVANT = 0.5
"""The share of the best statement's rank below which a statement is dropped."""
RELEVANT_DESCRIPTION = 0.25
"""The same for a description of a name: it is of something else, so it has none of the message's own names."""
NOTHING_FOUND = "I have found nothing about that."
_TURN = re.compile(r"^(?:User|Assistant): ")


def search_queries(task_input: Dialogue) -> Searches:
    """The message; if it refers back to the dialogue, with the names that were mentioned last."""
    message = task_input["question"]
    message_words = {word.lower for word in words(message)}
    message_names = list(names(message, typed=True))
    if message_names or not (message_words & REFERRING or len(tokens(message)) <= 2):
        return Searches(queries=[message])
    lines = [_TURN.sub("", line) for line in task_input.get("history", "").splitlines()]
    topics = (list(dict.fromkeys(names(line, typed=True)))[:TOPICS] for line in reversed(lines))
    topic = " ".join(next(filter(None, topics), lines[:1]))
    return Searches(queries=[f"{message} {topic}".strip()])


def entities(task_input: EntitiesInput) -> Entities:
    """The names in the passages: first those that the question names too, then those that occur most often."""
    counts = Counter(name for passage in task_input["passages"] for name in names(passage))
    names_asked = set(names(task_input["question"], typed=True))
    return Entities(names=sorted(counts, key=lambda name: (name not in names_asked, -counts[name])))


def names(text: str, *, typed: bool = False) -> Iterator[str]:
    """The names in a text, without words that have a capital only because a sentence begins with them.

    Args:
        text: Any text.
        typed: The text is a message: a single word that begins a sentence of it is a name only if it is a place's.
    """
    common = QUESTION_WORDS | AUXILIARIES | PRONOUNS | PREPOSITIONS | CONJUNCTIONS
    for start, end in sentences(text):
        for fact in facts.find(text, start, end):
            first, word = fact.start == start and " " not in fact.text, fact.text.lower()
            doubtful = first and (word in common or is_verb(word) or (typed and not fact.meant))
            if fact.kind == "name" and not doubtful:
                yield fact.text


def chain(task_input: ChainInput) -> Chains:
    """The statements that rank best, each followed by the description of a name in it, if that ranks as well."""
    scores, links = task_input["scores"], task_input["links"]
    described, best = {description for _, description in links}, max(scores, default=0.0)
    relevant = [
        number
        for number, score in enumerate(scores, start=1)
        if score > 0 and score >= best * (RELEVANT_DESCRIPTION if number in described else RELEVANT)
    ]
    relevant.sort(key=lambda number: -scores[number - 1])
    description_of = {
        number: next((description for description in relevant if [number, description] in links), 0)
        for number in relevant
    }
    return Chains(
        paths=[
            [number, description_of[number]] if description_of[number] else [number]
            for number in relevant
            if number not in described
        ]
    )


def respond(task_input: RespondInput) -> Draft:
    """The passage that answers the message best; after feedback, all of them."""
    passages = task_input["passages"]
    if not passages or task_input.get("feedback"):
        return Draft(text=" ".join(passages) or NOTHING_FOUND)
    scores = rank({"query": task_input["question"], "passages": passages}).scores
    return Draft(text=passages[scores.index(max(scores))])


def utility(task_input: ResponseInput) -> Utility:
    """KF1 with the closest passage, and 0 for a response that the evidence contradicts."""
    text, wrong = task_input["text"], contradicting(task_input)
    shared = max((kf1(text, passage) for passage in task_input["passages"]), default=0.0)
    reason = f'The evidence contradicts it: "{wrong}"' if wrong else ""
    return Utility(reason=reason, fluency=1.0, informativeness=shared, factuality=0.0 if wrong else 1.0)


def recall(task_input: ResponseInput) -> Recall:
    """The share of what the message asks for: the value that the evidence gives, if the rules can read one.

    Otherwise what the statements closest to the message say beyond it; of several, the one that the response says most
    of. Right replies may be short: this asks for no more than the message does.
    """
    question, text = task_input["question"], task_input["text"]
    message, said = set(tokens(question)), set(tokens(text))
    if reading := read_out(question, [Piece("", passage) for passage in task_input["passages"]]):
        values = [fact for fact in facts.find(text, 0, len(text)) if fact.kind == reading.fact.kind]
        return Recall(share=float(any(same(reading.fact, value) for value in values)))
    statements = [set(tokens(statement)) for statement in _statements(task_input["passages"])]
    closest = max((len(message & statement) for statement in statements), default=0)
    wanted = [statement - message for statement in statements if len(message & statement) == closest]
    return Recall(share=max((len(words & said) / len(words) for words in wanted if words), default=None))


def feedback(task_input: FeedbackInput) -> Feedback:
    """What contradicts the response; otherwise the evidence that it leaves out."""
    response_words, wrong = set(tokens(task_input["text"])), contradicting(task_input)
    words_of = {statement: set(tokens(statement)) for statement in _statements(task_input["passages"])}
    unused = [
        statement
        for statement, statement_words in words_of.items()
        if len(response_words & statement_words) < USED * len(statement_words)
    ]
    lines = [f'The response is inconsistent with this evidence: "{wrong}"'] if wrong else []
    lines += [
        f'The response does not use this evidence: "{statement}"' for statement in unused[:3] if statement != wrong
    ]
    lines += [task_input["reason"]] if task_input.get("reason") and not wrong else []
    advice = "Much of the response is not in the evidence: say what the evidence says, and leave out the rest."
    return Feedback(text="\n".join(lines) or advice, contradicts=bool(wrong))


def contradicting(task_input: ResponseInput) -> str:
    """The first statement of the evidence that contradicts the response; empty if none does.

    Raises:
        Undecided: If there are too many to compare.
    """
    text = task_input["text"]
    claims = dict.fromkeys(sentences_of(text))
    statements = dict.fromkeys(_statements(task_input["passages"]))
    check_size(claims, statements)
    for statement in statements:
        findings = (judge(text, claim, statement, question=task_input["question"]) for claim in claims)
        if any(finding.label == "contradiction" for finding in findings):
            return " ".join(statement.split())
    return ""


def _statements(passages: list[str]) -> list[str]:
    return [sentence for passage in passages for sentence in sentences_of(passage)]
