"""Teaching a small encoder-decoder: Fusion-in-Decoder with transformers' Trainer (PURR section 3.2; FiD section 3).

FiD trains large models with AdamW, 5e-5, a linear schedule, weight decay 0.01. PURR's learning rate and steps are not
public. A small model that begins from nothing needs a greater rate, and learns to repeat a statement before it learns
to correct one: see `SIZES` and `Recipe.copying`.
"""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from ..state.errors import ConfigurationError
from . import fid
from .seq2seq import Network, cut
from .vocabulary import Words

CHECKPOINTS = "checkpoints"
COPYING = "copying"
"""In the checkpoints' folder: those of the steps in which it learns to repeat."""
STATE = "trainer_state.json"
"""In a checkpoint: what is written last."""
RECORD = "training.json"
"""In a model's folder: how it is or was trained, and the loss curve once it is done."""
NEEDS = "training needs torch, transformers and accelerate: run `pip install 'errata[seq2seq]'`"

SIZES = {
    "tiny": {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 1, "num_heads": 2},
    "mini": {"d_model": 64, "d_kv": 16, "d_ff": 192, "num_layers": 2, "num_heads": 4},
    "small": {"d_model": 128, "d_kv": 32, "d_ff": 384, "num_layers": 3, "num_heads": 4},
    "medium": {"d_model": 256, "d_kv": 64, "d_ff": 1024, "num_layers": 4, "num_heads": 4},
}
"""T5s to begin from nothing; `tiny` is for tests."""


class Example(NamedTuple):
    """What a network reads, one string per passage, and what it should write."""

    passages: list[str]
    answer: str


FROM_SCRATCH_RATE = 3e-3
COPYING_STEPS = 1000
"""Ours, for the sizes above. To repeat is most of what an editor does: a network that was to learn it from corrupted
statements alone came to nothing in three times as many steps."""

Tell = Callable[[int, int, dict[str, float]], None]
"""Hears of every step that is logged: its number, how many there are, and the figures."""


@dataclass(frozen=True)
class Recipe:
    """How a network is trained."""

    steps: int = 1000
    copying: int = 0
    """Steps before these in which it only learns to repeat right statements, without evidence."""
    batch: int = 32
    accumulate: int = 1
    """Batches whose gradients are added up for one step."""
    rate: float = 5e-5
    warmup: int = 50
    weight_decay: float = 0.01
    log_every: int = 10
    evaluate_every: int = 100
    save_every: int = 100
    seed: int = 0


def begin(size: str, examples: Sequence[Example], seed: int, slots: int = Words.slots) -> Network:
    """A small T5 that knows nothing yet, with a vocabulary of the words that are common in the answers.

    slots
        for the rare words of one item: few are learnt sooner
    """
    from transformers import T5Config, T5ForConditionalGeneration, set_seed

    set_seed(seed)
    passages = (passage for example in examples for passage in example.passages)
    vocabulary = Words.of((example.answer for example in examples), passages, slots)
    config = T5Config(
        vocab_size=len(vocabulary),
        decoder_start_token_id=vocabulary.padding,
        pad_token_id=vocabulary.padding,
        eos_token_id=vocabulary.end,
        feed_forward_proj="gated-gelu",
        dropout_rate=0.0,  # what it reads is never the same twice: the slots are drawn anew
        **SIZES[size],
    )
    return Network(T5ForConditionalGeneration(config), vocabulary)


