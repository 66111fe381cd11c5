"""The settings of a run. One Context serves every method; each method reads its own part."""

from . import parts

DRAFTS = frozenset({"draft", "cot", "samples"})
"""Tasks that write an answer from a model's knowledge."""
THRESHOLDS = {"kf1": 0.3, "recall": 0.3, "model": 0.5}
"""The default passing score of a response, by utility."""


class Context(
    # pydantic puts the fields of the last base class first
    parts.CacheSettings,
    parts.LimitSettings,
    parts.AugmenterSettings,
    parts.ToxicityGateSettings,
    parts.ToxicitySettings,
    parts.PythonSettings,
    parts.JudgeSettings,
    parts.ClaimSettings,
    parts.VerifySettings,
    parts.CriticSettings,
    parts.CautionSettings,
    parts.RoundSettings,
    parts.ReviewSettings,
    parts.AttributionSettings,
    parts.EditSettings,
    parts.FusedSettings,
    parts.GroundSettings,
    parts.GateSettings,
    parts.AskingSettings,
    parts.QuestionSettings,
    parts.PassageSettings,
    parts.TurnSettings,
    parts.SampleSettings,
    parts.DraftSettings,
    parts.WindowSettings,
    parts.PageSettings,
    parts.SearchSettings,
    parts.ModelSettings,
):
    """The settings of a run, for any method.

    Every field has a default that works offline and without a key. In Python, objects (a chat model, a retriever, a
    Runnable for a task) can be passed wherever a name is accepted. A method ignores settings that it does not read, so
    one Context can serve an app that runs several methods. To have unread settings refused, call a graph with a dict:
     `graph.invoke(..., context={"pages": 3})`.
    """

    @property
    def passing(self) -> float:
        """`utility_threshold`, or the default of the utility."""
        return THRESHOLDS[self.utility] if self.utility_threshold is None else self.utility_threshold

    def draft_or(self, default: str, *, looks_up: bool = True) -> str:
        """The way to draft an answer.

        Embedded models make up answers, and rules mostly miss their errors. So the question is looked up instead,
        unless a draft was requested, the caller's own model writes it, or no tool may be used.

        Args:
            default: How the method's paper drafts.
            looks_up: Whether a tool may be used.

        Returns:
            The name of the method that drafts.
        """
        if self.draft:
            return self.draft
        writes_itself = parts.embedded_name(self.model) is None or not DRAFTS.isdisjoint(self.backends)
        return default if writes_itself or not looks_up else "react"

    def rounds_or(self, default: int) -> int:
        """`rounds`, or the method's own number of them."""
        return default if self.rounds is None else self.rounds


def operator_fields() -> frozenset[str]:
    """Settings that name a path or an address, or that allow programs or private networks.

    Only the server's operator may set them; a request that does is refused (`state/runs/hosts.py`).
    """
    return frozenset(
        name
        for name, field in Context.model_fields.items()
        if isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get("operator")
    )
