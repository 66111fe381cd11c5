"""Settings of methods: what their papers leave open, and what several of them share."""

from typing import Literal

from pydantic import Field

from .base import Settings


class PassageSettings(Settings, group="Text"):
    """How a long text is split."""

    passage_chars: int = Field(
        default=4_000,
        ge=200,
        le=100_000,
        description="Longer texts are cut between sentences into passages of at most this many characters, "
        "which are corrected in parallel.",
    )


class QuestionSettings(Settings, group="Questions"):
    """What is asked about a text."""

    questions: Literal["model", "sentence"] = Field(
        default="model",
        description="Whether a model asks about a text, or each sentence is its own query (RARR's ablation).",
    )
    question_rounds: int = Field(
        default=3, ge=1, le=10, description="Rounds of question generation, asked at once (RARR section 3.1: 3)."
    )


class AskingSettings(Settings, group="Questions"):
    """The model that asks questions."""

    question_model: str | None = Field(
        default=None,
        description="Folder or id of an encoder-decoder that asks questions, for the `seq2seq` backend of "
        "`queries`. Naming one selects that backend.",
        json_schema_extra={"operator": True},
    )


class GateSettings(Settings, group="Gates"):
    """How RARR finds what evidence contradicts."""

    editor: Literal["serial", "fused"] = Field(
        default="serial",
        description="How RARR edits: one contradiction after another, or all at once and without gates, as PURR does.",
    )
    gate: bool = Field(
        default=True,
        description="Whether RARR edits only on a contradiction; otherwise for every piece of evidence (its ablation).",
    )
    gating: Literal["serial", "speculative", "joint"] = Field(
        default="speculative",
        description="Ask the gates one after another, or `window` of them at once: the final text is the same. `joint` "
        "asks all gates of a passage in one request: cheaper, but a small model judges worse.",
    )
    window: int = Field(
        default=4, ge=1, le=64, description="How many gates are asked at once with `speculative` gating."
    )
    speculate_edits: bool = Field(
        default=False,
        description="Ask for edits alongside the gates: faster, but edits for closed gates are thrown away.",
    )


class EditSettings(Settings, group="Edits"):
    """What an edit may change."""

    max_edit_chars: int = Field(
        default=50, ge=1, le=10_000, description="An edit that changes more characters than this is refused (RARR: 50)."
    )
    max_edit_share: float = Field(
        default=0.5,
        gt=0,
        le=1,
        description="An edit that changes more than this share of the original is refused as well (RARR: 0.5).",
    )


class FusedSettings(Settings, group="Edits"):
    """One edit from all the evidence."""

    fused_evidence: int = Field(
        default=4, ge=1, le=32, description="How many pieces of evidence one fused edit reads (PURR section 3: 4)."
    )
    editor_model: str | None = Field(
        default=None,
        description="Folder or id of an encoder-decoder that edits, for the `seq2seq` backend of `edit_all`. "
        "Naming one selects that backend.",
        json_schema_extra={"operator": True},
    )


class AttributionSettings(Settings, group="Attribution"):
    """How much evidence is cited."""

    max_attribution: int = Field(
        default=5,
        ge=1,
        le=20,
        description="How many pieces of evidence the attribution report lists (RARR section 3.1: 5).",
    )


class ReviewSettings(Settings, group="Review"):
    """Whether a person decides on edits."""

    review: bool = Field(
        default=False, description="Pause at every proposed edit for a person to accept, reject or rewrite it."
    )


class RoundSettings(Settings, group="Rounds"):
    """How often a text is corrected."""

    rounds: int | None = Field(
        default=None,
        ge=0,
        le=20,
        description="The most corrections. By default as in the method's paper (CRITIC: 3 for answers, "
        "otherwise 4; LLM-Augmenter: 1).",
    )


class CriticSettings(Settings, group="Rounds"):
    """How long a critic continues, and what it sees."""

    patience: int = Field(
        default=2, ge=1, le=20, description="Stop after this many corrections in a row that leave the answer unchanged."
    )
    use_tools: bool = Field(
        default=True,
        description="Show the critic the results of tools. Without them it judges on its own (CRITIC w/o tool).",
    )


class CautionSettings(Settings, group="Rounds"):
    """What it takes to replace an answer or a program."""

    caution: Literal["evidence", "paper"] = Field(
        default="evidence",
        description="With `evidence`, an answer is replaced by one that evidence of this run speaks for, and a program "
        "that ran only if the critique quotes the line that is wrong, and two programs that were written apart come to "
        "the new result. As in the `paper`, whatever the critic proposes is taken.",
    )


class ToxicityGateSettings(Settings, group="Toxicity"):
    """When a text counts as clean."""

    toxicity_threshold: float = Field(
        default=0.1, gt=0, lt=1, description="A text that scores below this is clean (CRITIC section 4.3: 0.10)."
    )


