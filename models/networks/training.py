"""Teaching a small network with transformers' Trainer. PURR's editor is a Fusion-in-Decoder (its section 3.2).

Started by `torchrun` or `accelerate launch`, several processes teach one network together, each on a GPU of its own:
they share every batch, and the first one keeps the results.

FiD trains large models with AdamW, 5e-5, a linear schedule, weight decay 0.01. PURR's learning rate and steps are not
public.
"""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ...state.errors import ConfigurationError
from . import fid
from .seq2seq import Network, read

CHECKPOINTS = "checkpoints"
STATE = "trainer_state.json"
"""The file in a checkpoint that is written last."""
RECORD = "training.json"
"""The file in a model's folder that says how it is or was trained, with the loss curve once it is done."""
NEEDS = "training needs torch, transformers and accelerate: run `pip install 'errata[seq2seq]'`"


class Example(NamedTuple):
    """What a network reads, one string per passage, and what it should write."""

    passages: list[str]
    answer: str


Tell = Callable[[int, int, dict[str, float]], None]
"""Is told of every logged step: its number, how many there are, and the figures."""


@dataclass(frozen=True)
class Recipe:
    """How a network is trained."""

    steps: int = 1000
    batch: int = 32
    """How many examples, shared by all processes."""
    accumulate: int = 1
    """How many batches' gradients are added up for one step."""
    rate: float = 5e-5
    warmup: int = 50
    weight_decay: float = 0.01
    log_every: int = 10
    save_every: int = 100
    """After how many steps the network is kept, and measured on held-out examples."""
    seed: int = 0
    gradient_checkpointing: bool = False
    """Compute activations again instead of keeping them: a larger network fits, and a step takes longer."""


class Pupil(NamedTuple):
    """A network that is taught, and how it reads examples."""

    model: Any
    tokenizer: Any
    collate: Callable[[Sequence[Any]], dict[str, Any]]
    """A batch of examples as tensors."""
    forward: Callable[[Any, dict[str, Any]], Any]
    """From the model and a batch to an output with a loss."""


def train(
    network: Network, examples: list[Example], held_out: list[Example], folder: Path, recipe: Recipe, tell: Tell
) -> list[dict[str, float]]:
    """Teach an editor, or a question generator. All else is as in `teach`."""
    pupil = Pupil(network.model, network.tokenizer, lambda batch: collate(network, batch), _fused)
    return teach(pupil, examples, held_out, folder, recipe, tell)


def _fused(model: Any, inputs: dict[str, Any]) -> Any:
    return fid.forward(model, fid.Batch(inputs["ids"], inputs["mask"]), inputs["labels"])


def teach(
    pupil: Pupil, examples: Sequence[Any], held_out: Sequence[Any], folder: Path, recipe: Recipe, tell: Tell
) -> list[dict[str, float]]:
    """Train, keep the network in the folder, and return the loss curve: what was logged, step by step.

    Called again after a kill, it continues from the last complete checkpoint, with the same curve. With held-out
    examples, the network of the checkpoint with the lowest loss on them is kept, otherwise the last one.

    Args:
        pupil: The network, its tokenizer, and how it reads a batch.
        examples: What it learns from.
        held_out: What its loss is measured on as well; may be empty.
        folder: Where the network and its checkpoints go.
        recipe: The settings of the training.
        tell: Is told the step, the number of steps and the latest figures.

    Raises:
        ConfigurationError: If the folder holds another training, or a finished one.
    """
    if is_first():
        _begin_record(folder, recipe, len(examples))
    checkpoints = folder / CHECKPOINTS
    trainer = _trainer(pupil, examples, held_out, checkpoints, recipe, tell)
    with _taught_in_its_forward(pupil):
        trainer.train(resume_from_checkpoint=_last_checkpoint(checkpoints))
    history = _losses(trainer.state.log_history)
    if is_first():
        pupil.model.eval().save_pretrained(folder)
        pupil.tokenizer.save_pretrained(folder)
        _write_record(folder, recipe, len(examples), history)
    return history


def is_first() -> bool:
    """Whether this is the process that checks, tells and keeps: the first, or the only one."""
    return os.environ.get("RANK", "0") == "0"


def _processes() -> int:
    return int(os.environ.get("WORLD_SIZE", "1"))


@contextmanager
def _taught_in_its_forward(pupil: Pupil) -> Iterator[None]:
    """Let the model's own `forward` take a whole batch: only in there do several processes share gradients."""
    plain = pupil.model.forward

    def forward(*arguments: Any, taught: dict[str, Any] | None = None, **inputs: Any) -> Any:
        return plain(*arguments, **inputs) if taught is None else pupil.forward(pupil.model, taught)

    pupil.model.forward = forward
    try:
        yield
    finally:
        del pupil.model.forward


def best_step(history: Sequence[dict[str, float]]) -> int | None:
    """The step with the lowest loss on held-out examples; None if there were none."""
    measured = [figures for figures in history if "eval_loss" in figures]
    return int(min(measured, key=lambda figures: figures["eval_loss"])["step"]) if measured else None


def _losses(logged: list[dict[str, float]]) -> list[dict[str, float]]:
    """The logged losses, without the timing."""
    return [figures for figures in logged if "loss" in figures or "eval_loss" in figures]


