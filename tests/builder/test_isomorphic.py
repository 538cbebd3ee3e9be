"""The three forms of a group ask for the same feasible design, and each is what its question says."""

from collections import defaultdict
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from judged import judge_for
from vehbench_builder.build_spec import BuildError, BuildSpec
from vehbench_builder.veh import p2
from vehbench_builder.veh.anchors import load_anchors
from vehbench_builder.veh.isomorphic.groups import MOST_COMPLETIONS, build_isomorphic
from vehbench_builder.veh.isomorphic.infeasible import LEAST_DISTANCE, Places, infeasible_beside
from vehbench_builder.veh.p4 import p4
from vehbench_builder.veh.p4.pool_plan import Plan, Planned
from vehbench_builder.veh.p4.supply import places_in
from vehbench_hf.bank.schema import CANARY, arrow_schema, row_checksum, row_to_task, task_to_row
from vehbench_hf.isomorphic.types import FORMS, IsomorphicTask
from vehbench_hf.types import Task
from vehbench_oracle import VARIABLES

SOURCES = (
    "p2/dev/resonance_tuned/10_3390_mi13050675/0",
    "p2/test_id/boundary_binding/s21217/0",
    "p2/test_ood/power_tight/s22197/0",
    "p2/dev/paper_like/sna2019/0",
)
"""Three sources of medium or hard difficulty from all splits, and an easy one, which is not taken."""
GROUPS = 3
PLAN = Plan("balanced_core", "performance_first", 0, 0)


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    """P2 tasks and the P4 pools made from them."""
    found = []
    for index, unit in enumerate(unit for unit in p2.units(load_anchors(), BuildSpec(), {}) if unit.key in SOURCES):
        (source,) = p2.build_unit(unit)
        planned = Planned(source, PLAN, {"performance_first": "B", "balanced": "B", "reliability_first": "D"})
        ids = tuple(f"v2::p4::{source.split}::{3 * index + i:04d}" for i in range(3))
        found += [source, *p4.build_unit(p4.Unit(f"p4/{index}", ids, 0, source.split, planned))]
    return found


@pytest.fixture(scope="module")
def built(tasks: list[Task]) -> list[IsomorphicTask]:
    return build_isomorphic(tasks, groups=GROUPS)


@pytest.fixture(scope="module")
def rows(built: list[IsomorphicTask]) -> list[dict[str, Any]]:
    return [task_to_row(task) for task in built]


def of_form(rows: list[dict[str, Any]], form: str) -> list[dict[str, Any]]:
    found = [row for row in rows if row["form"] == form]
    assert len(found) == GROUPS
    return found


def test_the_forms_of_a_group_share_their_brief_and_witness(rows: list[dict[str, Any]]) -> None:
    groups = defaultdict(list)
    for row in rows:
        groups[row["group"]].append(row)
    assert len(groups) == GROUPS
    for members in groups.values():
        assert sorted(row["form"] for row in members) == sorted(FORMS)
        for name in ("variable_bounds", "constraints", "excitation", "materials"):
            assert members[0]["spec"][name] == members[1]["spec"][name] == members[2]["spec"][name]
        assert members[0]["gold"]["witness"] == members[1]["gold"]["witness"] == members[2]["gold"]["witness"]
        assert judge_for(members[0]["spec"], members[0]["gold"]["witness"]).feasible
        assert len({row["anchor"]["key"] for row in members}) == 1


def test_a_group_has_its_task_in_p2_and_in_p4(rows: list[dict[str, Any]], tasks: list[Task]) -> None:
    by_id = {task.task_id: task for task in tasks}
    for row in rows:
        source = by_id[row["gold"]["source_task_id"]]
        pool = next(task for task in tasks if task.gold["pool_id"] == row["gold"]["pool_id"])
        assert source.probe == "p2"
        assert row["spec"]["constraints"] == source.spec["constraints"] == pool.spec["constraints"]
        assert row["gold"]["witness"] in [candidate["design"] for candidate in pool.spec["candidates"]]
        assert row["difficulty"] == source.difficulty != "easy"


def test_a_selection_has_one_answer(rows: list[dict[str, Any]]) -> None:
    for row in of_form(rows, "selection"):
        candidates = row["spec"]["candidates"]
        verdicts = [judge_for(row["spec"], one["design"]) for one in candidates]
        assert [one["id"] for one in candidates] == list("ABCDE")
        feasible = [one["id"] for one, verdict in zip(candidates, verdicts, strict=True) if verdict.feasible]
        assert feasible == [row["gold"]["answer"]]
        for stored, verdict in zip(row["gold"]["verdicts"], verdicts, strict=True):
            assert stored["feasible"] == verdict.feasible
            assert stored["total_violation"] == verdict.total_violation
            assert stored["violations"] == [violation.name for violation in verdict.violations]
    assert len({row["gold"]["answer"] for row in of_form(rows, "selection")}) == GROUPS


