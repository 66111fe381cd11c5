"""A folder of documents is written, indexed and searched, and its figures are shown."""

import pytest
from rich.console import Console

from benchmarks.index import searched
from benchmarks.tables import tables


def test_a_folder_is_searched_in_every_state(capsys: pytest.CaptureFixture[str]) -> None:
    found = searched(60, html=5, pdf=5)
    assert found["documents"] == 60
    assert found["size"] > 60 * 2_000
    assert all(found[name] > 0 for name in ("cold", "warm", "changed", "first", "query", "peak"))
    (table,) = tables({"documents": [found]})
    Console(width=120).print(table)
    assert "│        60 │" in capsys.readouterr().out


def test_a_folder_in_which_nothing_is_found_measures_nothing() -> None:
    with pytest.raises(RuntimeError, match=r"found \d passages"):
        searched(1)
