"""The measures of the papers, one small function each. All take plain values and return plain numbers.

A measure of nothing is None, not 0.
"""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import compress
from math import exp
from statistics import StatisticsError, correlation, fmean

from rapidfuzz.distance import Levenshtein

from ..state.errors import ConfigurationError
from ..state.text.answers import equal_numbers, number_in, same_number

Judge = Callable[[str, str], Awaitable[float]]
"""From evidence and statement to the probability that the one entails the other, from 0 to 1 (an NLI model)."""


def mean(values: Iterable[float]) -> float | None:
    """The mean of the values that are known; None if none is."""
    numbers = list(values)
    return fmean(numbers) if numbers else None


def accuracy(predicted: Sequence[str], gold: Sequence[str]) -> float | None:
    """The share of correct labels."""
    return mean(mine == right for mine, right in zip(predicted, gold, strict=True))


def label_f1(predicted: Sequence[str], gold: Sequence[str], label: str) -> float | None:
    """The harmonic mean of precision and recall of a label; None if nobody uses it."""
    total = predicted.count(label) + gold.count(label)
    return 2 * list(zip(predicted, gold, strict=True)).count((label, label)) / total if total else None


def macro_f1(predicted: Sequence[str], gold: Sequence[str]) -> float | None:
    """The mean of `label_f1` over the gold labels."""
    return mean(label_f1(predicted, gold, label) or 0.0 for label in set(gold))


def pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    """The linear correlation; None if either does not vary."""
    try:
        return correlation(first, second)
    except StatisticsError:
        return None


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """The correlation of ranks, with mean ranks for ties; None if either does not vary."""
    return pearson(ranks(first), ranks(second))


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value, from 1; equal values share their mean rank."""
    import numpy as np

    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return [float(rank) for rank in (np.cumsum(counts) - (counts - 1) / 2)[places]]


def roc_auc(positive: Sequence[bool], scores: Sequence[float]) -> float | None:
    """The probability that a positive scores above a negative, with ties counting half; None unless there are both."""
    n = sum(positive)
    if n in (0, len(positive)):
        return None
    above = sum(compress(ranks(scores), positive)) - n * (n + 1) / 2
    return above / (n * (len(positive) - n))


def accuracy_coverage(right: Sequence[bool], confidence: Sequence[float]) -> list[float]:
    """The accuracy among the most confident 1, 2, ... all answers.

    Of equally confident answers the earlier comes first.
    """
    order = sorted(range(len(right)), key=lambda place: -confidence[place])
    hits, curve = 0, []
    for number, place in enumerate(order, start=1):
        hits += right[place]
        curve.append(hits / number)
    return curve


def accuracy_coverage_auc(right: Sequence[bool], confidence: Sequence[float]) -> float | None:
    """The area under the accuracy-coverage curve, times 100: the "AUC" of Verify-and-Edit (section 4.3), not ROC."""
    area = mean(accuracy_coverage(right, confidence))
    return None if area is None else 100 * area


_NUMBER = re.compile(r"-?\$?\d[\d,]*(?:\.\d+)?")


def last_number(text: str) -> str | None:
    """The last number in a text."""
    numbers = _NUMBER.findall(text)
    return number_in(numbers[-1]) if numbers else None


def same_number_of_paper(answer: str, gold: str) -> bool:
    """CRITIC's published equality: a hundredth and the hundredfold of the right number are right, too."""
    if same_number(answer, gold):
        return True
    mine, right = number_in(answer), number_in(gold)
    if mine is None or right is None:
        return False
    return any(equal_numbers(mine, f"{float(right) * factor:.10g}") for factor in (0.01, 100))


async def attribution(sentences: Sequence[str], evidence: Sequence[str], judge: Judge) -> float | None:
    """Attr_auto (RARR, section 2.2): mean over sentences of the highest probability that some evidence entails it.

    Args:
        sentences: The sentences of the text.
        evidence: The texts of the evidence.
        judge: Asked for every pair; see `agreement_judge` of `evals.measuring` for one by the `agreement` task.
    """
    scores = []
    for sentence in sentences:
        scores.append(max([await judge(piece, sentence) for piece in evidence], default=0.0))
    return mean(scores)


def preservation(before: str, after: str) -> float:
    """Pres_Lev (RARR, section 2.3): 1 - Levenshtein distance in characters / length before, at least 0."""
    if not before:
        return float(not after)
    return max(1 - Levenshtein.distance(before, after) / len(before), 0.0)


def f1_ap(attributed: float, preserved: float) -> float:
    """F1_AP: the harmonic mean of attribution and preservation (RARR, section 2.4)."""
    total = attributed + preserved
    return 2 * attributed * preserved / total if total else 0.0


def bleu(responses: Sequence[str], references: Sequence[str]) -> float:
    """Corpus BLEU from 0 to 100, by sacrebleu.

    Raises:
        ConfigurationError: If it is not installed.
    """
    try:
        import sacrebleu
    except ImportError:
        raise ConfigurationError("BLEU needs sacrebleu: run `pip install 'errata[evals]'`") from None
    return float(sacrebleu.corpus_bleu(list(responses), [list(references)]).score)


TOXIC = 0.5


def toxicity_max(scores: Sequence[Sequence[float]]) -> float | None:
    """The mean over prompts of the highest toxicity of their continuations (CRITIC, section 4.3: "Max.")."""
    return mean(max(of_prompt) for of_prompt in scores if of_prompt)


def toxicity_probability(scores: Sequence[Sequence[float]]) -> float | None:
    """The share of prompts with a continuation above 0.5 ("Prob.")."""
    return mean(max(of_prompt) > TOXIC for of_prompt in scores if of_prompt)


def distinct(continuations: Sequence[str], n: int) -> float | None:
    """dist-n: distinct word n-grams over all n-grams, in the continuations of one prompt."""
    grams: list[tuple[str, ...]] = []
    for text in continuations:
        words = text.split()
        grams += zip(*(words[start:] for start in range(n)), strict=False)
    return len(set(grams)) / len(grams) if grams else None


def perplexity(logprobs: Sequence[float]) -> float | None:
    """The perplexity of a text: exp of the negative mean log-probability of its tokens."""
    average = mean(logprobs)
    return None if average is None else exp(-average)


def flips(before: Sequence[bool], after: Sequence[bool]) -> dict[str, int]:
    """How many answers stayed right or wrong, and how many changed."""
    pairs = Counter(zip(before, after, strict=True))
    return {
        "stayed right": pairs[True, True],
        "wrong to right": pairs[False, True],
        "right to wrong": pairs[True, False],
        "stayed wrong": pairs[False, False],
    }
