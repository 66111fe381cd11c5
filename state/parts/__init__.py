"""The settings of a run in parts: a method reads some of them, and `Context` is the whole."""

from .base import EMBEDDED, GROUPS, BackendName, Called, Invokable, Scorer, Settings, embedded_name, runnable
from .drafts import DraftSettings, SampleSettings, TurnSettings
from .methods import (
    AskingSettings,
    AttributionSettings,
    AugmenterSettings,
    CautionSettings,
    ClaimSettings,
    CriticSettings,
    EditSettings,
    FusedSettings,
    GateSettings,
    GroundSettings,
    JudgeSettings,
    PassageSettings,
    QuestionSettings,
    ReviewSettings,
    RoundSettings,
    ToxicityGateSettings,
    VerifySettings,
)
from .models import LimitSettings, ModelSettings
from .tools import CacheSettings, PageSettings, PythonSettings, SearchSettings, ToxicitySettings, WindowSettings

__all__ = [
    "EMBEDDED", "GROUPS", "AskingSettings", "AttributionSettings", "AugmenterSettings", "BackendName",
    "CacheSettings", "Called", "CautionSettings", "ClaimSettings", "CriticSettings", "DraftSettings", "EditSettings",
    "FusedSettings", "GateSettings", "GroundSettings", "Invokable", "JudgeSettings", "LimitSettings", "ModelSettings",
    "PageSettings", "PassageSettings", "PythonSettings", "QuestionSettings", "ReviewSettings",
    "RoundSettings", "SampleSettings", "Scorer", "SearchSettings", "Settings", "ToxicityGateSettings",
    "ToxicitySettings", "TurnSettings", "VerifySettings", "WindowSettings", "embedded_name", "runnable",
]  # fmt: skip
