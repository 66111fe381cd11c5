"""Train a small judge on what a strong model decided: python train_a_judge.py OUTPUT.jsonl ENCODER JUDGE

OUTPUT.jsonl is what `errata batch refchecker` wrote. ENCODER is the folder, or the name on the hub, of a small
encoder. JUDGE is the folder to write: use it with `--set nli=JUDGE`.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

LABELS = ["entailment", "neutral", "contradiction"]


def pairs(output: Path) -> Iterator[dict[str, str | int]]:
    """Each claim that a model decided, with the evidence that it was compared with and the number of its label."""
    for line in output.read_text("utf-8").splitlines():
        result = json.loads(line).get("result") or {}
        passages = {piece["id"]: piece for piece in result.get("evidence", [])}
        for claim in result.get("claims", []):
            passage = passages.get(claim["evidence"])
            if passage and claim["backend"] == "chat" and claim["label"] in LABELS:
                evidence = f"{passage['title']}\n{passage['text']}".strip()
                yield {"evidence": evidence, "claim": claim["content"], "label": LABELS.index(claim["label"])}


def train(rows: list[dict[str, str | int]], encoder: str, judge: str) -> None:
    """Train a cross-encoder with three classes, and write it to a folder."""
    from datasets import Dataset
    from sentence_transformers import CrossEncoder
    from sentence_transformers.cross_encoder import CrossEncoderTrainer, CrossEncoderTrainingArguments, losses

    names = {"id2label": dict(enumerate(LABELS)), "label2id": {label: number for number, label in enumerate(LABELS)}}
    model = CrossEncoder(encoder, num_labels=len(LABELS), config_kwargs=names)
    settings = CrossEncoderTrainingArguments(output_dir=f"{judge}.run", num_train_epochs=3, report_to=[])
    trainer = CrossEncoderTrainer(model, settings, Dataset.from_list(rows), loss=losses.CrossEntropyLoss(model))
    trainer.train()
    model.save_pretrained(judge)


if __name__ == "__main__":
    output, encoder, judge = sys.argv[1:]
    train(list(pairs(Path(output))), encoder, judge)
