"""Settings of the models: which model, how it is asked, and within which limits."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic.json_schema import SkipJsonSchema

from .base import EMBEDDED, BackendName, Called, Settings, Unchanging


class ModelSettings(Settings, group="Model"):
    """The model and how it is asked."""

    model: str | SkipJsonSchema[Called] = Field(
        default=EMBEDDED,
        description="Chat model: `embedded` (SmolLM2-135M in this process), `embedded:` and a GGUF file or a name "
        "of `errata models list`, any `init_chat_model` string such as `openai:gpt-5-mini`, or in Python a "
        "BaseChatModel or a function. Every task that has a chat backend uses it; an embedded model drafts, and one of "
        "more than a billion parameters corrects texts with `ground`.",
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
    backends: Annotated[Mapping[str, BackendName | SkipJsonSchema[Called]], AfterValidator(Unchanging)] = Field(
        default_factory=Unchanging,
        description="Backend per task, if it should differ from the default, as in {'agreement': 'rules'}. In "
        "Python also a Runnable or a function that takes the task's input and returns its output.",
        examples=[{"agreement": "rules"}],
    )
    prompts: str | SkipJsonSchema[Annotated[dict[str, Any], AfterValidator(Unchanging)]] | None = Field(
        default=None,
        description="Folder of prompts that replace the built-in ones: YAML files named after their tasks. "
        "`errata prompts --copy DIR` writes them all out to start from. In Python also a mapping "
        "from tasks to the content of such a file, or to a ChatPromptTemplate.",
        json_schema_extra={"operator": True},
    )
    instructions: Annotated[
        Mapping[str, Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)]],
        AfterValidator(Unchanging),
    ] = Field(
        default_factory=Unchanging,
        description="Instructions per prompt that replace its `system` part, as in {'draft': 'Answer in one "
        "word.'}. The text around the material, and the examples, stay.",
        examples=[{"draft": "Answer in one word."}],
    )
    temperature: float | None = Field(
        default=None,
        ge=0,
        le=2,
        description="Temperature of every model call except samples. By default each task has its own; models "
        "that refuse a temperature get none.",
    )
    max_output_tokens: int | None = Field(
        default=None,
        ge=1,
        description="The most tokens of one reply, including reasoning. By default a reasoning model has no "
        "limit, and another has 2,048, then four and sixteen times as many if its reply is cut off.",
    )
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = Field(
        default=None, description="How much a reasoning model should reason. By default, as its provider sets it."
    )
    keep_replies: bool | None = Field(
        default=None,
        description="Store model replies on disk, and answer an equal request from there at no cost. By default "
        "`errata batch` and `errata eval` do so, beside their output; true: other runs too, in the "
        "cache folder, for requests at temperature 0; false: never.",
        json_schema_extra={"operator": True},
    )
    repairs: int = Field(
        default=2, ge=0, le=5, description="How often to ask again after a reply that cannot be parsed."
    )


class LimitSettings(Settings, group="Limits"):
    """How much a run may use, and what it costs."""

    max_calls: int | None = Field(
        default=None, ge=1, description="Stop with the best text so far after this many model calls."
    )
    max_cost: float | None = Field(
        default=None,
        gt=0,
        description="Stop with the best text so far after this many US dollars; needs `input_price` and "
        "`output_price`. Calls in flight at that point are paid for as well.",
    )
    deadline: float | None = Field(
        default=None,
        gt=0,
        description="Stop with the best text so far after this many seconds. Waiting for a person does not count.",
    )
    max_chars: int | None = Field(
        default=None, ge=1, description="The most characters of input; a longer input is refused."
    )
    max_concurrency: int = Field(
        default=16, ge=1, le=512, description="The most requests to one model in flight at the same time."
    )
    requests_per_second: float | None = Field(
        default=None, gt=0, description="The most requests per second to one model."
    )
    timeout: float = Field(
        default=60.0, gt=0, le=3600, description="Seconds until a request to a model or a tool is abandoned."
    )
    retries: int = Field(
        default=3, ge=0, le=10, description="How often to retry a request after 429, 5xx or a broken connection."
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
