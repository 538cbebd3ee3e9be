"""Where computed cells come from: never from the printed cell, and each source only for what it is."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vehbench_hf.analysis.profiles import AXES
from vehbench_hf.errors import ReleaseError
from vehbench_hf.paper.reproduce import (
    Inputs,
    PrintedTable,
    Reproduction,
    compare,
    read_published,
    render,
    reproduce,
)
from vehbench_hf.paper.reproduce.aggregates import correlation_cells
from vehbench_hf.paper.reproduce.cells import Cell
from vehbench_hf.paper.reproduce.experiments import experiment_cells
from vehbench_hf.paper.reproduce.inputs import SUMMARIES, Analysis, read_analysis
from vehbench_hf.paper.reproduce.intervals import near_ties
from vehbench_hf.paper.reproduce.printed_inputs import printed_routing
from vehbench_hf.paper.reproduce.reproduce import Evidence, gather
from vehbench_hf.paper.reproduce.sources import AXIS_FIELDS, CSV_FILES

READ_FROM_PRINT = {"2", "23", "24", "25", "26", "27"}
"""Tables that Tables 5, 28 and 31 are computed from."""


@pytest.fixture(scope="module")
def evidence(inputs: Inputs, printed: dict[str, PrintedTable]) -> Evidence:
    evidence = gather(inputs, printed)
    assert evidence.matched
    return evidence


def shifted(table: PrintedTable, every: int) -> PrintedTable:
    """The table with every n-th cell off by three units of its last digit."""
    count = 0
    rows = {}
    for row, cells in table.rows.items():
        rows[row] = dict(cells)
        for column, value in cells.items():
            count += 1
            if count % every == 0:
                rows[row][column] = value + 3 * 10.0 ** -table.how(row, column).decimals
    return replace(table, rows=rows)


def test_no_printed_number_gets_into_a_computed_cell(
    inputs: Inputs, printed: dict[str, PrintedTable], evidence: Evidence
) -> None:
    other = gather(inputs, {number: shifted(table, 7) for number, table in printed.items()})
    for kind in ("row_logs", "aggregates"):
        assert other.cells[kind] == evidence.cells[kind]
    assert other.cells["printed_inputs"] != evidence.cells["printed_inputs"]
    only_outputs = {
        number: table if number in READ_FROM_PRINT else shifted(table, 1) for number, table in printed.items()
    }
    assert (
        gather(replace(inputs, runs=[], analysis=Analysis()), only_outputs).cells["printed_inputs"]
        == (evidence.cells["printed_inputs"])
    )


def test_without_aggregates_none_of_their_cells_is_compared(
    inputs: Inputs, printed: dict[str, PrintedTable], found: Reproduction
) -> None:
    bare = compare(replace(inputs, analysis=Analysis()), printed)
    for number, table in bare.tables.items():
        assert table.by_source["aggregates"] == (0, 0), number
    # Whether a state score takes in the intervention, and that the partial run of o4-mini is one of two, only the
    # aggregates tell.
    counts = {
        number: (table.by_source["row_logs"], found.tables[number].by_source["row_logs"])
        for number, table in bare.tables.items()
    }
    assert {number for number, (now, before) in counts.items() if now != before} == {"4", "26", "29"}
    assert counts["26"] == ((38, 37), (36, 36))
    assert counts["29"] == ((27, 27), (32, 32))


def test_a_profile_from_logs_agrees_with_the_authors_to_six_decimals(inputs: Inputs, evidence: Evidence) -> None:
    models = inputs.analysis.entry("profile_metrics", "models")
    theirs = {tuple(_scores(model)): key for key, model in models.items() if len(_scores(model)) == len(AXES)}
    for row in evidence.matched:
        ours = []
        for axis in AXES:
            cell = Cell("29", row, axis)
            known = [evidence.cells[kind].get(cell) for kind in ("row_logs", "aggregates")]
            value = next(c.value for c in known if c is not None and c.value is not None)
            ours.append(round(value, 6))
        closest = min(max(abs(a - b) for a, b in zip(ours, scores, strict=True)) for scores in theirs)
        assert closest <= 1.01e-6, row


def _scores(model: Any) -> list[float]:
    scores = [model["dimension_scores"][AXIS_FIELDS[axis]]["score"] for axis in AXES]
    return [] if None in scores else scores


def test_the_router_chooses_the_models_of_the_paper(inputs: Inputs, printed: dict[str, PrintedTable]) -> None:
    sizes: dict[Any, int] = {}
    for task in inputs.tasks:
        sizes[task.probe, task.split] = sizes.get((task.probe, task.split), 0) + 1
    routing = printed_routing(printed, sizes)
    assert routing is not None
    labels = printed["31"].labels
    for row, strategy in (
        ("Validation aggregate leader", routing.leader),
        ("Best held-out single model", routing.best_single),
        ("Validation-selected stage router", routing.router),
        ("Ex-post stage-best envelope", routing.envelope),
    ):
        assert strategy is not None
        assert {stage.upper(): model for stage, model in strategy.chosen.items()} == labels[row]["chosen"], row
    for row, label in printed["5"].labels.items():
        if label["model"] is not None:
            assert set(routing.specialists[row[:2].lower()].chosen.values()) == {label["model"]}  # type: ignore[index]
    assert routing.choices["p3"].decided_by == "auxiliary"
    assert set(routing.choices["p3"].tied) == {"mimo-v2.5-pro", "hunyuan-hy3-preview"}


def test_cut_off_logs_do_not_count_against_the_tables(found: Reproduction, part_of_release: Any) -> None:
    label = found.matched["mimo-v2.5-pro"].label
    folder: Path = part_of_release({label: "x"}, analysis=True)
    for file in folder.glob("results/model_outputs/x/**/main_trajectories.jsonl"):
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for row in rows:
            row["steps"] = [
                {**row["steps"][0], "action_type": "invalid_output", "proposal": None, "verifier_response": None}
            ]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    broken = reproduce(folder)
    assert {(n, cell.row) for n, table in broken.tables.items() for cell in table.different} == {("16", "P1")}
    assert broken.tables["19"].by_source["row_logs"].compared == 0
    (reason,) = {cell.reason for cell in broken.tables["19"].not_in_logs if cell.row == "mimo-v2.5-pro"}
    assert "the released log is another run: 208 of 208 p2 rows end in invalid output" in reason
    assert broken.tables["18"].by_source["row_logs"] == (7, 7)


def test_a_file_with_fewer_columns_compares_fewer_cells(
    inputs: Inputs, found: Reproduction, reference_dir: Path
) -> None:
    # In the original transcription Tables 12, 14, 16, 27 and 38 name no columns: nothing of them is compared.
    other = compare(inputs, read_published(reference_dir / "published_tables.json"))
    bare = {"12", "14", "16", "27", "38"}
    for number, table in other.tables.items():
        expected = dict.fromkeys(table.by_source, (0, 0)) if number in bare else found.tables[number].by_source
        assert table.by_source == expected, number
    assert found.tables.keys() - other.tables.keys() == {"13", "36"}


def test_a_damaged_summary_is_refused_by_name(tmp_path: Path) -> None:
    assert read_analysis(tmp_path) == Analysis()
    file = tmp_path / SUMMARIES / "profile_metrics.json"
    file.parent.mkdir(parents=True)
    for text in ("{", "[]"):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ReleaseError, match=r"profile_metrics\.json"):
            read_analysis(tmp_path)
    file.unlink()
    (tmp_path / SUMMARIES / "probe_summary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ReleaseError, match=r"probe_summary\.csv"):
        read_analysis(tmp_path)


def test_a_summary_with_other_fields_gives_no_cell(printed: dict[str, PrintedTable]) -> None:
    for runs in (None, 1, [1, None, {"model": []}], [{"model": [], "feedback_mode": "full_numeric"}]):
        analysis = Analysis({"interventions": {"runs": runs}}, {name: [{"strange": "1"}] for name in CSV_FILES})
        assert experiment_cells(analysis, {}, printed) == {}
        assert correlation_cells(analysis) == {}


def test_near_ties_agree_with_tables_12_and_21(found: Reproduction) -> None:
    ties = {(tie.pair, tie.object): tie for tie in found.near_ties}
    assert len(ties) == len(found.near_ties) == 6
    for tie in found.near_ties:
        assert (tie.source is None) == (tie.difference is None)
        assert (tie.why is None) == (tie.source == "row_logs") == (tie.interval is not None)
        assert f"not printed: {tie.object}, {tie.pair}: " in render(found)
    tau, exact = (ties["gpt-5.4 vs qwen3.6-plus", name] for name in ("P4 Full Tau", "Exact"))
    assert tau.difference == pytest.approx(0.013, abs=5e-4)
    assert tau.interval == pytest.approx((-0.024, 0.050), abs=3e-3)
    assert exact.interval is not None
    assert exact.difference is not None
    assert exact.interval[0] < exact.difference < exact.interval[1]
    success = ties["hunyuan-hy3-preview vs mimo-v2.5-pro", "P3-Success"]
    assert success.difference == pytest.approx(0.019, abs=5e-4)


def test_a_near_tie_without_logs_or_aggregates_has_no_difference(printed: dict[str, PrintedTable]) -> None:
    ties = near_ties(printed["13"], {}, {})
    assert ties
    for tie in ties:
        assert (tie.difference, tie.interval, tie.source) == (None, None, None)
        assert "no directory of the folder" in str(tie.why)
