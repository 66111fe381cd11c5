"""Training: a toy corruption is learnt exactly, and a killed training goes on as if nothing had been."""

import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'errata[seq2seq]'")
pytest.importorskip("transformers", reason="training needs transformers: pip install 'errata[seq2seq]'")
pytest.importorskip("accelerate", reason="training needs accelerate: pip install 'errata[seq2seq]'")

from errata.models.networks import seq2seq, training
from errata.models.networks.training import Example, Recipe
from errata.state.errors import ConfigurationError

from ...networks import untrained

NAMES = ["Ada", "Bell", "Curie", "Darwin", "Euler", "Fermi", "Gauss", "Hertz"]


def examples(count: int, seed: int = 0) -> list[Example]:
    """The claim has one name wrong, the second passage has it right."""
    draw = random.Random(seed)
    made = []
    for _ in range(count):
        right, wrong, other = draw.sample(NAMES, 3)
        claim = f"claim: by {wrong} evidence:"
        made.append(Example([f"{claim} {other}", f"{claim} by {right}"], f"by {right}"))
    return made


class Killed(Exception):
    pass


def run(folder: Path, recipe: Recipe, tell: Any = lambda *figures: None) -> list[dict[str, float]]:
    start = untrained(folder.with_name("start"), NAMES)
    seq2seq._load.cache_clear()  # the last run trained the one that is there
    network = seq2seq.load(str(start))
    return training.train(network, examples(40), examples(8, seed=1), folder, recipe, tell)


def curve(history: list[dict[str, float]]) -> list[tuple[float, ...]]:
    return [(each["step"], each.get("loss", -1), each.get("eval_loss", -1)) for each in history]


def test_a_killed_training_goes_on_to_the_same_curve(tmp_path: Path) -> None:
    # Five batches an epoch: the kill and the checkpoint before it lie in the middle of one.
    recipe = Recipe(steps=18, batch=8, rate=1e-3, log_every=1, save_every=4, seed=3)
    unbroken = run(tmp_path / "unbroken", recipe)

    def kill(step: int, steps: int, figures: dict[str, float]) -> None:
        if step == 14:
            raise Killed

    with pytest.raises(Killed):
        run(tmp_path / "broken", recipe, kill)
    half_written = tmp_path / "broken" / "checkpoints" / "checkpoint-16"
    half_written.mkdir(parents=True, exist_ok=True)
    (half_written / "trainer_state.json").write_text('{"global_')
    steps: list[int] = []
    went_on = run(tmp_path / "broken", recipe, lambda step, *rest: steps.append(step))
    assert steps[0] == 13
    assert curve(went_on) == curve(unbroken)
    assert [loss for _, loss, _ in curve(unbroken) if loss > 0][-1] < curve(unbroken)[0][1]


def test_gradients_of_several_batches_add_up_to_one_step(tmp_path: Path) -> None:
    one = run(tmp_path / "1", Recipe(steps=3, batch=8, rate=1e-3, log_every=1))
    two = run(tmp_path / "2", Recipe(steps=3, batch=4, accumulate=2, rate=1e-3, log_every=1))
    for mine, theirs in zip(curve(one)[:3], curve(two)[:3], strict=True):
        assert mine == pytest.approx(theirs, rel=0.05)


def test_what_did_best_on_held_out_examples_is_kept(tmp_path: Path) -> None:
    start = untrained(tmp_path / "start", [passage for example in examples(40) for passage in example.passages])
    others = [each._replace(answer="of of of of") for each in examples(8, seed=1)]
    recipe = Recipe(steps=12, batch=8, rate=1e-2, warmup=0, log_every=1, save_every=1)
    folder = tmp_path / "model"
    history = training.train(seq2seq.load(str(start)), examples(40), others, folder, recipe, lambda *figures: None)
    losses = {each["step"]: each["eval_loss"] for each in history if "eval_loss" in each}
    best = training.best_step(history)
    assert best is not None
    assert losses[best] == min(losses.values()) < losses[12]
    kept, last = (seq2seq.load(str(each)) for each in (folder, folder / "checkpoints" / "checkpoint-12"))
    name = next(iter(kept.model.state_dict()))
    assert not kept.model.state_dict()[name].equal(last.model.state_dict()[name])
    assert training.best_step([{"step": 1, "loss": 2.0}]) is None


def test_activations_may_be_computed_again(tmp_path: Path) -> None:
    plain, again = (
        run(tmp_path / str(way), Recipe(steps=3, batch=8, rate=1e-3, log_every=1, gradient_checkpointing=way))
        for way in (False, True)
    )
    for mine, theirs in zip(curve(plain)[:3], curve(again)[:3], strict=True):
        assert mine == pytest.approx(theirs, rel=0.05)


def test_a_folder_is_not_trained_over(tmp_path: Path) -> None:
    recipe = Recipe(steps=1, batch=4, save_every=1)
    run(tmp_path / "done", recipe)
    with pytest.raises(ConfigurationError, match="holds a trained model: name a new folder"):
        training.check(tmp_path / "done", recipe, 40)
    training._begin_record(tmp_path / "begun", recipe, 40)
    with pytest.raises(ConfigurationError, match=r"begun with batch 4: go on with that"):
        training.check(tmp_path / "begun", Recipe(steps=1, batch=8, save_every=1), 40)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "photo.jpg").touch()
    with pytest.raises(ConfigurationError, match="is not empty and holds no training"):
        training.check(tmp_path / "other", recipe, 40)


def test_a_toy_corruption_is_learnt_exactly(tmp_path: Path) -> None:
    start = untrained(
        tmp_path / "start", [passage for example in examples(40) for passage in example.passages], width=64
    )
    recipe = Recipe(steps=400, batch=16, rate=3e-3, warmup=20, save_every=400)
    network = seq2seq.load(str(start))
    history = training.train(network, examples(200), [], tmp_path / "model", recipe, lambda *figures: None)
    assert history[-1]["loss"] < history[0]["loss"] / 10
    kept = seq2seq.load(str(tmp_path / "model"))
    unseen = examples(20, seed=5)
    assert seq2seq.write(kept, [example.passages for example in unseen]) == [example.answer for example in unseen]
