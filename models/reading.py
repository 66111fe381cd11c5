"""Reading a reply: removing the model's thoughts, and finding what it was asked for, however it is wrapped."""

import json
import re
from collections.abc import Iterator
from itertools import accumulate
from statistics import fmean
from typing import Any, get_origin

import json_repair
from langchain_core.messages import AIMessage
from pydantic import BaseModel, ValidationError

from ..state.runs.meter import tokens_of
from ..state.text.answers import read_answer, says_answer, through_answer
from .declined import declined
from .tasks.task import Out

LONGEST = 200_000
"""How many characters of a reply are searched for an object."""
LONGEST_REPAIR = 20_000
"""How many characters of a reply's objects may need repair. Beyond them, they must be valid JSON."""

_TAGS = r"(?:\w{1,9}:)?(?:think|thinking|thoughts?|reasoning|antthinking|scratchpad)"
_OPENS = rf"<\s?(?:{_TAGS})\s?>|\[THINK\]|◁think▷|<\|(?:begin_of_thought|START_THINKING)\|>"
_CLOSES = (
    rf"</\s?(?:{_TAGS})\s?>|\[/THINK\]|◁/think▷|<\|(?:end_of_thought|END_THINKING)\|>"
    r"|<\|channel\|>final(?: [^<\n]*)?<\|message\|>"
)
THOUGHT_OPENS = re.compile(rf"[\s\ufeff\u200b]*(?:{_OPENS})", re.IGNORECASE)
THOUGHT_CLOSES = re.compile(_CLOSES, re.IGNORECASE)
_THOUGHT_TAG = re.compile(rf"(?P<opens>{_OPENS})|{_CLOSES}", re.IGNORECASE)
_FENCED = re.compile(
    r"^[ \t]*(?:```|~~~)[ \t]*+([\w+-]*+)[^\n]*+\n(.*?)(?:^[ \t]*(?:```|~~~)|\Z)", re.DOTALL | re.MULTILINE
)
_NO_PROGRAMS = frozenset({"json", "text", "txt", "plaintext", "output"})
_SETS_ANSWER = re.compile(
    r"^[^#\n]*\banswer\b(?:(?!\banswer\b)[^=\n])*(?<![=!<>])=(?!=)|\bglobal answer\b", re.MULTILINE
)
_BLOCK = re.compile(r"^<(text|statement)>\n((?:(?!^<\1>\n).)*?)^</\1>", re.DOTALL | re.MULTILINE)
_OPENING = re.compile(r"<\w+>")
_QUOTED = re.compile(r"\"[^\"]*\"|“[^“”]*”")
_PAIRS = {"}": "{", "]": "["}
_FILTERED = frozenset({"content_filter", "refusal", "safety", "prohibited_content", "blocklist", "recitation"})
_ROOM_ENDED = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})


def text_of(reply: AIMessage) -> str:
    """The text of a reply without the model's thoughts; empty if a thought does not end.

    For LangChain, blocks of reasoning are not text. Models of open servers write their thoughts into the text, between
    tags that begin a line; some leave out the opening tag.
    """
    text = reply.text
    kept, depth, start, has_mentions = [""], 0, 0, False
    for tag in _THOUGHT_TAG.finditer(text):
        begins_line = not text[: tag.start()].rpartition("\n")[2].strip(" \t\r\ufeff\u200b")
        if tag["opens"] and not (depth or begins_line):
            has_mentions = True  # a sentence about such tags
        elif tag["opens"]:
            kept += [text[start : tag.start()]] if not depth else []
            depth, start = depth + 1, tag.end()
        elif depth or not has_mentions:
            kept = kept if depth else [""]
            depth, start = max(depth - 1, 0), tag.end()
    return "" if depth else "".join([*kept, text[start:]]).strip()


