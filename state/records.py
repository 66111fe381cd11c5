"""The records that flow through a graph and that it returns, the same for every method.

All of them are JSON-like TypedDicts, so that a state survives checkpoints, restarts and transport.
"""

from collections.abc import Iterable
from typing import Literal, NotRequired

from typing_extensions import TypedDict

Label = Literal["entailment", "neutral", "contradiction", "error"]
"""What evidence says about a statement. `error` means that this could not be determined; it always has a reason."""

Stopped = Literal["finished", "accepted", "stable", "rounds", "budget", "deadline", "error"]
"""Why a run ended. Its outcome is its `Status`.

finished
    everything was done
accepted
    a critic, a scorer or a vote of samples accepted the text
stable
    further corrections changed nothing
rounds
    the limit on correction rounds was reached
budget
    the limit on model calls or their cost was reached
deadline
    the limit on time was reached
error
    a model or a tool failed, so that some or all of the text is unchecked
"""


Status = Literal["corrected", "checked", "unchanged", "unresolved", "not checked"]
"""The outcome of a run: the first of these that is true of its text.

unresolved
    evidence contradicts the text, and the text was not corrected: see `unresolved` in the result
corrected
    the text was changed, and no known contradiction remains
checked
    every sentence was compared with evidence, and nothing is wrong
unchanged
    nothing is wrong in the sentences that could be compared; the others were not found or not looked up
not checked
    nothing could be compared with evidence
"""

SentenceStatus = Literal["corrected", "checked", "unresolved", "nothing found", "not checked"]
"""The status of one sentence of the final text.

unresolved
    evidence contradicts it, and it was not corrected
corrected
    it was changed
not checked
    it was not looked up: nothing was asked about it, a model or a tool failed, or the budget was spent
checked
    evidence agrees with it in what was asked, and none contradicts it
nothing found
    it was looked up, but no evidence decides it
"""


class Evidence(TypedDict):
    """Text from outside the model, with its origin."""

    id: str
    """A hash of title and text (12 hex digits), for a tool run also of its input: equal evidence has an equal id."""
    query: str
    """The search query that found it first."""
    text: str
    """Its text: a page or passage as found, or its best-ranked window."""
    title: str
    """The title of the page or document; may be empty."""
    source: str
    """The address or path of the page or document."""
    score: float
    """The ranker's (or the search engine's) score. Comparable only within one query."""


class Cites(TypedDict):
    """The evidence behind a verdict or an edit."""

    evidence: str
    """The id of the first piece; empty if it rests on no evidence."""
    also: NotRequired[list[str]]
    """The ids of further pieces."""


def cites(ids: Iterable[str]) -> Cites:
    """The fields that cite evidence, each piece once and in this order."""
    first, *rest = dict.fromkeys(filter(None, ids)) or [""]
    return {"evidence": first, "also": rest} if rest else {"evidence": first}


def cited(record: Cites) -> list[str]:
    """The ids of all evidence that a verdict or an edit cites."""
    return list(filter(None, (record["evidence"], *record.get("also", []))))


class Verdict(Cites):
    """What one piece of evidence says about one question put to the text."""

    question: str
    label: Label
    reason: str
    """The reasoning behind the label; for `error`, what failed."""
    backend: str
    """The backend that judged, such as `chat` or `rules`."""


class Edit(Cites):
    """One change of the text.

    Edits apply in order: `start` and `end` are character offsets of `before` in the text at the time of the edit, so
    that replaying the applied edits on `original` gives `text`.
    """

    before: str
    after: str
    start: int
    end: int
    reason: str
    """Why it was made; for an edit that was not applied, why not."""
    applied: bool
    """False for an edit that the guard or a person refused. It is recorded but not made."""


class Attribution(TypedDict):
    """One sentence of the final text and the evidence about it."""

    sentence: str
    start: int
    end: int
    """The character offsets of the sentence in the final text."""
    evidence: list[str]
    """The ids of the chosen evidence, best first; empty if there is none."""
    status: SentenceStatus
    quote: NotRequired[str]
    """The words of the first piece that support it, if the method reports them."""


class Unresolved(TypedDict):
    """A known contradiction that remains in the final text."""

    sentence: str
    """The contradicted sentence, or the whole text if it is unknown which."""
    start: int
    end: int
    """The character offsets of the sentence in the final text."""
    question: str
    """The question that was asked about it."""
    evidence: str
    """The id of the evidence that contradicts it; empty if a critic judged on its own."""
    reason: str
    """What is wrong."""
    left: str
    """Why it was not corrected."""


class Failure(TypedDict):
    """A model or tool that failed permanently."""

    step: str
    """The step in which it failed, such as `questions` or `research`."""
    reason: str
    unchecked: bool
    """Whether some of the text is unchecked because of it."""


class Quorum(TypedDict):
    """How many of the requested things were received.

    Thresholds count what was requested, so no gate passes on less.
    """

    asked: int
    had: int


class Usage(TypedDict):
    """The cost of a run."""

    llm_calls: int
    """Requests answered by a language model, including repairs."""
    input_tokens: int
    output_tokens: int
    """Tokens that models wrote, including reasoning."""
    reasoning_tokens: int
    """The part of `output_tokens` spent on reasoning, if the provider reports it."""
    cached_tokens: NotRequired[int]
    """The part of `input_tokens` that the provider had in its cache; absent if it reports none."""
    repairs: int
    """Unusable replies, after which the model was asked again or its answer was abandoned."""
    searches: int
    """Searches run; those answered from the cache are not counted."""
    tool_runs: int
    """Other tool runs: page fetches, program executions, scorers."""
    seconds: float
    """The time in which at least one step was working. Waiting for a person does not count."""
    cached: NotRequired[int]
    """Requests answered from stored replies. They cost nothing; absent if there were none."""
    cost: NotRequired[float]
    """US dollars; absent if no price is known for the model."""


class Result(TypedDict):
    """The result of every correction method."""

    original: str
    text: str
    """The final text: the best so far if the run had to stop early."""
    edits: list[Edit]
    verdicts: list[Verdict]
    evidence: list[Evidence]
    attribution: list[Attribution]
    unresolved: list[Unresolved]
    """Known contradictions that remain; empty unless `status` is `unresolved`."""
    failures: list[Failure]
    quorum: dict[str, Quorum]
    """How many of each thing were requested and received: `samples`, `rounds` of questions, `searches`, `passages`,
    `claims`, `sentences`, `critiques`, `scores`, `verdicts`. Things that a method does not request are missing.
    """
    status: Status
    """The outcome."""
    stopped: Stopped
    reason: str
    """Why it stopped and how the checks went, in a sentence."""
    usage: Usage