class VerifySettings(Settings, group="Verification"):
    """Which chains of thought are verified, and how."""

    consistency: Literal["auto", "count", "probability"] = Field(
        default="auto",
        description="How samples are weighed (Verify-and-Edit section 3.1): by the model's `probability` for them, "
        "or by their `count`. `auto` counts if the model reports no probabilities.",
    )
    consistency_threshold: float | None = Field(
        default=None,
        ge=0,
        description="Verify the chain of thought if the consistency of the samples is below this. By default "
        "half their number, rounded up (Verify-and-Edit's ablation); 0 verifies nothing, more than "
        "`samples` everything.",
    )
    chain: bool = Field(
        default=True,
        description="Verify the sentences of a chain of thought in order, each with the corrections made before "
        "it. Without, all at once: faster, but they may contradict each other.",
    )
    claim: bool = Field(
        default=False,
        description="The question is a claim to judge: the answer is SUPPORTS, REFUTES or NOT ENOUGH INFO (FEVER).",
    )
    evidence_sentences: int = Field(
        default=3,
        ge=1,
        le=20,
        description="How many sentences a verifying question is answered from (Verify-and-Edit: 3).",
    )
    snippets: bool = Field(
        default=False,
        description="Answer from the snippets of a web search in its order, as published (Verify-and-Edit with "
        "Google), instead of the best sentences of the pages behind them.",
    )


class ClaimSettings(Settings, group="Claims"):
    """What claims are, and how they are checked."""

    claim_format: Literal["triplet", "subsentence", "sentence", "response"] = Field(
        default="triplet",
        description="What claims are: triplets of subject, predicate and object (RefChecker), short sentences "
        "(`subsentence`); or, without a model call, the response's sentences, or the `response` as a whole.",
    )
    checkers: str | None = Field(
        default=None,
        description="Several backends that each check every claim, as in chat,nli,rules. The label of more than half "
        "of them counts; without one, a claim is neutral.",
    )
    checking: Literal["joint", "single", "at_once"] = Field(
        default="joint",
        description="Check several claims in one model call, or each in its own; or, `at_once`, extract the triplets "
        "and check them in one call, if the response is short (up to `joint_tokens`), has one reference, and one model "
        "does both. Otherwise `at_once` is `joint`.",
    )
    joint_tokens: int = Field(
        default=150,
        ge=1,
        le=10_000,
        description="How many tokens of claims one call checks with `joint` checking; 150 are about 12 triplets.",
    )
    joint_size: int | None = Field(
        default=None,
        ge=1,
        le=50,
        description="How many claims one such call checks at most (RefChecker: 5). By default as many as fit.",
    )
    segment_tokens: int = Field(
        default=200,
        ge=20,
        le=10_000,
        description="Longer references are cut between sentences for small checkers (RefChecker: 200).",
    )


class JudgeSettings(Settings, group="Claims"):
    """A small network that judges."""

    nli: str | None = Field(
        default=None,
        description="Folder of a small network that judges `agreement` and `check`, or its name in `errata models "
        "list`: a sequence or token classifier, as an ONNX file or as weights. Naming one selects the `nli` backend "
        "for both.",
        json_schema_extra={"operator": True},
    )
    nli_labels: str | None = Field(
        default=None,
        description="What the classes of that network mean, in their order, where its config.json does not say: as in "
        "neutral,entailment.",
        json_schema_extra={"operator": True},
    )


class GroundSettings(Settings, group="Grounding"):
    """How a passage is corrected in one call."""

    mode: Literal["correct", "annotate"] = Field(
        default="correct",
        description="Correct the text, or only report for each sentence what the evidence says about it.",
    )
    form: Literal["auto", "rewrite", "structured"] = Field(
        default="auto",
        description="What the model is asked for: the passage again (`rewrite`), or each change with its quote "
        "and a label for each sentence (`structured`). `auto` follows the model's profile in "
        "LangChain.",
    )
    research: bool | None = Field(
        default=None,
        description="Search for evidence even if references are given (true), or never (false). By default only "
        "if none are given.",
    )
    evidence_tokens: int = Field(
        default=2_000, ge=100, le=100_000, description="The most tokens of evidence that a passage is shown with."
    )


class AugmenterSettings(Settings, group="Responses"):
    """How LLM-Augmenter acts, and when it is satisfied."""

    policy: Literal["rules", "self_ask", "random"] = Field(
        default="rules",
        description="What chooses LLM-Augmenter's next action: `rules` (evidence first), `self_ask` (the model "
        "says whether it needs evidence), or `random`. In Python, also a Runnable as the backend of "
        "the task `policy`.",
    )
    policy_file: str | None = Field(
        default=None,
        description="File of a policy that `errata eval policy` has learned. Naming one selects it.",
        json_schema_extra={"operator": True},
    )
    log: str | None = Field(
        default=None,
        description="File to which a line is added for each run: what the policy saw (in numbers, no text), what it "
        "chose, and the utility. `errata eval policy` learns from it.",
        json_schema_extra={"operator": True},
    )
    seed: int = Field(default=0, description="The seed of the `random` policy.")
    consolidations: int = Field(
        default=1, ge=0, le=5, description="How often, at most, evidence is searched for one response; 0 for never."
    )
    entities: int = Field(default=3, ge=0, le=20, description="How many names in the evidence are looked up as well.")
    paths: int = Field(default=3, ge=1, le=20, description="The most evidence paths that a response is shown.")
    utility: Literal["kf1", "recall", "model"] = Field(
        default="kf1",
        description="How a response is scored: `kf1`, its word overlap with the evidence, `recall`, how much it says "
        "of what the message asks for, so that short replies pass, or `model`, the lowest of fluency, "
        "informativeness and factuality.",
    )
    utility_threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="A response that scores at least this is sent. The paper gives none; by default 0.3 for "
        "`kf1` and `recall`, and 0.5 for `model`.",
    )
    feedback: Literal["rules", "self_criticism", "none"] = Field(
        default="rules",
        description="Feedback on a response that scores lower, before it is rewritten: templates filled by "
        "`rules`, the model's `self_criticism`, or none, and then the response is sent.",
    )