def read_text(reply: AIMessage, template: str) -> str:
    """The reply as text, without the parts that repeat its request.

    This may be a whole block, whose text is used, or the last line of the request, which leads to the reply, alone or
    after all that stands before it.

    Args:
        reply: The model's.
        template: Of the request.
    """
    text = text_of(reply)
    blocks = [each for each in _BLOCK.finditer(text) if f"<{each[1]}>" in template]
    if blocks:
        return blocks[-1][2].strip()
    lead = template.rstrip().rpartition("\n")[2]
    if lead.endswith(":") and (text.startswith(lead) or _repeats_tag(text, template)):
        text = text.rpartition(lead)[2].strip()
        return text[1:-1] if _QUOTED.fullmatch(text) else text
    return text


def _repeats_tag(text: str, template: str) -> bool:
    """Whether a reply begins with a tag of its request: a small model may repeat all of it first."""
    opening = _OPENING.match(text)
    return bool(opening and opening.group() in template)


def thinks(reply: AIMessage) -> bool:
    """Whether the model reasoned before it replied."""
    if tokens_of(reply).get("reasoning_tokens") or reply.additional_kwargs.get("reasoning_content"):
        return True
    return text_of(reply) != reply.text.strip()


def withheld(reply: AIMessage) -> str:
    """Why a provider gives no reply, or only part of it, if the provider itself says so; otherwise empty."""
    if refusal := reply.additional_kwargs.get("refusal"):
        return f"the model refuses: {str(refusal)[:100]!r}"
    about = reply.response_metadata
    why = about.get("finish_reason") or about.get("stop_reason") or ""
    return "the provider's filter withheld it" if str(why).lower() in _FILTERED else ""


def is_cut_off(reply: AIMessage) -> bool:
    """Whether a reply ends because its limit was reached, and not because the model was done."""
    about = reply.response_metadata
    why = about.get("finish_reason") or about.get("stop_reason") or about.get("done_reason") or ""
    return str(why).lower() in _ROOM_ENDED


def repeats_itself(reply: AIMessage) -> bool:
    """Whether a reply ends in a loop, as those of small models do: a higher limit would give more of the same."""
    text = reply.text[-2_000:]
    return len(text) == 2_000 and text.count(text[-50:]) > 3


def read_object(reply: AIMessage, output: type[Out]) -> Out:
    """The first object of a reply that is an `output`: the arguments of a call, or JSON anywhere in it.

    Objects that decide differently are a model that corrects itself, or quotes: none of them counts.

    Args:
        reply: Fences and prose around the object, single quotes, trailing commas and a bare list, where the output has
            one list, are no obstacle. What is cut off is not read: a list without its end would pass for a shorter one.
        output: Model of the object.

    Raises:
        ValueError: If there is none, with what is wrong, in words for the model.
    """
    problem, found = "", list[Out]()
    for candidate in _objects(reply):
        try:
            found.append(output.model_validate(_wrapped(candidate, output)))
        except ValidationError as error:
            fault = error.errors()[0]
            place = ".".join(str(part) for part in fault["loc"])
            problem = problem or f"{place or 'the object'}: {fault['msg']}"
    if any(_decision(other) != _decision(found[0]) for other in found):
        raise ValueError("it holds several objects that disagree: give only the one that counts")
    if found:
        return found[0]
    text = text_of(reply)
    raise ValueError(
        problem
        or declined(text)
        or ("there is no JSON object in the reply that gives each name once" if text else "the reply is empty")
    )


def _decision(output: BaseModel) -> list[Any]:
    """What an output decides, if it decides something."""
    return [getattr(output, name, None) for name in ("label", "accepted")]


def read_program(reply: AIMessage) -> str:
    """The program of a reply: its fenced block, the `code` of an object, or all of it if it has neither.

    If there are several blocks, the first that sets `answer` counts.

    Raises:
        ValueError: If there is no program, or none that sets `answer`.
    """
    text = text_of(reply)
    fenced = [block for block in _FENCED.finditer(text) if block[1].lower() not in _NO_PROGRAMS]
    blocks = [block[2].strip("\n") for block in fenced if block[2].strip()]
    if not blocks:
        objects = (candidate for candidate in json_objects(text) if isinstance(candidate, dict))
        blocks = [code for candidate in objects if isinstance(code := candidate.get("code"), str)] or [text]
    for block in blocks:
        if _SETS_ANSWER.search(block):
            return block
    if not text:
        raise ValueError("the reply is empty")
    raise ValueError("there is no program in a block that begins with ```python, whose last line sets `answer`")


