"""What flows through a graph and what it returns: the same records for every method.

All of them are JSON-like TypedDicts, so that a state survives a checkpoint, a restart and a wire.
"""

from collections.abc import Iterable
from typing import Literal, NotRequired

from typing_extensions import TypedDict

Label = Literal["entailment", "neutral", "contradiction", "error"]
"""What evidence says about a statement. `error` means that nobody could tell; it always has a reason."""

Stopped = Literal["finished", "accepted", "stable", "rounds", "budget", "deadline", "error"]
"""Why a run ended. What came of it is its `Status`.

finished
    everything that was to be done was done
accepted
    a critic, a scorer or a vote of samples accepted the text
stable
    further corrections left the text as it was
rounds
    the bound on correction rounds was reached
budget
    the bound on model calls, or on their cost, was reached
deadline
    the bound on time was reached
error
    a model or a tool failed, so that some of the text, or all of it, is unchecked
"""


Status = Literal["corrected", "checked", "unchanged", "unresolved", "not checked"]
"""What came of a run: the first of these that is true of its text.

unresolved
    evidence contradicts the text, and the text was not put right: see `unresolved` in the result
corrected
    the text was changed, and nothing that is known to be wrong is left in it
checked
    every sentence was compared with evidence, and nothing is wrong
unchanged
    no change was needed in what could be compared; for some sentences nothing was found, or nobody looked
not checked
    nothing could be compared with evidence
"""

SentenceStatus = Literal["corrected", "checked", "unresolved", "nothing found", "not checked"]
"""What came of one sentence of the final text.

unresolved
    evidence contradicts it, and it stands all the same
corrected
    it was changed
not checked
    nobody looked it up: nothing was asked about it, a model or a tool failed, or the budget was spent
checked
    evidence agrees with it in what was asked about it, and none contradicts it
nothing found
    it was looked up, and no evidence decides it
"""


class Evidence(TypedDict):
    """Text from outside the model, with where it came from."""

    id: str
    """Hash of title and text (12 hex digits), for a tool's run also of what was run: equal evidence has an equal id."""
    query: str
    """The search query that found it first."""
    text: str
    """What it says: a page or passage as searched, or the window of it that was ranked best."""
    title: str
    """Title of the page or document; may be empty."""
    source: str
    """Address or path of the page or document."""
    score: float
    """The ranker's (or the search engine's) score. Comparable within one query only."""


class Cites(TypedDict):
    """The evidence that a verdict or an edit was made from."""

    evidence: str
    """Id of the first piece; empty if it rests on no evidence."""
    also: NotRequired[list[str]]
    """Ids of further pieces."""


def cites(ids: Iterable[str]) -> Cites:
    """The fields that cite evidence, each piece once and in this order."""
    first, *rest = dict.fromkeys(filter(None, ids)) or [""]
    return {"evidence": first, "also": rest} if rest else {"evidence": first}


def cited(record: Cites) -> list[str]:
    """Ids of all evidence that a verdict or an edit was made from."""
    return list(filter(None, (record["evidence"], *record.get("also", []))))


class Verdict(Cites):
    """What one piece of evidence says about one question put to the text."""

    question: str
    label: Label
    reason: str
    """The thinking behind the label; for `error`, what failed."""
    backend: str
    """The backend of the task model that judged, such as `chat` or `rules`."""


class Edit(Cites):
    """One change of the text.

    Edits apply in order: `start` and `end` are character offsets that select `before` in the text as it stood when the
    edit was made, so that replaying the applied ones over `original` gives `text`.
    """

    before: str
    after: str
    start: int
    end: int
    reason: str
    """Why it was made; for an edit that was not applied, why not."""
    applied: bool
    """False for an edit that the guard or a person refused. It is recorded, and the text does not carry it."""


class Attribution(TypedDict):
    """One sentence of the final text and the evidence that bears on it."""

    sentence: str
    start: int
    end: int
    """Character offsets of the sentence in the final text."""
    evidence: list[str]
    """Ids of the chosen evidence, best first; empty if none bears on it."""
    status: SentenceStatus
    quote: NotRequired[str]
    """The words of the first piece of it that show it, where the method tells."""


class Unresolved(TypedDict):
    """A contradiction that is known and that stands in the final text."""

    sentence: str
    """The sentence that is contradicted, or the whole text where nobody can tell which it is."""
    start: int
    end: int
    """Character offsets of the sentence in the final text."""
    question: str
    """What was asked about it."""
    evidence: str
    """Id of the evidence that contradicts it; empty where a critic judged on its own."""
    reason: str
    """What is wrong."""
    left: str
    """Why it was not put right."""


class Failure(TypedDict):
    """A model or tool that failed for good."""

    step: str
    """The step in which it failed, such as `questions` or `research`."""
    reason: str
    unchecked: bool
    """Whether some of the text stays unchecked because of it."""


class Quorum(TypedDict):
    """How much of what was asked for was had. No gate passes on a remainder: it counts what was asked for."""

    asked: int
    had: int


class Usage(TypedDict):
    """What a run cost."""

    llm_calls: int
    """Requests answered by a language model, repairs included."""
    input_tokens: int
    output_tokens: int
    """Tokens that models wrote, reasoning included."""
    reasoning_tokens: int
    """Those among `output_tokens` that were spent on reasoning, where the provider tells."""
    repairs: int
    """Replies that could not be used, so that the model was asked again or its answer was given up."""
    searches: int
    """Searches carried out; those answered from the results cache are not counted."""
    tool_runs: int
    """Other tool runs: page fetches, program executions, scorers."""
    seconds: float
    """Time in which at least one step was working. Waiting for a person does not count."""
    cached: NotRequired[int]
    """Requests answered from replies that were kept. They cost nothing; absent where there were none."""
    cost: NotRequired[float]
    """US dollars; absent where no price is known for the model."""


class Result(TypedDict):
    """What every correction method returns."""

    original: str
    text: str
    """The final text: the best so far if the run had to stop early."""
    edits: list[Edit]
    verdicts: list[Verdict]
    evidence: list[Evidence]
    attribution: list[Attribution]
    unresolved: list[Unresolved]
    """Contradictions that are known and left; empty if `status` is another than `unresolved`."""
    failures: list[Failure]
    quorum: dict[str, Quorum]
    """Of each thing how many were asked for and had: `samples`, `rounds` of questions, `searches`, `passages`,
    `claims`, `sentences`, `critiques`, `scores`, `verdicts`. What a method does not ask for is not in it."""
    status: Status
    """What came of it."""
    stopped: Stopped
    reason: str
    """Why it stopped and how the checks went, in a sentence."""
    usage: Usage
