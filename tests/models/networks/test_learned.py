"""A policy learned from a log chooses what paid, and a file that is none is refused."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from errata.evals.command import evaluation
from errata.models.networks.learned import Episode, features, learn, policy
from errata.state.errors import ConfigurationError

QUESTION = "How high is the tower?"


def situation(question: str) -> Any:
    return {"question": question, "history": "", "evidence": "", "passages": [], "text": "", "score": None,
            "feedback": "", "actions": ["consolidate", "prompt"]}  # fmt: skip


def logged(number: int) -> list[Episode]:
    """Runs by chance, in which evidence pays for a question and only costs calls for small talk."""
    draw, episodes = Random(0), []
    for _ in range(number):
        question, action = draw.choice([QUESTION, "Thank you!"]), draw.choice(["consolidate", "prompt"])
        step: Any = {"features": features(situation(question)), "open": ["consolidate", "prompt"], "action": action}
        paid = (0.8 if action == "consolidate" else 0.2) if question == QUESTION else None
        calls = 3 if action == "consolidate" else 1
        step["chance"] = 0.5
        episodes.append(Episode(steps=[step], utility=paid, llm_calls=calls))
    return episodes


async def test_what_paid_is_chosen(tmp_path: Path) -> None:
    log, path = tmp_path / "log.jsonl", tmp_path / "policy.json"
    log.write_text("".join(json.dumps(episode) + "\n" for episode in logged(200)), "utf-8")
    told = CliRunner().invoke(evaluation, ["policy", str(log), "-o", str(path), "--json"])
    assert (told.exit_code, json.loads(told.stdout)["runs"]) == (0, 200)
    assert (await policy(str(path), situation(QUESTION))).action == "consolidate"
    assert (await policy(str(path), situation("Thank you!"))).action == "prompt"
    assert learn(logged(200), 0.02) == json.loads(path.read_text("utf-8")), "the same log, the same policy"


async def test_an_action_that_is_not_open_is_not_chosen(tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(learn(logged(50), 0.0)), "utf-8")
    given: Any = situation(QUESTION) | {"actions": ["prompt", "send"]}
    assert (await policy(str(path), given)).action != "consolidate"


@pytest.mark.parametrize("text", ["", "{}", '{"weights": {"leave": {}}}'])
async def test_what_is_no_policy_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigurationError, match="errata eval policy"):
        await policy(str(path), situation(QUESTION))


@pytest.mark.parametrize("line", ["{}", "no JSON", '{"steps": [], "utility": 2.0, "llm_calls": 1}', ""])
def test_what_is_no_log_is_one_line(line: str, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(line, "utf-8")
    told = CliRunner().invoke(evaluation, ["policy", str(log), "-o", str(tmp_path / "policy.json")])
    assert isinstance(told.exception, ConfigurationError)
    assert str(log) in str(told.exception)
    assert not (tmp_path / "policy.json").exists()
