"""What can go wrong, by whose hands it can be mended."""


class ErrataError(Exception):
    """Base of all errors raised here. The message is one line that says what to do next."""


class ConfigurationError(ErrataError):
    """Settings or input that cannot work: an unknown name, a missing key or folder. The caller can mend it.

    Not a ValueError: pydantic would wrap one raised in a tool's constructor.
    """


class ModelError(ErrataError):
    """A model that is down, too slow, or whose replies do not parse."""


class ToolError(ErrataError):
    """A tool that is down, too slow, or that refuses."""