def test_neither_one_check_nor_a_hair_tells_the_infeasible_candidates(rows: list[dict[str, Any]]) -> None:
    for row in of_form(rows, "selection"):
        broken = [set(one["violations"]) for one in row["gold"]["verdicts"] if not one["feasible"]]
        assert any("freq_error_pct_limit" not in one for one in broken)
        assert len({tuple(sorted(one)) for one in broken}) >= 2
        assert all(0.02 <= v["total_violation"] <= 1.5 for v in row["gold"]["verdicts"] if not v["feasible"])
        designs = [one["design"] for one in row["spec"]["candidates"]]
        u = places_in(row["spec"], designs)
        assert min(abs(u[a] - u[b]).max() for a, b in combinations(range(5), 2)) >= LEAST_DISTANCE


def test_no_metrics_are_shown_and_no_form_gives_the_witness_away(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        spec, witness = row["spec"], row["gold"]["witness"]
        assert all(set(one) == {"id", "design"} for one in spec["candidates"])
        assert (spec["candidates"] != []) == (row["form"] == "selection")
        assert (spec["initial_design"] is not None) == (row["form"] == "generation")
        assert (spec["fixed"] is not None) == (row["form"] == "completion")
        assert witness not in (spec["initial_design"], spec["fixed"])


def test_no_generation_starts_from_a_solution(rows: list[dict[str, Any]]) -> None:
    selections = {row["group"]: row for row in of_form(rows, "selection")}
    for row in of_form(rows, "generation"):
        start = judge_for(row["spec"], row["spec"]["initial_design"])
        assert not start.feasible
        verdicts = selections[row["group"]]["gold"]["verdicts"]
        assert start.total_violation == min(one["total_violation"] for one in verdicts if not one["feasible"])


def test_a_completion_is_possible_and_not_solved_by_the_middle(rows: list[dict[str, Any]]) -> None:
    for row in of_form(rows, "completion"):
        spec, gold, opened = row["spec"], row["gold"], row["gold"]["open_variables"]
        assert [name for name, value in spec["fixed"].items() if value is None] == opened
        assert len(opened) == 2
        completed = {name: gold["witness"][name] if name in opened else spec["fixed"][name] for name in VARIABLES}
        assert judge_for(spec, completed).feasible
        box = spec["variable_bounds"]
        middle = {name: (box[name]["min"] + box[name]["max"]) / 2 for name in opened}
        if "load_resistance_ohm" in opened:
            middle["load_resistance_ohm"] = float(np.sqrt(np.prod(list(box["load_resistance_ohm"].values()))))
        assert not judge_for(spec, {**spec["fixed"], **middle}).feasible
        assert 0 < gold["feasible_share"] <= MOST_COMPLETIONS


def test_a_row_survives_its_schema(rows: list[dict[str, Any]], built: list[IsomorphicTask]) -> None:
    schema = arrow_schema("isomorphic")
    assert (schema.metadata or {})[b"canary"] == CANARY.encode()
    stored = pa.Table.from_pylist(rows, schema=schema).to_pylist()
    assert stored == [{name: row[name] for name in schema.names} for row in rows]
    assert all(row["checksum"] == row_checksum(row) for row in stored)
    assert [row_to_task(row) for row in stored] == built


def test_equal_seeds_give_equal_rows(built: list[IsomorphicTask], tasks: list[Task]) -> None:
    assert build_isomorphic(tasks, groups=GROUPS) == built
    assert build_isomorphic(list(reversed(tasks)), groups=GROUPS) == built
    assert build_isomorphic(tasks, 1, groups=GROUPS) != built
    assert [task.task_id for task in built] == [f"v2::isomorphic::{i:04d}" for i in range(1, 3 * GROUPS + 1)]


def test_a_bank_without_enough_pools_or_sources_is_refused(tasks: list[Task]) -> None:
    with pytest.raises(BuildError, match="expected 46 P4 pools of medium or hard difficulty, got 3"):
        build_isomorphic(tasks)
    with pytest.raises(BuildError, match="no P2 task with its brief"):
        build_isomorphic([task for task in tasks if task.probe == "p4"], groups=GROUPS)


def test_no_feasible_neighbour_is_called_infeasible(tasks: list[Task]) -> None:
    task = next(task for task in tasks if task.probe == "p4")
    designs = [candidate["design"] for candidate in task.spec["candidates"]]
    found = infeasible_beside(task.spec, designs[0], designs, Places(0, 0), np.random.default_rng(3))
    assert found is not None
    assert not any(judge_for(task.spec, design).feasible for design in found)
    limits = {**dict.fromkeys(task.spec["constraints"], 1e9), "power_target_uw": 1e-9}
    loose = {**task.spec, "constraints": limits}
    nothing = infeasible_beside(loose, designs[0], designs, Places(0, 0), np.random.default_rng(3))  # type: ignore[arg-type]
    assert nothing is None