def train(
    network: Network, examples: list[Example], held_out: list[Example], folder: Path, recipe: Recipe, tell: Tell
) -> list[dict[str, float]]:
    """Train, keep the network in the folder, and return the loss curve: what was logged, step by step.

    Called again after a kill it goes on from the last whole checkpoint, to the same curve. Raises ConfigurationError if
    the folder holds another training, or one that is done.
    """
    _begin_record(folder, recipe, len(examples))
    checkpoints = folder / CHECKPOINTS
    history: list[dict[str, float]] = []
    if recipe.copying:
        history += _learn_to_copy(network, examples, checkpoints, recipe, tell)
    trainer = _trainer(network, examples, held_out, checkpoints, recipe, _later(tell, recipe.copying))
    trainer.train(resume_from_checkpoint=_last_checkpoint(checkpoints))
    history += [{**figures, "step": figures["step"] + recipe.copying} for figures in _losses(trainer.state.log_history)]
    network.model.eval().save_pretrained(folder)
    network.vocabulary.save_pretrained(str(folder))
    _write_record(folder, recipe, len(examples), history)
    return history


def _learn_to_copy(
    network: Network, examples: list[Example], checkpoints: Path, recipe: Recipe, tell: Tell
) -> list[dict[str, float]]:
    """Train the network to repeat the right statements, or load it as it was when it had learnt to."""
    from safetensors.torch import load_model

    folder, steps = checkpoints / COPYING, recipe.copying
    last = _last_checkpoint(folder)
    if last == str(folder / f"checkpoint-{steps}"):
        load_model(network.model, f"{last}/model.safetensors")
        return _losses(json.loads((Path(last) / STATE).read_text("utf-8"))["log_history"])
    answers = dict.fromkeys(example.answer for example in examples)
    copies = [Example([f"claim: {answer}"], answer) for answer in answers]

    def hear(step: int, _: int, figures: dict[str, float]) -> None:
        tell(step, steps + recipe.steps, figures)

    trainer = _trainer(network, copies, [], folder, replace(recipe, steps=steps), hear)
    trainer.train(resume_from_checkpoint=last)
    return _losses(trainer.state.log_history)


def _losses(logged: list[dict[str, float]]) -> list[dict[str, float]]:
    """What was logged of losses: the rest is how long it took."""
    return [figures for figures in logged if "loss" in figures or "eval_loss" in figures]


def _later(tell: Tell, steps: int) -> Tell:
    """Count steps from so many on."""
    return lambda step, of, figures: tell(step + steps, of + steps, figures)


def check(folder: Path, recipe: Recipe, count: int) -> None:
    """Raise ConfigurationError if a training cannot be begun, or gone on with, in this folder."""
    record = folder / RECORD
    if not record.is_file():
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ConfigurationError(f"{folder} is not empty and holds no training: name a new folder")
        return
    try:
        kept = json.loads(record.read_text("utf-8"))
    except ValueError:
        raise ConfigurationError(f"{record} cannot be read: name a new folder") from None
    if kept.get("history"):
        raise ConfigurationError(f"{folder} holds a model that is trained: name a new folder")
    wanted = {**asdict(recipe), "examples": count}
    different = [f"{name} {kept.get(name)}" for name, value in wanted.items() if kept.get(name) != value]
    if different:
        raise ConfigurationError(f"{folder} holds a training begun with {', '.join(different)}: go on with that")


def _begin_record(folder: Path, recipe: Recipe, count: int) -> None:
    check(folder, recipe, count)
    folder.mkdir(parents=True, exist_ok=True)
    _write_record(folder, recipe, count, [])


def _write_record(folder: Path, recipe: Recipe, count: int, history: list[dict[str, float]]) -> None:
    kept = {**asdict(recipe), "examples": count, "history": history}
    (folder / RECORD).write_text(json.dumps(kept, indent=1), "utf-8")


def _last_checkpoint(folder: Path) -> str | None:
    """The newest checkpoint that was written to its end: the trainer's state is what is written last."""
    whole = [path for path in folder.glob("checkpoint-*") if _is_json(path / STATE)]
    return str(max(whole, key=lambda path: int(path.name.partition("-")[2]))) if whole else None


def _is_json(path: Path) -> bool:
    try:
        json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return True


