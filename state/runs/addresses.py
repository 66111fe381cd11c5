"""Server addresses, as people write them."""

from urllib.parse import unquote, urlsplit, urlunsplit

from ..errors import ConfigurationError
from .secrets import keep_secret, login_words, redacted


def address_of(value: str, setting: str) -> str:
    """A base address without a trailing slash.

    Raises:
        ConfigurationError: If the value is not a web address.
    """
    address = value.strip()
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that do not close, a port that is not a number
        usable = False
    if not usable or not address.isprintable() or " " in address:
        raise ConfigurationError(f"{setting} is not a web address (http:// or https://): {redacted(value[:100])!r}")
    return address.rstrip("/")


def bare(address: str) -> str:
    """An address that is safe to write down: without user, password and query, which may hold keys."""
    if "://" not in address or not set("@?#") & set(address):
        return address
    try:
        parts = urlsplit(address)
    except ValueError:
        return redacted(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def login(address: str | None) -> tuple[str, str] | None:
    """The user and password of an address. From here on they are kept out of all messages."""
    try:
        user, has_one, _ = urlsplit(address or "").netloc.rpartition("@")
    except ValueError:  # it is refused where it is used
        return None
    if not has_one:
        return None
    keep_secret(*login_words(address or ""))
    name, _, password = user.partition(":")
    return unquote(name), unquote(password)
