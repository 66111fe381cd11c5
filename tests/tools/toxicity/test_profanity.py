"""The embedded scorer, with mild words only."""

import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errata.state.runs.meter import metered
from errata.tools.toxicity import ProfanityToxicity, offending, toxicity_tool
from errata.tools.toxicity.linear import ARRAYS, LinearModel

HARMLESS = (
    "The committee met on Tuesday to discuss the library budget and the opening hours of the reading room. "
    "Several members asked about the new roof. "
)


def words(text: str, **settings: Any) -> list[str]:
    spans = offending(text, **settings)
    assert all(text[span["start"] : span["end"]] == span["text"] for span in spans)
    assert spans == sorted(spans, key=lambda span: span["start"])
    return [span["text"] for span in spans]


async def test_what_is_profane_scores_high() -> None:
    texts = ["What a crappy film, you idiot!", "The museum opened in 1926.", HARMLESS]
    with metered() as meter:
        profane, *clean = await toxicity_tool().score_all(texts)
    assert profane["overall"] > 0.9
    assert profane["worst"] == "profanity"
    assert profane["scorer"] == "profanity"
    assert all(found["overall"] < 0.3 for found in clean)
    assert meter.spent == {"tool_runs": 3}


async def test_an_insult_is_not_lost_among_harmless_words() -> None:
    found = await toxicity_tool().score(HARMLESS * 10 + "The chairman is an idiot. " + HARMLESS * 10)
    assert found["overall"] > 0.9


@pytest.mark.parametrize("text", ["", "  ", "!!!", "a . b", "\u202e"])
async def test_no_words_no_profanity(text: str) -> None:
    assert (await toxicity_tool().score(text))["overall"] == 0
    assert offending(text) == []


def test_as_a_tool() -> None:
    tool = toxicity_tool("profanity")
    message = tool.invoke({"type": "tool_call", "id": "1", "name": "profanity", "args": {"text": "you idiot"}})
    assert message.content == "100% toxicity of profanity"
    assert message.artifact["overall"] > 0.99
    assert "only" in tool.measures


async def test_order_is_kept_and_batches_make_no_difference() -> None:
    texts = [f"text {n}" + (" idiot" if n % 3 == 0 else "") for n in range(600)]
    found = await toxicity_tool().score_all(texts)
    assert [one["overall"] > 0.5 for one in found] == [n % 3 == 0 for n in range(600)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("You are an idiot.", ["idiot"]),
        ("Idiots! What the hell is this crap?", ["Idiots", "hell", "crap"]),
        ("The crappiest film, crappily made.", ["crappiest", "crappily"]),
        ("He behaved idiotically, that STUPID man.", ["idiotically", "STUPID"]),
        ("An idiot, a plain idiot.", ["idiot", "idiot"]),
        ("İdle talk\r\nof an idiot \U0001f600 idiot", ["idiot", "idiot"]),
        (HARMLESS, []),
        ("The class assessed the assassin's passage.", []),
        (HARMLESS * 5 + "damn " + HARMLESS * 5, ["damn"]),
    ],
)
def test_offending_words(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_a_lower_threshold_blames_more_but_never_a_harmless_word() -> None:
    text = "He was killed in the battle of Lyon."
    assert words(text) == []
    assert words(text, threshold=0.1) == ["killed"]
    assert words("Women studied in Vienna.", threshold=0.01) == []


async def test_without_the_offending_words_the_text_scores_low() -> None:
    text = "What the hell, you damned moron? Shut up about my crappy, stupid car."
    for span in reversed(offending(text, 0.1)):
        text = text[: span["start"]] + "…" + text[span["end"] :]
    assert (await toxicity_tool().score(text))["overall"] < 0.1


def test_a_pickle_in_the_place_of_the_model_is_not_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with (files("errata.tools.toxicity") / ARRAYS).open("rb") as file, np.load(file) as arrays:
        planted = {**arrays, "words": np.array([Explodes()], dtype=object)}
    np.savez(tmp_path / ARRAYS, **planted)
    monkeypatch.setattr("errata.tools.toxicity.linear.files", lambda package: tmp_path)
    with pytest.raises(ValueError, match="allow_pickle=False"):
        LinearModel.read()


class Explodes:
    """Runs code of its own when it is loaded from a pickle."""

    def __reduce__(self) -> Any:
        return pytest.fail, ("a pickle was loaded",)


def test_the_model_says_what_scikit_learn_said_of_the_same_words() -> None:
    said = LinearModel.read().probabilities(
        [text.split() for text in ("you idiot", "the museum opened", "damn damn film", "")]
    )
    assert said == pytest.approx([0.9999987306, 0.0265703481, 0.8880194517, 0.0363757520], abs=1e-6)


def test_nothing_heavy_is_imported_before_the_first_score() -> None:
    program = (
        "import sys; from errata.tools.toxicity import toxicity_tool; toxicity_tool();"
        "print([name for name in ('sklearn', 'scipy', 'joblib', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_too_slow() -> None:
    from errata.state.errors import ToolError

    with pytest.raises(ToolError, match="longer timeout"):
        await ProfanityToxicity(timeout=1e-6).score("a text")
