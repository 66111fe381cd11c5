"""Measures that ask a model or a tool about the result. They cost something, so `--measure` selects them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..models import check_backends, task
from ..models.judges import ScoredAgreement
from ..models.tasks.correction import AGREEMENT, AgreementInput
from ..state import Context
from ..state.errors import ConfigurationError
from ..state.text.answers import kf1
from ..state.text.segments import leading_to, sentences_of
from ..tools import scorer
from .metrics import Judge, attribution, f1_ap, preservation
from .perplexity import text_perplexity

Measure = Callable[[Mapping[str, Any], Mapping[str, Any], Context], Awaitable[dict[str, float]]]
"""From row, result and settings to scores."""


async def attributed(row: Mapping[str, Any], result: Mapping[str, Any], context: Context) -> dict[str, float]:
    """Attr_auto before and after, by the run's `agreement` task, and its harmonic mean with preservation.

    What counts is the evidence of the attribution report, as in RARR's section 2.2, not all that was found.
    """
    reported = {number for part in result["attribution"] for number in part["evidence"]}
    evidence = [piece["text"] for piece in result["evidence"] if piece["id"] in reported]
    before, after = [
        await attribution(sentences_of(text), evidence, agreement_judge(context, row.get("question", ""), text))
        for text in (result["original"], result["text"])
    ]
    if before is None or after is None:
        return {}
    preserved = preservation(result["original"], result["text"])
    return {"attribution_before": before, "attribution": after, "f1_ap": f1_ap(after, preserved)}


def agreement_judge(context: Context, question: str = "", text: str = "") -> Judge:
    """A judge by the `agreement` task: a network's probability; for labels, 1 for entailment and otherwise 0.

    Each sentence is shown with what stands before it in the text, so that its "it" and "she" are understood.
    """

    async def judge(evidence: str, sentence: str) -> float:
        task_input: AgreementInput = {
            "text": sentence,
            "question": question,
            "before": leading_to(text.partition(sentence)[0]) if sentence in text else "",
            "query": sentence,
            "evidence": evidence,
            "title": "",
        }
        agreement = await task(context, AGREEMENT).ainvoke(task_input)
        return (
            agreement.probability if isinstance(agreement, ScoredAgreement) else float(agreement.label == "entailment")
        )

    return judge


async def knowledge(row: Mapping[str, Any], result: Mapping[str, Any], context: Context) -> dict[str, float]:
    """KF1 of the text with its evidence."""
    evidence = " ".join(piece["text"] for piece in result["evidence"])
    return {"kf1": kf1(result["text"], evidence)} if evidence else {}


async def toxic(row: Mapping[str, Any], result: Mapping[str, Any], context: Context) -> dict[str, float]:
    """Toxicity before and after, by the run's scorer."""
    tool = await asyncio.to_thread(scorer, context)
    before, after = await asyncio.gather(tool.score(result["original"]), tool.score(result["text"]))
    return {"toxicity_before": before["overall"], "toxicity": after["overall"]}


async def fluent(row: Mapping[str, Any], result: Mapping[str, Any], context: Context) -> dict[str, float]:
    """Perplexity of the text after its prompt, under the embedded model."""
    value = await text_perplexity(result["text"], row.get("question", ""))
    return {} if value is None else {"perplexity": value}


MEASURES: dict[str, Measure] = {
    "attribution": attributed,
    "kf1": knowledge,
    "toxicity": toxic,
    "perplexity": fluent,
}

UNMEASURED = {
    "attribution": "no row produced a sentence",
    "kf1": "no row has evidence",
    "toxicity": "no row produced a text",
    "perplexity": "no row produced a text of more than one token",
    "bleu": "no row has a `reference`",
}
"""Why no row has a measure. BLEU is computed over all rows together."""


def judging(name: str, address: str, context: Context) -> Context:
    """The settings with which attribution is judged by another judge than the one that the run itself goes by.

    Args:
        name: `rules`, the folder of a network as in the setting `nli`, or a chat model, as in `openai:gpt-5-mini`.
        address: An OpenAI-compatible server with that model; empty for the provider's own.
        context: The settings of the run.

    Raises:
        ConfigurationError: If the judge is not there.
    """
    judge: dict[str, Any] = {"model": name, "base_url": address or None}
    by = "rules" if name == "rules" else "nli" if Path(name).is_dir() else "chat"
    changes = {"chat": judge, "nli": {"nli": name}, "rules": {}}[by]
    given = {field: getattr(context, field) for field in context.model_fields_set}
    settings = type(context)(**given | changes | {"backends": {**context.backends, AGREEMENT.name: by}})
    check_backends(settings, [AGREEMENT.name])
    return settings


def chosen(names: Sequence[str]) -> dict[str, Measure]:
    """The measures of single rows among these names.

    Raises:
        ConfigurationError: For an unknown name.
    """
    for name in names:
        if name not in UNMEASURED:
            raise ConfigurationError(f"--measure: there is no `{name}`: use {', '.join(UNMEASURED)}")
    return {name: MEASURES[name] for name in names if name in MEASURES}
