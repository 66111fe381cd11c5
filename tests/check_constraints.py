"""Check that constraints.txt names a version with hashes for all that pyproject.toml asks for. Run by .ci/run."""

import re
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
LINE = re.compile(
    r"(?P<name>[a-z0-9-]+)==(?P<version>\S+)(?: ; .+?)?(?: \\\n    --hash=sha256:[0-9a-f]{64})+", re.MULTILINE
)


def problems(constraints: str, asked: list[Requirement]) -> list[str]:
    """What is wrong with constraints, in lines."""
    versions: dict[str, list[str]] = {}
    for found in LINE.finditer(constraints):
        versions.setdefault(found["name"], []).append(found["version"])
    rest = LINE.sub("", constraints).strip()
    wrong = [f"not a version with hashes: {rest.splitlines()[0]}"] if rest else []
    for each in asked:
        name = re.sub(r"[-_.]+", "-", each.name).lower()
        if not any(each.specifier.contains(version, prereleases=True) for version in versions.get(name, [])):
            wrong.append(f"no version of {each}")
    return wrong


def main() -> int:
    made = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras, groups = made["project"]["optional-dependencies"], made["dependency-groups"]
    asked = [
        Requirement(line)
        for lines in (made["project"]["dependencies"], *extras.values(), *groups.values())
        for line in lines
    ]
    wrong = problems((ROOT / "constraints.txt").read_text("utf-8"), [each for each in asked if each.name != "errata"])
    for line in wrong:
        print(f"constraints.txt: {line}; run `make lock`")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
