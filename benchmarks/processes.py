"""What a second process does for a batch by rules: `python -m benchmarks.processes --rows 1500`.

`errata batch rarr` runs the same rows in one process and in several, in turn. Starting the processes counts.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

COMMAND = (sys.executable, "-c", "import sys; from errata.apps.cli.main import main; sys.argv[0] = 'errata'; main()")
CLAIMS = (
    "The Eiffel Tower was completed in {year} and stands in Lyon.",
    "Mount Everest was first climbed in {year}.",
    "Apollo 11 landed on the Moon in July {year} with two astronauts.",
    "The Berlin Wall fell in {year}.",
    "Charles Darwin was born in {year} in Shrewsbury.",
)
YEARS = range(1000, 2000)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=1_500)
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--runs", type=int, default=3)
    chosen = options.parse_args()
    rates: dict[int, list[float]] = {1: [], chosen.processes: []}
    with tempfile.TemporaryDirectory(prefix="errata-bench-") as temporary:
        source = Path(temporary, "in.jsonl")
        source.write_text("".join(json.dumps({"text": text}) + "\n" for text in claims(chosen.rows)))
        for number in range(chosen.runs):
            for processes, found in rates.items():
                found.append(rows_a_second(source, Path(temporary, f"{number}-{processes}.jsonl"), processes))
    medians = {processes: statistics.median(found) for processes, found in rates.items()}
    print(f"{chosen.rows} rows, medians of {chosen.runs}")
    for processes, rate in medians.items():
        noun = "process:  " if processes == 1 else "processes:"
        print(f"{processes:>3} {noun} {rate:.1f} rows a second, {rate / medians[1]:.2f} x")


def claims(count: int) -> Iterator[str]:
    """Different claims about five subjects: nothing that is kept from one row answers another."""
    for row in range(count):
        yield CLAIMS[row % len(CLAIMS)].format(year=YEARS[row * 7 % len(YEARS)])


def rows_a_second(source: Path, output: Path, processes: int) -> float:
    """Run a batch. Raises CalledProcessError if a row fails."""
    arguments = ("batch", "rarr", str(source), "-o", str(output), "--processes", str(processes), "--json")
    ran = subprocess.run([*COMMAND, *arguments], check=True, capture_output=True, text=True)
    ended = json.loads(ran.stdout)
    return float(ended["done"] / ended["seconds"])


if __name__ == "__main__":
    main()
