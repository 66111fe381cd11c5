"""Whatever fails, what could be checked is told, and what could not is an error: never a label, never an abstention."""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import scripted_claims
from benchmarks.stub import BROKEN, SLOW_DOWN, Ask, Reply, Stub
from errata.apps.cli import main as cli
from errata.graphs import refchecker
from errata.state import Context

CLAIMS = 6
GIVEN = scripted_claims.response(1, CLAIMS)
LABELS = scripted_claims.labels(CLAIMS)
CUT_CLAIMS = '{"claims": [{"subject": "House 100", "predicate": "is", "object": "red", "sentences": [1]}, {"subj'
NO_CLAIMS = '{"claims": ['
CUT_JUDGEMENTS = '{"judgements": [{"claim": 1, "reason": "", "label": "entailment"}'
TOO_FEW = '{"judgements": [{"claim": 1, "reason": "", "label": "entailment"}]}'
OTHER_LABEL = TOO_FEW.replace("entailment", "probably")
CODE = "__import__('os').abort()"
HANGING = Reply(fault="hang")
FAULTS: dict[str, Any] = {
    "down": BROKEN,
    "busy": SLOW_DOWN,
    "reset": Reply(fault="reset"),
    "cut connection": Reply(fault="cut"),
    "garbage": "I would rather not say.",
    "empty": "",
    "code": CODE,
    "hanging": HANGING,
}


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub(scripted_claims.brain) as stub:
        yield stub


async def check(stub: Stub, **more: Any) -> Any:
    given: dict[str, Any] = {
        "model": "openai:stub",
        "base_url": stub.base_url,
        "retries": 1,
        "repairs": 1,
        "timeout": 10.0,
        "joint_size": 5,
    }
    result = await refchecker.graph.ainvoke(GIVEN, context=Context(**{**given, **more}))
    assert result["reason"]
    return result


def break_down(stub: Stub, schema: str, how: str | Reply, where: str = "") -> None:
    def answer(ask: Ask) -> str | Reply:
        broken = ask.schema in (schema, "") and where in str(ask.messages[1]["content"])
        return how if broken else scripted_claims.brain(ask)

    stub.answer = answer


def patience(fault: Any) -> dict[str, float]:
    return {"timeout": 2.0} if fault == HANGING else {}


def labels(result: Any) -> list[str]:
    return [claim["label"] for claim in result["claims"]]


async def test_all_is_well(stub: Stub) -> None:
    result = await check(stub)
    assert (labels(result), result["errors"], result["failures"]) == (LABELS, 0, [])
    assert len(stub.asks) == 3
    assert labels(await check(stub, claim_format="subsentence", checking="single")) == LABELS
    assert len(stub.asks) == 3 + 1 + CLAIMS


@pytest.mark.parametrize(
    "fault", [*FAULTS.values(), CUT_CLAIMS, NO_CLAIMS], ids=[*FAULTS, "cut list", "list cut before its first"]
)
async def test_claims_that_cannot_be_had_are_no_abstention(stub: Stub, fault: Any) -> None:
    break_down(stub, "Triplets", fault)
    result = await check(stub, **patience(fault))
    assert (labels(result), result["strict"], result["major"], result["distribution"]) == ([], "error", "error", None)
    assert (result["stopped"], "extract failed" in result["reason"]) == ("error", True)
    assert len(stub.asks) <= 4, "tries are bounded"


@pytest.mark.parametrize(
    "fault",
    [*FAULTS.values(), CUT_JUDGEMENTS, TOO_FEW, OTHER_LABEL],
    ids=[*FAULTS, "cut list", "too few", "another label"],
)
async def test_claims_that_cannot_be_checked_are_errors(stub: Stub, fault: Any) -> None:
    where = "[2]"  # the call with five claims; the one with the sixth goes through
    break_down(stub, "Judgements", fault, where)
    result = await check(stub, **patience(fault))
    assert labels(result) == [*["error"] * 5, LABELS[5]]
    assert all(claim["reason"] for claim in result["claims"][:5])
    assert (result["errors"], result["strict"], result["stopped"]) == (5, "error", "error")
    assert result["distribution"] == {"entailment": 0.0, "neutral": 1.0, "contradiction": 0.0, "abstain": 0.0}
    assert "check failed" in result["reason"]
    assert len(stub.asks) <= 2 + 4, "tries are bounded"


@pytest.mark.parametrize("fault", [TOO_FEW, CUT_JUDGEMENTS, CODE], ids=["too few", "cut", "code"])
async def test_an_incomplete_reply_is_asked_for_again(stub: Stub, fault: str) -> None:
    waiting = [fault]

    def answer(ask: Ask) -> str:
        return (
            waiting.pop()
            if waiting and ask.schema == "Judgements" and "[2]" in str(ask.messages)
            else scripted_claims.brain(ask)
        )

    stub.answer = answer
    assert labels(await check(stub)) == LABELS
    assert len(stub.asks) == 4


async def test_rows_that_fail_do_not_stop_the_others(
    stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def rows() -> Iterator[str]:
        for number in range(40):
            given = scripted_claims.response(number, CLAIMS)
            yield json.dumps({"id": number, "response": given["text"], "references": given["references"], "group": "g"})
            if number == 7:
                yield "{not JSON"

    break_down(stub, "Judgements", BROKEN, "House 1203")
    given, taken = tmp_path / "given.jsonl", tmp_path / "taken.jsonl"
    given.write_text("\n".join(rows()), encoding="utf-8")
    arguments = [
        "--model",
        "openai:stub",
        "--base-url",
        stub.base_url,
        "--set",
        "retries=0",
        "--set",
        "max_concurrency=4",
        "--set",
        "joint_size=5",
    ]
    monkeypatch.setattr(sys, "argv", ["errata", "check", str(given), "-o", str(taken), "--json", *arguments])

    with pytest.raises(SystemExit) as left:
        await asyncio.to_thread(cli.main)
    out, err = capsys.readouterr()
    found = [json.loads(line) for line in taken.read_text(encoding="utf-8").splitlines()]
    assert left.value.code == 1
    assert [row["line"] for row in found] == list(range(1, 42)), "nothing is lost, and the order stays"
    assert (found[8]["id"], found[8]["outcome"]) == (None, "malformed")
    assert found[8]["error"].startswith("not a JSON object")
    assert found[13]["stopped"] == "error"
    assert "line 9: not a JSON object" in err
    assert "line 14: some of the text is unchecked" in err
    assert all(labels(row) == LABELS for row in found if row["line"] not in (9, 14))
    average = json.loads(out)
    assert (average["g"]["responses"], average["g"]["errors"], average[""]["errors"]) == (40, 1, 1)
    assert average["g"]["entailment"] == pytest.approx(3 / 6)
    assert stub.peak <= 4

    asked, stub.answer = len(stub.asks), scripted_claims.brain
    with pytest.raises(SystemExit):
        await asyncio.to_thread(cli.main)
    average = json.loads(capsys.readouterr().out)
    assert (average["g"]["responses"], average["g"]["errors"]) == (40, 0), "the same command tries again what failed"
    assert len(stub.asks) == asked + 2, "and nothing else, nor its claims, which were kept"
