"""A file is written whole or not at all."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from errata.apps.files import write_whole


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file may become larger meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("before", ["the report of yesterday", None])
def test_a_write_that_fails_leaves_what_there_was(tmp_path: Path, before: str | None) -> None:
    file = tmp_path / "report.html"
    if before:
        file.write_text(before)
    with room_for(1_000), pytest.raises(OSError, match="File too large"):
        write_whole(file, "x" * 100_000)
    assert [each.read_text() for each in tmp_path.iterdir()] == ([before] if before else [])


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "a.html", tmp_path / "b.html"
    file.write_text("old")
    link.symlink_to(file)
    write_whole(link, "new\n")
    assert (link.is_symlink(), file.read_bytes()) == (True, b"new\n")


def test_a_device_is_written_to_as_it_is() -> None:
    write_whole(Path("/dev/null"), "anything")
    assert not Path("/dev/null").is_file()
