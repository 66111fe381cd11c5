"""Fetches models from the hub by huggingface_hub, on request only, and finds those that were fetched.

They lie where Hugging Face's own tools keep theirs, so that both find them.
"""

import hashlib
import logging
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ...state.errors import ConfigurationError, ToolError
from ...state.runs.addresses import address_of
from ...state.runs.secrets import redacted
from .catalogue import Model

TRUE = ("1", "on", "true", "yes")
SHA256 = re.compile(r"[0-9a-f]{64}")
SECONDS = 30.0
"""Until a silent hub is given up."""

Progress = Callable[[int, int], None]
"""Is told of bytes that came, and of how many there are in all."""


def cache() -> Path:
    """Where Hugging Face's tools keep what they fetch."""
    home = Path(os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface"))
    return Path(os.environ.get("HF_HUB_CACHE") or home / "hub").expanduser()


def folder(model: Model) -> Path:
    """Where the files of a model lie, or will."""
    return cache() / f"models--{model.repository.replace('/', '--')}" / "snapshots" / model.revision


def is_here(model: Model) -> bool:
    """Whether all files of a model were fetched."""
    return all((folder(model) / path).is_file() for path in model.files)


def path_of(model: Model) -> Path:
    """What to hand in for a model: the file of one that writes, and the folder of another.

    Raises:
        ConfigurationError: If it was not fetched.
    """
    if not is_here(model):
        raise ConfigurationError(f"`{model.name}` is not on this machine: run `errata models get {model.name}`")
    return folder(model) / model.weights if model.kind == "writes" else folder(model)


def fetch(model: Model, path: str, progress: Progress) -> str:
    """Fetch a file of a model, from where it was broken off, if it is not here yet.

    Args:
        model: Whose file.
        path: The file.
        progress: Is told how far it is.

    Returns:
        Its SHA-256; empty where it was here already.

    Raises:
        ConfigurationError: If the hub has no such file, if it is another one than it should be, or if
            HF_HUB_OFFLINE forbids asking.
        ToolError: If the hub cannot be reached, or broke off.
    """
    target = folder(model) / path
    if target.is_file():
        return ""
    if os.environ.get("HF_HUB_OFFLINE", "").lower() in TRUE:
        raise ConfigurationError(f"{path} is not on this machine, and HF_HUB_OFFLINE forbids fetching it: unset that")
    _download(model, path, progress)
    with target.open("rb") as content:
        actual = hashlib.file_digest(content, "sha256").hexdigest()
    stored_as = target.resolve().name  # huggingface_hub names a large file by the hash that the hub gives for it
    if (expected := model.files[path] or (stored_as if SHA256.fullmatch(stored_as) else actual)) != actual:
        target.resolve().unlink()
        target.unlink(missing_ok=True)
        raise ConfigurationError(
            f"{path} is not the file that was pinned and was deleted: its SHA-256 is {actual}, not {expected}"
        )
    return actual


def _download(model: Model, path: str, progress: Progress) -> None:
    """Have huggingface_hub put a file to its place, and raise our errors in place of its."""
    try:
        from huggingface_hub import errors, hf_hub_download
        from tqdm.auto import tqdm
    except ImportError:
        raise ConfigurationError(
            "fetching a model needs huggingface_hub: run `pip install 'langgraph-errata[local]'`"
        ) from None

    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # that it goes on after a break needs no line

    class Bar(tqdm):  # type: ignore[misc]
        def __init__(self, *arguments: Any, **settings: Any) -> None:
            super().__init__(*arguments, **{**settings, "disable": True})
            self.size = settings.get("total") or 0
            progress(settings.get("initial") or 0, self.size)

        def update(self, n: float | None = 1) -> None:
            progress(int(n or 0), self.size)

    endpoint = address_of(os.environ.get("HF_ENDPOINT") or "https://huggingface.co", "HF_ENDPOINT")
    asked = f"{endpoint}/{model.repository}/resolve/{model.revision}/{path}"
    again = "run the same command again to continue"
    try:
        hf_hub_download(
            model.repository,
            path,
            revision=model.revision,
            cache_dir=cache(),
            endpoint=endpoint,
            tqdm_class=Bar,
            token=False,
            etag_timeout=SECONDS,
        )
    except (errors.LocalEntryNotFoundError, errors.HfHubHTTPError) as error:
        answered = next((e for e in (error, error.__cause__) if isinstance(e, errors.HfHubHTTPError)), None)
        if answered is None:
            reason = redacted(str(error.__cause__ or error)).rpartition("] ")[2] or "no answer"
            raise ToolError(
                f"{urlsplit(endpoint).hostname} cannot be reached ({reason}): check the network and run the same "
                "command again, or set HF_ENDPOINT to a mirror"
            ) from None
        status = answered.response.status_code
        if status in (401, 403, 404):
            raise ConfigurationError(f"{asked}: the hub answers {status}: it has no such file for everybody") from None
        raise ToolError(f"{asked}: the hub answers {status}; try again later") from None
    except Exception as error:  # of as many kinds as there are ways for a download to break off
        if isinstance(error, OSError) and error.filename:
            raise ConfigurationError(f"{error.filename}: {error.strerror or error}") from None
        reason = " ".join(redacted(str(error)).split())[:200] or type(error).__name__
        raise ToolError(f"{asked}: {reason}; {again}") from None
