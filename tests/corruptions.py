"""What a row of PURR's training set says about its corruptions, carried out backwards."""

from errata.apps.purr.rows import Corrupted


def restored(text: str, corruptions: list[Corrupted]) -> str:
    """The clean statement."""
    for each in reversed(corruptions):
        start, end = each["start"], each["start"] + len(each["after"])
        assert text[start:end] == each["after"]
        text = text[:start] + each["before"] + text[end:]
    return text
