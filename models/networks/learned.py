"""A learned policy of LLM-Augmenter: a linear softmax over the open actions, learned offline from logged runs.

The paper trains a T5 by REINFORCE while it runs; a dozen weights an action need no network, and learn from a log.
"""

import json
from collections.abc import Sequence
from functools import lru_cache
from math import log1p
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from ...state.errors import ConfigurationError
from ...state.methods.augmenter import Action
from ...state.text.questions import is_small_talk
from ...state.text.segments import tokens
from ..tasks.dialogue import Choice, PolicyInput

ACTIONS: tuple[Action, ...] = ("consolidate", "prompt", "send")
STEPS = 2_000
RATE = 5.0
DECAY = 0.001
"""Gradient ascent over the whole log. It starts at 0 and draws nothing, so the same log gives the same policy."""


class Step(TypedDict):
    """One decision in a log. It holds no text."""

    features: dict[str, float]
    open: list[Action]
    action: Action
    chance: float
    """The probability with which the policy of that run chose the action."""


class Episode(TypedDict):
    """One run in a log."""

    steps: list[Step]
    utility: float | None
    """The score of the response that was sent; None if there was nothing to compare it with."""
    llm_calls: int


class Policy(TypedDict):
    """What was learned: a weight for each feature, by action."""

    weights: dict[Action, dict[str, float]]


def features(task_input: PolicyInput) -> dict[str, float]:
    """What a policy sees of a situation, in numbers from about 0 to 1."""
    question, score, actions = task_input["question"], task_input["score"], task_input["actions"]
    return {
        "always": 1.0,
        "length": log1p(len(tokens(question))) / 5,
        "asks": float(question.rstrip().endswith(("?", "？"))),
        "small talk": float(is_small_talk(question)),
        "refers back": float(len(tokens(question)) <= 2),
        "dialogue": float(bool(task_input.get("history"))),
        "evidence": min(len(task_input["passages"]), 5) / 5,
        "no evidence": float(not task_input["passages"]),
        "response": float(bool(task_input["text"])),
        "scored": float(score is not None),
        "score": score or 0.0,
        "feedback": float(bool(task_input.get("feedback"))),
        "may consolidate": float("consolidate" in actions),
    }


async def policy(path: str, task_input: PolicyInput) -> Choice:
    """The open action with the highest weight.

    Raises:
        ConfigurationError: If there is no policy at that path.
    """
    weights, seen = read(path)["weights"], features(task_input)
    values = {
        action: sum(weights.get(action, {}).get(name, 0.0) * value for name, value in seen.items())
        for action in ACTIONS
        if action in task_input["actions"]
    }
    return Choice(action=max(values, key=values.__getitem__), reason="learned from logged runs")


@lru_cache(maxsize=4)
def read(path: str) -> Policy:
    """The policy in a file.

    Raises:
        ConfigurationError: If there is none.
    """
    try:
        return TypeAdapter(Policy).validate_json(Path(path).read_bytes())
    except (OSError, ValidationError):
        raise ConfigurationError(f"{path} holds no policy: write one with `errata eval policy`") from None


def append(path: str, episode: Episode) -> None:
    """Add a run to a log.

    Raises:
        OSError: If it cannot be written.
    """
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(json.dumps(episode) + "\n")


def learn(episodes: Sequence[Episode], call_cost: float) -> Policy:
    """Learn a policy by REINFORCE over a log.

    Each decision is weighed by how much more probable it is now than when it was logged (importance sampling), and by
    how much better its run ended than runs do from such a situation.

    Args:
        episodes: The logged runs.
        call_cost: What a model call takes off the utility.
    """
    import numpy as np

    steps = [
        (step, (run["utility"] or 0.0) - call_cost * run["llm_calls"]) for run in episodes for step in run["steps"]
    ]
    names = list(dict.fromkeys(name for step, _ in steps for name in step["features"]))
    seen = np.array([[step["features"].get(name, 0.0) for name in names] for step, _ in steps])
    is_open = np.array([[action in step["open"] for action in ACTIONS] for step, _ in steps])
    chosen = np.array([[action == step["action"] for action in ACTIONS] for step, _ in steps], dtype=float)
    chance = np.array([step["chance"] for step, _ in steps])
    rewards = np.array([reward for _, reward in steps])
    usual = seen @ np.linalg.solve(seen.T @ seen + np.eye(len(names)), seen.T @ rewards)
    advantage = rewards - usual
    weights: Any = np.zeros((len(names), len(ACTIONS)))
    for _ in range(STEPS):
        values = np.where(is_open, seen @ weights, -np.inf)
        shares = np.exp(values - values.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        importance = (shares * chosen).sum(axis=1) / chance
        step_gain = (importance * advantage)[:, None] * (chosen - shares)
        weights += RATE * (seen.T @ step_gain / len(steps) - DECAY * weights)
    return {
        "weights": {
            action: {name: round(float(weights[row, column]), 6) for row, name in enumerate(names)}
            for column, action in enumerate(ACTIONS)
        }
    }
