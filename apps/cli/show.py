"""A result in the terminal: the diff, each edit with its evidence, the verdicts, why it stopped, and the usage."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar, cast

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...models.local.catalogue import first
from ...state import Edit, Evidence, Failure, Result, Usage, Verdict, cited, segments
from ...state.methods.refcheck import Claim
from ...state.methods.verification import VerifyResult
from ...state.text.diff import by_words
from ...state.text.segments import counted
from ...state.text.values import same_answer
from ...tools.extras import lacking
from ..reports.display import ONLY_BUNDLED, missing, sentence_counts, unreported
from .terminal import colourless, put, table

Judged = TypeVar("Judged", Verdict, Claim)
COLOURS = {"entailment": "green", "neutral": "dim", "contradiction": "red", "error": "bold yellow"}
STATUS_COLOURS = {
    "corrected": "green",
    "checked": "green",
    "unchanged": "",
    "unresolved": "bold red",
    "not checked": "yellow",
}
HEADINGS = {
    "corrected": "Corrected",
    "checked": "Checked",
    "unchanged": "Unchanged",
    "unresolved": "Still wrong",
    "not checked": "Not checked",
}
"""The heading over the text, by the status of the run."""
MATTERS = ("contradiction", "error", "entailment", "neutral")
"""The order in which verdicts are shown."""
DECIDED = ("corrected", "checked", "unresolved")
"""The status of a sentence about which the evidence decides."""
FEW = 3
"""Sentences for which nothing was found are listed up to this number, and otherwise counted."""
LONGEST_QUOTE = 300
MARK = len("✓ ")


def show(console: Console, result: Result, *, drafted: bool = False, bundled: bool = False) -> None:
    """Print a result for people.

    Args:
        console: Where.
        result: The result.
        drafted: Whether the method drafted the text.
        bundled: Whether only the articles that ship with errata were searched.
    """
    pieces = {piece["id"]: piece for piece in result["evidence"]}
    checked = bool(result["verdicts"] or result["edits"])
    verified = cast(VerifyResult, result) if "consistency" in result else None
    if verified and verified["paths"]:
        part(console, "Samples", samples(verified))
    if drafted and result["original"]:
        part(console, "Draft", Text(result["original"]))
    if not result["text"]:
        closest(console, result)
    if checked or not drafted:
        part(console, HEADINGS[result["status"]], diff(result, marked=colourless(console)))
    if (answer := str(result.get("answer", ""))) and (verified or not result["text"].startswith(answer)):
        before = verified["original_answer"] if verified else answer
        earlier = "" if same_answer(before, answer) else f"  (at first: {before or 'none'})"
        part(console, "Answer", Text.assemble(answer, (earlier, "dim")))
    if verified and verified["sentences"]:
        part(console, "Sentences", Text("\n").join(_sentences(verified, pieces)))
    critic = "answer" in result and not verified
    if result["edits"] and not critic and not verified:
        edits = [_edit(edit, pieces.get(edit["evidence"])) for edit in result["edits"]]
        part(console, "Edits", Text("\n").join(edits))
    if result["unresolved"]:
        part(console, "Unresolved", Text("\n").join(_unresolved(result)))
    if result["verdicts"] and critic:
        part(console, "Critiques", Text("\n").join(_critiques(result)))
    elif result["verdicts"] and "scores" in result:
        part(console, "Scores", Text("\n").join(_scores(result)))
    elif result["verdicts"] and not verified:
        listed, folded = fold(result["verdicts"], "question")
        columns = ("question", "verdict", "backend", "evidence")
        part(console, "Verdicts", table(console, columns, _verdicts(listed, pieces)), folded)
    ending(console, result, bundled=bundled)


def closest(console: Console, result: Result) -> None:
    """Print the first passage that was found, for a question that nothing answers."""
    for piece in result["evidence"][:1]:
        text = Text.assemble(quote(piece["text"]), (f"\nSource: {_source(piece)}", "dim"))
        part(console, "Closest passage", text)


def ending(console: Console, result: Result, *, bundled: bool = False) -> None:
    """Print the end of every method's result."""
    if result["status"] != "not checked" and (unchecked := list(_unchecked(result))):
        part(console, "Not checked", Text("\n").join(unchecked))
    if failures := [each for each in unreported(result) if result["text"] or each["reason"] != result["reason"]]:
        part(console, "Failures", Text("\n").join(_failures(failures)))
    if lacking := missing(result):
        put(console, Text.assemble(("Missing  ", "bold"), (lacking, "yellow")))
    counts = sentence_counts(result)
    status = (result["status"], STATUS_COLOURS[result["status"]])
    put(console, Text.assemble(("Status   ", "bold"), status, f" ({counts})" if counts else ""))
    put(console, Text.assemble(("Stopped  ", "bold"), f"{result['stopped']}: {result['reason']}"))
    put(console, Text.assemble(("Usage    ", "bold"), usage_line(result["usage"])))
    if any(part["status"] == "nothing found" for part in result["attribution"]) and _is_left_to_rules(result):
        for line in _advice(result, bundled=bundled):
            put(console, Text(line))


