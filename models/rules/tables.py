"""Tables of words, written as they read best: in a row."""


def table(words: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(words.split())
