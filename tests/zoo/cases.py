"""A run of every method, in the scripted worlds of the evaluations, and what a good model's replies lead to."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from benchmarks import scripted_critic
from benchmarks.cases import PROBLEMS, World, cases
from benchmarks.stub import Ask, Reply
from benchmarks.timing import no_pages
from errata.graphs import METHODS, load
from errata.state import Context

from .reading import wanted

SAYS = ("7", "8", "8", "7", "8")
"""Answers of samples, so that the first is not what most say."""


@dataclass(frozen=True)
class Run:
    """One run of a method."""

    method: str
    world: World
    given: Mapping[str, Any]
    text: str = ""
    """What comes out, or a part of it."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    right: Callable[[Mapping[str, Any]], bool] = bool
    """Whether a result is what has to come out, where more than its text can be told."""

    async def result(self, origin: str, model: str, **settings: Any) -> Mapping[str, Any]:
        """What comes out with the model at an address."""
        context: Context = self.world.at_hand(origin, **{**self.settings, **settings})
        result: Mapping[str, Any] = await load(self.method).ainvoke(
            dict(self.given), context=context.model_copy(update={"model": f"openai:{model}"})
        )
        return result


def by_example(ask: Ask) -> str | Reply:
    """Replies to the last worked example of any task with what the example says; to a text it says the text again."""
    want = wanted(ask)
    if not want.prompt.words.examples:
        return '{"text": "It is as the passages say."}' if want.prompt.words.format == "json" else "Just so."
    output = want.prompt.words.examples[-1].output
    if want.takes_turns:
        return Reply(tool_calls=(("conclude", output),))
    return str(output["text"]) if want.prompt.words.format == "text" else json.dumps(output)


def _voting(ask: Ask) -> Reply:
    first, *more = [f"It was counted. So the answer is: {answer}." for answer in SAYS]
    return Reply(first, more=tuple(more))


_VOTES = World(_voting, no_pages, lambda origin, delay: {})


def _scripted(method: str) -> Run:
    case = cases(method)[0]
    right = partial(case.items.right, 1)
    return Run(method, case.items.world, case.items.given(1), settings=case.settings, right=right)


def _problem(method: str, text: str) -> Run:
    return Run(method, PROBLEMS, {"question": scripted_critic.problem(1, 1)}, text)


RUNS: tuple[Run, ...] = (
    *[_scripted(method) for method in METHODS if cases(method)],
    _problem("critic", "So the answer is: 1."),
    _problem("react", "So the answer is: 0."),
    _problem("program_of_thought", "answer = 0"),
    Run(
        "rejection_sampling_program",
        PROBLEMS,
        {"question": scripted_critic.problem(1, 1), "gold": ["0"]},
        "answer = 0",
    ),
    _problem("direct", "Continuation number 0 is not nice."),
    _problem("few_shot", "None were made so far. So the answer is: 0."),
    _problem("continuation", "Continuation number 0 is not nice."),
    _problem("cot", "None were made so far. So the answer is: 0."),
    Run("self_consistency", _VOTES, {"question": "How many?"}, "It was counted. So the answer is: 8."),
    Run(
        "rejection_sampling",
        _VOTES,
        {"question": "How many?", "gold": ["8"]},
        "It was counted. So the answer is: 8.",
    ),
)
"""One for each method."""
