"""The start of the command `errata`: from here on Ctrl-C ends it silently, even during imports."""

import sys

INTERRUPTED = 130
"""The exit code after Ctrl-C, as a shell gives it: 128 plus the number of the signal."""


def main() -> None:
    """Run the command line; exits with INTERRUPTED on Ctrl-C."""
    try:
        from .main import main

        main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
