"""The tasks: pieces of thinking with typed input and output, whoever does the thinking.

A task model is a `Runnable[dict, BaseModel]` that takes a task's input and returns its output. A chat model, a handful
of rules and a small network can all be task models of the same task; a graph cannot tell them apart.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import AIMessage
from pydantic import BaseModel, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from ..state.answers import read_answer, short_answer


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
    allowed = [*task_input["tools"], CONCLUDE]
    if output.tool not in allowed:
        return f"there is no tool `{output.tool}`; use {' or '.join(allowed)}"
    if output.tool == CONCLUDE:
        return None if output.conclusion else "a conclusion is missing"
    return None if output.argument.strip() else f"`{output.tool}` was given nothing"


TURN = frozenset({"question", "text", "answer", "messages", "tools", "last"})

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task("draft", frozenset({"question"}), Draft),
        Task("cot", frozenset({"question"}), Answered),
        Task("samples", frozenset({"question", "n"}), Samples, words="cot"),
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
        Task("edit", frozenset({"text", "question", "query", "evidence", "title"}), Revision, _span_occurs_once),
        Task("summarise", frozenset({"question", "passages"}), Statement, _says_something),
        Task("corrupt", frozenset({"text", "passages", "seed"}), Corruption, _is_wrong_now),
        Task("edit_all", frozenset({"text", "question", "pairs"}), Edited, _says_something),
    )
}
"""Inputs are strings (empty if there is nothing), but for `passages` and `tools`, lists of strings, `n` and `seed`,
numbers, `messages`: the turns so far and what the tools said, as LangChain messages, and `pairs`: a list of {query,
title, evidence}, all of them strings.

`question` is the question that the text answers; `query` is the question put to the evidence; `title` names the page
that the evidence is from. `tools` names the tools that a turn may use; without any it must conclude. `last` is
true where it is the last turn, which ought to be a conclusion.
"""