def _advice(result: Result, *, bundled: bool) -> Iterator[str]:
    """How to have more decided than rules did."""
    if bundled and result["usage"]["searches"]:
        yield ONLY_BUNDLED
    statuses = [part["status"] for part in result["attribution"]]
    decided = sum(status in DECIDED for status in statuses)
    judge = first("judges")
    install = "pip install 'errata[onnx]' && " if lacking("onnx", "onnxruntime", "tokenizers") else ""
    yield (
        f"Rules decided {decided} of {counted(len(statuses), 'sentence')}. A judge decides more and needs no key "
        f"({judge.size}): {install}errata models use {judge.name}"
    )


def _is_left_to_rules(result: Result) -> bool:
    """Whether nothing but rules decided; where no evidence was worth a question, no backend is named."""
    backends = {verdict["backend"] for verdict in result["verdicts"]} - {""}
    return backends == {"rules"} or not (backends or result["usage"]["llm_calls"])


def _unresolved(result: Result) -> Iterator[Text]:
    """The remaining contradictions, each with the evidence and the reason why it was not corrected."""
    pieces = {piece["id"]: piece for piece in result["evidence"]}
    for contradiction in result["unresolved"]:
        text = Text.assemble(("! ", "red"), quote(contradiction["sentence"]))
        if contradiction["question"]:
            text.append(f"\n    ? {quote(contradiction['question'])}", style="cyan")
        for line in contradiction["reason"].splitlines():
            text.append(f"\n    {quote(line)}")
        if piece := pieces.get(contradiction["evidence"]):
            text.append(f"\n    Source: {_source(piece)}", style="dim")
        text.append(f"\n    Not corrected: {quote(contradiction['left'])}", style="yellow")
        yield text


def _unchecked(result: Result) -> Iterator[Text]:
    """The sentences about which the run can say nothing; if nothing was found for many, they are counted."""
    silent = [part for part in result["attribution"] if part["status"] == "nothing found"]
    for part in result["attribution"]:
        if part["status"] == "not checked" or (part in silent and len(silent) <= FEW):
            yield Text.assemble(("· ", "dim"), quote(part["sentence"]), (f"  ({part['status']})", "dim"))
    if len(silent) > FEW:
        yield silence(len(silent), "sentence")


def _failures(failures: list[Failure]) -> Iterator[Text]:
    """A line for each failure, and one with a count for equal failures."""
    for line, number in Counter(f"{failure['step']}: {failure['reason']}" for failure in failures).items():
        yield Text(f"{line} ({number} times)" if number > 1 else line, style="yellow")


def diff(result: Result, *, marked: bool) -> Text:
    """The text with removed words in red and inserted words in green.

    Args:
        result: The result.
        marked: Whether to mark changes with [-brackets-]{+too+}, for output without colours.
    """
    text = Text()
    for segment in by_words(segments(result["original"], result["edits"])):
        if not segment["edits"]:
            text.append(segment["after"])
            continue
        text.append(changed(segment["before"], segment["after"], marked=marked))
    return text


def changed(before: str, after: str, *, marked: bool) -> Text:
    """Removed and inserted words, as `diff` shows them."""
    return Text.assemble(
        (f"[-{before}-]" if marked and before else before, "red strike"),
        (f"{{+{after}+}}" if marked and after else after, "bold green"),
    )


def usage_line(usage: Usage) -> str:
    """The usage in a line, without what was not used."""
    counts = [
        (usage["llm_calls"], "model call"),
        (usage["input_tokens"] + usage["output_tokens"], "token"),
        (usage["searches"], "search"),
        (usage["tool_runs"], "tool run"),
        (usage.get("repairs", 0), "unusable reply"),
        (usage.get("cached", 0), "kept reply"),
    ]
    parts = [counted(number, noun) for number, noun in counts if number or noun in ("model call", "search")]
    parts.append(f"{usage['seconds']:.2f} s")
    if "cost" in usage:
        parts.append(f"${usage['cost']:.4f}")
    return " · ".join(parts)


def fold(findings: Sequence[Judged], noun: str) -> tuple[list[Judged], Text | None]:
    """Findings in order of importance, without neutral ones if there are many; a line then gives their number.

    Args:
        findings: Verdicts or claims.
        noun: The noun for what each is about.
    """
    ordered = sorted(findings, key=lambda each: MATTERS.index(each["label"]))
    neutral = sum(each["label"] == "neutral" for each in ordered)
    if neutral <= FEW:
        return ordered, None
    return [each for each in ordered if each["label"] != "neutral"], silence(neutral, noun)


