"""What a person has chosen for good with `errata models use`: the model that the command line takes without --model."""

import json
import os
from pathlib import Path
from typing import Any

from ..context import Context
from ..errors import ConfigurationError

WRITER = ("model", "base_url", "send_key")
JUDGE = ("nli", "nli_labels")
"""Settings that are chosen together."""


def chosen_file() -> Path:
    """Where it is kept: in ERRATA_CONFIG_DIR, or the platform's place for settings."""
    import platformdirs

    folder = os.environ.get("ERRATA_CONFIG_DIR") or platformdirs.user_config_dir("errata", appauthor=False)
    return Path(folder).expanduser() / "models.json"


def chosen() -> dict[str, Any]:
    """The settings that were chosen; none if nobody has chosen any.

    Raises:
        ConfigurationError: If the file holds something else.
    """
    file = chosen_file()
    try:
        settings = json.loads(file.read_text("utf-8"))
        if not isinstance(settings, dict) or settings.keys() - {*WRITER, *JUDGE}:
            raise ValueError
        Context.model_validate(settings)
    except FileNotFoundError:
        return {}
    except ConfigurationError as error:
        raise ConfigurationError(f"{file}: {error}; delete the file and choose again") from None
    except ValueError:
        raise ConfigurationError(f"{file} is damaged: delete it, and choose again with `errata models use`") from None
    except OSError as error:
        raise ConfigurationError(f"{file}: {error.strerror or error}") from None
    return settings


def choose(kind: tuple[str, ...], settings: dict[str, Any]) -> Path:
    """Choose settings for good, in place of those of their kind.

    Args:
        kind: WRITER or JUDGE.
        settings: Some of their fields; none to forget them.

    Returns:
        The file that has them.

    Raises:
        ConfigurationError: If it cannot be written.
    """
    merged = {name: value for name, value in chosen().items() if name not in kind} | settings
    file = chosen_file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_suffix(".new")
        beside.write_text(json.dumps(merged, indent=1) + "\n", "utf-8")
        beside.replace(file)
    except OSError as error:
        raise ConfigurationError(f"{file}: {error.strerror or error}") from None
    return file


def with_chosen(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings of a command, and beside them what was chosen for good, where they name nothing of its kind."""
    found = chosen()
    for kind in (WRITER, JUDGE):
        if settings.keys() & {*kind}:
            found = {name: value for name, value in found.items() if name not in kind}
    return {**found, **settings}
