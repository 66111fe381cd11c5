"""What an MCP client can call: three tools, their arguments, and their results."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...graphs import METHODS, default_method, inputs, load
from ...nodes.begin import check_length
from ...state import Context, Edit, Evidence, Result
from ...state.errors import ConfigurationError
from ...state.methods.refcheck import RefCheckResult, Reference
from ...state.records import Label, SentenceStatus, Status, Stopped, cited
from ...tools.reading.workers import in_thread
from ..run import check
from ..server.served import Served, check_input, offered

LONGEST_QUOTE = 500
"""How many characters of a piece of evidence a client is shown."""
MOST_SOURCES = 3
"""How many pieces of evidence are shown for one sentence."""

Note = Callable[[str], Awaitable[None]]
"""Tells the client which step was done."""


class Given(BaseModel):
    """The arguments of every tool."""

    model_config = ConfigDict(extra="forbid")

    references: list[str | Reference] = Field(
        default_factory=list,
        description="Texts to compare with. Without any, evidence is searched for where the operator said.",
    )
    settings: dict[str, Any] = Field(
        default_factory=dict,
        description='Settings of this run by name, as in {"max_calls": 20, "deadline": 60}, up to a ceiling.',
    )


class Chosen(BaseModel):
    """The arguments of a tool with a choice of methods."""

    method: str = Field(default="", description="The method; leave it out for the usual one.")


class Text(BaseModel):
    """The arguments of a tool for texts."""

    text: str = Field(description="The text to check.")
    question: str = Field(default="", description="The question that the text answers, if it answers one.")


class ToCorrect(Given, Chosen, Text):  # pydantic puts the fields of the last first
    """The arguments of `correct_text`."""


class ToCheck(Given, Text):
    """The arguments of `check_text`."""


class ToAsk(Given, Chosen):
    """The arguments of `ask`."""

    question: str = Field(description="The question to answer.")


class Source(BaseModel):
    """A piece of evidence."""

    title: str
    source: str = Field(description="Address or path.")
    quote: str = Field(description="Words of it.")


class Change(BaseModel):
    """A change that was made."""

    before: str
    after: str
    reason: str
    sources: list[Source]


class Citation(BaseModel):
    """A sentence of the final text, and its evidence."""

    sentence: str
    status: SentenceStatus
    sources: list[Source]


class Contradiction(BaseModel):
    """A sentence that evidence contradicts and that was not corrected."""

    sentence: str
    reason: str = Field(description="What is wrong.")
    left: str = Field(description="Why it was not put right.")
    sources: list[Source]


class Outcome(BaseModel):
    """The result of every tool."""

    text: str = Field(description="The final text.")
    status: Status = Field(
        description="corrected; checked: nothing is wrong; unchanged: not all of it could be compared with evidence; "
        "unresolved: evidence contradicts it and it stands; not checked."
    )
    stopped: Stopped = Field(description="Why the run ended. After `error`, some or all of the text is unchecked.")
    reason: str = Field(description="The same in a sentence.")


class Corrected(Outcome):
    """The result of `correct_text` and `ask`."""

    changes: list[Change]
    citations: list[Citation]
    unresolved: list[Contradiction]


class CheckedClaim(BaseModel):
    """One claim of the text."""

    claim: str
    label: Label = Field(description="What the evidence says of it. `neutral`: nothing; `error`: it was not checked.")
    reason: str
    sources: list[Source]


class Checked(Outcome):
    """The result of `check_text`."""

    claims: list[CheckedClaim]


@dataclass(frozen=True)
class Tool:
    """A tool as a client sees it."""

    title: str
    about: str
    takes: type[Given]
    gives: type[Outcome]
    methods: Callable[[], list[str]]
    """The methods to choose from."""


def _correcting() -> list[str]:
    return [name for name, each in METHODS.items() if each.kind == "corrects" and not each.programs]


def _answering() -> list[str]:
    of_kind = [name for name, each in METHODS.items() if each.kind in ("corrects", "responds")]
    return [name for name in of_kind if "search" in METHODS[name].tools and "question" in inputs(name)]


TOOLS: Mapping[str, Tool] = {
    "correct_text": Tool(
        "Correct a text",
        "Check a text against evidence, and correct what the evidence contradicts. Every change names its source.",
        ToCorrect,
        Corrected,
        _correcting,
    ),
    "check_text": Tool(
        "Check a text",
        "Take a text apart into claims, and say of each whether evidence supports or contradicts it. Changes nothing.",
        ToCheck,
        Checked,
        lambda: ["refchecker"],
    ),
    "ask": Tool(
        "Ask, with sources",
        "Draft an answer to a question, check it against evidence, and correct it.",
        ToAsk,
        Corrected,
        _answering,
    ),
}


def input_schema(tool: Tool) -> dict[str, Any]:
    """The arguments of a tool as JSON schema, with the methods to choose from."""
    schema = tool.takes.model_json_schema()
    if method := schema["properties"].get("method"):
        names = tool.methods()
        method["enum"] = ["", *names]
        method["description"] += "".join(f"\n{name}: {METHODS[name].about}." for name in names)
    return schema


async def call(name: str, arguments: Any, defaults: Context, note: Note) -> dict[str, Any]:
    """Run a tool for a client, whose arguments are not trusted.

    Args:
        name: The tool.
        arguments: The client's arguments.
        defaults: The server's settings.
        note: Tells the client which step was done.

    Returns:
        The result of the tool, JSON-like.

    Raises:
        ConfigurationError: If an argument can't work, or only the operator may set it.
    """
    tool = TOOLS[name]
    request = _read(tool, arguments)
    chosen: str = getattr(request, "method", "") or default_method(bool(request.references))
    allowed = tool.methods()
    method = chosen if len(allowed) > 1 else allowed[0]
    if method not in allowed:
        raise ConfigurationError(f"there is no method {method!r:.80} for {name}: use {', '.join(allowed)}")
    graph_input = request.model_dump(exclude={"method", "settings"})
    if not request.references:
        del graph_input["references"]
    for unknown in request.settings.keys() - Context.model_fields.keys():
        raise ConfigurationError(f"there is no setting {unknown!r:.80}: use {', '.join(offered(method))}")
    served = Served(load(method), defaults)
    context = served.context(request.settings)
    check_input(graph_input, served)
    check_length(graph_input, context)
    drafting, searching = "text" not in graph_input, not request.references
    if not drafting and not graph_input["text"].strip():
        raise ConfigurationError("the text is empty: give one, or let `ask` write an answer")
    await in_thread(check, method, context, drafting=drafting, searching=searching)
    event: dict[str, Any] = {}
    async for event in served.astream(graph_input, {"configurable": request.settings}):
        if "step" in event:
            await note(event["step"])
    return _outcome(tool, event).model_dump()


def _read(tool: Tool, arguments: Any) -> Given:
    """The arguments, or a ConfigurationError that names the first invalid one."""
    try:
        # Neither NaN nor half a surrogate pair can be compared with a ceiling, or sent back.
        json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise ConfigurationError("the arguments are not JSON") from None
    try:
        return tool.takes.model_validate(arguments)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        argument = str(first["loc"][0])
        if argument not in tool.takes.model_fields:
            names = ", ".join(tool.takes.model_fields)
            raise ConfigurationError(f"there is no argument {argument!r:.80}: use {names}") from None
        raise ConfigurationError(f"argument `{argument}`: {first['msg'].lower()}") from None


def _outcome(tool: Tool, fields: dict[str, Any]) -> Outcome:
    """What a client is told of a result."""
    result = cast(Result, fields)
    pieces = {piece["id"]: piece for piece in result["evidence"]}

    def sources(ids: list[str], quote: str = "") -> list[Source]:
        pieces_cited = [pieces[evidence_id] for evidence_id in ids if evidence_id in pieces][:MOST_SOURCES]
        return [_source(piece, quote if place == 0 else "") for place, piece in enumerate(pieces_cited)]

    of_any = {name: fields[name] for name in Outcome.model_fields}
    if tool.gives is Checked:
        claims = [
            CheckedClaim(
                claim=claim["content"],
                label=claim["label"],
                reason=claim["reason"],
                sources=sources([claim["evidence"]], claim["quote"]),
            )
            for claim in cast(RefCheckResult, fields)["claims"]
        ]
        return Checked(**of_any, claims=claims)
    return Corrected(
        **of_any,
        changes=[_change(edit, sources(cited(edit))) for edit in result["edits"] if edit["applied"]],
        citations=[
            Citation(
                sentence=part["sentence"],
                status=part["status"],
                sources=sources(part["evidence"], part.get("quote", "")),
            )
            for part in result["attribution"]
        ],
        unresolved=[
            Contradiction(
                sentence=wrong["sentence"],
                reason=wrong["reason"],
                left=wrong["left"],
                sources=sources([wrong["evidence"]]),
            )
            for wrong in result["unresolved"]
        ],
    )


def _change(edit: Edit, sources: list[Source]) -> Change:
    return Change(before=edit["before"], after=edit["after"], reason=edit["reason"], sources=sources)


def _source(piece: Evidence, quote: str) -> Source:
    words = quote or piece["text"]
    quoted = words if len(words) <= LONGEST_QUOTE else words[: LONGEST_QUOTE - 1] + "…"
    return Source(title=piece["title"], source=piece["source"], quote=quoted)
