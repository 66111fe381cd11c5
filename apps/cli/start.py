"""Where the command `errata` starts: from here on Ctrl-C ends it without a word, while it still imports, too."""

import sys

INTERRUPTED = 130
"""Exit code after Ctrl-C, as a shell gives it: 128 and the number of the signal."""


def main() -> None:
    try:
        from .main import main

        main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
