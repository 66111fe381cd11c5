"""Check that wheel and source distribution hold every package and every data file. Run by .ci/run after the build."""

import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def expected() -> set[str]:
    """Paths in the wheel: every module, and every file of data, of the folders that pyproject.toml maps."""
    mapped = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]
    files = set()
    for package, folder in mapped.items():
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix in {".py", ".yaml", ".md", ".j2", ".npz", ".typed"}:
                files.add(f"{package.replace('.', '/')}/{path.relative_to(ROOT / folder).as_posix()}")
    return files


def main(folder: Path) -> int:
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    in_wheel = set(zipfile.ZipFile(wheel).namelist())
    with tarfile.open(source) as archive:
        in_source = {name.partition("/")[2] for name in archive.getnames()}
    missing = {f"wheel lacks {name}" for name in expected() - in_wheel}
    missing |= {
        f"sdist lacks {name}"
        for name in ("langgraph.json", "Makefile", "README.md", "LICENSE")
        if name not in in_source
    }
    missing |= {f"wheel holds {name}, which is no part of it" for name in in_wheel if not name.startswith("errata")}
    for line in sorted(missing):
        print(line)
    print(f"{wheel.name}: {len(in_wheel)} files, {source.name}: {len(in_source)} files")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
