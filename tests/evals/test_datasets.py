"""Each loader, on a sample of our own writing in the format of its authors."""

import json
from pathlib import Path
from typing import Any

import pytest

from errata.evals.datasets import DATASETS, Item, load_items, sample
from errata.evals.datasets.claims import in_context
from errata.state.errors import ConfigurationError

DATA = Path(__file__).parents[3] / "shared" / "data"

HOTPOT = {
    "_id": "h1",
    "question": "Which of the two bridges is longer?",
    "answer": "the Blue Bridge",
    "type": "comparison",
    "level": "hard",
    "supporting_facts": [["Blue Bridge", 0]],
    "context": [["Blue Bridge", ["It is long.", " It is blue."]], ["Red Bridge", ["It is short."]]],
}
TABLE = {
    "question": "Which tin holds more?",
    "choices": ["red tin", "blue tin"],
    "answer": "blue tin",
    "unit": None,
    "table_title": "Tins",
    "table": "Tin | Nails\nred tin | 3\nblue tin | 5",
    "ques_type": "multi_choice",
    "ans_type": "extractive_text",
}
FILES: dict[str, tuple[Any, dict[str, Any]]] = {
    "hotpotqa": (
        [HOTPOT],
        {
            "id": "h1",
            "answers": ["the Blue Bridge"],
            "paragraphs": ["Blue Bridge: It is long. It is blue.", "Red Bridge: It is short."],
        },
    ),
    "2wiki": (
        [{**HOTPOT, "evidences": [["Blue Bridge", "length", "9"]], "type": "bridge_comparison"}],
        {"kind": "bridge_comparison"},
    ),
    "ambignq": (
        [
            {
                "id": "a1",
                "question": "When did the show end?",
                "annotations": [
                    {"type": "singleAnswer", "answer": ["1999", "in 1999"]},
                    {
                        "type": "multipleQAs",
                        "qaPairs": [
                            {"question": "... on air?", "answer": ["2001"]},
                            {"question": "... again?", "answer": ["1999"]},
                        ],
                    },
                ],
            }
        ],
        {"id": "a1", "answers": ["1999", "in 1999", "2001"]},
    ),
    "triviaqa": (
        {
            "Data": [
                {
                    "QuestionId": "t1",
                    "Question": "Which metal is liquid?",
                    "Answer": {"Value": "Mercury", "Aliases": ["Quicksilver", "Mercury"], "NormalizedAliases": ["hg"]},
                }
            ],
            "Split": "dev",
        },
        {"id": "t1", "question": "Which metal is liquid?", "answers": ["Mercury", "Quicksilver"]},
    ),
    "ottqa": (
        [{"question_id": "o1", "question": "Where is it ?", "table_id": "Bridges_0", "answer-text": "Rome"}],
        {"id": "o1", "question": "Where is it ?", "answers": ["Rome"]},
    ),
    "gsm8k": (
        [
            {"question": "How many?", "answer": "3*500 is <<3*500=1500>>1500\n#### 1,500"},
            {"question": "?", "answer": "#### 2"},
        ],
        {"answers": ["1500"]},
    ),
    "svamp": (
        [
            {
                "ID": "c1",
                "Body": "Ann has 3 pens",
                "Question": "How many are left?",
                "Answer": 2.0,
                "Type": "Subtraction",
            }
        ],
        {"id": "c1", "question": "Ann has 3 pens. How many are left?", "answers": ["2"]},
    ),
    "tabmwp": (
        {"7": TABLE},
        {
            "id": "7",
            "question": 'Read this table about "Tins":\nTin | Nails\nred tin | 3\nblue tin | 5\nWhich tin holds more?\n'
            "Choose from: red tin, blue tin.",
            "answers": ["blue tin"],
        },
    ),
    "fever": (
        [
            {"id": 9, "verifiable": "VERIFIABLE", "label": "REFUTES", "claim": "Rome is new.", "evidence": []},
            {"id": 8, "label": "NOT ENOUGH INFO", "claim": "Ann sang.", "evidence": []},
        ],
        {"id": 9, "text": "Rome is new.", "label": "REFUTES"},
    ),
    "foolmetwice": (
        [
            {
                "id": "f",
                "text": "It rained.",
                "label": "SUPPORTS",
                "gold_evidence": [{"text": "Rain fell. "}],
            }
        ],
        {"text": "It rained.", "label": "SUPPORTS", "paragraphs": ["Rain fell."]},
    ),
    "rarr": (
        [
            {"input_info": {"model_outputs_explanation": "It opened in 1889.", "context": "When did it open?"}},
            {"input_info": {"claim": "It is tall."}},
        ],
        {"text": "It opened in 1889.", "question": "When did it open?"},
    ),
    "refchecker": (
        [
            {
                "id": "r",
                "response": "Ann sang in Rome.",
                "context": ["Ann sang.", {"text": "Rome is in Italy."}],
                "claude2_response_kg": [
                    {"triplet": ["Ann", "sang in", "Rome"], "human_label": "Entailment"},
                    {"triplet": ["Rome", "is in", "Spain"], "human_label": "Contradiction"},
                ],
            }
        ],
        {
            "text": "Ann sang in Rome.",
            "human": ["entailment", "contradiction"],
            "references": ["Ann sang.", "Rome is in Italy."],
        },
    ),
    "realtoxicityprompts": (
        [
            {
                "filename": "f.txt",
                "begin": 3,
                "prompt": {"text": "So I went", "toxicity": 0.1},
                "continuation": {"text": " home", "toxicity": 0.0},
            }
        ],
        {"id": "f.txt:3", "question": "So I went", "text": "So I went home", "scores": {"prompt_toxicity": 0.1}},
    ),
    "nq": ([{"question": "who wrote it", "answer": ["Ann", "Bo"]}], {"answers": ["Ann", "Bo"]}),
    "jsonl": (
        [{"id": "x", "question": "Who?", "answers": "Ann", "reference": "By Ann."}, {"text": "A text."}],
        {"id": "x", "answers": ["Ann"], "reference": "By Ann."},
    ),
}
BY_LINE = ("gsm8k", "fever", "foolmetwice", "realtoxicityprompts", "nq", "jsonl")


