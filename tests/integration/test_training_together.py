"""`errata purr train` in several processes: one network, nearly the same curve, said once."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'errata[seq2seq]'")
pytest.importorskip("transformers", reason="training needs transformers: pip install 'errata[seq2seq]'")
pytest.importorskip("accelerate", reason="training needs accelerate: pip install 'errata[seq2seq]'")

from ..networks import untrained

NAMES = ["Ada", "Bell", "Curie", "Darwin", "Euler", "Fermi", "Gauss", "Hertz"]


def rows(path: Path) -> Path:
    """Statements with a wrong name, each with evidence that has the right one."""
    made = []
    for number in range(40):
        right, wrong = NAMES[number % 8], NAMES[(number + 3) % 8]
        piece = {"query": "by whom?", "title": "", "text": f"by {right}", "source": f"s{number}", "positive": True}
        made.append(
            {
                "id": str(number),
                "question": "by whom?",
                "text": f"by {wrong}",
                "clean": f"by {right}",
                "corruptions": [{"kind": "entity", "before": right, "after": wrong, "start": 3}],
                "source": f"s{number}",
                "evidence": [piece],
                "queries": ["by whom?"],
            }
        )
    path.write_text("".join(json.dumps(row) + "\n" for row in made))
    return path


def train(tmp_path: Path, name: str, *launcher: str, batch: int = 8) -> tuple[subprocess.CompletedProcess[str], Any]:
    output = tmp_path / name
    errata = str(Path(sys.executable).with_name("errata"))
    source, start = tmp_path / "rows.jsonl", tmp_path / "start"
    command = ["purr", "train", str(source), "--held-out", str(source), "--model", str(start), "-o", str(output)]
    sizes = ["--steps", "6", "--batch", str(batch), "--save-every", "3", "--rate", "1e-3"]
    done = subprocess.run(
        [*launcher, errata, *command, *sizes],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""},
    )
    record = output / "training.json"
    history = json.loads(record.read_text())["history"] if record.is_file() else []
    return done, [each["eval_loss"] for each in history if "eval_loss" in each]


def test_two_processes_teach_what_one_does(tmp_path: Path) -> None:
    untrained(tmp_path / "start", [*NAMES, "by whom?"])
    rows(tmp_path / "rows.jsonl")
    two = [str(Path(sys.executable).with_name("torchrun")), "--standalone", "--nproc-per-node", "2", "--no-python"]
    alone, losses = train(tmp_path, "alone")
    assert alone.returncode == 0, alone.stderr
    together, shared = train(tmp_path, "together", *two)
    assert together.returncode == 0, together.stderr
    assert len(losses) == 2
    assert shared == pytest.approx(losses, rel=0.02)
    assert losses[1] < losses[0]
    assert together.stderr.count("trained; use it with") == 1
    assert {file.name for file in (tmp_path / "together").iterdir()} == {
        file.name for file in (tmp_path / "alone").iterdir()
    }
    refused, _ = train(tmp_path, "uneven", *two, batch=7)
    assert refused.returncode != 0
    assert "a batch of 7 cannot be shared by 2 processes equally" in refused.stderr
