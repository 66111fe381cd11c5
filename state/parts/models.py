"""Settings of the models: who thinks, how, and how much of it."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints
from pydantic.json_schema import SkipJsonSchema

from .base import EMBEDDED, BackendName, Called, Settings


class ModelSettings(Settings, group="Model"):
    """Who thinks."""

    model: str | SkipJsonSchema[Called] = Field(
        default=EMBEDDED,
        description="Chat model: `embedded` (SmolLM2-135M in this process), `embedded:` and a GGUF file or a name "
        "of `errata models list`, any `init_chat_model` string such as `openai:gpt-5-mini`, or from Python a "
        "BaseChatModel or a function. Every task that has a chat backend uses it; an embedded model drafts, and one of "
        "more than a billion parameters puts texts right by `ground`.",
    )
    base_url: str | None = Field(
        default=None,
        description="Address of an OpenAI-compatible server for `openai:` models.",
        json_schema_extra={"operator": True},
    )
    send_key: bool = Field(
        default=True,
        description="Send OPENAI_API_KEY to the server at `base_url`.",
        json_schema_extra={"operator": True},
    )
    backends: dict[str, BackendName | SkipJsonSchema[Called]] = Field(
        default_factory=dict,
        description="Backend per task where it should differ from the default, as in {'agreement': 'rules'}. "
        "From Python also a Runnable or a function that takes the task's input and returns its output.",
    )
    prompts: str | SkipJsonSchema[dict[str, Any]] | None = Field(
        default=None,
        description="Folder of prompts to use instead of those that ship: YAML files, each with the name of its task. "
        "`errata prompts --copy DIR` writes them all out to start from. From Python also a mapping from tasks to what "
        "such a file holds, or to a ChatPromptTemplate.",
        json_schema_extra={"operator": True},
    )
    instructions: dict[
        str, Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)]
    ] = Field(
        default_factory=dict,
        description="Instructions per prompt, in the place of its `system` part, as in "
        "{'draft': 'Answer in one word.'}. "
        "What stands around the material, and the examples, stay.",
    )
    temperature: float | None = Field(
        default=None,
        ge=0,
        le=2,
        description="Temperature of every model call but samples. By default each task's own; models that refuse one "
        "go without.",
    )
    max_output_tokens: int | None = Field(
        default=None,
        ge=1,
        description="Tokens that one reply may take, reasoning included. By default a model that reasons has no limit, "
        "and another has 2,048, then four and sixteen times as many where its reply is cut off.",
    )
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = Field(
        default=None, description="How much a reasoning model should reason. By default, as its provider sets it."
    )
    keep_replies: bool | None = Field(
        default=None,
        description="Keep the replies of models on disk, and answer an equal request from there at no cost. By default "
        "`errata batch` and `errata eval run` do, beside what they write; true: other runs too, in the cache folder, "
        "for requests at temperature 0; false: nobody.",
        json_schema_extra={"operator": True},
    )
    repairs: int = Field(default=2, ge=0, le=5, description="Further tries after a reply that does not parse.")


class LimitSettings(Settings, group="Limits"):
    """How much a run may ask for, and what it costs."""

    max_calls: int | None = Field(
        default=None, ge=1, description="Stop with the best text so far after this many model calls."
    )
    max_cost: float | None = Field(
        default=None,
        gt=0,
        description="Stop with the best text so far after so many US dollars; needs `input_price` and `output_price`. "
        "What is under way by then is paid for as well.",
    )
    deadline: float | None = Field(
        default=None,
        gt=0,
        description="Stop with the best text so far after so many seconds. Waiting for a person does not count.",
    )
    max_chars: int | None = Field(
        default=None, ge=1, description="Characters that the input of a run may have; a longer one is refused."
    )
    max_concurrency: int = Field(
        default=16, ge=1, le=512, description="Requests to one model in flight at the same time."
    )
    requests_per_second: float | None = Field(
        default=None, gt=0, description="Bound on the rate of requests to one model."
    )
    timeout: float = Field(
        default=60.0, gt=0, le=3600, description="Seconds until a request to a model or a tool is given up."
    )
    retries: int = Field(
        default=3, ge=0, le=10, description="Further tries of a request that met 429, 5xx or a broken connection."
    )
    input_price: float | None = Field(
        default=None,
        ge=0,
        description="US dollars per million input tokens, to report the cost.",
        json_schema_extra={"operator": True},
    )
    output_price: float | None = Field(
        default=None, ge=0, description="US dollars per million output tokens.", json_schema_extra={"operator": True}
    )
