"""A server of one kind: what the good model says, after the kind's refusals, in the kind's writing, within its room."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from benchmarks.stub import Answer, Ask, Reply, Stub
from errata.models.tasks.drafting import Program

from . import writing
from .kinds import Kind
from .reading import Wanted, parsed, text, wanted
from .refusals import Refuse, tokens


@dataclass
class Animal:
    """Answers as one kind does, with what `brain` thinks."""

    kind: Kind
    brain: Answer = field(repr=False)
    refused: list[tuple[Refuse, Ask, str]] = field(default_factory=list, repr=False)
    """What refused which requests, and the places that it named."""
    cut: list[Ask] = field(default_factory=list, repr=False)
    """Requests whose reply was cut off."""
    _given: Counter[str] = field(default_factory=Counter, repr=False)
    """How many replies each input got, so that samples asked for one by one differ as those asked for together do."""

    @property
    def most_refused(self) -> int:
        """How often the same thing was asked for in vain, at most.

        A schema is one thing and any object another. Where requests are refused for their size, each is one by itself:
        those that are under way at the same time cannot learn from each other.
        """
        things = [
            (
                refuse,
                (ask.body.get("response_format") or {}).get("type"),
                named,
                self.kind.context and json.dumps(ask.body),
            )
            for refuse, ask, named in self.refused
        ]
        return max(Counter(things).values(), default=0)

    def __call__(self, ask: Ask) -> Reply:
        for refuse in self.kind.refuses:
            if reply := refuse(ask.body):
                self.refused.append((refuse, ask, " ".join(_PLACES.findall((reply.body or b"").decode()))))
                return reply
        room = self._room(ask)
        if self.kind.past_the_cap and room is not None and room <= self.kind.thinks:
            self.cut.append(ask)
            return self.kind.past_the_cap(ask.body) or Reply()
        return self._answer(ask, wanted(ask))

    def _answer(self, ask: Ask, want: Wanted) -> Reply:
        reply = self.brain(want.ask)
        reply = Reply(reply) if isinstance(reply, str) else reply
        every = [reply.text, *reply.more]
        n = (ask.body.get("n") or 1) if self.kind.n else 1
        key = f"{want.task.name} {want.request}"
        choices = [self._choice(ask, want, reply, every[(self._given[key] + place) % len(every)]) for place in range(n)]
        whole = all(choice["finish_reason"] != "length" for choice in choices)
        if whole:
            self._given[key] += n
        else:
            self.cut.append(ask)
        logprobs = (reply.logprobs or ((-0.5,),)) if ask.body.get("logprobs") else ()
        for choice, each in zip(choices, logprobs * n, strict=False):
            choice["logprobs"] = {"content": [{"token": "t", "logprob": p, "top_logprobs": []} for p in each]}
        completion = self._completion(ask, choices)
        if ask.body.get("stream"):
            return Reply(headers={"content-type": "text/event-stream"}, body=_events(completion))
        return Reply(body=json.dumps(completion).encode())

    def _choice(self, ask: Ask, want: Wanted, reply: Reply, said: str) -> dict[str, Any]:
        """One reply, as the kind puts it and as far as its room goes."""
        offered = bool(ask.body.get("tools"))
        message: dict[str, Any] = {"role": "assistant", "content": said}
        finish = "stop"
        if reply.tool_calls:
            name, arguments = reply.tool_calls[0]
            assert isinstance(arguments, dict)
            if offered and not self.kind.calls:
                call = {"name": name, "arguments": json.dumps(arguments)}
                message["tool_calls"] = [{"id": f"call-{ask.number}", "type": "function", "function": call}]
                finish = "tool_calls"
            else:
                write = self.kind.calls if offered and self.kind.calls else writing.protocol
                message["content"] = write(name, arguments)
        else:
            message["content"] = self._written(ask, want, said)
        if self.kind.thoughts:
            message["content"] = self.kind.thoughts(message["content"], ask.number)
        if self.kind.reasoning_field:
            message["reasoning_content"] = writing.THOUGHTS
        room = self._room(ask)
        needed = self.kind.thinks + tokens(message["content"] + json.dumps(message.get("tool_calls", "")))
        if room is not None and needed > room:
            message = {"role": "assistant", "content": message["content"][: self._seen(room, message["content"])]}
            finish, needed = "length", room
        if self.kind.blocks:
            thought = {"type": "thinking", "thinking": [{"type": "text", "text": writing.THOUGHTS}]}
            message["content"] = [thought, {"type": "text", "text": message["content"]}]
        return {"index": 0, "message": message, "finish_reason": finish, "_tokens": needed}

    def _written(self, ask: Ask, want: Wanted, said: str) -> str:
        value = parsed(said)
        if not isinstance(value, dict):
            return said
        if want.task.output is Program and want.prompt.words.format != "json":
            return f"This solves it:\n```python\n{value['code']}\n```"
        return self.kind.style(json.dumps(writing.spelled(value, self.kind.labels)), ask.number)

    def _room(self, ask: Ask) -> int | None:
        given = [ask.body[name] for name in self.kind.caps if ask.body.get(name)]
        room = min(given) if given else self.kind.cap
        if self.kind.context is None:
            return room
        left = self.kind.context - _size(ask)
        return left if room is None else min(room, left)

    def _seen(self, room: int, content: str) -> int:
        """How many characters are seen of a reply that is cut off. Thoughts that stand in the text are seen first."""
        if self.kind.thoughts:
            return min(room * 4, len(content) // 3)
        return max(room - self.kind.thinks, 0) * 4

    def _completion(self, ask: Ask, choices: list[dict[str, Any]]) -> dict[str, Any]:
        read = _size(ask)
        wrote = sum(choice.pop("_tokens") for choice in choices)
        usage: dict[str, Any] = {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}
        if self.kind.counts_thoughts:
            usage["completion_tokens_details"] = {"reasoning_tokens": min(self.kind.thinks * len(choices), wrote)}
        return {
            "id": f"chatcmpl-{ask.number}",
            "object": "chat.completion",
            "created": 0,
            "model": ask.body.get("model", self.kind.called),
            "choices": [{**choice, "index": place} for place, choice in enumerate(choices)],
            "usage": usage,
        }


_PLACES = re.compile(r"""["']body["'], ["'](\w+)""")


def _size(ask: Ask) -> int:
    """Tokens of a request."""
    return tokens("".join(text(message) for message in ask.messages))


@contextmanager
def zoo(kind: Kind, brain: Answer) -> Iterator[tuple[Stub, Animal]]:
    """A running server of a kind."""
    animal = Animal(kind, brain)
    with Stub(animal) as stub:
        yield stub, animal


def _events(completion: Mapping[str, Any]) -> bytes:
    """A completion as a stream of its parts, word by word."""
    common = {**{name: completion[name] for name in ("id", "created", "model")}, "object": "chat.completion.chunk"}
    chunks: list[dict[str, Any]] = []
    for choice in completion["choices"]:
        place, message = choice["index"], choice["message"]
        calls = [{"index": number, **call} for number, call in enumerate(message.get("tool_calls", ()))]
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        content = message["content"] or ""
        parts = content.splitlines(keepends=True) if isinstance(content, str) else [[block] for block in content]
        deltas += [{"content": part} for part in parts]
        deltas += [{"tool_calls": [call]} for call in calls]
        if message.get("reasoning_content"):
            deltas.insert(1, {"reasoning_content": message["reasoning_content"]})
        chunks += [{"choices": [{"index": place, "delta": delta, "finish_reason": None}]} for delta in deltas]
        chunks.append({"choices": [{"index": place, "delta": {}, "finish_reason": choice["finish_reason"]}]})
    chunks.append({"choices": [], "usage": completion["usage"]})
    events = [f"data: {json.dumps({**common, **chunk})}\n\n" for chunk in chunks]
    return "".join([*events, "data: [DONE]\n\n"]).encode()
