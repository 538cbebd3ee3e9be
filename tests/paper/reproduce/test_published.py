import json
from pathlib import Path

import pytest

from vehbench_hf.errors import UserError
from vehbench_hf.paper.reproduce import Inputs, compare, read_published, reproduce
from vehbench_hf.paper.reproduce.sources import COVERED, DIAGNOSTICS, LEADERBOARDS, SOURCES
from vehbench_hf.paths import shipped
from vehbench_hf.scoring import score_parts
from vehbench_hf.types import PROBES


def test_printed_columns_and_sources_are_the_same() -> None:
    printed = read_published()
    for number, columns in LEADERBOARDS.items():
        assert columns.keys() == printed[number].columns.keys(), number
        assert len(printed[number].rows) == 12, number
    for number, columns in DIAGNOSTICS.items():
        assert columns.keys() <= printed[number].columns.keys(), number
    assert DIAGNOSTICS["32"].keys() == printed["32"].columns.keys()


def test_every_table_is_transcribed() -> None:
    printed = read_published()
    assert set(COVERED) <= printed.keys()
    without_numbers = {number for number in COVERED if not any(printed[number].rows.values())}
    assert without_numbers == {"13", "22"}


def test_no_two_rows_of_a_table_share_a_name() -> None:
    body = json.loads(shipped("cards/published_tables.json").read_text(encoding="utf-8"))
    assert len(body["tables"]) > 10
    for name, table in body["tables"].items():
        keys = [row[table["key"]] for row in table["rows"]]
        assert len(keys) == len(set(keys)), name


def test_every_source_names_a_part_of_the_scorer() -> None:
    parts = {probe: score_parts(probe, [], "released") for probe in PROBES}
    for columns in SOURCES.values():
        for source in columns.values():
            assert source.part in parts[source.probe]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"schema": "other", "tables": {}}', '{"schema": "vehbench_published_tables_v1", "tables": 3}'],
)
def test_a_file_of_something_else_is_refused_by_name(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tables.json"
    file.write_text(text)
    with pytest.raises(UserError, match=r"tables\.json"):
        read_published(file)


def test_a_file_without_any_of_the_tables_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "tables.json"
    file.write_text(json.dumps({"schema": "vehbench_published_tables_v1", "tables": {}}))
    with pytest.raises(UserError, match="none of Tables 2, 3"):
        reproduce(tmp_path, file)
    with pytest.raises(UserError, match="cannot be read"):
        reproduce(tmp_path, tmp_path / "absent.json")


def test_a_changed_printed_number_is_a_difference(inputs: Inputs, tmp_path: Path) -> None:
    body = json.loads(shipped("cards/published_tables.json").read_text(encoding="utf-8"))
    body["tables"] = {"table_18": body["tables"]["table_18"]}
    (row,) = [row for row in body["tables"]["table_18"]["rows"] if row["model"] == "gpt-5.4"]
    row["acc"] += 0.1
    file = tmp_path / "tables.json"
    file.write_text(json.dumps(body))
    found = compare(inputs, read_published(file))
    assert list(found.tables) == ["18"]
    (cell,) = found.tables["18"].different
    assert (cell.row, cell.column, cell.source) == ("gpt-5.4", "acc", "row_logs")
    assert cell.printed == pytest.approx(43.4)
    assert cell.computed == pytest.approx(43.33, abs=0.01)
