"""Tables that follow from other printed tables: the arithmetic of the paper, no evidence about its logs."""

from collections.abc import Iterable, Mapping

from vehbench_hf.analysis.stage_choice import Routing, StageScore, Strategy, simulate
from vehbench_hf.paper.reproduce.cells import Cell, Computed, PrintedTable, Tables
from vehbench_hf.paper.reproduce.sources import GROUP_LABELS, GROUP_ROWS, SPLIT_TABLES
from vehbench_hf.types import SPLITS, Probe, Split

HELD_OUT: tuple[Split, ...] = ("test_id", "test_ood")

Sizes = Mapping[tuple[Probe, str], int]
"""Tasks of the bank by probe and split: the held-out weights."""


def printed_input_cells(tables: Tables, sizes: Sizes) -> dict[Cell, Computed]:
    """Tables 5 and 31 from the printed split tables, and Table 28 from Tables 2 and 27."""
    return strategy_cells(tables, sizes) | group_cells(tables)


def printed_routing(tables: Tables, sizes: Sizes) -> Routing | None:
    """The stage-aware selection over the printed split tables; None where one of them is absent."""
    if any(number not in tables for number, _, _ in SPLIT_TABLES.values()):
        return None
    scores: dict[str, dict[Probe, StageScore]] = {}
    for probe, (number, headline, second) in SPLIT_TABLES.items():
        table = tables[number]
        for model in table.rows:
            by_split = {split: _fraction(table, model, f"{split}_{headline}") for split in SPLITS}
            scores.setdefault(model, {})[probe] = StageScore(
                dev=by_split["dev"],
                auxiliary=_fraction(table, model, f"dev_{second}"),
                held_out=held_out((by_split[split], sizes.get((probe, split), 0)) for split in HELD_OUT),
            )
    return simulate(scores)


def held_out(splits: Iterable[tuple[float | None, int]]) -> float | None:
    """Scores of the held-out splits weighted by their task counts; None when a split with tasks has no score."""
    total, n = 0.0, 0
    for value, tasks in splits:
        if tasks == 0:
            continue
        if value is None:
            return None
        total, n = total + tasks * value, n + tasks
    return total / n if n else None


def strategy_cells(tables: Tables, sizes: Sizes) -> dict[Cell, Computed]:
    """Every row of Tables 5 and 31."""
    routing = printed_routing(tables, sizes)
    if routing is None:
        return {}
    shared = {"Ex-post stage-best envelope": routing.envelope}
    rows: dict[str, dict[str, Strategy | None]] = {
        "5": {
            **{f"{stage.upper()} specialist": alone for stage, alone in routing.specialists.items()},
            "Validation-selected router": routing.router,
            **shared,
        },
        "31": {
            "Validation aggregate leader": routing.leader,
            "Best held-out single model": routing.best_single,
            "Validation-selected stage router": routing.router,
            **shared,
        },
    }
    unit = {probe: _half_unit(tables[number], f"test_id_{part}") for probe, (number, part, _) in SPLIT_TABLES.items()}
    best = routing.envelope.scores
    cells: dict[Cell, Computed] = {}
    for table, strategies in rows.items():
        for row, strategy in strategies.items():
            if strategy is None:
                continue
            for stage, value in strategy.scores.items():
                cells[Cell(table, row, stage.upper())] = Computed(value, spread=unit[stage])
            spread = _spread_of_mean(strategy, best, unit)
            cells[Cell(table, row, "mean_norm")] = Computed(strategy.mean_norm, spread=spread)
    return cells


def group_cells(tables: Tables) -> dict[Cell, Computed]:
    """Table 28: means of the columns of Table 2 over the models with and without thinking mode by Table 27."""
    if "2" not in tables or "27" not in tables:
        return {}
    headline = tables["2"]
    labels = {model: row.get("think_used") for model, row in tables["27"].labels.items()} | {
        model: row["think_used"] for model, row in tables["27"].rows.items() if row
    }
    cells: dict[Cell, Computed] = {}
    for row, column in GROUP_ROWS.items():
        for group, label in GROUP_LABELS.items():
            values = [
                value
                for model in headline.rows
                if labels.get(model) == label and (value := _fraction(headline, model, column)) is not None
            ]
            if values:
                cells[Cell("28", row, group)] = Computed(sum(values) / len(values), spread=_half_unit(headline, column))
    return cells


def _spread_of_mean(strategy: Strategy, best: Mapping[Probe, float], unit: Mapping[Probe, float]) -> float:
    """How far rounding of the split tables can move a mean of score / best; a best score over itself is exactly 1."""
    moved = [
        unit[stage] / best[stage] * (1 + value / best[stage]) if value != best[stage] else 0.0
        for stage, value in strategy.scores.items()
    ]
    return sum(moved) / len(moved)


def _half_unit(table: PrintedTable, column: str) -> float:
    """Half of the last printed digit of a column, as a fraction."""
    how = table.columns[column]
    return 0.5 * 10.0**-how.decimals / (100 if how.percent else 1)


def _fraction(table: PrintedTable, row: str, column: str) -> float | None:
    printed = table.rows[row].get(column)
    return None if printed is None else printed / (100 if table.how(row, column).percent else 1)
