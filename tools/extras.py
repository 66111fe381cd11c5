"""Packages that only some tools need, each in an extra of this package."""

from importlib.util import find_spec

from ..state.errors import ConfigurationError


def lacking(extra: str, *packages: str) -> str:
    """How to install the missing packages of an extra, in a few words; empty if none is missing."""
    missing = [package for package in packages if find_spec(package) is None]
    return f"needs {' and '.join(missing)}: run `pip install 'errata[{extra}]'`" if missing else ""


def require(name: str, extra: str, *packages: str) -> None:
    """Raise ConfigurationError if one of the packages is not installed."""
    if reason := lacking(extra, *packages):
        raise ConfigurationError(f"{name} {reason}")
