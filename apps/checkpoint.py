"""Checkpoint files: runs stored for `errata resume`. The content of a file is not trusted to be ours."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, cast, get_type_hints

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot
from pydantic import TypeAdapter

from ..graphs import check_method
from ..state import Context
from ..state.errors import ConfigurationError, ErrataError, absent
from ..state.runs.kept import Kept, kept, restored
from ..tools.search import describe

NOTE = "errata"
"""The key of a checkpoint's metadata that holds the method and the settings as JSON."""


class _Serializer(JsonPlusSerializer):
    """Reads plain data and LangChain's messages and creates no other objects: a crafted file runs no code."""

    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=None)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        if data[0] == "json":  # a former format, which would revive objects; errata never wrote it
            raise ValueError("it has data in a format that errata does not write")
        return super().loads_typed(data)


@asynccontextmanager
async def opened(checkpoint: Path | None) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """The checkpointer of a file, or one in memory.

    Raises:
        ConfigurationError: If it is not such a file.
        ErrataError: If the disk is full or fails.
    """
    if checkpoint is None:
        yield InMemorySaver()
        return
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    try:
        # aiosqlite does not wait for its thread if it cannot open a file: a traceback might follow our message.
        sqlite3.connect(checkpoint).close()
        async with AsyncSqliteSaver.from_conn_string(str(checkpoint)) as saver:
            saver.serde = _Serializer()
            await saver.setup()
            yield saver
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            raise ErrataError(f"--checkpoint {checkpoint}: {error}; make room there") from None
        raise ConfigurationError(f"--checkpoint {checkpoint}: {error}; name another file") from None


def note(method: str, context: Context) -> dict[str, str]:
    """The metadata of a run's checkpoints, for `last_thread`."""
    return {NOTE: json.dumps({"method": method, "settings": kept(context)})}


async def last_thread(checkpoint: Path, thread: str, given: Context) -> tuple[str, str, Context]:
    """Thread, method and settings of the last run in a checkpoint file, or of the named thread.

    Args:
        checkpoint: The file.
        thread: The name of a thread, or an empty string.
        given: The settings that the file does not store.

    Returns:
        The name of the thread, its method, and its settings.

    Raises:
        ConfigurationError: If the file holds no such run, or cannot be read.
    """
    if not await asyncio.to_thread(checkpoint.is_file):
        raise ConfigurationError(absent(checkpoint, "`errata correct TEXT --checkpoint FILE` makes one"))
    config: Any = {"configurable": {"thread_id": thread}} if thread else None
    with damage_named(checkpoint):
        async with opened(checkpoint) as saver:
            for saved in [saved async for saved in saver.alist(config, limit=1)]:
                if run_note := cast(dict[str, Any], saved.metadata).get(NOTE):
                    method, settings = (json.loads(run_note)[name] for name in ("method", "settings"))
                    check_method(method)
                    _check_missing(settings, given)
                    return saved.config["configurable"]["thread_id"], method, restored(settings, given)
    raise ConfigurationError(f"{checkpoint}: holds no run{f' named {thread}' if thread else ''} to resume")


def _check_missing(settings: Kept, given: Context) -> None:
    for name in given.model_fields_set - settings["missing"].keys():
        raise ConfigurationError(f"--set {name}: a run keeps its original settings; leave this out")


async def state_of(graph: CompiledStateGraph[Any, Any, Any, Any], config: Any) -> StateSnapshot:
    """The state of a run.

    Raises:
        ValidationError: For a state that no run of this graph could have left.
    """
    state = await graph.aget_state(config)
    types = get_type_hints(graph.builder.state_schema, include_extras=True)
    for name, value in state.values.items():
        TypeAdapter(types[name]).validate_python(value)
    return state


@contextmanager
def damage_named(checkpoint: Path | None) -> Iterator[None]:
    """Raise ConfigurationError for any error that comes from continuing with data that errata did not write."""
    try:
        yield
    except (ErrataError, sqlite3.Error):
        raise
    except Exception as error:
        raise ConfigurationError(
            f"--checkpoint {checkpoint}: the run in it is damaged and cannot be resumed "
            f"({describe(error)}); start over with a new file"
        ) from None
