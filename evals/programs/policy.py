"""`errata eval policy`: learn LLM-Augmenter's policy from the log of its runs."""

import json
from collections import Counter
from pathlib import Path

import click
from pydantic import TypeAdapter, ValidationError

from ...apps.cli.options import FILE, Number, input_argument
from ...apps.files import save
from ...models.networks.learned import Episode, learn
from ...state.errors import ConfigurationError
from ..lines import json_lines
from ..metrics import mean
from .program import json_option, put, read, table

_EPISODE = TypeAdapter(Episode)


def read_log(path: Path) -> list[Episode]:
    """The runs of a log that made a decision.

    Raises:
        ValueError: On a bad line.
    """
    episodes: list[Episode] = []
    for number, line in json_lines(path.read_text(encoding="utf-8")):
        try:
            episodes.append(_EPISODE.validate_python(line))
        except ValidationError:
            raise ValueError(f"line {number} is no run of a log that `errata chat --log` writes") from None
        if any(step["action"] not in step["open"] or not 0 < step["chance"] <= 1 for step in episodes[-1]["steps"]):
            raise ValueError(f"line {number} has an action that was not open, or no chance of it")
    return [episode for episode in episodes if episode["steps"]]


@click.command(short_help="Learn LLM-Augmenter's policy from a log of its runs.")
@input_argument
@click.option("-o", "--output", type=FILE, required=True, metavar="FILE.json", help="Where the policy goes.")
@click.option(
    "--call-cost",
    type=Number(0, 1),
    default=0.02,
    show_default=True,
    help="What a model call takes off a run's utility.",
)
@json_option
def main(source: Path, output: Path, call_cost: float, as_json: bool) -> None:
    """Learn LLM-Augmenter's policy from a log of its runs, offline and without a model.

    INPUT is what `errata chat --log FILE` wrote, best with `--set policy=random`, which tries every action. Use the
    policy with `--set policy_file=FILE.json`.
    """
    episodes = read(source, read_log, source)
    if not episodes:
        raise ConfigurationError(f"{source} holds no runs: write some with `errata chat --log {source}`")
    save(output, json.dumps(learn(episodes, call_cost), indent=1) + "\n", "-o")
    taken = Counter(step["action"] for episode in episodes for step in episode["steps"])
    figures = {
        "runs": len(episodes),
        "mean utility": mean(episode["utility"] or 0.0 for episode in episodes),
        "mean model calls": mean(episode["llm_calls"] for episode in episodes),
        **{f"chose {action}": number for action, number in sorted(taken.items())},
    }
    put(figures, as_json, table(f"Learned from {source.name}", {"log": figures}))
