"""Review: a person decides on a proposed edit before it is made.

Request and answer have the form of LangChain's human-in-the-loop middleware, which Agent Inbox and agent-chat-ui show.
"""

from itertools import chain
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from langgraph.types import interrupt

from ..state import Edit, Evidence, replay, segments
from ..state.text.diff import by_words

if TYPE_CHECKING:
    from langchain.agents.middleware.human_in_the_loop import HITLRequest

ACTION = "edit_text"
"""The name of the action to decide on. Its arguments are the words to replace and the new words."""
MOST_ANSWERS = 5
"""After this many unusable answers, an edit is dropped."""
REJECTED = "a person rejected it"
BY_PERSON = f"Refused: {REJECTED}"
AROUND = 200
"""The number of characters of the text shown on each side of a change."""
WIDTH = 76
"""The width of a line, in columns, if it can be broken between words."""
LONGEST = 2_000
"""The number of characters shown of a piece of evidence, and of the reason."""


def reviewed(
    record: Edit,
    question: str,
    evidence: Evidence | None,
    original: str,
    edits: list[Edit],
    ahead: int | None = None,
) -> Edit:
    """Show an edit to a person and follow their decision.

    The run pauses with a `HITLRequest`; resume it with `{"decisions": [decision]}`: approve, reject, or edit with other
    words as `after`. An edit that they rejected before is neither shown again nor applied.

    Args:
        record: The edit, as it would be applied next.
        question: The question that led to it.
        evidence: The evidence for the edit; None if the critic judged on its own, and then the edit's reason says why.
        original: The text at the start of the run.
        edits: The edits up to this one, applied or not.
        ahead: How many edits will follow this one, if known.

    Returns:
        The edit as decided.
    """
    text = replay(original, edits)
    if _rejected_before(_put(text, record), original, edits):
        return rejected(record)
    number = 1 + sum(edit["applied"] or edit["reason"].startswith(BY_PERSON) for edit in edits)
    place = f"Change {number}" + ("" if ahead is None else f" of {number + ahead}")
    problem = ""
    for _ in range(MOST_ANSWERS):
        answer = interrupt(_request(record, _described(record, text, question, evidence, place, problem)))
        decided = _decided(answer, record, text)
        if not isinstance(decided, str):
            return decided
        problem = f"That answer could not be used: {decided}."
    return _refused(record, f"{MOST_ANSWERS} answers contained no decision")


def _request(record: Edit, description: str) -> "HITLRequest":
    arguments = {"before": record["before"], "after": record["after"]}
    return {
        "action_requests": [{"name": ACTION, "args": arguments, "description": description}],
        "review_configs": [{"action_name": ACTION, "allowed_decisions": ["approve", "edit", "reject"]}],
    }


def _decided(answer: Any, record: Edit, text: str) -> Edit | str:
    """The edit as decided, or what is wrong with the answer."""
    match answer:
        case {"decisions": [{"type": "approve"}]}:
            return record
        case {"decisions": [{"type": "reject", **more}]}:
            return rejected(record, more.get("message"))
        case {"decisions": [{"type": "edit", "edited_action": {"name": name, "args": {"after": str(words), **more}}}]}:
            if name != ACTION or more.get("before", record["before"]) != record["before"]:
                return f"an edit of `{ACTION}` can change `after`, and nothing else"
            return _rewritten(record, words, text)
    edit = {"type": "edit", "edited_action": {"name": ACTION, "args": {"after": "..."}}}
    return f'send {{"decisions": [decision]}} with {{"type": "approve"}}, {{"type": "reject"}} or {edit}'


def _rewritten(record: Edit, words: str, text: str) -> Edit | str:
    if words == record["before"]:
        return rejected(record)
    edit: Edit = {**record, "after": words, "reason": f"Rewritten by a person\n{record['reason']}"}
    return edit if _put(text, edit).strip() else "it would leave nothing of the text"


def rejected(record: Edit, comment: Any = None) -> Edit:
    """The record of an edit that a person rejected.

    Args:
        record: The edit.
        comment: Their reason; ignored if it is not text.
    """
    reason = " ".join(comment.split())[:LONGEST] if isinstance(comment, str) else ""
    return _refused(record, f"{REJECTED}{': ' if reason else ''}{reason}")


def _refused(record: Edit, reason: str) -> Edit:
    return {**record, "applied": False, "reason": f"Refused: {reason}\n{record['reason']}"}


def _rejected_before(proposed: str, original: str, edits: list[Edit]) -> bool:
    """Whether an edit that was not applied would have made this text, then or after the edits that followed."""
    text, rejected_edits = original, list[Edit]()
    for edit in edits:
        if edit["applied"]:
            rejected_edits = [_moved(each, edit) for each in rejected_edits if not _overlap(each, edit)]
            text = _put(text, edit)
        elif edit["before"] != edit["after"]:
            if _put(text, edit) == proposed:
                return True
            rejected_edits.append(edit)
    return any(_put(text, each) == proposed for each in rejected_edits)


def _put(text: str, edit: Edit) -> str:
    return text[: edit["start"]] + edit["after"] + text[edit["end"] :]


def _overlap(one: Edit, other: Edit) -> bool:
    return one["start"] < other["end"] and other["start"] < one["end"]


def _moved(edit: Edit, by: Edit) -> Edit:
    """An edit's place after another edit was applied that does not touch it."""
    shift = len(by["after"]) - len(by["before"]) if by["end"] <= edit["start"] else 0
    return {**edit, "start": edit["start"] + shift, "end": edit["end"] + shift}


def _described(record: Edit, text: str, question: str, evidence: Evidence | None, place: str, problem: str) -> str:
    """An edit for a person to decide on, in plain text that is also Markdown.

    What a model or a page wrote is indented, so Markdown shows it as it is and neither loads nor follows anything in
    it.
    """
    parts = [f"{problem}\n"] if problem else []
    parts += [f"{place}. Should the text be changed like this?", _block(_marked(record, text))]
    if question:
        parts += ["Question", _block(question)]
    if evidence:
        where = " · ".join(filter(None, (evidence["title"], evidence["source"])))
        parts += ["Evidence", _block(f"{_cut(evidence['text'])}\n{where}")]
    if record["reason"]:
        parts += ["Reason", _block(_cut(record["reason"]))]
    return "\n".join(parts).rstrip()


def _marked(record: Edit, text: str) -> str:
    """The text around the change, with [-removed words-]{+inserted words+}."""
    parts = by_words(segments(text, [{**record, "applied": True}]))
    marked = ""
    for number, part in enumerate(parts):
        if part["edits"]:
            marked += f"[-{part['before']}-]" if part["before"] else ""
            marked += f"{{+{part['after']}+}}" if part["after"] else ""
        else:
            head = part["after"][:AROUND] if number else ""
            tail = part["after"][-AROUND:] if number < len(parts) - 1 else ""
            marked += part["after"] if len(head + tail) >= len(part["after"]) else f"{head} … {tail}"
    return marked.strip()


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"


def _block(text: str) -> str:
    lines = [wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False) or [""] for line in text.splitlines()]
    return "".join(f"\n    {line}" for line in chain.from_iterable(lines)) + "\n"
