"""Kinds of model server, each as it was seen to behave: what it refuses, how much room it has, how it writes.

Where a kind names one, its answers to what it refuses are those that people report of the real one, down to the status,
the place of the parameter's name, and the fields that are there or not.
"""

from collections.abc import Callable
from dataclasses import dataclass

from . import refusals as no
from . import writing
from .refusals import Refuse
from .writing import Write


@dataclass(frozen=True)
class Kind:
    """How one kind of server behaves."""

    name: str
    about: str
    """What is particular about it, in words for the table in the documentation."""
    model: str = ""
    """What the client calls it; by default its own name."""
    refuses: tuple[Refuse, ...] = ()
    """Asked one after another; the first refusal is the answer."""
    style: Write = writing.plainly
    """How it puts an answer that is to be JSON."""
    labels: Callable[[str], str] = str
    """How it spells a label."""
    thinks: int = 0
    """Tokens that it thinks for before it answers. They count against the cap."""
    thoughts: Write | None = None
    """How thoughts stand in the text before the answer; None where they are kept back."""
    reasoning_field: bool = False
    """Whether thoughts come in a field of their own beside the text."""
    blocks: bool = False
    """Whether thoughts and text are blocks of a list."""
    counts_thoughts: bool = False
    """Whether its usage tells how many tokens were thought."""
    calls: writing.Call | None = None
    """How it writes what should be a call of a tool; None where it calls them."""
    n: bool = True
    """Whether it gives several replies to one request. If it does not and does not refuse, it gives one."""
    caps: tuple[str, ...] = ("max_completion_tokens", "max_tokens")
    """The parameters that it takes a cap from. It ignores others."""
    cap: int | None = None
    """The cap where none is given."""
    context: int | None = None
    """Tokens that request and reply may have together."""
    past_the_cap: Refuse | None = None
    """What it answers where the cap leaves no room for anything but thoughts, if not with an empty reply."""

    @property
    def called(self) -> str:
        """The name of the model, which no other kind has: what is learnt of one must not be taken for another's."""
        return self.model or f"zoo-{self.name.replace(' ', '-')}"


