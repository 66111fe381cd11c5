"""The cache on disk: nobody else reads it or writes into it, and what is damaged there is made again."""

import os
from pathlib import Path
from typing import Any

import pytest

from errata.state.runs.cache import Shelf, cache_folder, disk_cache, remembered


async def made() -> Any:
    return "made"


async def test_a_folder_of_somebody_else_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "theirs"
    await Shelf(folder).put("key", "poison")
    assert await Shelf(folder).get("key") == "poison"
    disk_cache.cache_clear()
    monkeypatch.setattr(os, "getuid", lambda: 54_321)
    assert await Shelf(folder).get("key") is None
    disk_cache.cache_clear()


async def test_a_folder_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    folder = tmp_path / "open-1"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    await Shelf(tmp_path / "open").put("key", "value")
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("damaged", [[], 5, "x", {"other": 1}])
async def test_what_has_another_shape_is_made_again(
    damaged: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERRATA_CACHE_DIR", str(tmp_path))
    await Shelf(cache_folder() / "results").put("key", damaged)
    assert await remembered("key", made, on_disk=True) == "made"