def unfenced(text: str) -> str:
    """A text that is only a program in a fence, without the fence."""
    block = _FENCED.fullmatch(text.strip())
    return block[2].strip("\n") if block else text


def json_objects(text: str) -> Iterator[Any]:
    """The objects and lists in a text, in order, that are JSON or can be repaired."""
    text, to_repair = text[:LONGEST], LONGEST_REPAIR
    for start, end in _brackets(text):
        try:
            yield json.loads(text[start:end], strict=False, object_pairs_hook=_object)
            continue
        except _SaysTwoThings:
            continue
        except (ValueError, RecursionError):
            pass
        if end - start > to_repair:
            continue
        to_repair -= end - start
        try:
            repaired = json_repair.loads(text[start:end])
        except (ValueError, RecursionError):
            continue
        if isinstance(repaired, dict if text[start] == "{" else list):  # of `{queries}` it makes a list
            yield repaired


class _SaysTwoThings(ValueError):
    """An object that gives two values for one name. Which of them counts, nobody knows."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if any(found[name] is not value and found[name] != value for name, value in pairs):  # NaN is not NaN
        raise _SaysTwoThings
    return found


def _objects(reply: AIMessage) -> Iterator[Any]:
    for call in reply.tool_calls:
        yield call["args"]
    yield from json_objects(text_of(reply))


def _brackets(text: str) -> list[tuple[int, int]]:
    """The spans of closed brackets, outermost only, in order. One pass, whatever the text."""
    closed: list[tuple[int, int]] = []
    opened: list[tuple[str, int]] = []
    quoted = escaped = False
    for place, char in enumerate(text):
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"' and opened:
            quoted = True
        elif char in "{[":
            opened.append((char, place))
        elif char in "}]" and opened and opened[-1][0] == _PAIRS[char]:
            start = opened.pop()[1]
            while closed and closed[-1][0] > start:
                closed.pop()
            closed.append((start, place + 1))
    return closed


def _wrapped(found: Any, output: type[BaseModel]) -> Any:
    """What was found with the output's field names in any case; a bare list is its only field, if that is a list."""
    if isinstance(found, dict):
        names = {name.casefold(): name for name in output.model_fields}
        return {names.get(str(name).casefold(), name): value for name, value in reversed(found.items())}
    if isinstance(found, list) and len(output.model_fields) == 1:
        ((name, field),) = output.model_fields.items()
        if get_origin(field.annotation) is list:
            return {name: found}
    return found


def mean_logprob(reply: AIMessage) -> float | None:
    """The mean log-probability of a reply's tokens, if the model reports it."""
    tokens = _scored_tokens(reply)
    return fmean(token["logprob"] for token in tokens) if tokens else None


def answer_logprob(reply: AIMessage, text: str) -> float | None:
    """The log-probability of the answer that a chain of thought states: the sum over the answer's tokens.

    Args:
        reply: The model's reply.
        text: The chain of thought in it.

    Returns:
        None if the model does not report it, or if the text states no answer.
    """
    said = through_answer(text)
    pieces = [bytes(token.get("bytes") or ()) or token["token"].encode() for token in _scored_tokens(reply)]
    begin = b"".join(pieces).rfind(said.encode())
    answer = read_answer(said)
    if begin < 0 or not answer or not says_answer(said):
        return None
    start = begin + len(said[: said.rindex(answer)].encode())
    end = start + len(answer.encode())
    ends = list(accumulate(map(len, pieces)))
    return sum(
        float(token["logprob"])
        for token, piece, last in zip(_scored_tokens(reply), pieces, ends, strict=True)
        if last > start and last - len(piece) < end
    )


def _scored_tokens(reply: AIMessage) -> list[dict[str, Any]]:
    return (reply.response_metadata.get("logprobs") or {}).get("content") or []
