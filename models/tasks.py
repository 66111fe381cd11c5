"""The tasks: pieces of thinking with typed input and output, whoever does the thinking.

A task model is a `Runnable[dict, BaseModel]` that takes a task's input and returns its output. A chat model, a handful
of rules and a small network can all be task models of the same task; a graph cannot tell them apart.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, Field


class Draft(BaseModel):
    """A first answer."""

    text: str = Field(min_length=1, description="The answer.")


class Queries(BaseModel):
    """Questions to ask a search engine."""

    queries: list[str] = Field(description="Each a question whose answer verifies a part of the text.")


class Ranking(BaseModel):
    """How well each passage answers a query."""

    scores: list[float] = Field(description="One score per passage, in their order; higher is better.")


class Agreement(BaseModel):
    """What the evidence says about the text, as far as one question goes (RARR's agreement model).

    The order of the fields is the chain of thought.
    """

    text_says: str = Field(description="What the text says in answer to the question; empty if nothing.")
    evidence_says: str = Field(description="What the evidence says in answer to the question; empty if nothing.")
    label: Literal["entailment", "neutral", "contradiction"] = Field(
        description="entailment if the evidence agrees with the text, contradiction if it disagrees, "
        "neutral if it does not say or is about something else."
    )


class Revision(BaseModel):
    """A change of the text: first what is wrong, then what stands there instead (RARR's edit model)."""

    span: str = Field(description="The words of the text that the evidence contradicts, copied exactly.")
    replacement: str = Field(description="The words to put in their place.")


class Program(BaseModel):
    """A Python program that solves a problem (program of thought)."""

    code: str = Field(min_length=1, description="Python that leaves the result in the variable `answer`.")


class Critique(BaseModel):
    """What a critic says of a draft (CRITIC): first whether it can be an answer at all, then whether it is right."""

    plausibility: str = Field(description="Is it the right kind of answer: sign, whole or not, unit, order of size?")
    correctness: str = Field(description="Is it right, going by what the tools say? What exactly is wrong?")
    accepted: bool = Field(description="true if nothing is to be corrected.")


class Triplet(BaseModel):
    """One claim, as a triplet (RefChecker)."""

    subject: str = Field(min_length=1, description="What the claim is about, by its full name.")
    predicate: str = Field(description="What is said of it.")
    object: str = Field(description="Whom or what the predicate relates it to; empty if it stands alone.")
    sentences: list[int] = Field(min_length=1, description="Numbers of the sentences that make the claim.")


class Triplets(BaseModel):
    """All claims of a text, as triplets."""

    claims: list[Triplet]


class Subsentence(BaseModel):
    """One claim, as a short sentence."""

    content: str = Field(min_length=1, description="The claim, in a sentence that stands alone.")
    sentences: list[int] = Field(min_length=1, description="Numbers of the sentences that make the claim.")


class Subsentences(BaseModel):
    """All claims of a text, as short sentences."""

    claims: list[Subsentence]


class Judgement(BaseModel):
    """What the evidence says about one claim. First the thinking, then the label."""

    claim: int = Field(description="Number of the claim.")
    reason: str = Field(description="What the evidence says about it, in a few words; empty if nothing.")
    label: Literal["entailment", "neutral", "contradiction"] = Field(
        description="entailment if the evidence supports the claim, contradiction if it contradicts it, "
        "neutral if it does not say."
    )


class Judgements(BaseModel):
    """What the evidence says about each of several claims (RefChecker's checker)."""

    judgements: list[Judgement]


Check = Callable[[dict[str, Any], Any], str | None]


@dataclass(frozen=True)
class Task:
    """One task.

    check
        what typing cannot say about an output: given input and output it returns what is wrong, or None.
        A chat make asks again with that complaint.
    """

    name: str
    inputs: frozenset[str]
    output: type[BaseModel]
    check: Check | None = None


def _one_score_each(task_input: dict[str, Any], output: Ranking) -> str | None:
    expected, got = len(task_input["passages"]), len(output.scores)
    return None if expected == got else f"{got} scores for {expected} passages"


def _span_occurs_once(task_input: dict[str, Any], output: Revision) -> str | None:
    count = task_input["text"].count(output.span) if output.span else 0
    if count == 1:
        return None
    if count == 0:
        return "`span` is not a verbatim part of the text; copy it exactly"
    return f"`span` occurs {count} times in the text; copy more of the words around it, so that it occurs once"


def _sentences_exist(task_input: dict[str, Any], output: Triplets | Subsentences) -> str | None:
    last = len(task_input["sentences"])
    unknown = {number for claim in output.claims for number in claim.sentences if not 1 <= number <= last}
    return f"there is no sentence {min(unknown)}: they are numbered from 1 to {last}" if unknown else None


def _one_judgement_each(task_input: dict[str, Any], output: Judgements) -> str | None:
    asked = list(range(1, len(task_input["claims"]) + 1))
    given = sorted(judgement.claim for judgement in output.judgements)
    return None if asked == given else f"judge each of the claims {asked} once; claims {given} were judged"


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task("draft", frozenset({"question"}), Draft),
        Task("queries", frozenset({"text", "question"}), Queries),
        Task("rank", frozenset({"query", "passages"}), Ranking, _one_score_each),
        Task("agreement", frozenset({"text", "question", "query", "evidence", "title"}), Agreement),
        Task("program", frozenset({"question"}), Program),
        Task("program_critique", frozenset({"question", "program", "observation"}), Critique),
        Task("program_correction", frozenset({"question", "program", "observation", "critique"}), Program),
        Task("continuation", frozenset({"question"}), Draft),
        Task("toxicity_critique", frozenset({"question", "text", "offending"}), Critique),
        Task("rewrite", frozenset({"question", "text", "critique", "offending"}), Draft),
        Task("edit", frozenset({"text", "question", "query", "evidence", "title"}), Revision, _span_occurs_once),
        Task("extract", frozenset({"sentences", "question"}), Triplets, _sentences_exist),
        Task("extract_subsentences", frozenset({"sentences", "question"}), Subsentences, _sentences_exist),
        Task("check", frozenset({"claims", "question", "evidence", "title"}), Judgements, _one_judgement_each),
    )
}
"""Inputs are strings (empty if there is nothing), but for `passages`, `sentences` and `claims`, lists of strings.

The numbers of sentences and claims in an output are their places in the list, from 1.

`question` is the question that the text answers; `query` is the question put to the evidence; `title` names the page
that the evidence is from.
"""