def is_done(folder: Path) -> bool:
    """Whether a folder holds a network whose training has come to its end."""
    try:
        return bool(json.loads((folder / RECORD).read_text("utf-8"))["history"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def check(folder: Path, recipe: Recipe, count: int) -> None:
    """Raise ConfigurationError if a training cannot be started or continued in this folder."""
    if recipe.batch % _processes():
        raise ConfigurationError(f"a batch of {recipe.batch} cannot be shared by {_processes()} processes equally")
    record = folder / RECORD
    if not record.is_file():
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ConfigurationError(f"{folder} is not empty and holds no training: name a new folder")
        return
    try:
        record_kept = json.loads(record.read_text("utf-8"))
    except ValueError:
        raise ConfigurationError(f"{record} cannot be read: name a new folder") from None
    if record_kept.get("history"):
        raise ConfigurationError(f"{folder} holds a trained model: name a new folder")
    expected = {**asdict(recipe), "examples": count}
    different = [
        f"{name} {record_kept.get(name)}" for name, value in expected.items() if record_kept.get(name) != value
    ]
    if different:
        raise ConfigurationError(f"{folder} holds a training begun with {', '.join(different)}: go on with that")


def _begin_record(folder: Path, recipe: Recipe, count: int) -> None:
    check(folder, recipe, count)
    folder.mkdir(parents=True, exist_ok=True)
    _write_record(folder, recipe, count, [])


def _write_record(folder: Path, recipe: Recipe, count: int, history: list[dict[str, float]]) -> None:
    record = {**asdict(recipe), "examples": count, "history": history}
    (folder / RECORD).write_text(json.dumps(record, indent=1), "utf-8")


def _last_checkpoint(folder: Path) -> str | None:
    """The newest complete checkpoint: the trainer's state is written last."""
    complete = [path for path in folder.glob("checkpoint-*") if _is_json(path / STATE)]
    return str(max(complete, key=lambda path: int(path.name.partition("-")[2]))) if complete else None


def _is_json(path: Path) -> bool:
    try:
        json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return True


def _trainer(
    pupil: Pupil, examples: Sequence[Any], held_out: Sequence[Any], checkpoints: Path, recipe: Recipe, tell: Tell
) -> Any:
    try:
        import accelerate  # noqa: F401
        import torch
        from transformers import Trainer, TrainerCallback, TrainingArguments
        from transformers.trainer_callback import PrinterCallback
        from transformers.utils import logging
    except ImportError as error:
        raise ConfigurationError(NEEDS) from error

    class Follow(TrainerCallback):  # type: ignore[misc]
        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **more: Any) -> None:
            tell(state.global_step, state.max_steps, logs or {})

    class Teacher(Trainer):  # type: ignore[misc]
        def compute_loss(
            self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
        ) -> Any:
            output = model(taught=inputs)
            return (output.loss, output) if return_outputs else output.loss

    gpu = torch.cuda.is_available()
    arguments = TrainingArguments(
        output_dir=str(checkpoints),
        max_steps=recipe.steps,
        per_device_train_batch_size=recipe.batch // _processes(),
        per_device_eval_batch_size=recipe.batch // _processes(),
        gradient_accumulation_steps=recipe.accumulate,
        learning_rate=recipe.rate,
        weight_decay=recipe.weight_decay,
        lr_scheduler_type="linear",
        warmup_steps=recipe.warmup,
        bf16=gpu and torch.cuda.is_bf16_supported(),
        logging_steps=recipe.log_every,
        eval_strategy="steps" if held_out else "no",
        eval_steps=recipe.save_every,
        save_steps=recipe.save_every,
        save_total_limit=2,
        load_best_model_at_end=bool(held_out),
        metric_for_best_model="eval_loss" if held_out else None,
        greater_is_better=False if held_out else None,
        seed=recipe.seed,
        label_names=["labels"],
        prediction_loss_only=True,
        remove_unused_columns=False,
        dataloader_pin_memory=gpu,
        disable_tqdm=True,
        report_to=[],
    )
    if recipe.gradient_checkpointing:
        renamed = getattr(pupil.model, "activation_checkpointing_enable", None)  # in transformers 5
        (renamed or pupil.model.gradient_checkpointing_enable)()
    arguments._n_gpu = min(arguments.n_gpu, 1)  # of several in one process, each would get a part of an item
    trainer = Teacher(
        model=pupil.model,
        args=arguments,
        train_dataset=examples,
        eval_dataset=held_out or None,
        processing_class=pupil.tokenizer,  # kept in each checkpoint
        data_collator=pupil.collate,
        callbacks=[Follow()],
    )
    trainer.model_accepts_loss_kwargs = False  # the loss is a mean, so that of several batches is averaged, too
    trainer.remove_callback(PrinterCallback)
    logging.disable_progress_bar()
    return trainer


def collate(network: Network, examples: Sequence[Example]) -> dict[str, Any]:
    """A batch of examples as tensors: `ids` and `mask` (B, N, L), `labels` (B, T) with -100 for padding."""
    batch = read(network, [example.passages for example in examples])
    answers = network.tokenizer(text_target=[example.answer for example in examples], padding=True, return_tensors="pt")
    labels = answers["input_ids"].masked_fill(answers["attention_mask"] == 0, -100)
    return {"ids": batch.ids, "mask": batch.mask, "labels": labels}
