"""Judging programs and texts by rules: is this a possible answer at all, and which words are offensive?"""

import math
import re
from collections.abc import Iterable

from ...state.errors import ModelError
from ..tasks.critic import Critique, ProgramInput, ToxicityInput
from ..tasks.drafting import Draft

COUNTED = re.compile(r"\bhow many\b", re.IGNORECASE)
MEASURED = re.compile(r"\bhow (?:much|long|far|old|tall|high|heavy|fast|wide|deep|big)\b", re.IGNORECASE)
SIGNED = re.compile(
    r"\b(?:difference|change|temperature|coordinate|slope|below zero|negative|debt|loss)\b", re.IGNORECASE
)
UNITS = (
    "seconds|minutes|hours|days|weeks|months|years|miles|yards|feet|inches|acres|gallons|quarts|pints|cups|pounds|"
    r"ounces|tons|degrees|times|percent|k[mg]|[cm]m|(?:kilo|centi|milli)?(?:met|lit|gram)\w*"
)
FRACTIONAL = re.compile(rf"\bhow many (?:{UNITS})\b|\baverage\b|\bmean\b", re.IGNORECASE)
MONEY = re.compile(r"\$|\b(?:dollars|euros|pounds sterling|cost|price|earn|pay|spend)\b", re.IGNORECASE)
PERCENT = re.compile(r"\b(?:what|which) (?:percent|percentage)\b", re.IGNORECASE)
YES_OR_NO = re.compile(
    r"^\W*(?:is|are|was|were|does|do|did|can|could|will|has|have|had)\b(?!.*\bor\b)[^.?!]*\?\s*$", re.IGNORECASE
)

# Only at the beginning: what follows a program has printed, and it may print such lines too.
OUTPUT = re.compile(r"\AExecution: Done\nOutput: answer = (.*)")
_FAILED = re.compile(r"\AExecution: (?!Done$)(.*)", re.MULTILINE)


def program_critique(task_input: ProgramInput) -> Critique:
    """Whether a program ran and produced an answer of the requested kind. Rules cannot tell more."""
    observation = task_input["observation"]
    if failed := _FAILED.search(observation):
        problem = failed[1].strip() or "It failed."
        return Critique(plausibility="There is no answer.", correctness=problem, accepted=False)
    output = OUTPUT.search(observation)
    if not output:
        problem = "The program leaves no value in the variable `answer`." if observation.strip() else "It was not run."
        return Critique(plausibility="There is no answer.", correctness=problem, accepted=False)
    implausible = implausibility(task_input["question"], output[1].strip())
    return Critique(
        plausibility=implausible or "It is the right kind of answer.",
        correctness="It ran without an error. Rules cannot tell whether it is right.",
        accepted=not implausible,
    )


def implausibility(question: str, answer: str) -> str:
    """Why `answer` cannot be what `question` asks for, or an empty string.

    Looks at what the question's last sentence asks: a count is whole and not negative, a measure or a sum of money not
    negative, a yes-no question wants True or False.
    """
    last_sentence = re.split(r"(?<=[.!\n])\s+", question.strip())[-1]
    if YES_OR_NO.match(last_sentence):
        return "" if answer in ("True", "False") or answer.lower() in ("yes", "no") else "Yes or no was expected."
    try:
        number = float(answer)
    except ValueError:
        wants_number = COUNTED.search(last_sentence) or MEASURED.search(last_sentence) or PERCENT.search(last_sentence)
        return f"A number was expected, but {answer or 'nothing'} is not one." if wants_number else ""
    if not math.isfinite(number):
        return "The answer is not a finite number."
    if number < 0 and (COUNTED.search(last_sentence) or MEASURED.search(last_sentence)) and not SIGNED.search(question):
        return f"{answer} is negative, but the answer cannot be below zero."
    is_whole = math.isclose(number, round(number), abs_tol=1e-9)  # sums of fractions are a little off
    if (
        COUNTED.search(last_sentence)
        and not FRACTIONAL.search(last_sentence)
        and not MONEY.search(last_sentence)
        and not is_whole
    ):
        return f"A count was expected, but {answer} is not whole."
    return ""


def toxicity_critique(task_input: ToxicityInput) -> Critique:
    """Which words of a text are offensive, as found by the embedded scorer."""
    words = ", ".join(dict.fromkeys(task_input.get("offending", [])))
    return Critique(
        plausibility="It is a text.",
        correctness=f"Offensive: {words}." if words else "No word of it is offensive by itself.",
        accepted=not words,
    )


def rewrite(task_input: ToxicityInput) -> Draft:
    """The text without its offensive words."""
    return Draft(text=without(task_input["text"], task_input.get("offending", [])))


def without(text: str, offending: Iterable[str]) -> str:
    """A text without offensive words: they are dropped before another word, and masked if none follows.

    Raises:
        ModelError: If there are none, or nothing else is left.
    """
    words = sorted(map(re.escape, set(offending)), key=len, reverse=True)
    if not words:
        raise ModelError("no single word makes the text toxic: use a chat model to rewrite it")
    word = rf"\b(?:{'|'.join(words)})\b"
    dropped = re.sub(rf"{word}(?:\s+{word})*\s+(?=\w)", "", text)
    cleaned = re.sub(rf"{word}(?:\s+{word})*", "…", dropped)
    if not re.search(r"\w", cleaned):
        raise ModelError("without its offensive words nothing of the text is left: use a chat model to rewrite it")
    return cleaned
