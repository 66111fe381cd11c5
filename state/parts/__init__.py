"""The settings of a run in parts: a method reads some of them, and `Context` is the whole."""

from .base import EMBEDDED, GROUPS, BackendName, Invokable, Scorer, Settings
from .drafts import DraftSettings, SampleSettings, TurnSettings
from .methods import (
    AttributionSettings,
    AugmenterSettings,
    ClaimSettings,
    CriticSettings,
    EditSettings,
    FusedSettings,
    GateSettings,
    PassageSettings,
    QuestionSettings,
    ReviewSettings,
    RoundSettings,
    VerifySettings,
)
from .models import LimitSettings, ModelSettings
from .tools import EvidenceSettings, PythonSettings, SearchSettings, ToxicitySettings

__all__ = [
    "EMBEDDED",
    "GROUPS",
    "AttributionSettings",
    "AugmenterSettings",
    "BackendName",
    "ClaimSettings",
    "CriticSettings",
    "DraftSettings",
    "EditSettings",
    "EvidenceSettings",
    "FusedSettings",
    "GateSettings",
    "Invokable",
    "LimitSettings",
    "ModelSettings",
    "PassageSettings",
    "PythonSettings",
    "QuestionSettings",
    "ReviewSettings",
    "RoundSettings",
    "SampleSettings",
    "Scorer",
    "SearchSettings",
    "Settings",
    "ToxicitySettings",
    "TurnSettings",
    "VerifySettings",
]
