"""Replies are read however they are wrapped; what is cut off, or thought, is no part of an answer."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage

from errata.models.reading import (
    is_cut_off,
    json_objects,
    read_object,
    read_program,
    read_text,
    repeats_itself,
    text_of,
    thinks,
)
from errata.models.tasks.claims import Judgements
from errata.models.tasks.correction import Agreement, Queries
from errata.models.tasks.dialogue import Chains

from ..steps import steps

LABEL = {"text_says": "In 1885.", "evidence_says": "In 1883.", "label": "contradiction"}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>Is it Lyon?</think>\n\nParis.", "Paris."),
        ("Is it Lyon? No.</think>Paris.", "Paris."),
        ("<THINKING>\n{}\n</THINKING> Paris.", "Paris."),
        ("[THINK]Lyon?[/THINK]Paris.", "Paris."),
        ("<think>It is Ly", ""),
        ("Let me see.\n<think>Is it Lyon?</think>\nParis.", "Let me see.\n\nParis."),
        ("Paris.\n\n<think>Should I say more?</think>", "Paris."),
        ("<think>Is <think>it</think> Lyon?</think>Paris.", "Paris."),
        ("Paris.\n<think>Or is it Ly", ""),
        ("<seed:think>Lyon?</seed:think>Paris.", "Paris."),
        ("◁think▷Lyon?◁/think▷Paris.", "Paris."),
        ("<|START_THINKING|>Lyon?<|END_THINKING|>Paris.", "Paris."),
        ("<|channel|>analysis<|message|>Lyon?<|end|><|start|>assistant<|channel|>final<|message|>Paris.", "Paris."),
        ("Paris.", "Paris."),
        (
            "The tag <think> opens a thought, and </think> closes it.",
            "The tag <think> opens a thought, and </think> closes it.",
        ),
    ],
)
def test_thoughts_are_no_part_of_what_is_said(text: str, left: str) -> None:
    assert text_of(AIMessage(text)) == left


REQUEST = "<evidence>\n{evidence}\n</evidence>\n<statement>\n{text}\n</statement>\n\nThe statement, put right:\n"


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("It opened in 1883.", "It opened in 1883."),
        ("<statement>\nIt opened in 1883.\n</statement>", "It opened in 1883."),
        ("<evidence>\nIt opened.\n</evidence>\n<statement>\nIt opened in 1883.\n</statement>", "It opened in 1883."),
        ("<text>\nIt opened in 1883.\n</text>", "<text>\nIt opened in 1883.\n</text>"),
        ("It has a <statement> in it.", "It has a <statement> in it."),
        ("The statement, put right: It opened in 1883.", "It opened in 1883."),
        ('The statement, put right:\n"It opened in 1883."', "It opened in 1883."),
        ("<evidence>\nIt opened.\n</evidence>\n\nThe statement, put right: It opened in 1883.", "It opened in 1883."),
        ("<evidence>\nIt opened.\n</evidence>\n\nThe statement, put right:", ""),
        ("A sign says: The statement, put right: none.", "A sign says: The statement, put right: none."),
        ('"It opened" is what it says.', '"It opened" is what it says.'),
    ],
)
def test_a_reply_that_repeats_its_request_is_read_from_what_follows_it(reply: str, read: str) -> None:
    assert read_text(AIMessage(reply), REQUEST) == read


def test_a_model_that_thinks_is_known_by_its_tags_its_tokens_or_its_field() -> None:
    usage: Any = {"input_tokens": 1, "output_tokens": 9, "total_tokens": 10, "output_token_details": {"reasoning": 8}}
    assert thinks(AIMessage("<think>Hm.</think>Paris."))
    assert thinks(AIMessage("Paris.", usage_metadata=usage))
    assert thinks(AIMessage("Paris.", additional_kwargs={"reasoning_content": "Hm."}))
    assert not thinks(AIMessage("Paris."))


@pytest.mark.parametrize(
    "metadata", [{"finish_reason": "length"}, {"stop_reason": "max_tokens"}, {"finish_reason": "MAX_TOKENS"}]
)
def test_providers_say_in_their_own_words_that_a_reply_is_cut_off(metadata: dict[str, str]) -> None:
    assert is_cut_off(AIMessage("The", response_metadata=metadata))
    assert not is_cut_off(AIMessage("The end.", response_metadata={"finish_reason": "stop"}))


def test_a_reply_that_ends_in_a_loop_is_known() -> None:
    assert repeats_itself(AIMessage("The answer is 2. " * 400))
    assert not repeats_itself(AIMessage(" ".join(str(number) for number in range(1_000))))
    assert not repeats_itself(AIMessage("The answer is 2. "))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(LABEL),
        f"Sure! Here it is:\n```json\n{json.dumps(LABEL, indent=2)}\n```\nLet me know if you need more.",
        str(LABEL) + " is what I think.",
        json.dumps(LABEL)[:-1] + ",}",
        json.dumps({**LABEL, "label": "Contradiction"}),
        json.dumps({**LABEL, "label": " **CONTRADICTION** "}),
        f'The form is {{"label": ...}}, so: {json.dumps(LABEL)}',
        f"<think>{json.dumps({**LABEL, 'label': 'neutral'})}</think>{json.dumps(LABEL)}",
        '{text_says: "In 1885.", evidence_says: "In 1883.", label: "contradiction"}',
    ],
)
def test_an_object_is_found_wherever_it_stands(text: str) -> None:
    assert read_object(AIMessage(text), Agreement) == Agreement.model_validate(LABEL)


@pytest.mark.parametrize(
    "text",
    [
        f"{json.dumps(LABEL)}\nNo: {json.dumps({**LABEL, 'label': 'entailment'})}",
        f"As in {json.dumps({**LABEL, 'label': 'neutral'})}, my answer is {json.dumps(LABEL)}",
    ],
)
def test_objects_that_decide_differently_decide_nothing(text: str) -> None:
    with pytest.raises(ValueError, match="several objects that disagree"):
        read_object(AIMessage(text), Agreement)


@pytest.mark.parametrize("again", ["entailment", "neutral"])
def test_an_object_that_gives_two_values_for_a_name_decides_nothing(again: str) -> None:
    text = json.dumps(LABEL)[:-1] + f', "label": "{again}"}}'
    with pytest.raises(ValueError, match="gives each name once"):
        read_object(AIMessage(text), Agreement)
    assert read_object(AIMessage(json.dumps(LABEL)[:-1] + f', "label": "{LABEL["label"]}"}}'), Agreement)


def test_a_message_of_the_server_is_quoted_where_an_object_was_wanted() -> None:
    with pytest.raises(ValueError, match="Too many requests"):
        read_object(AIMessage("Too many requests, please retry."), Agreement)


def test_a_bare_list_is_the_output_that_has_nothing_but_a_list() -> None:
    assert read_object(AIMessage('Questions:\n["When?", "Where?"]'), Queries) == Queries(queries=["When?", "Where?"])
    with pytest.raises(ValueError, match="valid dictionary"):
        read_object(AIMessage('["When?"]'), Agreement)


@pytest.mark.parametrize(
    ("output", "whole"),
    [
        (Queries, {"queries": ["When?", "Where?", "Who?"]}),
        (Chains, {"paths": [[1, 2], [3]]}),
        (Judgements, {"judgements": [{"claim": n, "reason": "", "label": "neutral"} for n in (1, 2)]}),
    ],
)
def test_no_list_that_is_cut_off_passes_for_a_shorter_one(output: Any, whole: dict[str, list[Any]]) -> None:
    text = json.dumps(whole)
    (name,) = whole
    for end in range(len(text)):
        try:
            read = read_object(AIMessage(text[:end]), output)
        except ValueError:
            continue
        assert read == output.model_validate(whole), text[:end]
        assert text[:end].endswith("]"), "the list itself was complete"
    assert getattr(read_object(AIMessage(text), output), name)


@given(st.text(alphabet="{}[]\"':,\\ \nab1", max_size=300))
def test_nothing_that_is_written_breaks_the_reading(text: str) -> None:
    assert all(isinstance(found, dict | list) for found in json_objects(text))


@pytest.mark.parametrize("unit", ["{", "[", '"', '{"', "}", "</think>", "<think>", "```\n", '{"a":', "{'a': \"b\"c,"])
def test_the_cost_of_reading_grows_with_the_length_of_the_reply(unit: str) -> None:
    costs = [_cost(unit * n) for n in (500, 2_000)]
    assert costs[1] <= 6 * costs[0] + 2_000, "four times the text, about four times the work"


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("```python\nanswer = 2\n```", "answer = 2"),
        ("First:\n```\nx = 1\n```\nthen\n```python\nx = 1\nanswer = x\n```\nDone.", "x = 1\nanswer = x"),
        ("answer = 2", "answer = 2"),
        ('{"code": "answer = 2"}', "answer = 2"),
        ("~~~py\nx = 1\nanswer = x\n~~~", "x = 1\nanswer = x"),
        ("```python\nx = 1\nanswer = x", "x = 1\nanswer = x"),
        ('```json\n{"code": "answer = 2"}\n```', "answer = 2"),
        ("Sure.\n<think>\n```python\nanswer = 3\n```\n</think>\n```python\nanswer = 2\n```", "answer = 2"),
        ("<think>```python\nanswer = 3\n```</think>```python\nanswer = 2\n```", "answer = 2"),
    ],
)
def test_a_program_is_the_block_that_comes_to_an_answer(text: str, program: str) -> None:
    assert read_program(AIMessage(text)) == program


@pytest.mark.parametrize("text", ["", "It is 2.", "The answer is 2."])
def test_words_are_no_program(text: str) -> None:
    with pytest.raises(ValueError, match=r"no program|empty"):
        read_program(AIMessage(text))


def _cost(text: str) -> int:
    return steps(lambda: (list(json_objects(text)), text_of(AIMessage(text))))


def test_what_is_repaired_of_a_reply_is_bounded_as_a_whole() -> None:
    """Repairing takes its time over every object, however small."""
    found = list(json_objects("{a: 1} " * 20_000 + '{"b": 2}'))
    assert found[0] == {"a": 1}
    assert found[-1] == {"b": 2}
    assert len(found) < 5_000


def test_a_word_in_braces_is_no_list() -> None:
    reply = AIMessage('I use the form {queries}.\n\n{"queries": ["Who wrote it?"],}')
    assert read_object(reply, Queries).queries == ["Who wrote it?"]
