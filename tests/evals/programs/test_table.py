"""A paper's table beside one's own runs."""

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from errata.apps.cli.main import cli
from errata.evals.programs.table import PUBLISHED
from errata.graphs import METHODS


def table(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["eval", "table", *map(str, arguments)])


def run(folder: Path, dataset: str, **means: list[float]) -> Path:
    folder.mkdir()
    figures: list[dict[str, Any]] = [{"method": "critic_program", "scored": 50, "means": means, "more": {}}]
    (folder / "figures.json").write_text(json.dumps(figures), "utf-8")
    (folder / "settings.json").write_text(json.dumps({"dataset": dataset, "model": "qwen"}), "utf-8")
    return folder


def test_every_row_of_the_papers_has_a_figure_for_each_column() -> None:
    for published in PUBLISHED.values():
        assert all(len(values) == len(published["columns"]) for values in published["rows"].values())
    named = [
        row.rpartition("(")[2].rstrip(")")
        for name in ("critic_qa", "critic_program")
        for row in PUBLISHED[name]["rows"]
    ]
    assert all(name.partition(":")[0] in METHODS for name in named)


def test_runs_on_several_data_sets_fill_one_row(tmp_path: Path) -> None:
    runs = [run(tmp_path / name, name, right=[0.4, 0.26, 0.54, 50]) for name in ("gsm8k", "svamp")]
    told = json.loads(table("critic_program", *runs, "--json").stdout)
    assert told["published"]["CRITIC (critic_program)"] == ["78.2", "83.3", "89.0"]
    assert told["ours"] == {"critic_program, qwen, n = 50": ["40.0 (26.0-54.0)", "40.0 (26.0-54.0)", "-"]}
    assert "78.2" in table("critic_program").stdout


def test_what_has_no_such_score_is_refused(tmp_path: Path) -> None:
    other = table("critic_program", run(tmp_path / "nq", "nq", right=[0.4, 0.2, 0.6, 9]))
    assert "none of the scores" in str(other.exception)
    assert "no finished evaluation" in str(table("critic_program", tmp_path).exception)
    assert table("critic_program", "--json").exit_code == 0


def test_help_names_every_table_and_another_name_is_refused() -> None:
    assert all(name in table("--help").stdout for name in PUBLISHED)
    assert "'NAME': 'nope' is not one of" in table("nope").output