def _trainer(
    network: Network, examples: list[Example], held_out: list[Example], checkpoints: Path, recipe: Recipe, tell: Tell
) -> Any:
    try:
        import accelerate  # noqa: F401
        import torch
        from transformers import Trainer, TrainerCallback, TrainingArguments
        from transformers.trainer_callback import PrinterCallback
        from transformers.utils import logging
    except ImportError as error:
        raise ConfigurationError(NEEDS) from error

    class Examples(torch.utils.data.Dataset):  # type: ignore[misc]
        """Examples with what their rare words are drawn with: another slot every time they are read, but for held-out
        ones. It follows from epoch and place, so that a training that goes on draws what it would have drawn."""

        def __init__(self, examples: list[Example], learns: bool) -> None:
            self.examples, self.learns, self.epoch = examples, learns, 0

        def __len__(self) -> int:
            return len(self.examples)

        def __getitem__(self, place: int) -> tuple[Example, random.Random | None]:
            draw = random.Random(f"{recipe.seed}:{self.epoch}:{place}") if self.learns else None
            return self.examples[place], draw

    learning = Examples(examples, learns=True)

    class Follow(TrainerCallback):  # type: ignore[misc]
        def on_epoch_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            learning.epoch = int((state.epoch or 0) + 1e-6)

        def on_save(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            network.vocabulary.save_pretrained(f"{args.output_dir}/checkpoint-{state.global_step}")

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **more: Any) -> None:
            tell(state.global_step, state.max_steps, logs or {})

    class FidTrainer(Trainer):  # type: ignore[misc]
        def compute_loss(
            self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
        ) -> Any:
            output = fid.forward(model, fid.Batch(inputs["ids"], inputs["mask"]), inputs["labels"])
            return (output.loss, output) if return_outputs else output.loss

    gpu = torch.cuda.is_available()
    arguments = TrainingArguments(
        output_dir=str(checkpoints),
        max_steps=recipe.steps,
        per_device_train_batch_size=recipe.batch,
        per_device_eval_batch_size=recipe.batch,
        gradient_accumulation_steps=recipe.accumulate,
        learning_rate=recipe.rate,
        weight_decay=recipe.weight_decay,
        lr_scheduler_type="linear",
        warmup_steps=recipe.warmup,
        bf16=gpu and torch.cuda.is_bf16_supported(),
        logging_steps=recipe.log_every,
        eval_strategy="steps" if held_out else "no",
        eval_steps=recipe.evaluate_every,
        save_steps=recipe.save_every,
        save_total_limit=2,
        seed=recipe.seed,
        label_names=["labels"],
        prediction_loss_only=True,
        remove_unused_columns=False,
        dataloader_pin_memory=gpu,
        disable_tqdm=True,
        report_to=[],
    )
    trainer = FidTrainer(
        model=network.model,
        args=arguments,
        train_dataset=learning,
        eval_dataset=Examples(held_out, learns=False) if held_out else None,
        data_collator=lambda given: collate(network, given),
        callbacks=[Follow()],
    )
    trainer.model_accepts_loss_kwargs = False  # the loss is a mean, so that of several batches is averaged, too
    trainer.remove_callback(PrinterCallback)
    logging.disable_progress_bar()
    return trainer


def collate(network: Network, given: Sequence[tuple[Example, random.Random | None]]) -> dict[str, Any]:
    """A batch of examples as tensors: `ids` and `mask` (B, N, L), `labels` (B, T) with -100 where there is nothing."""
    import torch

    vocabulary = network.vocabulary
    read = [vocabulary.read(example.passages, draw) for example, draw in given]
    batch = fid.pad([[cut(ids) for ids in ids_of_all] for ids_of_all, _ in read], vocabulary.padding)
    answers = [vocabulary.answer(example.answer, known) for (example, _), (_, known) in zip(given, read, strict=True)]
    labels = torch.full((len(answers), max(map(len, answers))), -100)
    for row, answer in enumerate(answers):
        labels[row, : len(answer)] = torch.tensor(answer)
    return {"ids": batch.ids, "mask": batch.mask, "labels": labels}
