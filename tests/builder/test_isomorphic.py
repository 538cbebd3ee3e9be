"""The three forms of a group ask for the same feasible design, and each is what its question says."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from judged import judge_for
from vehbench_builder.build_spec import BuildError, BuildSpec
from vehbench_builder.veh import p2
from vehbench_builder.veh.anchors import load_anchors
from vehbench_builder.veh.isomorphic.groups import build_isomorphic
from vehbench_builder.veh.isomorphic.infeasible import Places, infeasible_beside
from vehbench_builder.veh.p4 import p4
from vehbench_builder.veh.p4.pool_plan import Plan, Planned
from vehbench_hf.bank.schema import CANARY, arrow_schema, row_checksum, row_to_task, task_to_row
from vehbench_hf.isomorphic.types import IsomorphicTask
from vehbench_hf.types import Task

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
