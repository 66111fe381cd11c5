"""What is wrong with settings that somebody gave, in one line."""

import json
from collections.abc import Iterable, Mapping

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from ..errors import nearest
from ..runs.secrets import redacted

LONGEST_SHOWN = 60
"""The most characters that are shown of a name which somebody gave."""


def no_setting(name: str, names: Iterable[str]) -> str:
    """What to say of a name that is not a setting.

    Args:
        name: What somebody wrote.
        names: The settings that they could have meant.
    """
    name = " ".join(redacted(name[:LONGEST_SHOWN]).split())
    name = "".join(each if each.isprintable() else "?" for each in name)
    return f"there is no setting `{name}`: {nearest(name, names, '`errata settings` lists them')}"


def plainly(message: str) -> str:
    """One of pydantic's messages for the middle of a line, without what it tells programmers of its parsing."""
    return message[:1].lower() + message[1:].partition(", unable to ")[0]


def complaint(error: ValidationError, fields: Mapping[str, FieldInfo]) -> str:
    """What is wrong with the first invalid setting: its name, and its key if it has keys."""
    first = error.errors(include_url=False)[0]
    got = f"got {redacted(repr(first['input']))[:80]}"
    if not first["loc"]:
        return f"settings are a Context or a dict, {got}"
    # Deeper in the location are names of types, which help nobody.
    name = str(first["loc"][0])
    field = fields.get(name)
    if not field:
        return no_setting(name, fields)
    place = first["loc"][: 2 if field.default_factory else 1]
    wrong = plainly(first["msg"])
    if first["type"] in ("dict_type", "mapping_type"):
        wrong = f"expected a JSON object, as in {json.dumps((field.examples or [{}])[0])}"
    return f"setting `{'.'.join(map(str, place))}`: {wrong}, {got}"
