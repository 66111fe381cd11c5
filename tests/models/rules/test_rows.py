"""What the rows of a table say of a statement: its own row and column only, and nothing where that is in doubt."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from errata.models.rules.agreeing import judge
from errata.models.rules.editing import corrected
from errata.state.text.tables import without_pipes
from errata.tools.reading.office import table

from ...growth import growth

TABLES: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "rows.yaml").read_text(encoding="utf-8"))
PAIRS = [(name, *pair) for name, each in TABLES.items() for pair in each["pairs"]]


def told(name: str) -> str:
    return table(TABLES[name]["table"])


@pytest.mark.parametrize(("name", "statement", "label"), [pair[:3] for pair in PAIRS])
def test_a_row_says_what_stands_in_its_columns(name: str, statement: str, label: str) -> None:
    assert judge(statement, statement, told(name)).label == label


@pytest.mark.parametrize(("name", "statement", "label", "right"), [pair for pair in PAIRS if len(pair) > 3])
def test_the_value_of_the_row_takes_the_place_of_a_wrong_one(name: str, statement: str, label: str, right: str) -> None:
    assert corrected(statement, statement, told(name)) == right


def test_a_table_of_another_year_does_not_say_how_things_are() -> None:
    table_of = "City: Arlen; Population: 12000; Founded: 1850."
    text = "Arlen has a population of 30,000."
    assert judge(text, text, f"Towns in 1900\n\n{table_of}").label == "neutral"
    for title, label in (("Census 1900", "neutral"), ("Towns", "contradiction")):
        assert judge(text, text, table_of, title).label == label


def test_what_a_pronoun_stands_for_is_looked_up() -> None:
    text = "Arlen is an old town. It was founded in 1950, and its population is 12,000."
    assert corrected(text, "It was founded in 1950", told("towns")) == text.replace("1950", "1850")
    assert judge(text, "Its population is 12,000", told("towns")).label == "entailment"


def test_rows_of_a_markdown_table_are_looked_up() -> None:
    evidence = "Towns of the valley:\n\n| Town | Opened |\n|---|---|\n| Arlen | 1850 |\n| Bergum | 1912 |\n"
    assert judge("Bergum was opened in 1912.", "Bergum was opened in 1912.", evidence).label == "entailment"
    assert (
        corrected("Bergum was opened in 1850.", "Bergum was opened in 1850.", evidence) == "Bergum was opened in 1912."
    )


def test_a_sentence_in_a_cell_is_read_as_one() -> None:
    evidence = "Title: Arlen; Text: The tower of Arlen was built in 1889 by Ann Lee. It is 61 m tall."
    for text in ("The tower of Arlen was built in 1889.", "The tower of Arlen is 61 m tall."):
        assert judge(text, text, evidence, "Arlen").label == "entailment"


def test_prose_and_a_table_that_disagree_decide_nothing() -> None:
    evidence = "Arlen was founded in 1950.\n\nCity: Arlen; Founded: 1850."
    assert judge("Arlen was founded in 1950.", "Arlen was founded in 1950.", evidence).label == "neutral"


def test_many_names_in_a_statement_and_a_row_take_no_longer_than_their_number() -> None:
    def row(size: int) -> str:
        return "City: Arlen" + "".join(f"; c{number}: Xo" for number in range(size // 10)) + "."

    text = "Arlen has Ann, Bob, Cy, Di, Ed, Flo, Gus, Hal, Ida, Jo."
    assert not growth(row, lambda evidence: judge(text, text, evidence), 1_000, 1.0)


def test_a_table_with_a_long_name_becomes_no_book() -> None:
    table = f"|{'ab cd ' * 2_000}|b|\n|-|-|\n" + "|1|2|\n" * 2_000
    assert len(without_pipes(table)) < 5 * len(table)
    assert without_pipes(table).rstrip().endswith("1; 2")