def test_every_data_set_is_tried_here() -> None:
    assert FILES.keys() == DATASETS.keys() - {"documents", "corrupted"}


@pytest.mark.parametrize("name", FILES)
def test_reads_the_format_of_its_authors(name: str, tmp_path: Path) -> None:
    content, expected = FILES[name]
    file = tmp_path / "data"
    lines = name in BY_LINE
    file.write_text("\n".join(map(json.dumps, content)) + "\n" if lines else json.dumps(content, indent=2), "utf-8")
    items = load_items(name, file)
    assert len(items) == len(content["Data"] if name == "triviaqa" else content)
    assert {field: dict(items[0])[field] for field in expected} == expected
    assert "gold" not in items[0]  # it would put CRITIC's oracle to work


def test_the_simplified_hotpotqa(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_text(json.dumps([{"question": "Who?", "answer": "Ann", "type": "bridge"}]))
    assert load_items("hotpotqa", file) == [{"id": 0, "question": "Who?", "answers": ["Ann"], "kind": "bridge"}]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"question": "Who?", "type": "bridge"}]', "cannot be read as HotpotQA .*: it has no `answer`$"),
        ('{"a": 1}\n{torn', ": line 2 is not JSON: Expecting property name"),
        ("[]", ": it has no rows$"),
        ("\ufeff", ": it is empty$"),
        ("{torn", ": it is not JSON: Expecting property name"),
        ("[1]", ": it has another structure$"),
        ('[{"question": "Who?", "answer": "Ann"}]', ": row 1 has neither `type` nor `context`$"),
        ('[{"question": "Who?", "answer": "Ann", "type": "inference"}]', ": row 1 is of no type `inference`$"),
    ],
)
def test_another_format_is_one_clear_line(content: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=said):
        load_items("hotpotqa", file)


@pytest.mark.parametrize("name", sorted(FILES.keys() - {"jsonl"}))  # which reads whatever has a question or a text
def test_no_data_set_is_taken_for_another(name: str, tmp_path: Path) -> None:
    file = tmp_path / "data"
    for other, (content, _) in FILES.items():
        if other != name:
            file.write_text(json.dumps(content), encoding="utf-8")
            with pytest.raises(ConfigurationError, match="cannot be read as"):
                load_items(name, file)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"\xff\xfe{}")
    with pytest.raises(ConfigurationError, match=r"as a file of your own \(.*\): it is not UTF-8$"):
        load_items("jsonl", tmp_path / "data")


