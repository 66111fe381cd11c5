"""Addresses of servers, as people set them."""

from urllib.parse import urlsplit

from .errors import ConfigurationError


def address_of(value: str, setting: str) -> str:
    """A base address without a slash at its end.

    Raises:
        ConfigurationError: If the value is not a web address.
    """
    address = value.strip()
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that do not close, a port that is no number
        usable = False
    if not usable or not address.isprintable() or " " in address:
        raise ConfigurationError(f"{setting} is not a web address (http:// or https://): {value[:100]!r}")
    return address.rstrip("/")
