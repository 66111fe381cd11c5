"""`errata chat`: a conversation at the terminal or through a pipe, each response written from evidence and scored."""

import asyncio
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text

from ...graphs import load
from ...models.local.catalogue import first
from ...state import EMBEDDED, Context, Evidence, Result
from ...state.errors import ConfigurationError, ErrataError
from ...state.methods.augmenter import Message
from ..progress import Progress
from ..run import Run, check
from .show import COLOURS, quote, usage_line
from .terminal import console, put

METHOD = "llm_augmenter"
PROMPT = "you> "
LONGEST_MESSAGE = 20_000
"""In characters. Anything longer is not a message that somebody typed."""
MOST_SOURCES = 3
"""How many pieces of evidence are shown under a response; /evidence shows all."""
HELP = "/evidence shows all evidence for the last response, /reset forgets the conversation, /quit (or Ctrl-D) ends it."


class Chat:
    """A conversation: its history, and the last result."""

    def __init__(self, context: Context, out: Console, err: Console, *, as_json: bool = False) -> None:
        self.context, self.out, self.err, self.as_json = context, out, err, as_json
        self.history: list[Message] = []
        self.last: Result | None = None
        self.failed = False
        """Whether any response failed or stayed unchecked."""

    def say(self, line: str, runner: asyncio.Runner) -> bool:
        """Handle a message or a command. False if it ends the conversation."""
        line = line.strip()
        if line in ("/quit", "/exit"):
            return False
        if line == "/reset":
            self.history, self.last = [], None
            self._note("The conversation starts over.")
        elif line == "/evidence":
            self._evidence()
        elif line.startswith("/"):
            self._note(HELP)
        elif line:
            self._turn(line, runner)
        return True

    def _turn(self, message: str, runner: asyncio.Runner) -> None:
        try:
            if len(message) > LONGEST_MESSAGE:
                raise ConfigurationError(f"a message has at most {LONGEST_MESSAGE:,} characters")
            if "\0" in message or "\ufffd" in message:
                raise ConfigurationError("the message is not text: write it in UTF-8")
            result = runner.run(self._respond(message))
        except ErrataError as error:
            self.failed = True
            self._failed(message, " ".join(str(error).split()))
            return
        self.failed = self.failed or result["stopped"] == "error"
        self.last = result
        if result["text"]:
            self.history += [{"role": "user", "content": message}, {"role": "assistant", "content": result["text"]}]
        self._show(message, result)

    async def _respond(self, message: str) -> Result:
        with Progress(self.err) as progress:
            run = Run(METHOD, self.context, progress)
            result = await run.start({"question": message, "history": self.history})
        assert result  # only a review pauses a run
        return result

    def _show(self, message: str, result: Result) -> None:
        if self.as_json:
            print(json.dumps({"question": message, **result}, ensure_ascii=False), flush=True)
            return
        style = "" if result["stopped"] != "error" else "yellow"
        self.out.print(Text(result["text"] or "(no response)", style=style), soft_wrap=True)
        self.out.print(Padding(self._line(result), (0, 0, 0, 2), expand=False))
        for piece in result["evidence"][:MOST_SOURCES]:
            self.out.print(Padding(_source(piece), (0, 0, 0, 4), expand=False))
        if (more := len(result["evidence"]) - MOST_SOURCES) > 0:
            self.out.print(Text(f"  and {more} more: /evidence", style="dim"))
        self.out.print()

    def _line(self, result: Result) -> Text:
        """How the response did: its score, whether it was revised, why it was sent, and what it cost."""
        fields: dict[str, Any] = {**result}
        scores = fields.get("scores", [])
        score_sent = next((score for score in scores if score["text"] == result["text"]), None)
        kf1 = f"KF1 {score_sent['kf1']:.2f}" if score_sent and score_sent["kf1"] is not None else "unchecked"
        revised = "revised" if result["edits"] else "tried again, not revised" if len(scores) > 1 else "not revised"
        label = result["verdicts"][-1]["label"] if result["verdicts"] else "error"
        parts = Text.assemble((kf1, COLOURS[label]), (f" · {revised} · {result['stopped']}", "dim"))
        if result["stopped"] != "accepted":
            parts.append(f": {quote(result['reason'])}", style="yellow")
        return parts.append(f" · {usage_line(result['usage'])}", style="dim")

    def _evidence(self) -> None:
        """All evidence for the last response, with its addresses; JSON output already includes it."""
        pieces = self.last["evidence"] if self.last else []
        if self.as_json or not pieces:
            self._note("" if self.as_json else "The last response has no evidence.")
        for number, piece in enumerate(() if self.as_json else pieces, start=1):
            self.out.print(Text(f"{number}. {piece['title'] or piece['source']}", style="bold"))
            description = Text(f"{' '.join(piece['text'].split())}\n")
            description.append(f"{piece['source']} · found with: {quote(piece['query'])}", style="dim")
            self.out.print(Padding(description, (0, 0, 1, 3), expand=False))

    def _failed(self, message: str, reason: str) -> None:
        if self.as_json:
            print(json.dumps({"question": message, "error": reason}, ensure_ascii=False), flush=True)
        else:
            self.out.print(Text.assemble(("error: ", "red"), reason), soft_wrap=True)

    def _note(self, text: str) -> None:
        if text:
            self.err.print(f"[dim]{escape(text)}[/dim]", soft_wrap=True)


def chat(context: Context, *, as_json: bool) -> bool:
    """Converse until the input ends. Returns whether every message was answered and checked.

    Raises:
        ConfigurationError: If the settings cannot work; raised before the first message.
    """
    if context.review:
        raise ConfigurationError("setting `review`: a conversation cannot show edits; use `errata ask`")
    err = console(stderr=True)
    at_terminal = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
    for tool in check(METHOD, context, drafting=True):
        Progress(err).skipped(getattr(tool, "skipped", []))
    if context.model == EMBEDDED:
        better = first("writes").name
        put(err, Text(f"The embedded model makes things up. This gets a better one: errata models use {better}"))
    load(METHOD)
    talk = Chat(context, console(), err, as_json=as_json)
    if at_terminal:
        err.print(f"[dim]{escape(HELP)}[/dim]", soft_wrap=True)
    with asyncio.Runner() as runner:  # one event loop for all turns, and with it the connections to the model
        for line in typed(err) if at_terminal else piped(sys.stdin.buffer):
            if not talk.say(line, runner):
                break
    return not talk.failed


def typed(err: Console) -> Iterator[str]:
    """Lines as a person types them, until Ctrl-D. Ctrl-C discards the line."""
    with suppress(ImportError):
        import readline  # noqa: F401 - with it, input() has a history and can be edited
    while True:
        try:
            yield input(PROMPT)
        except KeyboardInterrupt:
            err.print("\n[dim]Ctrl-D or /quit ends the conversation.[/dim]")
        except EOFError:
            err.print()
            return


def piped(stream: BinaryIO) -> Iterator[str]:
    """One message per line, until the input ends."""
    for number, line in enumerate(stream):
        yield line.decode("utf-8-sig" if number == 0 else "utf-8", errors="replace")


def _source(piece: Evidence) -> Text:
    where = f"{piece['title']} · {piece['source']}" if piece["title"] else piece["source"]
    return Text.assemble(("“" + quote(piece["text"]) + "” ", "italic"), (where, "dim"))
