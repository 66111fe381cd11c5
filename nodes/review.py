"""Review: a person decides on a proposed edit before the text carries it."""

from langgraph.types import interrupt

from ..state import Edit, Evidence


def reviewed(record: Edit, text: str, question: str, evidence: Evidence | None) -> Edit:
    """Show an edit to a person and do as they say.

    The run pauses; resume it with {"action": "accept"}, {"action": "reject"}, or {"action": "rewrite", "text": "..."}.
    An answer of another form, or a rewrite that leaves nothing of the text, is asked for again.

    evidence
        what asked for the edit; None where the critic judged on its own, and only the edit's reason tells why
    """
    shown = {
        "text": text,
        "edit": record,
        "question": question,
        "evidence": evidence,
        "actions": ["accept", "reject", "rewrite"],
        "problem": "",
    }
    while True:
        answer = interrupt(shown)
        match answer:
            case {"action": "accept"}:
                return record
            case {"action": "reject"}:
                return rejected(record)
            case {"action": "rewrite", "text": str(words)} if _leaves_something(record, text, words):
                return {**record, "after": words, "reason": f"Rewritten by a person\n{record['reason']}"}
        shown = {
            **shown,
            "problem": f"{answer!r} is no answer: send {{'action': 'accept'}}, or reject, or rewrite with a text",
        }


def rejected(record: Edit) -> Edit:
    """An edit that a person does not want."""
    return {**record, "applied": False, "reason": f"Refused: a person rejected it\n{record['reason']}"}


def _leaves_something(record: Edit, text: str, words: str) -> bool:
    return bool((text[: record["start"]] + words + text[record["end"] :]).strip())
