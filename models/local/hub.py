"""Fetches models from the hub, on request only, and finds those that were fetched.

They lie where Hugging Face's own tools keep theirs, so that both find them. What those tools download begins anew after
an interruption, and nobody compares its hash; here it goes on, and is compared.
"""

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ...state.errors import ConfigurationError, ToolError
from ...state.runs.addresses import address_of
from ...state.runs.secrets import redacted
from .catalogue import Model

if TYPE_CHECKING:
    import httpx

TRUE = ("1", "on", "true", "yes")
SECONDS = 30.0
"""Until a silent hub is given up."""
SHA256 = re.compile(r"[0-9a-f]{64}")

Progress = Callable[[int, int], None]
"""Is told of bytes that came, and of how many there are in all."""


def folder(model: Model) -> Path:
    """Where the files of a model lie, or will."""
    home = Path(os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface"))
    cache = Path(os.environ.get("HF_HUB_CACHE") or home / "hub").expanduser()
    return cache / f"models--{model.repository.replace('/', '--')}" / "snapshots" / model.revision


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
    partial = target.with_name(f"{target.name}.incomplete")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        published = _download(f"{_endpoint()}/{model.repository}/resolve/{model.revision}/{path}", partial, progress)
        actual = _hash(partial)
        if (expected := model.files[path] or published or actual) != actual:
            partial.unlink()
            raise ConfigurationError(
                f"{path} is not the file that was pinned and was deleted: its SHA-256 is {actual}, not {expected}"
            )
        partial.replace(target)
    except OSError as error:
        raise ConfigurationError(f"{error.filename or target}: {error.strerror or error}") from None
    return actual


def _endpoint() -> str:
    return address_of(os.environ.get("HF_ENDPOINT") or "https://huggingface.co", "HF_ENDPOINT")


def _download(url: str, partial: Path, progress: Progress) -> str:
    """Write what is missing of a file. Returns the hash that the hub gives for it, if it gives one."""
    import httpx

    have = partial.stat().st_size if partial.exists() else 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    published = ""

    def note(response: httpx.Response) -> None:
        nonlocal published  # the hub says it before it sends us on to where the file lies
        tag = response.headers.get("x-linked-etag", "").strip('"')
        published = published or (tag if SHA256.fullmatch(tag) else "")

    hooks = {"response": [note]}
    try:
        with (
            httpx.Client(follow_redirects=True, timeout=SECONDS, event_hooks=hooks) as client,
            client.stream("GET", url, headers=headers) as response,
        ):
            if response.status_code == 416:  # all of it was here
                return published
            _check(response, url)
            if response.status_code != 206:
                have = 0
            size = int(response.headers.get("content-length", 0)) + have
            progress(have, size)
            with partial.open("ab" if have else "wb") as file:
                for block in response.iter_raw():  # as it comes, so that nothing is lost when it breaks off
                    file.write(block)
                    progress(len(block), size)
    except httpx.ConnectError as error:
        reason = redacted(str(error)).rpartition("] ")[2] or "no answer"  # without a number of the system's
        raise ToolError(
            f"{httpx.URL(url).host} cannot be reached ({reason}): check the network and run the same command again, "
            "or set HF_ENDPOINT to a mirror"
        ) from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        reason = redacted(str(error)) or type(error).__name__
        raise ToolError(f"{url}: {reason}; run the same command again to continue") from None
    if partial.stat().st_size < size:
        raise ToolError(f"{url}: the download broke off; run the same command again to continue")
    return published


def _check(response: "httpx.Response", url: str) -> None:
    if response.is_success:
        return
    if response.status_code in (401, 403, 404):
        raise ConfigurationError(f"{url}: the hub answers {response.status_code}: it has no such file for everybody")
    raise ToolError(f"{url}: the hub answers {response.status_code}; try again later")


def _hash(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
