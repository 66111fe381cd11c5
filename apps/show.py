"""A result for the terminal: the diff, each edit with its evidence, the verdicts, why it stopped, and the usage."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ..state import Edit, Evidence, Result, Usage, segments

COLOURS = {"entailment": "green", "neutral": "dim", "contradiction": "red", "error": "bold yellow"}
LONGEST_QUOTE = 300


def show(console: Console, result: Result, *, drafted: bool = False) -> None:
    """Print a result for a person."""
    if drafted:
        console.print("[bold]Draft[/bold]")
        console.print(Text(result["original"]), "")
    console.print("[bold]Corrected[/bold]" if any(e["applied"] for e in result["edits"]) else "[bold]Unchanged[/bold]")
    console.print(diff(result), "")
    known = {piece["id"]: piece for piece in result["evidence"]}
    for edit in result["edits"]:
        console.print(_edit(edit, known.get(edit["evidence"])), "")
    if result["verdicts"]:
        console.print(_verdicts(result, known), "")
    for failure in result["failures"]:
        console.print(f"[yellow]{failure['step']} failed:[/yellow] {escape(failure['reason'])}", highlight=False)
    console.print(f"[bold]Stopped[/bold] {result['stopped']}: {escape(result['reason'])}", highlight=False)
    console.print(f"[bold]Usage[/bold] {usage_line(result['usage'])}", highlight=False)


def diff(result: Result) -> Text:
    """The text with what was taken out in red and what was put in in green."""
    text = Text()
    for segment in segments(result["original"], result["edits"]):
        if segment["edits"]:
            text.append(segment["before"], style="red strike")
            text.append(segment["after"], style="bold green")
        else:
            text.append(segment["after"])
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


def _edit(edit: Edit, evidence: Evidence | None) -> Text:
    text = Text()
    text.append("✓ " if edit["applied"] else "✗ ", style="green" if edit["applied"] else "yellow")
    if edit["before"] or edit["after"]:
        text.append(edit["before"], style="red strike" if edit["applied"] else "")
        text.append(" → ")
        text.append(edit["after"], style="bold green" if edit["applied"] else "")
    text.append(f"\n  {edit['reason']}", style="" if edit["applied"] else "yellow")
    if evidence:
        text.append(f"\n  “{quote(evidence['text'])}”", style="italic")
        text.append(f"\n  {evidence['title']} · {evidence['source']}", style="dim")
    return text


def quote(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE - 1] + "…"


def _verdicts(result: Result, known: dict[str, Evidence]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for column in ("Question", "Verdict", "Make", "Evidence"):
        table.add_column(column)
    for verdict in result["verdicts"]:
        evidence = known.get(verdict["evidence"])
        where = (evidence["title"] or evidence["source"]) if evidence else verdict["reason"]
        label = Text(verdict["label"], style=COLOURS[verdict["label"]])
        table.add_row(Text(verdict["question"]), label, Text(verdict["make"]), Text(where, style="dim"))
    return table
