"""Each example runs, and prints what it says at its end."""

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
PRINTS = "\n# Prints:\n"
EXAMPLES = sorted(path for path in FOLDER.glob("*.py") if PRINTS in path.read_text("utf-8"))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 9


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_prints_what_it_says(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, promised = example.read_text("utf-8").partition(PRINTS)
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out.splitlines() == [line.removeprefix("# ") for line in promised.splitlines()]
    lines = [line for line in code.splitlines() if line.strip() and not line.startswith(("from", "import", '"""'))]
    assert len(lines) <= 20, "an example is short"
