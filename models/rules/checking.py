"""The task `check`: each claim separately, with the rules of `agreement`. Undecidable claims are neutral."""

from ..tasks.claims import CheckInput, Judgement, Judgements
from .agreeing import judge


def check(task_input: CheckInput) -> Judgements:
    """Compare every claim with the evidence."""
    evidence, title, question = task_input["evidence"], task_input.get("title", ""), task_input.get("question", "")
    before = task_input.get("before", "")
    findings = [judge(claim, claim, evidence, title, question, before) for claim in task_input["claims"]]
    return Judgements(
        judgements=[
            Judgement(
                claim=number, reason=finding.evidence.sentence_text if finding.evidence else "", label=finding.label
            )
            for number, finding in enumerate(findings, start=1)
        ]
    )
