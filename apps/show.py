"""A result for the terminal: the diff, each edit with its evidence, the verdicts, why it stopped, and the usage."""

from collections.abc import Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..state import Edit, Evidence, Result, Usage, segments

COLOURS = {"entailment": "green", "neutral": "dim", "contradiction": "red", "error": "bold yellow"}
LONGEST_QUOTE = 300


def show(console: Console, result: Result, *, drafted: bool = False) -> None:
    """Print a result for a person."""
    changed = any(edit["applied"] for edit in result["edits"])
    known = {piece["id"]: piece for piece in result["evidence"]}
    checked = bool(result["verdicts"] or result["edits"])
    if drafted:
        _part(console, "Draft", Text(result["original"]))
    if checked or not drafted:
        _part(console, "Corrected" if changed else "Unchanged", diff(result, marked=not console.is_terminal))
    if (answer := str(result.get("answer", ""))) and not result["text"].startswith(answer):
        _part(console, "Answer", Text(answer))
    critic = "answer" in result
    if result["edits"] and not critic:
        edits = [_edit(edit, known.get(edit["evidence"])) for edit in result["edits"]]
        _part(console, "Edits", Text("\n").join(edits))
    if result["verdicts"] and critic:
        _part(console, "Critiques", Text("\n").join(_critiques(result)))
    elif result["verdicts"] and "scores" in result:
        _part(console, "Scores", Text("\n").join(_scores(result)))
    elif result["verdicts"]:
        _part(console, "Verdicts", _verdicts(result, known))
    if result["failures"]:
        lines = [Text(f"{failure['step']}: {failure['reason']}", style="yellow") for failure in result["failures"]]
        _part(console, "Failures", Text("\n").join(lines))
    console.print(Text.assemble(("Stopped  ", "bold"), f"{result['stopped']}: {result['reason']}"))
    console.print(Text.assemble(("Usage    ", "bold"), usage_line(result["usage"])))


def diff(result: Result, *, marked: bool) -> Text:
    """The text with what was taken out in red and what was put in in green.

    marked
        Say it with [-brackets-]{+too+}, for where there is no colour.
    """
    text = Text()
    for segment in segments(result["original"], result["edits"]):
        if not segment["edits"]:
            text.append(segment["after"])
            continue
        before, after = segment["before"], segment["after"]
        text.append(f"[-{before}-]" if marked and before else before, style="red strike")
        text.append(f"{{+{after}+}}" if marked and after else after, style="bold green")
    return text


def usage_line(usage: Usage) -> str:
    """Usage in a line, without what was not used."""
    counts = [
        (usage["llm_calls"], "model call"),
        (usage["input_tokens"] + usage["output_tokens"], "token"),
        (usage["searches"], "search"),
        (usage["tool_runs"], "tool run"),
    ]
    parts = [_count(number, thing) for number, thing in counts if number or thing in ("model call", "search")]
    parts.append(f"{usage['seconds']:.2f} s")
    if "cost" in usage:
        parts.append(f"${usage['cost']:.4f}")
    return " · ".join(parts)


def _count(number: int, thing: str) -> str:
    plural = thing if number == 1 else f"{thing}es" if thing.endswith("ch") else f"{thing}s"
    return f"{number:,} {plural}"


def _part(console: Console, heading: str, content: Text | Table) -> None:
    console.print(Text(heading, style="bold"))
    console.print(Padding(content, (0, 0, 1, 2), expand=False))


def _edit(edit: Edit, evidence: Evidence | None) -> Text:
    text = Text()
    text.append("✓ " if edit["applied"] else "✗ ", style="green" if edit["applied"] else "yellow")
    if edit["before"] or edit["after"]:
        text.append(quote(edit["before"]), style="red strike" if edit["applied"] else "")
        text.append(" → ")
        text.append(quote(edit["after"]), style="bold green" if edit["applied"] else "")
    for line in edit["reason"].splitlines():
        text.append(f"\n    {quote(line)}", style="" if edit["applied"] else "yellow")
    if evidence:
        text.append(f"\n    Source: {evidence['title']} · {evidence['source']}", style="dim")
    return text


def _critiques(result: Result) -> Iterator[Text]:
    """What each critique looked at, in order, and what it came to."""
    evidence = iter(result["evidence"])
    for number, verdict in enumerate(result["verdicts"], start=1):
        yield Text.assemble((f"{number}. ", "bold"), verdict["question"])
        for piece in evidence if verdict["evidence"] else ():
            title = f"[{piece['title']}] " if piece["title"] else ""
            yield Text.assemble("   → ", (quote(piece["query"]), "cyan"))
            yield Text(f"     {quote(title + piece['text'])}", style="dim")
            if piece["id"] == verdict["evidence"]:
                break
        said = f" ({verdict['make']}): {quote(verdict['reason'])}"
        yield Text.assemble("   = ", (verdict["label"], COLOURS[verdict["label"]]), said)


def _scores(result: Result) -> Iterator[Text]:
    """How each response did."""
    for number, verdict in enumerate(result["verdicts"], start=1):
        label = (verdict["label"], COLOURS[verdict["label"]])
        yield Text.assemble((f"{number}. ", "bold"), label, f" ({verdict['make']}): {quote(verdict['reason'])}")


def quote(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE - 1] + "…"


def _verdicts(result: Result, known: dict[str, Evidence]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("question", "verdict", "make", "evidence"):
        table.add_column(column)
    for verdict in result["verdicts"]:
        evidence = known.get(verdict["evidence"])
        where = (evidence["title"] or evidence["source"]) if evidence else verdict["reason"]
        label = Text(verdict["label"], style=COLOURS[verdict["label"]])
        table.add_row(Text(verdict["question"]), label, Text(verdict["make"]), Text(where, style="dim"))
    return table
