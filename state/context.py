"""The settings of a run. One Context serves every graph; a graph reads the fields that concern it."""

from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.json_schema import SkipJsonSchema


@runtime_checkable
class Invokable(Protocol):
    """Any LangChain Runnable: a chat model, a retriever, a tool, a chain."""

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any: ...


@runtime_checkable
class Scorer(Protocol):
    """What scores how toxic a text is: a `ToxicityTool`, or anything with this method of it."""

    async def score(self, text: str) -> Any: ...


BackendName = Literal["chat", "rules", "cross_encoder", "nli", "seq2seq"]

EMBEDDED = "embedded"
DRAFTS = frozenset({"draft", "cot", "samples"})
"""Tasks that write an answer from what a model knows."""
THRESHOLDS = {"kf1": 0.3, "model": 0.5}
"""Score that a response passes with, by utility."""


class Context(BaseModel):
    """Settings of a run.

    Every field has a default that works without a key and without a network. Objects (a chat model, a retriever, a
    Runnable for a task) can be handed in from Python wherever a name is accepted.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, allow_inf_nan=False)

    model: str | SkipJsonSchema[Invokable] = Field(
        default=EMBEDDED,
        description="Chat model: `embedded` (SmolLM2-135M in this process), any `init_chat_model` string such as "
        "`openai:gpt-5-mini`, or a BaseChatModel. With another than `embedded`, every task that has a chat backend "
        "uses it.",
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
    backends: dict[str, BackendName | SkipJsonSchema[Invokable]] = Field(
        default_factory=dict,
        description="Backend per task where it should differ from the default, as in {'agreement': 'rules'}. "
        "From Python also a Runnable that takes the task's input and returns its output.",
    )
    cross_encoder: str | None = Field(
        default=None,
        description="Folder or id of a sentence-transformers cross-encoder for the `cross_encoder` backend of `rank`.",
        json_schema_extra={"operator": True},
    )
    nli: str | None = Field(
        default=None,
        description="Folder or id of a sequence-classification model for the `nli` backend of `check`.",
        json_schema_extra={"operator": True},
    )
    editor_model: str | None = Field(
        default=None,
        description="Folder or id of an encoder-decoder that edits, for the `seq2seq` backend of `edit_all`. Naming "
        "one selects that backend.",
        json_schema_extra={"operator": True},
    )
    question_model: str | None = Field(
        default=None,
        description="Folder or id of an encoder-decoder that asks, for the `seq2seq` backend of `queries`. Naming one "
        "selects that backend.",
        json_schema_extra={"operator": True},
    )

    search: str | SkipJsonSchema[Invokable] = Field(
        default="local",
        description="Where evidence comes from: `local`, `drqa`, `dataset`, `tavily`, `google`, `brave`, "
        "`duckduckgo`, `wikipedia`, `searxng`, `arxiv`, `pubmed`; from Python also a LangChain retriever or tool.",
    )
    sources: str | None = Field(
        default=None,
        description="Folder of documents for `local` and `drqa` search; without it, the small corpus that ships.",
        json_schema_extra={"operator": True},
    )
    contact: str | None = Field(
        default=None,
        description="E-mail or web address that Wikipedia can reach you at; also read from ERRATA_CONTACT.",
        json_schema_extra={"operator": True},
    )
    searxng_url: str | None = Field(
        default=None,
        description="Address of a SearXNG instance that answers in JSON; also read from ERRATA_SEARXNG_URL.",
        json_schema_extra={"operator": True},
    )
    allow_private_addresses: bool = Field(
        default=False,
        description="Let page fetches reach private, loopback and link-local addresses (an intranet).",
        json_schema_extra={"operator": True},
    )
    cache: bool = Field(default=True, description="Keep search results on disk for a day and answer from there.")

    question_rounds: int = Field(
        default=3, ge=1, le=10, description="Rounds of question generation, asked at once (RARR section 3.1: 3)."
    )
    pages: int = Field(default=5, ge=1, le=20, description="Pages looked at per question (RARR section 3.1: 5).")
    windows_per_page: int = Field(
        default=1, ge=1, le=5, description="Best windows of each long page that are kept, and read together (RARR: 1)."
    )
    whole_page_chars: int = Field(
        default=2_000,
        ge=0,
        le=40_000,
        description="A page of at most so many characters is shown whole; of a longer one its best windows of four "
        "sentences (RARR: 0, always windows). Rules and small networks are always shown windows.",
    )
    max_evidence: int = Field(
        default=1, ge=1, le=10, description="Pieces of evidence per question (RARR's published code: 1)."
    )
    gating: Literal["serial", "speculative"] = Field(
        default="speculative",
        description="Ask the gates one after another, or `window` of them at once. The final text is the same.",
    )
    window: int = Field(default=4, ge=1, le=64, description="Gates asked at once with `speculative` gating.")
    speculate_edits: bool = Field(
        default=False,
        description="Ask for edits alongside the gates: quicker, but edits of closed gates are thrown away.",
    )
    editor: Literal["serial", "fused"] = Field(
        default="serial",
        description="How RARR edits: one contradiction after another, or all at once and without gates, as PURR does.",
    )
    fused_evidence: int = Field(
        default=4, ge=1, le=32, description="Pieces of evidence that one fused edit reads (PURR section 3: 4)."
    )
    max_edit_chars: int = Field(
        default=50, ge=1, le=10_000, description="An edit that changes more characters than this is refused (RARR: 50)."
    )
    max_edit_share: float = Field(
        default=0.5, gt=0, le=1, description="So is one that changes more than this share of the original (RARR: 0.5)."
    )
    max_attribution: int = Field(
        default=5, ge=1, le=20, description="Pieces of evidence in the attribution report (RARR section 3.1: 5)."
    )
    passage_chars: int = Field(
        default=4_000,
        ge=200,
        le=100_000,
        description="Longer texts are cut between sentences into passages of at most this length, corrected at once.",
    )
    draft: Literal["direct", "cot", "self_consistency", "react"] | None = Field(
        default=None,
        description="How an answer is drafted that is then corrected: `direct`, `cot` (a chain of thought), "
        "`self_consistency` (the answer that most of `samples` chains come to), `react` (thinking and searching by "
        "turns). By default as the method's paper does; with the embedded model, which knows next to nothing, `react`.",
    )
    samples: int = Field(
        default=5, ge=1, le=100, description="Chains of thought sampled for one answer (Verify-and-Edit: 5)."
    )
    sample_temperature: float = Field(
        default=0.7, ge=0, le=2, description="Temperature of samples (Verify-and-Edit: 0.7; rejection sampling: 0.5)."
    )
    consistency: Literal["count", "probability"] = Field(
        default="count",
        description="How samples are weighed: by their number, or by how probable the model finds them, where it tells "
        "(Verify-and-Edit section 3.1).",
    )
    consistency_threshold: float | None = Field(
        default=None,
        ge=0,
        description="Verify the chain of thought if the consistency of the samples is below. By default half their "
        "number, rounded up (Verify-and-Edit's ablation); 0 verifies nothing, more than `samples` everything.",
    )
    chain: bool = Field(
        default=False,
        description="Verify the sentences of a chain of thought in order, each in view of the corrections before it, "
        "instead of all at once.",
    )
    claim: bool = Field(
        default=False,
        description="The question is a claim to judge: the answer is SUPPORTS, REFUTES or NOT ENOUGH INFO (FEVER).",
    )
    evidence_sentences: int = Field(
        default=3, ge=1, le=20, description="Sentences that a verifying question is answered from (Verify-and-Edit: 3)."
    )
    rounds: int | None = Field(
        default=None,
        ge=0,
        le=20,
        description="Corrections at most. By default as in the method's paper (CRITIC: 3 for answers, else 4; "
        "LLM-Augmenter: 1).",
    )
    critique_calls: int = Field(
        default=7,
        ge=1,
        le=50,
        description="Model calls at most in one critique, and in a `react` draft: each may use one tool (CRITIC: 7).",
    )
    claim_format: Literal["triplet", "subsentence"] = Field(
        default="triplet",
        description="What claims are: subject, predicate and object (RefChecker), or short sentences.",
    )
    checking: Literal["joint", "single"] = Field(
        default="joint", description="Check several claims in a model call, or each in one of its own."
    )
    joint_size: int = Field(
        default=5, ge=1, le=50, description="Claims in one call with `joint` checking (RefChecker: 5)."
    )
    segment_tokens: int = Field(
        default=200,
        ge=20,
        le=10_000,
        description="Longer references are cut between sentences for small checkers (RefChecker: 200).",
    )
    patience: int = Field(
        default=2, ge=1, le=20, description="Stop after this many corrections in a row that leave the answer unchanged."
    )
    use_tools: bool = Field(
        default=True, description="Show the critic what the tools say. Off, it judges on its own (CRITIC w/o tool)."
    )
    python: Literal["auto", "monty", "cpython"] = Field(
        default="auto",
        description="What runs programs: `monty`, a small interpreter; `cpython` in a sandbox; `auto` takes the first "
        "and, where `allow_cpython`, the second for what the first lacks.",
    )
    allow_cpython: bool = Field(
        default=False,
        description="Let `auto` and `cpython` start a sandboxed CPython (Linux with bubblewrap).",
        json_schema_extra={"operator": True},
    )
    program_seconds: float = Field(default=2.0, gt=0, le=60, description="Seconds that a program may run.")
    program_memory_mb: int = Field(default=256, ge=32, le=4096, description="Megabytes that a program may use.")
    toxicity: str | SkipJsonSchema[Scorer] = Field(
        default="profanity",
        description="What scores toxicity: `profanity` (embedded), `perspective`, `moderation`, `detoxify`, or yours.",
    )
    toxicity_threshold: float = Field(
        default=0.1, gt=0, lt=1, description="A text that scores below is clean (CRITIC section 4.3: 0.10)."
    )
    policy: Literal["rules", "self_ask", "random"] = Field(
        default="rules",
        description="What chooses LLM-Augmenter's next action: `rules` (evidence first), `self_ask` (the model says "
        "whether it needs evidence), `random`. From Python, a Runnable as backend of the task `policy`.",
    )
    seed: int = Field(default=0, description="What the `random` policy's choices follow from.")
    consolidations: int = Field(
        default=1, ge=0, le=5, description="Times at most that evidence is searched for one response; 0 for never."
    )
    entities: int = Field(
        default=3, ge=0, le=20, description="Names in the evidence whose descriptions are searched for as well."
    )
    paths: int = Field(default=3, ge=1, le=20, description="Evidence paths that a response is shown at most.")
    utility: Literal["kf1", "model"] = Field(
        default="kf1",
        description="What a response is scored by: `kf1`, its overlap in words with the evidence, or `model`, the "
        "worst of fluency, informativeness and factuality.",
    )
    threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="A response that scores at least this is sent. None was published; by default 0.3 for `kf1` and "
        "0.5 for `model`.",
    )
    feedback: Literal["rules", "self_criticism", "none"] = Field(
        default="rules",
        description="What a response that scores less is told before it is written anew: templates filled by `rules`, "
        "the model's `self_criticism`, or nothing, and then it is sent.",
    )
    review: bool = Field(
        default=False, description="Pause at every proposed edit for a person to accept, reject or rewrite it."
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
        default=None, description="How much a model that reasons is to reason. By default as its provider has it."
    )
    max_calls: int | None = Field(
        default=None, ge=1, description="Stop with the best text so far after this many model calls."
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
    repairs: int = Field(default=2, ge=0, le=5, description="Further tries after a reply that does not parse.")
    input_price: float | None = Field(
        default=None, ge=0, description="US dollars per million input tokens, to report the cost."
    )
    output_price: float | None = Field(default=None, ge=0, description="US dollars per million output tokens.")

    @property
    def passing(self) -> float:
        """`threshold`, or the utility's own."""
        return THRESHOLDS[self.utility] if self.threshold is None else self.threshold

    def draft_or(self, default: str) -> str:
        """How an answer is drafted.

        The embedded model makes answers up, and rules mostly miss what is wrong with them. So what it would draft is
        looked up instead, unless the draft is asked for, written by a model of the caller's, or no tool may be used.

        Args:
            default: How the method's paper drafts.
        """
        if self.draft:
            return self.draft
        knows = self.model != EMBEDDED or not DRAFTS.isdisjoint(self.backends)
        return default if knows or not self.use_tools else "react"

    def rounds_or(self, default: int) -> int:
        """`rounds`, or the method's own number of them."""
        return default if self.rounds is None else self.rounds


def operator_fields() -> frozenset[str]:
    """Settings that name a path or an address, or let programs or private networks through.

    Only who runs a server may set them; a request that does is refused (`state/hosts.py`).
    """
    return frozenset(
        name
        for name, field in Context.model_fields.items()
        if isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get("operator")
    )


def complaint(error: ValidationError) -> str:
    """What is wrong with the first setting that is: its name, and its key where it has keys."""
    first = error.errors(include_url=False)[0]
    # Deeper in the place are names of types, which help nobody.
    name = str(first["loc"][0])
    field = Context.model_fields.get(name)
    if not field:
        return f"there is no setting `{name}`; `errata settings` lists them"
    place = first["loc"][: 2 if field.default_factory else 1]
    wrong = first["msg"][:1].lower() + first["msg"][1:]
    return f"setting `{'.'.join(map(str, place))}`: {wrong}, got {first['input']!r:.80}"
