"""The tasks: pieces of thinking with typed input and output, whoever does the thinking.

A task model is a `Runnable[dict, BaseModel]` that takes a task's input and returns its output. A chat model, a handful
of rules and a small network can all be task models of the same task; a graph cannot tell them apart.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import AIMessage
from pydantic import BaseModel, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from ..state.answers import is_null, read_answer, read_label, short_answer


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


class Edited(BaseModel):
    """The text after one edit over several pieces of evidence (PURR's editor)."""

    text: str = Field(min_length=1, description="The whole text, changed only where the evidence contradicts it.")


class Statement(BaseModel):
    """What several passages say, in a sentence or two (PURR section 3.1)."""

    text: str = Field(min_length=1, description="A statement that the passages support, complete and by itself.")


class Swap(BaseModel):
    """One corruption of a statement."""

    kind: Literal["entity", "number", "date", "relation", "negation", "grammar"]
    before: str = Field(description="The words of the statement that are changed.")
    after: str = Field(description="What stands in their place.")


class Corruption(BaseModel):
    """A statement made wrong (PURR section 3.1). The order of the fields is the chain of thought."""

    plan: list[Swap] = Field(min_length=1, description="The planned corruptions, one after another.")
    text: str = Field(min_length=1, description="The statement with all of them carried out.")


class Program(BaseModel):
    """A Python program that solves a problem (program of thought)."""

    code: str = Field(min_length=1, description="Python that leaves the result in the variable `answer`.")


class Critique(BaseModel):
    """What a critic says of a draft (CRITIC): first whether it can be an answer at all, then whether it is right."""

    plausibility: str = Field(description="Is it the right kind of answer: sign, whole or not, unit, order of size?")
    correctness: str = Field(description="Is it right, going by what the tools say? What exactly is wrong?")
    accepted: bool = Field(description="true if nothing is to be corrected.")


class Answered(Draft):
    """A chain of thought and the short answer that it comes to."""

    answer: str = Field(default="", description="The short answer, without its reasoning.")

    @model_validator(mode="after")
    def _read(self) -> "Answered":
        self.answer = self.answer or read_answer(self.text)
        return self


class Sample(Answered):
    """One of several chains of thought that a model came to."""

    logprob: float | None = Field(default=None, description="Mean log-probability of its tokens, where that is known.")


class Samples(BaseModel):
    """Several chains of thought, sampled independently."""

    samples: list[Sample] = Field(min_length=1)


class VerifyingQuestion(Draft):
    """What to look up to verify a sentence (Verify-and-Edit)."""


class VerifyingAnswer(Draft):
    """What the evidence says in answer to a verifying question, in a sentence; `unknown` if it does not tell."""

    @property
    def tells(self) -> bool:
        """Whether it is an answer, and not the word that the evidence does not tell."""
        return not is_null(self.text) and not _TELLS_NOTHING.search(self.text)


_TELLS_NOTHING = re.compile(
    r"\b(?:context|evidence|texts?|passages?|information)\b[^.]*\b(?:do(?:es)? not|doesn't|don't)\s+"
    r"(?:say|tell|state|mention|specify|provide|give|contain|answer)\b|\b(?:is|are) (?:not|un) ?known\b",
    re.IGNORECASE,
)


class ClaimAnswered(Answered):
    """A judgement on a claim: `answer` is SUPPORTS, REFUTES or NOT ENOUGH INFO (FEVER), or empty."""

    @model_validator(mode="after")
    def _read_label(self) -> "ClaimAnswered":
        self.answer = read_label(self.answer)
        return self


class Conclusion(BaseModel):
    """How a critique ends: is the answer right, and if not, what is? In the order of the chain of thought."""

    plausibility: str = Field(default="", description="Is it the right kind of answer to what was asked?")
    correctness: str = Field(default="", description="Is it right, going by what the tools say? What is wrong?")
    accepted: bool = Field(default=False, description="true if nothing is to be corrected.")
    text: str = Field(default="", description="The whole answer, corrected where it was wrong.")
    answer: str = Field(default="", description="The short answer that `text` comes to; empty for prose.")

    @model_validator(mode="after")
    def _read(self) -> "Conclusion":
        self.answer = self.answer or short_answer(self.text)
        return self


CONCLUDE = "conclude"


class Turn(BaseModel):
    """One turn of a model that may use tools: the tool that it wants to use next, or its conclusion."""

    thought: str = Field(default="", description="Why.")
    tool: str = Field(description="Name of a tool, or `conclude`.")
    argument: str = Field(default="", description="What the tool is given.")
    conclusion: Conclusion | None = Field(default=None, description="With `conclude`.")
    message: SkipJsonSchema[AIMessage | None] = Field(default=None, description="As the model's provider gave it.")


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


class Choice(BaseModel):
    """What to do next for a response (LLM-Augmenter's policy)."""

    reason: str = Field(default="", description="What is known, and what is missing.")
    action: Literal["consolidate", "prompt", "send"] = Field(
        description="consolidate to look up evidence, prompt to write a response, send to send the one there is."
    )


class Searches(BaseModel):
    """What to search for before a message is responded to."""

    queries: list[str] = Field(min_length=1, description="Each a search query that stands alone; three at most.")


class Entities(BaseModel):
    """Names that a text mentions."""

    names: list[str] = Field(description="The names, the most telling first.")


class Chains(BaseModel):
    """Numbered statements, chained into evidence paths; those that no path holds are dropped."""

    paths: list[list[int]] = Field(
        description="Each the numbers of statements that lead from one to the next; mostly one or two."
    )


class Utility(BaseModel):
    """How good a response is. The order of the fields is the chain of thought; the numbers are from 0 to 1."""

    reason: str = Field(default="", description="What is good and what is bad about it.")
    fluency: float = Field(ge=0, le=1, description="Does it read as a natural, complete reply to the message?")
    informativeness: float = Field(ge=0, le=1, description="Does it tell what was asked for?")
    factuality: float = Field(ge=0, le=1, description="Is all that it states borne out by the evidence?")


class Feedback(BaseModel):
    """What is to be done better about a response."""

    text: str = Field(min_length=1, description="What to change, naming the evidence, in a few sentences.")
    contradicts: bool = Field(default=False, description="true if the evidence contradicts the response.")


Check = Callable[[dict[str, Any], Any], str | None]


@dataclass(frozen=True)
class Task:
    """One task.

    check
        what typing cannot say about an output: given input and output it returns what is wrong, or None.
        A chat make asks again with that complaint.
    words
        whose prompt it uses, if not its own
    """

    name: str
    inputs: frozenset[str]
    output: type[BaseModel]
    check: Check | None = None
    words: str = ""

    @property
    def shown(self) -> type[BaseModel]:
        """What the examples in its prompt come to."""
        if self.output is Turn:
            return Conclusion
        return Answered if self.output is Samples else self.output


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


def _says_something(task_input: dict[str, Any], output: BaseModel) -> str | None:
    return None if getattr(output, "text", "").strip() else "`text` is empty"


def _is_wrong_now(task_input: dict[str, Any], output: Corruption) -> str | None:
    same = output.text.split() == task_input["text"].split()
    return "`text` is the statement as it was; carry the plan out" if same else None


def _can_be_done(task_input: dict[str, Any], output: Turn) -> str | None:
    if output.tool == CONCLUDE:
        return None if output.conclusion else "a conclusion is missing"
    if task_input["last"]:
        return None  # what a last turn asks for is not carried out, so it may be anything
    if output.tool not in task_input["tools"]:
        return f"there is no tool `{output.tool}`; use {' or '.join([*task_input['tools'], CONCLUDE])}"
    return None if output.argument.strip() else f"`{output.tool}` was given nothing"


def _one_line(task_input: dict[str, Any], output: VerifyingQuestion) -> str | None:
    return None if "\n" not in output.text.strip() else "there is more than the one question"


def _comes_to_an_answer(task_input: dict[str, Any], output: Answered) -> str | None:
    parsed = output.answer != read_answer(output.text) or short_answer(output.text)
    return None if parsed else 'it does not say "The answer is " and the answer'


def _is_a_label(task_input: dict[str, Any], output: ClaimAnswered) -> str | None:
    return None if output.answer else "the answer is none of SUPPORTS, REFUTES and NOT ENOUGH INFO"


def _is_open(task_input: dict[str, Any], output: Choice) -> str | None:
    actions = task_input["actions"]
    return None if output.action in actions else f"`{output.action}` is not open; choose {' or '.join(actions)}"


def _numbers_exist(task_input: dict[str, Any], output: Chains) -> str | None:
    count = len(task_input["passages"])
    wrong = [number for path in output.paths for number in path if not 1 <= number <= count]
    return f"there is no statement {wrong[0]}; they are numbered from 1 to {count}" if wrong else None


DIALOGUE = frozenset({"question", "history"})
RESPONSE = DIALOGUE | {"text", "evidence", "passages"}
TURN = frozenset({"question", "text", "answer", "messages", "tools", "last"})


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
        Task("cot", frozenset({"question"}), Answered),
        Task("samples", frozenset({"question", "n"}), Samples, words="cot"),
        Task("chains", frozenset({"question", "n"}), Samples),
        Task("claim_chains", frozenset({"question", "n"}), Samples),
        Task("verifying_question", frozenset({"question", "sentence", "rationale"}), VerifyingQuestion, _one_line),
        Task("verifying_answer", frozenset({"question", "evidence"}), VerifyingAnswer),
        Task("final_answer", frozenset({"question", "rationale"}), Answered, _comes_to_an_answer),
        Task("claim_answer", frozenset({"question", "rationale"}), ClaimAnswered, _is_a_label),
        Task("react", TURN, Turn, _can_be_done),
        Task("qa_critique", TURN, Turn, _can_be_done),
        Task("critique", TURN, Turn, _can_be_done),
        Task("queries", frozenset({"text", "question"}), Queries),
        Task("rank", frozenset({"query", "passages"}), Ranking, _one_score_each),
        Task("agreement", frozenset({"text", "question", "query", "evidence", "title"}), Agreement),
        Task("program", frozenset({"question"}), Program),
        Task("program_critique", frozenset({"question", "program", "observation"}), Critique),
        Task("program_correction", frozenset({"question", "program", "observation", "critique"}), Program),
        Task("continuation", frozenset({"question"}), Draft),
        Task("toxicity_critique", frozenset({"question", "text", "offending"}), Critique),
        Task("rewrite", frozenset({"question", "text", "critique", "offending"}), Draft),
        Task("policy", RESPONSE | {"score", "feedback", "actions"}, Choice, _is_open),
        Task("search_queries", DIALOGUE, Searches),
        Task("entities", frozenset({"question", "passages"}), Entities),
        Task("chain", DIALOGUE | {"evidence", "passages", "scores", "links"}, Chains, _numbers_exist),
        Task("respond", RESPONSE | {"feedback"}, Draft),
        Task("utility", RESPONSE, Utility),
        Task("feedback", RESPONSE | {"reason"}, Feedback),
        Task("self_criticism", RESPONSE | {"reason"}, Feedback),
        Task("edit", frozenset({"text", "question", "query", "evidence", "title"}), Revision, _span_occurs_once),
        Task("extract", frozenset({"sentences", "question"}), Triplets, _sentences_exist),
        Task("extract_subsentences", frozenset({"sentences", "question"}), Subsentences, _sentences_exist),
        Task("check", frozenset({"claims", "question", "evidence", "title"}), Judgements, _one_judgement_each),
        Task("summarise", frozenset({"question", "passages"}), Statement, _says_something),
        Task("corrupt", frozenset({"text", "passages", "seed"}), Corruption, _is_wrong_now),
        Task("edit_all", frozenset({"text", "question", "pairs"}), Edited, _says_something),
    )
}
"""Inputs are strings (empty if there is nothing), but for `passages`, `sentences`, `claims` and `tools`, lists of
strings, `n` and `seed`, numbers, `messages`: the turns so far and what the tools said, as LangChain messages, and
`pairs`: a list of {query, title, evidence}, all of them strings.

The numbers of sentences and claims in an output are their places in the list, from 1.

`question` is the question that the text answers, in Verify-and-Edit also a claim to judge; `query` is the question put
to the evidence; `title` names the page that the evidence is from. `tools` names the tools that a turn may use; without
any it must conclude. `last` is true where it is the last turn, which ought to be a conclusion.

In a dialogue, `question` is the user's message, `history` the turns before it, a line each, and `text` the response.
`evidence` is then all of it as a model is shown it and `passages` the same piece by piece; `chain` has for each piece
its rank in `scores`, and in `links` pairs of numbers: the first names what the second describes. `actions` are those
that a policy may choose from, `score` is the utility of the response, or None.
"""
