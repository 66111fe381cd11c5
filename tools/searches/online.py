"""The base class of the searches that ask a service."""

import os
from typing import TYPE_CHECKING, Any, Self

from pydantic import SecretStr

from ...state.errors import ConfigurationError
from ..search import SearchTool

if TYPE_CHECKING:
    from ...state import Context


class OnlineSearch(SearchTool):
    """A search by a service. What it takes to ask it, such as a key, is in the environment or in the Context."""

    retries: int = 3

    @classmethod
    def of(cls, context: "Context") -> Self:
        """Make the search that a Context describes.

        Raises:
            ConfigurationError: If a key, an address, a contact or a package is missing.
        """
        return cls(**cls.access(context), retries=context.retries, timeout=context.timeout, keep=context.cache)

    @classmethod
    def access(cls, context: "Context") -> dict[str, Any]:
        """The fields without which the service cannot be asked. Raises ConfigurationError if something is missing."""
        return {}


def key_in(variable: str, service: str, site: str) -> SecretStr:
    """The key in an environment variable. Raises ConfigurationError, with where to get one, if there is none."""
    if key := os.environ.get(variable, "").strip():
        return SecretStr(key)
    raise ConfigurationError(f"{service} needs a key: get one at {site} and set {variable}")
