"""The paper's tables from the logs of the release at hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from vehbench_hf.errors import ReleaseError
from vehbench_hf.paths import shipped
from vehbench_hf.reproduce import Reproduction, reproduce
from vehbench_hf.reproduce.sources import SOURCES

KNOWN_DIFFERENCES = {
    # Table 26 prints a complete o4-mini run of 159 pools. The released log is a partial run, 7 + 36 + 7 pools, that
    # Tables 2 and 21 were computed from; of the splits only its test_id is complete, and it is another run.
    ("26", "o4-mini", "test_id_tau"),
}
LOGGED_MODELS = 7
CELLS = {"2": 28, "18": 49, "19": 49, "20": 49, "21": 56, "23": 42, "24": 42, "25": 42, "26": 38}


def test_a_cell_differs_that_is_not_known_to(found: Reproduction) -> None:
    differences = {
        (number, cell.row, cell.column) for number, table in found.tables.items() for cell in table.different
    }
    assert differences == KNOWN_DIFFERENCES


@pytest.mark.parametrize("number", SOURCES)
def test_a_cell_that_the_logs_give_is_not_compared(found: Reproduction, number: str) -> None:
    table = found.tables[number]
    assert table.compared == CELLS[number]
    known = sum(place[0] == number for place in KNOWN_DIFFERENCES)
    assert table.equal == CELLS[number] - known
    assert table.compared + len(table.not_in_logs) == 12 * len(SOURCES[number])


def test_the_known_difference_has_another_size(found: Reproduction) -> None:
    (cell,) = found.tables["26"].different
    assert cell.printed == 0.733
    assert cell.computed == pytest.approx(0.75)


def test_models_are_found_by_letter_or_not_at_all(found: Reproduction) -> None:
    assert len(found.matched) == LOGGED_MODELS
    assert len({fit.label for fit in found.matched.values()}) == LOGGED_MODELS
    for row, fit in found.matched.items():
        assert fit.share > 0.95, row
    # Two folders hold P1 and P2 runs of models that the paper does not print; nothing near half of their cells fits.
    assert len(found.unmatched) == 2
    assert all(fit.share < 0.1 for fit in found.unmatched.values())


def test_why_a_cell_is_absent_is_not_said(found: Reproduction) -> None:
    reasons = {(cell.row, cell.column): cell.reason for cell in found.tables["26"].not_in_logs}
    assert reasons["o4-mini", "dev_tau"] == "the log holds 7 of 93 p4 tasks of dev"
    assert reasons["o4-mini", "test_ood_exact"] == "the log holds 7 of 30 p4 tasks of test_ood"
    assert "no directory" in reasons["llama-3.3-70b", "dev_tau"]


def test_a_partial_or_doubled_run_is_not_mentioned(found: Reproduction) -> None:
    notes = {row: " ".join(found.coverage[fit.label]) for row, fit in found.matched.items()}
    assert "40 rows for 36" in notes["qwen3.6-plus"]
    assert "7 of 93" in notes["o4-mini"]
    for fit in found.unmatched.values():
        assert "p3: no rows at all" in found.coverage[fit.label]


def test_json_has_another_shape_than_the_contract(found: Reproduction) -> None:
    body: dict[str, Any] = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert list(body["tables"]) == list(SOURCES)
    table = body["tables"]["26"]
    assert (table["compared"], table["equal"], table["not_in_logs"]) == (38, 37, 34)
    assert table["by_source"]["row_logs"] == {"compared": 38, "equal": 37}
    assert table["by_source"]["aggregates"] == table["by_source"]["printed_inputs"] == {"compared": 0, "equal": 0}
    assert table["different"] == [
        {"row": "o4-mini", "column": "test_id_tau", "printed": 0.733, "computed": pytest.approx(0.75)}
    ]


def test_text_hides_a_difference_or_an_absent_cell(found: Reproduction) -> None:
    text = found.as_text()
    assert "Table 18, P1 full table: 49 of 49 compared cells equal, 35 not in the logs" in text
    assert "differs: o4-mini, test_id_tau: printed 0.733, computed 0.75" in text
    assert "not in the logs: o4-mini, dev_tau, dev_exact: the log holds 7 of 93 p4 tasks of dev" in text
    for row, fit in found.matched.items():
        assert f"{fit.label} is {row} " in text
    for label in found.unmatched:
        assert f"{label} is no printed row" in text


def test_one_renamed_model_alone_is_not_recognized(found: Reproduction, part_of_release: Any) -> None:
    label = found.matched["mimo-v2.5-pro"].label
    alone = reproduce(part_of_release({label: "some name"}))
    assert {row: fit.label for row, fit in alone.matched.items()} == {"mimo-v2.5-pro": "some name"}
    assert alone.tables["18"].compared == alone.tables["18"].equal == 7
    assert len(alone.tables["18"].not_in_logs) == 11 * 7


def test_swapped_names_swap_models(found: Reproduction, part_of_release: Any) -> None:
    first, second = found.matched["qwen3-max"].label, found.matched["gpt-5.4"].label
    swapped = reproduce(part_of_release({first: second, second: first}))
    assert swapped.matched["qwen3-max"].label == second
    assert swapped.matched["gpt-5.4"].label == first
    assert swapped.equal


def test_a_directory_that_fits_two_rows_is_named_without_a_word(
    found: Reproduction, part_of_release: Any, tmp_path: Path
) -> None:
    # Table 18 prints qwen3.6-plus and deepseek-v4-pro alike; from that table alone a directory could be either.
    body = json.loads(shipped("cards/published_tables.json").read_text(encoding="utf-8"))
    body["tables"] = {"table_18": body["tables"]["table_18"]}
    only_18 = tmp_path / "tables.json"
    only_18.write_text(json.dumps(body), encoding="utf-8")
    folder = part_of_release({found.matched["qwen3.6-plus"].label: "x"})
    ambiguous = reproduce(folder, only_18)
    assert list(ambiguous.matched) == ["qwen3.6-plus"]
    assert "its cells fit the printed row deepseek-v4-pro as well as qwen3.6-plus" in ambiguous.coverage["x"]
    assert not any("as well as" in note for note in found.coverage[found.matched["qwen3.6-plus"].label])


def test_a_folder_without_models_gives_an_empty_table(part_of_release: Any) -> None:
    with pytest.raises(ReleaseError, match="logs of no model"):
        reproduce(part_of_release({}))


def test_a_folder_that_is_no_release_gives_a_traceback(tmp_path: Any) -> None:
    with pytest.raises(ReleaseError):
        reproduce(tmp_path)
