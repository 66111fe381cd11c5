"""Tables of words, written in a row because they read best that way."""


def table(words: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(words.split())
