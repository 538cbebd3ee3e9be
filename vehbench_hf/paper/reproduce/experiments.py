"""Rows of the controlled experiments and of the circuit audit, named as in the paper."""

from collections.abc import Mapping

from vehbench_hf.paper.reproduce.analysis import Analysis
from vehbench_hf.paper.reproduce.cells import Cell, Cells, Computed, Tables, in_row
from vehbench_hf.paper.reproduce.circuit import circuit_cells
from vehbench_hf.paper.reproduce.controlled import Named, intervention_cells, isomorphic_cells, prompt_cells
from vehbench_hf.paper.reproduce.matching import match_rows, prints_equal
from vehbench_hf.paper.reproduce.roster import MEAN_ROW
from vehbench_hf.types import Probe


def experiment_cells(analysis: Analysis, circuit_sizes: Mapping[Probe, int], tables: Tables) -> dict[Cell, Computed]:
    """Tables 14, 35, 36, 38 and 40 to 44, each model of a file taken for the printed row that its numbers fit."""
    found: dict[Cell, Computed] = {}
    files = [intervention_cells(analysis), isomorphic_cells(analysis), *circuit_cells(analysis, circuit_sizes)]
    for cells in files:
        found |= _by_numbers(cells, tables)
    return found | _means_over_rows(found, tables, "14") | _prompt_rows(analysis, tables)


def _by_numbers(named: Named, tables: Tables) -> dict[Cell, Computed]:
    """Cells under the names of the aggregates as cells of printed rows, found as for directories."""
    numbers = {name.table for cells in named.values() for name in cells}
    matched, _ = match_rows(named, {number: tables[number] for number in numbers if number in tables})
    return {cell: value for row, fit in matched.items() for cell, value in in_row(row, named[fit.label]).items()}


def _means_over_rows(cells: Cells, tables: Tables, number: str) -> dict[Cell, Computed]:
    """The mean of each column over the printed rows, where every row has it; intervals do not average."""
    if number not in tables:
        return {}
    rows = [row for row in tables[number].rows if row != MEAN_ROW]
    found = {}
    for column in tables[number].columns:
        values = [cells[cell].value for row in rows if (cell := Cell(number, row, column)) in cells]
        known = [value for value in values if value is not None]
        if rows and len(known) == len(rows) and not column.endswith(("_low", "_high")):
            found[Cell(number, MEAN_ROW, column)] = Computed(sum(known) / len(known))
    return found


def _prompt_rows(analysis: Analysis, tables: Tables) -> dict[Cell, Computed]:
    """Table 38. An experiment with two models has one summary; it is that of the model with more equal cells."""
    if "38" not in tables:
        return {}
    table = tables["38"]
    found: dict[Cell, Computed] = {}
    for experiment, conditions in prompt_cells(analysis).items():
        by_model: dict[str, dict[Cell, Computed]] = {}
        for row, label in table.labels.items():
            if label.get("cell") == experiment and label.get("condition") in conditions:
                cells = in_row(row, conditions[label["condition"]])
                by_model.setdefault(str(label.get("model")), {}).update(cells)
        equal = {
            model: sum(
                prints_equal(printed, value, table, cell.row, cell.column)
                for cell, value in cells.items()
                if (printed := table.rows[cell.row].get(cell.column)) is not None
            )
            for model, cells in by_model.items()
        }
        if equal:
            found |= by_model[max(equal, key=lambda model: equal[model])]
    return found
