"""Training PURR's editor, a Fusion-in-Decoder (its section 3.2), with transformers' Seq2SeqTrainer.

Started by `torchrun` or `accelerate launch`, several processes teach one network together, each on a GPU of its own:
they share every batch, and the first one keeps the results.

FiD trains large models with AdamW, 5e-5, a linear schedule, weight decay 0.01. PURR's learning rate and steps are not
public.
"""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..models.networks import fid
from ..models.networks.seq2seq import EncoderDecoder, read
from ..state.errors import ConfigurationError

CHECKPOINTS = "checkpoints"
STATE = "trainer_state.json"
"""The file in a checkpoint that is written last."""
RECORD = "training.json"
"""The file in a model's folder that says how it is or was trained, with the loss curve once it is done."""
NEEDS = "training needs torch, transformers and accelerate: run `pip install 'langgraph-errata[train]'`"


class TrainingExample(NamedTuple):
    """What a network reads, one string per passage, and what it should write."""

    passages: list[str]
    answer: str


Tell = Callable[[int, int, dict[str, float]], None]
"""Is told of every logged step: its number, how many there are, and the figures."""


@dataclass(frozen=True)
class TrainingRecipe:
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


def train(
    network: EncoderDecoder,
    examples: Sequence[TrainingExample],
    held_out: Sequence[TrainingExample],
    folder: Path,
    recipe: TrainingRecipe,
    tell: Tell,
) -> list[dict[str, float]]:
    """Train a network, keep it in the folder, and return the loss curve: the logged losses, step by step.

    Called again after a kill, it continues from the last complete checkpoint, with the same curve. With held-out
    examples, the network of the checkpoint with the lowest loss on them is kept, otherwise the last one.

    Args:
        network: The network and its tokenizer.
        examples: The examples that it learns from.
        held_out: Examples that its loss is measured on as well; may be empty.
        folder: Where the network and its checkpoints go.
        recipe: The settings of the training.
        tell: Is told the step, the number of steps and the latest figures.

    Raises:
        ConfigurationError: If the folder holds another training, or a finished one.
    """
    if is_first():
        check(folder, recipe, len(examples))
        _write_record(folder, recipe, len(examples), [])
    checkpoints = folder / CHECKPOINTS
    trainer = _trainer(network, examples, held_out, checkpoints, recipe, tell)
    trainer.train(resume_from_checkpoint=_last_checkpoint(checkpoints))
    history = [logged for logged in trainer.state.log_history if "loss" in logged or "eval_loss" in logged]
    if is_first():
        network.model.eval().save_pretrained(folder)
        network.tokenizer.save_pretrained(folder)
        _write_record(folder, recipe, len(examples), history)
    return history


def is_first() -> bool:
    """Whether this is the process that checks, tells and keeps: the first, or the only one."""
    return os.environ.get("RANK", "0") == "0"


def _processes() -> int:
    return int(os.environ.get("WORLD_SIZE", "1"))


def best_step(history: Sequence[dict[str, float]]) -> int | None:
    """The step with the lowest loss on held-out examples; None if there were none."""
    measured = [figures for figures in history if "eval_loss" in figures]
    return int(min(measured, key=lambda figures: figures["eval_loss"])["step"]) if measured else None


def check(folder: Path, recipe: TrainingRecipe, count: int) -> None:
    """Raise ConfigurationError if a training cannot be started or continued in this folder."""
    if recipe.batch % _processes():
        raise ConfigurationError(f"a batch of {recipe.batch} cannot be shared by {_processes()} processes equally")
    record = folder / RECORD
    if not record.is_file():
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ConfigurationError(f"{folder} is not empty and holds no training: name a new folder")
        return
    begun = _read(record)
    if begun is None:
        raise ConfigurationError(f"{record} cannot be read: name a new folder")
    if begun.get("history"):
        raise ConfigurationError(f"{folder} holds a trained model: name a new folder")
    asked = {**asdict(recipe), "examples": count}
    if different := [f"{name} {begun.get(name)}" for name, value in asked.items() if begun.get(name) != value]:
        raise ConfigurationError(f"{folder} holds a training begun with {', '.join(different)}: go on with that")


def _write_record(folder: Path, recipe: TrainingRecipe, count: int, history: list[dict[str, float]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    record = {**asdict(recipe), "examples": count, "history": history}
    (folder / RECORD).write_text(json.dumps(record, indent=1), "utf-8")


def _last_checkpoint(folder: Path) -> str | None:
    """The newest complete checkpoint: the trainer's state is written last."""
    complete = [path for path in folder.glob("checkpoint-*") if _read(path / STATE) is not None]
    return str(max(complete, key=lambda path: int(path.name.partition("-")[2]))) if complete else None


def _read(path: Path) -> dict[str, Any] | None:
    """The JSON object in a file; None if it holds none."""
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def _trainer(
    network: EncoderDecoder,
    examples: Sequence[TrainingExample],
    held_out: Sequence[TrainingExample],
    checkpoints: Path,
    recipe: TrainingRecipe,
    tell: Tell,
) -> Any:
    try:
        import accelerate  # noqa: F401
        import torch
        from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, TrainerCallback
        from transformers.trainer_callback import PrinterCallback
        from transformers.utils import logging
    except ImportError as error:
        raise ConfigurationError(NEEDS) from error

    class Follow(TrainerCallback):  # type: ignore[misc]
        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **more: Any) -> None:
            tell(state.global_step, state.max_steps, logs or {})

    gpu = torch.cuda.is_available()
    each = recipe.batch // _processes()
    arguments = Seq2SeqTrainingArguments(
        output_dir=str(checkpoints),
        max_steps=recipe.steps,
        per_device_train_batch_size=each,
        per_device_eval_batch_size=each,
        gradient_accumulation_steps=recipe.accumulate,
        learning_rate=recipe.rate,
        weight_decay=recipe.weight_decay,
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
        renamed = getattr(network.model, "activation_checkpointing_enable", None)  # in later versions of transformers 5
        (renamed or network.model.gradient_checkpointing_enable)()
    arguments._n_gpu = min(arguments.n_gpu, 1)  # of several in one process, each would get a part of an item
    trainer = Seq2SeqTrainer(
        model=fid.fused(network.model),
        args=arguments,
        train_dataset=examples,
        eval_dataset=held_out or None,
        processing_class=network.tokenizer,  # kept in each checkpoint
        data_collator=lambda batch: collate(network, batch),
        callbacks=[Follow()],
    )
    trainer.model_accepts_loss_kwargs = False  # the loss is a mean, so that of several batches is averaged, too
    trainer.remove_callback(PrinterCallback)
    logging.disable_progress_bar()
    return trainer


def collate(network: EncoderDecoder, examples: Sequence[TrainingExample]) -> dict[str, Any]:
    """A batch of examples as tensors: `passages` and `mask` (B, N, L), `labels` (B, T) with -100 for padding."""
    batch = read(network, [example.passages for example in examples])
    answers = network.tokenizer(text_target=[example.answer for example in examples], padding=True, return_tensors="pt")
    labels = answers["input_ids"].masked_fill(answers["attention_mask"] == 0, -100)
    return {"passages": batch.ids, "mask": batch.mask, "labels": labels}