def silence(number: int, noun: str) -> Text:
    """A line that says for how many things nothing was found."""
    return Text(f"and {counted(number, noun)} for which nothing was found", style="dim")


def part(console: Console, heading: str, content: Text | Table, folded: Text | None = None) -> None:
    """Print one part of a result under its heading, and below it a line about what is left out."""
    put(console, Text(heading, style="bold"))
    if isinstance(content, Text):
        content.rstrip()
    if content:
        put(console, content, indent=2)
    if folded:
        put(console, folded, indent=2)
    put(console, Text())


def _edit(edit: Edit, evidence: Evidence | None) -> Text:
    text = Text()
    text.append("✓ " if edit["applied"] else "✗ ", style="green" if edit["applied"] else "yellow")
    if edit["before"] or edit["after"]:
        text.append(quote(edit["before"]), style="red strike" if edit["applied"] else "")
        text.append(" → ")
        text.append(quote(edit["after"]), style="bold green" if edit["applied"] else "")
    for line in edit["reason"].splitlines():
        text.append("\n    " if len(text) > MARK else "", style="")
        text.append(quote(line), style="" if edit["applied"] else "yellow")
    if evidence:
        text.append(f"\n    Source: {_source(evidence)}", style="dim")
    return text


def _source(piece: Evidence) -> str:
    return " · ".join(filter(None, (piece["title"], piece["source"])))


def samples(result: VerifyResult) -> Text:
    """The samples, answer by answer, and how far they agree."""
    lines = [
        Text.assemble((f"{number}. {path['answer'] or '(no answer)'}", "bold"), f"  {quote(path['text'])}")
        for number, path in enumerate(result["paths"], start=1)
    ]
    if result["consistency"] is not None:
        lines.append(Text(f"consistency {result['consistency']:.3g} by {result['mode']}", style="dim"))
    return Text("\n").join(lines)


def _sentences(result: VerifyResult, pieces: dict[str, Evidence]) -> Iterator[Text]:
    """Each sentence with its question, the evidence, and the outcome."""
    for sentence in result["sentences"]:
        label = sentence["label"] or "not looked at"
        text = Text.assemble((f"{sentence['number'] + 1}. ", "bold"), (label, COLOURS.get(label, "dim")))
        if sentence["after"] != sentence["before"]:
            text.append(f"\n   {quote(sentence['before'])}", style="red strike")
            text.append(f"\n   {quote(sentence['after'])}", style="bold green")
        else:
            text.append(f"\n   {quote(sentence['before'])}")
        if sentence["question"]:
            text.append(f"\n   ? {quote(sentence['question'])}", style="cyan")
        for number in sentence["evidence"]:
            text.append(f"\n   → [{pieces[number]['title']}] {quote(pieces[number]['text'])}", style="dim")
        if sentence["reason"] and not sentence["verified"]:
            text.append(f"\n   {quote(sentence['reason'])}", style="yellow")
        refused = [edit for edit in result["edits"] if not edit["applied"] and edit["before"] == sentence["before"]]
        for edit in refused:
            text.append(f"\n   ✗ {quote(edit['after'])} ({quote(edit['reason'])})", style="yellow")
        yield text


def _critiques(result: Result) -> Iterator[Text]:
    """What each critique rests on, and its verdict."""
    pieces = {piece["id"]: piece for piece in result["evidence"]}
    for number, verdict in enumerate(result["verdicts"], start=1):
        yield Text.assemble((f"{number}. ", "bold"), verdict["question"])
        for piece in (pieces[each] for each in cited(verdict)):
            title = f"[{piece['title']}] " if piece["title"] and not piece["text"].startswith(piece["title"]) else ""
            yield Text.assemble("   → ", (quote(piece["query"]), "cyan"))
            yield Text(f"     {quote(title + piece['text'])}", style="dim")
        conclusion = f" ({verdict['backend']}): {quote(verdict['reason'])}"
        yield Text.assemble("   = ", (verdict["label"], COLOURS[verdict["label"]]), conclusion)


def _scores(result: Result) -> Iterator[Text]:
    """How each response scored."""
    for number, verdict in enumerate(result["verdicts"], start=1):
        label = (verdict["label"], COLOURS[verdict["label"]])
        yield Text.assemble((f"{number}. ", "bold"), label, f" ({verdict['backend']}): {quote(verdict['reason'])}")


def quote(text: str) -> str:
    """The text on one line, cut after LONGEST_QUOTE characters."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE - 1] + "…"


def _verdicts(verdicts: Iterable[Verdict], pieces: dict[str, Evidence]) -> Iterator[tuple[Text, ...]]:
    for verdict in verdicts:
        evidence = pieces.get(verdict["evidence"])
        where = (evidence["title"] or evidence["source"]) if evidence else verdict["reason"]
        label = Text(verdict["label"], style=COLOURS[verdict["label"]])
        yield Text(verdict["question"]), label, Text(verdict["backend"]), Text(where, style="dim")