GPT_5 = Kind(
    "gpt-5",
    "Thinks for 900 tokens that count against the cap; refuses temperature, max_tokens, stop and logprobs; "
    "takes a strict schema only as OpenAI defines it",
    model="gpt-5-mini",
    refuses=(
        no.unsupported("max_tokens", "Use 'max_completion_tokens' instead."),
        no.other_temperature,
        no.unsupported("stop"),
        no.unsupported("logprobs"),
        no.lax_schema,
        no.json_without_the_word,
    ),
    thinks=900,
    counts_thoughts=True,
)
O4 = Kind(
    "o4",
    "As gpt-5; logprobs are forbidden (403), and so is a cap that its thoughts fill",
    model="o4-mini",
    refuses=(
        no.unsupported("max_tokens", "Use 'max_completion_tokens' instead."),
        no.temperature_of_o_series,
        no.unsupported("stop"),
        no.forbidden_logprobs,
        no.lax_schema,
        no.json_without_the_word,
    ),
    thinks=900,
    counts_thoughts=True,
    past_the_cap=no.nothing_but_thoughts,
)
DEEPSEEK_R1 = Kind(
    "deepseek-r1",
    "Thoughts in `<think>` before the answer, every other time without the opening tag; refuses tools, any "
    "response_format, logprobs, and n other than 1",
    model="deepseek-reasoner",
    refuses=(no.deepseek_tools, no.deepseek_logprobs, no.deepseek_n, no.deepseek_format),
    thinks=700,
    thoughts=writing.think_sometimes_unopened,
)
QWEN_3 = Kind(
    "qwen3",
    "Thinks for 5,000 tokens, in `<think>` before answers and calls of tools; gives one reply whatever n is",
    model="qwen3:8b",
    thinks=5_000,
    thoughts=writing.think,
    n=False,
)
QWEN_3_PARSED = Kind(
    "qwen3 on vLLM",
    "Thoughts in `reasoning_content`, a field of their own; thinks for 600 tokens that count against the cap",
    model="Qwen/Qwen3-8B",
    thinks=600,
    reasoning_field=True,
)
MAGISTRAL = Kind(
    "magistral",
    "Gives text and thoughts as blocks of one list",
    model="magistral-small",
    blocks=True,
    thinks=300,
)
GEMMA = Kind(
    "gemma",
    "Refuses a system message, roles that do not alternate, and tools",
    model="google/gemma-2-9b-it",
    refuses=(no.vllm_tools, no.system_role, no.roles_that_do_not_alternate),
)
LLAMA_CPP = Kind(
    "llama.cpp",
    "Started without --jinja: answers tools and n with status 500",
    model="qwen2.5-coder",
    refuses=(no.llama_cpp_tools, no.llama_cpp_n),
)
JSON_OBJECT = Kind(
    "json_object",
    "Knows response_format json_object alone, and that only if the word JSON is in the messages; refuses a cap over "
    "8,192 and n other than 1",
    model="deepseek-chat",
    refuses=(no.deepseek_schema, no.json_without_the_word, no.deepseek_cap, no.deepseek_n),
)
LM_STUDIO = Kind(
    "lm studio",
    "Knows response_format json_schema alone; its errors are bare strings",
    refuses=(no.lm_studio_format, no.lm_studio_tool_choice),
    n=False,
)
NO_FORMAT = Kind("no format", "Refuses response_format altogether", refuses=(no.unrecognized("response_format"),))
PROSE = Kind(
    "prose",
    "Ignores response_format; writes JSON in prose, in fences, as a bare list, in single quotes, with trailing commas",
    style=writing.in_prose,
)
CAPITALS = Kind("capitals", "Capitalises labels", labels=str.capitalize)
CUTS_OFF = Kind(
    "cuts off",
    "Cuts off after 20 tokens unless max_tokens says otherwise; ignores max_completion_tokens",
    caps=("max_tokens",),
    cap=20,
)
CONTEXT = 3_000
SMALL = Kind(
    "small context",
    "Refuses a request whose cap does not fit into what its context of 3,000 tokens leaves",
    refuses=(no.past_the_context(CONTEXT),),
    context=CONTEXT,
)
TALKS = Kind("talks", "Answers a request with tools in plain text", calls=writing.talk)
CALLS_IN_TEXT = Kind("calls in text", "Writes its calls of tools as JSON in the text", calls=writing.call_in_text)
ONE = Kind("one reply", "Gives one reply whatever n is", n=False)
OLLAMA = Kind(
    "ollama", "Refuses tools, gives one reply whatever n is", model="gemma3:4b", refuses=(no.ollama_tools,), n=False
)
MISTRAL = Kind(
    "mistral",
    "Names what it refuses in the prose of a 422: max_completion_tokens, logprobs",
    model="mistral-small",
    refuses=(no.extra("max_completion_tokens", "logprobs"),),
    caps=("max_tokens",),
)
OLD_VLLM = Kind(
    "old vLLM",
    "Refuses max_completion_tokens and tool_choice, and then any tools, in the prose of a 400 that repeats the request",
    model="mistralai/Mistral-7B-Instruct-v0.3",
    refuses=(no.old_vllm_extra("max_completion_tokens"), no.vllm_required_tool, no.vllm_tools),
    caps=("max_tokens",),
)
PLAIN = Kind(
    "plain", "Does as the interface says", model="gpt-4o-mini", refuses=(no.lax_schema, no.json_without_the_word)
)

KINDS = (
    *(GPT_5, O4, DEEPSEEK_R1, QWEN_3, QWEN_3_PARSED, MAGISTRAL, GEMMA, LLAMA_CPP, JSON_OBJECT, LM_STUDIO, NO_FORMAT),
    *(PROSE, CAPITALS, CUTS_OFF, SMALL, TALKS, CALLS_IN_TEXT, ONE, OLLAMA, MISTRAL, OLD_VLLM),
)
