"""Whether monty agrees with CPython: `python -m benchmarks.programs RESULTS.jsonl...` on programs that models wrote.

Takes the programs in the results of `program_of_thought` and `critic_program`, and runs each in
both interpreters, CPython in its sandbox. What monty lacks it refuses, which is no disagreement.
"""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from errata.state.errors import ConfigurationError, ToolError
from errata.tools.python import Execution, PythonTool, python_tool


def main() -> None:
    if not sys.argv[1:]:
        sys.exit("usage: python -m benchmarks.programs RESULTS.jsonl...")
    try:
        rows = [json.loads(line) for name in sys.argv[1:] for line in Path(name).read_text("utf-8").splitlines()]
        programs = list(dict.fromkeys(written(rows)))
        counts = asyncio.run(compared(programs, python_tool("monty"), python_tool("cpython")))
    except (OSError, ValueError, ConfigurationError, ToolError) as error:
        sys.exit(f"benchmarks.programs: {error}")
    same, different = counts["same"], counts["different"]
    print(f"{len(programs)} programs: " + ", ".join(f"{number} {outcome}" for outcome, number in counts.most_common()))
    if same + different:
        print(f"agreement where monty gives a result: {same / (same + different):.2%}")


def written(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The programs in results: drafts, corrections, and what was run."""
    for row in rows:
        tried = [piece["query"] for piece in row.get("evidence", []) if piece["title"] == "Execution"]
        corrections = [edit["after"] for edit in row.get("edits", [])]
        yield from filter(None, [row.get("original"), row.get("text"), *corrections, *tried])


async def compared(programs: Iterable[str], monty: PythonTool, cpython: PythonTool) -> Counter[str]:
    """How many programs came to what; those on which the interpreters disagree are printed."""
    counts: Counter[str] = Counter()
    for program in programs:
        small, whole = await asyncio.gather(monty.execute(program), cpython.execute(program))
        counts[outcome := _outcome(small, whole)] += 1
        if outcome == "different":
            print(f"{program}\n  monty: {_told(small)}\n  CPython: {_told(whole)}\n")
    return counts


def _outcome(small: Execution, whole: Execution) -> str:
    if small["error"] and small["error"]["lacking"]:
        return "refused"
    if small["error"] and whole["error"]:
        return "failed in both"
    return "same" if _told(small) == _told(whole) else "different"


def _told(execution: Execution) -> str:
    error = execution["error"]
    return f"{error['type']}: {error['message']}" if error else execution["value"]


if __name__ == "__main__":
    main()