def test_unknown_names_and_files(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no data set `squad`: use hotpotqa"):
        load_items("squad", tmp_path)
    with pytest.raises(ConfigurationError, match="there is no file"):
        load_items("hotpotqa", tmp_path / "none")


def test_a_sample_follows_from_its_seed_and_keeps_the_order() -> None:
    items: Any = [{"id": number} for number in range(100)]
    drawn = sample(items, 10, seed=1)
    assert drawn == sample(items, 10, seed=1) != sample(items, 10, seed=2)
    assert [item["id"] for item in drawn] == sorted(item["id"] for item in drawn)
    assert sample(items, None, 0) == sample(items, 1_000, 0) == items


SHARED = {
    "hotpotqa": ("hotpotqa/hotpot_dev_v1_simplified.json", 7_405),
    "gsm8k": ("gsm8k/test.jsonl", 1_319),
    "svamp": ("svamp/SVAMP.json", 1_000),
    "tabmwp": ("tabmwp/problems_test1k.json", 1_000),
    "fever": ("fever/paper_dev.jsonl", 9_999),
    "nq": ("nq_open/NQ-open.dev.jsonl", 3_610),
    "realtoxicityprompts": ("toxicity/val.jsonl", 5_000),
    "foolmetwice": ("foolmetwice/dev.jsonl", 1_169),
}


@pytest.mark.parametrize("name", SHARED)
def test_reads_the_whole_data_set_where_it_is_at_hand(name: str) -> None:
    path, rows = SHARED[name]
    if not (DATA / path).is_file():
        pytest.skip(f"{DATA / path} is not on this machine")
    items = load_items(name, DATA / path)
    assert len(items) == rows
    assert all(item.get("question") for item in items)


def test_questions_made_from_a_folder_of_documents(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Mill\n\nThe mill was built in 1704. Anna Berg designed the mill.\n")
    (tmp_path / "b.txt").write_text("The mill was built in 1704, some say.")
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    items = load_items("documents", tmp_path)
    assert [(item["question"], item["answers"][0], item["kind"]) for item in items] == [
        ("When was the mill built?", "1704", "Mill"),
        ("Who designed the mill?", "Anna Berg", "Mill"),
    ]
    assert items[0]["paragraphs"][0] == "The mill was built in 1704."


def test_the_articles_that_ship_are_enough_for_an_evaluation() -> None:
    items = load_items("documents")
    assert len(items) > 300
    assert all(item["answers"] and item["paragraphs"] for item in items)
    assert any(item["question"] == "When was Germany reunified?" for item in items)


def test_statements_made_from_a_folder_are_right_or_wrong_in_one_fact(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# Mill\n\nThe mill was built in 1704 by the carpenter Anna Berg. The mill burned down on 3 May 1812.\n\n"
        "It was never rebuilt in the 19th century. The mill was bought by a baker in 1799, with its two stones.\n"
    )
    items = load_items("corrupted", tmp_path)
    assert [item["kind"] == "true" for item in items] == [True, False]
    assert [item["text"] in item["answers"] for item in items] == [True, False]
    assert items[1]["answers"] == ["The mill was bought by a baker in 1799, with its two stones."]
    assert items == load_items("corrupted", tmp_path)


def test_documents_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no folder"):
        load_items("documents", tmp_path / "none")
    with pytest.raises(ConfigurationError, match="no sentence in its documents that answers"):
        load_items("documents", tmp_path)
    with pytest.raises(ConfigurationError, match="no sentence in its documents has a fact"):
        load_items("corrupted", tmp_path)
    with pytest.raises(ConfigurationError, match="name its file after the data set: FEVER is not part of"):
        load_items("fever")


def test_responses_are_checked_in_three_contexts() -> None:
    items = [Item(id=number, text="It is.", references=[f"Reference {number}."]) for number in range(9)]
    assert [item["references"] for item in in_context(items, "zero")] == [[]] * 9
    assert in_context(items, "accurate") == items
    noisy = in_context(items, "noisy")
    assert noisy[8]["references"] == [f"Reference {number}." for number in (8, 0, 1, 2, 3)]
    with pytest.raises(ConfigurationError, match="row 1 has none"):
        in_context([Item(id=1, text="It is.")], "noisy")
