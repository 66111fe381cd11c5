"""A result as one HTML file: to read, to keep, to send.

The file loads nothing and works without its script. Everything that it shows was written by a model, a page or a
person, and none of them is trusted: it is all shown as text, and only http and https addresses become links.
"""

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from ...state import Result, cited, marked
from ...state.errors import ErrataError
from ...state.methods.labels import WORST, percents
from ...state.methods.refcheck import Claim
from ..files import write_whole
from .columns import columns
from .display import missing, sentence_counts, unreported

APPS = __package__.rpartition(".")[0]
"""The package that contains the templates, style sheets and scripts."""

FILTER_FROM = 16
"""From this number of verdicts on, the table can be filtered by label."""

LABELS = ("contradiction", "entailment", "neutral", "error")
"""In order of importance to a reader."""

SHARED = ("entailment", "neutral", "contradiction")
"""In the order of the bar."""

_IMPOSSIBLE = re.compile(r"[\0\ud800-\udfff]")  # HTML cannot hold the first, UTF-8 not the others
_UNSEEN = re.compile(r"[\x01-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_ADDRESS = re.compile(r'https?://[^\s\\"<>`\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]+', re.IGNORECASE)
_PASSWORD = re.compile(r"(?<=://)[^/@\s]*(?=@)")


def write(
    result: Result, path: Path, *, method: str = "rarr", question: str = "", settings: Mapping[str, Any] | None = None
) -> None:
    """Write the report to a file.

    Raises:
        ErrataError: If it cannot be written.
    """
    page = render(result, method=method, question=question, settings=settings)
    try:
        write_whole(path, page)
    except OSError as error:
        raise ErrataError(f"{path}: the report could not be written: {error.strerror or error}") from None


def render(
    result: Result, *, method: str = "rarr", question: str = "", settings: Mapping[str, Any] | None = None
) -> str:
    """The report as one HTML document. The same result gives the same document.

    Args:
        result: The result.
        method: The method.
        question: The question that the text answers.
        settings: Shown at the end; values that are not strings are shown as JSON.
    """
    numbers = numbered(result)
    left, right, placed = columns(result, numbers)
    fields: dict[str, Any] = {**result}
    claims: list[Claim] | None = fields.get("claims")  # only for RefChecker
    style = asset("report.css") + f".pair {{ --rows: {max(len(left), len(right), 1)} }}\n"
    script = asset("report.js")
    labels = Counter(label_class(verdict["label"]) for verdict in result["verdicts"])
    edits = list(enumerate(result["edits"], start=1))
    return (
        templates()
        .get_template("report.html.j2" if claims is None else "claims.html.j2")
        .render(
            result={**fields, "failures": unreported(result)},
            method=method,
            question=question,
            settings={name: _setting(value) for name, value in (settings or {}).items()},
            version=version("errata"),
            numbers=numbers,
            sentence_counts=sentence_counts(result),
            missing=missing(result),
            asked=_edits_citing(result),
            left=left,
            right=right,
            placed=placed,
            applied=[(number, edit) for number, edit in edits if edit["applied"]],
            refused=[(number, edit) for number, edit in edits if not edit["applied"]],
            labels=[(label, labels[label]) for label in (*LABELS, "other") if labels[label]],
            filterable=len(result["verdicts"]) >= FILTER_FROM and len(labels) > 1,
            usage=usage_rows(result["usage"]),
            style=Markup(style),
            script=Markup(script),
            stretches=_stretches(result["text"], claims or []),
            shares=_shares(fields.get("distribution")),
            style_hash=content_hash(style),
            script_hash=content_hash(script),
        )
    )


def _stretches(text: str, claims: Sequence[Claim]) -> list[tuple[str, list[int], str]]:
    """The response in stretches: the numbers of the claims that each states, and the worst of their labels."""
    return [
        (
            stretch,
            [place + 1 for place in places],
            min((claims[place]["label"] for place in places), key=_badness, default=""),
        )
        for stretch, places in marked(text, [(claim["start"], claim["end"]) for claim in claims])
    ]


def _badness(label: str) -> int:
    return WORST.index(label) if label in WORST else len(WORST)


def _shares(distribution: Mapping[str, float] | None) -> list[tuple[str, float, float, int]]:
    """Label, start and length in per cent of the bar, and whole per cents, of the non-zero shares."""
    if not distribution or distribution["abstain"]:
        return []
    shares = [distribution[label] for label in SHARED]
    begins = [100 * sum(shares[:place]) for place in range(len(shares))]
    rows = zip(SHARED, begins, shares, percents(shares), strict=True)
    return [(label, round(begin, 3), round(100 * share, 3), percent) for label, begin, share, percent in rows if share]


def numbered(result: Result) -> dict[str, int]:
    """The numbers of the evidence, by id, in order; a repeated id keeps its first number."""
    numbers: dict[str, int] = {}
    for number, piece in enumerate(result["evidence"], start=1):
        numbers.setdefault(piece["id"], number)
    return numbers


def _edits_citing(result: Result) -> dict[str, list[int]]:
    """The numbers of the edits that cite each piece of evidence."""
    edits_of: dict[str, list[int]] = {}
    for number, edit in enumerate(result["edits"], start=1):
        for piece in cited(edit):
            edits_of.setdefault(piece, []).append(number)
    return edits_of


def usage_rows(usage: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a run cost, as pairs of a name and a number."""
    names = {
        "llm_calls": "model calls",
        "input_tokens": "input tokens",
        "cached_tokens": "of these, in the provider's cache",
        "output_tokens": "output tokens",
        "reasoning_tokens": "of these, reasoning",
        "repairs": "unusable replies",
        "cached": "answered from kept replies",
        "searches": "searches",
        "tool_runs": "tool runs",
    }
    always = ("llm_calls", "input_tokens", "output_tokens", "searches", "tool_runs")
    rows = [(name, f"{usage[key]:,}") for key, name in names.items() if usage.get(key) or key in always]
    rows.append(("seconds", f"{usage['seconds']:,.2f}"))
    return rows + ([("cost", f"${usage['cost']:,.4f}")] if "cost" in usage else [])


def _setting(value: Any) -> str:
    """A setting to show, without passwords in addresses: reports are passed on."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return _PASSWORD.sub("…", text)


def shown(text: object) -> Markup:
    """Text as it goes into the page: the same characters, escaped, with invisible control characters made visible.

    Characters that turn the direction of text could make a page read differently from what it says ("Trojan source").
    The style sheet puts each in its own box, from which it has no effect on what follows.
    """
    return Markup(_UNSEEN.sub(_box, escape(_IMPOSSIBLE.sub("\ufffd", str(text)))))


def _box(match: re.Match[str]) -> str:
    character = match.group()
    if character == "\r":  # written out, because a parser would read a bare one as a line feed
        return "&#13;"
    return f'<span class="unseen" data-code="U+{ord(character):04X}">{character}</span>'


def excerpt(text: str, length: int = 320) -> str:
    """The beginning of a text, cut between words if it has any."""
    if len(text) <= length:
        return text
    head = text[:length]
    space = head.rfind(" ", length - 40)
    return head[: space if space > 0 else length].rstrip() + " …"


def link(source: str) -> str:
    """The source if it is a plain http or https address, otherwise nothing.

    An address with a user name is not one: the part before its @ can look like the host.
    """
    try:
        parts = urlsplit(source)
    except ValueError:
        return ""
    return source if _ADDRESS.fullmatch(source) and parts.hostname and "@" not in parts.netloc else ""


def title(text: str) -> str:
    """Text for the title bar, which has no room for boxes."""
    return " ".join(_UNSEEN.sub(" ", _IMPOSSIBLE.sub(" ", text)).split())


def label_class(label: str) -> str:
    """The CSS class of a label; `other` for one that has none."""
    return label if label in LABELS else "other"


def content_hash(text: str) -> str:
    """The hash of an inline style or script for the Content-Security-Policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def asset(name: str) -> str:
    """A style sheet or a script."""
    return files(APPS).joinpath("templates", name).read_text(encoding="utf-8")


@cache
def templates(package: str = APPS) -> Environment:
    """The templates of a package, and the filters that they share."""
    environment = Environment(
        loader=PackageLoader(package), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "cited": cited,
        "shown": shown,
        "excerpt": excerpt,
        "link": link,
        "title_text": title,
        "label_class": label_class,
        "number": lambda number: f"{number:,}",
    }
    return environment
