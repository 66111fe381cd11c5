"""Dialogue: search for a message, respond to it, score the response (LLM-Augmenter)."""

from typing import Annotated, Literal, NotRequired

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from .drafting import Draft
from .task import AnyCase, Task


class Dialogue(TypedDict):
    """A user's message."""

    question: str
    history: NotRequired[str]
    """The turns before it, a line each."""


class EntitiesInput(TypedDict):
    """A message and what was found for it."""

    question: str
    passages: list[str]


class ChainInput(Dialogue):
    """What was found, to be chained."""

    evidence: str
    """All of it, as a model is shown it."""
    passages: list[str]
    """The same, piece by piece."""
    scores: list[float]
    """The rank of each piece."""
    links: list[list[int]]
    """Pairs of numbers: the first names what the second describes."""


class ResponseInput(Dialogue):
    """A response, and what it is to rest on."""

    text: str
    evidence: NotRequired[str]
    passages: list[str]


class PolicyInput(ResponseInput):
    """What was done so far, and what may be done next."""

    score: float | None
    """The utility of the response."""
    feedback: NotRequired[str]
    actions: list[str]


class RespondInput(ResponseInput):
    """What a response is to do better than the one before it."""

    feedback: NotRequired[str]


class FeedbackInput(ResponseInput):
    """A response that scored too low, and why."""

    reason: NotRequired[str]


class Choice(BaseModel):
    """What to do next for a response (LLM-Augmenter's policy)."""

    reason: str = Field(default="", description="What is known, and what is missing.")
    action: Annotated[Literal["consolidate", "prompt", "send"], AnyCase] = Field(
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


class Recall(BaseModel):
    """How much a response says of what the message asks for."""

    share: float | None = Field(ge=0, le=1, description="The share of its words; None if the evidence says nothing.")


class Feedback(BaseModel):
    """What is to be done better about a response."""

    text: str = Field(min_length=1, description="What to change, naming the evidence, in a few sentences.")
    contradicts: bool = Field(default=False, description="true if the evidence contradicts the response.")


def _is_open(task_input: PolicyInput, output: Choice) -> str | None:
    actions = task_input["actions"]
    return None if output.action in actions else f"`{output.action}` is not open; choose {' or '.join(actions)}"


def _numbers_exist(task_input: ChainInput, output: Chains) -> str | None:
    count = len(task_input["passages"])
    wrong = [number for path in output.paths for number in path if not 1 <= number <= count]
    return f"there is no statement {wrong[0]}; they are numbered from 1 to {count}" if wrong else None


POLICY = Task("policy", PolicyInput, Choice, _is_open)
SEARCH_QUERIES = Task("search_queries", Dialogue, Searches)
ENTITIES = Task("entities", EntitiesInput, Entities)
CHAIN = Task("chain", ChainInput, Chains, _numbers_exist)
RESPOND = Task("respond", RespondInput, Draft, streams=True)
UTILITY = Task("utility", ResponseInput, Utility)
RECALL = Task("recall", ResponseInput, Recall)
FEEDBACK = Task("feedback", FeedbackInput, Feedback)
SELF_CRITICISM = Task("self_criticism", FeedbackInput, Feedback)
