"""Checkpoint files that errata did not write like this: no code of theirs runs, and one line says what is wrong."""

import asyncio
import json
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from rich.console import Console

from errata.apps.checkpoint import last_thread, opened
from errata.apps.progress import Progress
from errata.apps.run import Run
from errata.state import Context
from errata.state.errors import ConfigurationError

from ..conftest import Errata
from ..reviewing import APPROVE

TEXT = "The Eiffel Tower was completed in 1899 and stands in Lyon."
SERIALIZER = JsonPlusSerializer(allowed_msgpack_modules=None)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that waits for a person."""
    file = tmp_path_factory.mktemp("run") / "run.sqlite"
    run = Run("rarr", Context(review=True, cache=False), Progress(Console(quiet=True)), None, file)
    assert asyncio.run(run.start({"text": TEXT})) is None
    return file


@pytest.fixture
def file(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(written, tmp_path / "run.sqlite"))


@pytest.fixture
def errata(errata: Errata, monkeypatch: pytest.MonkeyPatch) -> Errata:
    """The command line, with a person who approves everything."""
    monkeypatch.setattr("errata.apps.cli.review.reviewer", lambda: lambda request: APPROVE)
    return errata


def change(file: Path, how: Callable[[dict[str, Any]], Any]) -> None:
    """Change the last checkpoint."""
    with closing(sqlite3.connect(file)) as database, database:
        query = "SELECT rowid, type, checkpoint FROM checkpoints ORDER BY checkpoint_id DESC LIMIT 1"
        row, kind, data = database.execute(query).fetchone()
        checkpoint = SERIALIZER.loads_typed((kind, data))
        changed = how(checkpoint) or checkpoint
        kind, data = changed if isinstance(changed, tuple) else SERIALIZER.dumps_typed(changed)
        database.execute("UPDATE checkpoints SET type = ?, checkpoint = ? WHERE rowid = ?", (kind, data, row))


def bad(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda checkpoint: checkpoint["channel_values"].update(values)


def versions(value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda checkpoint: checkpoint["channel_versions"].update(text=value)


DAMAGE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "nothing": lambda checkpoint: ("null", b""),
    "no object": lambda checkpoint: [1, 2],
    "no values": lambda checkpoint: {"id": checkpoint["id"]},
    "cut off": lambda checkpoint: ("msgpack", SERIALIZER.dumps_typed(checkpoint)[1][:-9]),
    "noise": lambda checkpoint: ("msgpack", b"\xc1\xff\x00" * 9),
    "another format": lambda checkpoint: ("json", json.dumps(checkpoint).encode()),
    "a pickle": lambda checkpoint: ("pickle", b"cos\nsystem\n(S'true'\ntR."),
    "a text that is none": bad(text=7),
    "checks that are none": bad(checks=[{"question": 1}]),
    "settings that are none": bad(settings={"values": {"review": "?"}, "missing": {}}),
    "no settings": lambda checkpoint: checkpoint["channel_values"].pop("settings") and None,
    "no original": lambda checkpoint: checkpoint["channel_values"].pop("original") and None,
    "a version that is none": versions(1.5),
    "versions of no order": versions([]),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_run_is_one_line(errata: Errata, file: Path, damage: str) -> None:
    change(file, DAMAGE[damage])
    code, out, err = errata("resume", "--checkpoint", str(file))
    assert (code, out) == (2, "")
    told = err.splitlines()[-1]  # there may be lines of progress before it
    assert told.startswith(f"errata: --checkpoint {file}: the run in it is damaged and cannot be resumed (")
    assert "Traceback" not in err


@pytest.mark.parametrize("note", ["", "{", "[]", '{"method": "rarr"}', '{"method": "none", "settings": {}}', "7"])
def test_a_damaged_note_is_one_line(errata: Errata, file: Path, note: str) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE checkpoints SET metadata = ?", (json.dumps({"errata": note}),))
    code, out, err = errata("resume", "--checkpoint", str(file))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("errata: ")


def test_a_file_of_noise_is_one_line(errata: Errata, file: Path) -> None:
    pages = file.read_bytes()
    for keep in (0, 16, 100, 4096, len(pages) // 2):
        file.write_bytes(pages[:keep] + b"\xff\x17" * 4096)
        code, out, err = errata("resume", "--checkpoint", str(file))
        assert (code, out, err.count("\n")) == (2, "", 1), err
        assert err.startswith("errata: ")


def calls(marker: Path) -> dict[str, ormsgpack.Ext]:
    """Objects that a careless reader makes by calling what the file names."""

    def packed(code: int, *what: Any) -> ormsgpack.Ext:
        return ormsgpack.Ext(code, ormsgpack.packb(what))

    return {
        "one argument": packed(0, "os", "system", f"touch {marker}"),
        "arguments": packed(1, "os", "system", [f"touch {marker}"]),
        "keywords": packed(2, "subprocess", "Popen", {"args": ["touch", str(marker)]}),
        "a method": packed(3, "pathlib", "Path", str(marker), "touch"),
        "a model": packed(5, "subprocess", "Popen", {"args": ["touch", str(marker)]}, "model_construct"),
    }


@pytest.mark.parametrize("kind", ["one argument", "arguments", "keywords", "a method", "a model"])
@pytest.mark.parametrize("place", ["the checkpoint", "a value", "a pending write"])
def test_a_crafted_file_runs_no_code(errata: Errata, file: Path, tmp_path: Path, place: str, kind: str) -> None:
    marker = tmp_path / "it-ran"
    crafted = calls(marker)[kind]
    if place == "a pending write":
        with closing(sqlite3.connect(file)) as database, database:
            database.execute("UPDATE writes SET type = 'msgpack', value = ?", (ormsgpack.packb(crafted),))
    elif place == "a value":
        change(file, lambda known: ("msgpack", _with(known, crafted)))
    else:
        change(file, lambda known: ("msgpack", ormsgpack.packb(crafted)))
    _, _, err = errata("resume", "--checkpoint", str(file))
    assert not marker.exists()
    assert "Traceback" not in err


def test_what_a_crafted_file_has_langgraph_say_is_shown_as_symbols(file: Path) -> None:
    crafted = ormsgpack.Ext(0, ormsgpack.packb(("\x1b[2J\u202eos", "system", "true")))
    change(file, lambda known: ("msgpack", _with(known, crafted)))
    program = "from errata.apps.cli.start import main; main()"
    # A process of its own: pytest takes what is logged before it gets to a terminal.
    resumed = [sys.executable, "-c", program, "resume", "--checkpoint", str(file)]
    said = subprocess.run(resumed, capture_output=True, encoding="utf-8", check=False).stderr
    assert "␛[2J\ufffdos.system" in said
    assert not {"\x1b", "\u202e"} & set(said)


def _with(checkpoint: dict[str, Any], crafted: ormsgpack.Ext) -> bytes:
    checkpoint["channel_values"]["text"] = crafted
    return ormsgpack.packb(checkpoint)


async def test_a_run_goes_on_with_its_own_settings(written: Path) -> None:
    thread, method, context = await last_thread(written, "", Context())
    assert (method, context) == ("rarr", Context(review=True, cache=False))
    with pytest.raises(ConfigurationError, match="--set review: a run keeps its original settings"):
        await last_thread(written, thread, Context(review=False))


def test_an_address_with_a_key_is_given_again(tmp_path: Path, errata: Errata, monkeypatch: pytest.MonkeyPatch) -> None:
    file, setting = tmp_path / "run.sqlite", ("--set", "searxng_url=http://me:hunter2@127.0.0.1:9")
    monkeypatch.setattr("errata.apps.cli.review.reviewer", lambda: None)
    code, _, err = errata("correct", TEXT, "--review", "--checkpoint", str(file), *setting)
    assert (code, "is waiting for review" in err) == (0, True)
    assert b"hunter2" not in file.read_bytes()
    code, _, err = errata("resume", "--checkpoint", str(file))
    assert (code, err.count("\n")) == (2, 1)
    assert "`searxng_url` set to an address with a secret" in err
    monkeypatch.setattr("errata.apps.cli.review.reviewer", lambda: lambda request: APPROVE)
    code, out, _ = errata("resume", "--checkpoint", str(file), *setting, "--json")
    assert code == 0
    assert json.loads(out)["text"] == "The Eiffel Tower was completed in 1889 and stands in Paris."


async def test_a_file_that_cannot_be_opened_starts_no_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be left behind, and print a traceback once the command's event loop is closed."""
    started: list[threading.Thread] = []
    start = threading.Thread.start

    def noted(thread: threading.Thread) -> None:
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", noted)
    with pytest.raises(ConfigurationError, match="unable to open database file"):
        async with opened(tmp_path / "none" / "run.sqlite"):
            pass
    assert started == []
